//! A small seeded generator for noise, temperature and sampling.

/// SplitMix64: one word of state, any seed is good.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in 0..1.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in 0..bound; 0 if that is empty.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// Puts `items` in random order, by Fisher and Yates.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// Index drawn in proportion to `weights`; `None` if they sum to nothing.
    pub fn weighted(&mut self, weights: impl Iterator<Item = f64> + Clone) -> Option<usize> {
        let total: f64 = weights.clone().sum();
        if total <= 0.0 {
            return None;
        }
        let mut left = self.unit() * total;
        let mut last = None;
        for (index, weight) in weights.enumerate() {
            if weight > 0.0 {
                last = Some(index);
                left -= weight;
                if left < 0.0 {
                    break;
                }
            }
        }
        last
    }

    /// Standard normal, by Box and Muller.
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Gamma with shape `alpha` and scale 1, by Marsaglia and Tsang.
    fn gamma(&mut self, alpha: f64) -> f64 {
        if alpha < 1.0 {
            let boost = (1.0 - self.unit()).powf(1.0 / alpha);
            return self.gamma(alpha + 1.0) * boost;
        }
        let d = alpha - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && (1.0 - self.unit()).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
                return d * v;
            }
        }
    }

    /// A point of the simplex; small `alpha` puts most weight on few entries.
    pub fn dirichlet(&mut self, alpha: f64, count: usize) -> Vec<f64> {
        let mut sample: Vec<f64> = (0..count).map(|_| self.gamma(alpha)).collect();
        let total: f64 = sample.iter().sum();
        if total > 0.0 {
            sample.iter_mut().for_each(|x| *x /= total);
        } else {
            sample.fill(1.0 / count.max(1) as f64);
        }
        sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gamma_has_its_mean_and_variance() {
        let mut random = Random::new(1);
        for alpha in [0.3, 1.0, 4.0] {
            let samples: Vec<f64> = (0..100_000).map(|_| random.gamma(alpha)).collect();
            let mean = samples.iter().sum::<f64>() / 1e5;
            let variance = samples.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 1e5;
            assert!((mean / alpha - 1.0).abs() < 0.03, "{alpha}: {mean}");
            assert!((variance / alpha - 1.0).abs() < 0.1, "{alpha}: {variance}");
        }
    }

    #[test]
    fn weighted_follows_the_weights() {
        let mut random = Random::new(7);
        let mut hits = [0; 3];
        for _ in 0..10_000 {
            hits[random.weighted([1.0, 0.0, 3.0].into_iter()).unwrap()] += 1;
        }
        assert_eq!(hits[1], 0);
        assert!((2300..2700).contains(&hits[0]), "{hits:?}");
        assert_eq!(random.weighted([0.0].into_iter()), None);
    }
}
