//! Latest report of each source of one agent, and the times at which a person last typed or answered. The conclusions from them are drawn
//! in the file beside this one.

use std::collections::BTreeMap;

use super::child::{Child, Children};
use super::doing::{Doing, Wait};
use super::observation::{Observation, Seen, Source};
use crate::domain::Timestamp;

/// Reports of one process of an agent. Their size does not grow with the number of reports.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentState {
    pub(super) latest: BTreeMap<Source, Latest>,
    children: Children,
    /// Time of the last key that a person typed into its terminal.
    input: Option<Timestamp>,
    /// Time of the last answer that was given through its request or keys.
    answered: Option<Timestamp>,
    /// True if that answer was typed into its terminal, and only its own report shows that it was taken.
    pub(super) is_answer_typed: bool,
    /// Number of answers until then: in the same moment one may be given and the next thing be asked.
    n_answers: u64,
}

/// The latest report of one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Latest {
    pub(super) at: Timestamp,
    /// Time since when the source has reported the same without a break.
    pub(super) since: Timestamp,
    /// Activity reported; `None` if the source took it back.
    pub(super) doing: Option<Doing>,
    /// Time at which the source itself reported the end of its wait.
    pub(super) over: Option<Timestamp>,
    /// Number of answers that were known at the time of that report.
    n_answers: u64,
}

impl AgentState {
    /// Creates the state of an agent without any report.
    pub fn new() -> AgentState {
        AgentState::default()
    }

    /// Takes an observation. One that is older than the latest of the same source changes nothing.
    pub fn observe(&mut self, observation: Observation) {
        let Observation { source, at, seen } = observation;
        match seen {
            Seen::Doing(doing) => self.take(source, at, Some(doing)),
            Seen::Child { id, name } => self.children.take(source, at, &id, Some(name)),
            Seen::ChildGone { id } => self.children.take(source, at, &id, None),
            Seen::Children(listed) => self.children.only(source, at, listed),
            Seen::WaitOver { child } => self.wait_over(source, at, child.as_deref()),
            Seen::Withdrawn => {
                self.children.only(source, at, Vec::new());
                self.take(source, at, None);
            }
        }
    }

    /// Returns true if no source that ranks above the title and the screen has reported anything.
    pub fn is_unheard(&self) -> bool {
        self.latest.keys().all(|source| *source >= Source::Title)
    }

    /// Returns the time of the last key that a person typed.
    pub fn last_input(&self) -> Option<Timestamp> {
        self.input
    }

    /// Returns the last report of a source.
    pub fn latest(&self, source: Source) -> Option<&Doing> {
        self.latest.get(&source)?.doing.as_ref()
    }

    /// Forgets the activity that a source reported.
    pub fn forget(&mut self, source: Source) {
        self.latest.remove(&source);
    }

    /// A person typed a key into the agent's terminal: a wait that its source would not take back is over.
    pub fn input(&mut self, now: Timestamp) {
        self.input = self.input.max(Some(now));
    }

    /// The agent's open ask was answered at that time: every wait that was seen until then is over.
    pub fn answered(&mut self, at: Timestamp) {
        if self.answered.is_none_or(|latest| at >= latest) {
            self.answered = Some(at);
            self.is_answer_typed = false;
            self.n_answers += 1;
        }
    }

    /// Notes that the last answer was typed into the terminal.
    pub fn note_typed(&mut self) {
        self.is_answer_typed = true;
    }

    /// Moves all times by that number of milliseconds, because the clock was put forward or back: everything keeps its age. The end of a
    /// limit stays; it comes from another clock.
    pub fn move_times(&mut self, by: i64) {
        for latest in self.latest.values_mut() {
            (latest.at, latest.since) = (latest.at.moved(by), latest.since.moved(by));
            latest.over = latest.over.map(|at| at.moved(by));
        }
        self.children.move_times(by);
        self.input = self.input.map(|at| at.moved(by));
        self.answered = self.answered.map(|at| at.moved(by));
    }

    /// Subagents and background commands that run.
    pub fn children(&self) -> Vec<Child> {
        self.children.running()
    }

    /// Returns the text of the last request of the tool, if it was not answered here.
    pub(super) fn unanswered_request(&self) -> Option<String> {
        let latest = self.latest.get(&Source::Hook)?;
        let Some(Doing::Blocked(wait)) = &latest.doing else {
            return None;
        };
        let is_answered = self.answered.is_some_and(|at| at >= latest.at);
        (!is_answered).then(|| wait.text.clone())
    }

    /// Returns the time at which the wait that a source reported ended, if it is a wait and has ended.
    pub(super) fn end_of_wait(&self, source: Source, latest: &Latest) -> Option<Timestamp> {
        let Some(Doing::Blocked(wait)) = &latest.doing else {
            return None;
        };
        let input = self.input.filter(|_| source.is_sticky() && !wait.is_taken_back);
        let is_after_answer = self.answered == Some(latest.at) && self.n_answers == latest.n_answers;
        let answered = self.answered.filter(|_| !is_after_answer);
        let ends = [latest.over, input, answered];
        ends.into_iter().flatten().filter(|end| *end >= latest.at).max()
    }

    fn take(&mut self, source: Source, at: Timestamp, doing: Option<Doing>) {
        let Some(before) = self.latest.get(&source) else {
            self.latest.insert(source, Latest::new(at, self.n_answers, doing));
            return;
        };
        if at < before.at {
            return;
        }
        let mut next = Latest::new(at, self.n_answers, doing);
        if self.end_of_wait(source, before).is_none() {
            next.go_on_from(before);
        }
        self.latest.insert(source, next);
    }

    fn wait_over(&mut self, source: Source, at: Timestamp, child: Option<&str>) {
        let Some(latest) = self.latest.get_mut(&source) else {
            return;
        };
        if let Some(Doing::Blocked(wait)) = &latest.doing
            && wait.child.as_deref() == child
            && at >= latest.at
        {
            latest.over = latest.over.max(Some(at));
        }
    }
}

impl Latest {
    fn new(at: Timestamp, n_answers: u64, doing: Option<Doing>) -> Latest {
        Latest {
            at,
            since: at,
            doing,
            over: None,
            n_answers,
        }
    }

    /// Keeps the beginning of the present activity, the text of a wait that is only mentioned again, and the end of a turn when the source
    /// then reports only that the agent is idle.
    fn go_on_from(&mut self, before: &Latest) {
        let (Some(now), Some(then)) = (&mut self.doing, &before.doing) else {
            return;
        };
        if let (Doing::Blocked(now), Doing::Blocked(then)) = (&mut *now, then)
            && now.text.is_empty()
        {
            now.clone_from(then);
        }
        if *now == Doing::Idle && then.is_end_of_turn() {
            now.clone_from(then);
        }
        if is_same(now, then) {
            self.since = before.since;
        }
    }
}

/// Returns true if two reports say the same except for details of the work.
fn is_same(one: &Doing, other: &Doing) -> bool {
    match (one, other) {
        (Doing::Working(_), Doing::Working(_)) | (Doing::Background(_), Doing::Background(_)) => true,
        (Doing::Blocked(Wait { text, .. }), Doing::Blocked(then)) => *text == then.text,
        (one, other) => one == other,
    }
}
