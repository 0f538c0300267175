//! PRDs that a person adds to a queue while a run works on it: those whose last commit was made in the person's own checkout after the run
//! began, and that are on the base. PRDs that came with the commits of others wait for a person, and so does all that would change more
//! than it adds. The log of the checkout can be written by agents, so nothing counts as the person's that the engine knows of their work.

use std::collections::BTreeSet;
use std::path::Path;

use super::consent::PlanConsent;
use super::prd_queue::prds_in;
use super::reconcile::{PlanDifference, PlanProject, PlanRows, PlanTasks, PlanWishes, reconcile};
use super::setup::PlanSetup;
use super::story_record::BaseRecord;
use super::{BaseFiles, ReadPlan, in_project};
use crate::adapters::git::{GitCli, GitSetup};
use crate::adapters::text_file;
use crate::config::project_paths::ProjectPaths;
use crate::domain::{BatchId, Cause, Command, NoticeLevel, RunOptions, Task, TaskState, Timestamp};
use crate::formats::plan::PlanChoices;
use crate::ports::git::{BranchName, CommitId};

/// Run that works on the stories of a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct QueueRun {
    pub batch: BatchId,
    /// Folder of PRDs, relative to the project.
    pub folder: String,
    pub options: RunOptions,
}

/// Result of a look at the queue of a run.
#[derive(Debug, Default)]
pub struct QueueNews {
    /// Commands that put the stories on the board.
    pub commands: Vec<Command>,
    /// Lines for people about added PRDs.
    pub notes: Vec<(NoticeLevel, String)>,
    /// True if another look may find more, although neither folder nor checkout have changed.
    pub waits: bool,
}

impl QueueNews {
    /// Notes a PRD that is not taken up by itself.
    fn wait_for_person(&mut self, run: &QueueRun, file: &str, why: &str) {
        let text = format!(
            "{file} {why} and waits for you: `dbs run {0} --dry-run` shows its stories, `dbs run {0}` begins them",
            run.folder
        );
        self.notes.push((NoticeLevel::Warning, text));
    }
}

/// Reader of what a person has added to queues.
pub struct AddedPrds<'a> {
    pub paths: &'a ProjectPaths,
    pub git: &'a GitCli,
    pub setup: GitSetup,
    /// Branch on which the run works.
    pub base: Option<&'a str>,
}

impl AddedPrds<'_> {
    /// Looks for PRDs that were added to the queue of a run.
    ///
    /// # Errors
    /// When folder, plan or git cannot be read; for people.
    pub fn look(&self, run: &QueueRun, tasks: &PlanTasks) -> Result<QueueNews, Cause> {
        let mut news = QueueNews::default();
        let own = tasks.values().filter(|task| run.has(task));
        let Some(began) = own.map(|task| task.created_at).min() else {
            return Ok(news);
        };
        let added = self.added(run, tasks, began, &mut news)?;
        if added.is_empty() {
            return Ok(news);
        }
        let files = BaseFiles::new(self.paths, self.setup.clone());
        let folder = self.paths.root.join(&run.folder);
        let read = super::read(&folder, Some(self.paths), &|path| files.has(path))?;
        let names = added.iter().cloned().collect::<Vec<_>>().join(", ");
        if let Some(error) = read.plan.findings.iter().find(|found| found.is_error()) {
            let text = format!("{names} waits: {error}; `dbs atdd check` shows all errors");
            news.notes.push((NoticeLevel::Warning, text));
            return Ok(news);
        }
        let added = self.on_base(added, &mut news)?;
        let found = self.compare(&read, &added, run, tasks)?;
        let asked = PlanConsent::new(&read.plan, self.paths).question(&found)?;
        let ids: Vec<&str> = found.changes.new.iter().map(|draft| draft.id.as_str()).collect();
        if ids.is_empty() {
            return Ok(news);
        }
        if !asked.listing.items.is_empty() || changes_others(&found, tasks) {
            let text = format!(
                "{names} waits: it changes other stories of this run; `dbs run {0} --dry-run` shows how, `dbs run {0}` begins it",
                run.folder
            );
            news.notes.push((NoticeLevel::Warning, text));
            return Ok(news);
        }
        let text = format!("{names} joins the run: {}", ids.join(", "));
        news.notes.push((NoticeLevel::Info, text));
        news.commands = found.commands;
        Ok(news)
    }

    /// Returns the PRDs of a folder that no task is of, and that the person has committed in the checkout since the run began.
    fn added(
        &self,
        run: &QueueRun,
        tasks: &PlanTasks,
        began: Timestamp,
        news: &mut QueueNews,
    ) -> Result<BTreeSet<String>, Cause> {
        let files = prds_in(&self.paths.root.join(&run.folder))?;
        let plans = tasks.values().filter_map(|task| task.plan.as_ref());
        let known: BTreeSet<&str> = plans.map(|plan| plan.source.plan.as_str()).collect();
        let mut new: BTreeSet<String> = files
            .iter()
            .map(|file| in_project(file, &self.paths.root))
            .filter(|file| !known.contains(file.as_str()))
            .collect();
        if new.is_empty() {
            return Ok(new);
        }
        let changed = self.git.uncommitted().map_err(|error| error.to_string())?;
        let changed: BTreeSet<String> = changed.changed.into_iter().chain(changed.new).collect();
        // A commit is dated to the second.
        let began = Timestamp(began.0 / 1000 * 1000);
        let mut added = BTreeSet::new();
        while let Some(file) = new.pop_first() {
            if changed.contains(&file) {
                let text = format!("{file} waits for its commit: agents work on commits");
                news.notes.push((NoticeLevel::Info, text));
                continue;
            }
            match self
                .git
                .committed_here(Path::new(&file))
                .map_err(|error| error.to_string())?
            {
                Some(at) if at >= began => {
                    if self.may_be_of_agents(&file, tasks)? {
                        news.wait_for_person(run, &file, "may have come with the work of an agent");
                    } else {
                        added.insert(file);
                    }
                }
                // It was there when the run began, which left it out.
                Some(_) => {}
                None => news.wait_for_person(run, &file, "was not committed in this checkout"),
            }
        }
        Ok(added)
    }

    fn may_be_of_agents(&self, file: &str, tasks: &PlanTasks) -> Result<bool, Cause> {
        let heads = tasks.values().filter_map(|task| task.head.as_deref());
        let heads = heads.filter_map(|head| CommitId::new(head).ok()).collect();
        let base = self.base.map(BranchName::new).transpose();
        let base = base.map_err(|error| error.to_string())?;
        let found = self.git.may_be_of_agents(Path::new(file), &heads, base.as_ref());
        found.map_err(|error| error.to_string().into())
    }

    /// Returns those PRDs that are on the base as they are in the checkout.
    fn on_base(&self, added: BTreeSet<String>, news: &mut QueueNews) -> Result<BTreeSet<String>, Cause> {
        let base = BaseRecord::read(self.git, self.base)?;
        let plain = |text: &str| text.replace("\r\n", "\n");
        let is_there = |file: &String| {
            let own = text_file::read_text(&self.paths.root.join(file), text_file::LARGEST_WRITTEN);
            own.is_ok_and(|own| plain(&own) == plain(&base.text(self.git, file)))
        };
        let (there, missing): (BTreeSet<String>, BTreeSet<String>) = added.into_iter().partition(is_there);
        let branch = self.base.unwrap_or("the base branch");
        news.waits = !missing.is_empty();
        news.notes.extend(missing.iter().map(|file| {
            let text = format!("{file} waits until it is on {branch} as it is here: push or merge it");
            (NoticeLevel::Info, text)
        }));
        Ok(there)
    }

    /// Compares the queue with the board, without PRDs that were neither added nor begun before, by the choices that the run began with.
    fn compare(
        &self,
        read: &ReadPlan,
        added: &BTreeSet<String>,
        run: &QueueRun,
        tasks: &PlanTasks,
    ) -> Result<PlanDifference, Cause> {
        let root = &self.paths.root;
        let rows = PlanRows::on_board(&read.plan, tasks);
        let is_added = |file: &Path| added.contains(&in_project(&root.join(file), root));
        let left_out = read
            .plan
            .items
            .iter()
            .filter(|item| rows.task_of(item).is_none() && !item.file.as_deref().is_some_and(is_added));
        let last = rows.tasks.values().max_by_key(|task| task.created_at);
        let wishes = PlanWishes {
            choices: PlanChoices {
                done: left_out.map(|item| item.id.clone()).collect(),
                asks: rows.tasks.values().all(|task| task.needs_approval),
                ..PlanChoices::default()
            },
            options: run.options,
            model: last.and_then(|task| task.agent.model.clone()),
            ..PlanWishes::default()
        };
        let project = PlanProject {
            root,
            is_claude: PlanSetup::read(self.paths).works_with_claude(read.plan.kind),
        };
        reconcile(read, &rows, &tasks.keys().cloned().collect(), &wishes, project)
    }
}

impl QueueRun {
    fn has(&self, task: &Task) -> bool {
        let tests = task.plan.as_ref().and_then(|plan| plan.tests.as_ref());
        task.batch == self.batch && tests.is_some_and(|tests| tests.prds == self.folder)
    }
}

/// Returns true if stories that are still open would no longer be in the plan: it names them otherwise now.
fn changes_others(found: &PlanDifference, tasks: &PlanTasks) -> bool {
    let is_over = |state: &TaskState| {
        matches!(
            state,
            TaskState::Done | TaskState::Cancelled | TaskState::Skipped(_)
        )
    };
    let mut gone = found.changes.gone.iter().filter_map(|id| tasks.get(id));
    gone.any(|task| !is_over(&task.state))
}
