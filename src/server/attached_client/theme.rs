//! What one client's screen looks like: its theme, by what was chosen, what is set and what its terminal is like.

use crate::adapters::clock;
use crate::domain::NoticeLevel;
use crate::protocol::wire::TerminalColour;
use crate::server::attached_client::AttachedClient;
use crate::server::frame::StaleScope;
use crate::ui::{Background, DisplayCaps};

impl AttachedClient {
    /// Applies the theme in force; a theme that cannot be loaded is reported and replaced by the plain one.
    pub(super) fn apply_theme(&mut self) {
        self.theme = match self.appearance.theme(self.state.theme(), self.looks) {
            Ok(theme) => theme,
            Err(problem) => {
                self.state
                    .show_toast(clock::now(), NoticeLevel::Warning, format!("could not {problem}"));
                self.appearance.plain_theme(self.looks)
            }
        };
        self.frame.mark_stale(StaleScope::Everything);
    }

    /// Its terminal told one of its colours: what programs are told may change, and the theme that follows the background.
    pub(super) fn on_colour(&mut self, colour: TerminalColour) {
        self.colours.add(colour);
        self.publish_colours();
        let TerminalColour::Background((red, green, blue)) = colour else {
            return;
        };
        let looks = DisplayCaps {
            ground: Some(Background::from_rgb(red, green, blue)),
            ..self.looks
        };
        if looks != self.looks {
            self.looks = looks;
            self.apply_theme();
        }
    }

    /// Publishes the colours of this client's terminal to programs.
    pub(super) fn publish_colours(&self) {
        self.services.clients.has_colours(self.number, self.colours);
    }
}
