//! Detection of a clock that shows another time than the one that passed: a laptop slept, or the clock was set.

use crate::domain::{Span, Timestamp};
use crate::ports::clock::Clock;

/// Smaller differences are steps of a clock that is kept right, and move no limit that matters.
const TOLERANCE: Span = Span::seconds(10);

/// Compares the clock with the time that passed.
#[derive(Debug, Default)]
pub(super) struct ClockJumps {
    /// Milliseconds by which the clock was ahead of the time that passed.
    ahead: Option<i128>,
}

impl ClockJumps {
    /// Returns the milliseconds by which the clock jumped since the last look, if it did.
    pub(super) fn check(&mut self, clock: &dyn Clock) -> Option<i64> {
        let uptime = i128::from(clock.uptime().0);
        let ahead = i128::from(clock.now().0) - uptime;
        let jump = ahead - *self.ahead.get_or_insert(ahead);
        if jump.unsigned_abs() < u128::from(TOLERANCE.0) {
            return None;
        }
        self.ahead = Some(ahead);
        i64::try_from(jump).ok()
    }
}

/// Returns the milliseconds, at least, by which the clock shows less than at the last turn of an earlier server: it was set back while none
/// ran. A clock that was set forward then cannot be distinguished from time that passed.
pub(super) fn set_back_since(last_turn: Timestamp, clock: &dyn Clock) -> Option<i64> {
    let by = last_turn.since(clock.now());
    if by < TOLERANCE {
        return None;
    }
    i64::try_from(by.0).ok().map(|by| -by)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    struct Fake {
        now: AtomicU64,
        uptime: AtomicU64,
    }

    impl Clock for Fake {
        fn now(&self) -> Timestamp {
            Timestamp(self.now.load(Ordering::Relaxed))
        }

        fn uptime(&self) -> Span {
            Span(self.uptime.load(Ordering::Relaxed))
        }
    }

    #[test]
    fn sleep_and_a_clock_that_was_set_are_jumps_and_time_that_passes_is_none() {
        const HOUR: u64 = 3_600_000;
        let clock = Fake {
            now: AtomicU64::new(100 * HOUR),
            uptime: AtomicU64::new(5),
        };
        let mut jumps = ClockJumps::default();
        let mut check = |now: u64, uptime: u64| {
            clock.now.store(now, Ordering::Relaxed);
            clock.uptime.store(uptime, Ordering::Relaxed);
            jumps.check(&clock)
        };
        assert_eq!(check(100 * HOUR, 5), None);
        assert_eq!(check(102 * HOUR, 5 + 2 * HOUR), None, "two hours passed");
        assert_eq!(check(110 * HOUR, 5 + 2 * HOUR), Some(8 * 3_600_000), "it slept");
        assert_eq!(check(110 * HOUR + 1, 6 + 2 * HOUR), None, "told once");
        assert_eq!(
            check(86 * HOUR, 5 + 2 * HOUR),
            Some(-24 * 3_600_000),
            "it was set back"
        );
        assert_eq!(check(86 * HOUR + 9_000, 5 + 2 * HOUR), None, "kept right");
    }

    #[test]
    fn a_clock_is_set_back_when_it_shows_less_than_at_the_last_turn() {
        let clock = Fake {
            now: AtomicU64::new(100_000),
            uptime: AtomicU64::new(5),
        };
        let set_back = |last_turn: u64| set_back_since(Timestamp(last_turn), &clock);
        assert_eq!(set_back(160_000), Some(-60_000));
        assert_eq!(set_back(109_000), None, "kept right");
        assert_eq!(set_back(100_000), None);
        assert_eq!(set_back(5), None, "time passed");
    }
}
