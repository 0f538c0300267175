//! What the window around the terminal shows of a session: its title, and how far the work is. Said again after the terminal
//! was lent to another program.

use crate::client::bar::Bar;
use crate::client::tty::RawTerminal;
use crate::client::voice::Voice;
use crate::ui::Progress;

/// What the window was told last.
pub(super) struct Signs {
    voice: Voice,
    bar: Bar,
    title: String,
    progress: Progress,
}

impl Signs {
    /// Nothing yet, on a terminal that understands this.
    pub(super) fn new(voice: Voice, bar: Bar) -> Signs {
        Signs {
            voice,
            bar,
            title: String::new(),
            progress: Progress::Idle,
        }
    }

    /// The window is called so.
    pub(super) fn name(&mut self, title: String) {
        self.title = title;
        RawTerminal::name(&self.voice.title(&self.title));
    }

    /// The work is so far.
    pub(super) fn progress(&mut self, progress: Progress) {
        self.progress = progress;
        RawTerminal::show_bar(&self.bar.bytes(progress));
    }

    /// Says all of it again.
    pub(super) fn again(&self) {
        RawTerminal::name(&self.voice.title(&self.title));
        if self.progress != Progress::Idle {
            RawTerminal::show_bar(&self.bar.bytes(self.progress));
        }
    }
}
