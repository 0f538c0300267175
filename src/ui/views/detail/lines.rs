//! The lines of a task in full. Facts first, then attempts, then texts.

use std::sync::Arc;

use super::attempts;
use super::failure;
use super::plan;
use super::text_block::{Lines, TextBlock};
use super::told::Told;
use crate::display::text::clock;
use crate::domain::attempt::{Attempt, WorkspaceState};
use crate::domain::task::Comment;
use crate::domain::{Evidence, EvidenceKind, Task, TaskId, TaskState, Tri};
use crate::read_model::source_words;
use crate::ui::canvas::prelude::*;
use crate::ui::scene::{LogLine, ScreenId};
use crate::ui::state::PaneContent;
use crate::ui::status::{DisplayStatus, task_status};
use crate::ui::views::head_line::try_words;
use crate::ui::views::task_card::{last_line, reported};
use crate::ui::views::{ViewContext, diff};

/// Maximum number of events that are shown, the latest ones.
const EVENTS: usize = 40;

/// Returns all lines, each at most that many columns if it can be wrapped: one below the other, or facts in a first column and texts in
/// a second.
pub(super) fn detail_lines(ctx: &ViewContext<'_>, id: &TaskId, columns: &[u16]) -> Vec<Lines> {
    let Some(task) = ctx.scene.model.tasks.get(id) else {
        return vec![vec![vec![dim(format!("{id} no longer exists."))]]];
    };
    let width = |nth: usize| columns.get(nth).map(|width| usize::from(*width));
    let first = width(0).unwrap_or(0);
    let mut known = TextBlock::new(first);
    engine_lines(ctx, task, &mut known);
    let mut written = TextBlock::new(width(1).unwrap_or(first));
    written_lines(ctx, task, &mut written);
    let (mut known, mut written) = (known.lines, written.lines);
    if columns.len() < 2 {
        known.append(&mut written);
        return vec![known];
    }
    // Every section begins with an empty line; the first of a column needs none.
    if !written.is_empty() {
        written.remove(0);
    }
    vec![known, written]
}

/// Adds the facts that the engine knows of the task.
fn engine_lines(ctx: &ViewContext<'_>, task: &Task, lines: &mut TextBlock) {
    lines.paragraph(&format!("{}  {}", task.id, task.title), StyleRole::Strong);
    let told = Told::of(ctx, task);
    facts(ctx, task, &told, lines);
    plan::plan_lines(ctx, task, lines);
    failure::failure_lines(ctx, task, lines);
    evidence(ctx, task, &told, lines);
    attempts::attempt_lines(ctx, task, &told, lines);
}

/// Adds the texts of people and agents, and the events of the task.
fn written_lines(ctx: &ViewContext<'_>, task: &Task, lines: &mut TextBlock) {
    let told = Told::of(ctx, task);
    let finding = task.finding.as_deref().map(|finding| told.rest(finding));
    if let Some(finding) = finding.filter(|finding| !finding.is_empty()) {
        lines.section("Finding");
        lines.paragraph(finding, StyleRole::Retry);
    }
    if !task.body.trim().is_empty() {
        lines.section("Description");
        lines.paragraph(&task.body, StyleRole::Text);
    }
    comments(ctx, task, &told, lines);
    events(ctx, task, &told, lines);
}

fn facts(ctx: &ViewContext<'_>, task: &Task, told: &Told, lines: &mut TextBlock) {
    let (model, now) = (ctx.scene.model, ctx.scene.now);
    let marker = task_status(task, ctx.scene);
    let glyph = ctx.glyph(marker.mark);
    let standing = &marker.standing;
    let is_at_work = task.open_attempt.is_some();
    let word = if is_at_work { &marker.word } else { &standing.word };
    let state = format!("{glyph} {word}  for {}", now.since(marker.since));
    lines.fact("state", &state, marker.role);
    let why = told.summary(&standing.reason);
    if !is_at_work && !why.is_empty() {
        lines.fact("why", why, StyleRole::Text);
    }
    lines.fact(
        "stage",
        &format!("{}  in {}", model.stage_label(task), task.workflow),
        StyleRole::Text,
    );
    if let Some(attempt) = model.open_attempt(task) {
        agent(ctx, attempt, lines);
        if let Some(running) = ctx.scene.running_check(attempt.id) {
            lines.fact("check", &running.to_string(), StyleRole::Verifying);
        }
    }
    figures(ctx, task, lines);
    batch(ctx, task, lines);
    links(ctx, task, lines);
    let age = now.since(task.created_at);
    let about = format!("{}, priority {}, {age} old", task.kind, task.priority);
    lines.fact("about", &about, StyleRole::Text);
    if !task.tags.is_empty() {
        let tags: Vec<&str> = task.tags.iter().map(String::as_str).collect();
        lines.fact("tags", &tags.join(" "), StyleRole::Text);
    }
    let sent_back = match task.rejections {
        0 => None,
        1 => Some("sent back once".to_owned()),
        times => Some(format!("sent back {times} times")),
    };
    let tries = Some(task.tries_of_work()).filter(|tries| *tries > 1);
    let tries = tries.map(|tries| format!("{tries} tries"));
    let counts: Vec<String> = tries.into_iter().chain(sent_back).collect();
    if !counts.is_empty() {
        lines.fact("tries", &counts.join(", "), StyleRole::Text);
    }
    let gates = task
        .gates
        .iter()
        .map(|gate| (format!("{}: {}", gate.name, gate.command), StyleRole::Text));
    lines.facts("gate", gates);
}

/// Adds the cost and the size of the changes, as far as they are known.
fn figures(ctx: &ViewContext<'_>, task: &Task, lines: &mut TextBlock) {
    let spent = task.spent();
    if !spent.is_none() {
        lines.fact("cost", &spent.to_string(), StyleRole::Text);
    } else if let Some(tokens) = task.tokens() {
        let text = format!("{}, no price known", tokens.in_short());
        lines.fact("cost", &text, StyleRole::Text);
    }
    let changes = diff::summary(ctx, &task.id);
    if !changes.is_empty() {
        let mut line = vec![dim("diff    ")];
        line.extend(changes.into_iter().map(|figure| StyledText {
            text: format!("{} ", figure.text.trim_start()),
            ..figure
        }));
        lines.push(line);
    }
}

/// Adds the batch, if that is informative: there are several, or it has a base of its own (K61); with the batches it waits for.
fn batch(ctx: &ViewContext<'_>, task: &Task, lines: &mut TextBlock) {
    let all = &ctx.scene.model.batches;
    let Some(batch) = all
        .get(&task.batch)
        .filter(|own| all.len() > 1 || own.base.is_some())
    else {
        return;
    };
    let mut text = batch.id.to_string();
    if batch.title != text {
        text.extend(["  ", &batch.title]);
    }
    lines.fact("batch", &text, StyleRole::Text);
    if let Some(base) = &batch.base {
        lines.fact("base", base, StyleRole::Text);
    }
    let needs = batch.needs.iter().map(|id| {
        let run = all.get(id).map_or_else(String::new, |on| format!("  {}", on.run));
        (format!("batch {id}{run}"), StyleRole::Text)
    });
    lines.facts("after", needs);
}

fn links(ctx: &ViewContext<'_>, task: &Task, lines: &mut TextBlock) {
    let model = ctx.scene.model;
    lines.facts("needs", task.deps.iter().map(|dep| dependency(ctx, dep)));
    let waits = |other: &&Arc<Task>| !other.state.is_terminal() && other.deps.contains(&task.id);
    let others = model.tasks.values().filter(waits);
    let others = others.map(|other| (format!("{}  {}", other.id, other.title), StyleRole::Dim));
    lines.facts("blocks", others);
}

fn agent(ctx: &ViewContext<'_>, attempt: &Attempt, lines: &mut TextBlock) {
    let seen = &attempt.activity;
    let since = reported(source_words(seen), ctx.scene.now.since(seen.since));
    let session = attempt.session.restart();
    let session = session.map_or_else(String::new, |of| format!("  session {}", of.session));
    let text = format!(
        "{}{}{session}  ({since})",
        attempt.worker.name(),
        try_words(attempt)
    );
    lines.fact("agent", &text, StyleRole::Text);
    // Beside a list there is no room for the source of the knowledge.
    let is_full = matches!(ctx.pane.content, PaneContent::Detail(_));
    let live = ctx.scene.screens.activity(attempt.id).filter(|_| is_full);
    let counts = live
        .iter()
        .flat_map(|live| &live.sources)
        .find(|source| source.counts);
    if let Some(source) = counts {
        lines.fact("known", &source.words(), StyleRole::Dim);
    }
    let children = live.iter().flat_map(|live| &live.children);
    lines.facts("runs", children.map(|child| (child.line(), StyleRole::Text)));
    if let Some(used) = attempt.usage.summary() {
        lines.fact("used", &used, StyleRole::Text);
    }
    if let Some(last) = last_line(ctx.scene, ScreenId::Attempt(attempt.id)) {
        lines.fact("last", &last, StyleRole::Dim);
    }
    if let Some(place) = &attempt.workplace
        && attempt.workspace != WorkspaceState::Gone
    {
        let (name, text) = match &place.branch {
            Some(branch) => ("branch", branch),
            None => ("folder", &place.path),
        };
        lines.fact(name, text, StyleRole::Text);
    }
}

fn dependency(ctx: &ViewContext<'_>, dep: &TaskId) -> (String, StyleRole) {
    let glyphs = ctx.scene.theme.glyphs;
    let Some(task) = ctx.scene.model.tasks.get(dep) else {
        return (format!("? {dep}  which does not exist"), StyleRole::Blocked);
    };
    let (mark, role) = if task.state == TaskState::Done {
        (DisplayStatus::Done, StyleRole::Done)
    } else {
        (task_status(task, ctx.scene).mark, StyleRole::Blocked)
    };
    (format!("{} {dep}  {}", mark.glyph(glyphs), task.title), role)
}

/// Adds the engine's own evidence of the latest attempt that was verified.
fn evidence(ctx: &ViewContext<'_>, task: &Task, told: &Told, lines: &mut TextBlock) {
    let Some(attempt) = attempts_of(ctx, task).rfind(|attempt| !attempt.evidence.is_empty()) else {
        return;
    };
    lines.section(&format!("Evidence of attempt {}", attempt.id));
    for evidence in &attempt.evidence {
        let (text, role) = seen(evidence, ctx);
        lines.paragraph(told.rest(&text), role);
    }
}

fn seen(evidence: &Evidence, ctx: &ViewContext<'_>) -> (String, StyleRole) {
    let what = match &evidence.kind {
        EvidenceKind::CommitsAhead => "has commits of its own".to_owned(),
        EvidenceKind::Committed => "has nothing left uncommitted".to_owned(),
        EvidenceKind::Pushed => "is on the remote".to_owned(),
        EvidenceKind::Merged => "is in the base branch".to_owned(),
        EvidenceKind::WorkspaceUnchanged => "left the files as they were".to_owned(),
        EvidenceKind::Commented => "left a comment".to_owned(),
        EvidenceKind::Report(path) => format!("wrote {path}"),
        EvidenceKind::Gates => "passes its gates".to_owned(),
        EvidenceKind::Approved => "is approved".to_owned(),
        EvidenceKind::Notes => "left its notes".to_owned(),
        EvidenceKind::AgentsUsed => "used the subagents of the plan".to_owned(),
        EvidenceKind::StepsDone => "reported the steps of the plan".to_owned(),
        EvidenceKind::Protected => "left protected files alone".to_owned(),
        EvidenceKind::ListedFiles => "changed the listed files only".to_owned(),
        EvidenceKind::GateFails(name) => format!("fails gate {name} first"),
        EvidenceKind::Tests => "has tests that assert".to_owned(),
    };
    let glyphs = ctx.scene.theme.glyphs;
    let (mark, role, outcome) = match &evidence.outcome {
        Tri::Yes => (DisplayStatus::Done, StyleRole::Done, String::new()),
        Tri::No(why) => (DisplayStatus::Failed, StyleRole::Failed, format!(": no, {why}")),
        Tri::Unknown(why) => (
            DisplayStatus::Unsure,
            StyleRole::Retry,
            format!(": unknown, {why}"),
        ),
    };
    let counted = evidence
        .tests
        .map(|tests| format!(", tests: {tests}"))
        .unwrap_or_default();
    (format!("{} {what}{counted}{outcome}", mark.glyph(glyphs)), role)
}

fn attempts_of<'a>(ctx: &ViewContext<'a>, task: &'a Task) -> impl DoubleEndedIterator<Item = &'a Attempt> {
    let attempts = ctx.scene.model.attempts.values();
    attempts
        .map(AsRef::as_ref)
        .filter(|attempt: &&Attempt| attempt.task == task.id)
}

fn comments(ctx: &ViewContext<'_>, task: &Task, told: &Told, lines: &mut TextBlock) {
    let news = |comment: &&Comment| !told.has_all(comment, task);
    let mut comments = task.comments.iter().rev().filter(news).peekable();
    if comments.peek().is_none() {
        return;
    }
    lines.section("Comments");
    for comment in comments {
        let head = format!("{}, {} ago", comment.author, ctx.scene.now.since(comment.at));
        lines.push(vec![dim(head)]);
        lines.paragraph(told.rest(&comment.text), StyleRole::Text);
    }
}

/// Adds the latest events of the task, newest first.
fn events(ctx: &ViewContext<'_>, task: &Task, told: &Told, lines: &mut TextBlock) {
    let of_task = |line: &&LogLine| line.notice.task.as_ref() == Some(&task.id);
    let mut found = ctx.scene.log.iter().rev().filter(of_task).take(EVENTS).peekable();
    if found.peek().is_none() {
        return;
    }
    lines.section("Events");
    for line in found {
        let time = clock(line.at, ctx.scene.session.utc_offset);
        let notice = &line.notice;
        let said = if told.repeats(&notice.text) {
            "as said above"
        } else {
            &notice.text
        };
        let text = format!("{}  {said}", notice.kind);
        lines.fact(time.get(..5).unwrap_or(&time), &text, StyleRole::Text);
    }
}
