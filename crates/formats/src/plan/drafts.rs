//! Tasks of a plan: one for each phase that is to be done, ordered so that each is behind those it waits for.

use dbs_domain::cut::cut_bytes;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::model::{PhaseStatus, Plan, PlanItem, PlanKind};
use super::words;
use dbs_domain::plan_entry::step_name;
use dbs_domain::task::GateCommand;
use dbs_domain::{
    AgentSettings, BatchId, Cause, PlanEntry, PlanSource, StageId, TaskDraft, TaskId, WaitGraph,
};

/// Steps that other evidence proves: a commit, and the notes.
const PROVED: [&str; 2] = ["implementation", "write_notes"];

/// Message about a plan without anything to do.
pub const NOTHING_LEFT: &str = "nothing is left to do in this plan";

/// Maximum length of the beginning of a short id, in bytes.
const LONGEST_PREFIX: usize = 8;

/// Choices for carrying out a plan.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct PlanChoices {
    /// The phase to begin with; those before it are left out (P31).
    pub from: Option<String>,
    /// True if phases that do not wait for each other may be done at the same time (P59).
    pub is_parallel: bool,
    /// True if a person approves each phase (P56).
    pub asks: bool,
    /// True if phases that the plan calls completed are left out.
    pub trusts_status: bool,
    /// Phases that a person calls done: they are left out, too.
    pub done: BTreeSet<String>,
    /// True if the ids of its tasks begin with its whole name, because other tasks have the short ones.
    pub has_long_ids: bool,
    /// Number of times that the plan was begun again; its tasks of an earlier time stay on the board.
    pub restarts: u32,
}

/// Function that gives the text of an item's file.
pub type BodyOf<'a> = &'a dyn Fn(&PlanItem) -> String;

/// Function that names a file as people in the project do.
pub type PathName<'a> = &'a dyn Fn(&Path) -> String;

/// Returns a title as part of an id or of a file name: lower case words of ASCII, joined by dashes.
pub fn slug(title: &str) -> String {
    let words = step_name(title).replace('_', "-");
    let kept: String = words.chars().filter(char::is_ascii).take(40).collect();
    let kept = kept.trim_matches('-');
    if kept.is_empty() { "plan" } else { kept }.to_owned()
}

/// Returns the batch of a plan that was begun again this many times: its title as an id.
pub fn batch_of(plan: &Plan, restarts: u32) -> BatchId {
    let name = slug(&plan.title);
    match restarts {
        0 => BatchId::new(name),
        more => BatchId::new(format!("{name}-{}", more.saturating_add(1))),
    }
}

/// Returns the prefix of the ids of its tasks: the first word of its name, so short that the number behind it is seen on the board.
fn short_name(batch: &BatchId) -> &str {
    let first = batch.as_str().split('-').next().unwrap_or_default();
    cut_bytes(first, LONGEST_PREFIX)
}

/// Builds the tasks of a sound plan.
///
/// # Errors
/// When the choices name a phase that does not exist, or leave nothing to do.
pub fn drafts(
    plan: &Plan,
    choices: &PlanChoices,
    body: BodyOf<'_>,
    path: PathName<'_>,
) -> Result<Vec<TaskDraft>, Cause> {
    let batch = batch_of(plan, choices.restarts);
    let wanted = open_items(plan, choices)?;
    if wanted.is_empty() {
        return Err(NOTHING_LEFT.into());
    }
    let is_parallel = choices.is_parallel || plan.kind.is_parallel();
    let prefix = match plan.kind {
        _ if choices.has_long_ids || choices.restarts > 0 => format!("{batch}-"),
        PlanKind::Phased | PlanKind::Graph => format!("{}-", short_name(&batch)),
        PlanKind::Stories => String::new(),
    };
    let task_id = |item: &PlanItem| TaskId::new(format!("{prefix}{}", item.id));
    let ids: BTreeMap<&str, TaskId> = wanted
        .iter()
        .map(|item| (item.id.as_str(), task_id(item)))
        .collect();
    let mut drafts = Vec::new();
    for (at, item) in wanted.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| wanted.get(at));
        let chained = before.filter(|_| !is_parallel).map(|item| item.id.as_str());
        let needs = item.needs.iter().map(String::as_str).chain(chained);
        let deps: BTreeSet<TaskId> = needs.filter_map(|need| ids.get(need).cloned()).collect();
        let detail = item.detail.as_deref();
        drafts.push(TaskDraft {
            id: task_id(item),
            batch: batch.clone(),
            workflow: plan.kind.workflow().into(),
            stage: entry_stage(plan.kind, item),
            title: title(plan.kind, item),
            body: detail.map_or_else(|| body(item), |detail| detail.text.clone()),
            deps,
            gates: gates(item),
            agent: Box::new(AgentSettings {
                model: detail.and_then(|detail| detail.model).map(ToOwned::to_owned),
                ..AgentSettings::default()
            }),
            needs_approval: item.needs_approval || choices.asks,
            plan: Some(Arc::new(entry(plan, item, path, follows(item, chained, &ids)))),
            ..TaskDraft::new("", "")
        });
    }
    ordered(drafts)
}

/// Returns true if the choices are right and leave nothing to do in a plan.
pub fn is_over(plan: &Plan, choices: &PlanChoices) -> bool {
    open_items(plan, choices).is_ok_and(|items| items.is_empty())
}

/// Returns the ids of the phases that the choices leave out; empty if the choices are wrong.
pub fn left_out<'a>(plan: &'a Plan, choices: &PlanChoices) -> BTreeSet<&'a str> {
    let Ok(open) = open_items(plan, choices) else {
        return BTreeSet::new();
    };
    let open: BTreeSet<&str> = open.into_iter().map(|item| item.id.as_str()).collect();
    let all = plan.items.iter().map(|item| item.id.as_str());
    all.filter(|id| !open.contains(id)).collect()
}

/// Returns the phases that are left to do.
fn open_items<'a>(plan: &'a Plan, choices: &PlanChoices) -> Result<Vec<&'a PlanItem>, Cause> {
    let first = match &choices.from {
        None => 0,
        Some(id) => {
            let at = plan.items.iter().position(|item| item.id == *id);
            at.ok_or_else(|| unknown_item(plan.kind, id))?
        }
    };
    let is_known = |id: &&String| plan.items.iter().any(|item| item.id == **id);
    if let Some(unknown) = choices.done.iter().find(|id| !is_known(id)) {
        return Err(unknown_item(plan.kind, unknown));
    }
    let trusts_status = choices.trusts_status || plan.kind.keeps_status();
    let wanted = plan
        .items
        .iter()
        .skip(first)
        .filter(|item| !(trusts_status && item.status == PhaseStatus::Completed))
        .filter(|item| !choices.done.contains(&item.id));
    Ok(wanted.collect())
}

/// Returns the task that an item waits for only because it stands behind that one.
fn follows(item: &PlanItem, before: Option<&str>, ids: &BTreeMap<&str, TaskId>) -> Option<TaskId> {
    let before = before.filter(|before| !item.needs.iter().any(|need| need == before))?;
    ids.get(before).cloned()
}

/// Returns the title of the task of an item.
fn title(kind: PlanKind, item: &PlanItem) -> String {
    match kind {
        PlanKind::Phased => format!("Phase {}: {}", item.id, item.title),
        PlanKind::Stories | PlanKind::Graph => item.title.clone(),
    }
}

fn unknown_item(kind: PlanKind, id: &str) -> Cause {
    format!("there is no {} {id} in the plan", kind.item_word()).into()
}

/// Returns the stage at which the task of an item begins, if that is not the first of its workflow.
fn entry_stage(kind: PlanKind, item: &PlanItem) -> Option<StageId> {
    let detail = item.detail.as_deref()?;
    let stage = match (kind, &detail.story) {
        // Its tests do not have to be written (A8).
        (_, Some(story)) if story.is_tested => "given",
        // The task only examines, so there is nothing to merge.
        (PlanKind::Graph, _) if !detail.paths.lists_files() => "checking",
        _ => return None,
    };
    Some(stage.into())
}

/// Returns the blocking gates; only a command can decide.
fn gates(item: &PlanItem) -> Vec<GateCommand> {
    let blocking = item.gates.iter().filter(|gate| gate.is_blocking);
    let commands = blocking.filter_map(|gate| {
        Some(GateCommand {
            name: gate.name.clone(),
            command: gate.command.clone()?,
        })
    });
    commands.collect()
}

fn entry(plan: &Plan, item: &PlanItem, path: PathName<'_>, follows: Option<TaskId>) -> PlanEntry {
    let steps = item.steps.iter().filter(|step| !PROVED.contains(step));
    let file = path(item.file.as_deref().unwrap_or(&plan.file));
    let told = item.detail.as_deref().map(|detail| PlanEntry {
        paths: detail.paths.clone(),
        criteria: detail.criteria.clone(),
        fallback: detail.fallback.clone(),
        tests: detail.story.as_ref().map(|story| story.tests.clone()),
        commit: Some(detail.commit.clone()),
        passes_over: detail.story.as_ref().is_some_and(|story| story.passes_over),
        ..PlanEntry::default()
    });
    PlanEntry {
        source: PlanSource {
            // The PRD of a story is the plan that holds it.
            plan: match plan.kind {
                PlanKind::Phased | PlanKind::Graph => path(&plan.file),
                PlanKind::Stories => file.clone(),
            },
            file,
            item: item.id.clone(),
            line: u32::try_from(item.line).unwrap_or_default(),
            hash: String::new(),
            imported: None,
        },
        follows,
        notes_before: item.notes_before.clone(),
        notes: item.notes.clone(),
        notes_template: item.notes_template.clone(),
        risk: item.risk.as_deref().and_then(words::risk),
        agents: item.agents.clone(),
        steps: steps.map(ToString::to_string).collect(),
        ..told.unwrap_or_default()
    }
}

/// Puts each task behind those it waits for, otherwise in the order of the plan.
fn ordered(drafts: Vec<TaskDraft>) -> Result<Vec<TaskDraft>, Cause> {
    let nodes = drafts.iter().map(|draft| (draft.id.clone(), draft.deps.clone()));
    let graph = WaitGraph::new(nodes);
    if !graph.stuck().is_empty() {
        return Err("its phases cannot be done in the order of the table: a phase waits for a later one; use --parallel".into());
    }
    let mut by_id: BTreeMap<TaskId, TaskDraft> = drafts
        .into_iter()
        .map(|draft| (draft.id.clone(), draft))
        .collect();
    Ok(graph.order().iter().filter_map(|id| by_id.remove(id)).collect())
}
