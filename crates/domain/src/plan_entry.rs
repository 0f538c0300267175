//! Details that a plan gives of a task beyond its title and text, and the record of them. Read from a file once: later changes of the file
//! change nothing here.

use crate::cut::cut_bytes;
use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::glob;
use super::id::TaskId;
use super::test_run::TestCounts;
use super::time::Timestamp;
use super::work_source::WorkSource;

/// Maximum number of names that are remembered of what an agent used or reported.
const MOST_NAMES: usize = 64;
/// Maximum number of remembered times that a story got stuck.
const MOST_STUCK: usize = 20;
/// Maximum length of a reason for getting stuck that is remembered, in bytes.
const LONGEST_REASON: usize = 500;
/// Maximum length of a name that is remembered, in bytes.
const LONGEST_NAME: usize = 120;

/// Requirements of a plan for a task, and the task's place in that plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlanEntry {
    pub source: PlanSource,
    /// Notes of an earlier item, to be read first (P15).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes_before: Option<String>,
    /// File in which the task's agent leaves notes (P15, P34).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// File that shows the form of such notes (P65).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes_template: Option<String>,
    /// Another way to do the work, passed to an agent that tries again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    /// Risk that the plan names; a high one needs a person's approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    /// Subagents that the task's agent must use, by name (P15, P35).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// Steps that the task's agent must report (P16, P36).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
    #[serde(default, skip_serializing_if = "PathRules::is_none")]
    pub paths: PathRules,
    /// Criteria that must be true when the task is done, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<String>,
    /// Tests that are written before the work, if the task is a story.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<StoryTests>,
    /// First line of the commits that the engine makes for the task (A17).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Task that it waits for by the order of the plan alone: if that is left out, it goes on without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<TaskId>,
    /// True if the task also begins when its dependencies have stopped for good or for a person.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub passes_over: bool,
}

/// Risk of an item of a plan (P13).
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::Display,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Risk {
    Low,
    Medium,
    High,
}

/// Tests of a story, which are written and fail before there is anything to test (A5, A7).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoryTests {
    /// Id of the story in its PRD: `US-001`.
    pub id: String,
    /// File of the tests, relative to the repository.
    pub file: String,
    /// True if the tests may already pass when they are written, because the code they test may exist (LA-5).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub may_pass: bool,
    /// Words that mark a test in a language that is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub test_words: Vec<String>,
    /// Words that mark an assertion in such a language.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assertion_words: Vec<String>,
    /// Words that skip a test in such a language.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skip_words: Vec<String>,
    /// Marks that begin a comment in such a language.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub comment_marks: Vec<String>,
    /// Maximum number of tokens in the texts that an agent is given to read (A12).
    pub context_tokens: u64,
    /// Folder of PRDs, relative to the repository.
    pub prds: String,
}

/// Name of the gate that runs the tests of a story.
pub const STORY_GATE: &str = "tests";

/// Placeholder for the file of a story's tests in paths of a workflow.
const TESTS_PLACE: &str = "{tests}";

impl PlanEntry {
    /// Returns true if it stands for an item of a list that was imported, and not for one of a plan.
    pub fn is_imported(&self) -> bool {
        self.source.imported.is_some()
    }

    /// Returns the paths that must stay as they are: the plan's, then those of a stage, with the file of the tests in place of `{tests}`.
    pub fn protected<'a>(plan: Option<&'a PlanEntry>, stage: &'a [String]) -> Vec<&'a str> {
        let of_plan = plan.iter().flat_map(|plan| &plan.paths.protected);
        let tests = plan.and_then(|plan| plan.tests.as_ref());
        let of_stage = stage.iter().filter_map(|path| match path.as_str() {
            TESTS_PLACE => tests.map(|tests| tests.file.as_str()),
            path => Some(path),
        });
        of_plan.map(String::as_str).chain(of_stage).collect()
    }
}

/// Place of an item in a plan. Paths are relative to the project's root.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlanSource {
    /// File of the whole plan.
    pub plan: String,
    /// File that describes this item; the plan's own if the item has none.
    pub file: String,
    /// Name of the item in the plan.
    pub item: String,
    /// Line of the plan at which the item begins, from 1.
    pub line: u32,
    /// Hash of the item's text when it was read; of an imported item, of the texts of all that share its name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hash: String,
    /// Kind of list it was imported from; nothing for an item of a plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<WorkSource>,
}

/// Files that a task makes, changes and must leave alone: paths relative to the repository, in which `*` matches any characters; a path
/// that ends with `/` names everything below that folder.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PathRules {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub create: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modify: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protected: Vec<String>,
}

impl PathRules {
    /// Returns true if nothing is listed.
    pub fn is_none(&self) -> bool {
        *self == PathRules::default()
    }

    /// Returns true if files are listed that are made or changed.
    pub fn lists_files(&self) -> bool {
        !(self.create.is_empty() && self.modify.is_empty())
    }

    /// Returns the files that are made or changed, as they are listed.
    pub fn listed(&self) -> impl Iterator<Item = &str> {
        self.create.iter().chain(&self.modify).map(String::as_str)
    }

    /// Returns the first path that both make or change.
    pub fn overlap<'a>(&'a self, other: &PathRules) -> Option<&'a str> {
        let meets = |path: &&str| {
            other
                .listed()
                .any(|theirs| fits_path(theirs, path) || fits_path(path, theirs))
        };
        self.listed().find(meets)
    }
}

/// Returns true if a path matches a pattern of [`PathRules`].
pub fn fits_path(pattern: &str, path: &str) -> bool {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    match pattern.strip_suffix('/') {
        Some(_) => glob::fits(&format!("{pattern}*"), path),
        None => glob::fits(pattern, path),
    }
}

/// Returns true if a path that an agent named means this path of the repository: it may begin with `./`, or with the folder it works in.
pub fn names_path(claimed: &str, path: &str) -> bool {
    let claimed = claimed.strip_prefix("./").unwrap_or(claimed);
    claimed == path
        || claimed
            .strip_suffix(path)
            .is_some_and(|folder| folder.starts_with('/') && folder.ends_with('/'))
}

/// Claims of an agent in the report of a signal (P66). A claim is compared with what was seen; alone it proves at most that the agent
/// thought of a step.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Claims {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// Gates that the agent says pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<String>,
    /// Files that the agent says it changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// File in which the agent says it left its notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Warnings for the next item of the plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Claims {
    /// Returns true if nothing is claimed.
    pub fn is_none(&self) -> bool {
        *self == Claims::default()
    }
}

/// Reports of a task's agents and the subagents they were seen to use, over all attempts at the task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PlanRecord {
    /// Subagents that were seen at work, by name.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub agents: BTreeSet<String>,
    /// Subagents that an agent says it used.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub claimed_agents: BTreeSet<String>,
    /// Steps that an agent reported during its work or at its end, as [`step_name`] writes them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub steps: BTreeSet<String>,
    /// Gates that an agent says pass.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub claimed_gates: BTreeSet<String>,
    /// Files that an agent says it changed.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub claimed_files: BTreeSet<String>,
    /// File in which an agent last said that its notes are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_notes: Option<String>,
    /// History of the work on a story.
    #[serde(default, skip_serializing_if = "StoryWork::is_none")]
    pub work: StoryWork,
}

/// History of the work on a story so far, over all attempts at it (A21).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StoryWork {
    /// Start of the first attempt at the story.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub began: Option<Timestamp>,
    /// Number of times an agent worked on the story.
    pub sessions: u32,
    /// Results of the story's tests when they were last run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestCounts>,
    /// Latest times the story got stuck.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stuck: Vec<StuckWork>,
}

/// Work that stopped making progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StuckWork {
    pub at: Timestamp,
    pub why: String,
}

impl StoryWork {
    /// Returns true if no agent has worked on the story.
    pub fn is_none(&self) -> bool {
        *self == StoryWork::default()
    }

    /// Remembers that the story got stuck, in a bounded number of bytes and times.
    pub fn get_stuck(&mut self, mut stuck: StuckWork) {
        stuck.why.truncate(cut_bytes(&stuck.why, LONGEST_REASON).len());
        self.stuck.push(stuck);
        if self.stuck.len() > MOST_STUCK {
            self.stuck.remove(0);
        }
    }
}

impl PlanRecord {
    /// Returns true if nothing was seen.
    pub fn is_none(&self) -> bool {
        *self == PlanRecord::default()
    }

    /// Remembers a subagent that was seen at work; returns true if it is new.
    pub fn see_agent(&mut self, name: &str) -> bool {
        remember(&mut self.agents, name.to_owned())
    }

    /// Remembers a step that was reported during the work: `write_notes:completed` (P45). A step that only began is not done.
    pub fn see_step(&mut self, text: &str) {
        let (step, state) = text.split_once(':').unwrap_or((text, ""));
        let is_open = ["start", "begin", "fail", "skip", "block", "pending", "running"]
            .iter()
            .any(|word| state.trim().to_ascii_lowercase().starts_with(word));
        if !is_open {
            remember(&mut self.steps, step_name(step));
        }
    }

    /// Returns true if a step was reported, or its subagent was seen at work or is claimed to have been used.
    pub fn has_step(&self, name: &str) -> bool {
        let wanted = step_of_plan(name);
        let mut known = self.steps.iter().chain(&self.agents).chain(&self.claimed_agents);
        known.any(|name| step_of_plan(name) == wanted)
    }

    /// Remembers the claims of an agent.
    pub fn see_claims(&mut self, claims: &Claims) {
        for step in &claims.steps {
            self.see_step(step);
        }
        for agent in &claims.agents {
            remember(&mut self.claimed_agents, agent.clone());
        }
        for gate in &claims.gates {
            remember(&mut self.claimed_gates, gate.clone());
        }
        for file in &claims.files {
            remember(&mut self.claimed_files, file.clone());
        }
        let notes = claims.notes.clone().filter(|path| path.len() <= LONGEST_NAME);
        self.claimed_notes = notes.or(self.claimed_notes.take());
    }
}

fn remember(names: &mut BTreeSet<String>, name: String) -> bool {
    let is_usable = !name.is_empty() && name.len() <= LONGEST_NAME;
    is_usable && names.len() < MOST_NAMES && names.insert(name)
}

/// Returns the name of a step in the form in which steps are compared: lower case, words joined by `_`.
pub fn step_name(text: &str) -> String {
    let lower = text.trim().to_lowercase();
    let words = lower
        .split(|sign: char| !sign.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}

/// Other names of steps, which completion reports use (P66), each with the name in plans.
const STEP_ALIASES: [(&str, &str); 3] = [
    ("read_notes", "read_previous_notes"),
    ("doc_sync", "doc_sync_manager"),
    ("validation", "pre_validation"),
];

/// Returns the name of a step as plans write it.
fn step_of_plan(text: &str) -> String {
    let name = step_name(text);
    let alias = STEP_ALIASES.iter().find(|(alias, _)| *alias == name);
    alias.map_or(name, |(_, in_plans)| (*in_plans).to_owned())
}

/// Returns the name of a PRD directly in the folder of the queue, and `None` for any other path of the repository (A4).
pub fn queued_prd<'p>(folder: &str, path: &'p str) -> Option<&'p str> {
    let name = path.strip_prefix(folder)?.strip_prefix('/')?;
    (!name.contains('/') && Path::new(name).extension().is_some_and(|ending| ending == "json"))
        .then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_means_a_path_a_folder_or_what_its_stars_stand_for() {
        let cases = [
            ("src/a.rs", "src/a.rs", true),
            ("./src/a.rs", "src/a.rs", true),
            ("src/a.rs", "src/a.rs.bak", false),
            ("tests/", "tests/a/b.py", true),
            ("tests/", "tests.py", false),
            ("*.lock", "deep/Cargo.lock", true),
            ("tests/*", "tests/x", true),
        ];
        for (pattern, path, is_meant) in cases {
            assert_eq!(fits_path(pattern, path), is_meant, "{pattern} {path}");
        }
    }

    #[test]
    fn tasks_overlap_where_both_make_or_change_a_file() {
        let rules = |create: &[&str], modify: &[&str]| PathRules {
            create: create.iter().map(ToString::to_string).collect(),
            modify: modify.iter().map(ToString::to_string).collect(),
            protected: vec!["src/a.rs".to_owned()],
        };
        let (left, right) = (rules(&["src/a.rs"], &["b/"]), rules(&[], &["src/*"]));
        assert_eq!(left.overlap(&right), Some("src/a.rs"));
        assert_eq!(right.overlap(&left), Some("src/*"));
        assert_eq!(left.overlap(&rules(&["b/c"], &[])), Some("b/"));
        assert_eq!(
            left.overlap(&rules(&["c"], &["d"])),
            None,
            "what is protected is no overlap"
        );
    }

    #[test]
    fn a_step_counts_by_its_name_and_not_when_it_only_began() {
        let mut record = PlanRecord::default();
        for text in [
            "Write Notes: completed",
            "pre-validation",
            "task_validator:started",
            "",
        ] {
            record.see_step(text);
        }
        let steps: Vec<&str> = record.steps.iter().map(String::as_str).collect();
        assert_eq!(steps, ["pre_validation", "write_notes"]);
    }

    #[test]
    fn names_are_bounded_in_number_and_length() {
        let mut record = PlanRecord::default();
        assert!(!record.see_agent(&"x".repeat(LONGEST_NAME + 1)));
        for n in 0..2 * MOST_NAMES {
            record.see_agent(&n.to_string());
        }
        assert_eq!(record.agents.len(), MOST_NAMES);
        assert!(!record.see_agent("0"), "it is known");
    }
}
