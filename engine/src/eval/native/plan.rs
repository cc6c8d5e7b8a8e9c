//! A network as a list of steps over numbered tensors, and their execution.
//!
//! A tensor is a board, [64 squares][channels], or a vector; both are padded to
//! whole vectors of the processor, and zero there. All boards of a batch go
//! through a step before the next: the weights are read once.

use super::convolution::{Convolution, Scratch};
use super::gemm::{Packed, multiply, padded};
use crate::vectorized;
use crate::winograd::{Finish, SQUARES};
use pulp::Arch;

/// The number of a tensor.
pub type Slot = usize;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Channels.
    Board(usize),
    /// Width.
    Vector(usize),
}

impl Shape {
    /// Numbers that one position takes.
    fn size(self) -> usize {
        match self {
            Shape::Board(channels) => SQUARES * padded(channels),
            Shape::Vector(width) => padded(width),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    Relu,
    Sigmoid,
    Tanh,
    Softplus,
    /// Over the whole vector.
    Softmax,
}

/// relu(residual + base * scale + shift), all but the base optional.
#[derive(Clone, Copy, Debug)]
pub struct Mixture {
    pub base: Slot,
    pub scale: Option<Slot>,
    pub shift: Option<Slot>,
    pub residual: Option<Slot>,
}

/// What one step computes.
pub enum Work {
    Convolution(Slot, Box<Convolution>),
    /// A matrix product, of each square of a board or of a vector.
    Linear {
        from: Slot,
        matrix: Box<Packed>,
        bias: Vec<f32>,
        relu: bool,
    },
    /// The mean over the squares.
    Pool(Slot),
    Mix {
        mixture: Mixture,
        relu: bool,
    },
    Activate(Slot, Activation),
    /// A board to a vector, channel by channel.
    Flatten(Slot),
    /// A part of a vector, from this place on.
    Part(Slot, usize),
    Gather(Slot, Vec<usize>),
}

impl Work {
    fn inputs(&self) -> Vec<Slot> {
        match self {
            Work::Convolution(from, _)
            | Work::Linear { from, .. }
            | Work::Pool(from)
            | Work::Activate(from, _)
            | Work::Flatten(from)
            | Work::Part(from, _)
            | Work::Gather(from, _) => vec![*from],
            Work::Mix { mixture, .. } => {
                let Mixture { base, scale, shift, residual } = *mixture;
                [Some(base), scale, shift, residual].into_iter().flatten().collect()
            }
        }
    }
}

/// Work and the tensor that it makes.
pub struct Step {
    pub work: Work,
    pub to: Slot,
}

/// A whole network; tensor 0 is its input.
pub struct Plan {
    pub steps: Vec<Step>,
    pub shapes: Vec<Shape>,
    pub outputs: Vec<Slot>,
    /// Where each tensor lies: tensors that are never needed together share.
    places: Vec<usize>,
    /// Numbers per position that each place takes.
    sizes: Vec<usize>,
}

impl Plan {
    pub fn new(steps: Vec<Step>, shapes: Vec<Shape>, outputs: Vec<Slot>) -> Plan {
        let mut last_use = vec![0; shapes.len()];
        for (index, step) in steps.iter().enumerate() {
            step.work.inputs().into_iter().for_each(|slot| last_use[slot] = index);
        }
        outputs.iter().for_each(|slot| last_use[*slot] = steps.len());
        let (mut places, mut sizes, mut free) = (vec![0; shapes.len()], Vec::new(), Vec::new());
        let mut take = |size: usize, free: &mut Vec<usize>| match free
            .iter()
            .position(|place| sizes[*place] == size)
        {
            Some(found) => free.swap_remove(found),
            None => {
                sizes.push(size);
                sizes.len() - 1
            }
        };
        places[0] = take(shapes[0].size(), &mut free);
        for (index, step) in steps.iter().enumerate() {
            places[step.to] = take(shapes[step.to].size(), &mut free);
            let mut done = step.work.inputs();
            done.dedup();
            free.extend(done.iter().filter(|slot| last_use[**slot] == index).map(|s| places[*s]));
        }
        Plan { steps, shapes, outputs, places, sizes }
    }
}

/// The tensors of one batch.
pub struct Memory {
    arch: Arch,
    places: Vec<Vec<f32>>,
    scratch: Scratch,
    boards: usize,
}

impl Memory {
    pub fn new(plan: &Plan, capacity: usize) -> Memory {
        let place = |size: &usize| vec![0.0; size * capacity];
        Memory {
            arch: Arch::new(),
            places: plan.sizes.iter().map(place).collect(),
            scratch: Scratch::default(),
            boards: 0,
        }
    }

    /// Takes planes, [boards][planes][64], as the input.
    pub fn load(&mut self, plan: &Plan, planes: &[f32]) {
        let Shape::Board(channels) = plan.shapes[0] else { return };
        self.boards = planes.len() / (channels * SQUARES);
        let width = padded(channels);
        let to = self.places[plan.places[0]].chunks_exact_mut(SQUARES * width);
        for (to, board) in to.zip(planes.chunks_exact(channels * SQUARES)) {
            // The place may have held something else.
            to.fill(0.0);
            for (channel, plane) in board.chunks_exact(SQUARES).enumerate() {
                for (square, value) in plane.iter().enumerate() {
                    to[square * width + channel] = *value;
                }
            }
        }
    }

    pub fn run(&mut self, plan: &Plan) {
        for step in &plan.steps {
            let place = plan.places[step.to];
            let mut to = std::mem::take(&mut self.places[place]);
            let size = self.boards * plan.shapes[step.to].size();
            self.step(plan, step, &mut to[..size]);
            self.places[place] = to;
        }
    }

    /// Appends an output without its padding, [boards][width].
    pub fn output(&self, plan: &Plan, slot: Slot, to: &mut Vec<f32>) {
        let Shape::Vector(width) = plan.shapes[slot] else { return };
        to.clear();
        for row in self.tensor(plan, slot).chunks_exact(padded(width)) {
            to.extend_from_slice(&row[..width]);
        }
    }

    fn tensor(&self, plan: &Plan, slot: Slot) -> &[f32] {
        &self.places[plan.places[slot]][..self.boards * plan.shapes[slot].size()]
    }

    fn step(&mut self, plan: &Plan, step: &Step, to: &mut [f32]) {
        if let Work::Convolution(from, convolution) = &step.work {
            let from = &self.places[plan.places[*from]][..self.boards * plan.shapes[*from].size()];
            return convolution.run(self.arch, from, to, &mut self.scratch);
        }
        let tensor = |slot: Slot| self.tensor(plan, slot);
        match &step.work {
            Work::Convolution(..) => {}
            Work::Linear { from, matrix, bias, relu } => {
                multiply(self.arch, tensor(*from), matrix, Finish { bias, relu: *relu }, to);
            }
            Work::Pool(from) => {
                let channels = plan.shapes[step.to].size();
                pool(self.arch, tensor(*from), to, channels);
            }
            Work::Mix { mixture, relu } => {
                let optional = |slot: Option<Slot>| slot.map(tensor);
                let parts = MixParts {
                    base: tensor(mixture.base),
                    scale: optional(mixture.scale),
                    shift: optional(mixture.shift),
                    residual: optional(mixture.residual),
                };
                let channels = plan.shapes[step.to].size() / SQUARES;
                mix(self.arch, parts, *relu, channels, to);
            }
            Work::Activate(from, kind) => {
                to.copy_from_slice(tensor(*from));
                let width = match plan.shapes[step.to] {
                    Shape::Board(channels) => (channels, padded(channels)),
                    Shape::Vector(width) => (width, padded(width)),
                };
                to.chunks_exact_mut(width.1).for_each(|row| activate(*kind, &mut row[..width.0]));
            }
            Work::Flatten(from) => {
                let Shape::Board(channels) = plan.shapes[*from] else { return };
                let boards = tensor(*from).chunks_exact(plan.shapes[*from].size());
                for (to, board) in to.chunks_exact_mut(plan.shapes[step.to].size()).zip(boards) {
                    flatten(board, channels, to);
                }
            }
            Work::Part(from, start) => {
                let Shape::Vector(width) = plan.shapes[step.to] else { return };
                let rows = tensor(*from).chunks_exact(plan.shapes[*from].size());
                for (to, row) in to.chunks_exact_mut(padded(width)).zip(rows) {
                    to.fill(0.0);
                    to[..width].copy_from_slice(&row[*start..*start + width]);
                }
            }
            Work::Gather(from, table) => {
                let rows = tensor(*from).chunks_exact(plan.shapes[*from].size());
                for (to, row) in to.chunks_exact_mut(padded(table.len())).zip(rows) {
                    to.fill(0.0);
                    to.iter_mut().zip(table).for_each(|(to, index)| *to = row[*index]);
                }
            }
        }
    }
}

vectorized! {
    fn pool<'a>(from: &'a [f32], to: &'a mut [f32], channels: usize) {
        let boards = from.chunks_exact(SQUARES * channels);
        for (mean, board) in to.chunks_exact_mut(channels).zip(boards) {
            mean.fill(0.0);
            for square in board.chunks_exact(channels) {
                for c in 0..channels {
                    mean[c] += square[c];
                }
            }
            for value in mean {
                *value /= SQUARES as f32;
            }
        }
    }
}

struct MixParts<'a> {
    base: &'a [f32],
    scale: Option<&'a [f32]>,
    shift: Option<&'a [f32]>,
    residual: Option<&'a [f32]>,
}

vectorized! {
    fn mix<'a>(parts: MixParts<'a>, relu: bool, channels: usize, to: &'a mut [f32]) {
        let (ones, zeros) = (vec![1.0; channels], vec![0.0; channels]);
        let floor = if relu { 0.0 } else { f32::NEG_INFINITY };
        for (board, to) in to.chunks_exact_mut(SQUARES * channels).enumerate() {
            let vector = board * channels..(board + 1) * channels;
            let scale = parts.scale.map_or(&ones[..], |scale| &scale[vector.clone()]);
            let shift = parts.shift.map_or(&zeros[..], |shift| &shift[vector.clone()]);
            for (square, to) in to.chunks_exact_mut(channels).enumerate() {
                let place = (board * SQUARES + square) * channels;
                let base = &parts.base[place..][..channels];
                let residual = parts.residual.map_or(&zeros[..], |x| &x[place..][..channels]);
                for c in 0..channels {
                    // Not `max`, which takes what is no number for the floor.
                    let sum = residual[c] + base[c] * scale[c] + shift[c];
                    to[c] = if sum < floor { floor } else { sum };
                }
            }
        }
    }
}

fn activate(kind: Activation, row: &mut [f32]) {
    match kind {
        Activation::Relu => row.iter_mut().filter(|x| **x < 0.0).for_each(|x| *x = 0.0),
        Activation::Sigmoid => row.iter_mut().for_each(|x| *x = 1.0 / (1.0 + (-*x).exp())),
        Activation::Tanh => row.iter_mut().for_each(|x| *x = x.tanh()),
        // In a form that does not overflow.
        Activation::Softplus => {
            row.iter_mut().for_each(|x| *x = x.max(0.0) + (-x.abs()).exp().ln_1p());
        }
        Activation::Softmax => {
            let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            row.iter_mut().for_each(|x| *x = (*x - most).exp());
            let total: f32 = row.iter().sum();
            row.iter_mut().for_each(|x| *x /= total);
        }
    }
}

fn flatten(board: &[f32], channels: usize, to: &mut [f32]) {
    let width = padded(channels);
    for (channel, plane) in to.chunks_exact_mut(SQUARES).take(channels).enumerate() {
        for (square, value) in plane.iter_mut().enumerate() {
            *value = board[square * width + channel];
        }
    }
}
