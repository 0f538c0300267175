//! The engine's own loop, on one plain thread: wait for an event or the deadline, take a turn, hand on what follows. It
//! waits for nothing else, so full queues cannot close a ring.

use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use tokio::sync::watch;

use super::inbox::{Answer, Next, Outlet};
use super::journal::Journal;
use super::turn::{Ledger, Taken};
use crate::domain::{Board, Effect, Event, Span, Timestamp};
use crate::ports::clock::Clock;
use crate::ports::store::StoreError;
use crate::read_model::ReadModel;

/// Longest time without a turn, so that a deadline missed by a clock that jumped is caught.
const LONGEST_WAIT: Span = Span(30_000);
/// Shortest time between two published pictures while events wait; a person cannot see more.
const PICTURE_EVERY: Span = Span(16);

/// Carries out effects. Never waits: it hands work to others.
pub trait Perform: Send {
    /// Carries out one effect that was committed; the board is the one after that commit.
    fn perform(&mut self, effect: Effect, board: &Board);
}

/// The engine at work.
pub struct Running<P> {
    /// Board and store.
    pub ledger: Ledger,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Where events come from.
    pub outlet: Outlet,
    /// Where effects go.
    pub performer: P,
    /// Where pictures of the board go.
    pub pictures: watch::Sender<Arc<ReadModel>>,
    /// Where notices go.
    pub journal: Journal,
}

impl<P> std::fmt::Debug for Running<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running")
            .field("ledger", &self.ledger)
            .finish_non_exhaustive()
    }
}

/// Whether the last turn has been shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Yes,
    NotYet,
}

impl<P: Perform> Running<P> {
    /// Runs until the inbox is closed. `first` are the events to begin with: settings, workflows, inventory.
    ///
    /// # Errors
    /// When a turn could not be made durable; nothing was performed for it, and agents are untouched.
    pub fn run(mut self, first: Vec<Event>) -> Result<(), StoreError> {
        for event in first {
            self.turn(&event, None)?;
        }
        for effect in self.ledger.forgotten()? {
            self.performer.perform(effect, self.ledger.board());
        }
        self.show();
        let (mut shown, mut shown_at) = (Shown::Yes, self.clock.now());
        loop {
            let wait = match shown {
                Shown::Yes => self.wait(),
                Shown::NotYet => Span(0),
            };
            match (self.outlet.next(Some(wait)), shown) {
                (Next::Envelope(envelope), _) => self.turn(&envelope.event, envelope.answer.as_ref())?,
                (Next::Due, Shown::Yes) => self.turn(&Event::Ticked, None)?,
                (Next::Due, Shown::NotYet) => {}
                (Next::Closed, _) => return Ok(()),
            }
            let now = self.clock.now();
            let quiet = shown == Shown::NotYet;
            if quiet || now.since(shown_at) >= PICTURE_EVERY {
                self.show();
                (shown, shown_at) = (Shown::Yes, now);
            } else {
                shown = Shown::NotYet;
            }
        }
    }

    fn wait(&self) -> Span {
        let due = self.ledger.board().next_deadline();
        due.map_or(LONGEST_WAIT, |due| due.since(self.clock.now()).min(LONGEST_WAIT))
    }

    fn show(&self) {
        self.pictures
            .send_replace(Arc::new(self.ledger.read_model(self.clock.now())));
    }

    fn turn(&mut self, event: &Event, answer: Option<&SyncSender<Answer>>) -> Result<(), StoreError> {
        let now: Timestamp = self.clock.now();
        let Taken { effects, notices, .. } = self.ledger.take(now, event)?;
        for notice in notices {
            tracing::info!(
                kind = notice.kind,
                task = notice.task.as_ref().map(tracing::field::display),
                "{}",
                notice.text
            );
            self.journal.add(now, notice);
        }
        for effect in effects {
            match effect {
                Effect::Reply(_, said) => {
                    if let Some(answer) = answer {
                        // Who asked may have gone away; the board has changed all the same.
                        drop(answer.try_send(said));
                    }
                }
                Effect::Notify(_) => {}
                effect => self.performer.perform(effect, self.ledger.board()),
            }
        }
        Ok(())
    }
}
