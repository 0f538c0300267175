//! Appearance of a person's screen: colours, glyphs, keys, mouse and notifications. Settings that are not set follow the terminal.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::config::notify_style::{NotifySequence, NotifyStyle};
use crate::config::{Config, SettingOrigin, schema};
use crate::domain::{DailyHours, Span};

use crate::ui::{
    AlertEvents, AlertRules, AlertWhen, DisplayCaps, Glyphs, Keymap, KeymapError, Motion, MouseCapture,
    PastePreview, ProgramCalls, Theme, ThemeError, Themes, UserTheme,
};

/// Theme, glyphs, keys, mouse and notification settings of a user's screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appearance {
    theme: String,
    themes: Themes,
    /// `None`: as the terminal can.
    glyphs: Option<Glyphs>,
    /// Preview of pastes before they are sent.
    pub paste_preview: PastePreview,
    /// Mouse events that are used.
    pub mouse: MouseCapture,
    motion: Motion,
    /// The person's own keys, as a key file.
    keys: String,
    alert_when: AlertWhen,
    alert_events: AlertEvents,
    program_calls: ProgramCalls,
    min_call_interval: Span,
    title: bool,
    progress: bool,
    /// `None`: neither words nor a bell are wished for.
    notify_style: Option<NotifyStyle>,
    /// Hours of the day without calls.
    pub quiet_hours: DailyHours,
}

impl Appearance {
    /// Reads the appearance from the settings.
    pub fn of(config: &Config) -> Appearance {
        Appearance {
            theme: config.value(&schema::THEME).into_owned(),
            themes: Themes::default(),
            glyphs: config.choice(&schema::GLYPHS),
            paste_preview: config.choice(&schema::PASTE_PREVIEW),
            mouse: config.choice(&schema::MOUSE),
            motion: config.choice(&schema::MOTION),
            keys: own_keys(config),
            alert_when: config.choice(&schema::NOTIFY_WHEN),
            alert_events: alert_events(config),
            program_calls: config.choice(&schema::NOTIFY_PROGRAMS),
            min_call_interval: config.value(&schema::NOTIFY_PAUSE),
            title: config.value(&schema::NOTIFY_TITLE),
            progress: config.value(&schema::NOTIFY_PROGRESS),
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

    /// Returns the theme for a terminal with these capabilities: the one that was chosen, else the one that is set. A setting wins over the
    /// terminal, also over `NO_COLOR`.
    ///
    /// # Errors
    /// The fault of the theme.
    pub fn theme(&self, chosen: Option<&str>, caps: DisplayCaps) -> Result<Theme, ThemeError> {
        let name = chosen.unwrap_or(&self.theme);
        let theme = self.themes.theme(name, self.effective_caps(caps))?;
        Ok(theme.with_motion(self.motion))
    }

    /// The theme that needs no file, for when there is something wrong with the other one.
    pub fn plain_theme(&self, caps: DisplayCaps) -> Theme {
        let caps = self.effective_caps(caps);
        Theme::builtin(caps.palette, caps.glyphs).with_motion(self.motion)
    }

    /// Returns the themes: name and description of each.
    pub fn themes(&self) -> Vec<(String, String)> {
        self.themes.names()
    }

    /// Returns the glyphs to draw lines with on a terminal with these capabilities: the chosen ones, else those of the terminal.
    pub fn glyphs(&self, caps: DisplayCaps) -> Glyphs {
        self.effective_caps(caps).glyphs
    }

    fn effective_caps(&self, caps: DisplayCaps) -> DisplayCaps {
        DisplayCaps {
            glyphs: self.glyphs.unwrap_or(caps.glyphs),
            ..caps
        }
    }

    /// Returns the rules for calling a person at a terminal with these capabilities, and the style of a call; without words or a bell, a
    /// person is never called.
    pub fn alert_rules(&self, caps: DisplayCaps) -> (AlertRules, Option<NotifyStyle>) {
        let rules = AlertRules {
            when: match self.notify_style {
                Some(_) => self.alert_when,
                None => AlertWhen::Never,
            },
            events: self.alert_events,
            programs: self.program_calls,
            min_interval: self.min_call_interval,
            title: self.title,
            progress: self.progress,
            glyphs: self.glyphs(caps),
        };
        (rules, self.notify_style)
    }

    /// Returns the keys of the screen.
    ///
    /// # Errors
    /// The fault in a person's own keys, naming both sides of a contradiction.
    pub fn keymap(&self) -> Result<Arc<Keymap>, KeymapError> {
        Keymap::with_overrides(&self.keys).map(Arc::new)
    }
}

/// Returns the events that a person is alerted to; all of them where an earlier program's notifications are set up, which had all.
pub fn alert_events(config: &Config) -> AlertEvents {
    let has_earlier = || {
        let provider = config.value(&schema::NOTIFICATIONS_PROVIDER);
        let is_on = config.value(&schema::NOTIFICATIONS_ENABLED) != Some(false);
        is_on && provider.is_some_and(|provider| provider != "none")
    };
    let chosen = config.choice(&schema::NOTIFY_EVENTS);
    chosen.unwrap_or(if has_earlier() {
        AlertEvents::All
    } else {
        AlertEvents::Needs
    })
}

/// Returns the hours of the day without calls, as they are set.
pub fn quiet_hours(config: &Config) -> DailyHours {
    let text = config.value(&schema::NOTIFY_QUIET).unwrap_or_default();
    // A text that is not a list of hours never became a value.
    text.parse().unwrap_or_default()
}

fn notify_style(config: &Config) -> Option<NotifyStyle> {
    let way = config.choice(&schema::NOTIFY_WAY)?;
    Some(NotifyStyle {
        way,
        // The way without words is the bell alone.
        bell: way == NotifySequence::None || config.value(&schema::NOTIFY_BELL),
        through_tmux: config.value(&schema::NOTIFY_THROUGH_TMUX),
    })
}

/// The settings about keys as a key file: `keys.prefix`, `keys.preset`, `keys.nav.approve` and the like.
fn own_keys(config: &Config) -> String {
    let mut text = String::new();
    let mut tables: BTreeMap<String, String> = BTreeMap::new();
    for shown in config.list() {
        // A key that is not set is left to the key file: a preset may have a prefix of its own.
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
    text.extend(tables.iter().map(|(table, rows)| format!("[{table}]\n{rows}")));
    text
}

fn format_row(name: &str, value: &str) -> String {
    format!("{name} = {value}\n")
}

fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConfigFiles, ConfigOverrides};
    use crate::ui::{Action, Chord, ColourDepth, KeyTable};

    fn appearance(text: &str) -> Appearance {
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
            let theme = appearance("").theme(None, looks(palette, glyphs)).unwrap();
            assert_eq!((theme.palette, theme.glyphs), (palette, glyphs));
            assert_eq!(theme, Theme::builtin(palette, glyphs));
        }
        assert_eq!(appearance("").keymap().unwrap().prefix().to_string(), "C-b");
    }

    #[test]
    fn theme_glyphs_and_prefix_are_as_they_are_set_whatever_the_terminal_says() {
        let theme = appearance("theme = \"mono\"\nglyphs = \"ascii\"\n")
            .theme(None, looks(ColourDepth::True, Glyphs::Unicode))
            .unwrap();
        assert_eq!((theme.palette, theme.glyphs), (ColourDepth::Mono, Glyphs::Ascii));
        let both = appearance("theme = \"terminal\"\nglyphs = \"unicode\"\n");
        let plain = looks(ColourDepth::Mono, Glyphs::Ascii);
        let theme = both.theme(None, plain).unwrap();
        assert_eq!(
            (theme.palette, theme.glyphs),
            (ColourDepth::Sixteen, Glyphs::Unicode)
        );
        let chosen = both.theme(Some("mono"), plain).unwrap();
        assert_eq!(chosen.palette, ColourDepth::Mono);
        let keys = appearance("keys.prefix = \"ctrl-a\"\n").keymap().unwrap();
        assert_eq!(keys.prefix().to_string(), "C-a");
    }

    #[test]
    fn reduced_motion_is_heeded_and_a_theme_that_does_not_exist_is_told() {
        let theme = |text: &str| appearance(text).theme(None, looks(ColourDepth::Sixteen, Glyphs::Unicode));
        assert_ne!(theme("").unwrap(), theme("motion = \"reduced\"\n").unwrap());
        let why = theme("theme = \"drak\"\n").unwrap_err().to_string();
        assert!(why.starts_with("find the theme `drak`: there are auto,"), "{why}");
    }

    #[test]
    fn own_keys_come_on_top_of_a_preset_and_a_contradiction_names_both_sides() {
        let keys = appearance("keys.preset = \"vim\"\n[keys.nav]\napprove = \"Y C-y\"\n")
            .keymap()
            .unwrap();
        let yes = dbs_chord("C-y");
        assert_eq!(keys.lookup(KeyTable::Nav, yes), Action::named("approve"));
        assert_eq!(keys.lookup(KeyTable::Nav, dbs_chord("a")), None);
        assert_eq!(keys.lookup(KeyTable::Nav, dbs_chord("Up")), None);
        let why = appearance("[keys.nav]\napprove = \"r\"\n")
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
        let (rules, manner) = appearance("").alert_rules(looks(ColourDepth::True, Glyphs::Unicode));
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
            appearance("notify.way = \"none\"\n").alert_rules(looks(ColourDepth::Sixteen, Glyphs::Ascii));
        assert_eq!((rules.when, manner), (AlertWhen::Never, None));
        assert_eq!(rules.glyphs, Glyphs::Ascii);
        let (rules, manner) = appearance("[notify]\nwhen = \"always\"\nway = \"bell\"\nbell = false\n")
            .alert_rules(looks(ColourDepth::True, Glyphs::Unicode));
        assert_eq!(rules.when, AlertWhen::Always);
        assert!(manner.is_some_and(|manner| manner.bell && manner.way == NotifySequence::None));
    }

    fn dbs_chord(text: &str) -> Chord {
        text.parse().unwrap()
    }
}
