//! What a card says about a task, in pieces that list and kanban share (K80): marker, id, title, who does what, since when,
//! what it waits for.

use crate::domain::{Task, TaskId, Worker};
use crate::ui::canvas::{Piece, piece};
use crate::ui::marker::{Mark, Marker, of_task};
use crate::ui::scene::{Scene, ScreenId};
use crate::ui::theme::{Glyphs, Role};

/// A task with everything a card needs.
pub(super) struct Card<'a> {
    pub(super) task: &'a Task,
    pub(super) marker: Marker,
    /// Who works on it.
    pub(super) who: Option<String>,
    /// Dependencies that are not done.
    pub(super) unresolved: Vec<TaskId>,
    /// The last line its agent's terminal shows, while it works.
    pub(super) last: Option<String>,
    /// How long it has been like this.
    pub(super) age: String,
    glyphs: Glyphs,
}

impl<'a> Card<'a> {
    pub(super) fn of(id: &TaskId, scene: &Scene<'a>) -> Option<Card<'a>> {
        let task: &Task = scene.model.tasks.get(id)?;
        let mut marker = of_task(task, scene.model, scene.now);
        if let Some(running) = task.open_attempt.and_then(|attempt| scene.running_check(attempt)) {
            marker.word = running.to_string();
        }
        let worker = scene.model.open_attempt(task).map(|attempt| &attempt.worker);
        Some(Card {
            task,
            last: task
                .open_attempt
                .and_then(|id| last_line(scene, ScreenId::Attempt(id))),
            who: worker.and_then(|worker| match worker {
                Worker::Agent { name, .. } => Some(name.clone()),
                Worker::Engine(_) => None,
            }),
            unresolved: if task.state.is_terminal() {
                Vec::new()
            } else {
                scene.model.unresolved(task)
            },
            age: scene.now.since(marker.since).to_string(),
            marker,
            glyphs: scene.theme.glyphs,
        })
    }

    pub(super) fn glyph(&self) -> Piece {
        piece(self.marker.mark.glyph(self.glyphs), self.marker.role)
    }

    /// The title, with `!` before it when the task carries the `priority` tag.
    pub(super) fn title(&self) -> Piece {
        let urgent = if self.task.tags.contains("priority") {
            "!"
        } else {
            ""
        };
        let role = if self.is_quiet() { Role::Dim } else { Role::Text };
        piece(format!("{urgent}{}", self.task.title), role)
    }

    /// The state's word, or what it waits for.
    pub(super) fn word(&self) -> Piece {
        match self.waits() {
            Some(waits) if self.marker.mark == Mark::Waiting => waits,
            _ => piece(&self.marker.word, self.marker.role),
        }
    }

    /// `⊘ dbs-3, dbs-4`: what it waits for, when it waits for other tasks.
    pub(super) fn waits(&self) -> Option<Piece> {
        if self.unresolved.is_empty() {
            return None;
        }
        let mark = match self.glyphs {
            Glyphs::Unicode => "⊘",
            Glyphs::Ascii => "waits for",
        };
        let ids: Vec<&str> = self.unresolved.iter().map(TaskId::as_str).collect();
        Some(piece(format!("{mark} {}", ids.join(", ")), Role::Blocked))
    }

    /// Whether nothing goes on here just now.
    pub(super) fn is_quiet(&self) -> bool {
        self.marker.role == Role::Pending
    }
}

/// The last line that a terminal shows while its program runs.
pub(super) fn last_line(scene: &Scene<'_>, id: ScreenId) -> Option<String> {
    let mut last = String::new();
    scene.screens.with(id, &mut |screen| {
        if screen.alive() {
            last = screen.last_line();
        }
    });
    (!last.is_empty()).then_some(last)
}
