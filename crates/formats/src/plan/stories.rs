//! The stories of PRDs as one plan, in the order of the queue: by the names of the files, then by priority (A1, A20).

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::model::{PhaseStatus, Plan, PlanDetail, PlanGate, PlanItem, PlanKind, PlanStory};
use crate::prd::{PrdDocument, PrdStory};
use crate::story_files::{HISTORY_FILE, STATE_FILE, test_names};
use dbs_domain::{PathRules, STORY_GATE, StoryTests};

/// Name of the gate that runs all tests of a project.
const SUITE_GATE: &str = "suite";
/// Folder of documents that no story changes.
const DOCUMENTS: &str = ".swanson/";

/// Rules for work on stories, as a project sets them.
pub struct StoryRules<'a> {
    /// Folder of PRDs, relative to the project.
    pub folder: String,
    /// The command that runs the tests in a file of that name, without its ending.
    pub test_command: &'a dyn Fn(&str) -> String,
    /// The command that runs all tests, if there is one.
    pub suite_command: Option<String>,
    /// The file of tests of that name, relative to the project.
    pub test_file: &'a dyn Fn(&str) -> String,
    /// Function that returns true if a file exists on the base, by its path in the project.
    pub on_base: &'a dyn Fn(&str) -> bool,
    /// Paths that no story changes, besides those of the queue.
    pub protected: Vec<String>,
    /// Ids of stories of PRDs in the archive, whose tests belong to no other story (LA-4).
    pub archived: &'a BTreeSet<String>,
    /// Rules for the tests of all stories; their file is filled in.
    pub tests: StoryTests,
    /// True if the queue continues behind a story that has stopped.
    pub passes_over: bool,
}

/// Builds the plan of a queue of PRDs, which are in the order of their names.
pub fn queue(prds: &[PrdDocument], rules: &StoryRules<'_>) -> Plan {
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    let ids = prds.iter().flat_map(|prd| &prd.stories).map(|story| &story.id);
    for id in ids.chain(rules.archived) {
        *uses.entry(id.as_str()).or_default() += 1;
    }
    let items = prds.iter().flat_map(|prd| {
        let stories = prd.in_order().into_iter();
        let uses = &uses;
        let is_unique = move |id: &str| uses.get(id) == Some(&1);
        stories.map(move |story| PlanItem {
            needs: needs(prd, story, &is_unique),
            ..item(prd, story, is_unique(&story.id), rules)
        })
    });
    let found = prds.iter().flat_map(|prd| &prd.findings);
    Plan {
        items: items.collect(),
        findings: found.cloned().collect(),
        ..queue_of(rules.folder.clone().into())
    }
}

/// Builds the queue of that folder without its stories, as far as it distinguishes its tasks from others on the board.
pub fn queue_of(folder: PathBuf) -> Plan {
    Plan {
        kind: PlanKind::Stories,
        title: "Stories".to_owned(),
        file: folder,
        items: Vec::new(),
        findings: Vec::new(),
    }
}

fn item(prd: &PrdDocument, story: &PrdStory, is_unique: bool, rules: &StoryRules<'_>) -> PlanItem {
    let stem = prd
        .file
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let names = test_names(&stem, &story.id, is_unique);
    let written = names
        .iter()
        .find(|name| (rules.on_base)(&(rules.test_file)(name)));
    let name = written.or(names.first()).cloned().unwrap_or_default();
    let file = (rules.test_file)(&name);
    let gate = |name: &str, command: String| PlanGate {
        name: name.to_owned(),
        command: Some(command),
        requirement: String::new(),
        is_blocking: true,
        line: story.line,
    };
    let suite = rules
        .suite_command
        .clone()
        .map(|command| gate(SUITE_GATE, command));
    PlanItem {
        // Two PRDs may have a story of one id; the files of its tests are distinguished by the same rule.
        id: item_id(prd, &story.id, is_unique),
        title: story.title.clone(),
        file: Some(prd.file.clone()),
        line: story.line,
        gates: std::iter::once(gate(STORY_GATE, (rules.test_command)(&name)))
            .chain(suite)
            .collect(),
        status: match story.passes {
            Some(true) => PhaseStatus::Completed,
            Some(false) | None => PhaseStatus::Pending,
        },
        detail: Some(Box::new(detail(prd, story, file, written.is_some(), rules))),
        ..PlanItem::default()
    }
}

fn item_id(prd: &PrdDocument, story: &str, is_unique: bool) -> String {
    if is_unique {
        return story.to_owned();
    }
    let stem = prd.file.file_stem().unwrap_or_default();
    format!("{}-{story}", stem.to_string_lossy())
}

/// Returns the items of the stories of its PRD that a story waits for.
fn needs(prd: &PrdDocument, story: &PrdStory, is_unique: &dyn Fn(&str) -> bool) -> Vec<String> {
    let needed = prd
        .stories
        .iter()
        .filter(|other| story.id != other.id && story.needs.contains(&other.id));
    let ids = needed.map(|other| item_id(prd, &other.id, is_unique(&other.id)));
    ids.collect()
}

/// Builds the instructions of the PRD for the story, with the file of its tests and whether that is written.
fn detail(
    prd: &PrdDocument,
    story: &PrdStory,
    file: String,
    is_tested: bool,
    rules: &StoryRules<'_>,
) -> PlanDetail {
    let queue = [
        format!("{}/", rules.folder),
        STATE_FILE.to_owned(),
        HISTORY_FILE.to_owned(),
        DOCUMENTS.to_owned(),
    ];
    PlanDetail {
        text: text(story),
        criteria: story.criteria.clone(),
        paths: PathRules {
            create: if is_tested { Vec::new() } else { vec![file.clone()] },
            modify: Vec::new(),
            protected: queue.into_iter().chain(rules.protected.iter().cloned()).collect(),
        },
        commit: commit(prd, story),
        story: Some(PlanStory {
            tests: StoryTests {
                id: story.id.clone(),
                file,
                prds: rules.folder.clone(),
                ..rules.tests.clone()
            },
            is_tested,
            passes_over: rules.passes_over,
        }),
        ..PlanDetail::default()
    }
}

/// Returns the story as its agents read it.
fn text(story: &PrdStory) -> String {
    let mut text = format!(
        "Story {} of a PRD.\n\n{}\n\nAcceptance criteria:\n",
        story.id,
        story.text.trim()
    );
    for criterion in &story.criteria {
        text.push_str("- ");
        text.push_str(criterion);
        text.push('\n');
    }
    if !story.non_functional.is_empty() {
        text.push_str("\nBesides functions it asks for:\n");
        for demand in &story.non_functional {
            text.push_str("- ");
            text.push_str(demand);
            text.push('\n');
        }
    }
    if !story.notes.trim().is_empty() {
        text.push_str("\nNotes:\n");
        text.push_str(story.notes.trim());
        text.push('\n');
    }
    text
}

/// Returns the first line of a commit, `feat: basic health check (US-001)`: the kind of work, the title, the story (A17).
fn commit(prd: &PrdDocument, story: &PrdStory) -> String {
    let by_id = story.id.split('-').next().unwrap_or_default();
    let kind = match (prd.kind.as_deref(), by_id) {
        (Some("bug"), _) | (None, "BUG") => "fix",
        (Some("chore" | "spike"), _) => "chore",
        (Some("tech-debt"), _) | (None, "TECH") => "refactor",
        _ => "feat",
    };
    let mut letters = story.title.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_lowercase().to_string())
        .unwrap_or_default();
    format!("{kind}: {first}{} ({})", letters.as_str(), story.id)
}
