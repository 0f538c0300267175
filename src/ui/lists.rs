//! Which rows lists show, and in which order: those that match what the pane is filtered by, sorted as a person wished. Views
//! and actions alike ask here, so that what is marked is what is seen.

use std::cmp::Reverse;

use super::fuzzy::Needle;
use super::marker::kind_word;
use super::scene::Scene;
use super::shelf::{Paper, Sheet};
use super::state::{Order, Pane};
use crate::domain::{TaskId, Timestamp};
use crate::read_model::{Attention, Check, CheckResult, SessionRow};

/// What rows must match, and in which order they stand.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sieve {
    pub(crate) needle: Needle,
    pub(crate) order: Order,
}

impl Sieve {
    /// That of a pane.
    pub(crate) fn of(pane: &Pane) -> Sieve {
        Sieve {
            needle: Needle::new(&pane.filter),
            order: pane.order,
        }
    }

    /// Whether everything is shown as it is.
    pub(crate) fn is_open(&self) -> bool {
        self.needle.is_empty() && self.order == Order::Usual
    }

    /// Puts rows in order by time or name.
    pub(crate) fn sort<T>(
        &self,
        rows: &mut [T],
        time: impl Fn(&T) -> Timestamp,
        name: impl Fn(&T) -> String,
    ) {
        match self.order {
            Order::Usual => {}
            Order::Newest => rows.sort_by_key(|row| Reverse(time(row))),
            Order::Oldest => rows.sort_by_key(time),
            Order::Name => rows.sort_by_cached_key(name),
        }
    }

    fn lets(&self, text: impl FnOnce() -> String) -> bool {
        self.needle.is_empty() || self.needle.fits(&text())
    }
}

/// What needs a person.
pub(crate) fn inbox<'a>(sieve: &Sieve, scene: &Scene<'a>) -> Vec<&'a Attention> {
    let title = |item: &Attention| {
        let task = scene.model.tasks.get(&item.task);
        task.map_or("", |task| task.title.as_str()).to_owned()
    };
    let text = |item: &Attention| {
        let word = kind_word(item.kind);
        format!("{} {} {word} {}", item.task, title(item), item.text)
    };
    let items = scene.model.attention.iter();
    let mut items: Vec<&Attention> = items.filter(|item| sieve.lets(|| text(item))).collect();
    sieve.sort(&mut items, |item| item.since, |item| item.task.to_string());
    items
}

/// The checks the engine ran, of that task or of all.
pub(crate) fn checks<'a>(sieve: &Sieve, task: Option<&TaskId>, scene: &Scene<'a>) -> Vec<&'a Check> {
    let Some(Sheet::Checks(checks)) = scene.shelf.sheet(&Paper::Checks(task.cloned())) else {
        return Vec::new();
    };
    let word = |check: &Check| match &check.result {
        CheckResult::Passed => "passed",
        CheckResult::Failed(_) => "failed",
        CheckResult::Running => "running",
        CheckResult::Unknown(_) => "unknown",
    };
    let text = |check: &Check| {
        let (task, stage) = (&check.task, &check.stage);
        format!("{task} {stage} {} {} {}", check.name, check.command, word(check))
    };
    let mut checks: Vec<&Check> = checks.iter().filter(|check| sieve.lets(|| text(check))).collect();
    sieve.sort(&mut checks, |check| check.began, |check| check.name.clone());
    checks
}

/// The servers of this person's projects, each with its place among all.
pub(crate) fn sessions<'a>(sieve: &Sieve, scene: &Scene<'a>) -> Vec<(usize, &'a SessionRow)> {
    let Some(Sheet::Sessions(rows)) = scene.shelf.sheet(&Paper::Sessions) else {
        return Vec::new();
    };
    let text = |row: &SessionRow| format!("{} {}", row.name, row.root);
    let rows = rows.iter().enumerate();
    rows.filter(|(_, row)| sieve.lets(|| text(row))).collect()
}
