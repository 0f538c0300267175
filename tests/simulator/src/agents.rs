//! Agents driven by dice: what each does from its start to its end.

use dbs_domain::attempt::ActivityKind;
use dbs_domain::workflow::{FileAccess, RejectTo};
use dbs_domain::{Attempt, Board, SignalKind};

use super::agenda::Act;
use super::dice::Dice;
use super::faults::Faults;

/// Returns the plan of an agent: its acts, each with milliseconds after its start. An agent whose plan has no end hangs.
pub(super) fn plan(board: &Board, attempt: &Attempt, faults: &Faults, dice: &mut Dice) -> Vec<(u64, Act)> {
    let Some(stage) = board.stage_of_attempt(attempt) else {
        return vec![(1, Act::End(1))];
    };
    let mut at = 0;
    let mut plan = Vec::new();
    let mut then = |dice: &mut Dice, act: Act| {
        at += dice.between(1, 5_000);
        plan.push((at, act));
    };
    then(dice, Act::Say(SignalKind::Claim, 1));
    if dice.percent(30) {
        then(dice, Act::Say(SignalKind::Progress, 1));
    }
    if dice.percent(faults.babble) {
        let wrong = [
            SignalKind::Reject,
            SignalKind::Question,
            SignalKind::Done,
            SignalKind::Progress,
        ];
        let kind = dice.pick(&wrong).copied().unwrap_or(SignalKind::Question);
        then(dice, Act::Say(kind, dice_times(kind)));
    }
    if dice.percent(faults.asks) {
        then(dice, Act::Ask);
        if dice.percent(faults.replies) {
            then(dice, Act::TakeBack);
        }
    }
    if dice.percent(faults.asks) {
        let act = Act::Show(shown(dice));
        then(dice, act);
    }
    if attempt.mode.access(stage) == FileAccess::Write {
        if !dice.percent(faults.empty) {
            then(dice, Act::Commit);
        }
    } else if dice.percent(faults.cheat) {
        then(dice, Act::Cheat);
    }
    if !dice.percent(faults.empty) {
        then(dice, Act::Write);
    }
    if !dice.percent(faults.crash) {
        let may_reject = stage.reject != RejectTo::Never;
        let word = last_word(may_reject, faults, dice);
        let times = 1 + u64::from(dice.percent(faults.babble));
        then(dice, Act::Say(word, times));
    }
    if !dice.percent(faults.hang) {
        let code = i32::from(dice.percent(20));
        then(dice, Act::End(code));
    }
    if dice.percent(faults.babble) {
        then(dice, Act::Say(SignalKind::Block, 1));
    }
    plan
}

/// Returns an activity that a terminal shows.
fn shown(dice: &mut Dice) -> ActivityKind {
    let text = format!("shown {}", dice.between(0, 1));
    match dice.between(0, 5) {
        0 => ActivityKind::Permission(text),
        1 => ActivityKind::Question(text),
        2 => ActivityKind::Dialog(text),
        3 => ActivityKind::Idle,
        4 => ActivityKind::Failed(text),
        _ => ActivityKind::Working,
    }
}

fn dice_times(kind: SignalKind) -> u64 {
    if kind == SignalKind::Progress { 3 } else { 1 }
}

fn last_word(may_reject: bool, faults: &Faults, dice: &mut Dice) -> SignalKind {
    if !dice.percent(faults.refuse) {
        return SignalKind::Done;
    }
    let words = [
        SignalKind::Reject,
        SignalKind::Reject,
        SignalKind::Block,
        SignalKind::Fail,
    ];
    let word = dice.pick(&words).copied().unwrap_or(SignalKind::Block);
    if word == SignalKind::Reject && !may_reject {
        SignalKind::Fail
    } else {
        word
    }
}
