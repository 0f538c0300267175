//! Carries out effects: each on a blocking thread, in the lane it belongs to, its result back into the inbox as an event. A
//! part that panics becomes an event too.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;

use super::context::{EngineContext, STOP_GRACE};
use super::event_loop::Perform;
use super::job::{Job, JobKind, JobPriority};
use super::lanes::{Lane, Lanes};
use super::priority::UrgentWork;
use super::{checkpoint, cleanup, delivery, evidence, launch, merge, startup_cleanup};
use crate::domain::{
    ActionOutcome, AskChannel, AskId, Attempt, Board, Cause, Effect, EngineAction, Event, Evidence,
    EvidenceKind, SavedWork, StopCause, Tri, Worker,
};
use crate::ports::holders::HolderId;

/// Carries out effects on blocking threads and reports the results to the inbox.
pub struct Performer {
    context: Arc<EngineContext>,
    lanes: Lanes<Job>,
    urgent: UrgentWork,
    tracker: TaskTracker,
    runtime: Handle,
}

impl Performer {
    /// A performer that works on the blocking threads of `runtime`; `tracker` knows when all work is over.
    pub fn new(context: Arc<EngineContext>, runtime: Handle, tracker: TaskTracker) -> Performer {
        Performer {
            context,
            lanes: Lanes::default(),
            urgent: UrgentWork::default(),
            tracker,
            runtime,
        }
    }
}

impl Perform for Performer {
    fn clean_up(&mut self, board: &Board) {
        let (context, board) = (Arc::clone(&self.context), board.clone());
        self.tracker
            .spawn_blocking_on(move || startup_cleanup::clean_up(&context, &board), &self.runtime);
    }

    fn perform(&mut self, effect: Effect, board: &Board) {
        let Some(lane) = Lane::of(&effect) else { return };
        let key = effect.key();
        let Some(job) = Job::of(effect, board) else { return };
        let Some(first) = self.lanes.enter(&lane, key, job) else {
            return;
        };
        let (context, lanes, urgent) = (Arc::clone(&self.context), self.lanes.clone(), self.urgent.clone());
        // Counted before any other thread runs, so that later work of this turn gives way.
        let is_urgent = matches!(first.kind, JobKind::Start | JobKind::Verify(_));
        let mut under_way = is_urgent.then(|| urgent.begin());
        let work = move || {
            let mut next = Some(first);
            while let Some(job) = next {
                if job.priority == JobPriority::Background {
                    urgent.wait_until_idle();
                }
                run_job(&context, &job);
                drop(under_way.take());
                next = lanes.next(&lane);
            }
        };
        self.tracker.spawn_blocking_on(work, &self.runtime);
    }
}

/// Does one job and reports it. The engine may have ended meanwhile; then the report is made again after the next start.
fn run_job(context: &EngineContext, job: &Job) {
    let report =
        catch_unwind(AssertUnwindSafe(|| perform(context, job))).unwrap_or_else(|_panic| panicked(job));
    let started = matches!(report, Some(Event::AttemptStarted { .. }));
    if let Some(event) = report
        && context.inbox.send(event).is_err()
    {
        return;
    }
    if started {
        launch::follow(context, job);
    }
}

fn perform(context: &EngineContext, job: &Job) -> Option<Event> {
    match &job.kind {
        JobKind::Start => launch::start(context, job),
        JobKind::Act(action) => {
            let attempt = job.attempt.as_deref()?;
            Some(Event::ActionEnded {
                attempt: attempt.id,
                outcome: act(context, job, attempt, *action),
            })
        }
        JobKind::Stop(cause) => stop(context, job, *cause),
        JobKind::Verify(kinds) => evidence::verify(context, job, kinds),
        JobKind::Checkpoint => checkpoint::save(context, job),
        JobKind::Settle => cleanup::settle(context, job),
        JobKind::Retire => {
            let problem = cleanup::retire(context, job);
            // No caller waits for the end of a task's branch.
            startup_cleanup::pack(context);
            let key = Effect::Retire(job.task.id.clone()).key()?;
            Some(Event::Performed { key, problem })
        }
        JobKind::Deliver(mode, owed) => delivery::deliver(context, job, *mode, owed.as_deref()),
        JobKind::TypeLine(line) => {
            let id = HolderId::from(job.attempt.as_deref()?.id);
            let why = context.terminals.type_line(&id, line).err()?;
            tracing::warn!(task = %job.task.id, "could not type {line:?}: {why}");
            Some(Event::TextLost {
                attempt: job.attempt.as_deref()?.id,
                text: line.clone(),
                problem: why.text,
            })
        }
        JobKind::Interrupt => {
            let id = HolderId::from(job.attempt.as_deref()?.id);
            let why = context.terminals.interrupt(&id).err()?;
            let text = format!("Esc was not pressed in the terminal of its agent: {why}");
            Some(Event::comment(job.task.id.clone(), text))
        }
        JobKind::Answer(ask) => answer(context, job, ask),
    }
}

/// Hands the answer to an ask to its agent, unless that no longer asks.
fn answer(context: &EngineContext, job: &Job, ask: &AskId) -> Option<Event> {
    let attempt = job.attempt.as_deref()?;
    let known = attempt.asks.iter().find(|known| known.ask.id == *ask)?;
    let given = known.answer.as_ref().filter(|_| known.closed.is_none())?;
    let (attempt, ask) = (attempt.id, ask.clone());
    match context.terminals.answer(attempt, &known.ask, given) {
        Err(why) => Some(Event::AnswerLost {
            attempt,
            ask,
            problem: why.text,
        }),
        // Of any other channel the agent itself shows that the answer arrived.
        Ok(()) => (known.ask.channel == AskChannel::Line).then_some(Event::AnswerTyped { attempt, ask }),
    }
}

fn act(context: &EngineContext, job: &Job, attempt: &Attempt, action: EngineAction) -> ActionOutcome {
    match action {
        EngineAction::Merge => merge::merge(context, job, attempt),
        EngineAction::Verify => {
            let seen = evidence::checks(context, job, attempt);
            let unknown = seen.iter().find_map(|piece| match &piece.outcome {
                Tri::Unknown(why) => Some(why.clone()),
                Tri::Yes | Tri::No(_) => None,
            });
            unknown.map_or_else(
                || ActionOutcome::Issues(seen.iter().flat_map(Evidence::findings).collect()),
                ActionOutcome::Unknown,
            )
        }
        EngineAction::Commit => ActionOutcome::Failed(
            // Workflow files that ask for it are refused; a board of another version may hold one all the same.
            "this version merges and verifies, but does not commit for a stage".to_owned(),
        ),
    }
}

/// Ends the running process; the follower of the terminal reports the end itself, also when there was nothing to end.
fn stop(context: &EngineContext, job: &Job, cause: StopCause) -> Option<Event> {
    let attempt = job.attempt.as_deref()?;
    if matches!(attempt.worker, Worker::Engine(_)) {
        return None;
    }
    let id = HolderId::from(attempt.id);
    match context.holders.stop(&id, STOP_GRACE) {
        Ok(stopped) if stopped.survivors > 0 => {
            tracing::warn!(attempt = %attempt.id, ?cause, survivors = stopped.survivors, "processes could not be ended");
        }
        Ok(_) => {}
        Err(error) => {
            let why = format!("could not {error}");
            tracing::warn!(attempt = %attempt.id, ?cause, "{why}");
            context.terminals.follow(&id);
            return Some(Event::AttemptUnknown {
                attempt: attempt.id,
                why: why.into(),
            });
        }
    }
    context.terminals.follow(&id);
    None
}

fn panicked(job: &Job) -> Option<Event> {
    let attempt = job.attempt.as_deref()?.id;
    let why = Cause::from("the engine failed inside; see the log");
    match &job.kind {
        JobKind::Start => Some(Event::AttemptNotStarted { attempt, why }),
        JobKind::Act(_) => Some(Event::ActionEnded {
            attempt,
            outcome: ActionOutcome::Unknown(why),
        }),
        JobKind::Verify(kinds) => {
            let unknown = |kind: &EvidenceKind| Evidence::new(kind.clone(), Tri::Unknown(why.clone()));
            Some(Event::Verified {
                attempt,
                evidence: kinds.iter().map(unknown).collect(),
                head: None,
                integration: None,
            })
        }
        JobKind::Checkpoint => Some(Event::WorkSaved {
            attempt,
            work: SavedWork {
                problem: Some(why.text),
                ..SavedWork::default()
            },
        }),
        JobKind::Settle => Some(Event::WorkspaceSettled {
            attempt,
            problem: Some(why.text),
            kept: None,
            files: Vec::new(),
        }),
        JobKind::Answer(ask) => Some(Event::AnswerLost {
            attempt,
            ask: ask.clone(),
            problem: why.text,
        }),
        JobKind::Stop(_)
        | JobKind::Retire
        | JobKind::Deliver(..)
        | JobKind::TypeLine(_)
        | JobKind::Interrupt => None,
    }
}
