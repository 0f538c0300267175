//! A run as a caller watches it that waits for its end: the facts of it, and when nothing more happens without a person. Pure.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::domain::{
    AttemptId, AttemptState, PauseReason, RunState, Span, TaskId, TaskState, Timestamp, WaitReason,
};
use crate::read_model::AttentionRow;

/// Facts from the report on the whole board, as far as they are needed here.
#[derive(Debug, Deserialize)]
pub struct BoardFacts {
    pub pause: Option<PauseReason>,
}

/// Facts from the report on a run, as far as they are needed here.
#[derive(Debug, Deserialize)]
pub struct RunFacts {
    pub run: BatchFacts,
    pub tasks: Vec<PhaseFacts>,
}

/// Facts of its batch.
#[derive(Debug, Deserialize)]
pub struct BatchFacts {
    pub state: RunState,
}

/// Facts of a phase of it.
#[derive(Debug, Deserialize)]
pub struct PhaseFacts {
    pub id: TaskId,
    pub state: TaskState,
    pub why_not: Option<WaitReason>,
    pub attempts: Vec<AttemptFacts>,
}

/// Facts of an attempt at a phase.
#[derive(Debug, Deserialize)]
pub struct AttemptFacts {
    pub attempt: AttemptId,
    pub state: AttemptState,
}

/// Minimum age of an agent's question before it counts as waiting for a person.
const SHORTEST_ASK: Span = Span::seconds(3);

/// Facts beside those of the run that decide whether it goes on. Only those that [`RunFacts`] asks for have to be known.
#[derive(Debug, Default)]
pub struct BesideRun {
    /// Rows of what needs a person.
    pub attention: Vec<AttentionRow>,
    pub pause: Option<PauseReason>,
}

/// State of a run for a caller that waits for its end.
#[derive(Debug, PartialEq, Eq)]
pub enum RunStep {
    /// Something may happen without a person.
    GoesOn,
    /// The run is over, or waits for a person.
    Still,
    /// The run waits for the end of a pause by that person.
    PausedBy(String),
}

/// Watch over a run. What it remembers decides nothing but the age of questions.
#[derive(Debug, Default)]
pub struct RunWatch {
    /// True if a phase that waits for a yes ends the waiting, although others continue.
    pub stops_for_approval: bool,
    /// Time since which every agent at work has asked something, as it was last seen.
    all_ask_since: Option<Timestamp>,
}

impl RunWatch {
    /// Returns true if time alone may end the run: nothing changes while a question gets old.
    pub fn is_timed(&self) -> bool {
        self.all_ask_since.is_some()
    }

    /// Judges the run anew.
    pub fn step(&mut self, facts: &RunFacts, beside: &BesideRun, now: Timestamp) -> RunStep {
        self.all_ask_since = None;
        let is_asked = facts.tasks.iter().any(|task| task.state.awaits_approval());
        if facts.run.state.is_final() || (self.stops_for_approval && is_asked) {
            return RunStep::Still;
        }
        if facts.is_worked_on() {
            self.all_ask_since = all_ask_since(facts.open_attempts(), &beside.attention);
            // A question that the settings answer may be visible for a moment, and is not a reason to end.
            let is_old = |last: Timestamp| now.apart(last) >= SHORTEST_ASK;
            return if self.all_ask_since.is_some_and(is_old) {
                RunStep::Still
            } else {
                RunStep::GoesOn
            };
        }
        match &beside.pause {
            _ if facts.waits(&WaitReason::Untrusted) => RunStep::Still,
            // A pause for a usage limit ends by itself.
            Some(PauseReason::Operator { by, .. }) if facts.is_paused() => RunStep::PausedBy(by.clone()),
            _ => RunStep::GoesOn,
        }
    }
}

impl RunFacts {
    /// Returns true if a task of the run waits for that reason.
    pub fn waits(&self, why: &WaitReason) -> bool {
        self.tasks.iter().any(|task| task.why_not.as_ref() == Some(why))
    }

    /// Returns true if a task waits because the board is paused; then [`BesideRun::pause`] has to be known.
    pub fn is_paused(&self) -> bool {
        self.waits(&WaitReason::Paused)
    }

    /// Returns true if an attempt is open; then [`BesideRun::attention`] has to be known.
    pub fn is_worked_on(&self) -> bool {
        self.open_attempts().next().is_some()
    }

    fn open_attempts(&self) -> impl Iterator<Item = &AttemptFacts> {
        let attempts = self.tasks.iter().flat_map(|task| &task.attempts);
        attempts.filter(|attempt| attempt.state.is_open())
    }

    /// Returns the exit code of a caller that waited for the run (3.11); `unready` if nothing starts before a person trusts it.
    pub fn exit_code(&self, unready: u8) -> u8 {
        let failed = |task: &PhaseFacts| matches!(task.state, TaskState::Failed(_));
        match &self.run.state {
            RunState::Stalled if self.tasks.iter().any(failed) => RunState::CompletedWithFailures.exit_code(),
            state if state.is_final() => state.exit_code(),
            _ if self.waits(&WaitReason::Untrusted) => unready,
            // It is paused, or only agents that wait for an answer are at work.
            _ => RunState::Stalled.exit_code(),
        }
    }
}

/// Returns the time since which all of these attempts have asked something; `None` while one of them asks nothing.
fn all_ask_since<'a>(
    mut open: impl Iterator<Item = &'a AttemptFacts>,
    rows: &[AttentionRow],
) -> Option<Timestamp> {
    let asking = rows.iter().filter(|row| row.item.kind.is_agents());
    let mut first: BTreeMap<AttemptId, Timestamp> = BTreeMap::new();
    for (attempt, since) in asking.filter_map(|row| Some((row.item.attempt?, row.item.since))) {
        let known = first.entry(attempt).or_insert(since);
        *known = since.min(*known);
    }
    open.try_fold(Timestamp::default(), |last, attempt| {
        Some(last.max(*first.get(&attempt.attempt)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::HoldReason;

    fn facts(run: RunState, state: TaskState, why_not: Option<WaitReason>) -> RunFacts {
        RunFacts {
            run: BatchFacts { state: run },
            tasks: vec![PhaseFacts {
                id: "export-1".into(),
                state,
                why_not,
                attempts: Vec::new(),
            }],
        }
    }

    #[test]
    fn a_run_is_still_when_only_a_person_lets_it_go_on() {
        let step =
            |found: &RunFacts, beside: &BesideRun| RunWatch::default().step(found, beside, Timestamp(9));
        let none = BesideRun::default();
        let paused = BesideRun {
            pause: Some(PauseReason::Operator {
                by: "ada".to_owned(),
                at: Timestamp(1),
            }),
            ..BesideRun::default()
        };
        let waits = |why| facts(RunState::Running, TaskState::Released, Some(why));
        assert_eq!(
            step(&facts(RunState::Running, TaskState::Active, None), &none),
            RunStep::GoesOn
        );
        assert_eq!(step(&waits(WaitReason::Untrusted), &none), RunStep::Still);
        assert_eq!(
            step(&waits(WaitReason::Paused), &paused),
            RunStep::PausedBy("ada".to_owned())
        );
        let over = facts(RunState::Stalled, TaskState::Failed("gates".into()), None);
        assert_eq!((step(&over, &none), over.exit_code(4)), (RunStep::Still, 1));
        let asked = facts(RunState::Running, TaskState::Held(HoldReason::Approval), None);
        assert_eq!(step(&asked, &none), RunStep::GoesOn);
        let mut watch = RunWatch {
            stops_for_approval: true,
            ..RunWatch::default()
        };
        assert_eq!(watch.step(&asked, &none, Timestamp(9)), RunStep::Still);
    }
}
