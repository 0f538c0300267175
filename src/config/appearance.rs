//! How a person wants the screen: colours, glyphs, the prefix key. What is not set follows the terminal.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::config::{Config, SettingOrigin};
use crate::domain::{DailyHours, Span};
use serde::{Deserialize, Serialize};

use crate::ui::{
    AlertRules, AlertWhen, DisplayCaps, Glyphs, Keymap, KeymapError, Motion, MouseCapture, PastePreview,
    Theme, ThemeError, Themes, UserTheme,
};

/// How a terminal shows notifications: escape sequence, bell and tmux passthrough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotifyStyle {
    /// What shows the words.
    pub way: NotifySequence,
    /// Whether the bell rings.
    pub bell: bool,
    /// Whether the words are passed through tmux to the terminal around it.
    pub through_tmux: bool,
}

/// Escape sequence by which a terminal shows notifications.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotifySequence {
    /// What the terminal is known to understand.
    #[default]
    Auto,
    /// `OSC 9`.
    Osc9,
    /// `OSC 777`.
    Osc777,
    /// Nothing.
    None,
}

/// Theme, glyphs, keys, mouse and notification settings of a user's screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appearance {
    /// Name of the theme.
    theme: String,
    /// The themes there are.
    themes: Themes,
    /// Glyphs and lines; `None`: as the terminal can.
    glyphs: Option<Glyphs>,
    /// Whether pastes are shown first.
    paste_preview: PastePreview,
    /// What of the mouse is heeded.
    mouse: MouseCapture,
    /// Whether anything may move by itself.
    motion: Motion,
    /// A person's own keys, as a key file.
    keys: String,
    /// When a person is called, with which pause, whether the window gets a title, and whether it is told how far the work is.
    alert_rules: (AlertWhen, Span, bool, bool),
    notify_style: Option<NotifyStyle>,
    /// Hours in which nobody is called.
    quiet_hours: DailyHours,
}

impl Appearance {
    /// What the settings say.
    pub fn of(config: &Config) -> Appearance {
        Appearance {
            theme: config.text("theme").unwrap_or_else(|| "auto".to_owned()),
            themes: Themes::default(),
            glyphs: match config.text("glyphs").as_deref() {
                Some("unicode") => Some(Glyphs::Unicode),
                Some("ascii") => Some(Glyphs::Ascii),
                _ => None,
            },
            paste_preview: match config.text("paste_preview").as_deref() {
                Some("never") => PastePreview::Never,
                _ => PastePreview::Shown,
            },
            mouse: match config.text("mouse").as_deref() {
                Some("scroll") => MouseCapture::Scroll,
                Some("off") => MouseCapture::Off,
                _ => MouseCapture::All,
            },
            motion: match config.text("motion").as_deref() {
                Some("reduced") => Motion::Reduced,
                _ => Motion::Full,
            },
            keys: own_keys(config),
            alert_rules: (
                alert_when(config),
                min_call_interval(config),
                config.switch("notify.title"),
                config.switch("notify.progress"),
            ),
            notify_style: notify_style(config),
            quiet_hours: quiet_hours(config),
        }
    }

    /// The same with theme files of a person's own.
    #[must_use]
    pub fn with(mut self, own: Vec<UserTheme>) -> Appearance {
        self.themes = Themes::new(own);
        self
    }

    /// The theme for a terminal that looks so: the one that was chosen, else the one that is set. What was set wins over what
    /// the terminal says, also over `NO_COLOR`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn theme(&self, chosen: Option<&str>, looks: DisplayCaps) -> Result<Theme, ThemeError> {
        let name = chosen.unwrap_or(&self.theme);
        let theme = self.themes.theme(name, self.effective_caps(looks))?;
        Ok(theme.with_motion(self.motion))
    }

    /// The theme that needs no file, for when there is something wrong with the other one.
    pub fn plain_theme(&self, looks: DisplayCaps) -> Theme {
        let looks = self.effective_caps(looks);
        Theme::builtin(looks.palette, looks.glyphs).with_motion(self.motion)
    }

    /// The themes there are: name, and what it is.
    pub fn themes(&self) -> Vec<(String, String)> {
        self.themes.names()
    }

    /// What lines are drawn with on a terminal that looks so.
    pub fn glyphs(&self, looks: DisplayCaps) -> Glyphs {
        self.effective_caps(looks).glyphs
    }

    fn effective_caps(&self, looks: DisplayCaps) -> DisplayCaps {
        DisplayCaps {
            glyphs: self.glyphs.unwrap_or(looks.glyphs),
            ..looks
        }
    }

    /// When a person at a terminal that looks so is called, and how; never where neither words nor a bell are wished for.
    pub fn alert_rules(&self, looks: DisplayCaps) -> (AlertRules, Option<NotifyStyle>) {
        let (when, pause, title, progress) = self.alert_rules;
        let rules = AlertRules {
            when: if self.notify_style.is_some() {
                when
            } else {
                AlertWhen::Never
            },
            min_interval: pause,
            title,
            progress,
            glyphs: self.glyphs(looks),
        };
        (rules, self.notify_style)
    }

    /// Hours of the day in which nobody is called.
    pub fn quiet_hours(&self) -> &DailyHours {
        &self.quiet_hours
    }

    /// Whether pastes are shown before they are sent.
    pub fn paste_preview(&self) -> PastePreview {
        self.paste_preview
    }

    /// What of the mouse is heeded.
    pub fn mouse(&self) -> MouseCapture {
        self.mouse
    }

    /// The keys.
    ///
    /// # Errors
    /// What is wrong with a person's own keys, naming both sides of a contradiction.
    pub fn keymap(&self) -> Result<Arc<Keymap>, KeymapError> {
        Keymap::with_overrides(&self.keys).map(Arc::new)
    }
}

/// Hours of the day in which nobody is called, as they are set.
pub fn quiet_hours(config: &Config) -> DailyHours {
    let text = config.text("notify.quiet").unwrap_or_default();
    // What are no hours never became a value.
    text.parse().unwrap_or_default()
}

/// When a person is called, as it is set.
pub fn alert_when(config: &Config) -> AlertWhen {
    match config.text("notify.when").as_deref() {
        Some("always") => AlertWhen::Always,
        Some("never") => AlertWhen::Never,
        _ => AlertWhen::Away,
    }
}

/// Least time between two calls, as it is set.
pub fn min_call_interval(config: &Config) -> Span {
    Span::seconds(u64::try_from(config.count("notify.pause")).unwrap_or_default())
}

fn notify_style(config: &Config) -> Option<NotifyStyle> {
    let (way, bell) = match config.text("notify.way").as_deref() {
        Some("none") => return None,
        Some("osc9") => (NotifySequence::Osc9, config.switch("notify.bell")),
        Some("osc777") => (NotifySequence::Osc777, config.switch("notify.bell")),
        Some("bell") => (NotifySequence::None, true),
        _ => (NotifySequence::Auto, config.switch("notify.bell")),
    };
    Some(NotifyStyle {
        way,
        bell,
        through_tmux: config.switch("notify.through_tmux"),
    })
}

/// The settings about keys as a key file: `keys.prefix`, `keys.preset`, `keys.nav.approve` and the like.
fn own_keys(config: &Config) -> String {
    let mut text = String::new();
    let mut tables: BTreeMap<String, String> = BTreeMap::new();
    for shown in config.list() {
        // What nobody set is left to the key file: a preset may have a prefix of its own.
        let Some(value) = config
            .text(&shown.key)
            .filter(|_| shown.origin != SettingOrigin::Default)
        else {
            continue;
        };
        match shown.key.split('.').collect::<Vec<_>>()[..] {
            ["keys", own @ ("prefix" | "preset")] => text.push_str(&format_row(own, &quoted(&value))),
            ["keys", table, action] => {
                let keys: Vec<String> = value.split_whitespace().map(quoted).collect();
                let row = format_row(&quoted(action), &format!("[{}]", keys.join(", ")));
                tables.entry(table.to_owned()).or_default().push_str(&row);
            }
            _ => {}
        }
    }
    for (table, rows) in tables {
        text.push('[');
        text.push_str(&table);
        text.push_str("]\n");
        text.push_str(&rows);
    }
    text
}

fn format_row(name: &str, value: &str) -> String {
    format!("{name} = {value}\n")
}

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConfigFiles, ConfigOverrides};
    use crate::ui::{Action, Chord, ColourDepth, KeyTable};

    fn taste(text: &str) -> Appearance {
        let folder = tempfile::tempdir().unwrap();
        let places = ConfigFiles::new(folder.path(), None, None);
        std::fs::write(places.toml(), text).unwrap();
        Appearance::of(&Config::read(&places, &ConfigOverrides::default()))
    }

    fn looks(palette: ColourDepth, glyphs: Glyphs) -> DisplayCaps {
        DisplayCaps {
            palette,
            glyphs,
            ground: None,
        }
    }

    #[test]
    fn without_settings_the_screen_follows_the_terminal() {
        for (palette, glyphs) in [
            (ColourDepth::Indexed, Glyphs::Unicode),
            (ColourDepth::Mono, Glyphs::Ascii),
        ] {
            let theme = taste("").theme(None, looks(palette, glyphs)).unwrap();
            assert_eq!((theme.palette, theme.glyphs), (palette, glyphs));
            assert_eq!(theme, Theme::builtin(palette, glyphs));
        }
        assert_eq!(taste("").keymap().unwrap().prefix().to_string(), "C-b");
    }

    #[test]
    fn theme_glyphs_and_prefix_are_as_they_are_set_whatever_the_terminal_says() {
        let theme = taste("theme = \"mono\"\nglyphs = \"ascii\"\n")
            .theme(None, looks(ColourDepth::True, Glyphs::Unicode))
            .unwrap();
        assert_eq!((theme.palette, theme.glyphs), (ColourDepth::Mono, Glyphs::Ascii));
        let taste_of_one = taste("theme = \"terminal\"\nglyphs = \"unicode\"\n");
        let plain = looks(ColourDepth::Mono, Glyphs::Ascii);
        let theme = taste_of_one.theme(None, plain).unwrap();
        assert_eq!(
            (theme.palette, theme.glyphs),
            (ColourDepth::Sixteen, Glyphs::Unicode)
        );
        let chosen = taste_of_one.theme(Some("mono"), plain).unwrap();
        assert_eq!(chosen.palette, ColourDepth::Mono);
        let keys = taste("keys.prefix = \"ctrl-a\"\n").keymap().unwrap();
        assert_eq!(keys.prefix().to_string(), "C-a");
    }

    #[test]
    fn reduced_motion_is_heeded_and_a_theme_that_does_not_exist_is_told() {
        let theme = |text: &str| taste(text).theme(None, looks(ColourDepth::Sixteen, Glyphs::Unicode));
        assert_ne!(theme("").unwrap(), theme("motion = \"reduced\"\n").unwrap());
        let why = theme("theme = \"drak\"\n").unwrap_err().to_string();
        assert!(why.starts_with("find the theme `drak`: there are auto,"), "{why}");
    }

    #[test]
    fn own_keys_come_on_top_of_a_preset_and_a_contradiction_names_both_sides() {
        let keys = taste("keys.preset = \"vim\"\n[keys.nav]\napprove = \"Y C-y\"\n")
            .keymap()
            .unwrap();
        let yes = dbs_chord("C-y");
        assert_eq!(keys.lookup(KeyTable::Nav, yes), Action::named("approve"));
        assert_eq!(keys.lookup(KeyTable::Nav, dbs_chord("a")), None);
        assert_eq!(keys.lookup(KeyTable::Nav, dbs_chord("Up")), None);
        let why = taste("[keys.nav]\napprove = \"r\"\n")
            .keymap()
            .unwrap_err()
            .to_string();
        assert_eq!(
            why,
            "bind `r` twice in nav: to retry and to approve; give one of them another key"
        );
    }

    #[test]
    fn calls_are_as_they_are_set() {
        let (rules, manner) = taste("").alert_rules(looks(ColourDepth::True, Glyphs::Unicode));
        assert_eq!(
            (rules.when, rules.min_interval),
            (AlertWhen::Away, Span::seconds(5))
        );
        let wanted = NotifyStyle {
            way: NotifySequence::Auto,
            bell: true,
            through_tmux: false,
        };
        assert_eq!(manner, Some(wanted));
        let (rules, manner) =
            taste("notify.way = \"none\"\n").alert_rules(looks(ColourDepth::Sixteen, Glyphs::Ascii));
        assert_eq!((rules.when, manner), (AlertWhen::Never, None));
        assert_eq!(rules.glyphs, Glyphs::Ascii);
        let (rules, manner) = taste("[notify]\nwhen = \"always\"\nway = \"bell\"\nbell = false\n")
            .alert_rules(looks(ColourDepth::True, Glyphs::Unicode));
        assert_eq!(rules.when, AlertWhen::Always);
        assert!(manner.is_some_and(|manner| manner.bell && manner.way == NotifySequence::None));
    }

    fn dbs_chord(text: &str) -> Chord {
        text.parse().unwrap()
    }
}
