//! What is kept of a full-screen program's last screen. Must not cost more than the bytes that ask for it.

use crate::size::Size;

/// Most bytes that are kept; a screen that needs more is not.
const MAX_BYTES: usize = 1024 * 1024;
/// Keeping a screen costs a credit of so many bytes for each of its cells: some programs clear theirs for every frame.
const BYTES_PER_CELL: u64 = 8;
/// So many milliseconds earn one screen; bytes that are drawn do, too, for a terminal that is shown its past knows no time.
const INTERVAL: u64 = 100;
/// Most bytes that a program that ends draws after it left its screen; one that draws more went on without it.
pub(super) const LAST_WORDS: u64 = 4096;
/// Most screens the credit is good for.
const BURST: u64 = 16;

/// The last screen of a full-screen program, as escape codes.
#[derive(Default)]
pub(super) struct LastFullScreen {
    pub(super) rows: String,
    /// The first line that was written on the main screen after it was left, counted from the oldest, and how many bytes had been drawn.
    pub(super) left_at: Option<(usize, u64)>,
    credit: Option<KeepCredit>,
}

/// What may still be spent on keeping screens, in bytes, and when that was known.
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

    /// Spends the credit for one screen, if there is enough, when so many bytes were drawn ever.
    pub(super) fn may_keep(&mut self, size: Size, (now, drawn): (u64, u64)) -> bool {
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
