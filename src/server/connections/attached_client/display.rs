//! Appearance of one client's screen: the person's settings, the capabilities of their terminal, and the theme that follows from both.

use crate::display::Appearance;
use crate::display::{Background, DisplayCaps};
use crate::protocol::wire::TerminalColour;
use crate::server::clients::colours::ReportedColours;
use crate::ui::{Theme, ThemeError};

/// The appearance a person set, their terminal's capabilities and colours, and the theme in force.
pub(super) struct ClientDisplay {
    pub(super) appearance: Appearance,
    pub(super) caps: DisplayCaps,
    pub(super) colours: ReportedColours,
    pub(super) theme: Theme,
}

impl ClientDisplay {
    /// Creates a display with the plain theme, until one is applied.
    pub(super) fn new(appearance: Appearance, caps: DisplayCaps) -> ClientDisplay {
        ClientDisplay {
            theme: Theme::plain(&appearance, caps),
            colours: ReportedColours::from_background(caps.ground),
            caps,
            appearance,
        }
    }

    /// Applies the theme of that name, or the one in the settings. One that cannot be loaded is replaced by the plain one.
    ///
    /// # Errors
    /// When it cannot be loaded. Reads after "could not".
    pub(super) fn apply_theme(&mut self, name: Option<&str>) -> Result<(), ThemeError> {
        let loaded = Theme::of(&self.appearance, name, self.caps);
        let (theme, outcome) = match loaded {
            Ok(theme) => (theme, Ok(())),
            Err(problem) => (Theme::plain(&self.appearance, self.caps), Err(problem)),
        };
        self.theme = theme;
        outcome
    }

    /// Takes a colour that the client's terminal reported; returns true if its background has changed.
    pub(super) fn add_colour(&mut self, colour: TerminalColour) -> bool {
        self.colours.add(colour);
        let TerminalColour::Background((red, green, blue)) = colour else {
            return false;
        };
        let ground = Some(Background::from_rgb(red, green, blue));
        std::mem::replace(&mut self.caps.ground, ground) != ground
    }
}
