//! Cache of the data of views that must be fetched first: differences, outputs of checks, other sessions. A view requests entries; the
//! owner of the cache fetches them beside the drawing and puts them here. Bounded: the entries fetched longest ago are dropped first.

use std::collections::BTreeMap;
use std::sync::Arc;

use ratatui::style::Style;

use super::terminal_search::TerminalSearch;
use crate::domain::{Attempt, AttemptId, DiskUse, Span, TaskId, Timestamp};
pub use crate::read_model::DiffBase;
use crate::read_model::{
    CheckResult, CheckRun, DependencyGraph, Diff, MachineLoad, MetricsReport, ReadModel, SessionRow,
    TaskChanges, TrustOverview,
};

/// Key of data that a view needs and that must be fetched first. It holds everything on the board that decides the answer, so that an
/// answer is never shown for another state than the one it was read for; the age of a request covers changes outside of the board. Lists
/// that grow while they are shown have no such key: the old list stays until the next is read, and a request names the revision of the
/// board it is for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum CacheKey {
    Diff(TaskChanges),
    /// All attempts at a task up to that one: the board forgets attempts that were settled long before.
    Attempts(TaskId, AttemptId),
    /// The checks the engine ran, of that task or of all.
    Checks(Option<TaskId>),
    /// The output of the check of that attempt with that number, while it runs or when it is over.
    Output(AttemptId, u16, CheckPhase),
    Graph,
    Figures,
    Machine,
    Disk,
    Sessions,
    /// Everything the project's files would start, as it was when a person opened the view: the text they read does not change meanwhile.
    Trust(Timestamp),
    /// Screen of an attempt's terminal at that moment.
    Replay(AttemptId, Timestamp),
    /// Places where those words occur in the output of terminals.
    Search(String),
}

/// Phase of a check: running or over. Its output so far is not its final output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckPhase {
    Running,
    Over,
}

impl CacheKey {
    /// Returns the key for the output of a check in its current phase.
    pub fn output(check: &CheckRun) -> CacheKey {
        let phase = match check.result {
            CheckResult::Running => CheckPhase::Running,
            CheckResult::Passed | CheckResult::Failed(_) | CheckResult::Unknown(_) => CheckPhase::Over,
        };
        CacheKey::Output(check.attempt, check.index, phase)
    }
}

/// Data that was fetched for a view, or the reason why it could not be.
#[derive(Debug, Clone, PartialEq)]
pub enum CacheEntry {
    Diff(Arc<Diff>),
    Attempts(Arc<Vec<Attempt>>),
    Checks(Arc<Vec<CheckRun>>),
    Graph(Arc<DependencyGraph>),
    Figures(Arc<MetricsReport>),
    Machine(MachineLoad),
    Disk(Arc<DiskUse>),
    Sessions(Arc<[SessionRow]>),
    Trust(Arc<TrustOverview>),
    Replay(Arc<RecordedScreen>),
    Search(Arc<TerminalSearch>),
    /// Lines of text; only the last ones, if there were too many.
    Text(Arc<Vec<String>>),
    /// Failure to fetch the data; the sentence gives the reason and reads after "could not".
    Failed(String),
}

/// The screen of a terminal at a moment in the past, read from its log.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordedScreen {
    /// The moment: the screen as it was from then on, for up to a second.
    pub at: Timestamp,
    /// The first and the last moment that is recorded.
    pub range: (Timestamp, Timestamp),
    pub size: (u16, u16),
    /// Column, row, grapheme and style of every cell that was not empty.
    pub cells: Vec<(u16, u16, String, Style)>,
}

/// A request for a cache entry, with the age up to which an existing one is fresh enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheRequest {
    pub key: CacheKey,
    pub max_age: Span,
    /// An entry that was read for another revision is read again at once.
    pub revision: u64,
}

impl CacheRequest {
    /// Creates a request for an entry that is at most `max_age` old.
    pub fn new(key: CacheKey, max_age: Span) -> CacheRequest {
        CacheRequest {
            key,
            max_age,
            revision: 0,
        }
    }

    /// Creates a request for the checks of a task, or of all, as far as the board knows the attempts they belong to.
    pub fn checks(model: &ReadModel, task: Option<&TaskId>, max_age: Span) -> CacheRequest {
        CacheRequest {
            revision: model.checks_revision(task),
            ..CacheRequest::new(CacheKey::Checks(task.cloned()), max_age)
        }
    }
}

/// Entries kept at a time.
const MAX_ENTRIES: usize = 64;
/// Entries fetched at a time.
const MAX_FETCHES: usize = 2;

/// Time after which a missing entry is fetched again.
const FETCH_TIMEOUT: Span = Span::minutes(2);

/// Everything that was fetched for the views of one client.
#[derive(Debug, Clone, Default)]
pub struct ViewCache {
    slots: BTreeMap<CacheKey, CacheSlot>,
}

#[derive(Debug, Clone, Default)]
struct CacheSlot {
    entry: Option<CacheEntry>,
    /// Time at which the entry was requested, or put here.
    at: Timestamp,
    /// The revision it was requested for.
    revision: u64,
    is_fetching: bool,
}

impl CacheSlot {
    /// Returns true if the entry is being fetched; a fetch that takes too long counts as lost and is begun again.
    fn is_pending(&self, now: Timestamp) -> bool {
        self.is_fetching && now.since(self.at) < FETCH_TIMEOUT
    }
}

impl ViewCache {
    /// Returns the entry that was fetched last.
    pub fn get(&self, key: &CacheKey) -> Option<&CacheEntry> {
        self.slots.get(key)?.entry.as_ref()
    }

    /// Returns the overview of the project's files that a person trusts or does not trust.
    pub(crate) fn trust(&self, opened: Timestamp) -> Option<&TrustOverview> {
        match self.get(&CacheKey::Trust(opened))? {
            CacheEntry::Trust(overview) => Some(overview),
            _ => None,
        }
    }

    /// Marks an entry as being fetched; `false` when it must not be: it is fresh, it is being fetched already, or enough
    /// others are.
    pub fn begin_fetch(&mut self, want: &CacheRequest, now: Timestamp) -> bool {
        let fetching = self.slots.values().filter(|slot| slot.is_pending(now)).count();
        let known = self.slots.get(&want.key);
        let is_due = known.is_none_or(|slot| {
            let is_old = slot.revision != want.revision || now.since(slot.at) >= want.max_age;
            !slot.is_pending(now) && (slot.entry.is_none() || is_old)
        });
        if !is_due || fetching >= MAX_FETCHES {
            return false;
        }
        self.make_room();
        let slot = self.slots.entry(want.key.clone()).or_default();
        (slot.at, slot.revision, slot.is_fetching) = (now, want.revision, true);
        true
    }

    /// Stores an entry.
    pub fn put(&mut self, key: CacheKey, entry: CacheEntry, now: Timestamp) {
        let slot = self.slots.entry(key).or_default();
        (slot.entry, slot.at, slot.is_fetching) = (Some(entry), now, false);
    }

    /// Stores the part of an entry that is known; the rest is still being fetched.
    pub fn put_part(&mut self, key: &CacheKey, entry: CacheEntry, now: Timestamp) {
        self.put(key.clone(), entry, now);
        if let Some(slot) = self.slots.get_mut(key) {
            slot.is_fetching = true;
        }
    }

    /// Removes an entry that no view needs: it is fetched from its beginning when a view requests it again.
    pub fn forget(&mut self, key: &CacheKey) {
        self.slots.remove(key);
    }

    fn make_room(&mut self) {
        while self.slots.len() >= MAX_ENTRIES {
            let idle = self.slots.iter().filter(|(_, slot)| !slot.is_fetching);
            let Some(oldest) = idle.min_by_key(|(_, slot)| slot.at).map(|(key, _)| key.clone()) else {
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
        CacheRequest::new(CacheKey::Checks(Some(task.into())), Span::seconds(10))
    }

    #[test]
    fn an_entry_is_fetched_once_and_again_when_it_is_old() {
        let mut cache = ViewCache::default();
        assert!(cache.begin_fetch(&want("a"), Timestamp(0)));
        assert!(!cache.begin_fetch(&want("a"), Timestamp(1)));
        cache.put(want("a").key, CacheEntry::Failed("x".to_owned()), Timestamp(5));
        assert!(!cache.begin_fetch(&want("a"), Timestamp(10_004)));
        assert!(cache.begin_fetch(&want("a"), Timestamp(10_005)));
        assert!(
            cache.get(&want("a").key).is_some(),
            "what was here stays to be seen"
        );
    }

    #[test]
    fn an_entry_that_was_read_for_another_revision_is_read_again_at_once() {
        let mut cache = ViewCache::default();
        assert!(cache.begin_fetch(&want("a"), Timestamp(0)));
        let changed = CacheRequest {
            revision: 7,
            ..want("a")
        };
        assert!(!cache.begin_fetch(&changed, Timestamp(1)), "it is being fetched");
        cache.put(want("a").key, CacheEntry::Failed("x".to_owned()), Timestamp(2));
        assert!(
            cache.begin_fetch(&changed, Timestamp(2)),
            "that was for the one before"
        );
        cache.put(want("a").key, CacheEntry::Failed("x".to_owned()), Timestamp(3));
        assert!(!cache.begin_fetch(&changed, Timestamp(3)));
    }

    #[test]
    fn few_are_fetched_at_a_time_and_the_oldest_make_room() {
        let mut cache = ViewCache::default();
        assert!(cache.begin_fetch(&want("a"), Timestamp(0)) && cache.begin_fetch(&want("b"), Timestamp(0)));
        assert!(!cache.begin_fetch(&want("c"), Timestamp(0)));
        for n in 0..200_u64 {
            let key = want(&n.to_string()).key;
            cache.put(key, CacheEntry::Failed(String::new()), Timestamp(n));
        }
        for task in ["a", "b"] {
            cache.put(want(task).key, CacheEntry::Failed(String::new()), Timestamp(300));
        }
        assert!(cache.begin_fetch(&want("c"), Timestamp(400)));
        assert!(cache.slots.len() <= MAX_ENTRIES);
        assert!(cache.get(&want("a").key).is_some());
    }
}
