//! News of tasks that a person may be told besides what needs them: a task is done, or is tried again (P24, P26).

use std::collections::BTreeSet;

use crate::display::AlertEvents;
use crate::domain::{TaskId, TaskState};
use crate::read_model::ReadModel;

/// Something that happened to a task and asks nothing of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TaskEvent {
    Done,
    /// Beginning of a try after the first, with its number.
    TriedAgain(u32),
}

/// News of tasks at the last look at the board; nothing before the first.
#[derive(Debug, Clone, Default)]
pub(super) struct TaskNews(Option<BTreeSet<(TaskId, TaskEvent)>>);

impl TaskNews {
    /// Takes what has happened so far as known, if the board was never looked at.
    pub(super) fn begin(&mut self, model: &ReadModel, wanted: AlertEvents) {
        if self.0.is_none() {
            self.update(model, wanted);
        }
    }

    /// Looks at the board; returns what has happened since the last look, as far as a person wants to know of it.
    pub(super) fn update(&mut self, model: &ReadModel, wanted: AlertEvents) -> Vec<(TaskId, TaskEvent)> {
        if wanted == AlertEvents::Needs {
            self.0 = None;
            return Vec::new();
        }
        let all = model.tasks.values().filter_map(|task| {
            let event = match (&task.state, task.tries_of_work()) {
                (TaskState::Done, _) => TaskEvent::Done,
                (_, tries) if tries > 1 => TaskEvent::TriedAgain(tries),
                _ => return None,
            };
            Some((task.id.clone(), event))
        });
        let all: BTreeSet<_> = all.collect();
        let is_wanted = |event: &TaskEvent| *event == TaskEvent::Done || wanted == AlertEvents::All;
        let known = self.0.replace(all.clone());
        let fresh = known
            .into_iter()
            .flat_map(|known| all.difference(&known).cloned().collect::<Vec<_>>());
        fresh.filter(|(_, event)| is_wanted(event)).collect()
    }
}
