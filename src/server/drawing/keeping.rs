//! Keeps how a client has arranged its screen, for the next time. Nothing hangs on it: what cannot be kept is lost.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::adapters::clock;
use crate::server::arranging;
use crate::server::drawing::Client;
use crate::server::drawing::work::Done;

/// How often a changed arrangement is kept.
const KEEP_EVERY: Duration = Duration::from_secs(3);

impl Client {
    /// Keeps the arrangement if it has changed, at most every few seconds; it must survive a server that is killed.
    pub(super) fn keep_arrangement(&mut self) {
        let now = Instant::now();
        if self.kept_at.is_some_and(|at| now.duration_since(at) < KEEP_EVERY) {
            return;
        }
        self.kept_at = Some(now);
        let saved = self.state.saved();
        if self.kept.as_ref() == Some(&saved) {
            return;
        }
        self.kept = Some(saved.clone());
        let settings = Arc::clone(&self.services.settings);
        self.work.spawn_blocking(move || {
            arranging::keep(&settings.place, &saved);
            Done::Nothing
        });
    }

    /// Keeps the arrangement for the next time, and when the person left.
    pub(super) async fn leave(&mut self) {
        let mut saved = self.state.saved();
        saved.left = Some(clock::now());
        let settings = Arc::clone(&self.services.settings);
        let keep = move || arranging::keep(&settings.place, &saved);
        // Nothing hangs on it.
        drop(tokio::task::spawn_blocking(keep).await);
    }
}
