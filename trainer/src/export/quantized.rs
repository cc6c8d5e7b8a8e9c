//! Weights and biases as integers.
//!
//! Weights have one scale per output channel and no offset. They use 7 of the 8
//! bits: processors without VNNI add pairs of products in 16 bits, which 8-bit
//! weights overflow.

use super::layer::Layer;

/// The largest weight as an integer.
const LARGEST_WEIGHT: f32 = 63.0;

/// Biases must stay well inside 32 bits, since products are added to them.
const LARGEST_BIAS: f32 = (1 << 29) as f32;

/// Of a row of zeros without a bias.
const SMALLEST_SCALE: f32 = 1e-12;

/// Weights in rows of one output, and a scale for each row.
pub(super) fn quantize_rows(layer: &Layer, input_scale: f32) -> (Vec<i8>, Vec<f32>) {
    let size = layer.dims.iter().skip(1).product();
    let mut integers = Vec::with_capacity(layer.weight.len());
    let mut scales = Vec::with_capacity(layer.outputs());
    for (row, bias) in layer.weight.chunks(size).zip(&layer.bias) {
        let largest = row.iter().fold(0.0f32, |largest, w| largest.max(w.abs()));
        // A row of almost nothing takes its scale from the bias, which would
        // overflow in steps as small as such weights.
        let smallest = (bias.abs() / input_scale / LARGEST_BIAS).max(SMALLEST_SCALE);
        let scale = (largest / LARGEST_WEIGHT).max(smallest);
        integers.extend(row.iter().map(|w| (w / scale).round() as i8));
        scales.push(scale);
    }
    (integers, scales)
}

/// Biases in steps of input scale times weight scale.
pub(super) struct BiasScale {
    pub bias: Vec<i32>,
    pub scales: Vec<f32>,
}

pub(super) fn quantize_bias(layer: &Layer, weight_scales: &[f32], input_scale: f32) -> BiasScale {
    let scales: Vec<f32> = weight_scales.iter().map(|scale| scale * input_scale).collect();
    let bias =
        layer.bias.iter().zip(&scales).map(|(bias, scale)| (bias / scale).round() as i32).collect();
    BiasScale { bias, scales }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_their_own_scale_and_biases_fit() {
        let layer = Layer {
            name: "layer".to_string(),
            dims: vec![3, 2],
            weight: vec![0.63, -0.315, 6.3, 0.0, 0.0, 0.0],
            bias: vec![1.0, -2.0, 3.0],
        };
        let (integers, scales) = quantize_rows(&layer, 0.5);
        assert_eq!(integers, [63, -32, 63, 0, 0, 0]);
        assert!((scales[0] - 0.01).abs() < 1e-6 && (scales[1] - 0.1).abs() < 1e-6);
        let BiasScale { bias, scales } = quantize_bias(&layer, &scales, 0.5);
        assert_eq!(bias[..2], [200, -40]);
        // The empty row still carries its bias.
        assert!((bias[2] as f32 * scales[2] - 3.0).abs() < 1e-5);
    }
}
