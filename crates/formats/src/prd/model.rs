//! A PRD as one plain value, in whatever dialect it is written.

use std::collections::BTreeMap;
use std::path::PathBuf;

use dbs_domain::WaitGraph;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::finding::Finding;

/// A product requirements document: the stories of one feature, and everything in its file that was not understood (A23).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PrdDocument {
    /// The file that was read, as the person named it.
    pub file: PathBuf,
    /// Schema that it follows; `None` if nothing could be read.
    pub dialect: Option<PrdDialect>,
    /// Kind of work: `feature`, `bug`, `enhancement`, `spike`, `chore` or `tech-debt`.
    pub kind: Option<String>,
    /// Name of the PRD; empty if it has none.
    pub name: String,
    pub description: String,
    /// Stories in the order of the file.
    pub stories: Vec<PrdStory>,
    /// Fields of the root that are not known, as they are.
    pub other: Map<String, Value>,
    pub findings: Vec<Finding>,
}

impl PrdDocument {
    /// Returns its stories in the order in which they are worked on: each behind those it waits for, else by priority, else as in the file.
    pub fn in_order(&self) -> Vec<&PrdStory> {
        let mut ranked: Vec<&PrdStory> = self.stories.iter().collect();
        ranked.sort_by_key(|story| story.priority);
        let places: BTreeMap<&str, usize> = ranked.iter().map(|story| story.id.as_str()).zip(0..).collect();
        let needs = |story: &PrdStory| -> Vec<usize> {
            let needed = story
                .needs
                .iter()
                .filter_map(|id| places.get(id.as_str()).copied());
            needed.collect()
        };
        let graph = WaitGraph::new(
            ranked
                .iter()
                .enumerate()
                .map(|(place, story)| (place, needs(story))),
        );
        // Stories that wait for each other are an error of the document; they come last.
        let order = graph.order().iter().chain(graph.stuck());
        order.filter_map(|place| ranked.get(*place).copied()).collect()
    }

    /// Returns true if its stories may be worked on: nothing in it is an error.
    pub fn is_sound(&self) -> bool {
        !self.findings.iter().any(Finding::is_error)
    }
}

/// The two schemas that PRDs are written by (LA-16).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::Display, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum PrdDialect {
    /// Schema with type, name and description; each story says whether it passes.
    Strict,
    /// List of stories; the file does not give the status of a story.
    Template,
}

/// Story of a PRD.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PrdStory {
    /// Name of the story in the PRD: `US-001`.
    pub id: String,
    pub title: String,
    /// Description of the story.
    pub text: String,
    /// Acceptance criteria, each one sentence or more.
    pub criteria: Vec<String>,
    /// Requirements that are not functions: speed, safety and the like.
    pub non_functional: Vec<String>,
    pub notes: String,
    /// Rank of the story; 1 comes first.
    pub priority: u32,
    pub size: StorySize,
    /// True if the file says that the story is done; `None` if it says nothing.
    pub passes: Option<bool>,
    /// Ids of the stories it waits for.
    pub needs: Vec<String>,
    /// Line at which it begins.
    pub line: usize,
    /// Fields that are not known, as they are.
    pub other: Map<String, Value>,
}

/// Estimated size of a story.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StorySize {
    Simple,
    /// `medium` in one dialect, `moderate` in the other.
    #[default]
    Medium,
    Complex,
}
