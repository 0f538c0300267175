//! A PRD as one plain value, whichever of its dialects it is written in.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::json_findings::JsonFinding;

/// A product requirements document: the stories of one feature, and everything in its file that was not understood (A23).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PrdDocument {
    /// The file that was read, as the person named it.
    pub file: PathBuf,
    /// Which of the two schemas it follows; none where nothing could be read.
    pub dialect: Option<PrdDialect>,
    /// What kind of work it is: `feature`, `bug`, `enhancement`, `spike`, `chore` or `tech-debt`.
    pub kind: Option<String>,
    /// Its name; empty where it has none.
    pub name: String,
    pub description: String,
    /// Its stories in the order of the file.
    pub stories: Vec<PrdStory>,
    /// Fields of the root that are not known, as they stand.
    pub other: Map<String, Value>,
    pub findings: Vec<JsonFinding>,
}

impl PrdDocument {
    /// Its stories in the order in which they are worked on: by priority, else as they stand.
    pub fn in_order(&self) -> Vec<&PrdStory> {
        let mut stories: Vec<&PrdStory> = self.stories.iter().collect();
        stories.sort_by_key(|story| story.priority);
        stories
    }

    /// Whether its stories may be worked on: nothing in it is an error.
    pub fn is_sound(&self) -> bool {
        !self.findings.iter().any(|found| found.diagnostic.is_error())
    }
}

/// The two schemas that PRDs are written by (LA-16).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PrdDialect {
    /// With type, name and description; each story says whether it passes.
    Strict,
    /// A list of stories; where each stands is not said in the file.
    Template,
}

impl PrdDialect {
    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            PrdDialect::Strict => "strict",
            PrdDialect::Template => "template",
        }
    }
}

/// One story of a PRD.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PrdStory {
    /// What the PRD calls it: `US-001`.
    pub id: String,
    pub title: String,
    /// Its description.
    pub text: String,
    /// Acceptance criteria, each one sentence or more.
    pub criteria: Vec<String>,
    /// Requirements that are no function: speed, safety and the like.
    pub non_functional: Vec<String>,
    pub notes: String,
    /// 1 comes first.
    pub priority: u32,
    pub size: StorySize,
    /// Whether it is said to be done; none where the file does not say.
    pub passes: Option<bool>,
    /// Line at which it begins.
    pub line: usize,
    /// Fields that are not known, as they stand.
    pub other: Map<String, Value>,
}

/// How large a story is thought to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StorySize {
    Simple,
    /// `medium` in one dialect, `moderate` in the other.
    #[default]
    Medium,
    Complex,
}
