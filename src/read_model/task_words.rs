//! Standing of a task, its reason, and the command for the next step.

use super::ReadModel;
use super::agent_words::{Look, attempt_standing};
use super::standing::{DisplayStatus, Standing};
use crate::domain::attempt::{AttemptState, Verdict};
use crate::domain::task::{HoldReason, MergeCheck, behind_failed};
use crate::domain::{
    Attempt, BatchId, PauseReason, RunState, Skip, StopCause, Task, TaskId, TaskState, Timestamp, UsageLimit,
    WaitReason,
};

impl ReadModel {
    /// Returns the standing of a task at the time of the model.
    pub fn standing(&self, task: &Task) -> Standing {
        let live = task.open_attempt.and_then(|open| self.live.get(&open));
        let now = self.at;
        self.standing_at(task, Look { now, live })
    }

    /// Returns the standing of an attempt at the time of the model.
    pub fn attempt_standing(&self, attempt: &Attempt) -> Standing {
        let live = self.live.get(&attempt.id);
        attempt_standing(attempt, Look { now: self.at, live })
    }

    /// Returns the reason why an attempt was stopped.
    pub fn stop_words(&self, attempt: &Attempt, cause: StopCause) -> String {
        let task = self.tasks.get(&attempt.task);
        let is_last = !self
            .attempts
            .values()
            .any(|other| other.task == attempt.task && other.id > attempt.id);
        let moved = task.filter(|_| is_last && cause == StopCause::Cancelled);
        match moved.map(|task| &task.state) {
            Some(TaskState::Skipped(_)) => "stopped: the task was skipped".to_owned(),
            Some(TaskState::Parked(_)) => "stopped: the task was parked".to_owned(),
            Some(TaskState::Cancelled) => "stopped: the task was closed".to_owned(),
            _ => format!("stopped: {}", cause.word()),
        }
    }

    /// Returns the standing of a task at another time, with the activity of its agent that is known by then.
    pub fn standing_at(&self, task: &Task, look: Look<'_>) -> Standing {
        let id = &task.id;
        let new = |mark, word: &str| Standing::new(mark, word, task.since);
        // A pause holds also while no server runs.
        let is_paused = self.pause.is_some() && task.why_not == Some(WaitReason::Paused);
        let goes_by_itself = matches!(
            task.state,
            TaskState::Released | TaskState::Active | TaskState::Verifying
        );
        let waits_for_others = matches!(
            task.why_not,
            Some(WaitReason::Dependencies(_) | WaitReason::DependencyNotMerged(_) | WaitReason::Batches(_))
        );
        if goes_by_itself && !self.is_live && !is_paused && !waits_for_others {
            let standing = new(DisplayStatus::Unsure, task.state.word());
            return standing.because("no server runs").way("`dbs` starts one");
        }
        match &task.state {
            TaskState::Backlog => {
                new(DisplayStatus::Backlog, "backlog").way(format!("`dbs task release {id}` hands it over"))
            }
            TaskState::Released => self.waiting(task, look.now),
            TaskState::Active | TaskState::Verifying => match self.open_attempt(task) {
                // Since it is verified; the agent may have worked for hours before.
                Some(attempt) if attempt.state == AttemptState::Verifying => Standing {
                    since: task.since,
                    ..attempt_standing(attempt, look)
                },
                Some(attempt) => attempt_standing(attempt, look),
                None => new(DisplayStatus::Unsure, "about to go on"),
            },
            TaskState::Held(hold) => {
                let standing = held(task, hold);
                let reason = self.with_last_words(task, standing.reason.clone());
                standing.because(reason)
            }
            TaskState::Parked(why) => new(DisplayStatus::Paused, "parked").because(why).way(retry(id)),
            TaskState::Done if task.merge_check == MergeCheck::ByOthers => {
                new(DisplayStatus::Done, "done, unchecked")
                    .because("it was merged outside dbs, so none of your gates ran on the merged tree")
            }
            TaskState::Done if !task.merge_check.is_checked() => new(DisplayStatus::Done, "done, unchecked")
                .because("it is merged, and no gate applied to the merged tree")
                .way("`dbs config gates.NAME COMMAND` sets one for the next merges"),
            TaskState::Done => match task.handed_over_on() {
                Some(branch) => new(DisplayStatus::Done, "handed over")
                    .because(format!("on branch {branch}, pushed and not merged"))
                    .way(format!(
                        "merge it; if the base has it and that is not seen, `dbs task merged {id}` says so"
                    )),
                None => new(DisplayStatus::Done, "done"),
            },
            TaskState::Failed(why) => new(DisplayStatus::Failed, "failed")
                .because(self.with_last_words(task, behind_failed(why).to_owned()))
                .way(retry_or_skip(id)),
            TaskState::Skipped(skip) => self.skipped(task, skip),
            TaskState::Cancelled => new(DisplayStatus::Skipped, "cancelled"),
        }
    }

    /// Returns the standing of a released task that does not start.
    fn waiting(&self, task: &Task, now: Timestamp) -> Standing {
        let new = |mark, word: String| Standing::new(mark, word, task.since);
        let Some(why) = &task.why_not else {
            return new(DisplayStatus::Queued, "queued".to_owned());
        };
        match why {
            WaitReason::Until(at) => new(DisplayStatus::Retry, format!("retry in {}", at.since(now)))
                .because(self.last_trouble(task).unwrap_or_default())
                .way(format!("`dbs retry {}` tries at once", task.id)),
            WaitReason::Paused => new(DisplayStatus::Paused, "paused".to_owned())
                .because(self.pause_reason(now))
                .way("`dbs resume` continues"),
            WaitReason::UsageLimit(account) => new(DisplayStatus::Paused, why.to_string())
                .because(self.limit_reason(account, now))
                .way("`dbs resume` continues at once"),
            WaitReason::Dependencies(on) | WaitReason::DependencyNotMerged(on) => {
                self.behind(on, new(DisplayStatus::Waiting, self.wait_text(why)))
            }
            WaitReason::Batches(_) | WaitReason::BaseClosed { .. } | WaitReason::FileLeft { .. } => {
                new(DisplayStatus::Waiting, why.to_string())
            }
            WaitReason::UnknownDependency(_)
            | WaitReason::NoBase
            | WaitReason::NoGate
            | WaitReason::Setting(_)
            | WaitReason::NoStage(..)
            | WaitReason::Untrusted => new(DisplayStatus::Hindered, why.to_string()),
            WaitReason::Aborted => self.run_stopped(task),
            WaitReason::NoGoAhead => new(DisplayStatus::Queued, "queued".to_owned())
                .because(why.to_string())
                .way(format!("`dbs batch release {}` hands it over", task.batch)),
            WaitReason::SingletonBusy(_)
            | WaitReason::FileBusy { .. }
            | WaitReason::NoRoom { .. }
            | WaitReason::BatchFull { .. }
            | WaitReason::TurnLimit
            | WaitReason::StillEnding(_) => {
                new(DisplayStatus::Queued, "queued".to_owned()).because(why.to_string())
            }
        }
    }

    /// Returns the result of the last attempt at a task that is tried again.
    fn last_trouble(&self, task: &Task) -> Option<String> {
        let mut attempts = self.attempts.values().rev();
        let last = attempts.find(|attempt| attempt.task == task.id)?;
        match &last.state {
            AttemptState::Settled(Verdict::Failed(_, why)) => Some(why.first_line().to_owned()),
            AttemptState::Settled(Verdict::Rejected(why)) => Some(format!("sent back: {why}")),
            AttemptState::Settled(Verdict::Stopped(cause)) => Some(cause.word().to_owned()),
            _ => None,
        }
    }

    /// Adds the last output of an agent to a reason that only gives the number of its ends.
    fn with_last_words(&self, task: &Task, reason: String) -> String {
        let why = self.failure_of(task).map(|(_, _, why)| why);
        let words = why.and_then(|why| why.lines().next()?.split_once(" before reporting: "));
        match words {
            Some((_, words)) if reason.ends_with("without reporting") => format!("{reason}: {words}"),
            _ => reason,
        }
    }

    fn limit_reason(&self, account: &str, now: Timestamp) -> String {
        let limit = self.limits.get(account);
        limit.map_or_else(String::new, |limit| limit_words(limit, now))
    }

    fn pause_reason(&self, now: Timestamp) -> String {
        match &self.pause {
            Some(PauseReason::Operator { by, .. }) => format!("{by} paused the board"),
            Some(PauseReason::Quota { until, why }) => {
                format!("usage limit, {} left: {why}", until.since(now))
            }
            None => String::new(),
        }
    }

    /// Adds the first of the tasks it waits for that does not continue by itself, and the command that lets that continue.
    fn behind(&self, on: &[TaskId], standing: Standing) -> Standing {
        let rests = |task: &&Task| {
            task.state == TaskState::Backlog || task.state.has_stopped() || task.state.awaits_approval()
        };
        let mut others = on.iter().filter_map(|id| self.tasks.get(id)).map(AsRef::as_ref);
        let Some(other) = others.find(rests) else {
            return standing;
        };
        let way = self.standing(other).way;
        standing
            .because(format!("{} {}", self.name_of(&other.id), what_became(other)))
            .way(way)
    }

    /// Returns the standing of a task whose run was aborted: the task that caused it, and the command that continues the run.
    fn run_stopped(&self, task: &Task) -> Standing {
        let standing = Standing::new(DisplayStatus::Paused, "run stopped", task.since);
        match self.abort_cause(task) {
            Some(cause) => {
                let why = format!("{} {}", self.name_of(&cause.id), what_became(cause));
                standing.because(why).way(retry_or_skip(&cause.id))
            }
            None => standing
                .because(self.abort_text(&task.batch))
                .way(format!("`dbs task release {}` continues", task.id)),
        }
    }

    /// The task that stopped the run of another: one that this waits for, else one that others of its batch wait for.
    fn abort_cause(&self, task: &Task) -> Option<&Task> {
        let broken = |id: &TaskId| {
            let root = self.tasks.get(id)?.root_cause()?;
            self.tasks.get(root).map(AsRef::as_ref)
        };
        let of_batch = self.tasks.values().filter(|other| other.batch == task.batch);
        let waiting = of_batch.filter(|other| !other.state.is_terminal());
        let mut deps = task.deps.iter().chain(waiting.flat_map(|other| &other.deps));
        deps.find_map(broken)
    }

    fn abort_text(&self, batch: &BatchId) -> String {
        match self.batches.get(batch).map(|batch| &batch.run) {
            Some(RunState::Aborted(why)) => why.clone(),
            _ => String::new(),
        }
    }

    fn skipped(&self, task: &Task, skip: &Skip) -> Standing {
        let new = |word: &str| Standing::new(DisplayStatus::Skipped, word, task.since);
        let Some(root) = skip.root() else {
            let by = match skip {
                Skip::Person { by } if !by.is_empty() => by,
                _ => "a person",
            };
            return new(&format!("skipped by {by}")).way(format!("`dbs retry {}` retries it", task.id));
        };
        let name = self.name_of(root);
        match self.tasks.get(root).map(AsRef::as_ref) {
            Some(other) if matches!(other.state, TaskState::Skipped(_)) => {
                new(&format!("skipped with {name}")).way(retry(root))
            }
            Some(other) => new("skipped")
                .because(format!("{name} {}", what_became(other)))
                .way(retry(root)),
            None => new("skipped").because(format!("{name} is gone")),
        }
    }
}

/// Returns the lines of a text that another does not say already.
pub fn unsaid(text: &str, said: &str) -> String {
    let lines = text.lines().filter(|line| !said.contains(line.trim()));
    lines.collect::<Vec<_>>().join("\n")
}

fn held(task: &Task, hold: &HoldReason) -> Standing {
    let id = &task.id;
    let needs_you = |word, short| Standing {
        short: Some(short),
        ..Standing::new(DisplayStatus::NeedsYou, word, task.since)
    };
    match hold {
        HoldReason::Approval => needs_you("waits for your approval", "approve?")
            .way(format!("`dbs approve {id}` or `dbs reject {id} WHY`")),
        HoldReason::Findings(what) => needs_you("waits for your decision", "accept?")
            .because(format!("checks found: {what}"))
            .way(format!(
                "`dbs approve {id}` accepts it as it is, `dbs reject {id} WHY` has it fixed"
            )),
        HoldReason::Unreviewed(what) => needs_you("waits for your decision", "merge?")
            .because(format!(
                "not merged: {what}, and no stage of its workflow reviews that"
            ))
            .way(format!(
                "`dbs approve {id}` merges it, `dbs reject {id} WHY` sends it back"
            )),
        HoldReason::Blocked(_) => Standing::new(DisplayStatus::Held, "held", task.since)
            .because(task.hold_text(hold))
            .way(format!("answer with `dbs retry {id} --note 'ANSWER'`")),
        HoldReason::Left => Standing::new(DisplayStatus::Held, "held", task.since)
            .because(task.hold_text(hold))
            .way(format!(
                "`dbs retry {id}` resumes its session, `dbs retry {id} --stage {}` starts over, `dbs task park {id} WHY` sets it aside",
                task.stage
            )),
        _ => Standing::new(DisplayStatus::Held, "held", task.since)
            .because(task.hold_text(hold))
            .way(retry(id)),
    }
}

/// Returns the state of a task, in words that follow its name.
fn what_became(task: &Task) -> &'static str {
    match &task.state {
        TaskState::Failed(_) => "failed",
        TaskState::Cancelled => "was closed",
        TaskState::Parked(_) => "is parked",
        TaskState::Held(_) if task.state.awaits_approval() => "waits for you",
        TaskState::Held(_) => "is held",
        TaskState::Skipped(_) => "was skipped",
        TaskState::Backlog => "is in the backlog",
        TaskState::Released | TaskState::Active | TaskState::Verifying => "is not done",
        TaskState::Done => "is done",
    }
}

fn retry(id: &TaskId) -> String {
    format!("`dbs retry {id}` retries it")
}

fn retry_or_skip(id: &TaskId) -> String {
    format!("`dbs retry {id}` or `dbs skip {id}`")
}

/// Returns the time that is left of a usage limit, and the words of its tool.
pub fn limit_words(limit: &UsageLimit, now: Timestamp) -> String {
    format!("{} left: {}", limit.until.since(now), limit.why)
}
