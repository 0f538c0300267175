//! The first start of a person who has configured nothing: what there is to be found, and where their answers are kept. What is
//! asked is decided by the interface.

use crate::adapters::agents::find_program;
use crate::adapters::agents::known::{KnownAgent, known_agents};
use crate::config::project_paths::ProjectPaths;
use crate::config::set_user;
use crate::domain::NoticeLevel;
use crate::read_model::ReadModel;
use crate::ui::{DetectedPrograms, SessionFacts, SessionKind};

/// What there is, if nothing is configured yet, neither for this project nor for this person, and nothing was done. Blocks.
pub(super) fn detect(
    place: &ProjectPaths,
    (facts, model): (&SessionFacts, &ReadModel),
    (path, outer): (&str, Option<String>),
) -> Option<DetectedPrograms> {
    let places = &place.sources.files;
    let configured = places
        .project
        .iter()
        .chain(&places.user)
        .any(|file| file.exists());
    let is_new = model.tasks.is_empty() && facts.kind == SessionKind::Real;
    if configured || !is_new || places.user.is_empty() {
        return None;
    }
    let look = |agent: KnownAgent| {
        let found = find_program(&agent.program, &place.root, path);
        (agent.name, found.map(|found| found.display().to_string()))
    };
    Some(DetectedPrograms {
        programs: known_agents(place.config().agent_kinds())
            .into_iter()
            .map(look)
            .collect(),
        path: path.to_owned(),
        multiplexer: outer,
    })
}

/// Keeps what was answered as the person's own settings; with no answer, that they were asked. Blocks.
pub(super) fn save_answers(place: &ProjectPaths, answers: &[(String, String)]) -> (NoticeLevel, String) {
    match set_user(&place.sources.files, answers) {
        Ok(file) => (
            NoticeLevel::Info,
            format!("your settings are in {}", file.display()),
        ),
        Err(error) => (NoticeLevel::Error, format!("could not {error}")),
    }
}
