//! The tasks of a design before its plan: one for each document, which is checked before it is taken.

use std::path::PathBuf;
use std::process::ExitCode;

use sha2::{Digest as _, Sha256};

use super::Conversion;
use super::step_texts::{self, StepText};
use crate::adapters::child_process::own_program;
use crate::adapters::output;
use crate::adapters::project::hex;
use crate::cli::args::WriterArgs;
use crate::cli::commands::plans::headless::{RunFollower, StartServer};
use crate::cli::commands::plans::{documents, graphs, shown};
use crate::cli::commands::show::EventCursor;
use crate::config::project_paths::ProjectPaths;
use crate::domain::task::GateCommand;
use crate::domain::{
    AgentSettings, BatchId, Command, RunOptions, RunState, Task, TaskDraft, TaskId, TaskState,
};
use crate::formats::design;

/// Maximum length of the part of an id that names a design, and the part of a longer name that is kept in it. An id has 48 characters at
/// most.
const LONGEST_KEY: usize = 20;
const KEPT: usize = 11;

/// The workflow of the steps before the plan.
const WORKFLOW: &str = "design";

/// Document for an agent to write.
pub(super) struct DesignStep {
    pub(super) task: TaskId,
    pub(super) stage: &'static str,
    pub(super) file: String,
    pub(super) text: StepText,
    /// The model of the step, where Claude does the work.
    pub(super) model: &'static str,
    pub(super) deps: Vec<TaskId>,
}

/// Result of a step.
pub(super) enum StepEnd {
    /// The document that was checked.
    Made(String),
    /// Reason why there is no document.
    Missing(String),
}

/// Results of several steps, or the code to end with because they need a person.
pub(super) type StepEnds = Result<Vec<StepEnd>, ExitCode>;

/// The tasks of a design before its plan, and the job they belong to.
pub(super) struct DesignTasks<'a> {
    pub(super) job: &'a Conversion<'a>,
    pub(super) wanted: &'a WriterArgs,
    pub(super) serve: StartServer<'a>,
}

impl DesignTasks<'_> {
    /// Puts steps on the board unless they are there, waits until they are over, and takes their documents.
    pub(super) fn carry_out(&self, name: &str, steps: &[DesignStep]) -> Result<StepEnds, String> {
        let batch = BatchId::new(self.task(name).as_str());
        let place = self.job.place;
        let mut events = EventCursor::new(place.store.clone());
        events.print_new(self.wanted.json, &|_old| false)?;
        self.put(&batch, steps)?;
        if !self.all_over(steps)? {
            let mut follower =
                RunFollower::new(place, &batch, (events, self.wanted.output, self.wanted.json));
            let Some(found) = follower.until_still(self.serve)? else {
                // The output has no reader any more.
                return Ok(Err(ExitCode::SUCCESS));
            };
            let is_over = matches!(
                found.run.state,
                RunState::Completed | RunState::CompletedWithFailures
            );
            if !is_over {
                return Ok(Err(ExitCode::from(follower.finish(&found)?)));
            }
        }
        let ends = steps.iter().map(|step| self.end(step));
        ends.collect::<Result<Vec<_>, String>>().map(Ok)
    }

    fn put(&self, batch: &BatchId, steps: &[DesignStep]) -> Result<(), String> {
        let mut drafts = Vec::new();
        for step in steps {
            if self.job.access()?.task(&step.task)?.is_none() {
                drafts.push(self.draft(batch, step));
            }
        }
        if !drafts.is_empty() {
            self.job.execute(Command::PutBatch {
                id: batch.clone(),
                title: format!("Design of {}: {}", self.job.feature, batch.as_str()),
                goal: "documents that a graph plan is made of".to_owned(),
                base: None,
                options: RunOptions::default(),
            })?;
            self.job.execute(Command::CreateAll(drafts))?;
        }
        let mut held_back = Vec::new();
        for step in steps {
            let found = self.job.access()?.task(&step.task)?;
            if found.is_some_and(|detail| detail.task.state == TaskState::Backlog) {
                held_back.push(step.task.clone());
            }
        }
        if held_back.is_empty() {
            return Ok(());
        }
        self.job.execute(Command::Release(held_back))
    }

    fn draft(&self, batch: &BatchId, step: &DesignStep) -> TaskDraft {
        let of = (self.wanted, WORKFLOW, step.stage);
        TaskDraft {
            batch: batch.clone(),
            workflow: WORKFLOW.into(),
            stage: Some(step.stage.into()),
            body: step.text.body.clone(),
            gates: vec![GateCommand {
                name: "document".to_owned(),
                command: own_program(&step_texts::check(&step.file)),
            }],
            agent: Box::new(AgentSettings {
                agent: self.wanted.agent.clone(),
                model: model(self.job.place, of, step.model),
                ..AgentSettings::default()
            }),
            deps: step.deps.iter().cloned().collect(),
            ..TaskDraft::new(step.task.as_str(), step.text.title.clone())
        }
    }

    fn all_over(&self, steps: &[DesignStep]) -> Result<bool, String> {
        for step in steps {
            let found = self.job.access()?.task(&step.task)?;
            if !found.is_some_and(|detail| detail.task.state.is_terminal()) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the result of a step that is over.
    fn end(&self, step: &DesignStep) -> Result<StepEnd, String> {
        let Some(detail) = self.job.access()?.task(&step.task)? else {
            return Ok(StepEnd::Missing(
                "its task is not on the board any more".to_owned(),
            ));
        };
        let task: &Task = &detail.task;
        if task.state != TaskState::Done {
            return Ok(StepEnd::Missing(shown::standing_of(task)));
        }
        let file = PathBuf::from(&step.file);
        let text = match self.job.file_of(task, &file) {
            Ok(text) => text,
            Err(why) => return Ok(StepEnd::Missing(format!("{}: {why}", step.file))),
        };
        let kind = design::DesignDocument::of(&file);
        let findings = kind.map_or_else(Vec::new, |kind| design::findings(kind, &file, &text));
        // It was checked before it was done, unless the project's own workflow leaves that out.
        if findings.iter().any(crate::formats::finding::Finding::is_error) {
            for line in documents::lines(&findings) {
                output::problem(&line);
            }
            return Ok(StepEnd::Missing(format!("{} has errors", step.file)));
        }
        Ok(StepEnd::Made(text))
    }

    pub(super) fn file(&self, name: &str) -> String {
        format!("plans/{}/{name}", self.job.slug)
    }

    pub(super) fn task(&self, name: &str) -> TaskId {
        step_id(name, &self.job.slug)
    }
}

/// Returns the id of a step of a design. The part that tells it from others comes first, where the board shows it, and the dot occurs
/// neither in the name of a step nor in that of a design, so that no two steps have the same id.
pub(super) fn step_id(name: &str, slug: &str) -> TaskId {
    let key = if slug.len() <= LONGEST_KEY {
        slug.to_owned()
    } else {
        let digest = hex(&Sha256::digest(slug));
        let (begin, end) = (
            slug.get(..KEPT).unwrap_or_default(),
            digest.get(..8).unwrap_or_default(),
        );
        format!("{}-{end}", begin.trim_end_matches('-'))
    };
    TaskId::new(format!("{name}.{key}"))
}

impl Conversion<'_> {
    /// Closes the tasks without a result: the plan was made without them, so they do not need a person any more.
    pub(super) fn close_missing(&self) -> Result<(), String> {
        for id in &self.design.missing {
            let known = self.access()?.task(id)?;
            if known.is_some_and(|detail| matches!(detail.task.state, TaskState::Failed(_))) {
                let why = "the plan was made without it".to_owned();
                self.execute(Command::Close(id.clone(), why))?;
            }
        }
        Ok(())
    }

    /// Closes the task of a plan that was made according to the analysis, once a person overrules it.
    pub(super) fn close_first(&self) -> Result<(), String> {
        let first = self.first_id();
        if first == self.id() {
            return Ok(());
        }
        match self.access()?.task(&first)? {
            Some(known) if !known.task.state.is_terminal() => {
                let why = format!("designed again as {}", self.id());
                self.execute(Command::Close(first, why))
            }
            _ => Ok(()),
        }
    }
}

/// Returns the model of an agent: the one the person named, or the one that suits the work where Claude does it.
pub(super) fn model(
    place: &ProjectPaths,
    (wanted, workflow, stage): (&WriterArgs, &str, &str),
    hint: &str,
) -> Option<String> {
    let is_claude = match wanted.agent.as_deref() {
        Some(agent) => agent == "claude",
        None => graphs::is_claude(place, (workflow, Some(stage))),
    };
    let hint = || is_claude.then(|| hint.to_owned());
    wanted.model.clone().or_else(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_step_is_short_enough_for_every_name_and_tells_designs_apart() {
        assert_eq!(
            step_id("analysis", "export-invoices").as_str(),
            "analysis.export-invoices"
        );
        let expert = format!("expert-{}", "x".repeat(20));
        let long = |end: &str| step_id(&expert, &format!("let-people-export-their-invoices-{end}"));
        assert_eq!(long("a"), long("a"));
        assert_ne!(long("a"), long("b"));
        assert!(
            long("a").as_str().starts_with(&format!("{expert}.let-people-")),
            "{}",
            long("a")
        );
        for slug in ["s".repeat(20), "s".repeat(21), "s".repeat(40)] {
            assert!(step_id(&expert, &slug).as_str().len() <= 48, "{slug}");
        }
    }
}
