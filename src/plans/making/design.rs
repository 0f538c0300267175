//! The steps from a goal to a graph plan (G8 to G18): an agent analyses the goal; where it is not small, experts look at parts of it, and
//! where it is large a critic reviews their reports.

use std::path::Path;

use serde_json::json;

use super::design_tasks::{DesignStep, PendingStep, StepEnd};
use super::texts::{self, ANALYSIS_TEXT, CRITIQUE_TEXT, EXPERT_TEXT, TEAM, document_check};
use super::{BESIDE_TEXT, DesignSoFar, PlanMaking};
use crate::domain::Cause;
use crate::domain::TaskId;
use crate::formats::design::{
    self, ANALYSIS_FILE, CRITIQUE_FILE, Complexity, Critique, ExpertBrief, ExpertKind, GoalAnalysis,
};
use crate::formats::prompt::{MAX_PROMPT_BYTES, fenced_whole, fill};

/// Maximum characters of a goal that its tasks are named after.
const LONGEST_NAME: usize = 60;
/// Maximum number of bytes of a goal.
pub const LARGEST_GOAL: usize = 12 * 1024;
// With all findings on it, it must fit into one prompt: an analysis, the reports of all experts and a critique.
const _: () =
    assert!((2 + design::MOST_EXPERTS) * design::MOST_BYTES + LARGEST_GOAL + BESIDE_TEXT <= MAX_PROMPT_BYTES);

/// Returns the first line of a goal, as far as it makes a name.
pub fn goal_name(goal: &str) -> String {
    let first = goal.trim().lines().next().unwrap_or_default();
    first.chars().take(LONGEST_NAME).collect()
}

impl PlanMaking<'_> {
    /// Returns what the steps before a plan have brought.
    ///
    /// # Errors
    /// The step that is to be taken, or waited for.
    pub(super) fn designed(&self) -> Result<DesignSoFar, PendingStep> {
        let mut so_far = DesignSoFar::default();
        // A plan that was written already by an agent alone.
        if self.task(&self.step_task("analysis")).is_none() && self.task(&self.name.task()).is_some() {
            return Ok(so_far);
        }
        let Some(analysis) = self.analysis(&mut so_far)? else {
            return Ok(so_far);
        };
        let complexity = self.complexity().or(analysis.complexity);
        so_far.is_overruled = complexity != analysis.complexity;
        so_far.complexity = complexity;
        if let Some(close) = self.closing_first(&self.writer(&so_far)) {
            return Err(PendingStep::Ask(vec![close]));
        }
        if complexity == Some(Complexity::Minimal) {
            return Ok(so_far);
        }
        let reports = self.reports(&analysis, &mut so_far)?;
        if complexity == Some(Complexity::Full) && !reports.is_empty() {
            self.critique(&reports, &mut so_far)?;
        }
        Ok(so_far)
    }

    /// Returns the analysis of the goal; `None` if there is none (G18).
    fn analysis(&self, so_far: &mut DesignSoFar) -> Result<Option<GoalAnalysis>, PendingStep> {
        let file = self.document(ANALYSIS_FILE);
        let step = DesignStep {
            task: self.step_task("analysis"),
            stage: "analysis",
            title: format!("Analyse {}", self.name.feature),
            body: fill(
                ANALYSIS_TEXT,
                &json!({
                    "file": file, "check": document_check(&file), "form": fenced_whole(texts::ANALYSIS),
                    "checks": self.checks()?, "goal": fenced_whole(&self.job.text),
                }),
            )?,
            file: file.clone(),
            model: "opus",
            deps: Vec::new(),
        };
        let text = match self.end_of(&step, so_far)? {
            StepEnd::Made(text) => text,
            StepEnd::Missing(why) => {
                so_far.misses(&step.task, &format!("no analysis: {why}"));
                return Ok(None);
            }
        };
        let analysis = design::read_analysis(Path::new(&file), &text).document;
        let complexity = analysis.complexity.map_or("", Into::into);
        so_far.note(&format!(
            "analysis: {complexity}; {}",
            analysis.complexity_rationale
        ));
        so_far.told.push(("Analysis".to_owned(), design::told(&analysis)));
        so_far.documents.insert(ANALYSIS_FILE.into(), text);
        Ok(Some(analysis))
    }

    /// Has experts look at the goal; returns the tasks of those with a report. Experts without one are noted.
    fn reports(&self, analysis: &GoalAnalysis, so_far: &mut DesignSoFar) -> Result<Vec<TaskId>, PendingStep> {
        let team = match analysis.recommended_team.as_slice() {
            [] => default_team(),
            team => team.to_vec(),
        };
        let told = design::told(analysis);
        let steps = team.iter().map(|expert| self.expert_step(expert, &told));
        let steps: Vec<DesignStep> = steps.collect::<Result<_, Cause>>()?;
        let mut reports = Vec::new();
        for ((expert, step), end) in team.iter().zip(&steps).zip(self.ends(&steps, so_far)?) {
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
        Ok(reports)
    }

    /// Returns the order to an expert (G13, G14), with the goal and its analysis.
    fn expert_step(&self, expert: &ExpertBrief, told: &str) -> Result<DesignStep, Cause> {
        let ExpertBrief {
            name, role, mandate, ..
        } = expert;
        let file = self.document(&design::report_file(name));
        Ok(DesignStep {
            task: self.step_task(&format!("expert-{name}")),
            stage: "expert",
            title: format!("Expert {name} on {}", self.name.feature),
            body: fill(
                EXPERT_TEXT,
                &json!({
                    "name": name, "file": file, "check": document_check(&file), "form": fenced_whole(texts::REPORT),
                    "is_scanner": expert.kind == ExpertKind::Scanner,
                    "brief": fenced_whole(&format!("Role: {role}\nMandate: {mandate}")),
                    "goal": fenced_whole(&self.job.text), "analysis": fenced_whole(told),
                }),
            )?,
            file,
            model: expert.model.unwrap_or("sonnet"),
            deps: vec![self.step_task("analysis")],
        })
    }

    /// Has a critic review the reports (G16).
    fn critique(&self, reports: &[TaskId], so_far: &mut DesignSoFar) -> Result<(), PendingStep> {
        let file = self.document(CRITIQUE_FILE);
        let step = DesignStep {
            task: self.step_task("critique"),
            stage: "critique",
            title: format!("Critique of {}", self.name.feature),
            body: fill(
                CRITIQUE_TEXT,
                &json!({
                    "file": file, "check": document_check(&file), "form": fenced_whole(texts::CRITIQUE),
                    "goal": fenced_whole(&self.job.text), "told": texts::told(&so_far.told),
                }),
            )?,
            file: file.clone(),
            model: "opus",
            deps: reports.to_vec(),
        };
        match self.end_of(&step, so_far)? {
            StepEnd::Made(text) => {
                let critique = design::read_critique(Path::new(&file), &text).document;
                so_far.note(&critique_note(&critique));
                so_far.answers = critique.to_answer().map(|one| one.id.clone()).collect();
                so_far.told.push(("Critique".to_owned(), design::told(&critique)));
                so_far.documents.insert(CRITIQUE_FILE.into(), text);
            }
            StepEnd::Missing(why) => so_far.misses(&step.task, &format!("no critique: {why}")),
        }
        Ok(())
    }
}

fn critique_note(critique: &Critique) -> String {
    let verdict = critique.verdict.map_or("", Into::into);
    let weighty: Vec<String> = critique
        .to_answer()
        .map(|one| format!("{} ({})", one.id, one.severity))
        .collect();
    if weighty.is_empty() {
        return format!("critique: {verdict}");
    }
    format!("critique: {verdict}; the plan answers {}", weighty.join(", "))
}

/// Returns the experts for a goal whose analysis names none.
fn default_team() -> Vec<ExpertBrief> {
    design::read_analysis(Path::new("team.json"), TEAM)
        .document
        .recommended_team
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_team_of_an_analysis_that_recommends_none_is_a_scanner_and_an_architect() {
        let team = default_team();
        let kinds: Vec<ExpertKind> = team.iter().map(|expert| expert.kind).collect();
        assert_eq!(kinds, [ExpertKind::Scanner, ExpertKind::Architect]);
        assert!(
            team.iter()
                .all(|expert| !expert.mandate.is_empty() && expert.model.is_some())
        );
    }
}
