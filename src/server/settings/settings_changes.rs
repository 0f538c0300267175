//! Differences of settings from those before, for people.

use std::collections::BTreeSet;

use crate::adapters::clock;
use crate::config::{self, Config, ResolvedSetting, SettingEffect, SettingTrust};
use crate::domain::settings::SettingsChange;

/// The key of the workflows among those that have changed.
pub(in crate::server) const WORKFLOWS: &str = "workflows";

/// Maximum number of keys named in a line; more are counted.
const MAX_NAMED: usize = 5;

/// Returns the settings with another value than before, as they are now.
pub(in crate::server) fn changed(old: &Config, new: &Config) -> Vec<ResolvedSetting> {
    let (before, after) = (old.list(), new.list());
    let value = |all: &[ResolvedSetting], key: &str| {
        let found = all.iter().find(|shown| shown.key == key);
        found.and_then(|shown| shown.value.clone())
    };
    let mut changed: Vec<ResolvedSetting> = after
        .iter()
        .filter(|shown| value(&before, &shown.key) != shown.value)
        .cloned()
        .collect();
    let gone = |shown: &&ResolvedSetting| !after.iter().any(|other| other.key == shown.key);
    changed.extend(before.iter().filter(gone).cloned());
    changed
}

/// Returns true if a change of that key is a matter of trust.
pub(in crate::server) fn is_guarded(key: &str) -> bool {
    let spec = config::keys().find(|spec| spec.covers(key.split('.')));
    key == WORKFLOWS || spec.is_some_and(|spec| spec.trust != SettingTrust::Harmless)
}

/// Returns the event's part about these changed keys, if one of them runs, sends or steers something.
pub(in crate::server) fn guarded_change(
    keys: &[String],
    cause: &str,
    is_edit: bool,
) -> Option<SettingsChange> {
    let guarded: BTreeSet<String> = keys.iter().filter(|key| is_guarded(key)).cloned().collect();
    (!guarded.is_empty()).then(|| SettingsChange {
        text: format!("{} ({cause})", summary(keys)),
        keys: guarded,
        is_edit,
        at: clock::now(),
    })
}

fn effect_of(key: &str) -> SettingEffect {
    config::keys()
        .find(|spec| spec.covers(key.split('.')))
        .map_or(SettingEffect::AtOnce, |spec| spec.effect)
}

/// Returns a line about the settings that came into force.
pub(in crate::server) fn summary(changed: &[String]) -> String {
    if changed.is_empty() {
        return "the settings can be read again; nothing has changed".to_owned();
    }
    let (later, now): (Vec<&String>, Vec<&String>) = changed
        .iter()
        .partition(|key| effect_of(key) == SettingEffect::NextStart);
    let listed = |keys: &[&String]| {
        let named: Vec<&str> = keys.iter().take(MAX_NAMED).map(|key| key.as_str()).collect();
        let more = keys.len().saturating_sub(MAX_NAMED);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        format!("{}{more}", named.join(", "))
    };
    let mut parts = Vec::new();
    if !now.is_empty() {
        parts.push(format!("settings reloaded: {}", listed(&now)));
    }
    if !later.is_empty() {
        let text = format!(
            "at the next start of the server (`dbs stop`, then `dbs`; agents keep running): {}",
            listed(&later)
        );
        parts.push(text);
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_for_a_restart_is_told_apart_from_what_is_in_force() {
        let keys = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            summary(&keys(&["theme", "terminal.engine"])),
            "settings reloaded: theme; at the next start of the server (`dbs stop`, then `dbs`; agents keep running): terminal.engine"
        );
        let many = keys(&["a", "b", "c", "d", "e", "f", "g"]);
        assert_eq!(summary(&many), "settings reloaded: a, b, c, d, e and 2 more");
    }
}
