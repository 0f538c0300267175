//! Movements of a base branch by another hand than the engine's: reported and counted, and a hold if an agent did it.

use std::sync::Arc;

use super::Board;
use super::rows::ENGINE;
use super::transition::Transition;
use crate::attempt::Attempt;
use crate::base_move::{BaseMove, BaseMoves};
use crate::effect::NoticeLevel;
use crate::id::TaskId;
use crate::task::{HoldReason, TaskState};
use crate::workflow::EvidenceKind;

impl Board {
    /// Counts a movement of the base of a task. A movement reported twice, after a crash or by two looks at once, counts once. The movement
    /// of an agent that merges for the engine is judged when the agent has ended.
    pub(super) fn base_moved(&mut self, transition: &mut Transition, task: &TaskId, moved: &BaseMove) {
        let Some(task) = self.task(task) else { return };
        let made = moved.made_here.as_ref();
        let maker = made.and_then(|made| self.attempt_in(&made.folder));
        let is_merge = maker.as_deref().is_some_and(|attempt| self.merges(attempt));
        let is_known = |known: &BaseMoves| known.last.base == moved.base && known.last.to == moved.to;
        let mut known = self
            .batches
            .values()
            .filter_map(|batch| batch.base_moves.as_deref());
        if is_merge || known.any(is_known) {
            return;
        }
        if moved.is_own {
            // The person knows of it.
            return transition.notify(NoticeLevel::Info, "base_moved", moved.summary());
        }
        self.edit_batch(&task.batch, |batch| {
            let before = batch
                .base_moves
                .as_ref()
                .filter(|known| known.last.base == moved.base);
            let before = before.map_or(0, |known| known.n_commits);
            batch.base_moves = Some(Box::new(BaseMoves {
                n_commits: before.saturating_add(moved.n_commits),
                last: moved.clone(),
                at: transition.now,
            }));
        });
        transition.notify(NoticeLevel::Warning, "base_moved", moved.summary());
        if let (Some(maker), Some(made)) = (maker, made) {
            self.hold_for_base(transition, &maker, &moved.base, &made.commit);
        }
    }

    /// Holds the task whose agent brought a commit of its own to the base, past review and merge. A person judges the state of the base.
    fn hold_for_base(&mut self, transition: &mut Transition, maker: &Attempt, base: &str, commit: &str) {
        let (id, name) = (&maker.task, maker.worker.name());
        let Some(task) = self.task(id) else { return };
        let why = format!("{name} pushed {base} itself: {commit} is there without a review and a merge");
        self.comment(transition.now, id, ENGINE, why.clone());
        let is_over = task.state.is_terminal();
        let held = if is_over { "" } else { " held" };
        let text = format!("{id}{held}: {why}");
        transition.notify_attempt(NoticeLevel::Alert, "base_pushed", maker, text);
        if !is_over {
            self.set_state(transition.now, id, TaskState::Held(HoldReason::BasePushed(why)));
            self.cancel_open_attempt(transition, id);
        }
    }

    /// Returns true if the attempt is open and merges in place of the engine.
    fn merges(&self, attempt: &Attempt) -> bool {
        attempt.state.is_open() && self.required_evidence(attempt).contains(&EvidenceKind::Merged)
    }

    fn attempt_in(&self, folder: &str) -> Option<Arc<Attempt>> {
        let works_there = |attempt: &&Arc<Attempt>| {
            let origin = attempt.session_origin();
            origin.is_some_and(|origin| origin.workspace_folder() == folder)
        };
        self.attempts.values().rev().find(works_there).cloned()
    }
}
