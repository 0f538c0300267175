//! Connections that wait for their peer's next message. When too many are open, the one that waits longest makes room, so that clients are
//! not locked out by connections that are only held open. A connection that began a moment ago is about to send something: on a busy
//! machine every command looks like that for some milliseconds.

use std::collections::BTreeMap;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Minimum wait of a connection before it makes room.
const LEAST_WAIT: Duration = Duration::from_millis(500);

/// Connections that wait for their peer.
#[derive(Debug, Default)]
pub(in crate::server) struct IdleConnections(Mutex<WaitingPeers>);

#[derive(Debug, Default)]
struct WaitingPeers {
    next: u64,
    /// Waiting peers by the number of their wait: the first waits longest.
    waiting: BTreeMap<u64, WaitingPeer>,
}

#[derive(Debug)]
struct WaitingPeer {
    since: Instant,
    closed: CancellationToken,
}

/// A connection that waits, until this is dropped.
pub(in crate::server) struct IdleConnection<'a> {
    all: &'a IdleConnections,
    number: u64,
    /// Cancelled when it has to make room.
    pub(in crate::server) closed: CancellationToken,
}

impl IdleConnections {
    /// Adds a connection that begins to wait.
    pub(in crate::server) fn wait(&self, since: Instant) -> IdleConnection<'_> {
        let mut all = self.0.lock();
        let (number, closed) = (all.next, CancellationToken::new());
        all.next += 1;
        let peer = WaitingPeer {
            since,
            closed: closed.clone(),
        };
        all.waiting.insert(number, peer);
        IdleConnection {
            all: self,
            number,
            closed,
        }
    }

    /// Closes the connection that waits longest; returns true if there was one that waits for more than a moment.
    pub(in crate::server) fn close_longest(&self, now: Instant) -> bool {
        let mut all = self.0.lock();
        let first = all.waiting.first_entry();
        let longest = first.filter(|first| now.duration_since(first.get().since) >= LEAST_WAIT);
        let closed = longest.map(|longest| longest.remove().closed);
        drop(all);
        closed.is_some_and(|closed| {
            closed.cancel();
            true
        })
    }
}

impl Drop for IdleConnection<'_> {
    fn drop(&mut self) {
        self.all.0.lock().waiting.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_connection_that_waits_longest_makes_room() {
        let (all, now) = (IdleConnections::default(), Instant::now());
        let late = now + LEAST_WAIT;
        let (gone, first, second) = (all.wait(now), all.wait(now), all.wait(now + LEAST_WAIT / 2));
        drop(gone);
        assert!(!all.close_longest(now + LEAST_WAIT / 2), "each may speak yet");
        assert!(all.close_longest(late));
        assert!(first.closed.is_cancelled() && !second.closed.is_cancelled());
        drop(first);
        assert!(!all.close_longest(late) && !second.closed.is_cancelled());
        assert!(all.close_longest(late + LEAST_WAIT) && second.closed.is_cancelled());
        assert!(
            !all.close_longest(late + LEAST_WAIT),
            "no connection waits any more"
        );
    }
}
