//! What one client's screen looks like: its theme, by what was chosen, what is set and what its terminal is like.

use std::path::Path;

use super::Client;
use crate::adapters::clock;
use crate::app::place::Place;
use crate::app::server::arranging::toml_files;
use crate::app::server::picture::Stale;
use crate::app::wire::Colour;
use crate::domain::Level;
use crate::ui::{Ground, Looks, OwnTheme};

impl Client {
    /// Takes up the theme that holds now; one that cannot be had is told, and the plain one taken.
    pub(crate) fn dress(&mut self) {
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
        self.server
            .dress(self.server.colours.told(self.number, self.colours));
    }
}

/// Theme files of the project, then the person's own; and what could not be read. Blocks for a few small reads.
pub(in crate::app) fn own_themes(place: &Place) -> (Vec<OwnTheme>, Vec<String>) {
    let mine = place.sources.places.user.first().and_then(|file| file.parent());
    let folders = [Some(place.debussy.as_path()), mine];
    let (mut own, mut problems) = (Vec::new(), Vec::new());
    for folder in folders.into_iter().flatten() {
        match toml_files(&folder.join("themes")) {
            Ok(files) => own.extend(files.into_iter().map(|(file, text)| named(&file, text))),
            Err((file, why)) => problems.push(format!("could not use {}: {why}", file.display())),
        }
    }
    (own, problems)
}

fn named(file: &Path, text: String) -> OwnTheme {
    let name = file.file_stem().unwrap_or_default();
    OwnTheme {
        name: name.to_string_lossy().into_owned(),
        file: file.display().to_string(),
        text,
    }
}
