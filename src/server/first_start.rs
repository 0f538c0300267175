//! The first start of a person who has configured nothing: what there is to be found, and where their answers are kept. What is
//! asked is decided by the interface.

use crate::adapters::agents::find_program;
use crate::config::place::Place;
use crate::config::set_own;
use crate::domain::Level;
use crate::read_model::ReadModel;
use crate::ui::{FirstLook, SessionFacts, SessionKind};

/// Programs of agents that are looked for.
const KNOWN: [&str; 5] = ["claude", "codex", "gemini", "opencode", "aider"];

/// What there is, if nothing is configured yet, neither for this project nor for this person, and nothing was done. Blocks.
pub(super) fn found(
    place: &Place,
    (facts, model): (&SessionFacts, &ReadModel),
    (path, outer): (&str, Option<String>),
) -> Option<FirstLook> {
    let places = &place.sources.places;
    let configured = places
        .project
        .iter()
        .chain(&places.user)
        .any(|file| file.exists());
    let is_new = model.tasks.is_empty() && facts.kind == SessionKind::Real;
    if configured || !is_new || places.user.is_empty() {
        return None;
    }
    let look = |name: &str| {
        let found = find_program(name, &place.root, path);
        (name.to_owned(), found.map(|found| found.display().to_string()))
    };
    Some(FirstLook {
        programs: KNOWN.into_iter().map(look).collect(),
        path: path.to_owned(),
        outer,
    })
}

/// Keeps what was answered as the person's own settings; with no answer, that they were asked. Blocks.
pub(super) fn keep(place: &Place, answers: &[(String, String)]) -> (Level, String) {
    match set_own(&place.sources.places, answers) {
        Ok(file) => (Level::Info, format!("your settings are in {}", file.display())),
        Err(error) => (Level::Error, format!("could not {error}")),
    }
}
