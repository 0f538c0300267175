//! Actions on tasks, agents and the program: each becomes a request, or a prompt that becomes one.

use super::{Request, Turn};
use crate::domain::{Attempt, Command, Level, Task, TaskState};
use crate::ui::action::Action;
use crate::ui::arrange::Arranged;
use crate::ui::line::Line;
use crate::ui::state::{Ask, AskKind, Confirm, Deed, Finished, Overlay};

/// Agents named one by one in a question; more are counted.
const MOST_NAMED: usize = 8;

impl Turn<'_, '_> {
    /// Does any other action.
    pub(super) fn on_task(&mut self, action: Action, arranged: &Arranged) {
        match action {
            Action::NewTask => self.prompt(AskKind::NewTask),
            Action::Pause => self.pause(),
            Action::StopServer => self.stop_server(),
            Action::Finished => {
                self.state.finished = match self.state.finished {
                    Finished::Counted => Finished::Shown,
                    Finished::Shown => Finished::Counted,
                };
            }
            Action::Interrupt => self.interrupt(),
            other => {
                let about = self.target(arranged);
                if let (Action::StopAgent, Some(attempt)) = (other, about.attempt) {
                    self.stop_agent(attempt, about.task);
                } else if other == Action::ApproveAll {
                    self.ask_approve_all(&about);
                } else if let (Action::Approve, Some((attempt, what))) = (other, about.wants_permission()) {
                    self.allow(attempt, what);
                } else if let Some(task) = about.task {
                    self.on_one(other, task);
                }
            }
        }
    }

    fn on_one(&mut self, action: Action, task: &Task) {
        let id = task.id.clone();
        let command = match action {
            Action::Approve => Command::Approve(id),
            Action::Retry => retry(task),
            Action::Park if matches!(task.state, TaskState::Parked(_)) => retry(task),
            Action::Skip => Command::Skip(id),
            Action::Release => Command::Release(vec![id]),
            Action::Park => return self.prompt(AskKind::Park(id)),
            Action::Reject => return self.prompt(AskKind::Reject(id)),
            Action::Answer => return self.prompt(AskKind::Answer(id)),
            Action::Comment => return self.prompt(AskKind::Comment(id)),
            Action::CloseTask => return self.prompt(AskKind::Close(id)),
            Action::Copy => {
                return self.copy_text(id.as_str());
            }
            _ => return,
        };
        self.ask(Request::Command(command));
    }

    fn prompt(&mut self, kind: AskKind) {
        self.state.overlay = Some(Overlay::Ask(Ask {
            kind,
            line: Line::default(),
        }));
    }

    fn stop_agent(&mut self, attempt: &Attempt, task: Option<&Task>) {
        let begun = attempt.started_at.unwrap_or(attempt.created_at);
        let age = self.scene.now.since(begun);
        let title = task.map(|task| task.title.as_str()).unwrap_or_default();
        self.confirm(Confirm {
            question: format!("Stop {}?", attempt.worker.name()),
            lines: vec![
                format!("It works on {} {title}", attempt.task),
                format!("in {}, try {}, for {age}.", attempt.stage, attempt.n),
                "The task goes back to its stage; no budget is used up.".to_owned(),
            ],
            yes: "stop it".to_owned(),
            deed: Deed::Command(Box::new(Command::Kill(attempt.id))),
        });
    }

    pub(super) fn confirm(&mut self, confirm: Confirm) {
        self.state.overlay = Some(Overlay::Confirm(Box::new(confirm)));
    }

    /// Pausing stops what runs, so it is asked about when something does; going on is not.
    fn pause(&mut self) {
        if self.scene.model.pause.is_some() {
            return self.ask(Request::Command(Command::Resume));
        }
        let mut lines = self.at_work();
        if lines.is_empty() {
            return self.ask(Request::Command(Command::Pause));
        }
        lines.insert(
            0,
            "These agents are stopped; their tasks go back to their stages:".to_owned(),
        );
        self.confirm(Confirm {
            question: "Pause everything?".to_owned(),
            lines,
            yes: "pause".to_owned(),
            deed: Deed::Command(Box::new(Command::Pause)),
        });
    }

    fn stop_server(&mut self) {
        let mut lines = self.at_work();
        if lines.is_empty() {
            lines.push("No agent is at work.".to_owned());
        } else {
            lines.insert(
                0,
                "These agents go on and are found again at the next start:".to_owned(),
            );
        }
        self.confirm(Confirm {
            question: "Stop the server?".to_owned(),
            lines,
            yes: "stop the server".to_owned(),
            deed: Deed::StopServer,
        });
    }

    fn at_work(&self) -> Vec<String> {
        let rows = self.scene.model.agents();
        let mut lines: Vec<String> = rows
            .map(|row| format!("  {}  {}", row.attempt.task, row.name))
            .collect();
        if lines.len() > MOST_NAMED {
            let more = lines.len() - MOST_NAMED;
            lines.truncate(MOST_NAMED);
            lines.push(format!("  and {more} more"));
        }
        lines
    }

    fn interrupt(&mut self) {
        let key = |action| self.state.keymap.hint(action).unwrap_or_default();
        let text = format!(
            "{} leaves, agents go on; {} stops an agent, {} the server",
            key(Action::Leave),
            key(Action::StopAgent),
            key(Action::StopServer),
        );
        self.state.tell(self.scene.now, Level::Info, text);
    }
}

fn retry(task: &Task) -> Command {
    Command::Retry {
        task: task.id.clone(),
        stage: None,
        note: None,
    }
}
