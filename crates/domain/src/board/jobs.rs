//! Jobs of batches: a person orders one and says yes to its result, the server moves it on.

use super::Board;
use super::commands::{accepted, refuse};
use super::task_text::check_length;
use super::transition::Transition;
use crate::batch::{BatchPatch, RunState};
use crate::effect::{CommandReply, NoticeLevel};
use crate::id::{BatchId, TaskId};
use crate::plan_job::{JobStep, PlanJob};
use crate::task::{Task, TaskState};

impl Board {
    /// Makes a batch with a job, or puts a job in the place of the batch's earlier one.
    pub(super) fn put_job(&mut self, transition: &Transition, id: &BatchId, job: &PlanJob) -> CommandReply {
        check_length("the text", &job.text)?;
        let change = BatchPatch {
            title: Some(format!("{} of {}", job.form.word(), job.feature)),
            ..BatchPatch::default()
        };
        self.put_batch(transition, id, &change)?;
        self.edit_batch(id, |batch| batch.job = Some(Box::new(job.clone())));
        Ok(accepted(format!("{id} is under way")))
    }

    /// Moves the job of a batch to a step, for the server.
    pub(super) fn move_job(
        &mut self,
        transition: &mut Transition,
        id: &BatchId,
        to: &JobStep,
    ) -> CommandReply {
        let Some(mut job) = self.batches.get(id).and_then(|batch| batch.job.clone()) else {
            refuse!("batch {id} does not make a plan: `dbs batch list` lists all batches");
        };
        match to {
            JobStep::Written(_, files) => {
                let text = format!("batch {id}: written: {}", files.join(", "));
                transition.notify(NoticeLevel::Success, "plan", text);
            }
            JobStep::Failed(_, why) => {
                let text = format!("batch {id}: could not continue: {why}");
                transition.notify(NoticeLevel::Alert, "plan", text);
            }
            JobStep::Ordered | JobStep::Preparing | JobStep::Writing(_) | JobStep::Accepted(_) => {}
        }
        job.step = to.clone();
        self.edit_batch(id, |batch| batch.job = Some(job));
        Ok(accepted(format!("{id} goes on")))
    }

    /// Notes the yes of a person to the result of a job. Returns true if the task has written one.
    pub(super) fn accept_made(&mut self, task: &Task) -> bool {
        let Some(batch) = self.batches.get(&task.batch) else {
            return false;
        };
        let writer: Option<&TaskId> = batch.job.as_ref().and_then(|job| job.writer());
        if writer != Some(&task.id) {
            return false;
        }
        self.edit_batch(&task.batch, |batch| {
            if let Some(job) = &mut batch.job {
                job.step = JobStep::Accepted(task.id.clone());
            }
        });
        true
    }

    /// Accepts the result of a task that is done once more, so that its files are put in their place again. Returns true if it wrote one.
    pub(super) fn accept_again(&mut self, task: &Task) -> bool {
        task.state == TaskState::Done && self.accept_made(task)
    }
}

/// Returns the state of a run whose job goes on by itself: its end is not the end of its tasks.
pub(super) fn with_job(job: Option<&PlanJob>, run: RunState) -> RunState {
    let Some(job) = job.filter(|job| job.is_under_way()) else {
        return run;
    };
    match run {
        RunState::Planning
        | RunState::Completed
        | RunState::CompletedWithSkips(_)
        | RunState::CompletedWithFailures => RunState::Running,
        // What its tasks waited for before the order may not count any more.
        RunState::Stalled if job.step == JobStep::Ordered => RunState::Running,
        run => run,
    }
}
