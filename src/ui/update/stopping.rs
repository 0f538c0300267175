//! Stopping agents, and skipping tasks that they work on: both are confirmed first, naming the agents they stop.

use super::UpdateContext;
use super::affected::affected_lines;
use super::tasks::ids;
use crate::domain::{Attempt, Command, Task, pluralized};
use crate::ui::state::{ConfirmAction, named};
use crate::ui::target::ActionTarget;

impl UpdateContext<'_, '_> {
    /// Asks before skipping where an agent works on a task, as skipping stops it.
    pub(super) fn ask_skip(&mut self, target: &ActionTarget<'_>) {
        let tasks = self.affected_tasks(target);
        let model = self.scene.model;
        let agents = tasks.iter().filter_map(|task| model.open_attempt(task));
        let agents: Vec<&Attempt> = agents.filter(|attempt| attempt.is_agent_at_work()).collect();
        if agents.is_empty() {
            return self.command_each("skipped", Command::Skip, target);
        }
        let (ids, named) = (ids(&tasks), named(&ids(&tasks)));
        let mut lines = vec![match agents.as_slice() {
            [attempt] => format!(
                "{} works on {} and is stopped.",
                attempt.worker.name(),
                attempt.task
            ),
            several => format!("{} are stopped:", pluralized(several.len(), "agent")),
        }];
        if agents.len() > 1 {
            let at_work = tasks.iter().filter(|task| model.open_attempt(task).is_some());
            lines.extend(affected_lines(at_work.map(AsRef::as_ref)));
        }
        let commands = ids.into_iter().map(Command::Skip).collect();
        let deed = ConfirmAction::OnMarked(format!("skipped {named}"), commands);
        self.confirm(format!("Skip {named}?"), lines, "skip", deed);
    }

    /// Stops the agents of the tasks; for a single one the question has more details, and it needs no task.
    pub(super) fn stop_agents(&mut self, target: &ActionTarget<'_>) {
        let model = self.scene.model;
        let tasks = self.affected_tasks(target);
        if tasks.is_empty() {
            return target
                .attempt
                .into_iter()
                .for_each(|attempt| self.stop_agent(attempt, target.task));
        }
        let open: Vec<&Attempt> = tasks.iter().filter_map(|task| model.open_attempt(task)).collect();
        if let ([attempt], [task]) = (open.as_slice(), tasks.as_slice()) {
            return self.stop_agent(attempt, Some(task));
        }
        if open.is_empty() {
            return self.warn("no agent works on any of them");
        }
        let agents = pluralized(open.len(), "agent");
        let at_work = tasks.iter().filter(|task| model.open_attempt(task).is_some());
        let mut lines = affected_lines(at_work.map(AsRef::as_ref));
        lines.push("The tasks go back to their stages; no budget is used up.".to_owned());
        self.confirm(
            format!("Stop {agents}?"),
            lines,
            "stop them",
            ConfirmAction::OnMarked(
                format!("stopped {agents}"),
                open.iter().map(|attempt| Command::Kill(attempt.id)).collect(),
            ),
        );
    }

    fn stop_agent(&mut self, attempt: &Attempt, task: Option<&Task>) {
        let begun = attempt.started_at.unwrap_or(attempt.created_at);
        let age = self.scene.now.since(begun);
        let title = task.map(|task| task.title.as_str()).unwrap_or_default();
        self.confirm(
            format!("Stop {}?", attempt.worker.name()),
            vec![
                format!("It works on {} {title}", attempt.task),
                format!("in {}, try {}, for {age}.", attempt.stage, attempt.n),
                "The task goes back to its stage; no budget is used up.".to_owned(),
            ],
            "stop it",
            ConfirmAction::OnMarked("stopped the agent".to_owned(), vec![Command::Kill(attempt.id)]),
        );
    }
}
