//! Arguments of actions in the palette: the ids that complete the text typed behind an action's name, and the word for the argument.

use super::{PaletteAction, PaletteBuilder, PaletteMatch};
use crate::domain::TaskId;
use crate::keymap::{Action, ActionEntry, Availability, entries};
use crate::ui::fuzzy::FuzzyQuery;
use crate::ui::target::named_target;

/// Maximum number of actions whose ids are listed: those that match the words best.
const MOST_ACTIONS: usize = 2;
/// Maximum number of ids that are listed for each action.
const MOST_IDS: usize = 6;

/// Returns the argument that may be written behind a row's name.
pub(super) fn argument(run: &PaletteAction) -> Option<&'static str> {
    match run {
        PaletteAction::Action(action, None) => takes_task(*action).then_some("TASK"),
        _ => None,
    }
}

fn takes_task(action: Action) -> bool {
    let when = action.entry().map(|entry| entry.availability);
    matches!(
        when,
        Some(
            Availability::Task
                | Availability::Approval
                | Availability::Permission
                | Availability::Rejectable
                | Availability::Retryable
                | Availability::Unfinished
                | Availability::Skippable
                | Availability::Backlog
                | Availability::Agent
                | Availability::Workplace
        )
    )
}

impl PaletteBuilder<'_> {
    /// Adds rows for an action with the beginning or the end of an id behind its name: that action for every such task it is possible for.
    pub(super) fn arguments(&self, typed: &str, found: &mut Vec<PaletteMatch>) {
        let Some((words, part)) = typed.rsplit_once(char::is_whitespace) else {
            return;
        };
        let (words, part) = (words.trim(), part.trim_start_matches('@'));
        if words.is_empty() {
            return;
        }
        let needle = FuzzyQuery::new(words);
        let scored = entries().filter(|entry| takes_task(entry.action));
        let mut fitting: Vec<(u32, &'static ActionEntry)> = scored
            .filter_map(|entry| Some((self.score(entry, &needle, words)?, entry)))
            .collect();
        fitting.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        for (score, entry) in fitting.into_iter().take(MOST_ACTIONS) {
            let ids = self.scene.model.tasks.keys().filter(|id| goes_on(id, part));
            let rows = ids.map(|id| self.action_row(entry, Some(id), &named_target(self.scene, id)));
            let possible = rows.filter(|row| row.possible).take(MOST_IDS);
            // Below the action alone, which is about the current task.
            let below_it = (12..).map(|below| score.saturating_sub(below).max(1));
            found.extend(below_it.zip(possible));
        }
    }
}

/// Returns true if an id begins or ends with that part; an id that is written in full is elsewhere in the list.
fn goes_on(id: &TaskId, part: &str) -> bool {
    let (id, part) = (id.as_str().as_bytes(), part.as_bytes());
    let same = |piece: Option<&[u8]>| piece.is_some_and(|piece| piece.eq_ignore_ascii_case(part));
    id.len() > part.len() && (same(id.get(..part.len())) || same(id.get(id.len() - part.len()..)))
}
