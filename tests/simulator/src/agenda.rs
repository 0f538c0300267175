//! What is going to happen, in order of time. What the engine has not heard of yet is lost when it dies, except what agents
//! left in their inbox.

use std::collections::BTreeMap;

use dbs_domain::attempt::ActivityKind;
use dbs_domain::{AttemptId, Event, SignalKind, Span, Timestamp};

/// One thing that is going to happen.
#[derive(Debug, Clone)]
pub(super) enum Item {
    /// The engine hears of it.
    Report(Box<Event>),
    /// An agent does something.
    Agent(AttemptId, Act),
}

/// What agents do.
#[derive(Debug, Clone)]
pub(super) enum Act {
    /// Commits on the task's branch.
    Commit,
    /// Changes files it may only read.
    Cheat,
    /// Leaves a comment and a report.
    Write,
    /// Sends a signal, so many times with the same key.
    Say(SignalKind, u64),
    /// Its tool asks something and waits for the reply before anything else.
    Ask,
    /// What it asks is answered in its terminal.
    TakeBack,
    /// It is seen doing something.
    Show(ActivityKind),
    /// Its process ends.
    End(i32),
}

/// The future.
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

    /// The engine died: reports on their way are lost; signals wait in the inbox, and agents go on.
    pub(super) fn lose_reports(&mut self) {
        self.items.retain(
            |_, item| !matches!(item, Item::Report(event) if !matches!(**event, Event::Signalled { .. })),
        );
    }

    /// Nothing an agent had planned happens any more.
    pub(super) fn forget_agent(&mut self, id: AttemptId) {
        self.items
            .retain(|_, item| !matches!(item, Item::Agent(other, _) if *other == id));
    }

    /// What an agent has planned, each with how long after now; nothing of it happens unless it is added again.
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
