//! Free capacity of the machine as a whole, as it was measured. Nothing is measured here, and nothing unknown is made up.

use crate::domain::{Span, Timestamp};

/// Processor, memory and disk use of the whole machine at one moment. Figures that could not be measured are not known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MachineLoad {
    pub at: Timestamp,
    /// Share of all processors in use since the measure before, in percent, at most 100.
    pub cpu: Option<f32>,
    pub memory: Option<u64>,
    /// Room that is free where the project's state is kept, in bytes.
    pub disk: Option<u64>,
}

/// Age up to which a measure describes the present.
const MAX_AGE: Span = Span::seconds(20);
/// Room below which the builds of several agents soon have none.
const MIN_FREE_DISK: u64 = 2 * 1024 * 1024 * 1024;

impl MachineLoad {
    /// Returns the measurement if it is young enough to describe that moment.
    pub fn fresh_at(&self, now: Timestamp) -> Option<&MachineLoad> {
        (now.since(self.at) < MAX_AGE).then_some(self)
    }

    /// The free room, if it is so little that a person should make some.
    pub fn scarce_disk(&self) -> Option<u64> {
        self.disk.filter(|free| *free < MIN_FREE_DISK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_measure_says_nothing_about_the_present() {
        let machine = MachineLoad {
            at: Timestamp(1_000),
            ..MachineLoad::default()
        };
        assert!(machine.fresh_at(Timestamp(20_999)).is_some());
        assert!(machine.fresh_at(Timestamp(21_000)).is_none());
    }

    #[test]
    fn only_room_that_is_known_is_scarce() {
        let with = |disk| MachineLoad {
            disk,
            ..MachineLoad::default()
        };
        assert_eq!(with(None).scarce_disk(), None);
        assert_eq!(with(Some(MIN_FREE_DISK)).scarce_disk(), None);
        assert_eq!(
            with(Some(MIN_FREE_DISK - 1)).scarce_disk(),
            Some(MIN_FREE_DISK - 1)
        );
    }
}
