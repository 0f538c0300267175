//! The one queue into the engine. Bounded: who puts in more than it holds waits, so a flood of reports slows its senders
//! and never fills the memory.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use crate::domain::{Accepted, Event, Refusal, Span};

/// Events that may wait at a time.
const CAPACITY: usize = 1024;

/// What a command led to.
pub type Answer = Result<Accepted, Refusal>;

/// One event, and where its answer goes if it is a command.
#[derive(Debug)]
pub struct Envelope {
    /// What happened.
    pub event: Event,
    /// Where the answer to a command goes; one place, so that sending never waits.
    pub answer: Option<SyncSender<Answer>>,
}

#[derive(Debug)]
enum Item {
    Envelope(Box<Envelope>),
    Close,
}

/// The end that takes events in. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Inbox(SyncSender<Item>);

/// The engine has ended; nothing is taken in any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("reach the engine: it has stopped")]
pub struct Closed;

impl Inbox {
    /// Puts an event in; waits while the queue is full.
    ///
    /// # Errors
    /// [`Closed`] when the engine has stopped.
    pub fn put(&self, event: Event) -> Result<(), Closed> {
        self.0.send(Item::of(event, None)).map_err(|_closed| Closed)
    }

    /// Puts a command in and returns where its answer will arrive.
    ///
    /// # Errors
    /// [`Closed`] when the engine has stopped.
    pub fn ask(&self, event: Event) -> Result<Receiver<Answer>, Closed> {
        let (sender, receiver) = sync_channel(1);
        self.0
            .send(Item::of(event, Some(sender)))
            .map_err(|_closed| Closed)?;
        Ok(receiver)
    }

    /// Puts an event in if there is room; `false` when there is none.
    ///
    /// # Errors
    /// [`Closed`] when the engine has stopped.
    pub fn try_put(&self, event: Event) -> Result<bool, Closed> {
        match self.0.try_send(Item::of(event, None)) {
            Ok(()) => Ok(true),
            Err(TrySendError::Full(_)) => Ok(false),
            Err(TrySendError::Disconnected(_)) => Err(Closed),
        }
    }

    /// Lets the engine end after what is already in the queue. Waits while the queue is full; harmless when it has ended.
    pub fn close(&self) {
        // An engine that is gone has closed already.
        drop(self.0.send(Item::Close));
    }
}

impl Item {
    fn of(event: Event, answer: Option<SyncSender<Answer>>) -> Item {
        Item::Envelope(Box::new(Envelope { event, answer }))
    }
}

/// The end the engine reads.
#[derive(Debug)]
pub struct Outlet(Receiver<Item>);

/// What waiting for the next event brought.
#[derive(Debug)]
pub enum Next {
    /// Something happened. Boxed: events differ much in size.
    Envelope(Box<Envelope>),
    /// The deadline came first.
    Due,
    /// The inbox was closed, or every end of it is gone.
    Closed,
}

impl Outlet {
    /// Waits for the next event, at most `wait` long; for ever when `None`.
    pub fn next(&self, wait: Option<Span>) -> Next {
        let received = match wait {
            None => self.0.recv().map_err(|_gone| RecvTimeoutError::Disconnected),
            Some(wait) => self.0.recv_timeout(Duration::from_millis(wait.0)),
        };
        match received {
            Ok(Item::Envelope(envelope)) => Next::Envelope(envelope),
            Ok(Item::Close) | Err(RecvTimeoutError::Disconnected) => Next::Closed,
            Err(RecvTimeoutError::Timeout) => Next::Due,
        }
    }
}

/// Makes the queue.
pub fn inbox() -> (Inbox, Outlet) {
    let (sender, receiver) = sync_channel(CAPACITY);
    (Inbox(sender), Outlet(receiver))
}
