//! Actions on tasks, agents and the program: each becomes a request, or a prompt that becomes one.

use std::sync::Arc;

use super::UpdateContext;
use super::affected::{affected_lines, listed};
use crate::domain::command::TaskPatch;
use crate::domain::{ActivityKind, Attempt, Command, NoticeLevel, Task, TaskId, TaskState};
use crate::ui::action::Action;
use crate::ui::line_editor::LineEditor;
use crate::ui::pane::Direction;
use crate::ui::screen_layout::ScreenLayout;
use crate::ui::state::{
    ConfirmAction, ConfirmPrompt, FinishedTasks, Overlay, PromptKind, TextPrompt, UndoMethod, named,
};
use crate::ui::status::attempt_status;
use crate::ui::target::ActionTarget;
use crate::ui::views::ViewMove;

impl UpdateContext<'_, '_> {
    /// Does any other action.
    pub(super) fn task_action(&mut self, action: Action, arranged: &ScreenLayout) {
        match action {
            Action::NewTask => self.new_task(),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::Jump => self.begin_jump(),
            Action::ToggleMark => self.mark(arranged),
            Action::TogglePause => self.pause(),
            Action::StopServer => self.stop_server(),
            Action::ToggleFinished => {
                self.state.finished = match self.state.finished {
                    FinishedTasks::Counted => FinishedTasks::Shown,
                    FinishedTasks::Shown => FinishedTasks::Counted,
                };
            }
            Action::Interrupt => self.interrupt(),
            Action::Demo => self.play_demo(),
            Action::RetryNow => {
                let waiting: Vec<TaskId> = self.scene.model.delayed().cloned().collect();
                let title = format!("tried {} at once", named(&waiting));
                self.commands(title, waiting.into_iter().map(retry).collect());
            }
            other => {
                let about = self.target(arranged);
                if other == Action::ApproveAll {
                    self.ask_approve_all(&about);
                } else if other == Action::Copy {
                    self.offer_copies(&about, arranged);
                } else if let (Action::Approve, Some((attempt, what)), true) = (
                    other,
                    about.wants_permission(),
                    self.state.marked_tasks.is_empty(),
                ) {
                    self.allow_current(attempt, what);
                } else if !self.tasks_action(other, &self.affected_tasks(&about)) {
                    self.on_one(other, &about);
                }
            }
        }
    }

    /// The tasks an action is about: those that are marked, else the one at hand.
    fn affected_tasks(&self, about: &ActionTarget<'_>) -> Vec<Arc<Task>> {
        let tasks = &self.scene.model.tasks;
        if self.named_task.is_none() && !self.state.marked_tasks.is_empty() {
            let marked = self.state.marked_tasks.iter();
            return marked.filter_map(|id| tasks.get(id).cloned()).collect();
        }
        let one = about.task.and_then(|task| tasks.get(&task.id));
        one.cloned().into_iter().collect()
    }

    /// Does an action that can be done to several tasks at once; answers whether it was one.
    fn tasks_action(&mut self, action: Action, tasks: &[Arc<Task>]) -> bool {
        let ids: Vec<TaskId> = tasks.iter().map(|task| task.id.clone()).collect();
        if ids.is_empty() {
            return false;
        }
        let each = |command: fn(TaskId) -> Command| ids.iter().cloned().map(command).collect::<Vec<_>>();
        let all_parked = tasks
            .iter()
            .all(|task| matches!(task.state, TaskState::Parked(_)));
        let (verb, commands) = match action {
            Action::Approve => ("approved", each(Command::Approve)),
            Action::Skip => ("skipped", each(Command::Skip)),
            Action::Retry => ("took up again", each(retry)),
            Action::TogglePark if all_parked => ("took up again", each(retry)),
            Action::Release => ("released", vec![Command::Release(ids.clone())]),
            Action::Withdraw => ("took back", each(Command::Withdraw)),
            Action::RaisePriority => ("raised", priorities(tasks, -1)),
            Action::LowerPriority => ("lowered", priorities(tasks, 1)),
            Action::MergeNow => {
                self.ask_merge(tasks);
                return true;
            }
            Action::StopAgent => {
                self.stop_agents(tasks);
                return true;
            }
            other => {
                let kind = match other {
                    Action::TogglePark => PromptKind::Park(ids),
                    Action::Reject => PromptKind::Reject(ids),
                    Action::Answer => PromptKind::Answer(ids),
                    Action::Comment => PromptKind::Comment(ids),
                    Action::RetryWithNote => PromptKind::RetryWithNote(ids),
                    Action::CloseTask => {
                        self.ask_close(ids, tasks);
                        return true;
                    }
                    _ => return false,
                };
                let mut lines = self.asked_by(&kind);
                if tasks.len() > 1 {
                    lines.splice(0..0, affected_lines(tasks.iter().map(AsRef::as_ref)));
                }
                self.prompt(kind, lines, None);
                return true;
            }
        };
        if commands.is_empty() {
            self.warn("there is no such priority: 0 is most urgent, 4 least");
        } else {
            self.commands(format!("{verb} {}", named(&ids)), commands);
        }
        self.state.marked_tasks.clear();
        true
    }

    fn on_one(&mut self, action: Action, about: &ActionTarget<'_>) {
        match (action, about.task, about.attempt) {
            (Action::StopAgent, task, Some(attempt)) => self.stop_agent(attempt, task),
            (Action::EditTask, Some(task), _) => self.edit_task(task),
            _ => {}
        }
    }

    /// Marks the task at hand, or no longer, and goes on to the next.
    fn mark(&mut self, arranged: &ScreenLayout) {
        let Some(id) = self.target(arranged).task.map(|task| task.id.clone()) else {
            return;
        };
        let before = self.state.marked_tasks.clone();
        if !self.state.marked_tasks.remove(&id) {
            self.state.marked_tasks.insert(id.clone());
        }
        self.record_undo(format!("marked {id}"), UndoMethod::Marks(before));
        self.move_in_view(arranged.focus, ViewMove::One(Direction::Down), arranged);
    }

    /// What the agent asked, when it is to be answered.
    fn asked_by(&self, kind: &PromptKind) -> Vec<String> {
        let PromptKind::Answer(tasks) = kind else {
            return Vec::new();
        };
        let model = self.scene.model;
        let said = tasks.iter().filter_map(|id| {
            let attempt = model.open_attempt(model.tasks.get(id)?)?;
            match &attempt.activity.doing {
                ActivityKind::Question(text) | ActivityKind::Permission(text) => {
                    Some(format!("{id} asks: {text}"))
                }
                _ => None,
            }
        });
        said.collect()
    }

    /// Closing takes work away where there is some: then a word is asked for, and where the work is kept is said.
    fn ask_close(&mut self, ids: Vec<TaskId>, tasks: &[Arc<Task>]) {
        let begun = tasks.iter().filter(|task| task.spawns > 0 || task.head.is_some());
        let begun: Vec<&Arc<Task>> = begun.collect();
        let mut lines = Vec::new();
        let mut word = None;
        if tasks.len() > 1 {
            lines = affected_lines(tasks.iter().map(AsRef::as_ref));
        }
        if let Some(first) = begun.first() {
            lines = affected_lines(tasks.iter().map(AsRef::as_ref));
            lines.push(format!(
                "Their work is taken away; before that it is kept below refs/dbs/attic/{}/, and `git branch NAME REF` brings it back.",
                if begun.len() == 1 { first.id.as_str() } else { "ID" }
            ));
            lines.push("Write discard, and the reason behind it.".to_owned());
            word = Some("discard");
        }
        self.prompt(PromptKind::Close(ids), lines, word);
    }

    fn prompt(&mut self, kind: PromptKind, lines: Vec<String>, word: Option<&'static str>) {
        self.state.overlay = Some(Overlay::Prompt(TextPrompt {
            kind,
            line: LineEditor::default(),
            lines,
            scrolled_back: 0,
            required_word: word,
        }));
    }

    /// Merging at once leaves stages out, so it is asked about, and they are named.
    fn ask_merge(&mut self, tasks: &[Arc<Task>]) {
        let model = self.scene.model;
        let mut moves = Vec::new();
        let mut named = Vec::new();
        for task in tasks {
            let why_not = match model.merge_of(task) {
                None => "its workflow has no stage that merges",
                Some(stage) if stage.id == task.stage => "it stands there already",
                Some(_) if task.head.is_none() && task.spawns == 0 => "nobody has worked on it yet",
                Some(stage) => {
                    let from = model.stage_label(task);
                    let line = format!("  {}  {}  from {from}", task.id, task.title);
                    named.push((line, format!("from {from}")));
                    moves.push((task.id.clone(), stage.id.clone()));
                    continue;
                }
            };
            self.warn(format!("merge now: {}: {why_not}", task.id));
        }
        if moves.is_empty() {
            return;
        }
        let mut lines = listed(named);
        lines.push("What its stages before the merge would have looked at nobody looks at; an agent at work on it is stopped. The engine still asks for commits, and runs its checks.".to_owned());
        let question = match moves.as_slice() {
            [(only, _)] => format!("Merge {only} now?"),
            several => format!("Merge {} tasks now?", several.len()),
        };
        self.confirm(ConfirmPrompt {
            question,
            lines,
            scroll: 0,
            yes: "merge".to_owned(),
            action: ConfirmAction::Merge(moves),
        });
    }

    /// Stops the agents of several tasks; of one it says more.
    fn stop_agents(&mut self, tasks: &[Arc<Task>]) {
        let model = self.scene.model;
        let open: Vec<&Attempt> = tasks.iter().filter_map(|task| model.open_attempt(task)).collect();
        if let ([attempt], [task]) = (open.as_slice(), tasks) {
            return self.stop_agent(attempt, Some(task));
        }
        if open.is_empty() {
            return self.warn("no agent works on any of them");
        }
        let mut lines = affected_lines(
            tasks
                .iter()
                .filter(|task| model.open_attempt(task).is_some())
                .map(AsRef::as_ref),
        );
        lines.push("The tasks go back to their stages; no budget is used up.".to_owned());
        self.confirm(ConfirmPrompt {
            question: format!("Stop {} agents?", open.len()),
            lines,
            scroll: 0,
            yes: "stop them".to_owned(),
            action: ConfirmAction::Stop(open.iter().map(|attempt| attempt.id).collect()),
        });
    }

    fn stop_agent(&mut self, attempt: &Attempt, task: Option<&Task>) {
        let begun = attempt.started_at.unwrap_or(attempt.created_at);
        let age = self.scene.now.since(begun);
        let title = task.map(|task| task.title.as_str()).unwrap_or_default();
        self.confirm(ConfirmPrompt {
            question: format!("Stop {}?", attempt.worker.name()),
            lines: vec![
                format!("It works on {} {title}", attempt.task),
                format!("in {}, try {}, for {age}.", attempt.stage, attempt.n),
                "The task goes back to its stage; no budget is used up.".to_owned(),
            ],
            scroll: 0,
            yes: "stop it".to_owned(),
            action: ConfirmAction::Stop(vec![attempt.id]),
        });
    }

    pub(super) fn confirm(&mut self, confirm: ConfirmPrompt) {
        self.state.overlay = Some(Overlay::Confirm(Box::new(confirm)));
    }

    /// Pausing stops what runs, so it is asked about when something does; going on is not.
    fn pause(&mut self) {
        if self.scene.model.pause.is_some() {
            return self.command("went on", Command::Resume);
        }
        let mut lines = self.at_work();
        if lines.is_empty() {
            return self.command("paused", Command::Pause);
        }
        lines.insert(
            0,
            "These agents are stopped; their tasks go back to their stages:".to_owned(),
        );
        self.confirm(ConfirmPrompt {
            question: "Pause everything?".to_owned(),
            lines,
            scroll: 0,
            yes: "pause".to_owned(),
            action: ConfirmAction::Command(Box::new(Command::Pause)),
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
        self.confirm(ConfirmPrompt {
            question: "Stop the server?".to_owned(),
            lines,
            scroll: 0,
            yes: "stop the server".to_owned(),
            action: ConfirmAction::StopServer,
        });
    }

    fn at_work(&self) -> Vec<String> {
        let rows = self.scene.model.agents();
        let named = rows.map(|row| {
            let word = attempt_status(row.attempt).word;
            let line = format!("  {}  {}  ({word})", row.attempt.task, row.name);
            (line, word)
        });
        listed(named.collect())
    }

    fn interrupt(&mut self) {
        let key = |action| self.state.keymap.hint(action).unwrap_or_default();
        let text = format!(
            "{} leaves, agents go on; {} stops an agent, {} the server",
            key(Action::Detach),
            key(Action::StopAgent),
            key(Action::StopServer),
        );
        self.state.show_toast(self.scene.now, NoticeLevel::Info, text);
    }
}

fn retry(task: TaskId) -> Command {
    Command::Retry {
        task,
        stage: None,
        note: None,
    }
}

/// Changes of priority; those that would leave the scale are left out.
fn priorities(tasks: &[Arc<Task>], by: i8) -> Vec<Command> {
    let changed = tasks.iter().filter_map(|task| {
        let priority = task
            .priority
            .checked_add_signed(by)
            .filter(|priority| *priority <= 4)?;
        let patch = TaskPatch {
            priority: Some(priority),
            ..TaskPatch::default()
        };
        Some(Command::Update(task.id.clone(), patch))
    });
    changed.collect()
}
