//! Several tasks made by one command: all of them or none. Each is checked as if it came alone; in addition it may wait for those before
//! it.

use std::collections::BTreeMap;

use super::Board;
use super::commands::{accepted, refuse};
use super::task_text::check_new;
use super::transition::Transition;
use crate::command::{Refusal, TaskDraft};
use crate::effect::CommandReply;
use crate::id::{StageId, TaskId};

impl Board {
    pub(super) fn create_all(&mut self, transition: &mut Transition, drafts: &[TaskDraft]) -> CommandReply {
        if drafts.is_empty() {
            refuse!("no task was given: name at least one");
        }
        let stages = self.check_all(drafts)?;
        for (draft, stage) in drafts.iter().zip(stages) {
            self.insert_planned(transition, draft, stage);
        }
        Ok(accepted(match drafts {
            [one] => format!("created {}", one.id),
            all => format!("created {} tasks", all.len()),
        }))
    }

    /// Returns the stage at which each draft begins, or the refusal of the first that cannot be made.
    fn check_all(&self, drafts: &[TaskDraft]) -> Result<Vec<StageId>, Refusal> {
        let lower = |id: &TaskId| id.as_str().to_ascii_lowercase();
        let mut taken: BTreeMap<String, &TaskId> = self.tasks.keys().map(|id| (lower(id), id)).collect();
        let mut before = BTreeMap::new();
        let mut stages = Vec::new();
        for draft in drafts {
            let checked = check_new(&draft.id, taken.get(&lower(&draft.id)).copied())
                .and_then(|()| self.check_draft(draft, &before));
            let about = || Some(draft.id.clone());
            stages.push(checked.map_err(|Refusal { why, .. }| Refusal { why, about: about() })?);
            taken.insert(lower(&draft.id), &draft.id);
            before.insert(&draft.id, draft);
        }
        Ok(stages)
    }
}
