//! The one queue into the engine. Bounded: who puts in more than it holds waits, so a flood of reports slows its senders
//! and never fills the memory.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

pub use crate::domain::effect::CommandReply;
use crate::domain::{Event, Span};

/// Events that may wait at a time.
const CAPACITY: usize = 1024;

/// An event in the inbox, with the place for its reply if it is a command.
#[derive(Debug)]
pub struct Envelope {
    pub event: Event,
    /// Place for the answer to a command; one place, so that sending never waits.
    pub answer: Option<SyncSender<CommandReply>>,
}

#[derive(Debug)]
enum InboxEntry {
    Envelope(Box<Envelope>),
    Close,
}

/// The sending end of the engine's bounded event queue. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Inbox {
    queue: SyncSender<InboxEntry>,
    stopped: Arc<OnceLock<String>>,
}

/// Error of an engine that has ended and takes no more events, with the reason if it failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("reach the engine: it has stopped{because}", because = .0.as_ref().map(|why| format!(", because it could not {why}")).unwrap_or_default())]
pub struct InboxClosed(pub Option<String>);

impl Inbox {
    /// Puts an event in; waits while the queue is full.
    ///
    /// # Errors
    /// [`InboxClosed`] when the engine has stopped.
    pub fn send(&self, event: Event) -> Result<(), InboxClosed> {
        let sent = self.queue.send(InboxEntry::of(event, None));
        sent.map_err(|_gone| self.closed())
    }

    /// Puts an event in that is not a command, and waits until it is durable. While the disk has no room, the engine keeps the event, and
    /// the caller does not wait for that.
    ///
    /// # Errors
    /// [`InboxClosed`] when the engine has stopped before.
    pub fn send_and_wait(&self, event: Event) -> Result<(), InboxClosed> {
        match self.call(event.clone())? {
            Ok(_) => Ok(()),
            // An event whose sender waits is refused, others are kept.
            Err(_no_room) => self.send(event),
        }
    }

    /// Puts a command in and returns where its answer will arrive.
    ///
    /// # Errors
    /// [`InboxClosed`] when the engine has stopped.
    pub fn ask(&self, event: Event) -> Result<Receiver<CommandReply>, InboxClosed> {
        let (sender, receiver) = sync_channel(1);
        self.queue
            .send(InboxEntry::of(event, Some(sender)))
            .map_err(|_gone| self.closed())?;
        Ok(receiver)
    }

    /// Puts a command in and waits for its answer.
    ///
    /// # Errors
    /// [`InboxClosed`] when the engine has stopped before it answered.
    pub fn call(&self, event: Event) -> Result<CommandReply, InboxClosed> {
        self.ask(event)?.recv().map_err(|_gone| self.closed())
    }

    /// Returns the reason why the engine could not continue, once it has stopped for that.
    pub fn stopped(&self) -> Option<&str> {
        self.stopped.get().map(String::as_str)
    }

    fn closed(&self) -> InboxClosed {
        InboxClosed(self.stopped.get().cloned())
    }

    /// Lets the engine end after the events that are already in the queue. Waits while the queue is full; harmless when it has ended.
    pub fn close(&self) {
        // An engine that is gone has closed already.
        drop(self.queue.send(InboxEntry::Close));
    }
}

impl InboxEntry {
    fn of(event: Event, answer: Option<SyncSender<CommandReply>>) -> InboxEntry {
        InboxEntry::Envelope(Box::new(Envelope { event, answer }))
    }
}

/// The receiving end of the inbox, which the engine reads.
#[derive(Debug)]
pub struct InboxReceiver {
    queue: Receiver<InboxEntry>,
    stopped: Arc<OnceLock<String>>,
}

/// Result of waiting on the inbox: an event, a deadline or its end.
#[derive(Debug)]
pub enum Received {
    /// Something happened. Boxed: events differ much in size.
    Envelope(Box<Envelope>),
    Deadline,
    /// The inbox was closed, or every end of it is gone.
    Closed,
}

impl InboxReceiver {
    /// Records that the engine cannot continue, and why; all present and later callers get the reason.
    pub fn fail(&self, why: String) {
        // The first reason is the one.
        drop(self.stopped.set(why));
    }

    /// Waits for the next event, at most `wait` long; for ever when `None`.
    pub fn next(&self, wait: Option<Span>) -> Received {
        let received = match wait {
            None => self.queue.recv().map_err(|_gone| RecvTimeoutError::Disconnected),
            Some(wait) => self.queue.recv_timeout(Duration::from_millis(wait.0)),
        };
        match received {
            Ok(InboxEntry::Envelope(envelope)) => Received::Envelope(envelope),
            Ok(InboxEntry::Close) | Err(RecvTimeoutError::Disconnected) => Received::Closed,
            Err(RecvTimeoutError::Timeout) => Received::Deadline,
        }
    }
}

/// Makes the queue.
pub fn inbox() -> (Inbox, InboxReceiver) {
    let (sender, receiver) = sync_channel(CAPACITY);
    let stopped = Arc::new(OnceLock::new());
    let inbox = Inbox {
        queue: sender,
        stopped: Arc::clone(&stopped),
    };
    let receiver = InboxReceiver {
        queue: receiver,
        stopped,
    };
    (inbox, receiver)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Accepted, BoardSettings, Refusal};

    #[test]
    fn who_waits_for_an_event_goes_on_when_it_is_durable_or_kept() {
        let (inbox, receiver) = inbox();
        let settings = || Event::configured(BoardSettings::default());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                inbox.send_and_wait(settings()).unwrap();
                inbox.send(Event::Ticked).unwrap();
                inbox.send_and_wait(settings()).unwrap();
            });
            let next = || match receiver.next(None) {
                Received::Envelope(envelope) => (envelope.event, envelope.answer),
                other => panic!("{other:?}"),
            };
            let (_, answer) = next();
            let later = receiver.next(Some(Span(20)));
            assert!(
                matches!(later, Received::Deadline),
                "it is not durable: {later:?}"
            );
            answer.unwrap().send(Ok(Accepted("recorded".to_owned()))).unwrap();
            assert_eq!(next().0, Event::Ticked);
            next().1.unwrap().send(Err(Refusal::new("no room"))).unwrap();
            let (event, answer) = next();
            assert_eq!(event, settings());
            assert!(answer.is_none(), "it is kept until there is room");
        });
    }
}
