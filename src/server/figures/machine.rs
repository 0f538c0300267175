//! Free resources of the machine. One monitor for all clients; measures only when a client asks, and not again for a client that asks a
//! moment after another.

use std::path::PathBuf;
use std::time::Duration;

use parking_lot::Mutex;

use crate::adapters::clock;
use crate::adapters::load::MachineSampler;
use crate::domain::{Span, Timestamp};
use crate::read_model::MachineLoad;
use crate::server::fetch_error::FetchError;

/// Load and free disk space of the machine, measured on demand and shared by all clients.
#[derive(Debug)]
pub(in crate::server) struct MachineMonitor {
    /// A file on the disk to be measured.
    on_disk: PathBuf,
    measured: Mutex<LastSample>,
}

#[derive(Debug, Default)]
struct LastSample {
    watch: MachineSampler,
    last: Option<MachineLoad>,
}

/// Age up to which a measurement is returned again.
const CACHE_TIME: Span = Span::seconds(2);
/// Maximum wait for a measurement, which takes well under a millisecond; a longer one waits for a file system that does not answer.
const MEASURE_TIMEOUT: Duration = Duration::from_secs(1);

impl MachineMonitor {
    /// Creates a monitor of the machine and of the disk with that file.
    pub(in crate::server) fn new(on_disk: PathBuf) -> MachineMonitor {
        MachineMonitor {
            on_disk,
            measured: Mutex::default(),
        }
    }

    /// Returns the free resources of the machine now. Blocks.
    ///
    /// # Errors
    /// When a measurement that was begun before has not ended.
    pub(in crate::server) fn measure(&self) -> Result<MachineLoad, FetchError> {
        let Some(mut measured) = self.measured.try_lock_for(MEASURE_TIMEOUT) else {
            return Err(FetchError::Machine);
        };
        let now = clock::now();
        if let Some(last) = measured.last.filter(|last| is_young(last, now)) {
            return Ok(last);
        }
        let found = measured.watch.sample(now, &self.on_disk);
        let machine = MachineLoad {
            at: now,
            cpu: found.cpu,
            memory: found.memory,
            disk: found.room,
        };
        measured.last = Some(machine);
        Ok(machine)
    }
}

fn is_young(last: &MachineLoad, now: Timestamp) -> bool {
    last.cpu.is_some() && now.apart(last.at) < CACHE_TIME
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measure_is_taken_again_after_two_seconds_and_after_the_clock_was_set() {
        let last = MachineLoad {
            at: Timestamp(10_000),
            cpu: Some(50.0),
            memory: None,
            disk: None,
        };
        for (now, young) in [
            (10_000, true),
            (11_999, true),
            (12_000, false),
            (8_000, false),
            (0, false),
        ] {
            assert_eq!(is_young(&last, Timestamp(now)), young, "{now}");
        }
        assert!(!is_young(&MachineLoad { cpu: None, ..last }, Timestamp(10_000)));
    }
}
