//! Whether a record makes sense as chess and as training data.

use super::replay::describe;
use super::{Ply, PolicyTarget, Record, Replay, Score};
use engine::chess::PackedMove;
use shakmaty::{Chess, Position};

/// How far the three parts of a value may be from 1 in sum.
const WDL_TOLERANCE: f32 = 0.01;

/// No teacher's score is larger, in centipawns or in moves to mate.
const SCORE_LIMIT: u32 = 1_000_000;

/// Replays the record and looks at every number; the complaint names the ply.
pub fn validate(record: &Record) -> Result<(), String> {
    if record.plies.is_empty() {
        return Err("no plies".to_string());
    }
    let mut replay = Replay::new(record).map_err(|error| error.to_string())?;
    while let Some(step) = replay.advance().map_err(|error| error.to_string())? {
        check_ply(step.ply, &step.line.last().position)
            .map_err(|reason| format!("ply {}: {reason}", step.index))?;
    }
    Ok(())
}

fn check_ply(ply: &Ply, position: &Chess) -> Result<(), String> {
    if !ply.policy.is_empty() {
        check_policy(&ply.policy, position)?;
    }
    if let Some(wdl) = ply.wdl {
        let sum: f32 = wdl.iter().sum();
        if wdl.iter().any(|part| !(0.0..=1.0).contains(part)) || (sum - 1.0).abs() > WDL_TOLERANCE {
            return Err(format!("wdl {wdl:?} is not three shares of 1"));
        }
    }
    if ply.q.is_some_and(|q| !(-1.0..=1.0).contains(&q)) {
        return Err(format!("q {:?} is not in -1 to 1", ply.q));
    }
    if let Some(Score::Centipawns(score) | Score::Mate(score)) = ply.score
        && score.unsigned_abs() > SCORE_LIMIT
    {
        return Err(format!("score {score} is larger than {SCORE_LIMIT}"));
    }
    if !(ply.weight.is_finite() && ply.weight >= 0.0) {
        return Err(format!("weight {} is not a number from 0 up", ply.weight));
    }
    Ok(())
}

fn check_policy(policy: &[PolicyTarget], position: &Chess) -> Result<(), String> {
    let mut legal: Vec<PackedMove> =
        position.legal_moves().into_iter().map(PackedMove::new).collect();
    for target in policy {
        let name = || describe(target.m);
        let Some(at) = legal.iter().position(|m| *m == target.m) else {
            return Err(format!("policy move {} is not legal, or there twice", name()));
        };
        legal.swap_remove(at);
        if !(target.weight.is_finite() && target.weight >= 0.0) {
            return Err(format!(
                "policy weight {} of {} is not a number from 0 up",
                target.weight,
                name()
            ));
        }
        if target.prior.is_some_and(|prior| !(0.0..=1.0).contains(&prior)) {
            return Err(format!("prior {:?} of {} is not in 0 to 1", target.prior, name()));
        }
        if target.value.is_some_and(|value| !(-1.0..=1.0).contains(&value)) {
            return Err(format!("value {:?} of {} is not in -1 to 1", target.value, name()));
        }
    }
    let sum: f32 = policy.iter().map(|target| target.weight).sum();
    if !(sum.is_finite() && sum > 0.0) {
        return Err(format!("policy weights sum to {sum}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::Outcome;
    use super::super::tests::{game, rich};
    use super::*;

    #[test]
    fn sound_records_pass() {
        assert_eq!(validate(&rich()), Ok(()));
        let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        assert_eq!(validate(&game(castling, "e1g1 e8c8 g1g2 c8b8")), Ok(()));
        let mut chess960 = game("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", "e1b1 e8e7");
        chess960.chess960 = true;
        assert_eq!(validate(&chess960), Ok(()));
        assert_eq!(validate(&Record { result: Outcome::Unknown, ..rich() }), Ok(()));
    }

    #[test]
    fn each_fault_is_named_with_its_ply() {
        let check = |spoil: fn(&mut Record), words: &str| {
            let mut record = rich();
            spoil(&mut record);
            let complaint = validate(&record).unwrap_err();
            assert!(complaint.contains(words), "{complaint}, not {words:?}");
        };
        check(|r| r.plies.clear(), "no plies");
        check(|r| r.start_fen = "hello".to_string(), "start FEN \"hello\" is not a FEN");
        check(|r| r.plies[3].played = r.plies[0].played, "ply 3: e2e4 (code 1804) is not legal");
        // The same move with a bit that no legal move has.
        check(|r| r.plies[0].played = Some(PackedMove(1804 | 1 << 15)), "ply 0: e2e4");
        check(|r| r.plies[2].played = None, "ply 2: no move");
        check(|r| r.plies[0].policy[1].m = PackedMove(0), "ply 0: policy move a1a1");
        check(|r| r.plies[0].policy[1].m = r.plies[0].policy[0].m, "there twice");
        check(|r| r.plies[0].policy[0].weight = -1.0, "policy weight -1");
        check(|r| r.plies[0].policy[0].weight = f32::NAN, "policy weight NaN");
        check(|r| r.plies[0].policy.iter_mut().for_each(|t| t.weight = 0.0), "sum to 0");
        check(|r| r.plies[0].policy[0].prior = Some(1.5), "prior");
        check(|r| r.plies[0].policy[0].value = Some(-1.5), "value");
        check(|r| r.plies[0].wdl = Some([0.5, 0.5, 0.5]), "ply 0: wdl");
        check(|r| r.plies[7].wdl = Some([1.5, -0.5, 0.0]), "ply 7: wdl");
        check(|r| r.plies[0].q = Some(f32::INFINITY), "ply 0: q");
        check(|r| r.plies[1].weight = f32::NAN, "ply 1: weight");
        check(|r| r.plies[1].score = Some(Score::Centipawns(i32::MIN)), "ply 1: score");
    }
}
