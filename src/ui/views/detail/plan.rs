//! The phase, the story or the task of a plan in the details of its task: its state, the requirements of the plan and the ones that were
//! seen, and all items of the plan with their states.

use super::story;
use super::text_block::TextBlock;
use crate::domain::{PlanEntry, Task, TaskState, Tri};
use crate::ui::canvas::prelude::*;
use crate::ui::status::task_status;
use crate::ui::views::ViewContext;

/// Maximum number of phases or stories that are listed; of more, those around this one are shown.
const MOST_ITEMS: usize = 12;
/// Columns of the bar of a plan.
const BAR: usize = 20;

/// Adds the requirements of the plan; nothing for a task that does not come from a plan.
pub(super) fn plan_lines(ctx: &ViewContext<'_>, task: &Task, lines: &mut TextBlock) {
    let Some(plan) = &task.plan else { return };
    lines.section("Plan");
    let source = &plan.source;
    let (word, words) = item_words(plan);
    let id = plan.tests.as_ref().map_or(&source.item, |tests| &tests.id);
    let item = format!("{word} {id}");
    lines.fact("from", &format!("{}, {item}", source.file), StyleRole::Text);
    if let Some(tests) = &plan.tests {
        story::story_lines(ctx, task, plan, tests, lines);
    }
    let read = plan.notes_before.as_ref();
    lines.facts(
        "reads",
        read.into_iter().map(|path| (path.clone(), StyleRole::Text)),
    );
    let notes = plan.notes.as_ref();
    lines.facts(
        "notes",
        notes.into_iter().map(|path| (path.clone(), StyleRole::Text)),
    );
    if is_of_graph(plan) {
        let asked = [
            ("makes", &plan.paths.create),
            ("changes", &plan.paths.modify),
            ("done if", &plan.criteria),
        ];
        for (what, texts) in asked {
            lines.facts(what, texts.iter().map(|text| (text.clone(), StyleRole::Text)));
        }
    }
    before_work(ctx, task, lines);
    asked(task, plan, lines);
    items(ctx, task, words, lines);
}

/// Returns the singular and the plural of the word for an item of its plan.
fn item_words(plan: &PlanEntry) -> (&'static str, &'static str) {
    if plan.tests.is_some() {
        ("story", "stories")
    } else if is_of_graph(plan) {
        ("task", "tasks")
    } else {
        ("phase", "phases")
    }
}

/// Returns true if it is a task of a graph: each phase has a file beside its plan, and a story has its tests.
fn is_of_graph(plan: &PlanEntry) -> bool {
    plan.tests.is_none() && plan.source.file == plan.source.plan
}

/// Adds the results of the gates at the commit from which the work on a phase began.
fn before_work(ctx: &ViewContext<'_>, task: &Task, lines: &mut TextBlock) {
    let mut attempts = ctx.scene.model.attempts.values().rev();
    let known = attempts.find(|attempt| attempt.task == task.id && !attempt.gates_before.is_empty());
    let gates = known.map(|attempt| attempt.gates_before.as_slice());
    let shown = gates.unwrap_or_default().iter().map(|gate| {
        let (word, role) = match &gate.outcome {
            Tri::Yes => ("passed", StyleRole::Done),
            Tri::No(_) => ("failed", StyleRole::Dim),
            Tri::Unknown(_) => ("was not run", StyleRole::Dim),
        };
        (format!("{} {word} before the work", gate.name), role)
    });
    lines.facts("gates", shown);
}

/// Adds the subagents and steps that the plan asks for, and marks those that were seen.
fn asked(task: &Task, plan: &PlanEntry, lines: &mut TextBlock) {
    let mark = |name: &String, is_seen: bool| {
        let (word, role) = if is_seen {
            ("seen", StyleRole::Done)
        } else if task.state == TaskState::Done {
            ("not seen", StyleRole::Retry)
        } else {
            ("not yet seen", StyleRole::Dim)
        };
        (format!("{name}: {word}"), role)
    };
    let record = &task.record;
    let agents = plan
        .agents
        .iter()
        .map(|name| mark(name, record.agents.contains(name)));
    lines.facts("uses", agents);
    lines.facts(
        "steps",
        plan.steps.iter().map(|name| mark(name, record.has_step(name))),
    );
}

/// Adds all phases or stories of the plan, with a bar of those that are done.
fn items(ctx: &ViewContext<'_>, task: &Task, word: &str, lines: &mut TextBlock) {
    let model = ctx.scene.model;
    let mut all: Vec<&Task> = model
        .tasks
        .values()
        .map(AsRef::as_ref)
        .filter(|other| other.batch == task.batch && other.plan.is_some())
        .collect();
    all.sort_by_key(|other| other.number);
    let done = all.iter().filter(|other| other.state == TaskState::Done).count();
    let filled = done * BAR / all.len().max(1);
    let glyphs = ctx.scene.theme.glyphs;
    let (full, open) = glyphs.pick(("█", "░"), ("#", "."));
    let bar = format!("{}{}", full.repeat(filled), open.repeat(BAR - filled));
    lines.fact(
        word,
        &format!("{bar} {done} of {} done", all.len()),
        StyleRole::Text,
    );
    let own = all
        .iter()
        .position(|other| other.id == task.id)
        .unwrap_or_default();
    let first = own
        .saturating_sub(MOST_ITEMS / 2)
        .min(all.len().saturating_sub(MOST_ITEMS));
    let shown = all.iter().skip(first).take(MOST_ITEMS).map(|other| {
        let status = task_status(other, ctx.scene);
        let here = if other.id == task.id { "  < this one" } else { "" };
        // The title of a phase begins with its number.
        let id = match other.plan.as_ref().and_then(|plan| plan.tests.as_ref()) {
            Some(_) => format!("{}  ", other.id),
            None => String::new(),
        };
        let text = format!(
            "{} {id}{}  {}{here}",
            ctx.glyph(status.mark),
            other.title,
            status.word
        );
        (text, status.role)
    });
    lines.facts("", shown);
}
