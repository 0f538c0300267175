//! The one queue into the engine. Bounded: who puts in more than it holds waits, so a flood of reports slows its senders
//! and never fills the memory.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, OnceLock};
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
pub struct Inbox {
    queue: SyncSender<Item>,
    stopped: Arc<OnceLock<String>>,
}

/// The engine has ended; nothing is taken in any more. Why, when it could not go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("reach the engine: it has stopped{because}", because = .0.as_ref().map(|why| format!(", because it could not {why}")).unwrap_or_default())]
pub struct Closed(pub Option<String>);

impl Inbox {
    /// Puts an event in; waits while the queue is full.
    ///
    /// # Errors
    /// [`Closed`] when the engine has stopped.
    pub fn put(&self, event: Event) -> Result<(), Closed> {
        let sent = self.queue.send(Item::of(event, None));
        sent.map_err(|_gone| self.closed())
    }

    /// Puts a command in and returns where its answer will arrive.
    ///
    /// # Errors
    /// [`Closed`] when the engine has stopped.
    pub fn ask(&self, event: Event) -> Result<Receiver<Answer>, Closed> {
        let (sender, receiver) = sync_channel(1);
        self.queue
            .send(Item::of(event, Some(sender)))
            .map_err(|_gone| self.closed())?;
        Ok(receiver)
    }

    /// Puts a command in and waits for its answer.
    ///
    /// # Errors
    /// [`Closed`] when the engine has stopped before it answered.
    pub fn answer(&self, event: Event) -> Result<Answer, Closed> {
        self.ask(event)?.recv().map_err(|_gone| self.closed())
    }

    /// Why the engine could not go on, once it has stopped for that.
    pub fn stopped(&self) -> Option<&str> {
        self.stopped.get().map(String::as_str)
    }

    fn closed(&self) -> Closed {
        Closed(self.stopped.get().cloned())
    }

    /// Puts an event in if there is room; `false` when there is none.
    ///
    /// # Errors
    /// [`Closed`] when the engine has stopped.
    pub fn try_put(&self, event: Event) -> Result<bool, Closed> {
        match self.queue.try_send(Item::of(event, None)) {
            Ok(()) => Ok(true),
            Err(TrySendError::Full(_)) => Ok(false),
            Err(TrySendError::Disconnected(_)) => Err(self.closed()),
        }
    }

    /// Lets the engine end after what is already in the queue. Waits while the queue is full; harmless when it has ended.
    pub fn close(&self) {
        // An engine that is gone has closed already.
        drop(self.queue.send(Item::Close));
    }
}

impl Item {
    fn of(event: Event, answer: Option<SyncSender<Answer>>) -> Item {
        Item::Envelope(Box::new(Envelope { event, answer }))
    }
}

/// The end the engine reads.
#[derive(Debug)]
pub struct Outlet {
    queue: Receiver<Item>,
    stopped: Arc<OnceLock<String>>,
}

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
    /// The engine cannot go on, and why; whoever asks from now on, and whoever waits, is told.
    pub fn stop_because(&self, why: String) {
        // The first reason is the one.
        drop(self.stopped.set(why));
    }

    /// Waits for the next event, at most `wait` long; for ever when `None`.
    pub fn next(&self, wait: Option<Span>) -> Next {
        let received = match wait {
            None => self.queue.recv().map_err(|_gone| RecvTimeoutError::Disconnected),
            Some(wait) => self.queue.recv_timeout(Duration::from_millis(wait.0)),
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
    let stopped = Arc::new(OnceLock::new());
    let inbox = Inbox {
        queue: sender,
        stopped: Arc::clone(&stopped),
    };
    let outlet = Outlet {
        queue: receiver,
        stopped,
    };
    (inbox, outlet)
}
