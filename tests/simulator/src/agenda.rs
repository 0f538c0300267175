//! Future events in order of time. Reports that the engine has not heard yet are lost when it dies, except signals that agents left in
//! their inbox.

use std::collections::BTreeMap;

use dbs_domain::attempt::ActivityKind;
use dbs_domain::{AttemptId, Event, SignalKind, Span, Timestamp};

/// Future event.
#[derive(Debug, Clone)]
pub(super) enum Item {
    /// Report that the engine hears.
    Report(Box<Event>),
    /// Act of an agent.
    Agent(AttemptId, Act),
}

/// Acts of agents.
#[derive(Debug, Clone)]
pub(super) enum Act {
    /// Commits on the task's branch.
    Commit,
    /// Changes files it may only read.
    Cheat,
    /// Leaves a comment and a report.
    Write,
    /// Sends a signal the given number of times with the same key.
    Say(SignalKind, u64),
    /// Has its tool ask something and wait for the reply before anything else.
    Ask,
    /// Has its ask answered in its terminal.
    TakeBack,
    /// Shows an activity in its terminal.
    Show(ActivityKind),
    /// Ends its process.
    End(i32),
}

/// Queue of future events.
#[derive(Debug, Clone, Default)]
pub(super) struct Agenda {
    items: BTreeMap<(Timestamp, u64), Item>,
    n: u64,
}

impl Agenda {
    pub(super) fn add(&mut self, at: Timestamp, item: Item) {
        self.n += 1;
        self.items.insert((at, self.n), item);
    }

    pub(super) fn report(&mut self, now: Timestamp, after: u64, event: Event) {
        self.add(now + Span(after), Item::Report(Box::new(event)));
    }

    pub(super) fn next_at(&self) -> Option<Timestamp> {
        self.items.keys().next().map(|(at, _)| *at)
    }

    pub(super) fn next(&mut self) -> Option<(Timestamp, Item)> {
        let ((at, _), item) = self.items.pop_first()?;
        Some((at, item))
    }

    /// Drops reports on their way because the engine died; signals wait in the inbox, and agents go on.
    pub(super) fn lose_reports(&mut self) {
        self.items.retain(
            |_, item| !matches!(item, Item::Report(event) if !matches!(**event, Event::Signalled { .. })),
        );
    }

    /// Drops everything that an agent had planned.
    pub(super) fn forget_agent(&mut self, id: AttemptId) {
        self.items
            .retain(|_, item| !matches!(item, Item::Agent(other, _) if *other == id));
    }

    /// Removes and returns the plan of an agent, each act with its delay from now; nothing of it happens unless it is added again.
    pub(super) fn take_plan(&mut self, now: Timestamp, id: AttemptId) -> Vec<(u64, Act)> {
        let own = self.items.iter().filter_map(|((at, _), item)| match item {
            Item::Agent(other, act) if *other == id => Some((at.since(now).0, act.clone())),
            _ => None,
        });
        let plan = own.collect();
        self.forget_agent(id);
        plan
    }
}
