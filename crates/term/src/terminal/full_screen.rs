//! The last screen of a full-screen program, as far as it is kept. Must not cost more than the bytes that ask for it.

use crate::size::Size;

/// Maximum number of bytes that are kept; a screen that needs more is not kept.
const MAX_BYTES: usize = 1024 * 1024;
/// Credit in bytes that keeping a screen costs for each of its cells: some programs clear theirs for every frame.
const BYTES_PER_CELL: u64 = 8;
/// Milliseconds that earn the credit for one screen; drawn bytes earn credit too, because a terminal that is shown its past has no time.
const INTERVAL: u64 = 100;
/// Maximum number of bytes that a program draws at its end after it left its screen; one that draws more continued without it.
pub(super) const LAST_WORDS: u64 = 4096;
/// Maximum number of screens the credit is good for.
const BURST: u64 = 16;

/// The last screen of a full-screen program, as escape codes.
#[derive(Default)]
pub(super) struct LastFullScreen {
    pub(super) rows: String,
    /// The first line that was written on the main screen after the screen was left, counted from the oldest, and the bytes drawn by then.
    pub(super) left_at: Option<(usize, u64)>,
    credit: Option<KeepCredit>,
}

/// Credit in bytes that may still be spent on keeping screens, with the time and drawn bytes of its last update.
#[derive(Clone, Copy)]
struct KeepCredit {
    bytes: u64,
    now: u64,
    drawn: u64,
}

impl LastFullScreen {
    /// Keeps a screen, unless it is blank.
    pub(super) fn keep(&mut self, rows: String) {
        if !rows.is_empty() && rows.len() <= MAX_BYTES {
            self.rows = rows;
        }
    }

    /// Spends the credit for one screen, if there is enough; `drawn` is the number of bytes ever drawn.
    pub(super) fn may_keep(&mut self, size: Size, now: u64, drawn: u64) -> bool {
        let price = u64::from(size.cols) * u64::from(size.rows) * BYTES_PER_CELL;
        let full = price * BURST;
        let before = self.credit.unwrap_or(KeepCredit {
            bytes: full,
            now,
            drawn,
        });
        let by_time = (now - before.now).saturating_mul(price) / INTERVAL;
        let earned = by_time.saturating_add(drawn - before.drawn);
        let there = before.bytes.saturating_add(earned).min(full);
        let rest = there.checked_sub(price);
        self.credit = Some(KeepCredit {
            bytes: rest.unwrap_or(there),
            now,
            drawn,
        });
        rest.is_some()
    }
}
