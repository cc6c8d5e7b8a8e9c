//! The end of a residual block in one pass: relu(x + y * scale).
//!
//! `x` and `y` are [boards][64][channels], `scale` is [boards][channels]. One
//! pass over memory instead of three, and five on the way back.

use super::transform::SQUARES;
use rayon::prelude::*;

pub fn excite(channels: usize, x: &[f32], y: &[f32], scale: &[f32]) -> Vec<f32> {
    let board = SQUARES * channels;
    let mut out = vec![0.0; x.len()];
    out.par_chunks_mut(board)
        .zip(x.par_chunks(board))
        .zip(y.par_chunks(board))
        .zip(scale.par_chunks(channels))
        .for_each(|(((out, x), y), scale)| {
            for (square, out) in out.chunks_exact_mut(channels).enumerate() {
                let x = &x[square * channels..][..channels];
                let y = &y[square * channels..][..channels];
                for c in 0..channels {
                    out[c] = (x[c] + y[c] * scale[c]).max(0.0);
                }
            }
        });
    out
}

pub struct ExciteGradients {
    pub x: Vec<f32>,
    pub y: Vec<f32>,
    pub scale: Vec<f32>,
}

/// `out` is what [`excite`] gave, `gradient` that of the loss by it.
pub fn excite_backward(
    channels: usize,
    y: &[f32],
    scale: &[f32],
    out: &[f32],
    gradient: &[f32],
) -> ExciteGradients {
    let board = SQUARES * channels;
    let mut result = ExciteGradients {
        x: vec![0.0; y.len()],
        y: vec![0.0; y.len()],
        scale: vec![0.0; scale.len()],
    };
    result
        .x
        .par_chunks_mut(board)
        .zip(result.y.par_chunks_mut(board))
        .zip(result.scale.par_chunks_mut(channels))
        .enumerate()
        .for_each(|(index, ((x_gradient, y_gradient), scale_gradient))| {
            let scale = &scale[index * channels..][..channels];
            for square in 0..SQUARES {
                let whole = index * board + square * channels;
                let part = square * channels;
                let (out, gradient) = (&out[whole..][..channels], &gradient[whole..][..channels]);
                let y = &y[whole..][..channels];
                let x_gradient = &mut x_gradient[part..][..channels];
                let y_gradient = &mut y_gradient[part..][..channels];
                for c in 0..channels {
                    let g = if out[c] > 0.0 { gradient[c] } else { 0.0 };
                    x_gradient[c] = g;
                    y_gradient[c] = g * scale[c];
                    scale_gradient[c] += g * y[c];
                }
            }
        });
    result
}
