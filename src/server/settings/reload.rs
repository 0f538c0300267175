//! Settings and workflows while the server runs: those in force, and the way others come into force. Files that cannot be understood change
//! nothing: the old ones stay, and people get file and line.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::adapters::clock;
use crate::config::appearance;
use crate::config::faults;
use crate::config::file_stamps::FileStamps;
use crate::config::kept_settings::KeptSettings;
use crate::config::role_agents::{RoleError, kinds};
use crate::config::session_setup;
use crate::config::setting_names::unknown_names;
use crate::config::{self, Config, ConfigError, ResolvedSetting, SettingOrigin, WorkflowError, schema};
use crate::domain::{BoardSettings, Command, Event, NoticeLevel, Workflow};
use crate::engine::inbox::InboxClosed;
use crate::engine::journal::Journal;
use crate::keymap::Keymap;
use crate::keymap::KeymapError;
use crate::protocol::session_list;
use crate::read_model::general_notice;
use crate::server::engine_handle::EngineHandle;
use crate::server::settings::in_force::{ActiveSettings, fault_text};
use crate::server::settings::settings_changes::{WORKFLOWS, changed, guarded_change, is_guarded, summary};

/// The kind of notices about settings.
pub(in crate::server) const NOTICE_KIND: &str = "settings";
/// Interval at which the files of the settings are checked; a change is read when it has lasted for as long.
const LOOK_EVERY: Duration = Duration::from_millis(700);
/// Number of checks of the files after which the faults of settings are checked again: about every ten seconds.
const FAULTS_AGAIN: u32 = 15;
/// The cause of a change that no command of a person made.
const FILE_EDITED: &str = "a file was edited";

/// Reads settings and workflows again, and lets them come into force.
pub(in crate::server) struct Reloader {
    pub(in crate::server) settings: Arc<ActiveSettings>,
    /// Receiver of settings of the engine and workflows.
    pub(in crate::server) engine: EngineHandle,
}

/// Error of settings that do not come into force, in words for people.
#[derive(Debug, thiserror::Error)]
pub(in crate::server) enum ReloadError {
    /// The findings or faults, one a line.
    #[error("{0}")]
    Faults(String),
    #[error("{origin}could not {error}")]
    Keys { origin: String, error: KeymapError },
    #[error("{origin}{error}")]
    Agents { origin: String, error: RoleError },
    #[error(transparent)]
    Workflows(#[from] WorkflowError),
    #[error("could not {0}")]
    Config(#[from] ConfigError),
    #[error("could not {0}")]
    Stopped(#[from] InboxClosed),
}

impl Reloader {
    /// Applies changes of the settings files until the server ends.
    pub(in crate::server) async fn watch_files(self: &Arc<Self>) {
        // The scripts that count are read out of the other files, so they are listed again only when one of those has changed.
        let list = || {
            let settings = Arc::clone(&self.settings);
            tokio::task::spawn_blocking(move || Arc::new(settings.paths.trust.watched_files()))
        };
        let look = |scripts: &Arc<Vec<PathBuf>>| {
            let (settings, scripts) = (Arc::clone(&self.settings), Arc::clone(scripts));
            tokio::task::spawn_blocking(move || FileStamps::at(&settings.paths, &scripts))
        };
        let mut scripts = list().await.unwrap_or_default();
        let mut looks = 0_u32;
        let mut every = tokio::time::interval(LOOK_EVERY);
        every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        // The first comes at once, and a file seen now may still be being written.
        every.tick().await;
        // An edit since they were read for the start of the server is a change, and so is a file that vanishes meanwhile.
        let mut read = self.settings.stamps.clone();
        let mut seen = look(&scripts).await.unwrap_or_default();
        let keeper = Arc::clone(self);
        drop(tokio::task::spawn_blocking(move || keeper.keep_files()).await);
        loop {
            every.tick().await;
            let Ok(now) = look(&scripts).await else { return };
            let is_settled = now == seen;
            seen = now;
            looks = looks.wrapping_add(1);
            // A file that a setting names may exist by now, though the settings files are unchanged.
            let is_due = looks.is_multiple_of(FAULTS_AGAIN) && self.settings.has_faults();
            if !is_settled || (seen == read && !is_due) {
                continue;
            }
            let cause = if seen == read {
                "looked at again"
            } else {
                FILE_EDITED
            };
            read = seen.clone();
            let reloader = Arc::clone(self);
            // Problems are published as notices.
            let reading = move || {
                drop(reloader.reload(cause));
                reloader.keep_files();
            };
            if tokio::task::spawn_blocking(reading).await.is_err() {
                return;
            }
            scripts = list().await.unwrap_or_default();
        }
    }

    /// Reads settings and workflows again and lets them come into force; a notice lists the changes and their cause. Blocks.
    pub(in crate::server) fn reload(&self, cause: &str) -> Result<(), ReloadError> {
        let mut problem = self.settings.problem.lock();
        let done = self.apply_files(cause);
        let new = match &done {
            Ok(_) => fault_text(&self.settings.faults.lock()),
            Err(error) => Some(error.to_string()),
        };
        let is_new = new.is_some() && *problem != new;
        let is_fixed = new.is_none() && problem.is_some();
        *problem = new;
        if let Some(why) = problem.as_ref().filter(|_| is_new) {
            let rest = match &done {
                Ok(_) => "what depends on it waits",
                Err(_) => "the old settings stay in force",
            };
            let text = format!("{}; {rest}", why.replace('\n', "; "));
            publish_notice(&self.engine.journal, NoticeLevel::Error, text);
        }
        let changed = done?;
        // A change of a setting that runs, sends or steers something is an event of the board, which reports it.
        let is_told = changed.iter().any(|key| is_guarded(key));
        if !is_told && (!changed.is_empty() || is_fixed) {
            let text = format!("{} ({cause})", summary(&changed));
            publish_notice(&self.engine.journal, NoticeLevel::Info, text);
        }
        match problem.as_ref().filter(|_| is_new) {
            Some(why) => Err(ReloadError::Faults(why.clone())),
            None => Ok(()),
        }
    }

    /// Keeps a copy of the files, or reports that they are gone. Blocks.
    fn keep_files(&self) {
        let paths = &self.settings.paths;
        let kept = KeptSettings::new(&paths.debussy, &paths.state);
        if let Some(text) = kept.lost_text() {
            return publish_notice(&self.engine.journal, NoticeLevel::Alert, text);
        }
        if let Err(error) = kept.keep() {
            tracing::warn!(
                "could not copy the settings into {}: {error}",
                paths.state.display()
            );
        }
    }

    /// Renames the session in the project's settings; the folder's name needs no setting. Returns the notice. Blocks.
    pub(in crate::server) fn rename(&self, name: &str) -> (NoticeLevel, String) {
        const KEY: &str = "session.name";
        let paths = &self.settings.paths;
        let places = &paths.sources.files;
        let done = if name == paths.folder_name() {
            config::unset(places, KEY)
        } else {
            config::set(places, KEY, name)
        };
        let reloaded = match done {
            Ok(_) => self.reload("by a person"),
            Err(error) => Err(error.into()),
        };
        match reloaded {
            Err(error) => (NoticeLevel::Error, error.to_string()),
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

    /// Returns the keys that have other values by now. Where the files cannot be understood, only the faults in them come into force:
    /// everything that depends on them waits.
    fn apply_files(&self, cause: &str) -> Result<Vec<String>, ReloadError> {
        let (old, new) = (self.settings.config(), self.settings.paths.read_config());
        if old.untrusted() != new.untrusted() {
            self.say_untrusted(&new);
        }
        let understood = self.understood(&old, &new);
        let (workflows, keys) = match &understood {
            Ok((workflows, keys)) => (Some(workflows.clone()), keys.clone()),
            Err(_) => (None, Vec::new()),
        };
        let in_force = if understood.is_ok() { &new } else { &*old };
        let mut settings = in_force.settings();
        settings.change = guarded_change(&keys, cause, cause == FILE_EDITED);
        self.configure(settings, &old, workflows, &new)?;
        understood?;
        self.settings
            .agents
            .context
            .inherited
            .apply(&new.environment_rules());
        pause(&self.engine, &old, &new)?;
        let before = self.settings.name();
        self.settings.replace(new);
        let name = self.settings.name();
        if name != before {
            session_list::write_record(&self.settings.paths, &name);
        }
        Ok(keys)
    }

    /// Reports to the board the settings in force, the workflows and the faults in the newest settings, as far as it does not know them
    /// yet.
    fn configure(
        &self,
        settings: BoardSettings,
        old: &Config,
        workflows: Option<Vec<Workflow>>,
        newest: &Config,
    ) -> Result<(), ReloadError> {
        let paths = &self.settings.paths;
        let model = self.engine.read_model();
        let flows: Vec<Workflow> = match &workflows {
            Some(flows) => flows.clone(),
            None => model
                .workflows
                .values()
                .map(|flow| Workflow::clone(flow))
                .collect(),
        };
        let faults = faults::all(paths, newest, &flows);
        let is_same_fault = *self.settings.faults.lock() == faults;
        let mut events = Vec::new();
        let same = |flow: &Workflow| model.workflows.get(&flow.id).is_some_and(|old| **old == *flow);
        if let Some(flows) = workflows
            && (flows.len() != model.workflows.len() || !flows.iter().all(same))
        {
            events.push(Event::WorkflowsLoaded(flows));
        }
        if old.settings() != settings || !is_same_fault {
            let faults = faults.clone();
            events.push(Event::configured(BoardSettings { faults, ..settings }));
        }
        // Settings that are reported as in force have to be in force and visible.
        events
            .into_iter()
            .try_for_each(|event| self.engine.inbox.send_and_wait(event))?;
        *self.settings.faults.lock() = faults;
        Ok(())
    }

    /// Returns the workflows, and the keys that have other values by now.
    ///
    /// # Errors
    /// The part that cannot be understood, with file and line if that is known; then the old settings stay in force.
    fn understood(&self, old: &Config, new: &Config) -> Result<(Vec<Workflow>, Vec<String>), ReloadError> {
        let paths = &self.settings.paths;
        let known = old.diagnostics();
        let found = new.diagnostics().iter().filter(|found| !known.contains(found));
        let found: Vec<String> = found.map(ToString::to_string).collect();
        if !found.is_empty() {
            return Err(ReloadError::Faults(found.join("\n")));
        }
        let changed = changed(old, new);
        if let Err(error) = Keymap::with_overrides(&appearance::own_keys(new)) {
            let named = origin(&changed, |key| is_about_key(&error, key));
            let any = || origin(&changed, |key| key.starts_with("keys."));
            let origin = if named.is_empty() { any() } else { named };
            return Err(ReloadError::Keys { origin, error });
        }
        let (kinds, errors) = kinds(new);
        if let Some(error) = errors.into_iter().next() {
            let origin = origin(&changed, |key| key.starts_with(&error.keys));
            return Err(ReloadError::Agents { origin, error });
        }
        let (_, workflows) = session_setup::rules(paths, new)?;
        let unknown = unknown_names(paths, new, &workflows).into_iter();
        let unknown: Vec<String> = unknown.filter(|name| name.is_own).map(|name| name.text).collect();
        if !unknown.is_empty() {
            return Err(ReloadError::Faults(unknown.join("\n")));
        }
        // Without any kinds of agents those in force stay.
        if !kinds.is_unset() {
            *self.settings.agents.kinds.write() = kinds;
        }
        let model = self.engine.read_model();
        let same = |flow: &Workflow| model.workflows.get(&flow.id).is_some_and(|old| **old == *flow);
        let mut keys: Vec<String> = changed.into_iter().map(|shown| shown.key).collect();
        if workflows.len() != model.workflows.len() || !workflows.iter().all(same) {
            keys.push(WORKFLOWS.to_owned());
        }
        Ok((workflows, keys))
    }
}

impl Reloader {
    /// Trusts everything in the project's files, if it has this hash. Returns the notice. Blocks.
    pub(in crate::server) fn trust(&self, hash: &str) -> (NoticeLevel, String) {
        match self.settings.paths.trust.trust(hash) {
            Ok(()) => match self.reload("trusted by a person") {
                Ok(()) => (NoticeLevel::Success, "trusted; it is in force now".to_owned()),
                Err(error) => (NoticeLevel::Error, error.to_string()),
            },
            Err(error) => (NoticeLevel::Error, format!("could not {error}")),
        }
    }

    /// Reports at once the parts of the project's files that wait for trust. Blocks for no time.
    pub(in crate::server) fn say_untrusted(&self, config: &Config) {
        if let Some(files) = config.untrusted() {
            publish_notice(&self.engine.journal, NoticeLevel::Alert, files.text.clone());
        }
    }

    /// Reports the settings that cannot be used since the start.
    pub(in crate::server) fn say_faults(&self) {
        if let Some(text) = self.settings.problem() {
            let text = format!("{}; what depends on it waits", text.replace('\n', "; "));
            publish_notice(&self.engine.journal, NoticeLevel::Error, text);
        }
    }
}

/// Pauses or resumes, as the commands do, when the setting `paused` is changed.
fn pause(engine: &EngineHandle, old: &Config, new: &Config) -> Result<(), InboxClosed> {
    let command = match (old.value(&schema::PAUSED), new.value(&schema::PAUSED)) {
        (false, true) => Command::Pause,
        (true, false) => Command::Resume,
        (true, true) | (false, false) => return Ok(()),
    };
    // A board that is paused, or running, already refuses; that is not a problem.
    let _refused = engine.ask("the setting `paused`", command)?;
    Ok(())
}

/// Returns the place of the setting that a problem is about, as the beginning of a line.
fn origin(changed: &[ResolvedSetting], is_cause: impl Fn(&str) -> bool) -> String {
    let cause = changed.iter().find(|shown| is_cause(&shown.key));
    match cause.map(|shown| &shown.origin) {
        Some(origin @ SettingOrigin::File { .. }) => format!("{origin}: error: "),
        _ => String::new(),
    }
}

/// Returns true if the setting of that key may be the reason why there is no keymap.
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

fn publish_notice(journal: &Journal, level: NoticeLevel, text: String) {
    tracing::info!("{text}");
    journal.add(clock::now(), general_notice(level, NOTICE_KIND, text));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keymap::Keymap;

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
}
