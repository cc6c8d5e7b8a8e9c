//! What the network says of a batch, in flat buffers that workers reuse.

/// Win, draw and loss for the side to move; they sum to one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    pub win: f32,
    pub draw: f32,
    pub loss: f32,
    /// Plies to the end of the game, where the network has that head.
    pub moves_left: Option<f32>,
}

impl Value {
    /// A value from a head that knows no draws: Q in -1..=1.
    pub fn from_scalar(q: f32) -> Value {
        let q = q.clamp(-1.0, 1.0);
        Value { win: (1.0 + q) / 2.0, draw: 0.0, loss: (1.0 - q) / 2.0, moves_left: None }
    }

    pub fn q(&self) -> f32 {
        self.win - self.loss
    }

    /// Q and draw when only a part of the value is left: the rest is drawn.
    pub fn faded(&self, left: f32) -> (f32, f32) {
        (self.q() * left, 1.0 - (1.0 - self.draw) * left)
    }
}

/// One value and one logit per legal move for each position of a batch.
#[derive(Default)]
pub struct Answers {
    values: Vec<Value>,
    logits: Vec<f32>,
    ends: Vec<usize>,
}

impl Answers {
    pub fn clear(&mut self) {
        self.values.clear();
        self.logits.clear();
        self.ends.clear();
    }

    /// Adds the answer for the next position: logits in the order of its moves.
    pub fn push(&mut self, value: Value, logits: impl IntoIterator<Item = f32>) {
        self.values.push(value);
        self.logits.extend(logits);
        self.ends.push(self.logits.len());
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Value and policy logits of position `index` of the batch.
    pub fn get(&self, index: usize) -> (&Value, &[f32]) {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        (&self.values[index], &self.logits[start..self.ends[index]])
    }
}
