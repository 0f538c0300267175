//! What a role looks like: colours from a theme file, glyphs from one of two sets. Every state has a glyph and a word too, so
//! that nothing is said by colour alone (P50).

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

/// Colours and glyphs of one client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    roles: BTreeMap<Role, Style>,
    /// Whether colours may be used; without them an agent's own colours are left out as well.
    pub palette: Palette,
    /// Which glyphs and lines.
    pub glyphs: Glyphs,
}

/// Whether colours may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Palette {
    /// The terminal's own 16 colours.
    Sixteen,
    /// None; bold, dim and reverse only.
    Mono,
}

/// Which glyphs and lines can be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Glyphs {
    /// Unicode.
    Unicode,
    /// ASCII only: for `TERM=linux`, `LANG=C`, and locales that draw lines two columns wide.
    Ascii,
}

/// What a piece of the frame stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Ordinary text.
    Text,
    /// Less important text.
    Dim,
    /// Text that stands out.
    Strong,
    /// Lines around panes.
    Border,
    /// Lines around the pane that has the focus.
    BorderFocus,
    /// Lines around the pane that receives every key.
    BorderType,
    /// A pane's title.
    Title,
    /// The title of the pane that has the focus.
    TitleFocus,
    /// The row that actions apply to, in the pane that has the focus.
    Selected,
    /// The same in other panes.
    SelectedElsewhere,
    /// Top bar and status line.
    Bar,
    /// The tab shown.
    TabHere,
    /// A key in a hint.
    Key,
    /// The word NAV.
    ModeNav,
    /// The word LOOK.
    ModeLook,
    /// The word TYPE.
    ModeType,
    /// The word COPY.
    ModeCopy,
    /// The word FIND.
    ModeFind,
    /// The word ASK.
    ModeAsk,
    /// What was looked for, where it was found.
    Found,
    /// Waits its turn.
    Pending,
    /// At work.
    Running,
    /// Being checked.
    Verifying,
    /// Done.
    Done,
    /// Failed.
    Failed,
    /// Stuck.
    Blocked,
    /// Waits for a person.
    Human,
    /// Will be tried again.
    Retry,
    /// Banners: paused, connection.
    Banner,
    /// The word REHEARSAL.
    Rehearsal,
}

/// What is wrong with a theme file.
#[derive(Debug, thiserror::Error)]
#[error("read the theme: {0}")]
pub struct ThemeProblem(#[from] toml_edit::de::Error);

const SIXTEEN: &str = include_str!("../../assets/themes/terminal.toml");
const MONO: &str = include_str!("../../assets/themes/mono.toml");

impl Theme {
    /// The built-in theme: follows the terminal's own colours, or uses none.
    pub fn builtin(palette: Palette, glyphs: Glyphs) -> Theme {
        let text = match palette {
            Palette::Sixteen => SIXTEEN,
            Palette::Mono => MONO,
        };
        let plain = Theme {
            roles: BTreeMap::new(),
            palette,
            glyphs,
        };
        Theme::parse(text, palette, glyphs).unwrap_or(plain)
    }

    /// A theme from the text of a theme file. Roles it leaves out look like ordinary text.
    ///
    /// # Errors
    /// When the text is no TOML, or names a role or colour that does not exist.
    pub fn parse(text: &str, palette: Palette, glyphs: Glyphs) -> Result<Theme, ThemeProblem> {
        let looks: BTreeMap<Role, Look> = toml_edit::de::from_str(text)?;
        let roles = looks
            .into_iter()
            .map(|(role, look)| (role, look.style()))
            .collect();
        Ok(Theme {
            roles,
            palette,
            glyphs,
        })
    }

    /// How a role looks.
    pub fn style(&self, role: Role) -> Style {
        self.roles.get(&role).copied().unwrap_or_default()
    }

    /// The mark for text that was cut.
    pub fn more(&self) -> &'static str {
        match self.glyphs {
            Glyphs::Unicode => "…",
            Glyphs::Ascii => "~",
        }
    }
}

/// A row of a theme file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Look {
    fg: Option<Color>,
    bg: Option<Color>,
    #[serde(default)]
    attrs: Vec<Attr>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Attr {
    Bold,
    Dim,
    Reverse,
    Underline,
}

impl Look {
    fn style(&self) -> Style {
        let mut style = Style {
            fg: self.fg,
            bg: self.bg,
            ..Style::default()
        };
        for attr in &self.attrs {
            style = style.add_modifier(match attr {
                Attr::Bold => Modifier::BOLD,
                Attr::Dim => Modifier::DIM,
                Attr::Reverse => Modifier::REVERSED,
                Attr::Underline => Modifier::UNDERLINED,
            });
        }
        style
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_built_in_themes_can_be_read_and_one_has_no_colour() {
        Theme::parse(SIXTEEN, Palette::Sixteen, Glyphs::Unicode).expect("terminal.toml");
        let mono = Theme::parse(MONO, Palette::Mono, Glyphs::Unicode).expect("mono.toml");
        assert!(
            mono.roles
                .values()
                .all(|style| style.fg.is_none() && style.bg.is_none())
        );
        let sixteen = Theme::builtin(Palette::Sixteen, Glyphs::Ascii);
        assert!(mono.roles.keys().eq(sixteen.roles.keys()));
    }
}
