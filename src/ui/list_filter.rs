//! Rows of lists and their order: those that match the filter of the pane, sorted as a person wished. Used by views and actions alike, so
//! that the marked row is the visible one.

use std::cmp::Reverse;

use super::cache::{CacheEntry, CacheKey};
use super::fuzzy::FuzzyQuery;
use super::scene::Scene;
use super::state::{Pane, SortOrder};
use crate::domain::{TaskId, Timestamp};
use crate::read_model::{AttentionItem, CheckResult, CheckRun, SessionRow};

/// The filter and the sort order of a list's rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct ListFilter {
    pub(crate) needle: FuzzyQuery,
    pub(crate) order: SortOrder,
}

impl ListFilter {
    /// Creates the filter of a pane.
    pub(crate) fn for_pane(pane: &Pane) -> ListFilter {
        ListFilter {
            needle: FuzzyQuery::new(&pane.filter),
            order: pane.order,
        }
    }

    /// Returns true if everything is shown unfiltered and in its default order.
    pub(crate) fn is_default(&self) -> bool {
        self.needle.is_empty() && self.order == SortOrder::Default
    }

    /// Puts rows in order by time or name.
    pub(crate) fn sort<T>(
        &self,
        rows: &mut [T],
        time: impl Fn(&T) -> Timestamp,
        name: impl Fn(&T) -> String,
    ) {
        match self.order {
            SortOrder::Default => {}
            SortOrder::Newest => rows.sort_by_key(|row| Reverse(time(row))),
            SortOrder::Oldest => rows.sort_by_key(time),
            SortOrder::Name => rows.sort_by_cached_key(name),
        }
    }

    fn matches(&self, text: impl FnOnce() -> String) -> bool {
        self.needle.is_empty() || self.needle.matches(&text())
    }
}

/// Returns the rows of the inbox: everything that needs a person.
pub(crate) fn inbox<'a>(filter: &ListFilter, scene: &Scene<'a>) -> Vec<&'a AttentionItem> {
    let title = |item: &AttentionItem| {
        let task = scene.model.tasks.get(&item.task);
        task.map_or("", |task| task.title.as_str()).to_owned()
    };
    let text = |item: &AttentionItem| {
        let word = <&str>::from(item.kind);
        format!("{} {} {word} {}", item.task, title(item), item.text)
    };
    let items = scene.model.attention.iter();
    let mut items: Vec<&AttentionItem> = items.filter(|item| filter.matches(|| text(item))).collect();
    filter.sort(&mut items, |item| item.since, |item| item.task.to_string());
    items
}

/// Returns the checks the engine ran, of that task or of all.
pub(crate) fn checks<'a>(filter: &ListFilter, task: Option<&TaskId>, scene: &Scene<'a>) -> Vec<&'a CheckRun> {
    let Some(CacheEntry::Checks(checks)) = scene.cache.get(&CacheKey::Checks(task.cloned())) else {
        return Vec::new();
    };
    let word = |check: &CheckRun| match &check.result {
        CheckResult::Passed => "passed",
        CheckResult::Failed(_) => "failed",
        CheckResult::Running => "running",
        CheckResult::Unknown(_) => "unknown",
    };
    let text = |check: &CheckRun| {
        let (task, stage) = (&check.task, &check.stage);
        format!("{task} {stage} {} {} {}", check.name, check.command, word(check))
    };
    let mut checks: Vec<&CheckRun> = checks
        .iter()
        .filter(|check| filter.matches(|| text(check)))
        .collect();
    filter.sort(&mut checks, |check| check.began, |check| check.name.clone());
    checks
}

/// Returns the servers of this person's projects, each with its place among all.
pub(crate) fn sessions<'a>(filter: &ListFilter, scene: &Scene<'a>) -> Vec<(usize, &'a SessionRow)> {
    let Some(CacheEntry::Sessions(rows)) = scene.cache.get(&CacheKey::Sessions) else {
        return Vec::new();
    };
    let text = |row: &SessionRow| format!("{} {}", row.name, row.root);
    let rows = rows.iter().enumerate();
    rows.filter(|(_, row)| filter.matches(|| text(row))).collect()
}
