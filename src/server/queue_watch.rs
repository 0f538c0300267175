//! Watch of the queues that runs of stories work on: PRDs that a person adds to the checkout join the run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::time::MissedTickBehavior;

use crate::adapters::clock;
use crate::adapters::git::{GitCli, GitSetup};
use crate::config::project_paths::ProjectPaths;
use crate::domain::{Cause, Command, NoticeLevel};
use crate::plans::added_prds::{AddedPrds, QueueNews, QueueRun};
use crate::plans::prd_queue::prds_in;
use crate::read_model::{ReadModel, general_notice};
use crate::server::engine_handle::EngineHandle;

/// Author of the server's commands for a queue.
const AUTHOR: &str = "dbs";
/// Interval at which folders are looked at; a change counts when it has lasted for as long.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Number of looks after which a PRD that waits for the base is judged again.
const LOOKS_FOR_BASE: u32 = 30;

/// Stamps of the files on which a judgement depends.
type QueueStamps = BTreeMap<PathBuf, Option<(SystemTime, u64)>>;

/// Watch of the queues of a project.
pub(super) struct QueueWatch {
    pub(super) paths: ProjectPaths,
    pub(super) engine: EngineHandle,
    pub(super) setup: GitSetup,
}

/// State of the watch between two looks.
#[derive(Default)]
struct Looks {
    git: Option<Arc<GitCli>>,
    seen: QueueStamps,
    judged: QueueStamps,
    /// Number of looks until what waits for the base is judged again; `None` if nothing waits.
    left: Option<u32>,
    /// Lines that people were told.
    told: BTreeSet<String>,
}

impl QueueWatch {
    /// Watches until the engine ends.
    pub(super) async fn run(self: Arc<Self>) {
        let mut models = self.engine.read_models.clone();
        let mut looks = Looks::default();
        let mut every = tokio::time::interval(LOOK_EVERY);
        every.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let model = Arc::clone(&models.borrow_and_update());
            if runs(&model).is_empty() {
                looks = Looks {
                    git: looks.git,
                    told: looks.told,
                    ..Looks::default()
                };
                if models.changed().await.is_err() {
                    return;
                }
                continue;
            }
            every.tick().await;
            let own = Arc::clone(&self);
            let look = tokio::task::spawn_blocking(move || {
                own.look(&model, &mut looks);
                looks
            });
            match look.await {
                Ok(after) => looks = after,
                Err(error) => {
                    tracing::error!("could not look at the queues: {error}");
                    return;
                }
            }
        }
    }

    /// Judges the queues if their files have changed and are at rest, or a PRD has waited for the base. Blocks.
    fn look(&self, model: &ReadModel, looks: &mut Looks) {
        let git = match &looks.git {
            Some(git) => Arc::clone(git),
            None => match GitCli::open(&self.setup) {
                Ok(git) => Arc::clone(looks.git.insert(Arc::new(git))),
                Err(error) => return tracing::warn!("could not look at the queues: {error}"),
            },
        };
        let runs = runs(model);
        let now = self.stamps(&git, &runs);
        let is_settled = now == looks.seen;
        looks.seen = now;
        looks.left = looks.left.map(|left| left.saturating_sub(1));
        if !is_settled || (looks.seen == looks.judged && looks.left != Some(0)) {
            return;
        }
        looks.judged.clone_from(&looks.seen);
        looks.left = None;
        for run in &runs {
            let added = AddedPrds {
                paths: &self.paths,
                git: &git,
                setup: self.setup.clone(),
                base: model.base.as_deref(),
            };
            match added
                .look(run, &model.tasks)
                .and_then(|news| self.carry_out(news, looks))
            {
                Ok(()) => {}
                Err(why) => looks.tell(&self.engine, NoticeLevel::Warning, why.to_string()),
            }
        }
    }

    fn carry_out(&self, news: QueueNews, looks: &mut Looks) -> Result<(), Cause> {
        if news.waits {
            looks.left = Some(LOOKS_FOR_BASE);
        }
        if !news.commands.is_empty() {
            let asked = self.engine.ask(AUTHOR, Command::All(news.commands));
            let answer = asked.map_err(|closed| Cause::from(format!("could not {closed}")))?;
            answer
                .map_err(|refusal| format!("could not put the added PRDs on the board: {}", refusal.why))?;
        }
        for (level, text) in news.notes {
            looks.tell(&self.engine, level, text);
        }
        Ok(())
    }

    fn stamps(&self, git: &GitCli, runs: &BTreeSet<QueueRun>) -> QueueStamps {
        let folders = runs.iter().map(|run| self.paths.root.join(&run.folder));
        let files = folders.flat_map(|folder| prds_in(&folder).unwrap_or_default());
        let stamp = |file: &Path| {
            let data = std::fs::metadata(file).ok()?;
            Some((data.modified().ok()?, data.len()))
        };
        let all = files.chain([git.checkout_log()]);
        all.map(|file| (file.clone(), stamp(&file))).collect()
    }
}

impl Looks {
    /// Tells people of something, each once.
    fn tell(&mut self, engine: &EngineHandle, level: NoticeLevel, text: String) {
        if self.told.insert(text.clone()) {
            tracing::info!("{text}");
            engine
                .journal
                .add(clock::now(), general_notice(level, "queue", text));
        }
    }
}

/// Returns the runs that work on stories, by their folders.
fn runs(model: &ReadModel) -> BTreeSet<QueueRun> {
    let working = model.tasks.values().filter_map(|task| {
        let tests = task.plan.as_ref()?.tests.as_ref()?;
        let batch = model.batches.get(&task.batch)?;
        (!batch.run.is_final()).then(|| QueueRun {
            batch: batch.id.clone(),
            folder: tests.prds.clone(),
            options: batch.options,
        })
    });
    working.collect()
}
