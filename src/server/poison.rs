//! Failures of essential parts of the server. When the engine, the reader of a terminal or the intake of signals breaks, the server ends:
//! without that part, it would look alive and answer no calls. Its end is like a kill, which agents do not notice and the next server makes
//! up for; attached clients start that one by themselves.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio_util::sync::CancellationToken;

use crate::adapters::crash::payload;

/// Flag that an essential thread of the server has panicked, which ends the server.
#[derive(Debug, Clone, Default)]
pub struct PoisonFlag(CancellationToken);

impl PoisonFlag {
    /// Runs an essential part of the server; `None` when it panicked, which marks the server as broken.
    pub fn guard<T>(&self, part: &str, work: impl FnOnce() -> T) -> Option<T> {
        // Nothing that it used is used again: the server ends.
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(done) => Some(done),
            Err(panic) => {
                tracing::error!(
                    "{part} broke: {}; the server ends, agents keep running",
                    payload(&*panic)
                );
                self.0.cancel();
                None
            }
        }
    }

    /// Returns true if an essential part of the server has broken.
    pub fn is_poisoned(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Waits until an essential part has broken.
    pub async fn poisoned(&self) {
        self.0.cancelled().await;
    }
}
