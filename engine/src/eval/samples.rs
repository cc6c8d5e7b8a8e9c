//! For tests of backends: some positions, and a network's answers to them.

use super::{Answers, Evaluator, EvaluatorSource};
use crate::chess::{Line, parse_fen};

pub fn lines() -> Vec<Line> {
    [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
        "8/2P5/8/2k5/3pP3/8/1p4K1/R7 b - e3 0 1",
        "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
        "2kr3r/pppq1ppp/2n2n2/2b1p3/4P3/2NP1N2/PPP2PPP/R1BQ1RK1 b - - 30 20",
        "8/8/1p1r1k2/p1pPN1p1/P3KnP1/1P6/8/3R4 b - - 0 1",
    ]
    .iter()
    .map(|fen| Line::new(parse_fen(fen, false).unwrap()))
    .collect()
}

/// All answers in one list of numbers.
pub fn evaluate(source: &dyn EvaluatorSource, capacity: usize) -> Vec<f32> {
    numbers_of(source.create(capacity).unwrap().as_mut(), &lines())
}

/// The same from an evaluator that is there already.
pub fn numbers_of(evaluator: &mut dyn Evaluator, lines: &[Line]) -> Vec<f32> {
    let mut answers = Answers::default();
    let mut numbers = Vec::new();
    for chunk in lines.chunks(evaluator.capacity()) {
        for line in chunk {
            evaluator.push(line.plies(), &line.legal_moves());
        }
        evaluator.run(&mut answers).unwrap();
        assert_eq!(answers.len(), chunk.len());
        for (i, line) in chunk.iter().enumerate() {
            let (value, logits) = answers.get(i);
            assert_eq!(logits.len(), line.legal_moves().len());
            assert!((value.win + value.draw + value.loss - 1.0).abs() < 1e-5);
            numbers.extend([value.win, value.draw, value.loss, value.moves_left.unwrap_or(-1.0)]);
            numbers.extend(logits);
        }
    }
    numbers
}
