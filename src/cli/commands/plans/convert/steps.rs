//! `dbs design`: the steps from a goal to a graph plan (G8 to G18). An agent analyses the goal; where it is not small, experts look at
//! parts of it, and where it is large a critic reviews their reports. Each step is a batch of its own, so that the batch itself reports its
//! end. The same command continues where it was left.

use std::path::Path;
use std::process::ExitCode;

use super::so_far::DesignSoFar;
use super::step_tasks::{DesignStep, DesignTasks, StepEnd};
use super::step_texts;
use super::{BESIDE_TEXT, MadeForm, Material, made_of, text_of};
use crate::cli::args::DesignArgs;
use crate::cli::commands::CommandResult;
use crate::cli::commands::plans::headless::StartServer;
use crate::cli::failure::could_not;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::domain::TaskId;
use crate::formats::design::{
    self, ANALYSIS_FILE, CRITIQUE_FILE, Complexity, Critique, ExpertBrief, ExpertKind, GoalAnalysis,
};
use crate::formats::prompt::MAX_PROMPT_BYTES;

/// Most bytes of a goal.
const LARGEST_GOAL: usize = 12 * 1024;
// With all findings on it, it must fit into one prompt: an analysis, the reports of all experts and a critique.
const _: () =
    assert!((2 + design::MOST_EXPERTS) * design::MOST_BYTES + LARGEST_GOAL + BESIDE_TEXT <= MAX_PROMPT_BYTES);
/// Maximum characters of a goal that its tasks are named after.
const LONGEST_NAME: usize = 60;

/// Has a graph plan written for a goal, and puts it in its place where a person says yes to it (G1).
///
/// # Errors
/// The failure, for people.
pub fn design(edge: &ProcessEnv, wanted: &DesignArgs, serve: StartServer<'_>) -> CommandResult {
    let place = ProjectPaths::find(&edge.folder, edge).map_err(could_not)?;
    let name = wanted.writer.name.as_deref();
    let failed = |why: &dyn std::fmt::Display| format!("could not design: {why}");
    let text = match wanted.goal.as_str() {
        "-" => text_of(Path::new("-"), name).map_err(|why| failed(&why))?,
        goal if goal.trim().is_empty() => return Err(failed(&"say what is wanted").into()),
        goal => goal.to_owned(),
    };
    if text.len() > LARGEST_GOAL {
        return Err(failed(&format!(
            "the goal has {} bytes and may have {LARGEST_GOAL}; put the rest into a file of the project, and name it",
            text.len()
        ))
        .into());
    }
    let material = Material {
        tried: "design".to_owned(),
        feature: name.map_or_else(|| short(&text), ToOwned::to_owned),
        text,
        complexity: wanted.complexity.as_deref().and_then(Complexity::named),
    };
    made_of(
        (edge, &place),
        (&material, MadeForm::Graph),
        &wanted.writer,
        serve,
    )
}

/// Returns the first line of a goal, as far as it makes a name.
fn short(goal: &str) -> String {
    let first = goal.trim().lines().next().unwrap_or_default();
    first.chars().take(LONGEST_NAME).collect()
}

/// The steps before a plan.
pub(super) struct DesignSteps<'a> {
    pub(super) tasks: DesignTasks<'a>,
    pub(super) material: &'a Material,
}

impl DesignSteps<'_> {
    /// Takes the steps that are left; returns the exit code where a person has to do something first.
    pub(super) fn take(&self) -> Result<Result<DesignSoFar, ExitCode>, String> {
        let mut so_far = DesignSoFar::default();
        // A plan that was written already by an agent alone.
        let mut access = self.tasks.job.access()?;
        if access.task(&self.tasks.task("analysis"))?.is_none()
            && access.task(&self.tasks.job.first_id())?.is_some()
        {
            return Ok(Ok(so_far));
        }
        let analysis = match self.analysis(&mut so_far)? {
            Ok(analysis) => analysis,
            Err(code) => return Ok(Err(code)),
        };
        let Some(analysis) = analysis else {
            return Ok(Ok(so_far));
        };
        let complexity = self.material.complexity.or(analysis.complexity);
        so_far.is_overruled = complexity != analysis.complexity;
        so_far.complexity = complexity;
        if complexity == Some(Complexity::Minimal) {
            return Ok(Ok(so_far));
        }
        let reports = match self.reports(&analysis, &mut so_far)? {
            Ok(reports) => reports,
            Err(code) => return Ok(Err(code)),
        };
        if complexity == Some(Complexity::Full)
            && !reports.is_empty()
            && let Err(code) = self.critique(&reports, &mut so_far)?
        {
            return Ok(Err(code));
        }
        Ok(Ok(so_far))
    }

    /// Returns the analysis of the goal; nothing where there is none (G18).
    fn analysis(&self, so_far: &mut DesignSoFar) -> Result<Result<Option<GoalAnalysis>, ExitCode>, String> {
        let file = self.tasks.file(ANALYSIS_FILE);
        let step = DesignStep {
            task: self.tasks.task("analysis"),
            stage: "analysis",
            text: step_texts::analysis(self.tasks.job, (&self.material.text, &file)),
            file: file.clone(),
            model: "opus",
            deps: Vec::new(),
        };
        let end = match self.tasks.carry_out("analysis", std::slice::from_ref(&step))? {
            Ok(mut ends) => ends.pop(),
            Err(code) => return Ok(Err(code)),
        };
        let text = match end {
            Some(StepEnd::Made(text)) => text,
            Some(StepEnd::Missing(why)) => {
                so_far.misses(&step.task, &format!("no analysis: {why}"));
                return Ok(Ok(None));
            }
            None => return Ok(Ok(None)),
        };
        let analysis = design::read_analysis(Path::new(&file), &text).document;
        let complexity = analysis.complexity.map_or("", Complexity::word);
        so_far.note(&format!(
            "analysis: {complexity}; {}",
            analysis.complexity_rationale
        ));
        so_far.told.push(("Analysis".to_owned(), design::told(&analysis)));
        so_far.documents.insert(ANALYSIS_FILE.into(), text);
        Ok(Ok(Some(analysis)))
    }

    /// Has experts look at the goal; returns the tasks of those with a report. Experts without one are noted.
    fn reports(
        &self,
        analysis: &GoalAnalysis,
        so_far: &mut DesignSoFar,
    ) -> Result<Result<Vec<TaskId>, ExitCode>, String> {
        let team = match analysis.recommended_team.as_slice() {
            [] => default_team(),
            team => team.to_vec(),
        };
        let told = design::told(analysis);
        let step = |expert: &ExpertBrief| {
            let file = self.tasks.file(&design::report_file(&expert.name));
            DesignStep {
                task: self.tasks.task(&format!("expert-{}", expert.name)),
                stage: "expert",
                text: step_texts::report(self.tasks.job, (expert, &file), (&self.material.text, &told)),
                file,
                model: expert.model.unwrap_or("sonnet"),
                deps: vec![self.tasks.task("analysis")],
            }
        };
        let steps: Vec<DesignStep> = team.iter().map(step).collect();
        let ends = match self.tasks.carry_out("experts", &steps)? {
            Ok(ends) => ends,
            Err(code) => return Ok(Err(code)),
        };
        let mut reports = Vec::new();
        for ((expert, step), end) in team.iter().zip(&steps).zip(ends) {
            let name = &expert.name;
            match end {
                StepEnd::Made(text) => {
                    let report = design::read_report(Path::new(&step.file), &text).document;
                    so_far.note(&format!("expert {name}: {}", expert.role));
                    so_far
                        .told
                        .push((format!("Report of the expert {name}"), design::told(&report)));
                    so_far.documents.insert(design::report_file(name).into(), text);
                    reports.push(step.task.clone());
                }
                StepEnd::Missing(why) => {
                    so_far.misses(&step.task, &format!("no report of the expert {name}: {why}"));
                }
            }
        }
        Ok(Ok(reports))
    }

    /// Has a critic review the reports.
    fn critique(&self, reports: &[TaskId], so_far: &mut DesignSoFar) -> Result<Result<(), ExitCode>, String> {
        let file = self.tasks.file(CRITIQUE_FILE);
        let step = DesignStep {
            task: self.tasks.task("critique"),
            stage: "critique",
            text: step_texts::critique(self.tasks.job, (&self.material.text, &file), &so_far.told),
            file: file.clone(),
            model: "opus",
            deps: reports.to_vec(),
        };
        let end = match self.tasks.carry_out("critique", std::slice::from_ref(&step))? {
            Ok(mut ends) => ends.pop(),
            Err(code) => return Ok(Err(code)),
        };
        match end {
            Some(StepEnd::Made(text)) => {
                let critique = design::read_critique(Path::new(&file), &text).document;
                so_far.note(&critique_note(&critique));
                so_far.answers = critique.to_answer().map(|one| one.id.clone()).collect();
                so_far.told.push(("Critique".to_owned(), design::told(&critique)));
                so_far.documents.insert(CRITIQUE_FILE.into(), text);
            }
            Some(StepEnd::Missing(why)) => so_far.misses(&step.task, &format!("no critique: {why}")),
            None => {}
        }
        Ok(Ok(()))
    }
}

fn critique_note(critique: &Critique) -> String {
    let verdict = critique.verdict.map_or("", design::CritiqueVerdict::word);
    let weighty: Vec<String> = critique
        .to_answer()
        .map(|one| format!("{} ({})", one.id, one.severity.word()))
        .collect();
    if weighty.is_empty() {
        return format!("critique: {verdict}");
    }
    format!("critique: {verdict}; the plan answers {}", weighty.join(", "))
}

/// Returns the experts for a goal whose analysis names none.
fn default_team() -> Vec<ExpertBrief> {
    vec![
        ExpertBrief {
            name: "codebase".to_owned(),
            role: "knows the project".to_owned(),
            kind: ExpertKind::Scanner,
            model: Some("sonnet"),
            mandate: "Everything in the project that the goal touches: files, tests, customs, and what depends on them."
                .to_owned(),
        },
        ExpertBrief {
            name: "approach".to_owned(),
            role: "decides how the goal is reached".to_owned(),
            kind: ExpertKind::Architect,
            model: Some("opus"),
            mandate: "How the goal is reached: the approach that the analysis recommends against others, and how the work is cut into tasks."
                .to_owned(),
        },
    ]
}
