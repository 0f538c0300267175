//! The available themes: built-in ones and a person's own, by name. A name can mean two files, one for dark and one for light terminals.

use std::collections::BTreeMap;

use ratatui::style::{Modifier, Style};

use super::colour::fit_style_on;
use super::file::{RoleStyle, ThemeFile};
use super::{StyleRole, Theme, ThemeError};
use crate::display::UserTheme;
use crate::display::{Background, ColourDepth, DisplayCaps};

macro_rules! theme_files {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("../../../assets/themes/", $name, ".toml")))),*]
    };
}

/// Built-in theme files, by name.
pub(super) const BUILTIN: [(&str, &str); 17] = theme_files![
    "terminal",
    "dark",
    "light",
    "high-contrast-dark",
    "high-contrast-light",
    "colour-blind-dark",
    "colour-blind-light",
    "mono",
    "catppuccin-dark",
    "catppuccin-light",
    "gruvbox-dark",
    "gruvbox-light",
    "nord",
    "solarized-dark",
    "solarized-light",
    "tokyo-night-dark",
    "tokyo-night-light"
];

/// Themes that a person can choose, before their own ones, with a description.
pub(super) const NAMES: [(&str, &str); 13] = [
    ("auto", "as the terminal can"),
    ("terminal", "the terminal's own 16 colours"),
    ("adaptive", "dark or light, as the terminal is"),
    ("dark", "light text on dark"),
    ("light", "dark text on light"),
    ("high-contrast", "as much contrast as can be"),
    ("colour-blind", "no red against green"),
    ("mono", "no colours"),
    ("catppuccin", "Mocha or Latte, as the terminal is"),
    ("gruvbox", "dark or light, as the terminal is"),
    ("nord", "light text on dark"),
    ("solarized", "dark or light, as the terminal is"),
    ("tokyo-night", "night or day, as the terminal is"),
];

/// Maximum length of a chain of themes joined by `like`.
const DEEPEST: usize = 8;

/// All available themes: the built-in ones and a person's own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Themes {
    own: Vec<UserTheme>,
}

impl Themes {
    /// Creates the built-in themes and these; the first of two with the same name wins, and a person's own one before a built-in one.
    pub fn new(own: Vec<UserTheme>) -> Themes {
        Themes { own }
    }

    /// Returns the themes that can be chosen: the name, and a short description.
    pub fn names(&self) -> Vec<(String, String)> {
        let builtin = NAMES.map(|(name, what)| (name.to_owned(), what.to_owned()));
        let mut names: Vec<(String, String)> = builtin.into();
        for own in &self.own {
            if !names.iter().any(|(name, _)| *name == own.name) {
                names.push((own.name.clone(), own.file.clone()));
            }
        }
        names
    }

    /// Returns the theme of that name for that terminal. A theme chosen by name overrides a terminal that asks for no colours; `auto`
    /// follows it.
    ///
    /// # Errors
    /// When there is no such theme, or its file cannot be understood.
    pub fn theme(&self, name: &str, caps: DisplayCaps) -> Result<Theme, ThemeError> {
        let palette = match (name, caps.palette) {
            ("mono", _) | ("auto", ColourDepth::Mono) => ColourDepth::Mono,
            (_, palette) => palette.max(ColourDepth::Sixteen),
        };
        let name = match (name, palette) {
            ("auto", ColourDepth::Mono) => "mono",
            ("auto", _) => "terminal",
            (name, _) => name,
        };
        let rows = self.rows(&self.file_for(name, caps.ground)?)?;
        Ok(Theme {
            roles: styles(&rows, palette),
            palette,
            glyphs: caps.glyphs,
        })
    }

    /// Returns the name of the file for a theme.
    fn file_for(&self, name: &str, ground: Option<Background>) -> Result<String, ThemeError> {
        let ground = match ground {
            Some(Background::Light) => "light",
            Some(Background::Dark) | None => "dark",
        };
        let candidates = [
            name.to_owned(),
            format!("{name}-{ground}"),
            match name {
                "adaptive" => ground.to_owned(),
                _ => String::new(),
            },
        ];
        let there = candidates.into_iter().find(|name| self.text(name).is_some());
        there.ok_or_else(|| ThemeError::Unknown {
            name: name.to_owned(),
            known: self
                .names()
                .into_iter()
                .map(|(name, _)| name)
                .collect::<Vec<_>>()
                .join(", "),
        })
    }

    /// Returns the name of a file as used in errors, and its text.
    fn text(&self, name: &str) -> Option<(&str, &str)> {
        let own = self.own.iter().find(|own| own.name == name);
        let builtin = || BUILTIN.iter().find(|(known, _)| *known == name).copied();
        own.map(|own| (own.file.as_str(), own.text.as_str()))
            .or_else(builtin)
    }

    /// Returns the roles of a file and of those it is like.
    fn rows(&self, name: &str) -> Result<BTreeMap<StyleRole, RoleStyle>, ThemeError> {
        let mut rows = BTreeMap::new();
        let mut next = Some(name.to_owned());
        for _ in 0..DEEPEST {
            let Some(name) = next else { return Ok(rows) };
            let known = self.text(&name).or_else(|| self.text("terminal"));
            let (file, text) = known.unwrap_or_default();
            let read = ThemeFile::parse(file, text)?;
            for (role, look) in read.roles {
                rows.entry(role).or_insert(look);
            }
            next = match read.like {
                Some(like) => Some(self.file_for(&like, None)?),
                None => None,
            };
        }
        Err(ThemeError::Ring(name.to_owned()))
    }
}

/// Returns the styles with the available colours. Where a theme has a colour for text, every role has one.
fn styles(rows: &BTreeMap<StyleRole, RoleStyle>, palette: ColourDepth) -> BTreeMap<StyleRole, Style> {
    let text = rows
        .get(&StyleRole::Text)
        .map(RoleStyle::style)
        .unwrap_or_default();
    let style = |(role, look): (&StyleRole, &RoleStyle)| {
        let style = look.style();
        // A bar or a chosen row that only has a ground keeps the colours of its text.
        let is_surface = style.bg.is_some() || matches!(role, StyleRole::Bar);
        let style = Style {
            fg: style.fg.or(if is_surface { None } else { text.fg }),
            ..style
        };
        let style = fit_style_on(style, text.bg, palette);
        match role {
            // Dim text must be readable where it is marked.
            StyleRole::Selected => (*role, style.remove_modifier(Modifier::DIM)),
            _ => (*role, style),
        }
    };
    rows.iter().map(style).collect()
}
