//! Carries out effects: each on a blocking thread, in the lane it belongs to, its result back into the inbox as an event. A
//! part that panics becomes an event too.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;

use super::job::{Job, Urgency, What};
use super::lanes::{Lane, Lanes};
use super::running::Perform;
use super::world::{GRACE, World};
use super::yielding::Hurry;
use super::{evidence, merging, settling, starting, tidying};
use crate::domain::evidence::{Issue, Severity};
use crate::domain::{Action, ActionOutcome, Attempt, Board, Effect, Event, StopCause, Tri, Worker};
use crate::ports::holders::HolderId;

/// The performer of effects.
#[derive(Debug)]
pub struct Performer {
    world: Arc<World>,
    lanes: Lanes<Job>,
    hurry: Hurry,
    tracker: TaskTracker,
    runtime: Handle,
}

impl Performer {
    /// A performer that works on the blocking threads of `runtime`; `tracker` knows when all work is over.
    pub fn new(world: Arc<World>, runtime: Handle, tracker: TaskTracker) -> Performer {
        Performer {
            world,
            lanes: Lanes::default(),
            hurry: Hurry::default(),
            tracker,
            runtime,
        }
    }
}

impl Perform for Performer {
    fn tidy(&mut self, board: &Board) {
        let (world, board) = (Arc::clone(&self.world), board.clone());
        self.tracker
            .spawn_blocking_on(move || tidying::tidy(&world, &board), &self.runtime);
    }

    fn perform(&mut self, effect: Effect, board: &Board) {
        let Some(lane) = Lane::of(&effect) else { return };
        let key = effect.key();
        let Some(job) = Job::of(effect, board) else { return };
        let Some(first) = self.lanes.enter(&lane, key, job) else {
            return;
        };
        let (world, lanes, hurry) = (Arc::clone(&self.world), self.lanes.clone(), self.hurry.clone());
        // Counted before any other thread runs, so that what comes after it in this turn gives way.
        let hurries = matches!(first.what, What::Start | What::Verify(_));
        let mut under_way = hurries.then(|| hurry.begin());
        let work = move || {
            let mut next = Some(first);
            while let Some(job) = next {
                if job.urgency == Urgency::CanWait {
                    hurry.give_way();
                }
                work_off(&world, &job);
                drop(under_way.take());
                next = lanes.next(&lane);
            }
        };
        self.tracker.spawn_blocking_on(work, &self.runtime);
    }
}

/// Does one job and reports it. The engine may have ended meanwhile; then the report is made again after the next start.
fn work_off(world: &World, job: &Job) {
    let report = catch_unwind(AssertUnwindSafe(|| perform(world, job))).unwrap_or_else(|_panic| broken(job));
    let started = matches!(report, Some(Event::AttemptStarted { .. }));
    if let Some(event) = report
        && world.inbox.put(event).is_err()
    {
        return;
    }
    if started {
        starting::follow(world, job);
    }
}

fn perform(world: &World, job: &Job) -> Option<Event> {
    match &job.what {
        What::Start => starting::start(world, job),
        What::Act(action) => {
            let attempt = job.attempt.as_deref()?;
            Some(Event::ActionEnded {
                attempt: attempt.id,
                outcome: act(world, job, attempt, *action),
            })
        }
        What::Stop(cause) => stop(world, job, *cause),
        What::Verify(kinds) => evidence::verify(world, job, kinds),
        What::Settle => settling::settle(world, job),
        What::Retire => {
            let problem = settling::retire(world, job);
            // Nobody waits for the end of a task's branch.
            tidying::pack(world);
            let key = Effect::Retire(job.task.id.clone()).key()?;
            Some(Event::Performed { key, problem })
        }
        What::Tell(line) => {
            let id = HolderId::from(job.attempt.as_deref()?.id);
            if let Err(why) = world.terminals.tell(&id, line) {
                tracing::warn!(task = %job.task.id, "could not answer: {why}");
            }
            None
        }
    }
}

fn act(world: &World, job: &Job, attempt: &Attempt, action: Action) -> ActionOutcome {
    match action {
        Action::Merge => merging::merge(world, job, attempt),
        Action::Verify => match evidence::check(world, job, attempt) {
            Tri::Yes => ActionOutcome::Issues(Vec::new()),
            Tri::No(text) => ActionOutcome::Issues(vec![Issue {
                severity: Severity::Critical,
                text,
            }]),
            Tri::Unknown(why) => ActionOutcome::Unknown(why),
        },
        Action::Commit => ActionOutcome::Failed(
            // Workflow files that ask for it are refused; a board of another version may hold one all the same.
            "this version merges and verifies, but does not commit for a stage".to_owned(),
        ),
    }
}

/// Ends what runs; the end itself is reported by who follows the terminal, also when there was nothing to end.
fn stop(world: &World, job: &Job, cause: StopCause) -> Option<Event> {
    let attempt = job.attempt.as_deref()?;
    if matches!(attempt.worker, Worker::Engine(_)) {
        return None;
    }
    let id = HolderId::from(attempt.id);
    match world.holders.stop(&id, GRACE) {
        Ok(stopped) if stopped.survivors > 0 => {
            tracing::warn!(attempt = %attempt.id, ?cause, survivors = stopped.survivors, "processes could not be ended");
        }
        Ok(_) => {}
        Err(error) => tracing::warn!(attempt = %attempt.id, ?cause, "could not {error}"),
    }
    world.terminals.follow(&id);
    None
}

fn broken(job: &Job) -> Option<Event> {
    let attempt = job.attempt.as_deref()?.id;
    let why = "the engine's own part broke; see the log".to_owned();
    match &job.what {
        What::Start => Some(Event::AttemptNotStarted { attempt, why }),
        What::Act(_) => Some(Event::ActionEnded {
            attempt,
            outcome: ActionOutcome::Unknown(why),
        }),
        What::Verify(kinds) => {
            let unknown = |kind: &crate::domain::EvidenceKind| crate::domain::Evidence {
                kind: kind.clone(),
                outcome: Tri::Unknown(why.clone()),
            };
            Some(Event::Verified {
                attempt,
                evidence: kinds.iter().map(unknown).collect(),
                head: None,
            })
        }
        What::Settle => Some(Event::WorkspaceSettled {
            attempt,
            problem: Some(why),
            kept: None,
        }),
        What::Stop(_) | What::Retire | What::Tell(_) => None,
    }
}
