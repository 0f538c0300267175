//! The first start of a person who has configured nothing: what there is to be found, and where their answers are kept. What is
//! asked is decided by the interface.

use crate::adapters::agents::find_program;
use crate::config::place::Place;
use crate::config::set_own;
use crate::domain::Level;
use crate::server::session::Session;
use crate::ui::{FirstLook, SessionKind};

/// Programs of agents that are looked for.
const KNOWN: [&str; 5] = ["claude", "codex", "gemini", "opencode", "aider"];

/// What there is, if nothing is configured yet, neither for this project nor for this person, and nothing was done. Blocks.
pub(super) fn found(session: &Session, outer: Option<String>) -> Option<FirstLook> {
    let places = &session.place.sources.places;
    let configured = places
        .project
        .iter()
        .chain(&places.user)
        .any(|file| file.exists());
    let is_new = session.pictures.borrow().tasks.is_empty() && session.facts().kind == SessionKind::Real;
    if configured || !is_new || places.user.is_empty() {
        return None;
    }
    let path = session.shell.inherited.get("PATH").unwrap_or_default().to_owned();
    let look = |name: &str| {
        let place = find_program(name, &session.place.root, &path);
        (name.to_owned(), place.map(|place| place.display().to_string()))
    };
    Some(FirstLook {
        programs: KNOWN.into_iter().map(look).collect(),
        path,
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
