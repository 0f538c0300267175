//! The lines of a task in full. Facts first, then what was tried, then what was written.

use super::failure;
use super::paragraph::{Lines, paragraph, section};
use crate::domain::attempt::{Attempt, AttemptState, Verdict, WorkspaceState};
use crate::domain::task::TaskKind;
use crate::domain::{Evidence, EvidenceKind, Task, TaskId, TaskState, Tri, pluralized};
use crate::read_model::source_words;
use crate::ui::cache::{CacheEntry, CacheKey, DiffBase};
use crate::ui::canvas::{StyledText, piece};
use crate::ui::scene::{LogLine, ScreenId};
use crate::ui::status::{DisplayStatus, attempt_status, stop_word, task_status};
use crate::ui::text::{clock, width, wrap};
use crate::ui::theme::StyleRole;
use crate::ui::views::task_card::last_line;
use crate::ui::views::{ViewContext, diff};

/// Columns of a fact's name.
const INDENT: usize = 8;
/// Columns before a verdict that has lines of its own.
const VERDICT: usize = 6;
/// Events that are shown, the latest ones.
const EVENTS: usize = 40;

/// All lines, each at most so many columns where it can be wrapped: one below the other, or what is known in a first column
/// and what was written in a second.
pub(super) fn detail_lines(look: &ViewContext<'_>, id: &TaskId, columns: &[u16]) -> Vec<Lines> {
    let Some(task) = look.scene.model.tasks.get(id) else {
        return vec![vec![vec![piece(
            format!("{id} does not exist (any more)."),
            StyleRole::Dim,
        )]]];
    };
    let room = |nth: usize| columns.get(nth).map(|room| usize::from(*room));
    let mut lines = known(look, task, room(0).unwrap_or(0));
    let Some(second) = room(1) else {
        lines.extend(written(look, task, room(0).unwrap_or(0)));
        return vec![lines];
    };
    let mut beside = written(look, task, second);
    // Every section begins with an empty line; the first of a column needs none.
    if !beside.is_empty() {
        beside.remove(0);
    }
    vec![lines, beside]
}

/// What the engine knows of it.
fn known(look: &ViewContext<'_>, task: &Task, room: usize) -> Lines {
    let mut lines = headline(task, room);
    facts(look, task, room, &mut lines);
    failure::failure_lines(look, task, room, &mut lines);
    evidence(look, task, room, &mut lines);
    attempts(look, task, room, &mut lines);
    lines
}

/// What people and agents wrote on it, and what happened to it.
fn written(look: &ViewContext<'_>, task: &Task, room: usize) -> Lines {
    let mut lines = Lines::new();
    if let Some(finding) = &task.finding {
        section("Finding", &mut lines);
        paragraph(finding, StyleRole::Retry, room, &mut lines);
    }
    if !task.body.trim().is_empty() {
        section("Description", &mut lines);
        paragraph(&task.body, StyleRole::Text, room, &mut lines);
    }
    comments(look, task, room, &mut lines);
    events(look, task, room, &mut lines);
    lines
}

fn headline(task: &Task, room: usize) -> Lines {
    let title = format!("{}  {}", task.id, task.title);
    wrap(&title, room.max(8))
        .into_iter()
        .map(|line| vec![piece(line, StyleRole::Strong)])
        .collect()
}

/// A named fact, wrapped under its beginning.
fn fact(name: &str, text: &str, role: StyleRole, room: usize, lines: &mut Lines) {
    for (at, line) in wrap(text, room.saturating_sub(INDENT).max(8))
        .into_iter()
        .enumerate()
    {
        let name = if at == 0 { name } else { "" };
        lines.push(vec![
            piece(format!("{name:<INDENT$}"), StyleRole::Dim),
            piece(line, role),
        ]);
    }
}

fn facts(look: &ViewContext<'_>, task: &Task, room: usize, lines: &mut Lines) {
    let (model, now) = (look.scene.model, look.scene.now);
    let marker = task_status(task, model, now);
    let glyph = marker.mark.glyph(look.scene.theme.glyphs);
    let word = match (&task.state, &task.why_not) {
        (TaskState::Released, Some(why)) => short_of(&marker.word, &why.to_string()),
        _ => &marker.word,
    };
    let state = format!("{glyph} {word}  for {}", now.since(marker.since));
    fact("state", &state, marker.role, room, lines);
    fact(
        "stage",
        &format!("{}  in {}", model.stage_label(task), task.workflow),
        StyleRole::Text,
        room,
        lines,
    );
    if let Some(attempt) = model.open_attempt(task) {
        agent(look, attempt, room, lines);
        if let Some(running) = look.scene.running_check(attempt.id) {
            fact("check", &running.to_string(), StyleRole::Verifying, room, lines);
        }
    }
    figures(look, task, lines);
    if let (TaskState::Released, Some(why)) = (&task.state, &task.why_not) {
        fact("why not", &why.to_string(), StyleRole::Text, room, lines);
    }
    links(look, task, room, lines);
    let kind = match task.kind {
        TaskKind::Bug => "bug",
        TaskKind::Feature => "feature",
        TaskKind::Task => "task",
        TaskKind::Chore => "chore",
    };
    let age = now.since(task.created_at);
    let about = format!("{kind}, priority {}, {age} old", task.priority);
    fact("about", &about, StyleRole::Text, room, lines);
    if !task.tags.is_empty() {
        let tags: Vec<&str> = task.tags.iter().map(String::as_str).collect();
        fact("tags", &tags.join(" "), StyleRole::Text, room, lines);
    }
    if task.rejections > 0 {
        let times = if task.rejections == 1 {
            "once".to_owned()
        } else {
            format!("{} times", task.rejections)
        };
        let text = format!("{}, sent back {times}", pluralized(task.spawns, "attempt"));
        fact("tries", &text, StyleRole::Text, room, lines);
    }
    for (at, gate) in task.gates.iter().enumerate() {
        fact(
            if at == 0 { "gate" } else { "" },
            &format!("{}: {}", gate.name, gate.command),
            StyleRole::Text,
            room,
            lines,
        );
    }
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

/// How much it changed, as far as that is known.
fn figures(look: &ViewContext<'_>, task: &Task, lines: &mut Lines) {
    if let Some(CacheEntry::Diff(diff)) = look
        .scene
        .cache
        .get(&CacheKey::Diff(task.id.clone(), DiffBase::Base))
    {
        let mut line = vec![piece(format!("{:<INDENT$}", "diff"), StyleRole::Dim)];
        line.extend(diff::figures(diff).into_iter().map(|figure| StyledText {
            text: format!("{} ", figure.text.trim_start()),
            ..figure
        }));
        lines.push(line);
    }
}

/// What it waits for, and what waits for it.
fn links(look: &ViewContext<'_>, task: &Task, room: usize, lines: &mut Lines) {
    let model = look.scene.model;
    for (at, dep) in task.deps.iter().enumerate() {
        let (text, role) = dependency(look, dep);
        fact(if at == 0 { "needs" } else { "" }, &text, role, room, lines);
    }
    let others = model.tasks.values().filter(|other| other.deps.contains(&task.id));
    for (at, other) in others.enumerate() {
        let text = format!("{}  {}", other.id, other.title);
        fact(
            if at == 0 { "blocks" } else { "" },
            &text,
            StyleRole::Dim,
            room,
            lines,
        );
    }
}

fn agent(look: &ViewContext<'_>, attempt: &Attempt, room: usize, lines: &mut Lines) {
    let seen = &attempt.activity;
    let text = format!(
        "{}  try {}  (known from {}, {} ago)",
        attempt.worker.name(),
        attempt.n,
        source_words(seen),
        look.scene.now.since(seen.since),
    );
    fact("agent", &text, StyleRole::Text, room, lines);
    if let Some(last) = last_line(look.scene, ScreenId::Attempt(attempt.id)) {
        fact("last", &last, StyleRole::Dim, room, lines);
    }
    if let Some(place) = &attempt.workplace
        && attempt.workspace != WorkspaceState::Gone
    {
        let text = place.branch.as_deref().unwrap_or(&place.path);
        fact("branch", text, StyleRole::Text, room, lines);
    }
}

fn dependency(look: &ViewContext<'_>, dep: &TaskId) -> (String, StyleRole) {
    let glyphs = look.scene.theme.glyphs;
    match look.scene.model.tasks.get(dep) {
        None => (format!("? {dep}  which does not exist"), StyleRole::Blocked),
        Some(task) if task.state == TaskState::Done => (
            format!("{} {dep}  {}", DisplayStatus::Done.glyph(glyphs), task.title),
            StyleRole::Done,
        ),
        Some(task) => {
            let marker = task_status(task, look.scene.model, look.scene.now);
            (
                format!("{} {dep}  {}", marker.mark.glyph(glyphs), task.title),
                StyleRole::Blocked,
            )
        }
    }
}

/// What the engine saw with its own eyes, of the latest attempt that was verified.
fn evidence(look: &ViewContext<'_>, task: &Task, room: usize, lines: &mut Lines) {
    let mut of_task = look
        .scene
        .model
        .attempts
        .values()
        .filter(|attempt| attempt.task == task.id);
    let Some(attempt) = of_task.rfind(|attempt| !attempt.evidence.is_empty()) else {
        return;
    };
    section(&format!("Evidence of attempt {}", attempt.id), lines);
    for evidence in &attempt.evidence {
        let (text, role) = seen(evidence, look);
        paragraph(&text, role, room, lines);
    }
}

fn seen(evidence: &Evidence, look: &ViewContext<'_>) -> (String, StyleRole) {
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
    };
    let glyphs = look.scene.theme.glyphs;
    match &evidence.outcome {
        Tri::Yes => (
            format!("{} {what}", DisplayStatus::Done.glyph(glyphs)),
            StyleRole::Done,
        ),
        Tri::No(why) => (
            format!("{} {what}: no, {why}", DisplayStatus::Failed.glyph(glyphs)),
            StyleRole::Failed,
        ),
        Tri::Unknown(why) => (
            format!("{} {what}: unknown, {why}", DisplayStatus::Unsure.glyph(glyphs)),
            StyleRole::Retry,
        ),
    }
}

/// Every attempt, the newest first: where, who, how long, and what came of it, on a line of its own where it does not fit.
fn attempts(look: &ViewContext<'_>, task: &Task, room: usize, lines: &mut Lines) {
    let of_task = look
        .scene
        .model
        .attempts
        .values()
        .filter(|attempt| attempt.task == task.id);
    let attempts: Vec<_> = of_task.collect();
    if attempts.is_empty() {
        return;
    }
    section("Attempts", lines);
    let widest = |of: fn(&Attempt) -> usize| attempts.iter().map(|attempt| of(attempt)).max().unwrap_or(0);
    let stages = widest(|attempt| width(attempt.stage.as_str()));
    let names = widest(|attempt| width(attempt.worker.name()));
    for attempt in attempts.iter().rev() {
        let (text, role) = outcome(attempt);
        let begun = attempt.started_at.unwrap_or(attempt.created_at);
        let took = attempt
            .ended_at
            .unwrap_or(look.scene.now)
            .since(begun)
            .to_string();
        let (stage, name) = (attempt.stage.as_str(), attempt.worker.name());
        let head = format!(
            "{:>4}  {stage}{}  {name}{}  {took:>5}  ",
            attempt.id.to_string(),
            " ".repeat(stages.saturating_sub(width(stage))),
            " ".repeat(names.saturating_sub(width(name))),
        );
        let left = room.saturating_sub(width(&head));
        if width(&text) <= left {
            lines.push(vec![piece(head, StyleRole::Text), piece(text, role)]);
            continue;
        }
        lines.push(vec![piece(head.trim_end(), StyleRole::Text)]);
        let told = wrap(&text, room.saturating_sub(VERDICT).max(8)).into_iter();
        lines.extend(told.map(|line| vec![piece(" ".repeat(VERDICT), StyleRole::Text), piece(line, role)]));
    }
}

fn outcome(attempt: &Attempt) -> (String, StyleRole) {
    match &attempt.state {
        AttemptState::Settled(Verdict::Passed) => ("passed".to_owned(), StyleRole::Done),
        AttemptState::Settled(Verdict::Rejected(why)) => (format!("rejected: {why}"), StyleRole::Retry),
        AttemptState::Settled(Verdict::Blocked(why)) => (format!("blocked: {why}"), StyleRole::Blocked),
        AttemptState::Settled(Verdict::Failed(class, why)) => (format!("{class}: {why}"), StyleRole::Failed),
        AttemptState::Settled(Verdict::Stopped(cause)) => (stop_word(*cause).to_owned(), StyleRole::Dim),
        AttemptState::Starting
        | AttemptState::Running
        | AttemptState::Stopping(_)
        | AttemptState::Verifying => {
            let marker = attempt_status(attempt);
            (marker.word, marker.role)
        }
    }
}

fn comments(look: &ViewContext<'_>, task: &Task, room: usize, lines: &mut Lines) {
    if task.comments.is_empty() {
        return;
    }
    section("Comments", lines);
    for comment in task.comments.iter().rev() {
        let head = format!("{}, {} ago", comment.author, look.scene.now.since(comment.at));
        lines.push(vec![piece(head, StyleRole::Dim)]);
        paragraph(&comment.text, StyleRole::Text, room, lines);
    }
}

/// What happened to it lately, newest first.
fn events(look: &ViewContext<'_>, task: &Task, room: usize, lines: &mut Lines) {
    let of_task = |line: &&LogLine| line.notice.task.as_ref() == Some(&task.id);
    let mut found = look
        .scene
        .log
        .iter()
        .rev()
        .filter(of_task)
        .take(EVENTS)
        .peekable();
    if found.peek().is_none() {
        return;
    }
    section("Events", lines);
    for line in found {
        let time = clock(line.at, look.scene.session.utc_offset);
        let text = format!("{}  {}", line.notice.kind, line.notice.text);
        fact(
            time.get(..5).unwrap_or(&time),
            &text,
            StyleRole::Text,
            room,
            lines,
        );
    }
}
