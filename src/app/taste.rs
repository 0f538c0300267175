//! How a person wants the screen: colours, glyphs, the prefix key. What is not set follows the terminal.

use std::sync::Arc;

use super::config::Config;
use super::wire::Looks;
use crate::ui::{Glyphs, KeyProblem, Keymap, Palette, Theme};

/// How a person wants the screen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Taste {
    /// Colours; `None`: as the terminal can.
    palette: Option<Palette>,
    /// Glyphs and lines; `None`: as the terminal can.
    glyphs: Option<Glyphs>,
    /// The prefix; `None`: that of the key file.
    prefix: Option<String>,
}

impl Taste {
    /// What the settings say.
    pub fn of(config: &Config) -> Taste {
        Taste {
            palette: match config.text("theme").as_deref() {
                Some("mono") => Some(Palette::Mono),
                Some("terminal") => Some(Palette::Sixteen),
                _ => None,
            },
            glyphs: match config.text("glyphs").as_deref() {
                Some("unicode") => Some(Glyphs::Unicode),
                Some("ascii") => Some(Glyphs::Ascii),
                _ => None,
            },
            prefix: config.text("keys.prefix"),
        }
    }

    /// The theme for a terminal that looks so. What was set wins over what the terminal says, also over `NO_COLOR`.
    pub fn theme(&self, looks: Looks) -> Theme {
        let (palette, glyphs) = match looks {
            Looks::Full => (Palette::Sixteen, Glyphs::Unicode),
            Looks::Plain => (Palette::Mono, Glyphs::Unicode),
            Looks::Ascii => (Palette::Sixteen, Glyphs::Ascii),
            Looks::PlainAscii => (Palette::Mono, Glyphs::Ascii),
        };
        Theme::builtin(self.palette.unwrap_or(palette), self.glyphs.unwrap_or(glyphs))
    }

    /// The keys.
    ///
    /// # Errors
    /// When the prefix is taken by an action; the settings are checked for that when they are read.
    pub fn keymap(&self) -> Result<Arc<Keymap>, KeyProblem> {
        let own = self
            .prefix
            .as_ref()
            .map(|prefix| format!("prefix = '{prefix}'\n"));
        Keymap::with(own.as_deref().unwrap_or_default()).map(Arc::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::config::{Given, Places};

    fn taste(text: &str) -> Taste {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::new(folder.path(), None, None);
        std::fs::write(places.toml(), text).unwrap();
        Taste::of(&Config::read(&places, &Given::default()))
    }

    #[test]
    fn without_settings_the_screen_follows_the_terminal() {
        for (looks, palette, glyphs) in [
            (Looks::Full, Palette::Sixteen, Glyphs::Unicode),
            (Looks::PlainAscii, Palette::Mono, Glyphs::Ascii),
        ] {
            let theme = taste("").theme(looks);
            assert_eq!((theme.palette, theme.glyphs), (palette, glyphs));
        }
        assert_eq!(taste("").keymap().unwrap().prefix().to_string(), "C-b");
    }

    #[test]
    fn theme_glyphs_and_prefix_are_as_they_are_set_whatever_the_terminal_says() {
        let theme = taste("theme = \"mono\"\nglyphs = \"ascii\"\n").theme(Looks::Full);
        assert_eq!((theme.palette, theme.glyphs), (Palette::Mono, Glyphs::Ascii));
        let theme = taste("theme = \"terminal\"\nglyphs = \"unicode\"\n").theme(Looks::PlainAscii);
        assert_eq!((theme.palette, theme.glyphs), (Palette::Sixteen, Glyphs::Unicode));
        let keys = taste("keys.prefix = \"ctrl-a\"\n").keymap().unwrap();
        assert_eq!(keys.prefix().to_string(), "C-a");
    }
}
