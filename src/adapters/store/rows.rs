//! Rows of a turn, made before the transaction begins: a value that cannot be written as JSON fails before anything is touched.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::{
    Attempt, AttemptId, Batch, Board, Effect, Notice, PauseReason, Task, TaskId, UsageLimit,
};
use crate::formats::tag::tag_and_content;
use crate::ports::store::Turn;

/// A value to be stored, with its state column and its JSON text.
pub(super) struct StoredRow<'a, T> {
    pub(super) value: &'a T,
    pub(super) word: String,
    pub(super) doc: String,
}

/// A number as `SQLite` keeps it.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// All database rows that one turn writes.
pub(super) struct TurnRows<'a> {
    pub(super) kind: String,
    pub(super) event: String,
    pub(super) attempt: Option<AttemptId>,
    pub(super) task: Option<TaskId>,
    /// All tasks it names, changes or has a notice about.
    pub(super) mentions: BTreeSet<TaskId>,
    pub(super) notices: Vec<StoredRow<'a, Notice>>,
    pub(super) batches: Vec<StoredRow<'a, Batch>>,
    pub(super) tasks: Vec<StoredRow<'a, Task>>,
    /// Changed attempts; those that are over come first, so that a task never has two open ones in between.
    pub(super) attempts: Vec<StoredRow<'a, Attempt>>,
    /// Keys of effects that were answered or have become void; one that ends in `/` means all that begin with it.
    pub(super) completed: Vec<String>,
    /// Keys of effects that should follow, with the effects as JSON.
    pub(super) intents: Vec<(String, String)>,
    pub(super) pause: Option<String>,
}

impl<'a> TurnRows<'a> {
    pub(super) fn of(turn: &Turn<'a>) -> serde_json::Result<TurnRows<'a>> {
        let (board, touched) = (turn.board, turn.changed);
        let attempt = turn.event.attempt();
        let notices = turn.effects.iter().filter_map(Effect::notice);
        let batches = touched.batches.iter().filter_map(|id| board.batches.get(id));
        let tasks = touched.tasks.iter().filter_map(|id| board.tasks.get(id));
        let attempts = touched.attempts.iter().filter_map(|id| board.attempts.get(id));
        let mut attempts: Vec<&Attempt> = attempts.map(Arc::as_ref).collect();
        attempts.sort_by_key(|attempt| attempt.state.is_open());
        Ok(TurnRows {
            kind: tag(turn.event)?,
            event: serde_json::to_string(turn.event)?,
            attempt,
            task: subject(turn),
            mentions: mentions(turn),
            notices: rows(notices, |notice| tag(&notice.level))?,
            batches: rows(batches.map(Arc::as_ref), |batch| tag(&batch.run))?,
            tasks: rows(tasks.map(Arc::as_ref), |task| Ok(task.state.word().to_owned()))?,
            attempts: rows(attempts.into_iter(), |attempt| tag(&attempt.state))?,
            completed: completed(turn),
            intents: intents(turn.effects)?,
            pause: StoredPauses::of(board)
                .as_ref()
                .map(serde_json::to_string)
                .transpose()?,
        })
    }
}

/// Everything that pauses work, as one column holds it. Earlier versions wrote a pause alone, and so does this one where there is nothing else.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum StoredPauses {
    WithLimits {
        pause: Option<PauseReason>,
        limits: BTreeMap<String, UsageLimit>,
    },
    Pause(PauseReason),
}

impl StoredPauses {
    fn of(board: &Board) -> Option<StoredPauses> {
        let pause = board.pause.clone();
        if board.limits.is_empty() {
            return pause.map(StoredPauses::Pause);
        }
        let limits = board.limits.clone();
        Some(StoredPauses::WithLimits { pause, limits })
    }

    /// Gives a board what it was read from.
    pub(super) fn restore(self, board: &mut Board) {
        match self {
            StoredPauses::WithLimits { pause, limits } => (board.pause, board.limits) = (pause, limits),
            StoredPauses::Pause(pause) => board.pause = Some(pause),
        }
    }
}

fn rows<'a, T: Serialize>(
    values: impl Iterator<Item = &'a T>,
    word: impl Fn(&T) -> serde_json::Result<String>,
) -> serde_json::Result<Vec<StoredRow<'a, T>>> {
    values
        .map(|value| {
            Ok(StoredRow {
                value,
                word: word(value)?,
                doc: serde_json::to_string(value)?,
            })
        })
        .collect()
}

fn tag<T: Serialize>(value: &T) -> serde_json::Result<String> {
    Ok(tag_and_content(value)?.0)
}

fn subject(turn: &Turn<'_>) -> Option<TaskId> {
    let attempt = turn.event.attempt().and_then(|id| turn.board.attempts.get(&id));
    match attempt {
        Some(attempt) => Some(attempt.task.clone()),
        None => turn.event.tasks().into_iter().next(),
    }
}

fn mentions(turn: &Turn<'_>) -> BTreeSet<TaskId> {
    let noticed = turn.effects.iter().filter_map(Effect::notice);
    let noticed = noticed.filter_map(|notice| notice.task.clone());
    let worked = turn.changed.attempts.iter();
    let worked = worked.filter_map(|id| turn.board.attempts.get(id).map(|attempt| attempt.task.clone()));
    let mut all = turn.changed.tasks.clone();
    all.extend(subject(turn));
    all.extend(turn.event.tasks());
    all.extend(noticed);
    all.extend(worked);
    all
}

/// Returns the keys of the effects that the event answers, and of those that make no sense any more: no start, act or verification for an
/// attempt that is over, and nothing at all for one that has left the board.
fn completed(turn: &Turn<'_>) -> Vec<String> {
    let mut keys = turn.event.completes();
    for id in &turn.changed.attempts {
        let attempt = turn.board.attempts.get(id);
        if attempt.is_none_or(|attempt| !attempt.state.is_open()) {
            keys.extend([
                format!("start/{id}"),
                format!("act/{id}"),
                format!("verify/{id}/"),
            ]);
        }
        if attempt.is_none() {
            keys.extend([format!("stop/{id}"), format!("settle/{id}")]);
        }
    }
    keys
}

fn intents(effects: &[Effect]) -> serde_json::Result<Vec<(String, String)>> {
    let keyed = effects.iter().filter_map(|effect| Some((effect.key()?, effect)));
    keyed
        .map(|(key, effect)| Ok((key, serde_json::to_string(effect)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Timestamp;

    fn restored(doc: &str) -> Board {
        let mut board = Board::default();
        serde_json::from_str::<StoredPauses>(doc)
            .unwrap()
            .restore(&mut board);
        board
    }

    #[test]
    fn a_pause_of_an_earlier_version_is_read_and_a_limit_is_kept_beside_it() {
        let earlier = restored(r#"{"quota":{"until":7,"why":"limit"}}"#);
        let (until, why) = (Timestamp(7), "limit".to_owned());
        assert_eq!(
            earlier.pause,
            Some(PauseReason::Quota {
                until,
                why: why.clone()
            })
        );
        let doc = serde_json::to_string(&StoredPauses::of(&earlier)).unwrap();
        assert_eq!(doc, r#"{"quota":{"until":7,"why":"limit"}}"#, "as before");
        for pause in [None, earlier.pause] {
            let mut board = Board::default();
            board.pause = pause;
            board.limits.insert(
                "claude".to_owned(),
                UsageLimit {
                    until,
                    why: why.clone(),
                },
            );
            let doc = serde_json::to_string(&StoredPauses::of(&board)).unwrap();
            assert_eq!(restored(&doc), board);
        }
    }
}
