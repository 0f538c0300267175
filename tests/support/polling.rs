//! Conditions of the world outside, asked for until they hold.
#![expect(clippy::disallowed_methods, reason = "waits with deadlines")]

use std::time::{Duration, Instant};

const SHORTEST_PAUSE: Duration = Duration::from_millis(3);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// Asks until a condition holds (true) or that time has passed (false).
///
/// It asks less often the longer it waits, and the more a question takes: many questions start a program, and what is waited for
/// needs the processor more than they do.
pub(crate) fn holds_within(longest: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let began = Instant::now();
    loop {
        let asked = Instant::now();
        if condition() {
            return true;
        }
        let took = asked.elapsed();
        let waited = began.elapsed();
        if waited >= longest {
            return false;
        }
        let pause = (waited / 4).min(took * 10);
        std::thread::sleep(pause.clamp(SHORTEST_PAUSE, LONGEST_PAUSE));
    }
}
