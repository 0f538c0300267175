//! Which colours programs are told when they ask their terminal: those of the client that was used last, among those whose
//! terminals told theirs.

use parking_lot::Mutex;

use crate::protocol::wire::Colour;
use crate::term::{Palette, Rgb};
use crate::ui::Ground;

/// What the terminal of one client told of its colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Known {
    foreground: Option<Rgb>,
    background: Option<Rgb>,
}

impl Known {
    /// What its environment says: nothing, or whether its background is dark.
    pub(super) fn by(ground: Option<Ground>) -> Known {
        let background = ground.map(|ground| match ground {
            Ground::Dark => Palette::default().background,
            Ground::Light => (0xff, 0xff, 0xff),
        });
        Known {
            foreground: None,
            background,
        }
    }

    /// It told one more.
    pub(super) fn add(&mut self, colour: Colour) {
        match colour {
            Colour::Foreground(rgb) => self.foreground = Some(rgb),
            Colour::Background(rgb) => self.background = Some(rgb),
        }
    }
}

/// The colours of all clients. Every method answers what programs are to be told from now on, nothing when that is as it was.
#[derive(Debug, Default)]
pub(super) struct Colours(Mutex<Told>);

#[derive(Debug, Default)]
struct Told {
    /// Clients, the one used last at the end, with what their terminals told.
    clients: Vec<(u64, Known)>,
    now: Palette,
}

impl Colours {
    /// That client's terminal has these colours.
    pub(super) fn told(&self, client: u64, known: Known) -> Option<Palette> {
        let mut told = self.0.lock();
        match told.clients.iter_mut().find(|(other, _)| *other == client) {
            Some((_, before)) => *before = known,
            None => told.clients.insert(0, (client, known)),
        }
        told.decide()
    }

    /// A person did something at that client.
    pub(super) fn used(&self, client: u64) -> Option<Palette> {
        let mut told = self.0.lock();
        let at = told.clients.iter().position(|(other, _)| *other == client)?;
        if at + 1 == told.clients.len() {
            return None;
        }
        let known = told.clients.remove(at);
        told.clients.push(known);
        told.decide()
    }

    /// That client has gone; when it was the last one its colours stay.
    pub(super) fn left(&self, client: u64) -> Option<Palette> {
        let mut told = self.0.lock();
        told.clients.retain(|(other, _)| *other != client);
        told.decide()
    }
}

impl Told {
    fn decide(&mut self) -> Option<Palette> {
        let known = self.clients.iter().rev().map(|(_, known)| known);
        let known = known.copied().find(|known| *known != Known::default())?;
        let palette = Palette::told(known.foreground, known.background);
        (std::mem::replace(&mut self.now, palette) != palette).then_some(palette)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: Rgb = (255, 0, 0);
    const WHITE: Rgb = (255, 255, 255);

    fn known(background: Rgb) -> Known {
        let mut known = Known::default();
        known.add(Colour::Background(background));
        known
    }

    fn on(background: Rgb) -> Palette {
        Palette::told(None, Some(background))
    }

    #[test]
    fn the_client_that_was_used_last_decides() {
        let colours = Colours::default();
        assert_eq!(colours.told(1, known(WHITE)), Some(on(WHITE)));
        assert_eq!(colours.told(1, known(WHITE)), None);
        assert_eq!(colours.told(2, known(RED)), None, "nobody has used it");
        assert_eq!(colours.used(1), None);
        assert_eq!(colours.used(2), Some(on(RED)));
        assert_eq!(colours.used(2), None);
        assert_eq!(colours.left(2), Some(on(WHITE)));
    }

    #[test]
    fn a_terminal_that_told_nothing_changes_nothing() {
        let colours = Colours::default();
        colours.told(1, known(WHITE));
        colours.told(2, Known::by(None));
        assert_eq!(colours.used(2), None);
        assert_eq!(colours.left(1), None, "the last known ones stay");
        assert_eq!(
            colours.told(2, Known::by(Some(Ground::Dark))),
            Some(Palette::default())
        );
    }
}
