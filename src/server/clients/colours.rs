//! Colours that programs get when they ask their terminal: those of the client that was used last, among those whose terminals reported
//! theirs.

use parking_lot::Mutex;

use crate::display::Background;
use crate::protocol::wire::TerminalColour;
use crate::term::{ColorPalette, Rgb};

/// Foreground and background colour that a client's terminal reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::server) struct ReportedColours {
    foreground: Option<Rgb>,
    background: Option<Rgb>,
}

impl ReportedColours {
    /// Creates the colours known from the environment: none, or the background as dark or light.
    pub(in crate::server) fn from_background(ground: Option<Background>) -> ReportedColours {
        let background = ground.map(|ground| match ground {
            Background::Dark => ColorPalette::default().background,
            Background::Light => (0xff, 0xff, 0xff),
        });
        ReportedColours {
            foreground: None,
            background,
        }
    }

    pub(in crate::server) fn add(&mut self, colour: TerminalColour) {
        match colour {
            TerminalColour::Foreground(rgb) => self.foreground = Some(rgb),
            TerminalColour::Background(rgb) => self.background = Some(rgb),
        }
    }
}

/// Terminal colours of all clients, of which those of the last used client are passed on to programs. Every method returns the new colours
/// for programs, nothing when they are unchanged.
#[derive(Debug, Default)]
pub(in crate::server) struct ClientColours(Mutex<ColourState>);

#[derive(Debug, Default)]
struct ColourState {
    /// Clients, the one used last at the end, with the colours their terminals reported.
    clients: Vec<(u64, ReportedColours)>,
    now: ColorPalette,
}

impl ClientColours {
    pub(in crate::server) fn report(&self, client: u64, colours: ReportedColours) -> Option<ColorPalette> {
        let mut state = self.0.lock();
        match state.clients.iter_mut().find(|(other, _)| *other == client) {
            Some((_, before)) => *before = colours,
            None => state.clients.insert(0, (client, colours)),
        }
        state.decide()
    }

    pub(in crate::server) fn touch(&self, client: u64) -> Option<ColorPalette> {
        let mut state = self.0.lock();
        let at = state.clients.iter().position(|(other, _)| *other == client)?;
        if at + 1 == state.clients.len() {
            return None;
        }
        let known = state.clients.remove(at);
        state.clients.push(known);
        state.decide()
    }

    /// Removes a client that has left; when it was the last one its colours stay.
    pub(in crate::server) fn remove(&self, client: u64) -> Option<ColorPalette> {
        let mut state = self.0.lock();
        state.clients.retain(|(other, _)| *other != client);
        state.decide()
    }
}

impl ColourState {
    fn decide(&mut self) -> Option<ColorPalette> {
        let known = self.clients.iter().rev().map(|(_, known)| known);
        let known = known
            .copied()
            .find(|known| *known != ReportedColours::default())?;
        let palette = ColorPalette::from_reported(known.foreground, known.background);
        (std::mem::replace(&mut self.now, palette) != palette).then_some(palette)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: Rgb = (255, 0, 0);
    const WHITE: Rgb = (255, 255, 255);

    fn known(background: Rgb) -> ReportedColours {
        let mut known = ReportedColours::default();
        known.add(TerminalColour::Background(background));
        known
    }

    fn on(background: Rgb) -> ColorPalette {
        ColorPalette::from_reported(None, Some(background))
    }

    #[test]
    fn the_client_that_was_used_last_decides() {
        let colours = ClientColours::default();
        assert_eq!(colours.report(1, known(WHITE)), Some(on(WHITE)));
        assert_eq!(colours.report(1, known(WHITE)), None);
        assert_eq!(colours.report(2, known(RED)), None, "no client has used it");
        assert_eq!(colours.touch(1), None);
        assert_eq!(colours.touch(2), Some(on(RED)));
        assert_eq!(colours.touch(2), None);
        assert_eq!(colours.remove(2), Some(on(WHITE)));
    }

    #[test]
    fn a_terminal_that_reported_nothing_changes_nothing() {
        let colours = ClientColours::default();
        colours.report(1, known(WHITE));
        colours.report(2, ReportedColours::from_background(None));
        assert_eq!(colours.touch(2), None);
        assert_eq!(colours.remove(1), None, "the last known ones stay");
        assert_eq!(
            colours.report(2, ReportedColours::from_background(Some(Background::Dark))),
            Some(ColorPalette::default())
        );
    }
}
