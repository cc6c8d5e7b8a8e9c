//! Means of measurements.

use serde::Serialize;

/// A mean with its standard error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mean {
    pub mean: f64,
    pub error: f64,
}

impl Mean {
    /// `None` for fewer than two values, which say nothing of the error.
    pub fn of(values: &[f64]) -> Option<Mean> {
        if values.len() < 2 {
            return None;
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        Some(Mean { mean, error: (squares / (count - 1.0) / count).sqrt() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_shrink_with_the_root_of_the_count() {
        let few = Mean::of(&[1.0, 3.0]).unwrap();
        assert_eq!((few.mean, few.error), (2.0, 1.0));
        let many: Vec<f64> = [1.0, 3.0].repeat(5000);
        let many = Mean::of(&many).unwrap();
        assert!((many.mean - 2.0).abs() < 1e-9 && (many.error - 0.01).abs() < 1e-4, "{many:?}");
        assert_eq!(Mean::of(&[7.0]), None);
    }
}
