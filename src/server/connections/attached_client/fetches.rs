//! Data that one client's views need and the board does not hold: fetched beside the drawing, kept until it is old.

use std::sync::Arc;

use tokio::task::JoinSet;

use crate::domain::Timestamp;
use crate::server::connections::attached_client::WorkResult;
use crate::server::services::Services;
use crate::server::terminals::search::{HistorySearch, SearchProgress};
use crate::ui::{CacheEntry, CacheKey, CacheRequest, ViewCache};

/// Data that was fetched for a client's views, and the searches that are on its screen.
#[derive(Default)]
pub(super) struct ClientFetches {
    pub(super) cache: ViewCache,
    /// Searches that the last whole frame showed; others do not continue.
    shown_searches: Vec<CacheKey>,
}

impl ClientFetches {
    /// Begins to fetch the data that the frame just drawn lacks.
    pub(super) fn begin(
        &mut self,
        requests: Vec<CacheRequest>,
        now: Timestamp,
        services: &Arc<Services>,
        work: &mut JoinSet<WorkResult>,
    ) {
        let keys = requests.iter().map(|request| &request.key);
        let sought = keys.filter(|key| matches!(key, CacheKey::Search(_)));
        self.shown_searches = sought.cloned().collect();
        for request in requests {
            if self.cache.begin_fetch(&request, now) {
                let services = Arc::clone(services);
                work.spawn_blocking(move || fetch(&services, request.key));
            }
        }
    }

    /// Shows the results of a search so far, and lets it continue while it is on the screen.
    pub(super) fn on_search_step(
        &mut self,
        key: CacheKey,
        mut search: Box<HistorySearch>,
        came: &SearchProgress,
        now: Timestamp,
        work: &mut JoinSet<WorkResult>,
    ) {
        if *came == SearchProgress::Finished {
            let entry = CacheEntry::Search(search.found().into());
            return self.cache.put(key, entry, now);
        }
        if !self.shown_searches.contains(&key) {
            return self.cache.forget(&key);
        }
        let entry = CacheEntry::Search(search.found().into());
        self.cache.put_part(&key, entry, now);
        work.spawn_blocking(move || {
            let came = search.step();
            WorkResult::Searched(key, search, came)
        });
    }
}

/// Fetches an entry, or begins a search, which shows its results step by step.
fn fetch(services: &Services, key: CacheKey) -> WorkResult {
    let fetcher = &services.fetcher;
    if let CacheKey::Search(words) = &key {
        let search = HistorySearch::start(&fetcher.records, &services.shells.running(), words);
        return WorkResult::Searched(key, Box::new(search), SearchProgress::More);
    }
    let entry = fetcher.fetch(&key);
    WorkResult::Fetched(key, entry)
}
