//! Waiting for changes from outside.

use tokio::sync::watch;

/// Waits for a change of one of two; returns true if the sender is still there.
pub(super) async fn either_changed<A, B>(
    one: &mut watch::Receiver<A>,
    other: &mut watch::Receiver<B>,
) -> bool {
    tokio::select! {
        changed = one.changed() => changed.is_ok(),
        changed = other.changed() => changed.is_ok(),
    }
}
