//! The order in which effects are performed: one lane per attempt (or task), one effect at a time in a lane, lanes side
//! by side. A stop never overtakes the start it belongs to.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::domain::{AttemptId, Effect, TaskId};

/// What a lane belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Effects of one attempt.
    Attempt(AttemptId),
    /// Effects of a task as a whole.
    Task(TaskId),
}

impl Lane {
    /// The lane an effect is performed in; `None` for answers and notices, which the turn itself delivers.
    pub fn of(effect: &Effect) -> Option<Lane> {
        match effect {
            Effect::Start(attempt)
            | Effect::Act(attempt, _)
            | Effect::Stop(attempt, _)
            | Effect::Verify { attempt, .. }
            | Effect::Settle(attempt)
            | Effect::Tell(attempt, _) => Some(Lane::Attempt(*attempt)),
            Effect::Retire(task) => Some(Lane::Task(task.clone())),
            Effect::Reply(..) | Effect::Notify(_) => None,
        }
    }
}

/// Work that waits, by lane. A lane with an entry is at work; its queue holds what comes after. Bounded by the board: an
/// attempt has a handful of effects over its life.
#[derive(Debug, Clone)]
pub struct Lanes<T>(Arc<Mutex<HashMap<Lane, VecDeque<T>>>>);

impl<T> Default for Lanes<T> {
    fn default() -> Self {
        Lanes(Arc::default())
    }
}

impl<T> Lanes<T> {
    /// Puts work into a lane; gives it back when the lane is free, and the caller then performs it and calls
    /// [`Lanes::next`] until that answers `None`.
    pub fn enter(&self, lane: &Lane, work: T) -> Option<T> {
        let mut lanes = self.0.lock();
        if let Some(queue) = lanes.get_mut(lane) {
            queue.push_back(work);
            return None;
        }
        lanes.insert(lane.clone(), VecDeque::new());
        Some(work)
    }

    /// The next work of a lane; `None` frees the lane.
    pub fn next(&self, lane: &Lane) -> Option<T> {
        let mut lanes = self.0.lock();
        let next = lanes.get_mut(lane).and_then(VecDeque::pop_front);
        if next.is_none() {
            lanes.remove(lane);
        }
        next
    }

    /// Whether nothing is being performed.
    pub fn is_idle(&self) -> bool {
        self.0.lock().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_of_one_lane_waits_for_the_work_before_it() {
        let lanes = Lanes::default();
        let lane = Lane::Attempt(AttemptId(1));
        assert_eq!(lanes.enter(&lane, "start"), Some("start"));
        assert_eq!(lanes.enter(&lane, "stop"), None);
        assert_eq!(lanes.next(&lane), Some("stop"));
        assert_eq!(lanes.next(&lane), None);
        assert!(lanes.is_idle());
        assert_eq!(lanes.enter(&lane, "settle"), Some("settle"));
    }

    #[test]
    fn lanes_do_not_wait_for_each_other() {
        let lanes = Lanes::default();
        assert_eq!(lanes.enter(&Lane::Attempt(AttemptId(1)), 1), Some(1));
        assert_eq!(lanes.enter(&Lane::Attempt(AttemptId(2)), 2), Some(2));
    }
}
