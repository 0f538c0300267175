//! Short names of panes, for titles, lists and lower lines.

use super::pane::PaneId;
use super::scene::Scene;
use super::state::{PaneContent, UiState};

/// Returns the name of a pane in one or two words.
pub(crate) fn pane_name(state: &UiState, scene: &Scene<'_>, id: PaneId) -> String {
    match state.pane(id).content {
        PaneContent::Detail(Some(task)) => format!("Task {task}"),
        PaneContent::Shell(Some(number)) => format!("Shell {number}"),
        PaneContent::Moment(attempt, _) => format!("attempt {attempt} then"),
        PaneContent::Attempt(attempt) => match scene.model.attempts.get(&attempt) {
            Some(attempt) => attempt.task.to_string(),
            None => format!("attempt {attempt}"),
        },
        PaneContent::Diff(Some(task), _) => format!("Diff {task}"),
        PaneContent::Diff(None, _) => "Diff".to_owned(),
        PaneContent::Past(_) => "History".to_owned(),
        PaneContent::Gates(_) => "Gates".to_owned(),
        content => content.title().unwrap_or("Pane").to_owned(),
    }
}
