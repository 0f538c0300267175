//! Continuation of the session of an agent that was interrupted: its workspace is kept for the next attempt, which takes it over. A session
//! that cannot be continued is given up once, and the attempt after that begins afresh.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Board;
use super::rows::ENGINE;
use super::transition::Transition;
use crate::attempt::{Attempt, AttemptState, ProcessExit, StopCause, Verdict, WorkspaceState};
use crate::effect::{Effect, NoticeLevel};
use crate::id::{AttemptId, RoleId, TaskId};
use crate::session::{AgentSession, Continuation, SessionRestart};
use crate::task::{HoldReason, Task, TaskState};
use crate::time::{Span, Timestamp};

/// Time after continuing a session within which an agent that ends by itself, without any signal, is taken to have been unable to continue.
const SESSION_TRIAL: Span = Span::seconds(30);
/// Interval between the starts of agents that were interrupted together: as many at a time as one turn may start.
const PACE: Span = Span::seconds(1);
/// Maximum time over which the starts are spread.
const LONGEST_PACE: Span = Span::minutes(5);
/// Number of attempts in a row that ended with the machine after which the task is left to a person.
const MOST_INTERRUPTIONS: u32 = 5;
/// Highest exit code of a program's own; codes above it say that a signal ended the program.
const LAST_OWN_CODE: i32 = 128;

impl Board {
    /// Keeps the session and the workspace of an attempt that is about to be settled for the next one, if its role's agents can continue a
    /// session. Returns true if it did.
    pub(super) fn keep_session(&mut self, attempt: &Attempt) -> bool {
        let may = |role| self.settings.resume.allows(role);
        // Without a workplace no process was ever started.
        let keeps = attempt.worker.role().is_some_and(may) && attempt.workplace.is_some();
        if keeps {
            self.edit(&attempt.task, |task| task.continues = Some(attempt.id));
        }
        keeps
    }

    /// Counts an end with the machine, or with everything of `dbs`. Three restarts of the machine are not three crashes. But an agent that
    /// runs whenever the machine goes down may be the cause, so a person has to look after [`MOST_INTERRUPTIONS`] of them.
    pub(super) fn machine_stopped(&mut self, transition: &mut Transition, attempt: &Attempt, how: &str) {
        let task = &attempt.task;
        let mut times = 0;
        self.edit(task, |task| {
            task.interruptions = task.interruptions.saturating_add(1);
            times = task.interruptions;
        });
        self.interrupted(transition, attempt, how);
        if times >= MOST_INTERRUPTIONS {
            self.hold(transition, attempt, HoldReason::Interrupted(times));
        }
    }

    /// Settles an attempt that ended for no fault of its own. It costs nothing; its task begins again at its stage.
    pub(super) fn interrupted(&mut self, transition: &mut Transition, attempt: &Attempt, how: &str) {
        self.edit(&attempt.task, |task| task.next_mode = attempt.mode);
        if self.keep_session(attempt) {
            let at = self.pace(transition.now).map(|wait| transition.now + wait);
            self.edit(&attempt.task, |task| task.not_before = at);
        }
        self.settle_stopped(transition, attempt.id, StopCause::Interrupted);
        let (name, task) = (attempt.worker.name(), &attempt.task);
        let text = format!("{name} was interrupted, {how}; {task} stays in {}", attempt.stage);
        self.comment(transition.now, task, ENGINE, text.clone());
        transition.notify_attempt(NoticeLevel::Info, "interrupted", attempt, text);
    }

    /// Asks what follows after a person has ended the tool of an agent before its report: that is no crash, and costs no try.
    pub(super) fn left(&mut self, transition: &mut Transition, attempt: &Attempt) {
        self.edit(&attempt.task, |task| task.next_mode = attempt.mode);
        self.keep_session(attempt);
        self.settle_stopped(transition, attempt.id, StopCause::Interrupted);
        self.hold(transition, attempt, HoldReason::Left);
    }

    /// Keeps the session after an end that the agent did not choose. If two ends in a row are like that, the session may be the cause, so
    /// the next attempt begins afresh.
    pub(super) fn keep_session_after_crash(&mut self, attempt: &Attempt, exit: &ProcessExit) {
        let is_killed = match exit {
            ProcessExit::Code(code) => *code > LAST_OWN_CODE,
            ProcessExit::Signal(_)
            | ProcessExit::Vanished
            | ProcessExit::MachineStopped
            | ProcessExit::SessionStopped
            | ProcessExit::Together => true,
        };
        if is_killed && attempt.session.continuation().is_none() {
            self.keep_session(attempt);
        }
    }

    /// Returns the wait before the start of an agent that was interrupted just now, because others were interrupted with it.
    pub(super) fn pace(&self, now: Timestamp) -> Option<Span> {
        let kept = |attempt: &&Arc<Attempt>| {
            attempt.ended_at == Some(now) && attempt.workspace == WorkspaceState::Kept
        };
        let before = self.attempts.values().filter(kept).count() as u64;
        let times = before / u64::from(self.settings.max_starts.max(1));
        (times > 0).then(|| PACE.scaled(times, LONGEST_PACE))
    }

    /// Returns the session with which an attempt begins its work on a task. No tool continues the session of another.
    pub(super) fn session_for(&self, task: &Task, attempt: &Attempt) -> AgentSession {
        let before = task.continues.and_then(|id| self.attempts.get(&id));
        let same_role = |before: &&Arc<Attempt>| before.worker.role() == attempt.worker.role();
        // Attempts of an older version have no choice on record.
        let same_agent = |before: &&Arc<Attempt>| {
            before.choice.is_none() || before.choice.agent() == attempt.choice.agent()
        };
        let Some(before) = before.filter(same_role).filter(same_agent) else {
            return AgentSession::Fresh;
        };
        let Some(origin) = before.session_origin() else {
            return AgentSession::Fresh;
        };
        let after = before.id;
        match before.state {
            AttemptState::Settled(Verdict::Stopped(StopCause::Context)) => {
                let restarts = task.checkpoint.as_ref().map_or(1, |known| known.restarts);
                AgentSession::Restarted(SessionRestart {
                    after,
                    folder: origin.workspace_folder(),
                    session: restarts.saturating_add(1),
                })
            }
            _ => AgentSession::Continued(Continuation { after, origin }),
        }
    }

    /// Returns the name of the agent whose session is continued, unless another has it by now.
    pub(super) fn name_to_go_on(
        &self,
        task: &Task,
        role: &RoleId,
        taken: &BTreeSet<String>,
    ) -> Option<String> {
        let before = self.attempts.get(&task.continues?)?;
        let name = before.worker.name();
        (before.worker.role() == Some(role) && !taken.contains(name)).then(|| name.to_owned())
    }

    /// Hands the workspace that was kept over to the attempt that continues in it.
    pub(super) fn take_over(&mut self, attempt: &Attempt) {
        let Some(after) = attempt.session.follows() else {
            return;
        };
        if self.tasks.get(&attempt.task).and_then(|task| task.continues) != Some(after) {
            return;
        }
        self.edit(&attempt.task, |task| task.continues = None);
        self.edit_attempt(after, |row| {
            if row.workspace == WorkspaceState::Kept {
                row.workspace = WorkspaceState::Gone;
            }
        });
    }

    /// Puts away the workspaces of tasks that will not continue where they were: held, moved or over.
    pub(super) fn release_kept(&mut self, transition: &mut Transition) {
        let pending = std::mem::take(&mut self.index.continuing);
        for id in self.ids_of(pending) {
            let Some(task) = self.task(&id) else { continue };
            if task.continues.is_some() && !self.goes_on(&task) {
                self.give_up_session(transition, &id);
            }
        }
    }

    /// Returns true if the next attempt at a task is, or will be, like the one whose session was kept.
    fn goes_on(&self, task: &Task) -> bool {
        let before = task.continues.and_then(|id| self.attempts.get(&id));
        let Some(before) = before.filter(|before| before.stage == task.stage) else {
            return false;
        };
        let next = task.open_attempt.and_then(|id| self.attempts.get(&id));
        match (&task.state, next) {
            (TaskState::Held(HoldReason::Left), None) => true,
            (TaskState::Released, None) => task.next_mode == before.mode && !task.begins_anew,
            (TaskState::Active, Some(next)) => next.session.follows() == Some(before.id),
            _ => false,
        }
    }

    /// Gives up the session, so that the next attempt begins afresh; the workspace that was kept is put away.
    pub(super) fn give_up_session(&mut self, transition: &mut Transition, task: &TaskId) {
        let Some(kept) = self.tasks.get(task).and_then(|task| task.continues) else {
            return;
        };
        self.edit(task, |task| task.continues = None);
        let is_kept = self
            .attempts
            .get(&kept)
            .is_some_and(|attempt| attempt.workspace == WorkspaceState::Kept);
        if is_kept {
            self.edit_attempt(kept, |row| {
                row.workspace = WorkspaceState::Leaving;
                row.expect_answer(transition.now);
            });
            transition.emit(Effect::Settle(kept));
        }
    }

    /// Handles a session that an attempt was to continue and that is missing.
    pub(super) fn session_lost(&mut self, transition: &mut Transition, id: AttemptId, why: &str) {
        let Some(attempt) = self.attempt(id) else { return };
        match attempt.state {
            AttemptState::Starting => self.begin_afresh(transition, &attempt, why),
            AttemptState::Stopping(cause) => {
                self.edit(&attempt.task, |task| task.next_mode = attempt.mode);
                self.settle_stopped(transition, id, cause);
            }
            AttemptState::Running | AttemptState::Verifying | AttemptState::Settled(_) => {}
        }
    }

    /// Settles an attempt that could not continue its session. It costs nothing, and the next one begins afresh at once.
    pub(super) fn begin_afresh(&mut self, transition: &mut Transition, attempt: &Attempt, why: &str) {
        let (name, task) = (attempt.worker.name(), &attempt.task);
        self.give_up_session(transition, task);
        self.edit(task, |task| task.next_mode = attempt.mode);
        self.settle_stopped(transition, attempt.id, StopCause::Interrupted);
        let text = format!("{name} could not continue its session, so {task} begins its stage again: {why}");
        self.comment(transition.now, task, ENGINE, text.clone());
        transition.notify_attempt(NoticeLevel::Warning, "session", attempt, text);
    }
}

/// Returns true if an agent ended because its tool did not continue the session.
pub(super) fn could_not_go_on(now: Timestamp, attempt: &Attempt, exit: &ProcessExit) -> bool {
    let ran = now.since(attempt.started_at.unwrap_or(attempt.created_at));
    let is_own_end = matches!(exit, ProcessExit::Code(code) if *code <= LAST_OWN_CODE);
    attempt.session.continuation().is_some()
        && is_own_end
        && attempt.signals.is_empty()
        && ran <= SESSION_TRIAL
}
