//! Pacing of a client's frames: the first change at once, then at most every 16 ms, and never more than two frames ahead of the ones it has
//! shown, so that a slow line costs nothing but freshness. For a while after a key it is 2 ms, but only for the output of the terminal that
//! was typed into. Time comes in as an argument.

use std::time::Duration;

use tokio::time::Instant;

/// Maximum number of unacknowledged frames.
const MAX_UNACKED: u64 = 2;
/// Pause between frames, ordinarily and for a while after a key.
const FRAME_INTERVAL: Duration = Duration::from_millis(16);
const FRAME_INTERVAL_AFTER_KEY: Duration = Duration::from_millis(2);
const KEY_WINDOW: Duration = Duration::from_millis(30);

/// Part of a frame that is drawn: the terminal typed into, all terminals or everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum DrawExtent {
    /// Output of the terminal that was typed into.
    Typed,
    Terminals,
    Everything,
}

/// Limiter of the rate of a client's frames, and of the number of unacknowledged ones.
#[derive(Debug, Default)]
pub(in crate::server) struct FramePacer {
    sent: u64,
    acked: u64,
    key_at: Option<Instant>,
    /// Time of the last drawing, and of the last one with the output of all terminals.
    drawn_at: Option<Instant>,
    all_drawn_at: Option<Instant>,
}

impl FramePacer {
    /// Returns the time at which the next frame of that extent may be drawn; never as long as too many are on their way.
    pub(in crate::server) fn next_frame_at(&self, now: Instant, extent: DrawExtent) -> Option<Instant> {
        if self.sent - self.acked >= MAX_UNACKED {
            return None;
        }
        let last = match extent {
            DrawExtent::Terminals => self.all_drawn_at.map(|at| at + FRAME_INTERVAL),
            DrawExtent::Typed | DrawExtent::Everything if self.is_after_key(now) => {
                self.drawn_at.map(|at| at + FRAME_INTERVAL_AFTER_KEY)
            }
            DrawExtent::Typed | DrawExtent::Everything => self.drawn_at.map(|at| at + FRAME_INTERVAL),
        };
        Some(last.unwrap_or(now))
    }

    /// Returns true if a key was pressed so recently that its answer is waited for.
    pub(in crate::server) fn is_after_key(&self, now: Instant) -> bool {
        self.key_at.is_some_and(|at| now.duration_since(at) < KEY_WINDOW)
    }

    pub(in crate::server) fn on_key(&mut self, now: Instant) {
        self.key_at = Some(now);
    }

    /// Notes that a frame of that extent was drawn, whether or not there was anything new in it.
    pub(in crate::server) fn on_drawn(&mut self, now: Instant, extent: DrawExtent) {
        self.drawn_at = Some(now);
        if extent != DrawExtent::Typed {
            self.all_drawn_at = Some(now);
        }
    }

    pub(in crate::server) fn next_number(&mut self) -> u64 {
        self.sent += 1;
        self.sent
    }

    /// Notes that the client has shown the frame with that number; a number that was never sent counts as the last.
    pub(in crate::server) fn on_ack(&mut self, number: u64) {
        self.acked = self.acked.max(number.min(self.sent));
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
        for extent in [DrawExtent::Terminals, DrawExtent::Everything] {
            let start = Instant::now();
            let mut pace = FramePacer::default();
            assert_eq!(pace.next_frame_at(start, extent), Some(start));
            pace.on_drawn(start, extent);
            assert_eq!(
                pace.next_frame_at(after(start, 1), extent),
                Some(after(start, 16))
            );
            let late = after(start, 100);
            assert!(
                pace.next_frame_at(late, extent) < Some(late),
                "after a rest the next one is due at once"
            );
        }
    }

    #[test]
    fn for_a_while_after_a_key_frames_come_faster() {
        for extent in [DrawExtent::Typed, DrawExtent::Everything] {
            let start = Instant::now();
            let mut pace = FramePacer::default();
            pace.on_drawn(start, DrawExtent::Everything);
            pace.on_key(after(start, 1));
            assert_eq!(pace.next_frame_at(after(start, 1), extent), Some(after(start, 2)));
            assert_eq!(
                pace.next_frame_at(after(start, 30), extent),
                Some(after(start, 2))
            );
            assert_eq!(
                pace.next_frame_at(after(start, 31), extent),
                Some(after(start, 16))
            );
        }
    }

    #[test]
    fn a_key_makes_only_the_terminal_it_was_typed_into_faster() {
        let start = Instant::now();
        let mut pace = FramePacer::default();
        pace.on_drawn(start, DrawExtent::Terminals);
        pace.on_key(after(start, 1));
        assert_eq!(
            pace.next_frame_at(after(start, 1), DrawExtent::Terminals),
            Some(after(start, 16)),
            "a flood beside it keeps its pace"
        );
        pace.on_drawn(after(start, 5), DrawExtent::Typed);
        assert_eq!(
            pace.next_frame_at(after(start, 6), DrawExtent::Typed),
            Some(after(start, 7))
        );
        assert_eq!(
            pace.next_frame_at(after(start, 6), DrawExtent::Terminals),
            Some(after(start, 16)),
            "and is not put off by it"
        );
    }

    #[test]
    fn at_most_two_frames_are_on_their_way() {
        let start = Instant::now();
        let mut pace = FramePacer::default();
        assert_eq!((pace.next_number(), pace.next_number()), (1, 2));
        for extent in [DrawExtent::Typed, DrawExtent::Terminals, DrawExtent::Everything] {
            assert_eq!(
                pace.next_frame_at(after(start, 5_000), extent),
                None,
                "a client that is stalled costs nothing"
            );
        }
        pace.on_ack(1);
        assert!(pace.next_frame_at(start, DrawExtent::Typed).is_some());
        assert_eq!(pace.next_number(), 3);
        pace.on_ack(99);
        assert_eq!((pace.next_number(), pace.next_number()), (4, 5));
        assert_eq!(
            pace.next_frame_at(start, DrawExtent::Terminals),
            None,
            "what was never sent is no credit"
        );
    }
}
