//! Priority of urgent work over cleanup: cleanup runs when no agent is being started and no evidence collected, because those are waited
//! for and cleanup is not. Decides when work is done, never what.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// Maximum time that cleanup waits: urgent work that never ends must not keep it from running.
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
    /// Counts an urgent job that begins.
    pub(super) fn begin(&self) -> UrgentGuard {
        *self.0.running.lock() += 1;
        UrgentGuard(self.clone())
    }

    /// Waits until no such work is under way, or long enough.
    pub(super) fn wait_until_idle(&self) {
        self.wait_until_idle_for(MAX_WAIT);
    }

    fn wait_until_idle_for(&self, most: Duration) {
        let mut under_way = self.0.running.lock();
        self.0
            .changed
            .wait_while_for(&mut under_way, |count| *count > 0, most);
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
    fn cleanup_goes_on_when_the_last_urgent_job_is_over() {
        let urgent = UrgentWork::default();
        let (first, second) = (urgent.begin(), urgent.begin());
        let (sender, receiver) = mpsc::sync_channel(1);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                urgent.wait_until_idle_for(Duration::from_mins(1));
                sender.send(()).unwrap();
            });
            drop(first);
            assert!(
                receiver.recv_timeout(Duration::from_millis(50)).is_err(),
                "one is still under way"
            );
            drop(second);
            receiver.recv_timeout(Duration::from_secs(20)).unwrap();
        });
    }

    #[test]
    fn cleanup_waits_only_so_long_for_urgent_work_that_does_not_end() {
        let urgent = UrgentWork::default();
        let _endless = urgent.begin();
        urgent.wait_until_idle_for(Duration::from_millis(1));
    }
}
