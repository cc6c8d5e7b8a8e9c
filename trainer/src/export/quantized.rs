//! A convolution's weights and biases as integers.
//!
//! Weights have one scale per output channel and no offset. They use all 8 bits,
//! although processors without VNNI add pairs of products in 16 bits, which could
//! overflow: on a trained network the integer kernels agreed with exact
//! arithmetic, while weights of 7 bits doubled the error of the policy.

use super::calibrate::Observed;
use super::layer::Layer;

/// The largest weight as an integer.
const LARGEST_WEIGHT: f32 = 127.0;

/// Biases must stay well inside 32 bits, since products are added to them.
const LARGEST_BIAS: f32 = (1 << 29) as f32;

/// Of a row of zeros without a bias.
const SMALLEST_SCALE: f32 = 1e-12;

pub(super) struct QuantizedLayer {
    pub weight: Vec<i8>,
    pub weight_scales: Vec<f32>,
    pub bias: Vec<i32>,
    /// Input scale times weight scale.
    pub bias_scales: Vec<f32>,
}

impl QuantizedLayer {
    /// `input` is what the layer reads, in its own 8 bits.
    pub fn new(layer: &Layer, input: &Observed) -> QuantizedLayer {
        let (input_scale, _) = input.steps();
        let (inputs, kernel) = (layer.dims[1], layer.kernel() * layer.kernel());
        let mut quantized = QuantizedLayer {
            weight: Vec::with_capacity(layer.weight.len()),
            weight_scales: Vec::new(),
            bias: Vec::new(),
            bias_scales: Vec::new(),
        };
        for (row, bias) in layer.weight.chunks(inputs * kernel).zip(&layer.bias) {
            let largest = row.iter().fold(0.0f32, |largest, w| largest.max(w.abs()));
            // A row of almost nothing takes its scale from the bias, which would
            // overflow in steps as small as such weights.
            let smallest = (bias.abs() / input_scale / LARGEST_BIAS).max(SMALLEST_SCALE);
            let scale = (largest / LARGEST_WEIGHT).max(smallest);
            let integers: Vec<i8> = row.iter().map(|w| (w / scale).round() as i8).collect();
            // What rounding takes from or adds to the mean answer goes into the
            // bias.
            let lost: f32 = row
                .chunks(kernel)
                .zip(integers.chunks(kernel))
                .zip(&input.means)
                .map(|((row, integers), mean)| {
                    let errors = row.iter().zip(integers).map(|(w, i)| w - f32::from(*i) * scale);
                    errors.sum::<f32>() * mean
                })
                .sum();
            let bias_scale = scale * input_scale;
            quantized.bias.push(((bias + lost) / bias_scale).round() as i32);
            quantized.weight.extend(integers);
            quantized.weight_scales.push(scale);
            quantized.bias_scales.push(bias_scale);
        }
        quantized
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_their_own_scale_and_biases_fit() {
        let layer = Layer {
            name: "layer".to_string(),
            dims: vec![3, 2, 1, 1],
            weight: vec![1.27, -0.634, 12.7, 0.0, 0.0, 0.0],
            bias: vec![1.0, -2.0, 3.0],
        };
        let input = Observed { low: 0.0, high: 127.5, means: vec![0.0, 10.0] };
        let quantized = QuantizedLayer::new(&layer, &input);
        assert_eq!(quantized.weight, [127, -63, 127, 0, 0, 0]);
        let scales = &quantized.weight_scales;
        assert!((scales[0] - 0.01).abs() < 1e-6 && (scales[1] - 0.1).abs() < 1e-6);
        // -0.634 became -0.63: at a mean of 10 that is 0.04 too much.
        let bias = |i: usize| quantized.bias[i] as f32 * quantized.bias_scales[i];
        assert!((bias(0) - 0.96).abs() < 0.005, "{}", bias(0));
        assert!((bias(1) + 2.0).abs() < 0.05);
        // The empty row still carries its bias.
        assert!((bias(2) - 3.0).abs() < 1e-5);
    }
}
