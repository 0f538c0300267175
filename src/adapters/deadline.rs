//! Waiting for another process, a little at a time, to an end.
#![expect(clippy::disallowed_methods, reason = "reads the clock and lets time pass")]

use std::time::{Duration, Instant};

/// Time that a server may take until it listens, or until it is gone.
const TIMEOUT: Duration = Duration::from_secs(15);

/// Time until which something is waited for.
pub struct Deadline(Instant);

impl Deadline {
    /// Starts the deadline now.
    pub fn start() -> Deadline {
        Deadline(Instant::now() + TIMEOUT)
    }

    /// Creates a deadline that ends after that length from now.
    pub fn after(length: Duration) -> Deadline {
        Deadline(Instant::now() + length)
    }

    /// Returns true if the deadline has passed.
    pub fn is_over(&self) -> bool {
        Instant::now() >= self.0
    }

    /// Waits a little.
    pub fn sleep(&self) {
        std::thread::sleep(Duration::from_millis(10));
    }

    /// Waits so long.
    pub fn sleep_for(&self, pause: Duration) {
        std::thread::sleep(pause);
    }
}
