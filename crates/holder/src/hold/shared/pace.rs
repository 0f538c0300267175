//! When output is sent to one peer: at once, or collected for a while. Pure: the time is given.

use std::time::{Duration, Instant};

/// Bytes that are sent however little time has passed since the last: a flood does not become longer by being collected.
pub(super) const FLOOD: u64 = 16 * 1024;

/// After so long without output a program has something to say that somebody may wait for.
const SILENCE: Duration = Duration::from_secs(1);

/// Pieces of output that are sent at once after a silence, and after input.
const AT_ONCE: u8 = 3;

/// How output for one peer is collected, and how far it is with that.
#[derive(Debug, Default)]
pub(super) struct OutputPace {
    /// How long output is collected at most; nothing of it is zero.
    longest: Duration,
    sent_at: Option<Instant>,
    held_until: Option<Instant>,
    /// Pieces since the last silence that may still go at once.
    at_once: u8,
}

impl OutputPace {
    /// Output is collected so long from now on.
    pub(super) fn set(&mut self, longest: Duration) {
        *self = OutputPace {
            longest,
            ..OutputPace::default()
        };
    }

    /// Until when so many bytes are held back, if they are.
    pub(super) fn held_until(&self, now: Instant, pending: u64) -> Option<Instant> {
        self.held_until.filter(|until| *until > now && pending < FLOOD)
    }

    /// The program was typed to: what it says next may be what somebody waits for.
    pub(super) fn typed(&mut self) {
        self.held_until = None;
        self.at_once = AT_ONCE;
    }

    /// Output is sent now.
    pub(super) fn sent(&mut self, now: Instant) {
        if self.longest.is_zero() {
            return;
        }
        if self.sent_at.is_none_or(|at| now.duration_since(at) >= SILENCE) {
            self.at_once = AT_ONCE;
        }
        self.sent_at = Some(now);
        self.held_until = (self.at_once == 0).then(|| now + self.longest);
        self.at_once = self.at_once.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_millis(150);

    fn paced() -> OutputPace {
        let mut pace = OutputPace::default();
        pace.set(LONGEST);
        pace
    }

    #[test]
    fn without_a_pace_nothing_is_held_back() {
        let (mut pace, now) = (OutputPace::default(), Instant::now());
        for _ in 0..10 {
            pace.sent(now);
            assert_eq!(pace.held_until(now, 1), None);
        }
    }

    #[test]
    fn a_few_pieces_after_a_silence_go_at_once_and_then_one_for_each_span() {
        let (mut pace, start) = (paced(), Instant::now());
        for _ in 0..AT_ONCE {
            pace.sent(start);
            assert_eq!(pace.held_until(start, 1), None);
        }
        pace.sent(start);
        assert_eq!(pace.held_until(start, 1), Some(start + LONGEST));
        assert_eq!(pace.held_until(start + LONGEST, 1), None);
        pace.sent(start + LONGEST);
        assert_eq!(
            pace.held_until(start + LONGEST, 1),
            Some(start + LONGEST + LONGEST)
        );
        let later = start + LONGEST + SILENCE;
        pace.sent(later);
        assert_eq!(pace.held_until(later, 1), None, "it was silent");
    }

    #[test]
    fn a_flood_is_not_held_back_and_what_follows_it_is() {
        let (mut pace, now) = (paced(), Instant::now());
        for _ in 0..=AT_ONCE {
            pace.sent(now);
        }
        assert_eq!(pace.held_until(now, FLOOD), None);
        pace.sent(now);
        assert_eq!(pace.held_until(now, FLOOD - 1), Some(now + LONGEST));
    }

    #[test]
    fn what_follows_input_goes_at_once() {
        let (mut pace, now) = (paced(), Instant::now());
        for _ in 0..=AT_ONCE {
            pace.sent(now);
        }
        for _ in 0..AT_ONCE {
            pace.typed();
            assert_eq!(pace.held_until(now, 1), None);
            pace.sent(now);
        }
    }

    #[test]
    fn another_pace_begins_anew() {
        let (mut pace, now) = (paced(), Instant::now());
        for _ in 0..=AT_ONCE {
            pace.sent(now);
        }
        pace.set(Duration::ZERO);
        assert_eq!(pace.held_until(now, 1), None);
    }
}
