//! The first start of a person who has configured nothing: the programs that are found, and the place of the answers. The questions are
//! decided by the interface.

use crate::adapters::agents::known::{KnownAgent, known_agents};
use crate::adapters::agents::{InheritedEnv, find_program};
use crate::adapters::git::likely_base;
use crate::config::project_paths::ProjectPaths;
use crate::config::{Config, ResolvedSetting, SettingOrigin, schema, set, set_user};
use crate::domain::NoticeLevel;
use crate::read_model::ReadModel;
use crate::ui::{DetectedPrograms, SessionFacts, SessionKind};

/// Returns the detected programs, if nothing is configured yet, neither for this project nor for this person, and nothing was done. Blocks.
pub(in crate::server) fn detect(
    paths: &ProjectPaths,
    facts: &SessionFacts,
    model: &ReadModel,
    environment: &InheritedEnv,
    outer: Option<String>,
) -> Option<DetectedPrograms> {
    let places = &paths.sources.files;
    let config = paths.read_config();
    let configured = is_configured(paths, &config);
    let is_new = model.tasks.is_empty() && facts.kind == SessionKind::Real;
    if configured || !is_new || places.user.is_empty() {
        return None;
    }
    let path = environment.get("PATH").unwrap_or_default();
    let look = |agent: KnownAgent| {
        let found = find_program(&agent.program, &paths.root, path);
        (agent.name, found.map(|found| found.display().to_string()))
    };
    Some(DetectedPrograms {
        programs: known_agents(config.agent_kinds()).into_iter().map(look).collect(),
        path: path.to_owned(),
        multiplexer: outer,
        base: found_base(paths, environment),
        is_base_set: config.value(&schema::BASE_BRANCH).is_some(),
    })
}

/// Returns true if anything is set but the base branch, which `dbs init` asks for.
fn is_configured(paths: &ProjectPaths, config: &Config) -> bool {
    let is_set = |shown: &ResolvedSetting| {
        let is_ours = matches!(shown.origin, SettingOrigin::File { .. } | SettingOrigin::Trusted);
        is_ours && !schema::BASE_BRANCH.covers(&shown.key)
    };
    paths.sources.files.user.iter().any(|file| file.exists())
        || config.list().iter().any(is_set)
        || !config.diagnostics().is_empty()
}

/// Returns the branch that tasks most likely start from, and the way it was found; `None` if git gives no answer. Blocks.
fn found_base(paths: &ProjectPaths, environment: &InheritedEnv) -> Option<(String, String)> {
    let environment = environment.pairs().iter().cloned();
    let environment = environment.map(|(name, value)| (name.into(), value.into()));
    let found = likely_base(&paths.git_setup(environment)).ok()??;
    Some((found.name, found.found_by))
}

/// Saves the answers as the person's own settings, and the one about this project as its setting; with no answer, saves the fact that they
/// were asked. Blocks.
pub(in crate::server) fn save_answers(
    paths: &ProjectPaths,
    answers: &[(String, String)],
) -> (NoticeLevel, String) {
    let (own, project): (Vec<_>, Vec<_>) = answers
        .iter()
        .cloned()
        .partition(|(key, _)| !schema::BASE_BRANCH.covers(key));
    let files = &paths.sources.files;
    let saved = project
        .iter()
        .try_for_each(|(key, value)| set(files, key, value).map(drop))
        .and_then(|()| set_user(files, &own));
    match saved {
        Ok(file) => (
            NoticeLevel::Info,
            format!("your settings are in {}", file.display()),
        ),
        Err(error) => (NoticeLevel::Error, format!("could not {error}")),
    }
}
