//! Counts of values in TensorBoard's usual buckets: edges grow by a tenth from
//! 1e-12 to 1e20, the same below zero, one bucket around zero.

use super::proto::Histogram;
use std::sync::LazyLock;

/// Upper edges of all buckets, ascending.
static LIMITS: LazyLock<Vec<f64>> = LazyLock::new(|| {
    let mut positive = vec![];
    let mut limit = 1e-12;
    while limit < 1e20 {
        positive.push(limit);
        limit *= 1.1;
    }
    positive.push(f64::MAX);
    positive.iter().rev().map(|limit| -limit).chain(positive.iter().copied()).collect()
});

/// `None` without a finite number among `values`; the others are passed over.
pub fn histogram(values: &[f32]) -> Option<Histogram> {
    let mut counts = vec![0u64; LIMITS.len()];
    let mut out = Histogram { min: f64::INFINITY, max: f64::NEG_INFINITY, ..Histogram::default() };
    for value in values.iter().map(|&value| f64::from(value)).filter(|value| value.is_finite()) {
        out.min = out.min.min(value);
        out.max = out.max.max(value);
        out.num += 1.0;
        out.sum += value;
        out.sum_squares += value * value;
        counts[LIMITS.partition_point(|&limit| limit <= value)] += 1;
    }
    let first = counts.iter().position(|&count| count > 0)?;
    let last = counts.iter().rposition(|&count| count > 0)?;
    for index in first..=last {
        // Empty buckets in a row become one.
        let run_goes_on = counts[index] == 0 && counts[index + 1] == 0;
        if !run_goes_on {
            out.bucket_limit.push(LIMITS[index]);
            out.bucket.push(counts[index] as f64);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lie_between_their_edges() {
        let values = [-2.0, -1e-20, 0.0, 0.5, 0.5, 3.0, f32::NAN, f32::INFINITY];
        let made = histogram(&values).unwrap();
        assert_eq!((made.min, made.max, made.num, made.sum), (-2.0, 3.0, 6.0, 2.0));
        assert_eq!(made.sum_squares, 4.0 + 0.25 + 0.25 + 9.0 + f64::from(-1e-20f32).powi(2));
        assert!(made.bucket_limit.is_sorted());
        let filled: Vec<f64> = made.bucket.iter().copied().filter(|&count| count > 0.0).collect();
        assert_eq!(filled, [1.0, 2.0, 2.0, 1.0]);
        for (index, &limit) in made.bucket_limit.iter().enumerate() {
            let below = values.iter().filter(|&&value| f64::from(value) < limit).count();
            let counted: f64 = made.bucket[..=index].iter().sum();
            assert_eq!(counted, below as f64, "below {limit}");
        }
    }

    #[test]
    fn empty_runs_are_one_bucket() {
        let made = histogram(&[1.0, 100.0]).unwrap();
        assert_eq!(made.bucket, [1.0, 0.0, 1.0]);
        let edges = &made.bucket_limit;
        assert!(edges[0] > 1.0 && edges[0] < 1.2, "{edges:?}");
        assert!(edges[1] <= 100.0 && edges[1] * 1.1 == edges[2], "{edges:?}");
    }

    #[test]
    fn extremes_have_a_bucket_and_nothing_has_no_histogram() {
        let made = histogram(&[f32::MAX, f32::MIN]).unwrap();
        assert_eq!(made.bucket, [1.0, 0.0, 1.0]);
        assert!(histogram(&[]).is_none());
        assert!(histogram(&[f32::NAN]).is_none());
    }
}
