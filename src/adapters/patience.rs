//! Waiting for another process, a little at a time, to an end.
#![expect(clippy::disallowed_methods, reason = "reads the clock and lets time pass")]

use std::time::{Duration, Instant};

/// How long a server may take until it listens, or until it is gone.
const PATIENCE: Duration = Duration::from_secs(15);

/// Waiting that ends.
pub struct Patience(Instant);

impl Patience {
    /// From now on.
    pub fn begin() -> Patience {
        Patience(Instant::now() + PATIENCE)
    }

    /// Whether it has been long enough.
    pub fn is_over(&self) -> bool {
        Instant::now() >= self.0
    }

    /// Waits a little.
    pub fn wait(&self) {
        std::thread::sleep(Duration::from_millis(10));
    }
}
