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
    #[serde(default, rename = "task")]
    pub tasks: Vec<DemoTask>,
    /// Files that the engine writes, whose text is not known as a whole.
    #[serde(default, rename = "record")]
    pub records: Vec<DemoRecord>,
}

/// A file that the engine keeps in the project, and lines that it has in the end.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DemoRecord {
    /// Path in the tree, with `/`.
    pub path: String,
    pub holds: Vec<String>,
}

impl DemoRecord {
    /// The first line that a text lacks.
    pub fn missing(&self, text: &str) -> Option<&str> {
        let is_there = |wanted: &str| {
            text.lines()
                .any(|line| line.trim().trim_end_matches(',') == wanted)
        };
        let mut wanted = self.holds.iter().map(String::as_str);
        wanted.find(|wanted| !is_there(wanted))
    }
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
    /// Work to be done, as the prompt of an agent has it.
    pub body: String,
    /// Ids of tasks that must be done first.
    #[serde(default)]
    pub deps: Vec<String>,
    /// Tags such as `security`.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The stage it starts in; the workflow's entry when empty.
    #[serde(default)]
    pub stage: Option<String>,
}

/// Script of the demo: tasks of a board, the phases of a plan, or the stories of a PRD.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DemoScript {
    Tasks,
    Plan,
    Stories,
}

impl DemoScript {
    /// Returns the script that a word on the command line means, in the place of a file.
    pub fn named(name: &str) -> Option<DemoScript> {
        [DemoScript::Tasks, DemoScript::Plan, DemoScript::Stories]
            .into_iter()
            .find(|script| script.name() == name)
    }

    /// Returns that word.
    pub fn name(self) -> &'static str {
        match self {
            DemoScript::Tasks => "demo",
            DemoScript::Plan => "demo-plan",
            DemoScript::Stories => "demo-stories",
        }
    }

    /// The text of the built-in scenario, for people who want to read or change it.
    pub fn scenario_text(self) -> &'static str {
        match self {
            DemoScript::Tasks => include_str!("../../../assets/rehearsal/demo.toml"),
            DemoScript::Plan => include_str!("../../../assets/rehearsal/demo-plan.toml"),
            DemoScript::Stories => include_str!("../../../assets/rehearsal/demo-stories.toml"),
        }
    }

    /// The built-in scenario.
    ///
    /// # Errors
    /// When the embedded text is not a scenario; a test keeps that from being shipped.
    pub fn scenario(self) -> Result<Scenario, RehearsalError> {
        let (scenario, diagnostics) = read(Path::new(self.name()), self.scenario_text());
        scenario.ok_or_else(|| embedded(diagnostics.first().map(ToString::to_string).unwrap_or_default()))
    }

    /// Reads the tasks of the demo and the project they start from; the tasks of a plan are in its files.
    ///
    /// # Errors
    /// When the embedded text is not a task sheet; a test keeps that from being shipped.
    pub fn sheet(self) -> Result<DemoPlan, RehearsalError> {
        let text = match self {
            DemoScript::Tasks => include_str!("../../../assets/rehearsal/demo-tasks.toml"),
            DemoScript::Plan => include_str!("../../../assets/rehearsal/demo-plan-files.toml"),
            DemoScript::Stories => include_str!("../../../assets/rehearsal/demo-stories-files.toml"),
        };
        toml_edit::de::from_str(text).map_err(embedded)
    }

    /// The tree the demo must end in: path and content of every file of the base branch but the records of its sheet.
    ///
    /// # Errors
    /// When the embedded texts do not fit together; a test keeps that from being shipped.
    pub fn expected_tree(self) -> Result<BTreeMap<String, String>, RehearsalError> {
        let (scenario, sheet) = (self.scenario()?, self.sheet()?);
        let files = sheet.files.into_iter().map(|file| (file.path, file.text));
        let mut tree: BTreeMap<String, String> = files.collect();
        if self != DemoScript::Tasks {
            // One part for each try of each phase or story, in the order of the plan; no part writes a file that another one needs in
            // another form.
            for part in &scenario.parts {
                work(&mut tree, &part.steps)?;
            }
            archive(&mut tree);
            return Ok(tree);
        }
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
}

/// Moves each PRD to those that are done, with all of its stories passing.
fn archive(tree: &mut BTreeMap<String, String>) {
    let is_prd = |path: &String| path.starts_with("prds/");
    let prds: Vec<String> = tree.keys().filter(|path| is_prd(path)).cloned().collect();
    for path in prds {
        let text = tree.remove(&path).unwrap_or_default();
        let done = path.replacen("prds/", "prds/archive/", 1);
        tree.insert(done, text.replace("\"passes\": false", "\"passes\": true"));
    }
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
