//! Limit of replies to a program: as many as any program asks for that waits for its answers, and not so many that answers to a
//! program that does not read them take the place of a person's input.

/// Replies a second, and most replies at once.
const REPLIES_PER_SECOND: u64 = 2048;

/// Limits the number of replies that a program gets per second.
#[derive(Debug)]
pub(super) struct ReplyLimiter {
    /// Thousandths of a reply that are left.
    left: u64,
    counted_to: u64,
}

impl Default for ReplyLimiter {
    fn default() -> Self {
        Self {
            left: REPLIES_PER_SECOND * 1000,
            counted_to: 0,
        }
    }
}

impl ReplyLimiter {
    /// Returns true if one more reply may go out at `now` (milliseconds).
    pub(super) fn take(&mut self, now: u64) -> bool {
        let passed = now.saturating_sub(self.counted_to);
        self.counted_to = now;
        self.left = self
            .left
            .saturating_add(passed.saturating_mul(REPLIES_PER_SECOND))
            .min(REPLIES_PER_SECOND * 1000);
        let enough = self.left >= 1000;
        if enough {
            self.left -= 1000;
        }
        enough
    }
}
