//! When a client may be sent its next picture: the first change at once, then at most every 16 ms (2 ms for a while after a
//! key), and never more than two pictures ahead of what it has shown, so that a slow line costs nothing but freshness.
//! Time comes in as an argument.

use std::time::Duration;

use tokio::time::Instant;

/// Pictures that may be on their way.
const AHEAD: u64 = 2;
/// Pause between pictures, ordinarily and for a while after a key.
const PACE: Duration = Duration::from_millis(16);
const PACE_AFTER_KEY: Duration = Duration::from_millis(2);
const AFTER_KEY: Duration = Duration::from_millis(30);

/// The pace of one client.
#[derive(Debug, Default)]
pub(super) struct Pace {
    sent: u64,
    shown: u64,
    key_at: Option<Instant>,
    drawn_at: Option<Instant>,
}

impl Pace {
    /// When the next picture may be drawn; never as long as too many are on their way.
    pub(super) fn next(&self, now: Instant) -> Option<Instant> {
        if self.sent - self.shown >= AHEAD {
            return None;
        }
        let soon = self.key_at.is_some_and(|at| now.duration_since(at) < AFTER_KEY);
        let pause = if soon { PACE_AFTER_KEY } else { PACE };
        Some(self.drawn_at.map_or(now, |at| at + pause))
    }

    /// A key was pressed.
    pub(super) fn pressed(&mut self, now: Instant) {
        self.key_at = Some(now);
    }

    /// A picture was drawn, whether or not there was anything new in it.
    pub(super) fn drawn(&mut self, now: Instant) {
        self.drawn_at = Some(now);
    }

    /// Numbers a picture that is sent.
    pub(super) fn number(&mut self) -> u64 {
        self.sent += 1;
        self.sent
    }

    /// The client has shown that picture. One that was never sent counts as the last.
    pub(super) fn shown(&mut self, number: u64) {
        self.shown = self.shown.max(number.min(self.sent));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(start: Instant, millis: u64) -> Instant {
        start + Duration::from_millis(millis)
    }

    #[test]
    fn the_first_change_is_drawn_at_once_and_the_next_after_the_pace() {
        let start = Instant::now();
        let mut pace = Pace::default();
        assert_eq!(pace.next(start), Some(start));
        pace.drawn(start);
        assert_eq!(pace.next(after(start, 1)), Some(after(start, 16)));
        let late = after(start, 100);
        assert!(
            pace.next(late) < Some(late),
            "after a rest the next one is due at once"
        );
    }

    #[test]
    fn for_a_while_after_a_key_pictures_come_faster() {
        let start = Instant::now();
        let mut pace = Pace::default();
        pace.drawn(start);
        pace.pressed(after(start, 1));
        assert_eq!(pace.next(after(start, 1)), Some(after(start, 2)));
        assert_eq!(pace.next(after(start, 30)), Some(after(start, 2)));
        assert_eq!(pace.next(after(start, 31)), Some(after(start, 16)));
    }

    #[test]
    fn at_most_two_pictures_are_on_their_way() {
        let start = Instant::now();
        let mut pace = Pace::default();
        assert_eq!((pace.number(), pace.number()), (1, 2));
        assert_eq!(
            pace.next(after(start, 5_000)),
            None,
            "a client that is stalled costs nothing"
        );
        pace.shown(1);
        assert!(pace.next(start).is_some());
        assert_eq!(pace.number(), 3);
        pace.shown(99);
        assert_eq!((pace.number(), pace.number()), (4, 5));
        assert_eq!(pace.next(start), None, "what was never sent is no credit");
    }
}
