//! A theme file as it is written: the theme it is based on, and the styles of its roles. Problems are reported with their line.

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier, ParseColorError, Style};
use serde::Deserialize;

use super::StyleRole;
use crate::domain::Cause;

/// The error for a theme that cannot be read or found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThemeError {
    #[error("read the theme {file}, line {line}: {why}")]
    Line { file: String, line: usize, why: String },
    #[error("find the theme `{name}`: there are {known}")]
    Unknown { name: String, known: String },
    /// Theme that is based on itself.
    #[error("read the theme `{0}`: it is like itself; take its row `like` out")]
    Ring(String),
}

/// A theme file as it is parsed: its base theme and the styles of its roles.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ThemeFile {
    /// The theme whose roles hold where this one has none.
    pub(super) like: Option<String>,
    /// Roles and their styles.
    #[serde(default)]
    pub(super) roles: BTreeMap<StyleRole, RoleStyle>,
}

/// The colours and attributes a theme file gives to a role.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RoleStyle {
    fg: Option<ThemeColour>,
    bg: Option<ThemeColour>,
    #[serde(default)]
    attrs: Vec<Attr>,
}

/// A colour in a theme file, by name or as `#rrggbb`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
struct ThemeColour(Color);

impl TryFrom<String> for ThemeColour {
    type Error = Cause;

    fn try_from(text: String) -> Result<ThemeColour, Cause> {
        text.parse()
            .map(ThemeColour)
            .map_err(|_unknown: ParseColorError| {
                format!("`{text}` is not a colour: write `#rrggbb`, a name like `light-blue`, or 0 to 255")
                    .into()
            })
    }
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Attr {
    Bold,
    Dim,
    Reverse,
    Underline,
    Blink,
}

impl ThemeFile {
    /// Parses the text of a file; `name` is its name in errors.
    pub(super) fn parse(name: &str, text: &str) -> Result<ThemeFile, ThemeError> {
        toml_edit::de::from_str(text).map_err(|error| {
            let before = error
                .span()
                .and_then(|span| text.get(..span.start))
                .unwrap_or_default();
            ThemeError::Line {
                file: name.to_owned(),
                line: before.matches('\n').count() + 1,
                why: error.message().to_owned(),
            }
        })
    }
}

impl RoleStyle {
    pub(super) fn style(&self) -> Style {
        let style = Style {
            fg: self.fg.map(|paint| paint.0),
            bg: self.bg.map(|paint| paint.0),
            ..Style::default()
        };
        self.attrs.iter().fold(style, |style, attr| {
            style.add_modifier(match attr {
                Attr::Bold => Modifier::BOLD,
                Attr::Dim => Modifier::DIM,
                Attr::Reverse => Modifier::REVERSED,
                Attr::Underline => Modifier::UNDERLINED,
                Attr::Blink => Modifier::SLOW_BLINK,
            })
        })
    }
}
