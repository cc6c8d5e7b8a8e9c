//! The network's definition in plain loops over f64, written against
//! [`Architecture`]'s documentation and sharing nothing with the export.

use crate::export::Outputs;
use crate::model::{Activation, Architecture, Body, NORM_EPSILON, Norm, ValueKind, Weights};

/// One position's channels, each 64 squares.
type Board = Vec<[f64; 64]>;

pub fn forward(architecture: &Architecture, weights: &Weights, planes: &[f32]) -> Outputs {
    let net = Net { a: architecture, w: weights };
    let mut outputs = Outputs::default();
    let mut moves_left = Vec::new();
    for position in planes.chunks(architecture.encoder.planes() * 64) {
        let answer = match architecture.body {
            Body::Tower => net.of_tower(position),
            Body::Dense => net.of_dense_body(position),
        };
        outputs.policy.extend(answer.policy.iter().map(|&v| v as f32));
        let value = answer.value;
        match architecture.value {
            ValueKind::Wdl => outputs.value.extend(value.iter().map(|&v| v as f32)),
            ValueKind::Scalar => outputs.value.push(value[0].tanh() as f32),
        }
        if architecture.moves_left {
            moves_left.push((1.0 + answer.moves_left.exp()).ln() as f32);
        }
    }
    outputs.moves_left = architecture.moves_left.then_some(moves_left);
    outputs
}

struct Net<'a> {
    a: &'a Architecture,
    w: &'a Weights,
}

/// Of one position, before the last function of each head.
struct Answer {
    policy: Vec<f64>,
    value: Vec<f64>,
    moves_left: f64,
}

impl Net<'_> {
    fn of_tower(&self, position: &[f32]) -> Answer {
        let board = position
            .chunks(64)
            .map(|plane| std::array::from_fn(|square| f64::from(plane[square])))
            .collect();
        let x = self.tower(board);
        let y = self.act_board(self.norm("policy.norm1", self.conv("policy.conv1", &x)));
        let policy = self.conv("policy.conv2", &y).into_iter().flatten().collect();
        let moves_left = self.a.moves_left.then(|| self.head("moves_left", &x)[0]);
        let moves_left = moves_left.unwrap_or_default();
        Answer { policy, value: self.head("value", &x), moves_left }
    }

    fn of_dense_body(&self, position: &[f32]) -> Answer {
        let mut weight = self.numbers("features.weight");
        let shared = self.numbers("features.shared");
        let mut sums = self.numbers("features.bias");
        for (square, row) in weight.chunks_mut(sums.len()).enumerate() {
            let shared = &shared[square / 64 * row.len()..];
            row.iter_mut().zip(shared).for_each(|(w, shared)| *w += shared);
        }
        for (row, x) in weight.chunks(sums.len()).zip(position) {
            sums.iter_mut().zip(row).for_each(|(sum, w)| *sum += w * f64::from(*x));
        }
        let direct = sums.split_off(self.a.hidden);
        let x: Vec<f64> = sums.iter().map(|v| v.max(0.0).powi(2)).collect();
        let head = |name: &str, direct: &[f64]| {
            let mut hidden = self.dense(&format!("{name}.dense1"), &x);
            hidden.iter_mut().zip(direct).for_each(|(v, d)| *v += d);
            hidden.iter_mut().for_each(|v| *v = v.max(0.0));
            self.dense(&format!("{name}.dense2"), &hidden)
        };
        let moves_left = self.a.moves_left.then(|| head("moves_left", &[])[0]);
        let moves_left = moves_left.unwrap_or_default();
        Answer { policy: self.dense("policy", &x), value: head("value", &direct), moves_left }
    }

    fn tower(&self, board: Board) -> Board {
        let mut x = self.act_board(self.norm("stem.norm", self.conv("stem", &board)));
        for block in 0..self.a.blocks {
            let name = |part: &str| format!("blocks.{block}.{part}");
            let y = self.norm(&name("norm1"), self.conv(&name("conv1"), &x));
            let y = self.conv(&name("conv2"), &self.act_board(y));
            let mut y = self.norm(&name("norm2"), y);
            if self.a.squeeze > 0 {
                let means: Vec<f64> = y.iter().map(|c| c.iter().sum::<f64>() / 64.0).collect();
                let mut hidden = self.dense(&name("squeeze.down"), &means);
                hidden.iter_mut().for_each(|v| *v = v.max(0.0));
                let gates = self.dense(&name("squeeze.up"), &hidden);
                for (channel, gate) in y.iter_mut().zip(gates) {
                    channel.iter_mut().for_each(|v| *v *= sigmoid(gate));
                }
            }
            if self.a.blocks - block <= self.a.attention_blocks {
                let (mut mean, mut max) = ([0.0; 64], [f64::NEG_INFINITY; 64]);
                for square in 0..64 {
                    for channel in &y {
                        mean[square] += channel[square] / y.len() as f64;
                        max[square] = channel[square].max(max[square]);
                    }
                }
                let gates = self.conv(&name("attention"), &vec![mean, max]);
                for channel in &mut y {
                    (0..64).for_each(|square| channel[square] *= sigmoid(gates[0][square]));
                }
            }
            for (channel, add) in y.iter_mut().zip(&x) {
                (0..64).for_each(|square| channel[square] += add[square]);
            }
            x = self.act_board(y);
        }
        x
    }

    fn head(&self, name: &str, x: &Board) -> Vec<f64> {
        let y = self.norm(&format!("{name}.norm"), self.conv(&format!("{name}.conv"), x));
        let flat: Vec<f64> = self.act_board(y).into_iter().flatten().collect();
        let mut hidden = self.dense(&format!("{name}.dense1"), &flat);
        hidden.iter_mut().for_each(|v| *v = self.act(*v));
        self.dense(&format!("{name}.dense2"), &hidden)
    }

    fn numbers(&self, name: &str) -> Vec<f64> {
        self.w[name].data.iter().map(|&v| f64::from(v)).collect()
    }

    fn dense(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let weight = self.numbers(&format!("{name}.weight"));
        let bias = self.numbers(&format!("{name}.bias"));
        let dot = |row: &[f64]| row.iter().zip(x).map(|(w, v)| w * v).sum::<f64>();
        weight.chunks(x.len()).zip(bias).map(|(row, b)| dot(row) + b).collect()
    }

    fn conv(&self, name: &str, x: &Board) -> Board {
        let dims = &self.w[&format!("{name}.weight")].dims;
        let weight = self.numbers(&format!("{name}.weight"));
        let bias = self.numbers(&format!("{name}.bias"));
        let kernel = dims[2] as isize;
        let mut out = vec![[0.0; 64]; dims[0]];
        for (o, plane) in out.iter_mut().enumerate() {
            for (square, sum) in plane.iter_mut().enumerate() {
                let (row, column) = (square as isize / 8, square as isize % 8);
                *sum = bias[o];
                for (i, input) in x.iter().enumerate() {
                    for dy in 0..kernel {
                        for dx in 0..kernel {
                            let (r, c) = (row + dy - kernel / 2, column + dx - kernel / 2);
                            if (0..8).contains(&r) && (0..8).contains(&c) {
                                let at = ((o * x.len() + i) as isize * kernel + dy) * kernel + dx;
                                *sum += weight[at as usize] * input[(r * 8 + c) as usize];
                            }
                        }
                    }
                }
            }
        }
        out
    }

    fn norm(&self, name: &str, mut x: Board) -> Board {
        if self.a.norm == Norm::None {
            return x;
        }
        let (gamma, beta) =
            (self.numbers(&format!("{name}.gamma")), self.numbers(&format!("{name}.beta")));
        let (mean, variance) = match self.a.norm {
            Norm::Batch => {
                (self.numbers(&format!("{name}.mean")), self.numbers(&format!("{name}.variance")))
            }
            _ => {
                let size = x.len() / self.a.groups;
                let of_group = |group: &[[f64; 64]]| {
                    let count = (group.len() * 64) as f64;
                    let mean = group.iter().flatten().sum::<f64>() / count;
                    let square = |v: &f64| (v - mean) * (v - mean);
                    (mean, group.iter().flatten().map(square).sum::<f64>() / count)
                };
                x.chunks(size).flat_map(|group| vec![of_group(group); size]).unzip()
            }
        };
        for (c, channel) in x.iter_mut().enumerate() {
            let deviation = (variance[c] + f64::from(NORM_EPSILON)).sqrt();
            channel.iter_mut().for_each(|v| *v = (*v - mean[c]) / deviation * gamma[c] + beta[c]);
        }
        x
    }

    fn act_board(&self, mut x: Board) -> Board {
        x.iter_mut().flatten().for_each(|v| *v = self.act(*v));
        x
    }

    fn act(&self, x: f64) -> f64 {
        match self.a.activation {
            Activation::Relu => x.max(0.0),
            Activation::Gelu => 0.5 * x * (1.0 + erf(x / 2f64.sqrt())),
            Activation::Mish => x * (1.0 + x.exp()).ln().tanh(),
        }
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The error function by its series, which converges fast enough up to 6; behind
/// that it is one to sixteen digits.
fn erf(x: f64) -> f64 {
    if x.abs() > 6.0 {
        return x.signum();
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}

#[test]
fn the_error_function_is_right() {
    for (x, y) in
        [(0.0, 0.0), (0.5, 0.520_499_877_8), (-1.0, -0.842_700_792_9), (3.0, 0.999_977_909_5)]
    {
        assert!((erf(x) - y).abs() < 1e-9, "{x}");
    }
}
