//! Figures about the work that was done, kept up to date: reads each attempt that has ended once from the store, and looks at
//! what the agents at work use. One for all clients; asked only while somebody looks at the figures.

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::adapters::holder::LocalHolders;
use crate::adapters::load::LoadWatch;
use crate::adapters::store::{SqliteStore, StoreFiles};
use crate::domain::AttemptId;
use crate::ports::holders::{HeldState, HolderId, Holders as _};
use crate::read_model::{Figures, Load, Metrics, ReadModel};

/// Figures, and up to where they count.
#[derive(Debug)]
pub(super) struct Tally {
    store: StoreFiles,
    holders: Arc<LocalHolders>,
    counted: Mutex<Counted>,
}

#[derive(Debug, Default)]
struct Counted {
    metrics: Metrics,
    /// Every attempt before this one has been counted.
    from: u64,
    /// Counted ones from there on.
    known: BTreeSet<AttemptId>,
    loads: LoadWatch,
}

impl Tally {
    /// Nothing is counted yet.
    pub(super) fn new(store: StoreFiles, holders: Arc<LocalHolders>) -> Tally {
        Tally {
            store,
            holders,
            counted: Mutex::default(),
        }
    }

    /// The figures as they are now. Blocks; the first time it reads all attempts there ever were.
    ///
    /// # Errors
    /// When the store cannot be read; for people, reads after "could not".
    pub(super) fn figures(&self, model: &ReadModel) -> Result<Arc<Figures>, String> {
        let mut counted = self.counted.lock();
        counted.count(&self.store)?;
        let agents: Vec<(AttemptId, u32)> = model
            .agents()
            .filter_map(|row| Some((row.attempt.id, process_of(&self.holders, row.attempt.id)?)))
            .collect();
        let roots: Vec<u32> = agents.iter().map(|(_, root)| *root).collect();
        let usages = counted.loads.look(&roots);
        let loads = agents.iter().zip(usages).filter_map(|((attempt, _), usage)| {
            usage.map(|usage| Load {
                attempt: *attempt,
                cpu: usage.cpu,
                memory: usage.memory,
                processes: usage.processes,
            })
        });
        Ok(Arc::new(Figures {
            loads: loads.collect(),
            metrics: counted.metrics.clone(),
        }))
    }
}

impl Counted {
    /// Counts what has ended since the last time.
    fn count(&mut self, store: &StoreFiles) -> Result<(), String> {
        let reader = SqliteStore::open_reader(store).map_err(|error| error.to_string())?;
        let attempts = reader
            .attempts(AttemptId(self.from))
            .map_err(|error| error.to_string())?;
        let mut open = None;
        let mut last = None;
        for attempt in &attempts {
            last = Some(attempt.id);
            if attempt.state.is_open() {
                open = open.or(Some(attempt.id));
            } else if self.known.insert(attempt.id) {
                self.metrics.take(attempt);
            }
        }
        let next = last.map(|last| AttemptId(last.0 + 1));
        if let Some(from) = open.or(next) {
            self.from = from.0;
            self.known = self.known.split_off(&from);
        }
        Ok(())
    }
}

fn process_of(holders: &LocalHolders, attempt: AttemptId) -> Option<u32> {
    match holders.look(&HolderId::from(attempt)).state {
        HeldState::Running(launched) => Some(launched.child),
        _ => None,
    }
}
