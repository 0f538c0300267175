//! Shared state of the readers of all terminals: access to programs and events, the receivers of output, and the order to end.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::adapters::holder::LocalHolders;
use crate::domain::event::EndCause;
use crate::domain::{AttemptId, ProcessExit};
use crate::engine::inbox::Inbox;
use crate::ports::holders::PaneSize;
use crate::server::terminals::hub::agents::AgentStates;
use crate::server::terminals::hub::pane::LiveTerminal;
use crate::server::terminals::hub::recent_calls::RecentCalls;
use crate::server::terminals::hub::terminal_agents::TerminalAgents;
use crate::server::terminals::sizes::ResizeAction;
use crate::term::Size;

/// Pause before a holder that does not answer is asked again.
const AGAIN_AFTER: Duration = Duration::from_millis(500);
/// Counters of terminal output and of terminals that came, went or were resized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TerminalChanges {
    pub output: u64,
    /// Terminals that came, went or got another size.
    pub terminals: u64,
}

/// Shared state of the readers of all terminals.
pub(super) struct Readers {
    /// The adapter itself and not its port: a terminal is read over a holder's own connection, with its acknowledgements, its log and
    /// its sizes. The port has nothing of that, and a trait that had all of it would have this one implementation.
    pub(super) holders: Arc<LocalHolders>,
    pub(super) inbox: Inbox,
    /// States of the agents in the terminals.
    pub(super) agents: AgentStates,
    pub(super) facts: Box<dyn TerminalAgents>,
    /// Changes with watched output, and with every terminal that came, went or got another size.
    pub(super) changed: watch::Sender<TerminalChanges>,
    /// The last calls of programs for the person.
    pub(super) calls: Mutex<RecentCalls>,
    closing: (Mutex<bool>, Condvar),
}

impl Readers {
    pub(super) fn new(holders: Arc<LocalHolders>, inbox: Inbox, facts: Box<dyn TerminalAgents>) -> Readers {
        Readers {
            holders,
            inbox,
            agents: AgentStates::default(),
            facts,
            changed: watch::Sender::default(),
            calls: Mutex::default(),
            closing: (Mutex::new(false), Condvar::new()),
        }
    }

    pub(super) fn close(&self) {
        *self.closing.0.lock() = true;
        self.closing.1.notify_all();
        self.agents.close();
    }

    /// Returns the cause of the end of an agent's program, if it is known.
    pub(super) fn end_cause(&self, attempt: AttemptId, exit: &ProcessExit, tail: &str) -> Option<EndCause> {
        let is_regular = *exit == ProcessExit::Code(0);
        if is_regular && self.agents.was_left(attempt, self.facts.keeps_sessions(attempt)) {
            return Some(EndCause::Left);
        }
        self.facts.end_cause(attempt, tail)
    }

    /// Notes that a terminal shows the present, and its size is known: now it gets the requested one.
    pub(super) fn found(&self, pane: &LiveTerminal, size: PaneSize) {
        pane.caught_up.store(true, Ordering::Release);
        let turn = pane.size.lock().confirm(size, Instant::now());
        match turn {
            ResizeAction::Now(size) => self.change(pane, size),
            ResizeAction::None | ResizeAction::At(_) => self.terminals_changed(),
        }
    }

    /// Gives a terminal that size at once.
    pub(super) fn change(&self, pane: &LiveTerminal, size: PaneSize) {
        let events = pane.terminal.lock().resize(Size::new(size.cols, size.rows));
        if let Some(requests) = pane.requests.lock().clone() {
            // A holder that is gone is noticed by its reader.
            drop(requests.resize(size));
        }
        pane.reply(events);
        self.terminals_changed();
    }

    pub(super) fn wrote(&self, pane: &LiveTerminal) {
        pane.shown.fetch_add(1, Ordering::AcqRel);
        if pane.is_watched() {
            pane.wrote.send_replace(());
            self.changed.send_modify(|changes| changes.output += 1);
        }
    }

    /// Notes that a terminal came, went, or got another size.
    pub(super) fn terminals_changed(&self) {
        self.changed.send_modify(|changes| changes.terminals += 1);
    }

    pub(super) fn is_closing(&self) -> bool {
        *self.closing.0.lock()
    }

    /// Waits before the next try; returns `false` when readers have to end.
    pub(super) fn pause(&self) -> bool {
        let mut closing = self.closing.0.lock();
        if !*closing {
            self.closing.1.wait_for(&mut closing, AGAIN_AFTER);
        }
        !*closing
    }
}
