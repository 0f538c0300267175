//! Contents of the panes that follow the selected task, and the choice of that task while none is selected.

use super::UpdateContext;
use crate::display::LeaveEffect;
use crate::domain::{AttemptId, Span, TaskId};
use crate::ui::pane::PaneId;
use crate::ui::scene::ScreenId;
use crate::ui::screen_layout::shows_selected_task;
use crate::ui::state::{PaneArrangement, PaneContent};
use crate::ui::target::{ordered_columns, selected, shown_agent};

/// Time for which the end of an agent stays on the screen of a person who only watches, before the next agent is shown.
const LINGER: Span = Span::seconds(4);

impl UpdateContext<'_, '_> {
    /// Selects the task and the agent that are shown: from the first key on they belong to the person, who acts on what they see, and never
    /// change by themselves.
    pub(super) fn choose_what_is_shown(&mut self) {
        let tab = self.state.current_tab();
        let lists_agents = tab.is_some_and(|tab| matches!(tab.arrangement, PaneArrangement::Agents { .. }));
        if lists_agents && self.state.agent.is_none() {
            self.state.agent = shown_agent(self.state, self.scene, self.arranged().focus);
        }
        if self.state.selected.is_none() {
            self.state.selected = self.state.watched.take().map(|(task, _)| task);
        }
    }

    /// Shows the present content of the selected task in panes that follow the selection.
    pub(super) fn follow_selection(&mut self) {
        self.watch();
        let following = self.state.panes.iter().filter(|(_, pane)| pane.follows_selection);
        let panes: Vec<PaneId> = following.map(|(id, _)| *id).collect();
        let mut changed = false;
        for id in panes {
            changed |= self.follow_in(id);
        }
        let conductor = PaneContent::Conductor(self.conductor());
        for pane in self.state.panes.values_mut() {
            if pane.content.is_same_view(&conductor) && pane.content != conductor {
                pane.content = conductor.clone();
                (pane.scroll, pane.mark) = (0, None);
                changed = true;
            }
        }
        if changed {
            self.relayout();
        }
    }

    /// Shows a task that is worked on while none is selected, until some time after the work ended.
    fn watch(&mut self) {
        let exists = |id: &TaskId| self.scene.model.tasks.contains_key(id);
        if self.state.selected.as_ref().is_some_and(exists) || !shows_selected_task(self.state) {
            self.state.watched = None;
            return;
        }
        let now = self.scene.now;
        // A person plans with the conductor: it comes before agents that work alone.
        let conductor = self.conductor();
        let planning = conductor.and_then(|id| Some(self.scene.model.attempts.get(&id)?.task.clone()));
        if let Some(task) = planning.or_else(|| self.asking_in_demo()) {
            self.state.watched = Some((task, now));
            return;
        }
        if let Some((task, at_work)) = self.state.watched.take().filter(|(task, _)| exists(task)) {
            let still = self.agent_of(&task).is_some();
            let at_work = if still { now } else { at_work };
            self.state.watched = Some((task, at_work));
            if still || now.since(at_work) < LINGER {
                return;
            }
        }
        if self.scene.model.is_all_done() {
            // The summary comes after the last agent.
            self.state.watched = None;
            return;
        }
        let mut tasks = ordered_columns(self.scene)
            .into_iter()
            .flat_map(|column| &column.cards);
        if let Some(task) = tasks.find(|id| self.agent_of(id).is_some()) {
            self.state.watched = Some((task.clone(), now));
        }
    }

    /// Returns the task whose agent has asked for the longest time, in a demo: there a question answers itself after a time, which can be
    /// seen in its terminal only.
    fn asking_in_demo(&self) -> Option<TaskId> {
        let is_demo = self.scene.session.on_leave != LeaveEffect::GoesOn;
        let asks = self
            .scene
            .model
            .attention
            .iter()
            .filter(|item| item.kind.is_agents());
        let mut tasks = asks.map(|item| &item.task);
        tasks
            .find(|task| is_demo && self.agent_of(task).is_some())
            .cloned()
    }

    /// Returns the conductor at work, once it has a terminal.
    fn conductor(&self) -> Option<AttemptId> {
        let mut agents = self.scene.model.agents().map(|row| row.attempt);
        let found = agents.find(|attempt| attempt.conducts())?;
        Some(found.id).filter(|id| self.scene.screens.has(ScreenId::Attempt(*id)))
    }

    /// Returns the agent at work on a task, once it has a terminal.
    fn agent_of(&self, task: &TaskId) -> Option<AttemptId> {
        let open = self.scene.model.tasks.get(task)?.open_attempt?;
        Some(open).filter(|id| self.scene.screens.has(ScreenId::Attempt(*id)))
    }

    /// Updates a pane; returns true if it shows something else now. The screen of an agent that ended stays until the task has another
    /// agent or another task is selected; a view that is scrolled back or held still stays in any case while the task is the same.
    fn follow_in(&mut self, id: PaneId) -> bool {
        let pane = self.state.pane(id);
        let task = selected(self.state, self.scene);
        let shown = match pane.content {
            PaneContent::Attempt(attempt) => self.scene.model.attempts.get(&attempt),
            _ => None,
        };
        let is_same = shown.is_some_and(|attempt| {
            Some(&attempt.task) == task.as_ref() && self.scene.screens.has(ScreenId::Attempt(attempt.id))
        });
        let is_read = pane.scroll > 0 || self.state.copy_mode.as_ref().is_some_and(|held| held.pane == id);
        let agent = task.as_ref().and_then(|task| self.agent_of(task));
        let is_over = self.scene.model.is_all_done();
        let wanted = match (agent, task) {
            _ if is_same && is_read => return false,
            _ if is_over && self.state.selected.is_none() && self.state.watched.is_none() => {
                PaneContent::Selected
            }
            _ if is_same && agent.is_none() => return false,
            (Some(agent), _) => PaneContent::Attempt(agent),
            (None, Some(task)) => PaneContent::Detail(Some(task)),
            (None, None) => PaneContent::Selected,
        };
        if wanted == pane.content {
            return false;
        }
        let pane = self.state.pane_mut(id);
        pane.content = wanted;
        (pane.scroll, pane.mark) = (0, None);
        true
    }
}
