//! What the machine as a whole has left, as it was measured. Nothing here measures, and nothing that is not known is made up.

use crate::domain::{Span, Timestamp};

/// The machine at one moment. What could not be measured is not known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Machine {
    /// When it was measured.
    pub at: Timestamp,
    /// Share of all processors in use since the measure before, in percent, at most 100.
    pub cpu: Option<f32>,
    /// Memory in use, in bytes.
    pub memory: Option<u64>,
    /// Room that is free where the project's state is kept, in bytes.
    pub disk: Option<u64>,
}

/// How long a measure says something about the present.
const HOLDS: Span = Span::seconds(20);
/// With less room than this the builds of several agents soon have none.
const LEAST_ROOM: u64 = 2 * 1024 * 1024 * 1024;

impl Machine {
    /// The same as long as it says something about that moment.
    pub fn at(&self, now: Timestamp) -> Option<&Machine> {
        (now.since(self.at) < HOLDS).then_some(self)
    }

    /// The free room, where it is so little that a person should make some.
    pub fn scarce_room(&self) -> Option<u64> {
        self.disk.filter(|free| *free < LEAST_ROOM)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_measure_says_nothing_about_the_present() {
        let machine = Machine {
            at: Timestamp(1_000),
            ..Machine::default()
        };
        assert!(machine.at(Timestamp(20_999)).is_some());
        assert!(machine.at(Timestamp(21_000)).is_none());
    }

    #[test]
    fn only_room_that_is_known_is_scarce() {
        let with = |disk| Machine {
            disk,
            ..Machine::default()
        };
        assert_eq!(with(None).scarce_room(), None);
        assert_eq!(with(Some(LEAST_ROOM)).scarce_room(), None);
        assert_eq!(with(Some(LEAST_ROOM - 1)).scarce_room(), Some(LEAST_ROOM - 1));
    }
}
