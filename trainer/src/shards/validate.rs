//! Whether a record makes sense as chess and as training data.

use super::replay::describe;
use super::{Ply, PolicyTarget, Record, Replay};
use engine::chess::PackedMove;
use shakmaty::{Chess, Position};

/// How far the three parts of a value may be from 1 in sum.
const WDL_TOLERANCE: f32 = 0.01;

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
