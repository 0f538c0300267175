//! Settings and workflows while the server runs: which are in force, and how others come into force. What cannot be understood
//! changes nothing: the old ones stay, and people get file and line.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::adapters::agents::AgentsByRole;
use crate::adapters::clock;
use crate::config::appearance::Appearance;
use crate::config::file_stamps::FileStamps;
use crate::config::kept_settings::KeptSettings;
use crate::config::role_agents::kinds;
use crate::config::session_setup;
use crate::config::{self, Config, ResolvedSetting, SettingEffect, SettingOrigin, schema};
use crate::domain::{Command, Event, NoticeLevel};
use crate::engine::inbox::InboxClosed;
use crate::engine::journal::Journal;
use crate::protocol::session_list;
use crate::read_model::general_notice;
use crate::server::engine_handle::EngineHandle;
use crate::server::in_force::ActiveSettings;
use crate::ui::KeymapError;

/// The kind of notices about settings.
pub(super) const NOTICE_KIND: &str = "settings";
/// How often the files of the settings are looked at; what changed is read when it has stayed so for as long.
const LOOK_EVERY: Duration = Duration::from_millis(700);
/// Keys named in a line; more are counted.
const MAX_NAMED: usize = 5;

/// Reads settings and workflows again, and lets them come into force.
pub(super) struct Reloader {
    pub(super) settings: Arc<ActiveSettings>,
    /// Where settings of the engine and workflows go.
    pub(super) engine: EngineHandle,
}

impl Reloader {
    /// Applies changes of the settings files until the server ends.
    pub(super) async fn watch_files(self: &Arc<Self>) {
        // Which scripts count is read out of the other files, so they are listed again only when one of those has changed.
        let list = || {
            let settings = Arc::clone(&self.settings);
            tokio::task::spawn_blocking(move || Arc::new(settings.place.trust.watched_files()))
        };
        let look = |scripts: &Arc<Vec<PathBuf>>| {
            let (settings, scripts) = (Arc::clone(&self.settings), Arc::clone(scripts));
            tokio::task::spawn_blocking(move || FileStamps::at(&settings.place, &scripts))
        };
        let mut scripts = list().await.unwrap_or_default();
        let mut every = tokio::time::interval(LOOK_EVERY);
        every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        // The first comes at once, and what is seen now may still be being written.
        every.tick().await;
        // What was edited since they were read for the start of the server is a change, and so is what vanishes meanwhile.
        let mut read = self.settings.stamps.clone();
        let mut seen = look(&scripts).await.unwrap_or_default();
        let keeper = Arc::clone(self);
        drop(tokio::task::spawn_blocking(move || keeper.keep_files()).await);
        loop {
            every.tick().await;
            let Ok(now) = look(&scripts).await else { return };
            let is_settled = now == seen;
            seen = now;
            if !is_settled || seen == read {
                continue;
            }
            read = seen.clone();
            let reloader = Arc::clone(self);
            // Problems are published as notices.
            let reading = move || {
                drop(reloader.reload("a file was edited"));
                reloader.keep_files();
            };
            if tokio::task::spawn_blocking(reading).await.is_err() {
                return;
            }
            scripts = list().await.unwrap_or_default();
        }
    }

    /// Reads settings and workflows again and lets them come into force; a notice lists what changed, and whose doing it was.
    /// Blocks.
    pub(super) fn reload(&self, cause: &str) -> Result<(), String> {
        let mut problem = self.settings.problem.lock();
        let done = self.apply_files();
        match &done {
            Ok(changed) => {
                let is_fixed = problem.take().is_some();
                if !changed.is_empty() || is_fixed {
                    let text = format!("{} ({cause})", summary(changed));
                    publish_notice(&self.engine.journal, NoticeLevel::Info, text);
                }
            }
            Err(why) if problem.as_ref() != Some(why) => {
                let why_in_a_line = why.replace('\n', "; ");
                let text = format!("{why_in_a_line}; the old settings stay in force");
                publish_notice(&self.engine.journal, NoticeLevel::Error, text);
                *problem = Some(why.clone());
            }
            Err(_known) => {}
        }
        done.map(drop)
    }

    /// Keeps a copy of the files, or says that they are gone. Blocks.
    fn keep_files(&self) {
        let place = &self.settings.place;
        let kept = KeptSettings::new(&place.debussy, &place.state);
        if let Some(text) = kept.lost_text() {
            return publish_notice(&self.engine.journal, NoticeLevel::Alert, text);
        }
        if let Err(error) = kept.keep() {
            tracing::warn!(
                "could not copy the settings into {}: {error}",
                place.state.display()
            );
        }
    }

    /// Renames the session in the project's settings; the folder's name needs no setting. Answers the notice. Blocks.
    pub(super) fn rename(&self, name: &str) -> (NoticeLevel, String) {
        const KEY: &str = "session.name";
        let place = &self.settings.place;
        let places = &place.sources.files;
        let done = if name == place.folder_name() {
            config::unset(places, KEY)
        } else {
            config::set(places, KEY, name)
        };
        let reloaded = match done {
            Ok(_) => self.reload("by a person"),
            Err(error) => Err(format!("could not {error}")),
        };
        match reloaded {
            Err(why) => (NoticeLevel::Error, why),
            Ok(()) if self.settings.name() == name => {
                (NoticeLevel::Success, format!("this session is called {name} now"))
            }
            Ok(()) => {
                let text = format!(
                    "{name} is written down, but another setting of {KEY} is stronger: `dbs config {KEY} --explain`"
                );
                (NoticeLevel::Warning, text)
            }
        }
    }

    /// Answers the keys that have other values by now.
    fn apply_files(&self) -> Result<Vec<String>, String> {
        let place = &self.settings.place;
        let (old, new) = (self.settings.config(), place.config());
        if old.untrusted() != new.untrusted() {
            self.say_untrusted(&new);
        }
        let known = old.diagnostics();
        let found = new.diagnostics().iter().filter(|found| !known.contains(found));
        let found: Vec<String> = found.map(ToString::to_string).collect();
        if !found.is_empty() {
            return Err(found.join("\n"));
        }
        let changed = changed(&old, &new);
        if let Err(error) = Appearance::of(&new).keymap() {
            let named = origin(&changed, |key| is_about_key(&error, key));
            let any = || origin(&changed, |key| key.starts_with("keys."));
            let origin = if named.is_empty() { any() } else { named };
            return Err(format!("{origin}could not {error}"));
        }
        let kinds = kinds(&new)
            .map_err(|error| format!("{}{error}", origin(&changed, |key| key.starts_with(&error.keys))))?;
        let (settings, workflows) = session_setup::rules(place, &new)?;
        session_setup::check_stages(place, &workflows)?;
        // Without any kinds of agents those in force stay.
        if kinds != AgentsByRole::default() {
            *self.settings.agents.kinds.write() = kinds;
        }
        let mut events = Vec::new();
        let model = self.engine.read_model();
        let same =
            |flow: &crate::domain::Workflow| model.workflows.get(&flow.id).is_some_and(|old| **old == *flow);
        let mut keys: Vec<String> = changed.into_iter().map(|shown| shown.key).collect();
        if workflows.len() != model.workflows.len() || !workflows.iter().all(same) {
            events.push(Event::WorkflowsLoaded(workflows));
            keys.push("workflows".to_owned());
        }
        if old.settings() != settings {
            events.push(Event::Configured(settings));
        }
        let stopped = |closed: InboxClosed| format!("could not {closed}");
        // What is said to be in force has to be so, and to be seen.
        events
            .into_iter()
            .try_for_each(|event| self.engine.inbox.send_and_wait(event))
            .map_err(stopped)?;
        pause(&self.engine, &old, &new).map_err(stopped)?;
        let before = self.settings.name();
        self.settings.replace(new);
        let name = self.settings.name();
        if name != before {
            session_list::write_record(place, &name);
        }
        Ok(keys)
    }
}

impl Reloader {
    /// Trusts everything in the project's files, if it has this hash. Answers the notice. Blocks.
    pub(super) fn trust(&self, hash: &str) -> (NoticeLevel, String) {
        let trusted = self.settings.place.trust.trust(hash);
        match trusted.map_err(|error| format!("could not {error}")) {
            Ok(()) => match self.reload("trusted by a person") {
                Ok(()) => (NoticeLevel::Success, "trusted; it is in force now".to_owned()),
                Err(why) => (NoticeLevel::Error, why),
            },
            Err(why) => (NoticeLevel::Error, why),
        }
    }

    /// Says at once what of the project's files waits for trust. Blocks for no time.
    pub(super) fn say_untrusted(&self, config: &Config) {
        if let Some(files) = config.untrusted() {
            publish_notice(&self.engine.journal, NoticeLevel::Alert, files.text.clone());
        }
    }
}

/// The switch `paused` does what the commands do, when somebody moves it.
fn pause(engine: &EngineHandle, old: &Config, new: &Config) -> Result<(), InboxClosed> {
    let command = match (old.value(&schema::PAUSED), new.value(&schema::PAUSED)) {
        (false, true) => Command::Pause,
        (true, false) => Command::Resume,
        (true, true) | (false, false) => return Ok(()),
    };
    // A board that is paused, or goes on, refuses; that is no problem.
    let _refused = engine.ask("the setting `paused`", command)?;
    Ok(())
}

/// Settings with another value than before, as they are now.
fn changed(old: &Config, new: &Config) -> Vec<ResolvedSetting> {
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

/// Where the setting that a problem is about was written, as the beginning of a line.
fn origin(changed: &[ResolvedSetting], is_cause: impl Fn(&str) -> bool) -> String {
    let cause = changed.iter().find(|shown| is_cause(&shown.key));
    match cause.map(|shown| &shown.origin) {
        Some(origin @ SettingOrigin::File { .. }) => format!("{origin}: error: "),
        _ => String::new(),
    }
}

/// Whether the setting of that key may be why there is no keymap.
fn is_about_key(error: &KeymapError, key: &str) -> bool {
    let words = |name: &str| name.replace(['_', '-'], " ");
    let action = key.strip_prefix("keys.").and_then(|key| key.split_once('.'));
    let binds = |name: &str| action.is_some_and(|(_, action)| words(action) == words(name));
    match error {
        KeymapError::UnknownPreset(_) => key == "keys.preset",
        KeymapError::NoPrefix(..) => key == "keys.prefix",
        KeymapError::UnknownAction(name) => binds(name),
        KeymapError::Conflict { one, other, .. } => binds(one) || binds(other),
        KeymapError::HiddenWayOut { action, .. } => binds(action),
        KeymapError::NoWayOut(name) => key.strip_prefix("keys.") == Some(*name),
        KeymapError::Shape(_) | KeymapError::UnknownKey(_) => false,
    }
}

fn effect_of(key: &str) -> SettingEffect {
    config::keys()
        .find(|spec| spec.covers(key.split('.')))
        .map_or(SettingEffect::AtOnce, |spec| spec.effect)
}

/// What came into force, in a line.
fn summary(changed: &[String]) -> String {
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
            "at the next start of the server (`dbs stop`, then `dbs`; agents go on): {}",
            listed(&later)
        );
        parts.push(text);
    }
    parts.join("; ")
}

fn publish_notice(journal: &Journal, level: NoticeLevel, text: String) {
    tracing::info!("{text}");
    journal.add(clock::now(), general_notice(level, NOTICE_KIND, text));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::Keymap;

    #[test]
    fn a_problem_of_the_keys_is_found_in_the_setting_that_caused_it() {
        let cause = |keys: &str| {
            let error = Keymap::with_overrides(keys).unwrap_err();
            let settings = ["keys.preset", "keys.prefix", "keys.nav.retry", "keys.copy.back"];
            settings.into_iter().find(|key| is_about_key(&error, key))
        };
        assert_eq!(cause("preset = \"nano\""), Some("keys.preset"));
        assert_eq!(cause("prefix = \"ctrl-c\""), Some("keys.prefix"));
        assert_eq!(cause("[nav]\nretry = [\"q\"]"), Some("keys.nav.retry"));
        assert_eq!(cause("[copy]\nback = []"), Some("keys.copy.back"));
    }

    #[test]
    fn what_waits_for_a_restart_is_told_apart_from_what_is_in_force() {
        let keys = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            summary(&keys(&["theme", "terminal.engine"])),
            "settings reloaded: theme; at the next start of the server (`dbs stop`, then `dbs`; agents go on): terminal.engine"
        );
        let many = keys(&["a", "b", "c", "d", "e", "f", "g"]);
        assert_eq!(summary(&many), "settings reloaded: a, b, c, d, e and 2 more");
    }
}
