//! The order in which effects are performed: one lane per attempt (or task), one effect at a time in a lane, lanes side
//! by side. A stop never overtakes the start it belongs to.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::domain::{AttemptId, Effect, TaskId};

/// Owner of a lane of effects: an attempt or a task.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Lane {
    Attempt(AttemptId),
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
            | Effect::Checkpoint(attempt)
            | Effect::Settle(attempt)
            | Effect::Tell(attempt, _)
            | Effect::Interrupt(attempt)
            | Effect::Answer(attempt, _) => Some(Lane::Attempt(*attempt)),
            Effect::Retire(task) | Effect::Deliver(task) => Some(Lane::Task(task.clone())),
            Effect::Reply(..) | Effect::Notify(_) => None,
        }
    }
}

/// The queue of one busy lane: the job at work and those behind it.
#[derive(Debug)]
struct LaneQueue<T> {
    current: Option<String>,
    waiting: VecDeque<(Option<String>, T)>,
}

/// Queues that run the effects of each lane one after the other and lanes in parallel. A lane with an entry is at work. Bounded by the
/// board: an attempt has a handful of effects over its life, and an effect that is requested again while it is being performed or waits is
/// skipped: its answer is on the way.
#[derive(Debug, Clone)]
pub struct Lanes<T>(Arc<Mutex<HashMap<Lane, LaneQueue<T>>>>);

impl<T> Default for Lanes<T> {
    fn default() -> Self {
        Lanes(Arc::default())
    }
}

impl<T> Lanes<T> {
    /// Puts work into a lane; gives it back when the lane is free, and the caller then performs it and calls
    /// [`Lanes::next`] until that answers `None`. `key` says which works are the same; without one none are.
    pub fn enter(&self, lane: &Lane, key: Option<String>, work: T) -> Option<T> {
        let mut lanes = self.0.lock();
        if let Some(busy) = lanes.get_mut(lane) {
            let mut keys = std::iter::once(&busy.current).chain(busy.waiting.iter().map(|(key, _)| key));
            if key.is_none() || keys.all(|other| *other != key) {
                busy.waiting.push_back((key, work));
            }
            return None;
        }
        let busy = LaneQueue {
            current: key,
            waiting: VecDeque::new(),
        };
        lanes.insert(lane.clone(), busy);
        Some(work)
    }

    /// The next work of a lane; `None` frees the lane.
    pub fn next(&self, lane: &Lane) -> Option<T> {
        let mut lanes = self.0.lock();
        let busy = lanes.get_mut(lane)?;
        if let Some((key, work)) = busy.waiting.pop_front() {
            busy.current = key;
            return Some(work);
        }
        lanes.remove(lane);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_of_one_lane_waits_for_the_work_before_it() {
        let lanes = Lanes::default();
        let lane = Lane::Attempt(AttemptId(1));
        assert_eq!(lanes.enter(&lane, None, "start"), Some("start"));
        assert_eq!(lanes.enter(&lane, None, "stop"), None);
        assert_eq!(lanes.next(&lane), Some("stop"));
        assert_eq!(lanes.next(&lane), None);
        assert_eq!(lanes.enter(&lane, None, "settle"), Some("settle"));
    }

    #[test]
    fn lanes_do_not_wait_for_each_other() {
        let lanes = Lanes::default();
        assert_eq!(lanes.enter(&Lane::Attempt(AttemptId(1)), None, 1), Some(1));
        assert_eq!(lanes.enter(&Lane::Attempt(AttemptId(2)), None, 2), Some(2));
    }

    #[test]
    fn what_is_being_done_or_waits_is_not_done_a_second_time() {
        let lanes = Lanes::default();
        let lane = Lane::Attempt(AttemptId(1));
        let key = |text: &str| Some(text.to_owned());
        assert_eq!(lanes.enter(&lane, key("start/1"), "start"), Some("start"));
        assert_eq!(lanes.enter(&lane, key("start/1"), "again"), None);
        assert_eq!(lanes.enter(&lane, key("stop/1"), "stop"), None);
        assert_eq!(lanes.enter(&lane, key("stop/1"), "again"), None);
        assert_eq!(lanes.next(&lane), Some("stop"));
        assert_eq!(lanes.next(&lane), None);
        assert_eq!(lanes.enter(&lane, key("start/1"), "later"), Some("later"));
    }
}
