//! What one client's screen looks like: its theme, by what was chosen, what is set and what its terminal is like.

use crate::adapters::clock;
use crate::domain::Level;
use crate::protocol::wire::Colour;
use crate::server::drawing::Client;
use crate::server::picture::Stale;
use crate::ui::{Ground, Looks};

impl Client {
    /// Takes up the theme that holds now; one that cannot be had is told, and the plain one taken.
    pub(super) fn dress(&mut self) {
        self.theme = match self.taste.theme(self.state.theme(), self.looks) {
            Ok(theme) => theme,
            Err(problem) => {
                self.state
                    .tell(clock::now(), Level::Warning, format!("could not {problem}"));
                self.taste.plain_theme(self.looks)
            }
        };
        self.picture.mark(Stale::Everything);
    }

    /// Its terminal told one of its colours: what programs are told may change, and the theme that follows the background.
    pub(super) fn has_colour(&mut self, colour: Colour) {
        self.colours.add(colour);
        self.tell_colours();
        let Colour::Background((red, green, blue)) = colour else {
            return;
        };
        let looks = Looks {
            ground: Some(Ground::of(red, green, blue)),
            ..self.looks
        };
        if looks != self.looks {
            self.looks = looks;
            self.dress();
        }
    }

    /// Says what is known of its colours.
    pub(super) fn tell_colours(&self) {
        self.services.clients.has_colours(self.number, self.colours);
    }
}
