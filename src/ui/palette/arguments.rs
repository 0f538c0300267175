//! What an action in the palette is to be about: the ids that go on from what was typed behind its name, and what to write there.

use super::{Found, List, Run, What};
use crate::domain::TaskId;
use crate::ui::action::{Action, Entry, When, entries};
use crate::ui::fuzzy::Needle;
use crate::ui::possible::why_not_about;
use crate::ui::target::of_named;

/// Actions whose ids are listed: those that the words before fit best.
const MOST_ACTIONS: usize = 2;
/// Ids that are listed for each.
const MOST_IDS: usize = 6;

/// What is to be written after a mark that was typed alone.
pub(super) const AFTER_MARKS: [(&str, &str); 5] = [
    (">", "ACTION"),
    ("@", "TASK"),
    ("#", "PANE"),
    ("/", "WORDS"),
    ("!", "COMMAND"),
];

/// What may be written behind a row's name.
pub(super) fn argument(run: &Run) -> Option<&'static str> {
    match run {
        Run::Action(action, None) => takes_task(*action).then_some("TASK"),
        _ => None,
    }
}

fn takes_task(action: Action) -> bool {
    let when = action.entry().map(|entry| entry.when);
    matches!(
        when,
        Some(
            When::Task
                | When::Approval
                | When::Rejectable
                | When::Retryable
                | When::Unfinished
                | When::Backlog
                | When::Agent
                | When::Workplace
        )
    )
}

impl<'a> List<'a> {
    /// An action, and behind its name the beginning or the end of an id: that action for every such task it is possible for.
    pub(super) fn arguments(&self, typed: &str, found: &mut Vec<Found<'a>>) {
        let Some((words, part)) = typed.rsplit_once(char::is_whitespace) else {
            return;
        };
        let (words, part) = (words.trim(), part.trim_start_matches('@'));
        if words.is_empty() {
            return;
        }
        let needle = Needle::new(words);
        let scored = entries().filter(|entry| takes_task(entry.action));
        let mut fitting: Vec<(u32, &'static Entry)> = scored
            .filter_map(|entry| Some((self.score(entry, &needle, words)?, entry)))
            .collect();
        fitting.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        for (score, entry) in fitting.into_iter().take(MOST_ACTIONS) {
            let ids = self.scene.model.tasks.keys().filter(|id| goes_on(id, part));
            let possible = ids.filter(|id| self.is_possible(entry.action, id));
            found.extend(possible.take(MOST_IDS).enumerate().map(|(nth, id)| Found {
                // Below the action alone, which is about the task at hand.
                score: score.saturating_sub(12 + u32::try_from(nth).unwrap_or(0)).max(1),
                what: What::Action(entry, Some(id)),
            }));
        }
    }

    fn is_possible(&self, action: Action, id: &TaskId) -> bool {
        let about = of_named(self.scene, id);
        why_not_about(action, &about, self.state, self.scene, self.arranged).is_none()
    }
}

/// Whether an id begins or ends with that; one that is written out is somewhere else in the list.
fn goes_on(id: &TaskId, part: &str) -> bool {
    let (id, part) = (id.as_str().as_bytes(), part.as_bytes());
    let same = |piece: Option<&[u8]>| piece.is_some_and(|piece| piece.eq_ignore_ascii_case(part));
    id.len() > part.len() && (same(id.get(..part.len())) || same(id.get(id.len() - part.len()..)))
}
