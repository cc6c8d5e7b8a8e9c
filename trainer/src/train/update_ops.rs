//! The elementwise work of an optimizer in one pass over memory, plugged into
//! burn: on the processor in place and on all threads, elsewhere by burn's own
//! operations. Networks of few layers have millions of weights in each, and made
//! of burn's operations the optimizer takes more time than the rest of a step.

use burn::backend::ops::FloatTensorOps;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, Dispatch, Flex, backend_extension};
use burn::tensor::{Tensor, TensorData};
use pulp::Arch;
use rayon::prelude::*;

/// Numbers that one task takes.
const CHUNK: usize = 1 << 14;

/// What AdamW's update of a weight depends on beside gradient and moments.
#[derive(Clone, Copy, Debug)]
pub struct AdamStep {
    /// What the gradient is multiplied by, to clip it.
    pub clip: f32,
    pub beta1: f32,
    pub beta2: f32,
    /// What the moments lack while they are young: 1 - beta^updates.
    pub grown: [f32; 2],
    pub epsilon: f32,
    pub rate: f32,
    /// What is left of the weight before the step.
    pub kept: f32,
}

/// A weight and its moments.
pub struct AdamState {
    pub weight: Tensor<1>,
    pub first: Tensor<1>,
    pub second: Tensor<1>,
}

pub fn adam(state: AdamState, gradient: Tensor<1>, step: AdamStep) -> AdamState {
    let (weight, first, second) = Dispatch::adam(
        state.weight.into_dispatch(),
        state.first.into_dispatch(),
        state.second.into_dispatch(),
        gradient.into_dispatch(),
        step,
    );
    let [weight, first, second] = [weight, first, second].map(Tensor::from_dispatch);
    AdamState { weight, first, second }
}

/// `keep` of the first, the rest of the second.
pub fn blend(average: Tensor<1>, new: Tensor<1>, keep: f32) -> Tensor<1> {
    let (average, new) = (average.into_dispatch(), new.into_dispatch());
    Tensor::from_dispatch(Dispatch::blend(average, new, keep))
}

pub fn sum_of_squares(x: Tensor<1>) -> f64 {
    let sum: Tensor<1> = Tensor::from_dispatch(Dispatch::sum_of_squares(x.into_dispatch()));
    f64::from(sum.into_scalar::<f32>())
}

#[backend_extension(Flex, Cube: cfg(any(feature = "cuda", feature = "wgpu")))]
pub trait UpdateOps: Backend {
    fn adam(
        weight: FloatTensor<Self>,
        first: FloatTensor<Self>,
        second: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        step: AdamStep,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let scaled = |x, factor: f32| Self::float_mul_scalar(x, factor.into());
        let gradient = scaled(gradient, step.clip);
        let square = Self::float_mul(gradient.clone(), gradient.clone());
        let first = Self::blend(first, gradient, step.beta1);
        let second = Self::blend(second, square, step.beta2);
        let mean = scaled(first.clone(), 1.0 / step.grown[0]);
        let root = Self::float_sqrt(scaled(second.clone(), 1.0 / step.grown[1]));
        let direction = Self::float_div(mean, Self::float_add_scalar(root, step.epsilon.into()));
        let weight = Self::float_sub(scaled(weight, step.kept), scaled(direction, step.rate));
        (weight, first, second)
    }

    fn blend(average: FloatTensor<Self>, new: FloatTensor<Self>, keep: f32) -> FloatTensor<Self> {
        let old = Self::float_mul_scalar(average, keep.into());
        Self::float_add(old, Self::float_mul_scalar(new, (1.0 - keep).into()))
    }

    fn sum_of_squares(x: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::float_sum(Self::float_mul(x.clone(), x))
    }
}

#[cfg(any(feature = "cuda", feature = "wgpu"))]
impl UpdateOps for burn::backend::Cube {}

type CpuTensor = FloatTensor<Flex>;

impl UpdateOps for Flex {
    fn adam(
        weight: CpuTensor,
        first: CpuTensor,
        second: CpuTensor,
        gradient: CpuTensor,
        step: AdamStep,
    ) -> (CpuTensor, CpuTensor, CpuTensor) {
        let [mut weight, mut first, mut second] =
            [weight, first, second].map(|x| x.to_contiguous());
        let gradient = gradient.to_contiguous();
        let weights = weight.storage_mut::<f32>().par_chunks_mut(CHUNK);
        let firsts = first.storage_mut::<f32>().par_chunks_mut(CHUNK);
        let seconds = second.storage_mut::<f32>().par_chunks_mut(CHUNK);
        let gradients = gradient.storage::<f32>().par_chunks(CHUNK);
        weights.zip(firsts).zip(seconds).zip(gradients).for_each(|(((w, m), v), g)| {
            Arch::new().dispatch(|| adam_chunk(w, m, v, g, step));
        });
        (weight, first, second)
    }

    fn blend(average: CpuTensor, new: CpuTensor, keep: f32) -> CpuTensor {
        let (mut average, new) = (average.to_contiguous(), new.to_contiguous());
        let averages = average.storage_mut::<f32>().par_chunks_mut(CHUNK);
        averages.zip(new.storage::<f32>().par_chunks(CHUNK)).for_each(|(average, new)| {
            Arch::new().dispatch(|| {
                for (average, new) in average.iter_mut().zip(new) {
                    *average = *average * keep + new * (1.0 - keep);
                }
            });
        });
        average
    }

    fn sum_of_squares(x: CpuTensor) -> CpuTensor {
        let x = x.to_contiguous();
        let parts: Vec<f64> = x
            .storage::<f32>()
            .par_chunks(CHUNK)
            .map(|x| Arch::new().dispatch(|| squares(x)))
            .collect();
        // In the order of the chunks, so that threads do not change the sum.
        let sum = parts.iter().sum::<f64>() as f32;
        Flex::float_from_data(TensorData::new(vec![sum], [1]), &Default::default())
    }
}

#[inline(always)]
fn adam_chunk(
    weight: &mut [f32],
    first: &mut [f32],
    second: &mut [f32],
    g: &[f32],
    step: AdamStep,
) {
    let AdamStep { clip, beta1, beta2, grown, epsilon, rate, kept } = step;
    let scales = [1.0 / grown[0], 1.0 / grown[1]];
    let moments = first.iter_mut().zip(second);
    for ((weight, (first, second)), gradient) in weight.iter_mut().zip(moments).zip(g) {
        let gradient = gradient * clip;
        *first = *first * beta1 + gradient * (1.0 - beta1);
        *second = *second * beta2 + gradient * gradient * (1.0 - beta2);
        let direction = *first * scales[0] / ((*second * scales[1]).sqrt() + epsilon);
        *weight = *weight * kept - direction * rate;
    }
}

#[inline(always)]
fn squares(x: &[f32]) -> f64 {
    const LANES: usize = 32;
    let (chunks, rest) = x.as_chunks::<LANES>();
    let mut sums = [0.0f32; LANES];
    for chunk in chunks {
        for i in 0..LANES {
            sums[i] += chunk[i] * chunk[i];
        }
    }
    let rest: f32 = rest.iter().map(|x| x * x).sum();
    sums.iter().map(|sum| f64::from(*sum)).sum::<f64>() + f64::from(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::Device;
    use engine::search::Random;

    /// More than two tasks, and no whole number of vectors.
    const COUNT: usize = 2 * CHUNK + 1037;

    fn random(seed: u64) -> Vec<f32> {
        let mut random = Random::new(seed);
        (0..COUNT).map(|_| random.unit() as f32 * 2.0 - 1.0).collect()
    }

    fn tensor(data: &[f32]) -> Tensor<1> {
        Tensor::from_data(TensorData::new(data.to_vec(), [data.len()]), &Device::flex())
    }

    fn numbers(tensor: Tensor<1>) -> Vec<f32> {
        tensor.into_data().iter::<f32>().collect()
    }

    #[track_caller]
    fn assert_close(found: &[f32], wanted: impl Iterator<Item = f64>) {
        let wanted: Vec<f64> = wanted.collect();
        assert_eq!(found.len(), wanted.len());
        for (found, wanted) in found.iter().zip(wanted) {
            assert!((f64::from(*found) - wanted).abs() < 1e-5, "{found} is not {wanted}");
        }
    }

    const STEP: AdamStep = AdamStep {
        clip: 0.5,
        beta1: 0.9,
        beta2: 0.99,
        grown: [0.19, 0.0199],
        epsilon: 1e-3,
        rate: 0.01,
        kept: 0.999,
    };

    /// Weights, first and second moments after a step.
    fn stepped() -> [Vec<f32>; 3] {
        let second: Vec<f32> = random(3).iter().map(|x| x.abs()).collect();
        let state = AdamState {
            weight: tensor(&random(1)),
            first: tensor(&random(2)),
            second: tensor(&second),
        };
        let AdamState { weight, first, second } = adam(state, tensor(&random(4)), STEP);
        [weight, first, second].map(numbers)
    }

    #[test]
    fn adam_in_plain_loops() {
        let [weight, first, second] = stepped();
        let gradient: Vec<f64> = random(4).iter().map(|g| f64::from(*g) * 0.5).collect();
        let wide = |x: Vec<f32>| x.into_iter().map(f64::from);
        let means = wide(random(2)).zip(&gradient).map(|(m, g)| 0.9 * m + 0.1 * g);
        assert_close(&first, means.clone());
        let squares = wide(random(3)).zip(&gradient).map(|(v, g)| 0.99 * v.abs() + 0.01 * g * g);
        assert_close(&second, squares.clone());
        let moved = wide(random(1))
            .zip(means)
            .zip(squares)
            .map(|((w, m), v)| 0.999 * w - 0.01 * (m / 0.19) / ((v / 0.0199).sqrt() + 1e-3));
        assert_close(&weight, moved);
    }

    #[test]
    fn what_others_hold_stays_as_it_was() {
        // The averages of a run share their memory with the weights.
        let weight = tensor(&random(1));
        let state = AdamState {
            weight: weight.clone(),
            first: weight.clone(),
            second: weight.clone().abs(),
        };
        adam(state, weight.clone(), STEP);
        blend(weight.clone(), tensor(&random(2)), 0.25);
        assert_eq!(numbers(weight), random(1));
    }

    #[test]
    fn averages_and_lengths() {
        let blended = blend(tensor(&random(1)), tensor(&random(2)), 0.25);
        let wanted = random(1).into_iter().zip(random(2));
        let wanted = wanted.map(|(a, b)| 0.25 * f64::from(a) + 0.75 * f64::from(b));
        assert_close(&numbers(blended), wanted);
        let sum: f64 = random(1).iter().map(|x| f64::from(*x).powi(2)).sum();
        assert!((sum_of_squares(tensor(&random(1))) / sum - 1.0).abs() < 1e-6);
    }

    #[test]
    fn threads_change_nothing() {
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| (stepped(), sum_of_squares(tensor(&random(5)))))
        };
        assert_eq!(run(1), run(3));
    }
}
