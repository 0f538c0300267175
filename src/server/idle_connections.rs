//! Connections that wait for their peer's next message. When too many are open, the one that waits longest makes room, so that
//! nobody is locked out by connections that are only held open.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

/// Connections that wait for their peer.
#[derive(Debug, Default)]
pub(super) struct IdleConnections(Mutex<WaitingPeers>);

#[derive(Debug, Default)]
struct WaitingPeers {
    next: u64,
    /// By when they began to wait: the first waits longest.
    waiting: BTreeMap<u64, CancellationToken>,
}

/// A connection that waits, until this is dropped.
pub(super) struct IdleConnection<'a> {
    all: &'a IdleConnections,
    number: u64,
    /// Cancelled when it has to make room.
    pub(super) closed: CancellationToken,
}

impl IdleConnections {
    /// A connection begins to wait.
    pub(super) fn wait(&self) -> IdleConnection<'_> {
        let mut all = self.0.lock();
        let (number, closed) = (all.next, CancellationToken::new());
        all.next += 1;
        all.waiting.insert(number, closed.clone());
        IdleConnection {
            all: self,
            number,
            closed,
        }
    }

    /// Closes the connection that waits longest; whether there was one.
    pub(super) fn close_longest(&self) -> bool {
        let first = self.0.lock().waiting.pop_first();
        first.is_some_and(|(_, closed)| {
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
        let all = IdleConnections::default();
        let (gone, first, second) = (all.wait(), all.wait(), all.wait());
        drop(gone);
        assert!(all.close_longest());
        assert!(first.closed.is_cancelled() && !second.closed.is_cancelled());
        drop(first);
        assert!(all.close_longest() && second.closed.is_cancelled());
        assert!(!all.close_longest(), "nobody waits any more");
    }
}
