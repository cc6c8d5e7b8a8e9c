//! The numbers of one tensor over many positions, and the range to keep of them.

/// Finer than 8 bits by far, so that a range can end between two steps.
const BINS: usize = 4096;

/// Ranges are tried from the whole one downwards in this many steps.
const CANDIDATES: usize = 64;

/// Numbers between `low` and `high` become the integers 0 to 255.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    pub low: f32,
    pub high: f32,
}

impl Range {
    /// The range of no numbers yet. It holds zero always: zero must have an
    /// integer of its own, because convolutions pad with it.
    pub const EMPTY: Range = Range { low: 0.0, high: 0.0 };

    pub fn widen(&mut self, numbers: &[f32]) {
        for &x in numbers {
            self.low = self.low.min(x);
            self.high = self.high.max(x);
        }
    }

    /// The step between integers, and the integer of zero.
    pub fn steps(&self) -> (f32, u8) {
        let scale = ((self.high - self.low) / 255.0).max(1e-8);
        (scale, (-self.low / scale).round() as u8)
    }

    fn shrunk(&self, factor: f32) -> Range {
        Range { low: self.low * factor, high: self.high * factor }
    }
}

/// Counts of numbers in equal bins over their whole range.
pub(super) struct Histogram {
    range: Range,
    counts: Vec<u64>,
}

impl Histogram {
    pub fn new(range: Range) -> Histogram {
        Histogram { range, counts: vec![0; BINS] }
    }

    pub fn add(&mut self, numbers: &[f32]) {
        let Range { low, high } = self.range;
        let per_unit = BINS as f32 / (high - low).max(1e-8);
        for &x in numbers {
            let bin = (((x - low) * per_unit) as usize).min(BINS - 1);
            self.counts[bin] += 1;
        }
    }

    /// The range with the least squared error: what lies outside is cut off, but
    /// what lies inside gets finer steps.
    pub fn best_range(&self) -> Range {
        let candidate = |i: usize| self.range.shrunk(1.0 - i as f32 / CANDIDATES as f32);
        let best = (0..CANDIDATES)
            .map(candidate)
            .min_by(|a, b| self.squared_error(a).total_cmp(&self.squared_error(b)));
        best.unwrap_or(self.range)
    }

    fn squared_error(&self, kept: &Range) -> f64 {
        let width = f64::from(self.range.high - self.range.low) / BINS as f64;
        let step = f64::from(kept.steps().0);
        let (low, high) = (f64::from(kept.low), f64::from(kept.high));
        let errors =
            self.counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(bin, &count)| {
                let x = f64::from(self.range.low) + (bin as f64 + 0.5) * width;
                let cut = (x - high).max(low - x).max(0.0);
                count as f64 * (cut * cut + step * step / 12.0)
            });
        errors.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_has_an_exact_integer() {
        let (scale, zero) = Range { low: -1.0, high: 3.0 }.steps();
        assert_eq!(zero, 64);
        assert!((scale - 4.0 / 255.0).abs() < 1e-7);
        assert_eq!(Range::EMPTY.steps().1, 0);
        assert_eq!(Range { low: -2.0, high: 0.0 }.steps().1, 255);
    }

    #[test]
    fn a_lonely_outlier_is_cut_off() {
        let body: Vec<f32> = (0..20_000).map(|i| (i % 1000) as f32 / 1000.0).collect();
        let mut range = Range::EMPTY;
        range.widen(&body);
        range.widen(&[4.0]);
        let mut histogram = Histogram::new(range);
        histogram.add(&body);
        assert!(histogram.best_range().high < 1.1);
        // Half of the numbers out there are no outliers.
        histogram.add(&vec![4.0; 20_000]);
        assert!(histogram.best_range().high > 3.9);
    }
}
