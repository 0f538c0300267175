//! The known state of the agent in one terminal, and the reports about it to the board: only words that the board decides by, when they
//! change, and not more often than it can use. Pure; must not send anything.

mod known_wait;
mod past;
mod screen_rest;
mod telling;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, VecDeque};

use known_wait::{KnownWait, SinceTold};
use past::BesideOutput;
use screen_rest::ScreenRest;

use crate::agent_state::{AgentReport, AgentState, Doing, Seen, Source, Wait};
use crate::domain::attempt::ActivityKind;
use crate::domain::event::EndCause;
use crate::domain::{Span, Timestamp};

/// Maximum number of subagents of one agent that are reported to the board, and the longest name in bytes.
const MOST_SUBAGENTS: usize = 64;
const LONGEST_NAME: usize = 120;
/// Maximum time between the last key of a person and the end of a tool that was ended by it.
const TYPED_END: Span = Span::seconds(10);

/// The state of one process of an agent, and the reports about it to the board.
#[derive(Debug)]
pub(super) struct AgentWatch {
    pub(super) state: AgentState,
    told: Option<ActivityKind>,
    /// The wait that was, or will be, reported to the board.
    wait: KnownWait,
    /// Change of the wait since it was reported to the board.
    since_told: SinceTold,
    not_before: Timestamp,
    /// Names of subagents that were seen at work, and those of them not reported to the board yet.
    subagents: BTreeSet<String>,
    untold: Vec<String>,
    /// The entries of the menu on its screen, and those that were reported to the board for the agent's wait.
    menu: Vec<String>,
    told_menu: Vec<String>,
    screen: ScreenRest,
    /// True once the tool has reported that a person ended it.
    is_left: bool,
    /// True while its terminal is still replaying the past, of which only the end is evidence of the present.
    is_past: bool,
    /// Time since which this server watches it.
    began: Timestamp,
    /// Reports and inputs that came meanwhile beside the terminal's output: they are newer than the replayed past, and are taken once more
    /// at its end.
    beside: VecDeque<BesideOutput>,
}

impl AgentWatch {
    /// Creates the watch of a process of which nothing was reported yet, from now on.
    pub(super) fn new(began: Timestamp) -> AgentWatch {
        AgentWatch {
            state: AgentState::new(),
            told: None,
            wait: KnownWait::default(),
            since_told: SinceTold::Waits,
            not_before: Timestamp::default(),
            subagents: BTreeSet::new(),
            untold: Vec::new(),
            menu: Vec::new(),
            told_menu: Vec::new(),
            screen: ScreenRest::default(),
            is_left: false,
            is_past: true,
            began,
            beside: VecDeque::new(),
        }
    }

    /// Takes the report of a source.
    pub(super) fn observe(&mut self, source: Source, at: Timestamp, report: &AgentReport) {
        if source.comes_beside_output() {
            self.remember(None, || BesideOutput::Report(source, report.clone(), at));
        }
        self.is_left |= report.end == Some(EndCause::Left);
        self.take(source, at, report);
    }

    /// Returns true if a person ended the tool: by its own report, or `by_keys` that were typed just before its end.
    pub(super) fn was_left(&self, now: Timestamp, by_keys: bool) -> bool {
        let typed = self.state.last_input().filter(|_| by_keys);
        self.is_left || typed.is_some_and(|at| now.since(at) <= TYPED_END)
    }

    /// Notes that the program was suspended, by Ctrl-Z for example, or continues.
    pub(super) fn suspended(&mut self, is_suspended: bool, now: Timestamp) {
        if is_suspended {
            self.take(Source::ProcessExit, now, &AgentReport::doing(Doing::Suspended));
        } else {
            self.state.forget(Source::ProcessExit);
            self.take(Source::Screen, now, &AgentReport::doing(Doing::WORKING));
            // A dialog that was on the screen before is there again.
            self.screen = ScreenRest::default();
            self.screen_changed(now);
        }
    }

    /// Notes that a person typed a key into the terminal.
    pub(super) fn input(&mut self, now: Timestamp) {
        self.remember(None, || BesideOutput::Input);
        self.wait.answered_at = Some(now);
        self.state.input(now);
    }

    /// Notes that the ask was answered at that time. The agent may have continued since, and ask something else, which is not answered by
    /// that.
    pub(super) fn answered(&mut self, at: Timestamp, now: Timestamp) {
        // An answer of the server before this one is given again, and the screen of that time was only seen now.
        let at = if at < self.began { now } else { at.min(now) };
        let is_later =
            |what: &BesideOutput| matches!(what, BesideOutput::Report(_, _, reported) if *reported > at);
        let place = self.beside.iter().position(is_later);
        self.remember(place, || BesideOutput::Answered);
        if self.wait.since <= at {
            self.wait.answered_at = Some(at);
        }
        self.state.answered(at);
    }

    /// Moves all times with the clock, which was put forward by that many milliseconds, or back: every age stays as it was.
    pub(super) fn move_times(&mut self, by: i64) {
        self.state.move_times(by);
        self.screen.move_times(by);
        let wait = &mut self.wait;
        wait.since = wait.since.moved(by);
        wait.answered_at = wait.answered_at.map(|at| at.moved(by));
        wait.doubted_until = wait.doubted_until.map(|at| at.moved(by));
        self.not_before = self.not_before.moved(by);
        self.began = self.began.moved(by);
        for what in &mut self.beside {
            if let BesideOutput::Report(_, _, at) = what {
                *at = at.moved(by);
            }
        }
    }

    fn take(&mut self, source: Source, at: Timestamp, report: &AgentReport) {
        for observation in report.observations(source, at) {
            self.note_subagents(&observation.seen);
            if let Seen::Doing(doing) = &observation.seen {
                self.note_wait(source, doing, at);
            }
            self.state.observe(observation);
        }
        self.look(at);
    }

    /// Remembers the names of subagents, up to the maximum.
    fn note_subagents(&mut self, seen: &Seen) {
        let names: Vec<&String> = match seen {
            Seen::Child { name, .. } => vec![name],
            Seen::Children(listed) => listed.iter().map(|(_, name)| name).collect(),
            _ => return,
        };
        for name in names {
            let is_usable = !name.is_empty() && name.len() <= LONGEST_NAME;
            if is_usable && self.subagents.len() < MOST_SUBAGENTS && self.subagents.insert(name.clone()) {
                self.untold.push(name.clone());
            }
        }
    }

    /// Takes the subagents seen at work that were not reported to the board yet. Those in the replayed past count, too: they were seen.
    pub(super) fn take_subagents(&mut self) -> Vec<String> {
        std::mem::take(&mut self.untold)
    }

    /// Notes the entries that the screen shows while the agent waits, or none.
    pub(super) fn observe_menu(&mut self, options: Vec<String>) {
        self.menu = options;
    }

    /// Returns true while entries are known that its screen shows.
    pub(super) fn has_menu(&self) -> bool {
        !self.menu.is_empty()
    }

    /// Takes the entries of the menu to be reported to the board, once the wait was reported.
    pub(super) fn take_menu(&mut self) -> Option<Vec<String>> {
        self.has_menu_to_tell().then(|| {
            self.told_menu.clone_from(&self.menu);
            self.menu.clone()
        })
    }

    fn has_menu_to_tell(&self) -> bool {
        let waits = matches!(
            self.told,
            Some(ActivityKind::Dialog(_) | ActivityKind::Question(_))
        );
        waits && !self.is_past && self.menu != self.told_menu
    }

    /// Returns the wait that the agent is known to be in, if that is more than presumed.
    pub(super) fn wait(&self, now: Timestamp) -> Option<Wait> {
        let concluded = self.state.conclude(now);
        match concluded.doing {
            Doing::Blocked(wait) if !concluded.is_presumed => Some(wait),
            _ => None,
        }
    }
}
