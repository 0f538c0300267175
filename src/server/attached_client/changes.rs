//! Waiting for what others change.

use tokio::sync::watch;

/// Waits for a change of one of two; answers whether the sender is still there.
pub(super) async fn either_changed<A, B>(
    one: &mut watch::Receiver<A>,
    other: &mut watch::Receiver<B>,
) -> bool {
    tokio::select! {
        changed = one.changed() => changed.is_ok(),
        changed = other.changed() => changed.is_ok(),
    }
}
