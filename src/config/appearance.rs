//! Appearance of a person's screen: colours, glyphs, keys, mouse and notifications. Settings that are not set follow the terminal.

use std::collections::BTreeMap;

use crate::config::{Config, SettingOrigin, schema};
use crate::display::{AlertEvents, Appearance, NotifySequence, NotifyStyle, UserTheme};
use crate::domain::DailyHours;

/// Reads the appearance from the settings, with theme files of a person's own.
pub fn read(config: &Config, own_themes: Vec<UserTheme>) -> Appearance {
    Appearance {
        theme: config.value(&schema::THEME).into_owned(),
        own_themes,
        glyphs: config.choice(&schema::GLYPHS),
        paste_preview: config.choice(&schema::PASTE_PREVIEW),
        mouse: config.choice(&schema::MOUSE),
        motion: config.choice(&schema::MOTION),
        keys: own_keys(config),
        alert_events: alert_events(config),
        alert_when: config.choice(&schema::NOTIFY_WHEN),
        program_calls: config.choice(&schema::NOTIFY_PROGRAMS),
        min_call_interval: config.value(&schema::NOTIFY_PAUSE),
        title: config.value(&schema::NOTIFY_TITLE),
        progress: config.value(&schema::NOTIFY_PROGRESS),
        notify_style: notify_style(config),
        quiet_hours: quiet_hours(config),
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

/// Returns the settings about keys as a key file: `keys.prefix`, `keys.preset`, `keys.nav.approve` and the like.
pub fn own_keys(config: &Config) -> String {
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
