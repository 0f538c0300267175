//! Whether the server is whole. A part that everything hangs on (the engine, the reader of a terminal, the intake of signals)
//! and that breaks takes the server with it: half a server would look alive and hear nobody. Its end is like a kill, which
//! agents do not notice and the next server makes up for; attached clients start that one by themselves.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio_util::sync::CancellationToken;

use crate::adapters::crash::payload;

/// Flag that an essential thread of the server has panicked, which ends the server.
#[derive(Debug, Clone, Default)]
pub struct PoisonFlag(CancellationToken);

impl PoisonFlag {
    /// Works for a part that everything hangs on; nothing when it broke, and then the server is whole no more.
    pub fn guard<T>(&self, part: &str, work: impl FnOnce() -> T) -> Option<T> {
        // Nothing of what it used is used again: the server ends.
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(done) => Some(done),
            Err(panic) => {
                tracing::error!(
                    "{part} broke: {}; the server ends, agents go on",
                    payload(&*panic)
                );
                self.0.cancel();
                None
            }
        }
    }

    /// Whether such a part has broken.
    pub fn is_poisoned(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Waits until one has.
    pub async fn poisoned(&self) {
        self.0.cancelled().await;
    }
}
