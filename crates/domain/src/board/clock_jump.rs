//! Jumps of the clock. Limits are lengths of time in which the machine was awake, and are stored as points on the clock; so they move with
//! it. No agent is late because a laptop was closed, and none gets a day more because a clock was set back.

use super::Board;
use super::transition::Transition;
use crate::attempt::Attempt;
use crate::effect::NoticeLevel;
use crate::id::{AttemptId, TaskId};
use crate::task::Task;
use crate::wait_reason::WaitReason;

impl Board {
    /// Moves all deadlines. The end of a usage limit stays: it is set by another machine's clock.
    pub(super) fn clock_jumped(&mut self, transition: &mut Transition, by: i64) {
        let timed: Vec<AttemptId> = self.index.timed.iter().copied().collect();
        for id in timed {
            self.edit_attempt(id, |attempt| move_limits(attempt, by));
        }
        let open = self.attempts.values().filter(|attempt| attempt.state.is_open());
        let open: Vec<AttemptId> = open.map(|attempt| attempt.id).collect();
        for id in open {
            self.edit_attempt(id, |attempt| move_past(attempt, by));
        }
        let timed = self.tasks.values().filter(|task| is_timed(task, by));
        let timed: Vec<TaskId> = timed.map(|task| task.id.clone()).collect();
        for id in timed {
            self.edit(&id, |task| move_task(task, by));
        }
        let way = if by < 0 { "back" } else { "forward" };
        let text = format!(
            "the clock jumped {way} by {}: the machine slept, or the clock was set; time limits moved with it",
            length(by.unsigned_abs())
        );
        transition.notify(NoticeLevel::Info, "clock", text);
    }
}

fn move_limits(attempt: &mut Attempt, by: i64) {
    attempt.deadline = attempt.deadline.map(|due| due.moved(by));
    let goes_on = &mut attempt.failed_turns.go_on_at;
    *goes_on = goes_on.map(|at| at.moved(by));
    if let Some(left) = &mut attempt.background {
        left.until = left.until.moved(by);
    }
    attempt.awaited = attempt.awaited.map(|since| since.moved(by));
    attempt.person_awaited = attempt.person_awaited.map(|since| since.moved(by));
}

/// Moves the beginnings of measurements that are not over: the start of an agent's run, the time it was asked to stop, and the time keys
/// were pressed. The beginnings of its activity and of its asks move only with a clock that was set back, so that they are not in the
/// future.
fn move_past(attempt: &mut Attempt, by: i64) {
    attempt.started_at = attempt.started_at.map(|at| at.moved(by));
    attempt.leaves = attempt.leaves.map(|at| at.moved(by));
    for known in attempt.asks.iter_mut().filter(|known| known.closed.is_none()) {
        if let Some(answer) = &mut known.answer {
            answer.at = answer.at.moved(by);
        }
        if by < 0 {
            known.since = known.since.moved(by);
        }
    }
    if by < 0 {
        attempt.activity.since = attempt.activity.since.moved(by);
    }
}

/// Returns true if a time of the task moves: a time at which something is due, and, with a clock that was set back, the beginning of its
/// state. The time at which a task finished does not move.
fn is_timed(task: &Task, by: i64) -> bool {
    task.not_before.is_some() || task.letting_go.is_some() || is_since_moved(task, by)
}

fn is_since_moved(task: &Task, by: i64) -> bool {
    by < 0 && !task.state.is_terminal()
}

fn move_task(task: &mut Task, by: i64) {
    if is_since_moved(task, by) {
        task.since = task.since.moved(by);
    }
    task.not_before = task.not_before.map(|at| at.moved(by));
    if let Some(WaitReason::Until(until)) = &mut task.why_not {
        *until = until.moved(by);
    }
    if let Some(cleanup) = &mut task.letting_go {
        cleanup.at = cleanup.at.moved(by);
    }
}

/// Formats a length in the unit that fits, for people.
fn length(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match seconds {
        0..=119 => format!("{seconds}s"),
        120..=7_199 => format!("{}m", seconds / 60),
        _ => format!("{}h {}m", seconds / 3600, seconds % 3600 / 60),
    }
}
