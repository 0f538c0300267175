//! Short names of panes, for titles, lists and lower lines.

use super::pane::PaneId;
use super::scene::Scene;
use super::state::{Content, State};

/// One or two words for a pane.
pub(crate) fn pane_name(state: &State, scene: &Scene<'_>, id: PaneId) -> String {
    match state.pane(id).content {
        Content::Detail(Some(task)) => format!("Task {task}"),
        Content::Shell(Some(number)) => format!("Shell {number}"),
        Content::Moment(attempt, _) => format!("attempt {attempt} then"),
        Content::Attempt(attempt) => match scene.model.attempts.get(&attempt) {
            Some(attempt) => attempt.task.to_string(),
            None => format!("attempt {attempt}"),
        },
        Content::Diff(Some(task), _) => format!("Diff {task}"),
        Content::Diff(None, _) => "Diff".to_owned(),
        Content::Past(_) => "History".to_owned(),
        Content::Gates(_) => "Gates".to_owned(),
        content => content.title().unwrap_or("Pane").to_owned(),
    }
}
