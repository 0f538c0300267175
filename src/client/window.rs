//! State of the window around the terminal: the title, and the progress of the work. Sent again after the terminal was lent to another
//! program.

use crate::client::features::TerminalFeatures;
use crate::client::progress::ProgressSupport;
use crate::client::tty::TerminalGuard;
use crate::display::WorkProgress;

/// Title and progress that were last sent to the terminal window.
pub(super) struct WindowStatus {
    features: TerminalFeatures,
    progress_support: ProgressSupport,
    title: String,
    progress: WorkProgress,
}

impl WindowStatus {
    /// Creates the status of a window that was sent nothing yet, on a terminal with these features.
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
