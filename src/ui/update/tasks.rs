//! Actions on tasks, agents and the program: each becomes a request, or a prompt that becomes one.

use std::sync::Arc;

use super::affected::{affected_lines, listed};
use super::{UiRequest, UpdateContext};
use crate::display::LeaveEffect;
use crate::domain::command::TaskPatch;
use crate::domain::{AskKind, Command, Task, TaskId, TaskState};
use crate::keymap::Action;
use crate::keymap::Direction;
use crate::ui::line_editor::LineEditor;
use crate::ui::screen_layout::ScreenLayout;
use crate::ui::state::{
    ConfirmAction, ConfirmPrompt, FinishedTasks, Overlay, PromptKind, TextPrompt, UndoMethod, named, retry,
};
use crate::ui::status::attempt_status;
use crate::ui::target::{ActionTarget, blocking_question};
use crate::ui::views::ViewMove;

impl UpdateContext<'_, '_> {
    /// Returns the tasks an action applies to: those that are marked, else the current one.
    pub(super) fn affected_tasks(&self, target: &ActionTarget<'_>) -> Vec<Arc<Task>> {
        let tasks = &self.scene.model.tasks;
        if self.named_task.is_none() && !self.state.marked_tasks.is_empty() {
            let marked = self.state.marked_tasks.iter();
            return marked.filter_map(|id| tasks.get(id).cloned()).collect();
        }
        let one = target.task.and_then(|task| tasks.get(&task.id));
        one.cloned().into_iter().collect()
    }

    /// Approves the request of the current agent for a permission, else the tasks.
    pub(super) fn approve(&mut self, target: &ActionTarget<'_>) {
        match target.wants_permission(self.scene.now) {
            Some((attempt, known)) if self.state.marked_tasks.is_empty() => {
                self.allow_current(attempt, known);
            }
            _ => match target.asks(AskKind::Dialog, self.scene.now) {
                Some((attempt, known)) if self.state.marked_tasks.is_empty() => {
                    self.ask_dialog_yes(attempt, known);
                }
                _ => self.command_each("approved", Command::Approve, target),
            },
        }
    }

    /// Asks the board for a command for each of the tasks.
    pub(super) fn command_each(
        &mut self,
        verb: &str,
        command: fn(TaskId) -> Command,
        target: &ActionTarget<'_>,
    ) {
        let ids = ids(&self.affected_tasks(target));
        self.command_tasks(verb, &ids, ids.iter().cloned().map(command).collect());
    }

    /// Asks the board for commands about these tasks, and unmarks them.
    fn command_tasks(&mut self, verb: &str, ids: &[TaskId], commands: Vec<Command>) {
        if !ids.is_empty() {
            self.commands(format!("{verb} {}", named(ids)), commands);
            self.state.marked_tasks.clear();
        }
    }

    pub(super) fn retry_delayed(&mut self) {
        let waiting: Vec<TaskId> = self.scene.model.delayed().cloned().collect();
        let title = format!("tried {} at once", named(&waiting));
        self.commands(title, waiting.into_iter().map(retry).collect());
    }

    pub(super) fn release(&mut self, target: &ActionTarget<'_>) {
        let ids = ids(&self.affected_tasks(target));
        self.command_tasks("released", &ids, vec![Command::Release(ids.clone())]);
    }

    /// Retries tasks that are all parked; asks for the reason to park others.
    pub(super) fn toggle_park(&mut self, target: &ActionTarget<'_>) {
        let is_parked = |task: &Arc<Task>| matches!(task.state, TaskState::Parked(_));
        if self.affected_tasks(target).iter().all(is_parked) {
            self.command_each("retried", retry, target);
        } else {
            self.prompt_about(PromptKind::Park, target);
        }
    }

    pub(super) fn change_priority(&mut self, verb: &str, by: i8, target: &ActionTarget<'_>) {
        let tasks = self.affected_tasks(target);
        let commands = priorities(&tasks, by);
        if !tasks.is_empty() && commands.is_empty() {
            self.warn("there is no such priority: 0 is most urgent, 4 least");
            return self.state.marked_tasks.clear();
        }
        self.command_tasks(verb, &ids(&tasks), commands);
    }

    /// Asks for one line of text about the tasks.
    pub(super) fn prompt_about(&mut self, kind: PromptKind, target: &ActionTarget<'_>) {
        let tasks = self.affected_tasks(target);
        if tasks.is_empty() {
            return;
        }
        let mut lines = Vec::new();
        if tasks.len() > 1 {
            lines = affected_lines(tasks.iter().map(AsRef::as_ref));
        }
        match kind {
            PromptKind::Answer => lines.extend(self.asked_by(&tasks)),
            PromptKind::RetryWithNote => {
                let asked = tasks
                    .iter()
                    .filter_map(|task| Some((task, blocking_question(task)?)));
                lines.extend(asked.map(|(task, question)| format!("{} asks: {question}", task.id)));
            }
            _ => {}
        }
        self.prompt_tasks(kind, &tasks, lines, None);
    }

    pub(super) fn toggle_finished(&mut self) {
        self.state.finished = match self.state.finished {
            FinishedTasks::Counted => FinishedTasks::Shown,
            FinishedTasks::Shown => FinishedTasks::Counted,
        };
    }

    /// Marks the current task, or unmarks it, and moves to the next.
    pub(super) fn mark(&mut self, target: &ActionTarget<'_>, layout: &ScreenLayout) {
        let Some(id) = target.task.map(|task| task.id.clone()) else {
            return;
        };
        let before = self.state.marked_tasks.clone();
        if !self.state.marked_tasks.remove(&id) {
            self.state.marked_tasks.insert(id.clone());
        }
        self.record_undo(format!("marked {id}"), UndoMethod::Marks(before));
        self.move_in_view(layout.focus, ViewMove::One(Direction::Down), layout);
    }

    /// Returns the lines of the agent's question, when it is to be answered.
    fn asked_by(&self, tasks: &[Arc<Task>]) -> Vec<String> {
        let now = self.scene.now;
        let open = tasks
            .iter()
            .filter_map(|task| self.scene.model.open_attempt(task));
        let asked = open.flat_map(|attempt| {
            let asks = attempt.open_asks(now);
            asks.flat_map(|known| {
                let text = format!("{} asks: {}", attempt.task, known.ask.text);
                let offered = Some(known.ask.numbered_options()).filter(|options| !options.is_empty());
                std::iter::once(text).chain(offered.map(|options| format!("One of: {options}")))
            })
        });
        asked.collect()
    }

    /// Asks before closing. Closing takes work away if there is some: then a word is required, and the prompt shows where the work is
    /// kept.
    pub(super) fn ask_close(&mut self, target: &ActionTarget<'_>) {
        let tasks = self.affected_tasks(target);
        if tasks.is_empty() {
            return;
        }
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
        self.prompt_tasks(PromptKind::Close, &tasks, lines, word);
    }

    fn prompt_tasks(
        &mut self,
        kind: PromptKind,
        tasks: &[Arc<Task>],
        lines: Vec<String>,
        required_word: Option<&'static str>,
    ) {
        self.state.overlay = Some(Overlay::Prompt(TextPrompt {
            tasks: ids(tasks),
            lines,
            required_word,
            ..TextPrompt::new(kind, LineEditor::default())
        }));
    }

    /// Asks before merging, which leaves stages out when done at once; they are named.
    pub(super) fn ask_merge(&mut self, target: &ActionTarget<'_>) {
        let model = self.scene.model;
        let (mut moved, mut commands) = (Vec::new(), Vec::new());
        let mut lines = Vec::new();
        for task in &self.affected_tasks(target) {
            let why_not = match model.merge_of(task) {
                None => "its workflow has no stage that merges",
                Some(stage) if stage.id == task.stage => "it stands there already",
                Some(_) if task.head.is_none() && task.spawns == 0 => "no agent has worked on it yet",
                Some(stage) => {
                    let from = model.stage_label(task);
                    let line = format!("  {}  {}  from {from}", task.id, task.title);
                    lines.push((line, format!("from {from}")));
                    moved.push(task.id.clone());
                    let patch = TaskPatch {
                        stage: Some(stage.id.clone()),
                        ..TaskPatch::default()
                    };
                    commands.push(Command::Update(task.id.clone(), patch));
                    continue;
                }
            };
            self.warn(format!("merge now: {}: {why_not}", task.id));
        }
        if moved.is_empty() {
            return;
        }
        let mut lines = listed(lines);
        lines.push("The stages before the merge are skipped; an agent at work on it is stopped. The engine still asks for commits, and runs its checks.".to_owned());
        let tasks = named(&moved);
        let deed = ConfirmAction::OnMarked(format!("moved {tasks} to the merge"), commands);
        self.confirm(format!("Merge {tasks} now?"), lines, "merge", deed);
    }

    /// Asks for confirmation; `yes` is the word for it.
    pub(super) fn confirm(
        &mut self,
        question: impl Into<String>,
        lines: Vec<String>,
        yes: &str,
        action: ConfirmAction,
    ) {
        self.state.overlay = Some(Overlay::Confirm(Box::new(ConfirmPrompt {
            question: question.into(),
            lines,
            scroll: 0,
            yes: yes.to_owned(),
            action,
        })));
    }

    /// Pauses, or resumes. Pausing stops running work, so it is confirmed when something runs; resuming is not.
    pub(super) fn pause(&mut self) {
        if self.scene.model.pause.is_some() {
            return self.command("resumed", Command::Resume);
        }
        let mut lines = self.at_work();
        if lines.is_empty() {
            return self.command("paused", Command::Pause);
        }
        lines.insert(
            0,
            "These agents are stopped; their tasks go back to their stages:".to_owned(),
        );
        self.confirm(
            "Pause everything?",
            lines,
            "pause",
            ConfirmAction::Commands("paused".to_owned(), vec![Command::Pause]),
        );
    }

    /// Leaves. A session of a project continues, so nothing is asked; a demo ends then, and that is asked first.
    pub(super) fn leave(&mut self) {
        let folder = match self.scene.session.on_leave {
            LeaveEffect::GoesOn => return self.ask(UiRequest::Detach),
            LeaveEffect::EndsAndDeletes => "Its folder is deleted, with everything in it.",
            LeaveEffect::EndsAndKeeps => "Its folder is kept.",
        };
        let mut lines = vec![folder.to_owned()];
        let at_work = self.at_work();
        if !at_work.is_empty() {
            lines.push("These agents are ended:".to_owned());
            lines.extend(at_work);
        }
        self.confirm("Leave the demo?", lines, "leave", ConfirmAction::Leave);
    }

    pub(super) fn stop_server(&mut self) {
        let mut lines = self.at_work();
        if lines.is_empty() {
            lines.push("No agent is running.".to_owned());
        } else {
            lines.insert(
                0,
                "These agents go on and are found again at the next start:".to_owned(),
            );
        }
        self.confirm(
            "Stop the server?",
            lines,
            "stop the server",
            ConfirmAction::StopServer,
        );
    }

    fn at_work(&self) -> Vec<String> {
        let rows = self.scene.model.agents();
        let named = rows.map(|row| {
            let word = attempt_status(row.attempt, self.scene).word;
            let line = format!("  {}  {}  ({word})", row.attempt.task, row.name);
            (line, word)
        });
        listed(named.collect())
    }

    pub(super) fn interrupt(&mut self) {
        let key = |action| self.state.keymap.hint(action).unwrap_or_default();
        let text = format!(
            "{} leaves, agents go on; {} stops an agent, {} the server",
            key(Action::Detach),
            key(Action::StopAgent),
            key(Action::StopServer),
        );
        self.inform(text);
    }
}

pub(super) fn ids(tasks: &[Arc<Task>]) -> Vec<TaskId> {
    tasks.iter().map(|task| task.id.clone()).collect()
}

/// Returns the changes of priority; those that would leave the scale are skipped.
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
