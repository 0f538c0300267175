//! Terminal for output of any length: it keeps few lines, and its owner takes them before they are dropped.

use crate::emulator_kind::EmulatorKind;
use crate::size::Size;
use crate::terminal::Terminal;

/// Maximum number of bytes that are fed at once, and so of lines that they add.
const PIECE: usize = 8 * 1024;

/// Terminal that is replaced by one with the same screen, and no lines above it, whenever it has many.
pub struct DrainingTerminal {
    terminal: Terminal,
    /// Number of lines above the screen at which they are taken.
    threshold: usize,
}

impl DrainingTerminal {
    /// Creates an empty terminal whose lines are taken as soon as `threshold` of them are above its screen.
    pub fn new(size: Size, threshold: usize) -> DrainingTerminal {
        DrainingTerminal {
            terminal: emulator(size, threshold),
            threshold,
        }
    }

    /// Returns the terminal with the lines that were not taken yet.
    pub fn terminal(&mut self) -> &mut Terminal {
        &mut self.terminal
    }

    /// Feeds output at a time in milliseconds; `take` gets the terminal before the lines above its screen go. A line without an end is
    /// taken apart when it alone has twice the number of rows.
    pub fn feed(&mut self, now: u64, bytes: &[u8], take: &mut dyn FnMut(&mut Terminal)) {
        for piece in bytes.chunks(PIECE) {
            // Between a line end and what follows no sequence is open, so the emulator can be changed there.
            let whole = memchr::memrchr(b'\n', piece).map_or(0, |end| end + 1);
            let (before, rest) = piece.split_at(whole);
            self.terminal.feed(now, before);
            let history = self.terminal.history_len();
            if history > self.threshold && whole > 0 || history > 2 * self.threshold {
                take(&mut self.terminal);
                let screen = self.terminal.dump(0);
                self.terminal = emulator(self.terminal.size(), self.threshold);
                self.terminal.feed(now, &screen);
            }
            self.terminal.feed(now, rest);
        }
    }
}

fn emulator(size: Size, threshold: usize) -> Terminal {
    Terminal::new(EmulatorKind::default(), size, 2 * threshold + 2 * PIECE)
}
