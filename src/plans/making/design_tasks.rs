//! The tasks of a design before its plan: one for each document, which is checked before it is taken.

use std::path::PathBuf;

use sha2::{Digest as _, Sha256};

use super::texts::document_check;
use super::{DesignSoFar, PlanMaking};
use crate::adapters::child_process::own_program;
use crate::domain::task::GateCommand;
use crate::domain::{AgentSettings, Cause, Command, Task, TaskDraft, TaskId, TaskState};
use crate::formats::design;
use crate::plans::shown;

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
    pub(super) title: String,
    pub(super) body: String,
    pub(super) file: String,
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

/// Reason why the steps after one are not known yet.
pub(super) enum PendingStep {
    /// The step is to be taken.
    Ask(Vec<Command>),
    /// The step is not over.
    Wait,
    /// The step cannot be taken; why, for people.
    Fault(String),
}

impl From<String> for PendingStep {
    fn from(why: String) -> PendingStep {
        PendingStep::Fault(why)
    }
}

impl From<Cause> for PendingStep {
    fn from(why: Cause) -> PendingStep {
        PendingStep::Fault(why.text)
    }
}

impl PlanMaking<'_> {
    /// Returns the result of a single step, like [`PlanMaking::ends`].
    pub(super) fn end_of(&self, step: &DesignStep, so_far: &mut DesignSoFar) -> Result<StepEnd, PendingStep> {
        let mut ends = self.ends(std::slice::from_ref(step), so_far)?;
        ends.pop().ok_or(PendingStep::Wait)
    }

    /// Returns the results of steps that are taken at the same time.
    ///
    /// # Errors
    /// The commands that put them on the board, or that they are not over.
    pub(super) fn ends(
        &self,
        steps: &[DesignStep],
        so_far: &mut DesignSoFar,
    ) -> Result<Vec<StepEnd>, PendingStep> {
        let missing = steps.iter().filter(|step| self.task(&step.task).is_none());
        let drafts: Vec<TaskDraft> = missing.map(|step| self.draft(step)).collect();
        let waits = |step: &&DesignStep| {
            let task = self.task(&step.task);
            task.is_none_or(|task| task.state == TaskState::Backlog)
        };
        let held_back: Vec<TaskId> = steps.iter().filter(waits).map(|step| step.task.clone()).collect();
        if !held_back.is_empty() {
            let create = (!drafts.is_empty()).then_some(Command::CreateAll(drafts));
            let commands = create.into_iter().chain([Command::Release(held_back)]);
            return Err(PendingStep::Ask(commands.collect()));
        }
        let tasks: Vec<(&DesignStep, &Task)> = steps
            .iter()
            .filter_map(|step| Some((step, self.task(&step.task)?.as_ref())))
            .collect();
        if !tasks.iter().all(|(_, task)| task.state.is_terminal()) {
            return Err(PendingStep::Wait);
        }
        Ok(tasks
            .into_iter()
            .map(|(step, task)| self.end(step, task, so_far))
            .collect())
    }

    fn draft(&self, step: &DesignStep) -> TaskDraft {
        TaskDraft {
            batch: self.name.batch(),
            workflow: WORKFLOW.into(),
            stage: Some(step.stage.into()),
            body: step.body.clone(),
            gates: vec![GateCommand {
                name: "document".to_owned(),
                command: own_program(&document_check(&step.file)),
            }],
            agent: Box::new(AgentSettings {
                agent: self.job.agent.clone(),
                model: self.model(WORKFLOW, step.stage, step.model),
                ..AgentSettings::default()
            }),
            deps: step.deps.iter().cloned().collect(),
            ..TaskDraft::new(step.task.as_str(), step.title.clone())
        }
    }

    /// Returns the result of a step that is over.
    fn end(&self, step: &DesignStep, task: &Task, so_far: &mut DesignSoFar) -> StepEnd {
        if task.state != TaskState::Done {
            return StepEnd::Missing(shown::standing_of(task));
        }
        let file = PathBuf::from(&step.file);
        let text = match (self.open)(task, &file) {
            Ok(text) => text,
            Err(why) => return StepEnd::Missing(format!("{}: {why}", step.file)),
        };
        let kind = design::DesignDocument::of(&file);
        let findings = kind.map_or_else(Vec::new, |kind| design::findings(kind, &file, &text));
        // It was checked before it was done, unless the project's own workflow leaves that out.
        if findings.iter().any(crate::formats::finding::Finding::is_error) {
            so_far.problems.extend(shown::finding_lines(&findings));
            return StepEnd::Missing(format!("{} has errors", step.file));
        }
        StepEnd::Made(text)
    }

    /// Returns the path of a document, from the root of the project.
    pub(super) fn document(&self, name: &str) -> String {
        format!("plans/{}/{name}", self.name.slug)
    }

    /// Returns the task of the step of that name.
    pub(super) fn step_task(&self, name: &str) -> TaskId {
        step_id(name, &self.name.slug)
    }
}

/// Returns the id of a step of a design. The part that tells it from others comes first, where the board shows it, and the dot occurs
/// neither in the name of a step nor in that of a design, so that no two steps have the same id.
pub(super) fn step_id(name: &str, slug: &str) -> TaskId {
    let key = if slug.len() <= LONGEST_KEY {
        slug.to_owned()
    } else {
        let digest = hex::encode(Sha256::digest(slug));
        let (begin, end) = (
            slug.get(..KEPT).unwrap_or_default(),
            digest.get(..8).unwrap_or_default(),
        );
        format!("{}-{end}", begin.trim_end_matches('-'))
    };
    TaskId::new(format!("{name}.{key}"))
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
