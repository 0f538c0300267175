//! The last calls of programs for the person, numbered, so that every attached client reads each of them once.

use std::collections::VecDeque;

use crate::ports::holders::HolderId;
use crate::ui::ProgramCall;

/// Maximum number of calls that are kept for clients to read; older ones are dropped, their marks stay.
const MAX_CALLS: usize = 32;

/// The last calls of programs, numbered.
#[derive(Debug, Default)]
pub(super) struct RecentCalls {
    /// The number of the newest one.
    last: u64,
    calls: VecDeque<(u64, HolderId, ProgramCall)>,
}

impl RecentCalls {
    /// Adds a call of the program in that terminal.
    pub(super) fn push(&mut self, id: &HolderId, call: ProgramCall) {
        self.last += 1;
        self.calls.push_back((self.last, id.clone(), call));
        if self.calls.len() > MAX_CALLS {
            self.calls.pop_front();
        }
    }

    /// Returns the calls after that number, oldest first, and the number of the last.
    pub(super) fn after(&self, seen: u64) -> (u64, Vec<(HolderId, ProgramCall)>) {
        let new = self.calls.iter().filter(|(number, ..)| *number > seen);
        (
            self.last,
            new.map(|(_, id, call)| (id.clone(), call.clone())).collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_reads_each_call_once_and_of_a_flood_the_last_ones() {
        let (mut calls, id) = (RecentCalls::default(), HolderId::new("shell-1"));
        assert_eq!(calls.after(0), (0, Vec::new()));
        calls.push(&id, ProgramCall::Bell);
        assert_eq!(calls.after(0), (1, vec![(id.clone(), ProgramCall::Bell)]));
        assert_eq!(calls.after(1), (1, Vec::new()));
        for _ in 0..1_000 {
            calls.push(&id, ProgramCall::Bell);
        }
        let (last, new) = calls.after(1);
        assert_eq!((last, new.len()), (1_001, MAX_CALLS));
    }
}
