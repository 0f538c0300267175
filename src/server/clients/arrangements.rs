//! Storage of a person's tabs and panes while no client is attached, and of their own layouts. Files that cannot be read are reported
//! and left alone; the built-in tabs are shown then.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::Instant;

use crate::adapters::text_file;
use crate::config::process_env::runs_as_root;
use crate::config::project_paths::ProjectPaths;
use crate::config::schema;
use crate::config::themes::{read_small, toml_files};
use crate::display::FirstTab;
use crate::domain::{NoticeLevel, Span, Timestamp, pluralized};
use crate::read_model::ReadModel;
use crate::server::settings::in_force::ActiveSettings;
use crate::ui::{SavedArrangement, SessionFacts, UiState};

/// Interval at which a client's arrangement is compared with the saved one.
const SAVE_INTERVAL: Duration = Duration::from_secs(3);
/// Maximum age of a server that was started by the person who attaches.
const JUST_STARTED: Span = Span::seconds(10);

fn file_of(paths: &ProjectPaths) -> PathBuf {
    paths.state.join("screen.json")
}

/// Restores the kept arrangement into a fresh state: own layouts, then the arrangement as it was left. Blocks for two small reads.
pub(in crate::server) fn restore(
    settings: &ActiveSettings,
    facts: &SessionFacts,
    model: &ReadModel,
    running: &[u64],
    state: &mut UiState,
    now: Timestamp,
) {
    let first = match settings.config().choice(&schema::LAYOUT) {
        FirstTab::Main if model.has_open_plan() => FirstTab::Plan,
        chosen => chosen,
    };
    if let Err(problem) = state.set_first_tab(first) {
        let text = format!("could not arrange the first tab: could not {problem}");
        state.show_toast(now, NoticeLevel::Warning, text);
    }
    let mut report = |what: &Path, why: &str| {
        let text = format!("could not use {}: {why}", what.display());
        state.show_toast(now, NoticeLevel::Warning, text);
    };
    let mut layouts = Vec::new();
    match toml_files(&settings.paths.debussy.join("layouts")) {
        Ok(files) => layouts = files,
        Err((folder, why)) => report(&folder, &why),
    }
    for (file, text) in layouts {
        if let Err(problem) = state.add_layout(&text) {
            let text = format!("could not use {}: could not {problem}", file.display());
            state.show_toast(now, NoticeLevel::Warning, text);
        }
    }
    let mut banner = banner(settings, facts, model);
    if now.since(facts.started) < JUST_STARTED {
        if runs_as_root() {
            banner.push("runs as root: agents can change everything on this machine".to_owned());
        }
        state.show_splash(now, banner);
    } else {
        state.show_toast(now, NoticeLevel::Info, banner.join("  "));
    }
    let Some(saved) = load(&settings.paths) else {
        return;
    };
    let left = saved.left;
    if state.restore_arrangement(saved, &|number| running.contains(&number)) {
        state.set_away_since(left, now);
    }
}

/// Returns program, project and limits, as a new client sees them first (P19).
fn banner(settings: &ActiveSettings, facts: &SessionFacts, model: &ReadModel) -> Vec<String> {
    let base = model.base.as_deref().unwrap_or("no base branch yet");
    let longest = settings.config().value(&schema::AGENT_TIMEOUT);
    vec![
        format!("dbs {}", env!("CARGO_PKG_VERSION")),
        format!("{}  onto {base}", facts.project),
        format!(
            "{}, {} at most",
            pluralized(model.tasks.len(), "task"),
            pluralized(model.max_agents, "agent")
        ),
        format!("{longest} at most for each attempt"),
    ]
}

/// Returns the arrangement as it was kept; `None` if there is none that can be read.
fn load(paths: &ProjectPaths) -> Option<SavedArrangement> {
    let text = read_small(&file_of(paths)).ok()?;
    serde_json::from_str(&text).ok()
}

/// Keeper of the arrangement that was saved for a client, and of the time of the last comparison.
#[derive(Default)]
pub(in crate::server) struct ArrangementSaver {
    saved: Option<SavedArrangement>,
    looked_at: Option<Instant>,
}

impl ArrangementSaver {
    /// Returns the arrangement, if it has changed and was not compared for a while.
    pub(in crate::server) fn changed(&mut self, state: &UiState, now: Instant) -> Option<SavedArrangement> {
        let last = self.looked_at;
        if last.is_some_and(|at| now.duration_since(at) < SAVE_INTERVAL) {
            return None;
        }
        self.looked_at = Some(now);
        let arrangement = Some(state.save_arrangement());
        if self.saved == arrangement {
            return None;
        }
        self.saved.clone_from(&arrangement);
        arrangement
    }
}

/// Saves an arrangement. Blocks for one small write.
pub(in crate::server) fn save(paths: &ProjectPaths, saved: &SavedArrangement) {
    text_file::keep_json(&file_of(paths), saved);
}
