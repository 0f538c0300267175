//! Conditions of the world outside, asked for until they hold.
#![expect(clippy::disallowed_methods, reason = "waits with deadlines")]

use std::time::{Duration, Instant};

const SHORTEST_PAUSE: Duration = Duration::from_millis(3);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// Asks until a condition holds (true) or that time has passed (false). It asks less often the longer it waits: what is waited for
/// needs the processor more than the question does.
pub(crate) fn holds_within(longest: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let began = Instant::now();
    loop {
        if condition() {
            return true;
        }
        let waited = began.elapsed();
        if waited >= longest {
            return false;
        }
        std::thread::sleep((waited / 4).clamp(SHORTEST_PAUSE, LONGEST_PAUSE));
    }
}
