//! The built-in demo: its scenario, its tasks, the project they start from, and the tree they must end in. The expected
//! tree is computed from the scenario itself, so that the two cannot disagree.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;

use serde::Deserialize;

use super::error::RehearsalError;
use super::files;
use crate::formats::scenario::{AttemptContext, Scenario, ScenarioPart, ScenarioStep, StepAction, read};

/// Batch, tasks and initial files of the built-in demo.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DemoPlan {
    pub title: String,
    pub goal: String,
    #[serde(rename = "file")]
    pub files: Vec<SeedFile>,
    /// The tasks, most urgent first.
    #[serde(rename = "task")]
    pub tasks: Vec<DemoTask>,
}

/// Path and content of a file in the demo project's first commit.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeedFile {
    /// Path in the tree, with `/`.
    pub path: String,
    pub text: String,
}

/// A task of the built-in demo.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DemoTask {
    /// Id, such as `knot-1`.
    pub id: String,
    pub title: String,
    /// What is to be done, as the prompt of an agent has it.
    pub body: String,
    /// Ids of tasks that must be done first.
    #[serde(default)]
    pub deps: Vec<String>,
    /// Such as `security`.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The stage it starts in; the workflow's entry when empty.
    #[serde(default)]
    pub stage: Option<String>,
}

/// The text of the built-in scenario, for people who want to read or change it.
pub fn demo_scenario_text() -> &'static str {
    include_str!("../../../assets/rehearsal/demo.toml")
}

/// The built-in scenario.
///
/// # Errors
/// When the embedded text is not a scenario; a test keeps that from being shipped.
pub fn demo_scenario() -> Result<Scenario, RehearsalError> {
    let (scenario, diagnostics) = read(Path::new("demo.toml"), demo_scenario_text());
    scenario.ok_or_else(|| embedded(diagnostics.first().map(ToString::to_string).unwrap_or_default()))
}

/// The tasks of the demo and the project they start from.
///
/// # Errors
/// When the embedded text is not a task sheet; a test keeps that from being shipped.
pub fn demo_tasks() -> Result<DemoPlan, RehearsalError> {
    let text = include_str!("../../../assets/rehearsal/demo-tasks.toml");
    toml_edit::de::from_str(text).map_err(embedded)
}

/// The tree the demo must end in: path and content of every file of the base branch.
///
/// # Errors
/// When the embedded texts do not fit together; a test keeps that from being shipped.
pub fn expected_tree() -> Result<BTreeMap<String, String>, RehearsalError> {
    let (scenario, sheet) = (demo_scenario()?, demo_tasks()?);
    let files = sheet.files.into_iter().map(|file| (file.path, file.text));
    let mut tree: BTreeMap<String, String> = files.collect();
    let mut open = sheet.tasks;
    let mut done: Vec<String> = Vec::new();
    while !open.is_empty() {
        let is_next = |task: &DemoTask| task.deps.iter().all(|dep| done.contains(dep));
        let next = open.iter().position(is_next);
        let next = next.ok_or_else(|| embedded("the tasks wait for each other"))?;
        let task = open.remove(next);
        if let Some(part) = last_development(&scenario, &task) {
            work(&mut tree, &part.steps)?;
        }
        done.push(task.id);
    }
    Ok(tree)
}

/// The part that finishes the development of a task: the one a late attempt plays.
fn last_development<'s>(scenario: &'s Scenario, task: &DemoTask) -> Option<&'s ScenarioPart> {
    let development = task.stage.as_ref().is_none_or(|stage| stage == "development");
    let now = AttemptContext {
        stage: "development",
        role: "developer",
        task: &task.id,
        title: &task.title,
        tags: &task.tags,
        number: u32::MAX,
        mode: "fresh",
    };
    scenario.part(&now).filter(|_| development)
}

fn work(tree: &mut BTreeMap<String, String>, steps: &[ScenarioStep]) -> Result<(), RehearsalError> {
    for step in steps {
        match &step.action {
            StepAction::Write { path, text, append } => {
                let file = tree.entry(path.clone()).or_default();
                if !append {
                    file.clear();
                }
                file.push_str(text);
            }
            StepAction::Replace { path, edits } => {
                let before = tree.get(path).map_or("", String::as_str);
                let (after, _) = files::edited(before, edits)
                    .ok_or_else(|| RehearsalError::NoSuchLine { path: path.clone() })?;
                tree.insert(path.clone(), after);
            }
            StepAction::Remove(path) => drop(tree.remove(path)),
            _ => {}
        }
    }
    Ok(())
}

fn embedded(why: impl Display) -> RehearsalError {
    RehearsalError::system("read the built-in demo")(why)
}
