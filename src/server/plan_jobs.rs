//! Driver of the plans and PRDs that agents make: takes the next step of a job whenever one of its tasks has moved. A step depends only on
//! the board and on git, so a new server continues where another was killed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::config::project_paths::ProjectPaths;
use crate::domain::{BatchId, Cause, Command, JobStep, PlanJob, Task, TaskId, TaskState};
use crate::plans::making::{MakingStep, PlanMaking, committed_file};
use crate::ports::git::Git;
use crate::read_model::ReadModel;
use crate::server::engine_handle::EngineHandle;

/// Author of the server's commands for a job.
const AUTHOR: &str = "dbs";

/// Facts on which the next step of a job depends.
type JobFacts = (PlanJob, Vec<(TaskId, TaskState)>);

/// Driver of the jobs of a project.
pub(super) struct PlanJobs {
    pub(super) paths: ProjectPaths,
    pub(super) engine: EngineHandle,
    pub(super) git: Arc<dyn Git>,
}

impl PlanJobs {
    /// Takes steps until the engine ends.
    pub(super) async fn run(self: Arc<Self>) {
        let mut models = self.engine.read_models.clone();
        let mut judged: BTreeMap<BatchId, JobFacts> = BTreeMap::new();
        loop {
            let model = Arc::clone(&models.borrow_and_update());
            let jobs: BTreeMap<BatchId, JobFacts> = jobs(&model).collect();
            for (id, facts) in &jobs {
                if judged.get(id) == Some(facts) {
                    continue;
                }
                let (own, model) = (Arc::clone(&self), Arc::clone(&model));
                let (id, job) = (id.clone(), facts.0.clone());
                let step = tokio::task::spawn_blocking(move || own.take_step(&id, &job, &model));
                if let Err(error) = step.await {
                    tracing::error!("could not take a step of a plan: {error}");
                }
            }
            judged = jobs;
            if models.changed().await.is_err() {
                return;
            }
        }
    }

    fn take_step(&self, id: &BatchId, job: &PlanJob, model: &ReadModel) {
        let commands = self
            .step(job, model)
            .unwrap_or_else(|why| failed(id, job, why.to_string()));
        if commands.is_empty() {
            return;
        }
        match self.engine.ask(AUTHOR, Command::All(commands)) {
            Ok(Ok(_)) => {}
            Ok(Err(refusal)) => {
                let told = self
                    .engine
                    .ask(AUTHOR, Command::All(failed(id, job, refusal.why)));
                drop(told);
            }
            Err(closed) => tracing::info!("could not {closed}"),
        }
    }

    /// Returns the commands of the next step; a result with a yes is put in its place before.
    fn step(&self, job: &PlanJob, model: &ReadModel) -> Result<Vec<Command>, Cause> {
        let open = |task: &Task, path: &Path| committed_file(self.git.as_ref(), task, path);
        let making = PlanMaking::new(&self.paths, job, &model.tasks, &open);
        match making.step()? {
            MakingStep::Wait => Ok(Vec::new()),
            MakingStep::Ask(commands) => Ok(commands),
            MakingStep::Place(writer) => making.put_in_place(&writer),
        }
    }
}

/// Returns the jobs that may have a next step.
fn jobs(model: &ReadModel) -> impl Iterator<Item = (BatchId, JobFacts)> {
    let under_way = model.batches.values().filter_map(|batch| {
        let job = batch.job.as_deref().filter(|job| job.is_under_way())?;
        Some((&batch.id, job))
    });
    under_way.map(|(id, job)| {
        let own = model.tasks.values().filter(|task| task.batch == *id);
        let states = own.map(|task| (task.id.clone(), task.state.clone()));
        (id.clone(), (job.clone(), states.collect()))
    })
}

/// Returns the commands that stop a job with a reason.
fn failed(id: &BatchId, job: &PlanJob, why: String) -> Vec<Command> {
    let step = JobStep::Failed(job.writer().cloned(), why);
    vec![Command::MoveJob(id.clone(), step)]
}
