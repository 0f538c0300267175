//! Figures about the finished work, kept up to date: reads each attempt that has ended once from the store, and measures the load of the
//! agents at work. One collector for all clients; called only while a person looks at the figures.

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::adapters::load::LoadSampler;
use crate::adapters::store::{SqliteStore, StoreFiles};
use crate::domain::AttemptId;
use crate::ports::holders::Holders;
use crate::ports::store::StoreError;
use crate::read_model::{AttemptLoad, Metrics, MetricsReport, ReadModel};

/// Metrics of all attempts, updated from the store when a person looks at them.
pub(in crate::server) struct MetricsCollector {
    store: StoreFiles,
    holders: Arc<dyn Holders>,
    counted: Mutex<CountedMetrics>,
}

#[derive(Default)]
struct CountedMetrics {
    metrics: Metrics,
    /// Number below which every attempt has been counted.
    counted_below: u64,
    counted: BTreeSet<AttemptId>,
    loads: LoadSampler,
}

impl MetricsCollector {
    pub(in crate::server) fn new(store: StoreFiles, holders: Arc<dyn Holders>) -> MetricsCollector {
        MetricsCollector {
            store,
            holders,
            counted: Mutex::default(),
        }
    }

    /// Returns the current figures. Blocks; the first time it reads all attempts there ever were.
    ///
    /// # Errors
    /// When the store cannot be read; for people, reads after "could not".
    pub(in crate::server) fn report(&self, model: &ReadModel) -> Result<Arc<MetricsReport>, StoreError> {
        let mut counted = self.counted.lock();
        counted.count(&self.store)?;
        let agents = model.agents().map(|row| row.attempt.id);
        let usages = counted.loads.sample_attempts(self.holders.as_ref(), agents);
        let loads = usages.into_iter().map(|(attempt, usage)| AttemptLoad {
            attempt,
            cpu: usage.cpu,
            memory: usage.memory,
            processes: usage.processes,
        });
        Ok(Arc::new(MetricsReport {
            loads: loads.collect(),
            metrics: counted.metrics.clone(),
        }))
    }
}

impl CountedMetrics {
    /// Counts the attempts that have ended since the last time.
    fn count(&mut self, store: &StoreFiles) -> Result<(), StoreError> {
        let Some(reader) = SqliteStore::open_reader(store)? else {
            return Ok(());
        };
        let attempts = reader.attempts(AttemptId(self.counted_below))?;
        let mut open = None;
        let mut last = None;
        for attempt in &attempts {
            last = Some(attempt.id);
            if attempt.state.is_open() {
                open = open.or(Some(attempt.id));
            } else if self.counted.insert(attempt.id) {
                self.metrics.record(attempt);
            }
        }
        let next = last.map(|last| AttemptId(last.0 + 1));
        if let Some(from) = open.or(next) {
            self.counted_below = from.0;
            self.counted = self.counted.split_off(&from);
        }
        Ok(())
    }
}
