//! Texts for the agents that make a plan: what to write, its form, and the findings of others before them. The way they work is described in
//! the procedures of their roles.

use serde_json::{Value, json};

use super::PlanMaking;
use crate::domain::Cause;
use crate::formats::prompt::{fenced_whole, fill};

pub(super) const ANALYSIS: &str = include_str!("../../../assets/plans/goal-analysis.json");
/// Team where the analysis recommends none.
pub(super) const TEAM: &str = include_str!("../../../assets/plans/making/team.json");
pub(super) const REPORT: &str = include_str!("../../../assets/plans/expert.json");
pub(super) const CRITIQUE: &str = include_str!("../../../assets/plans/critic.json");

pub(super) const ANALYSIS_TEXT: &str = include_str!("../../../assets/plans/making/analysis.md");
pub(super) const EXPERT_TEXT: &str = include_str!("../../../assets/plans/making/expert.md");
pub(super) const CRITIQUE_TEXT: &str = include_str!("../../../assets/plans/making/critique.md");
const CHECKS_TEXT: &str = include_str!("../../../assets/plans/making/checks.md");

impl PlanMaking<'_> {
    /// Returns the checks of the project, for an agent that finds out how it is tested.
    pub(super) fn checks(&self) -> Result<String, Cause> {
        let gates = self.setup.settings.gates.iter();
        let gates =
            gates.map(|gate| json!({ "name": gate.name, "command": gate.command.replace('\n', " ") }));
        let text = fill(CHECKS_TEXT, &json!({ "gates": gates.collect::<Vec<_>>() }))?;
        Ok(text.trim_end().to_owned())
    }
}

/// Returns the findings of others, as nothing but material.
pub(super) fn told(documents: &[(String, String)]) -> Vec<Value> {
    let part = |(heading, document): &(String, String)| json!({ "heading": heading, "document": fenced_whole(document) });
    documents.iter().map(part).collect()
}

/// Returns the command that checks a document. Warnings in a newly written one can still be put right.
pub(super) fn document_check(file: &str) -> String {
    format!("audit {file} --strict")
}
