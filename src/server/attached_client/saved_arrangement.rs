//! Keeps how a client has arranged its screen, for the next time. Nothing hangs on it: what cannot be kept is lost.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::adapters::clock;
use crate::server::arrangements;
use crate::server::attached_client::AttachedClient;
use crate::server::attached_client::work::WorkResult;

/// How often a changed arrangement is kept.
const SAVE_INTERVAL: Duration = Duration::from_secs(3);

impl AttachedClient {
    /// Keeps the arrangement if it has changed, at most every few seconds; it must survive a server that is killed.
    pub(super) fn save_arrangement(&mut self) {
        let now = Instant::now();
        if self
            .saved_at
            .is_some_and(|at| now.duration_since(at) < SAVE_INTERVAL)
        {
            return;
        }
        self.saved_at = Some(now);
        let saved = self.state.save_arrangement();
        if self.saved.as_ref() == Some(&saved) {
            return;
        }
        self.saved = Some(saved.clone());
        let settings = Arc::clone(&self.services.settings);
        self.work.spawn_blocking(move || {
            arrangements::save(&settings.place, &saved);
            WorkResult::Nothing
        });
    }

    /// Keeps the arrangement for the next time, and when the person left.
    pub(super) async fn save_on_detach(&mut self) {
        let mut saved = self.state.save_arrangement();
        saved.left = Some(clock::now());
        let settings = Arc::clone(&self.services.settings);
        let keep = move || arrangements::save(&settings.place, &saved);
        // Nothing hangs on it.
        drop(tokio::task::spawn_blocking(keep).await);
    }
}
