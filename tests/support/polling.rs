//! Polling of conditions in the outside world until they hold.
#![expect(clippy::disallowed_methods, reason = "waits with deadlines")]

use std::time::{Duration, Instant};

const SHORTEST_PAUSE: Duration = Duration::from_millis(3);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// Polls until a condition holds (true) or that time has passed (false). It polls less often the longer it waits, because the awaited work
/// needs the processor more than the polling does.
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
