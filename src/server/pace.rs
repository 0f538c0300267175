//! When a client may be sent its next picture: the first change at once, then at most every 16 ms, and never more than two
//! pictures ahead of what it has shown, so that a slow line costs nothing but freshness. For a while after a key it is 2 ms, but
//! not for what other terminals write than the one that was typed into. Time comes in as an argument.

use std::time::Duration;

use tokio::time::Instant;

/// Pictures that may be on their way.
const AHEAD: u64 = 2;
/// Pause between pictures, ordinarily and for a while after a key.
const PACE: Duration = Duration::from_millis(16);
const PACE_AFTER_KEY: Duration = Duration::from_millis(2);
const AFTER_KEY: Duration = Duration::from_millis(30);

/// What of a picture is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// What the terminal that was typed into wrote.
    Typed,
    /// What all terminals wrote.
    Terminals,
    /// Everything.
    Everything,
}

/// The pace of one client.
#[derive(Debug, Default)]
pub(super) struct Pace {
    sent: u64,
    shown: u64,
    key_at: Option<Instant>,
    /// When anything was drawn last, and when the output of all terminals was.
    drawn_at: Option<Instant>,
    all_drawn_at: Option<Instant>,
}

impl Pace {
    /// When the next picture of that extent may be drawn; never as long as too many are on their way.
    pub(super) fn next(&self, now: Instant, extent: Extent) -> Option<Instant> {
        if self.sent - self.shown >= AHEAD {
            return None;
        }
        let last = match extent {
            Extent::Terminals => self.all_drawn_at.map(|at| at + PACE),
            Extent::Typed | Extent::Everything if self.is_after_key(now) => {
                self.drawn_at.map(|at| at + PACE_AFTER_KEY)
            }
            Extent::Typed | Extent::Everything => self.drawn_at.map(|at| at + PACE),
        };
        Some(last.unwrap_or(now))
    }

    /// Whether a key was pressed so little time ago that its answer is waited for.
    pub(super) fn is_after_key(&self, now: Instant) -> bool {
        self.key_at.is_some_and(|at| now.duration_since(at) < AFTER_KEY)
    }

    /// A key was pressed.
    pub(super) fn pressed(&mut self, now: Instant) {
        self.key_at = Some(now);
    }

    /// A picture of that extent was drawn, whether or not there was anything new in it.
    pub(super) fn drawn(&mut self, now: Instant, extent: Extent) {
        self.drawn_at = Some(now);
        if extent != Extent::Typed {
            self.all_drawn_at = Some(now);
        }
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
        for extent in [Extent::Terminals, Extent::Everything] {
            let start = Instant::now();
            let mut pace = Pace::default();
            assert_eq!(pace.next(start, extent), Some(start));
            pace.drawn(start, extent);
            assert_eq!(pace.next(after(start, 1), extent), Some(after(start, 16)));
            let late = after(start, 100);
            assert!(
                pace.next(late, extent) < Some(late),
                "after a rest the next one is due at once"
            );
        }
    }

    #[test]
    fn for_a_while_after_a_key_pictures_come_faster() {
        for extent in [Extent::Typed, Extent::Everything] {
            let start = Instant::now();
            let mut pace = Pace::default();
            pace.drawn(start, Extent::Everything);
            pace.pressed(after(start, 1));
            assert_eq!(pace.next(after(start, 1), extent), Some(after(start, 2)));
            assert_eq!(pace.next(after(start, 30), extent), Some(after(start, 2)));
            assert_eq!(pace.next(after(start, 31), extent), Some(after(start, 16)));
        }
    }

    #[test]
    fn a_key_makes_only_the_terminal_it_was_typed_into_faster() {
        let start = Instant::now();
        let mut pace = Pace::default();
        pace.drawn(start, Extent::Terminals);
        pace.pressed(after(start, 1));
        assert_eq!(
            pace.next(after(start, 1), Extent::Terminals),
            Some(after(start, 16)),
            "a flood beside it keeps its pace"
        );
        pace.drawn(after(start, 5), Extent::Typed);
        assert_eq!(pace.next(after(start, 6), Extent::Typed), Some(after(start, 7)));
        assert_eq!(
            pace.next(after(start, 6), Extent::Terminals),
            Some(after(start, 16)),
            "and is not put off by it"
        );
    }

    #[test]
    fn at_most_two_pictures_are_on_their_way() {
        let start = Instant::now();
        let mut pace = Pace::default();
        assert_eq!((pace.number(), pace.number()), (1, 2));
        for extent in [Extent::Typed, Extent::Terminals, Extent::Everything] {
            assert_eq!(
                pace.next(after(start, 5_000), extent),
                None,
                "a client that is stalled costs nothing"
            );
        }
        pace.shown(1);
        assert!(pace.next(start, Extent::Typed).is_some());
        assert_eq!(pace.number(), 3);
        pace.shown(99);
        assert_eq!((pace.number(), pace.number()), (4, 5));
        assert_eq!(
            pace.next(start, Extent::Terminals),
            None,
            "what was never sent is no credit"
        );
    }
}
