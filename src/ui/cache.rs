//! What views show that must be fetched first: differences, outputs of checks, other sessions. A view says what it wants;
//! whoever owns the shelf fetches it beside the drawing and puts it here. Bounded; the papers read longest ago go first.

use std::collections::BTreeMap;
use std::sync::Arc;

use ratatui::style::Style;
use serde::{Deserialize, Serialize};

use super::terminal_search::TerminalSearch;
use crate::domain::{AttemptId, Span, TaskId, Timestamp};
use crate::read_model::{CheckRun, DependencyGraph, Diff, MachineLoad, MetricsReport, SessionRow};

/// Names something a view needs that must be fetched first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum CacheKey {
    /// What a task changed.
    Diff(TaskId, DiffBase),
    /// The checks the engine ran, of that task or of all.
    Checks(Option<TaskId>),
    /// The output of one of them.
    Output(AttemptId, u16),
    /// What waits for what.
    Graph,
    /// Figures about the work.
    Figures,
    /// What the machine has left.
    Machine,
    /// The servers of this person's projects.
    Sessions,
    /// What the terminal of an attempt showed at that moment.
    Replay(AttemptId, Timestamp),
    /// Where those words occur in what terminals have shown.
    Search(String),
}

/// What a task's changes are compared with: the base branch or the last review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiffBase {
    /// The base branch.
    Base,
    /// What the last review saw.
    Review,
}

/// Something that was fetched for a view, or the reason why it could not be.
#[derive(Debug, Clone, PartialEq)]
pub enum CacheEntry {
    /// Differences.
    Diff(Arc<Diff>),
    /// Checks, the worst first.
    Checks(Arc<Vec<CheckRun>>),
    /// What waits for what.
    Graph(Arc<DependencyGraph>),
    /// Figures about the work.
    Figures(Arc<MetricsReport>),
    /// What the machine has left.
    Machine(MachineLoad),
    /// The servers of this person's projects.
    Sessions(Arc<[SessionRow]>),
    /// What a terminal showed.
    Replay(Arc<RecordedScreen>),
    /// Where words occur, as far as was searched.
    Search(Arc<TerminalSearch>),
    /// Lines of text; the last ones, where there were too many.
    Text(Arc<Vec<String>>),
    /// It could not be fetched; the sentence says why and reads after "could not".
    Failed(String),
}

/// The screen of a terminal at a moment in the past, read from its log.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordedScreen {
    /// The moment: what it showed from then on, for up to a second.
    pub at: Timestamp,
    /// The first and the last moment there is something of.
    pub range: (Timestamp, Timestamp),
    /// Columns and rows.
    pub size: (u16, u16),
    /// Column, row, grapheme and style of what was not empty.
    pub cells: Vec<(u16, u16, String, Style)>,
}

/// A request for a cache entry, with the age up to which an existing one is fresh enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheRequest {
    /// What.
    pub key: CacheKey,
    /// How old it may be.
    pub max_age: Span,
}

/// Papers kept at a time.
const MAX_ENTRIES: usize = 64;
/// Papers fetched at a time.
const MAX_FETCHES: usize = 2;

/// A paper that has not come by then never will.
const FETCH_TIMEOUT: Span = Span::minutes(2);

/// Everything that was fetched for the views of one client.
#[derive(Debug, Clone, Default)]
pub struct ViewCache {
    slots: BTreeMap<CacheKey, CacheSlot>,
}

#[derive(Debug, Clone, Default)]
struct CacheSlot {
    entry: Option<CacheEntry>,
    /// When it was asked for, or put here.
    at: Timestamp,
    is_fetching: bool,
}

impl CacheSlot {
    /// Whether it is being fetched. What does not come in that time is lost, and asked for again.
    fn is_pending(&self, now: Timestamp) -> bool {
        self.is_fetching && now.since(self.at) < FETCH_TIMEOUT
    }
}

impl ViewCache {
    /// What was fetched last.
    pub fn get(&self, paper: &CacheKey) -> Option<&CacheEntry> {
        self.slots.get(paper)?.entry.as_ref()
    }

    /// Takes note that a paper is being fetched; `false` when it need not be: what is here is fresh, or it is coming, or enough
    /// others are.
    pub fn begin_fetch(&mut self, want: &CacheRequest, now: Timestamp) -> bool {
        let coming = self.slots.values().filter(|kept| kept.is_pending(now)).count();
        let known = self.slots.get(&want.key);
        let is_due = known.is_none_or(|kept| {
            !kept.is_pending(now) && (kept.entry.is_none() || now.since(kept.at) >= want.max_age)
        });
        if !is_due || coming >= MAX_FETCHES {
            return false;
        }
        self.make_room();
        let kept = self.slots.entry(want.key.clone()).or_default();
        (kept.at, kept.is_fetching) = (now, true);
        true
    }

    /// Puts a paper here.
    pub fn put(&mut self, paper: CacheKey, sheet: CacheEntry, now: Timestamp) {
        let kept = CacheSlot {
            entry: Some(sheet),
            at: now,
            is_fetching: false,
        };
        self.slots.insert(paper, kept);
    }

    /// Puts the part of a paper here that there is; the rest is still coming.
    pub fn put_part(&mut self, paper: &CacheKey, sheet: CacheEntry, now: Timestamp) {
        self.put(paper.clone(), sheet, now);
        if let Some(kept) = self.slots.get_mut(paper) {
            kept.is_fetching = true;
        }
    }

    /// Forgets a paper that nobody waits for any more: it is fetched from its beginning when it is wanted again.
    pub fn forget(&mut self, paper: &CacheKey) {
        self.slots.remove(paper);
    }

    fn make_room(&mut self) {
        while self.slots.len() >= MAX_ENTRIES {
            let idle = self.slots.iter().filter(|(_, kept)| !kept.is_fetching);
            let Some(oldest) = idle
                .min_by_key(|(_, kept)| kept.at)
                .map(|(paper, _)| paper.clone())
            else {
                return;
            };
            self.slots.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn want(task: &str) -> CacheRequest {
        CacheRequest {
            key: CacheKey::Diff(task.into(), DiffBase::Base),
            max_age: Span::seconds(10),
        }
    }

    #[test]
    fn a_paper_is_fetched_once_and_again_when_it_is_old() {
        let mut shelf = ViewCache::default();
        assert!(shelf.begin_fetch(&want("a"), Timestamp(0)));
        assert!(!shelf.begin_fetch(&want("a"), Timestamp(1)));
        shelf.put(want("a").key, CacheEntry::Failed("x".to_owned()), Timestamp(5));
        assert!(!shelf.begin_fetch(&want("a"), Timestamp(10_004)));
        assert!(shelf.begin_fetch(&want("a"), Timestamp(10_005)));
        assert!(
            shelf.get(&want("a").key).is_some(),
            "what was here stays to be seen"
        );
    }

    #[test]
    fn few_are_fetched_at_a_time_and_the_oldest_make_room() {
        let mut shelf = ViewCache::default();
        assert!(shelf.begin_fetch(&want("a"), Timestamp(0)) && shelf.begin_fetch(&want("b"), Timestamp(0)));
        assert!(!shelf.begin_fetch(&want("c"), Timestamp(0)));
        for n in 0..200_u64 {
            let paper = want(&n.to_string()).key;
            shelf.put(paper, CacheEntry::Failed(String::new()), Timestamp(n));
        }
        for task in ["a", "b"] {
            shelf.put(want(task).key, CacheEntry::Failed(String::new()), Timestamp(300));
        }
        assert!(shelf.begin_fetch(&want("c"), Timestamp(400)));
        assert!(shelf.slots.len() <= MAX_ENTRIES);
        assert!(shelf.get(&want("a").key).is_some());
    }
}
