//! Keeper of the files of plans: whenever there is news of a task of a plan, what the board knows is written into the files in the person's
//! checkout. A new server writes what the one before it could not.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::adapters::clock;
use crate::config::project_paths::ProjectPaths;
use crate::domain::NoticeLevel;
use crate::plans::projections::{self, PlanFiles, PlanTaskFacts};
use crate::ports::git::Git;
use crate::read_model::general_notice;
use crate::server::engine_handle::EngineHandle;

/// Keeper of the files of a project's plans.
pub(super) struct PlanFileKeeper {
    pub(super) paths: ProjectPaths,
    pub(super) engine: EngineHandle,
    pub(super) git: Arc<dyn Git>,
    /// Writer, while no thread has it.
    pub(super) files: PlanFiles,
    /// Facts that were written last.
    pub(super) written: Vec<PlanTaskFacts>,
    /// Problems that people were told.
    pub(super) told: BTreeSet<String>,
}

impl PlanFileKeeper {
    /// Writes until the server is stopped, and then once more.
    pub(super) async fn run(mut self, stop: &CancellationToken) {
        let mut models = self.engine.read_models.clone();
        loop {
            self.write().await;
            let changed = stop.run_until_cancelled(models.changed()).await;
            if !matches!(changed, Some(Ok(()))) {
                return self.write().await;
            }
        }
    }

    async fn write(&mut self) {
        let model = self.engine.read_model();
        let facts = projections::facts(&model.tasks);
        if facts == self.written {
            return;
        }
        let (paths, git) = (self.paths.clone(), Arc::clone(&self.git));
        let mut files = std::mem::take(&mut self.files);
        let written = tokio::task::spawn_blocking(move || {
            let problems = files.write(&paths, git.as_ref(), &model.tasks, model.base.as_deref());
            (files, problems)
        });
        match written.await {
            Ok((files, problems)) => {
                self.files = files;
                for problem in problems {
                    self.tell(problem.to_string());
                }
            }
            Err(error) => tracing::error!("could not write the files of plans: {error}"),
        }
        self.written = facts;
    }

    /// Tells people of a problem, each once.
    fn tell(&mut self, problem: String) {
        tracing::warn!("{problem}");
        if self.told.insert(problem.clone()) {
            let notice = general_notice(NoticeLevel::Warning, "plan_files", problem);
            self.engine.journal.add(clock::now(), notice);
        }
    }
}
