//! The end of a residual block in one pass: relu(x + y * scale).
//!
//! `x` and `y` are [boards][64][channels], `scale` is [boards][channels]. One
//! pass over memory instead of three.

use super::scratch::filled_in_parallel;
use engine::winograd::SQUARES;

pub fn excite(channels: usize, x: &[f32], y: &[f32], scale: &[f32]) -> Vec<f32> {
    let board = SQUARES * channels;
    filled_in_parallel(x.len(), board, |index, out| {
        let scale = &scale[index * channels..][..channels];
        for (square, out) in out.chunks_exact_mut(channels).enumerate() {
            let x = &x[index * board + square * channels..][..channels];
            let y = &y[index * board + square * channels..][..channels];
            for c in 0..channels {
                out[c] = (x[c] + y[c] * scale[c]).max(0.0);
            }
        }
    })
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
    let passed = filled_in_parallel(y.len(), board, |index, x_gradient| {
        let here = index * board..(index + 1) * board;
        let flow = out[here.clone()].iter().zip(&gradient[here]);
        for (x_gradient, (out, gradient)) in x_gradient.iter_mut().zip(flow) {
            *x_gradient = if *out > 0.0 { *gradient } else { 0.0 };
        }
    });
    let scale_gradient = filled_in_parallel(scale.len(), channels, |index, scale_gradient| {
        let here = index * board..(index + 1) * board;
        let squares = passed[here.clone()].chunks_exact(channels);
        for (passed, y) in squares.zip(y[here].chunks_exact(channels)) {
            for c in 0..channels {
                scale_gradient[c] += passed[c] * y[c];
            }
        }
    });
    let y_gradient = filled_in_parallel(y.len(), board, |index, y_gradient| {
        let scale = &scale[index * channels..][..channels];
        let squares = passed[index * board..(index + 1) * board].chunks_exact(channels);
        for (y_gradient, passed) in y_gradient.chunks_exact_mut(channels).zip(squares) {
            for c in 0..channels {
                y_gradient[c] = passed[c] * scale[c];
            }
        }
    });
    ExciteGradients { x: passed, y: y_gradient, scale: scale_gradient }
}
