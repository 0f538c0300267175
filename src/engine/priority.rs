//! Who gives way: what is over is put away when no agent is just being started and no evidence collected, because somebody waits
//! for those and nobody for the tidiness. Must not decide what is done, only when.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// Longest time one gives way: hurry that never ends must not keep everything where it lies.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// A shared count of urgent jobs under way, for which cleanup waits. Cheap to clone; all clones count the same work.
#[derive(Debug, Clone, Default)]
pub(super) struct UrgentWork(Arc<UrgentCount>);

#[derive(Debug, Default)]
struct UrgentCount {
    running: Mutex<usize>,
    changed: Condvar,
}

/// Counts one urgent job until it is dropped.
#[derive(Debug)]
pub(super) struct UrgentGuard(UrgentWork);

impl UrgentWork {
    /// Such work begins.
    pub(super) fn begin(&self) -> UrgentGuard {
        *self.0.running.lock() += 1;
        UrgentGuard(self.clone())
    }

    /// Waits until no such work is under way, or long enough.
    pub(super) fn wait_until_idle(&self) {
        self.wait_until_idle_for(MAX_WAIT);
    }

    fn wait_until_idle_for(&self, patience: Duration) {
        let mut under_way = self.0.running.lock();
        self.0
            .changed
            .wait_while_for(&mut under_way, |count| *count > 0, patience);
    }
}

impl Drop for UrgentGuard {
    fn drop(&mut self) {
        *self.0.0.running.lock() -= 1;
        self.0.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn what_gives_way_goes_on_when_the_last_hurry_is_over() {
        let hurry = UrgentWork::default();
        let (first, second) = (hurry.begin(), hurry.begin());
        let (tell, told) = mpsc::sync_channel(1);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                hurry.wait_until_idle_for(Duration::from_mins(1));
                tell.send(()).unwrap();
            });
            drop(first);
            assert!(
                told.recv_timeout(Duration::from_millis(50)).is_err(),
                "one is still under way"
            );
            drop(second);
            told.recv_timeout(Duration::from_secs(20)).unwrap();
        });
    }

    #[test]
    fn a_hurry_that_does_not_end_is_waited_for_only_so_long() {
        let hurry = UrgentWork::default();
        let _endless = hurry.begin();
        hurry.wait_until_idle_for(Duration::from_millis(1));
    }
}
