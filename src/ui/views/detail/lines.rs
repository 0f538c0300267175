//! The lines of a task in full. Facts first, then what was tried, then what was written.

use std::sync::Arc;

use super::failure;
use super::plan;
use super::text_block::{Lines, TextBlock};
use crate::domain::attempt::{Attempt, AttemptState, Verdict, WorkspaceState};
use crate::domain::task::TaskKind;
use crate::domain::{Evidence, EvidenceKind, Task, TaskId, TaskState, Tri, pluralized};
use crate::read_model::source_words;
use crate::ui::cache::{CacheEntry, CacheKey, DiffBase};
use crate::ui::canvas::prelude::*;
use crate::ui::scene::{LogLine, ScreenId};
use crate::ui::status::{DisplayStatus, attempt_status, task_status};
use crate::ui::text::{clock, width};
use crate::ui::views::task_card::{last_line, reported};
use crate::ui::views::{ViewContext, diff};

/// Columns before a verdict that has lines of its own.
const VERDICT: usize = 6;
/// Events that are shown, the latest ones.
const EVENTS: usize = 40;

/// All lines, each at most so many columns where it can be wrapped: one below the other, or what is known in a first column
/// and what was written in a second.
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

/// What the engine knows of it.
fn engine_lines(ctx: &ViewContext<'_>, task: &Task, lines: &mut TextBlock) {
    lines.paragraph(&format!("{}  {}", task.id, task.title), StyleRole::Strong);
    facts(ctx, task, lines);
    plan::plan_lines(ctx, task, lines);
    failure::failure_lines(ctx, task, lines);
    evidence(ctx, task, lines);
    attempts(ctx, task, lines);
}

/// What people and agents wrote on it, and what happened to it.
fn written_lines(ctx: &ViewContext<'_>, task: &Task, lines: &mut TextBlock) {
    if let Some(finding) = &task.finding {
        lines.section("Finding");
        lines.paragraph(finding, StyleRole::Retry);
    }
    if !task.body.trim().is_empty() {
        lines.section("Description");
        lines.paragraph(&task.body, StyleRole::Text);
    }
    comments(ctx, task, lines);
    events(ctx, task, lines);
}

fn facts(ctx: &ViewContext<'_>, task: &Task, lines: &mut TextBlock) {
    let (model, now) = (ctx.scene.model, ctx.scene.now);
    let marker = task_status(task, model, now);
    let glyph = ctx.glyph(marker.mark);
    let word = match (&task.state, &task.why_not) {
        (TaskState::Released, Some(why)) => short_of(&marker.word, &why.to_string()),
        _ => &marker.word,
    };
    let state = format!("{glyph} {word}  for {}", now.since(marker.since));
    lines.fact("state", &state, marker.role);
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
    if let (TaskState::Released, Some(why)) = (&task.state, &task.why_not) {
        lines.fact("why not", &why.to_string(), StyleRole::Text);
    }
    batch(ctx, task, lines);
    links(ctx, task, lines);
    let kind = match task.kind {
        TaskKind::Bug => "bug",
        TaskKind::Feature => "feature",
        TaskKind::Task => "task",
        TaskKind::Chore => "chore",
    };
    let age = now.since(task.created_at);
    let about = format!("{kind}, priority {}, {age} old", task.priority);
    lines.fact("about", &about, StyleRole::Text);
    if !task.tags.is_empty() {
        let tags: Vec<&str> = task.tags.iter().map(String::as_str).collect();
        lines.fact("tags", &tags.join(" "), StyleRole::Text);
    }
    if task.rejections > 0 {
        let times = if task.rejections == 1 {
            "once".to_owned()
        } else {
            format!("{} times", task.rejections)
        };
        let text = format!("{}, sent back {times}", pluralized(task.spawns, "attempt"));
        lines.fact("tries", &text, StyleRole::Text);
    }
    let gates = task
        .gates
        .iter()
        .map(|gate| (format!("{}: {}", gate.name, gate.command), StyleRole::Text));
    lines.facts("gate", gates);
}

/// What the state of a task that waits is called, without the reason that has a line of its own.
fn short_of<'a>(word: &'a str, why: &str) -> &'a str {
    match word
        .strip_suffix(why)
        .map(|word| word.trim_end_matches([':', ' ']))
    {
        Some("") => "waiting",
        Some(word) => word,
        None => word,
    }
}

/// What it cost and how much it changed, as far as that is known.
fn figures(ctx: &ViewContext<'_>, task: &Task, lines: &mut TextBlock) {
    let spent = task.spent();
    if !spent.is_none() {
        lines.fact("cost", &spent.to_string(), StyleRole::Text);
    } else if let Some(tokens) = task.tokens() {
        let text = format!("{}, no price known", tokens.in_short());
        lines.fact("cost", &text, StyleRole::Text);
    }
    if let Some(CacheEntry::Diff(diff)) = ctx
        .scene
        .cache
        .get(&CacheKey::Diff(task.id.clone(), DiffBase::Base))
    {
        let mut line = vec![dim("diff    ")];
        line.extend(diff::figures(diff).into_iter().map(|figure| StyledText {
            text: format!("{} ", figure.text.trim_start()),
            ..figure
        }));
        lines.push(line);
    }
}

/// What it waits for, and what waits for it.
/// The batch, where that says anything: there are several, or it has a base of its own (K61).
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
    let text = format!("{}  try {}{session}  ({since})", attempt.worker.name(), attempt.n);
    lines.fact("agent", &text, StyleRole::Text);
    if let Some(live) = ctx.scene.screens.activity(attempt.id) {
        lines.fact("does", &live.summary(), StyleRole::Text);
        let known = live.sources.iter().map(|source| (source.line(), StyleRole::Dim));
        lines.facts("known", known);
    }
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
        (
            task_status(task, ctx.scene.model, ctx.scene.now).mark,
            StyleRole::Blocked,
        )
    };
    (format!("{} {dep}  {}", mark.glyph(glyphs), task.title), role)
}

/// What the engine itself verified, of the latest attempt that was verified.
fn evidence(ctx: &ViewContext<'_>, task: &Task, lines: &mut TextBlock) {
    let Some(attempt) = attempts_of(ctx, task).rfind(|attempt| !attempt.evidence.is_empty()) else {
        return;
    };
    lines.section(&format!("Evidence of attempt {}", attempt.id));
    for evidence in &attempt.evidence {
        let (text, role) = seen(evidence, ctx);
        lines.paragraph(&text, role);
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

/// Every attempt, the newest first: where, who, how long, and what came of it, on a line of its own where it does not fit.
fn attempts(ctx: &ViewContext<'_>, task: &Task, lines: &mut TextBlock) {
    let attempts: Vec<&Attempt> = attempts_of(ctx, task).collect();
    if attempts.is_empty() {
        return;
    }
    lines.section("Attempts");
    let widest = |of: fn(&Attempt) -> usize| attempts.iter().map(|attempt| of(attempt)).max().unwrap_or(0);
    let stages = widest(|attempt| width(attempt.stage.as_str()));
    let names = widest(|attempt| width(attempt.worker.name()));
    for attempt in attempts.iter().rev() {
        let (text, role) = outcome(attempt);
        let begun = attempt.started_at.unwrap_or(attempt.created_at);
        let took = attempt.ended_at.unwrap_or(ctx.scene.now).since(begun).to_string();
        let (stage, name) = (attempt.stage.as_str(), attempt.worker.name());
        let head = format!(
            "{:>4}  {stage}{}  {name}{}  {took:>5}  ",
            attempt.id.to_string(),
            " ".repeat(stages.saturating_sub(width(stage))),
            " ".repeat(names.saturating_sub(width(name))),
        );
        let left = lines.width.saturating_sub(width(&head));
        if width(&text) <= left {
            lines.push(vec![plain(head), piece(text, role)]);
            continue;
        }
        lines.push(vec![plain(head.trim_end())]);
        lines.indented(VERDICT, &text, role);
    }
}

fn outcome(attempt: &Attempt) -> (String, StyleRole) {
    match &attempt.state {
        AttemptState::Settled(Verdict::Passed) => ("passed".to_owned(), StyleRole::Done),
        AttemptState::Settled(Verdict::Rejected(why)) => (format!("rejected: {why}"), StyleRole::Retry),
        AttemptState::Settled(Verdict::Blocked(why)) => (format!("blocked: {why}"), StyleRole::Blocked),
        AttemptState::Settled(Verdict::Failed(class, why)) => (format!("{class}: {why}"), StyleRole::Failed),
        AttemptState::Settled(Verdict::Stopped(cause)) => (cause.word().to_owned(), StyleRole::Dim),
        AttemptState::Starting
        | AttemptState::Running
        | AttemptState::Stopping(_)
        | AttemptState::Verifying => {
            let marker = attempt_status(attempt);
            (marker.word, marker.role)
        }
    }
}

fn comments(ctx: &ViewContext<'_>, task: &Task, lines: &mut TextBlock) {
    if task.comments.is_empty() {
        return;
    }
    lines.section("Comments");
    for comment in task.comments.iter().rev() {
        let head = format!("{}, {} ago", comment.author, ctx.scene.now.since(comment.at));
        lines.push(vec![dim(head)]);
        lines.paragraph(&comment.text, StyleRole::Text);
    }
}

/// What happened to it lately, newest first.
fn events(ctx: &ViewContext<'_>, task: &Task, lines: &mut TextBlock) {
    let of_task = |line: &&LogLine| line.notice.task.as_ref() == Some(&task.id);
    let mut found = ctx.scene.log.iter().rev().filter(of_task).take(EVENTS).peekable();
    if found.peek().is_none() {
        return;
    }
    lines.section("Events");
    for line in found {
        let time = clock(line.at, ctx.scene.session.utc_offset);
        let text = format!("{}  {}", line.notice.kind, line.notice.text);
        lines.fact(time.get(..5).unwrap_or(&time), &text, StyleRole::Text);
    }
}
