//! Time of sending output to one peer: at once, or collected for a while; and the time of reading the terminal for that. Pure: the time is
//! given.

use std::time::{Duration, Instant};

/// Pending bytes that are sent however little time has passed since the last: a flood does not become longer by being collected.
pub(super) const FLOOD: u64 = 16 * 1024;

/// Time without output after which a person may wait for the next output of a program.
const SILENCE: Duration = Duration::from_secs(1);

/// Time in which the bytes read are counted, about as long as a pause: a program's output during a pause has to find room.
const SPAN: Duration = Duration::from_millis(175);

/// Bytes of a full read. A smaller one has emptied the terminal: the system keeps a page for a reader.
const FULL_READ: usize = 4000;

/// Pieces of output that are sent at once after a silence, and after input.
const AT_ONCE: u8 = 3;

/// Collecting of output for one peer, and its progress.
#[derive(Debug, Default)]
pub(super) struct OutputPace {
    /// Maximum time for which output is collected; zero collects nothing.
    longest: Duration,
    sent_at: Option<Instant>,
    held_until: Option<Instant>,
    /// Pieces since the last silence that may still go at once.
    at_once: u8,
}

impl OutputPace {
    /// Sets the longest time for which output is collected from now on.
    pub(super) fn set(&mut self, longest: Duration) {
        *self = OutputPace {
            longest,
            ..OutputPace::default()
        };
    }

    /// Returns the time until which this many pending bytes are held back, if they are.
    pub(super) fn held_until(&self, now: Instant, pending: u64) -> Option<Instant> {
        self.held_until.filter(|until| *until > now && pending < FLOOD)
    }

    /// Returns the time until which the terminal is not read, because its output would be held back, or the earlier output is still being
    /// sent. `since` is the time at which this was first asked for the present read.
    pub(super) fn unread_until(&self, since: Instant, now: Instant, pending: u64) -> Option<Instant> {
        // A little longer, so that the bytes read then are not held back once more.
        let latest = since + self.longest + self.longest / 8;
        if self.longest.is_zero() || now >= latest || pending >= FLOOD {
            return None;
        }
        let held = self.held_until.filter(|until| *until > now);
        held.map(|until| until.min(latest))
            .or((pending > 0).then_some(latest))
    }

    /// Notes that input was typed into the program: a person may wait for its next output.
    pub(super) fn typed(&mut self) {
        self.held_until = None;
        self.at_once = AT_ONCE;
    }

    /// Notes that output is sent now.
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

/// Pauses before reads of the terminal. Output of a program during a pause must find room in the terminal, so a program that writes a lot
/// is read without a pause, and so is output that a read has left there.
#[derive(Debug)]
pub(in super::super) struct ReadPace {
    /// Bytes that a program can write while the terminal is not read; if zero, no read waits.
    room: usize,
    /// Bytes that were read in the present span.
    count: usize,
    /// Start of the present span.
    counted_from: Option<Instant>,
    /// True if the last read took everything there was.
    is_empty: bool,
    /// Time at which the reads of a span last exceeded half of the room.
    crowded_at: Option<Instant>,
}

impl ReadPace {
    /// Creates the pace of a terminal with this much room, of which nothing was read yet.
    pub(in super::super) fn new(room: usize) -> Self {
        Self {
            room,
            count: 0,
            counted_from: None,
            is_empty: false,
            crowded_at: None,
        }
    }

    /// Notes that a read of the terminal gave this many bytes.
    pub(in super::super) fn read(&mut self, count: usize, now: Instant) {
        if self
            .counted_from
            .is_none_or(|from| now.duration_since(from) >= SPAN)
        {
            (self.count, self.counted_from) = (0, Some(now));
        }
        self.count = self.count.saturating_add(count);
        self.is_empty = count < FULL_READ;
        if self.count > self.room / 2 {
            self.crowded_at = Some(now);
        }
    }

    pub(super) fn may_pause(&self, now: Instant) -> bool {
        let is_quiet = self.crowded_at.is_none_or(|at| now.duration_since(at) >= SILENCE);
        self.room > 0 && self.is_empty && is_quiet
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: usize = 8 * 1024;

    #[test]
    fn a_terminal_is_not_read_while_its_output_would_be_held_back_or_is_being_sent() {
        let (mut pace, now) = (paced(), Instant::now());
        let ms = |count| now + Duration::from_millis(count);
        assert_eq!(pace.unread_until(now, now, 0), None, "nothing was said yet");
        let latest = now + LONGEST + LONGEST / 8;
        assert_eq!(pace.unread_until(now, now, 1), Some(latest), "it is being sent");
        for _ in 0..=AT_ONCE {
            pace.sent(now);
        }
        assert_eq!(pace.unread_until(ms(10), ms(10), 0), Some(now + LONGEST));
        assert_eq!(pace.unread_until(ms(10), ms(10), FLOOD), None);
        assert_eq!(pace.unread_until(now, latest, 1), None, "never longer");
        pace.sent(now + LONGEST);
        assert_eq!(pace.unread_until(now, ms(149), 0), Some(latest), "never longer");
        pace.typed();
        assert_eq!(pace.unread_until(ms(160), ms(160), 0), None);
        pace.set(Duration::ZERO);
        assert_eq!(pace.unread_until(now, now, 1), None);
    }

    #[test]
    fn what_a_read_has_left_and_what_fills_the_terminal_is_read_without_a_pause() {
        let (mut reads, now) = (ReadPace::new(ROOM), Instant::now());
        assert!(!reads.may_pause(now), "nothing was read");
        reads.read(FULL_READ, now);
        assert!(!reads.may_pause(now), "there may be more");
        reads.read(1, now);
        assert!(reads.may_pause(now + SILENCE), "it has room");
        let now = now + SPAN;
        for _ in 0..3 {
            reads.read(1000, now);
            assert!(reads.may_pause(now));
        }
        reads.read(1097, now);
        assert!(!reads.may_pause(now + SILENCE / 2), "it fills");
        assert!(reads.may_pause(now + SILENCE));
        let at = |nth: u32| now + SILENCE + SPAN * nth;
        for nth in 0..10 {
            reads.read(1000, at(nth));
            assert!(reads.may_pause(at(nth)), "each span has room for it");
        }
        let mut without_room = ReadPace::new(0);
        without_room.read(1, now);
        assert!(!without_room.may_pause(now + SILENCE));
    }

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
