//! What the window around the terminal shows of a session: its title, and how far the work is. Said again after the terminal
//! was lent to another program.

use crate::client::features::TerminalFeatures;
use crate::client::progress::ProgressSupport;
use crate::client::tty::TerminalGuard;
use crate::ui::WorkProgress;

/// Title and progress that the terminal window was given last.
pub(super) struct WindowStatus {
    features: TerminalFeatures,
    progress_support: ProgressSupport,
    title: String,
    progress: WorkProgress,
}

impl WindowStatus {
    /// Nothing yet, on a terminal that understands this.
    pub(super) fn new(features: TerminalFeatures, progress_support: ProgressSupport) -> WindowStatus {
        WindowStatus {
            features,
            progress_support,
            title: String::new(),
            progress: WorkProgress::Idle,
        }
    }

    pub(super) fn set_title(&mut self, title: String) {
        self.title = title;
        TerminalGuard::set_title(&self.features.title(&self.title));
    }

    pub(super) fn set_progress(&mut self, progress: WorkProgress) {
        self.progress = progress;
        TerminalGuard::show_progress(&self.progress_support.bytes(progress));
    }

    pub(super) fn repeat(&self) {
        TerminalGuard::set_title(&self.features.title(&self.title));
        if self.progress != WorkProgress::Idle {
            TerminalGuard::show_progress(&self.progress_support.bytes(self.progress));
        }
    }
}
