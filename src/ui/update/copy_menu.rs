//! The menu of texts that can be copied: of the marked row, of the task, of all that are marked. Chosen from a list; the key that opened
//! the list takes the marked row, and each row has a letter.

use super::UpdateContext;
use crate::domain::{Attempt, Task, TaskId};
use crate::keymap::Action;
use crate::ui::screen_layout::ScreenLayout;
use crate::ui::state::{Menu, MenuAction, MenuItem, Overlay};
use crate::ui::target::ActionTarget;
use crate::ui::views::view_of;

/// Letters that move in a list, or leave it.
const TAKEN: &str = "jkgq";
/// Columns of the word for a text.
const WHAT: usize = 10;

/// A text that can be copied, with a word for its kind.
type CopyItem = (&'static str, String);

impl UpdateContext<'_, '_> {
    /// Offers the texts that can be copied. The likeliest is marked: the one that only this view knows of the row, else the task's id.
    pub(super) fn offer_copies(&mut self, target: &ActionTarget<'_>, layout: &ScreenLayout) {
        let marked = self.state.marked_tasks.len();
        let mut likeliest = 0;
        let (title, offers) = if self.named_task.is_none() && marked > 0 {
            (format!("Copy of {marked} tasks"), self.of_marked())
        } else {
            let task = target.task.into_iter();
            let mut offers: Vec<CopyItem> = task.flat_map(|task| self.of_one(task, target.attempt)).collect();
            let of_task = offers.len();
            if !target.is_named {
                let pane = self.state.pane(layout.focus);
                offers.extend(view_of(&pane.content).copy_items(&self.view_context(&pane, layout)));
            }
            likeliest = of_task % offers.len().max(1);
            ("Copy".to_owned(), offers)
        };
        if offers.is_empty() {
            return self.warn("copy: there is nothing here to copy");
        }
        let keys = self.state.keymap.hint(Action::Copy).unwrap_or_default();
        let letters = letters(&offers, &keys);
        let choices = offers
            .into_iter()
            .zip(letters)
            .map(|((what, text), key)| MenuItem {
                text: format!("{} {what:<WHAT$} {text}", key.unwrap_or(' ')),
                key,
                action: MenuAction::Copy(what, text),
            });
        self.state.overlay = Some(Overlay::Menu(Menu {
            title,
            items: choices.collect(),
            marked: likeliest,
            opened_by: Some(Action::Copy),
        }));
    }

    /// Returns the texts of a task: its name, its workplace, and the command that shows it in a shell.
    fn of_one(&self, task: &Task, open: Option<&Attempt>) -> Vec<CopyItem> {
        let model = self.scene.model;
        let of_task = model.attempts.values().rev().find(|last| last.task == task.id);
        let attempt = open.or(of_task.map(AsRef::as_ref));
        let place = attempt.and_then(|attempt| attempt.workplace.as_ref());
        let mut offers = vec![("id", task.id.to_string()), ("title", task.title.clone())];
        let branch = place.and_then(|place| place.branch.clone());
        offers.extend(branch.map(|branch| ("branch", branch)));
        // The folder of an attempt that is over may be gone.
        let path = open.and(place).map(|place| place.path.clone());
        offers.extend(path.map(|path| ("path", path)));
        offers.push(("command", format!("dbs task show {}", task.id)));
        let commit = task.merged.as_ref().or(task.head.as_ref());
        offers.extend(commit.map(|commit| ("commit", commit.clone())));
        let now = self.scene.now;
        let asked = open.into_iter().flat_map(|open| open.open_asks(now));
        offers.extend(asked.map(|known| ("asked", known.ask.text.clone())));
        offers
    }

    fn of_marked(&self) -> Vec<CopyItem> {
        let tasks = &self.scene.model.tasks;
        let ids: Vec<&str> = self.state.marked_tasks.iter().map(TaskId::as_str).collect();
        let found = self.state.marked_tasks.iter().filter_map(|id| tasks.get(id));
        let lines: Vec<String> = found.map(|task| format!("{}  {}", task.id, task.title)).collect();
        vec![("ids", ids.join(" ")), ("titles", lines.join("\n"))]
    }
}

/// Returns a letter for each: the first of its name that is free and has no other meaning.
fn letters(offers: &[CopyItem], opener: &str) -> Vec<Option<char>> {
    let mut used: Vec<char> = TAKEN.chars().chain(opener.chars()).collect();
    let mut free = |what: &str| {
        let letter = what.chars().find(|letter| !used.contains(letter))?;
        used.push(letter);
        Some(letter)
    };
    offers.iter().map(|(what, _)| free(what)).collect()
}
