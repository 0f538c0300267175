//! The lines of the figures: bars and curves made of characters, with their meaning in words.

use std::sync::Arc;

use ratatui::symbols::bar;

use super::MetricsLines;
use crate::display::text::{cut, width};
use crate::domain::workflow::Stage;
use crate::domain::{Span, StageId, TaskId, TaskState, Workflow, pluralized};
use crate::read_model::{MetricsReport, Trail, per_span};
use crate::ui::cache::{CacheEntry, CacheKey};
use crate::ui::canvas::prelude::*;
use crate::ui::views::ViewContext;

/// Spans of the curves.
const MINUTES: Span = Span::minutes(5);
const HOURS: Span = Span::minutes(60);
/// Columns of a stage's name, and maximum columns of a bar.
const NAME: usize = 16;
const BAR: usize = 48;
/// Columns of the name of what takes room on the disk.
const DISK_PART: usize = 24;
/// Maximum number of trails of tasks that are shown, the latest.
const TRAILS: usize = 60;

fn section(title: &str, note: &str, lines: &mut MetricsLines) {
    lines.push(Vec::new());
    lines.push(vec![strong(title), dim(format!("  {note}"))]);
}

/// Returns the tasks that were done and the attempts that ended: in the last hours, in the last minutes.
pub(super) fn throughput(ctx: &ViewContext<'_>, figures: &MetricsReport, room: usize) -> MetricsLines {
    let now = ctx.scene.now;
    let glyphs = ctx.scene.theme.glyphs;
    let done = || {
        let tasks = ctx.scene.model.tasks.values();
        tasks
            .filter(|task| task.state == TaskState::Done)
            .map(|task| task.since)
    };
    let wide = room.saturating_sub(30).clamp(12, 48);
    let hours = per_span(done(), HOURS, now, wide.min(24));
    let ended = per_span(figures.metrics.ends.iter().copied(), MINUTES, now, wide.min(36));
    let today: u64 = hours.iter().sum();
    let mut lines = MetricsLines::new();
    section(
        "Throughput",
        &format!("{} done", pluralized(done().count(), "task")),
        &mut lines,
    );
    lines.push(curve(
        "done per hour",
        &hours,
        &format!("{today} in {}h", hours.len()),
        glyphs,
    ));
    let recent: u64 = ended.iter().rev().take(12).sum();
    lines.push(curve(
        "attempts per 5m",
        &ended,
        &format!("{recent} in 1h"),
        glyphs,
    ));
    lines
}

fn curve(name: &str, counts: &[u64], note: &str, glyphs: Glyphs) -> Vec<StyledText> {
    vec![
        plain(format!("{name:<NAME$}")),
        piece(sparkline(counts, glyphs), StyleRole::Running),
        dim(format!("  {note}")),
    ]
}

/// Returns a character per number, as high as it is large.
pub(in crate::ui::views) fn sparkline(counts: &[u64], glyphs: Glyphs) -> String {
    let levels = bar::NINE_LEVELS;
    let unicode = [
        levels.empty,
        levels.one_eighth,
        levels.one_quarter,
        levels.three_eighths,
        levels.half,
        levels.five_eighths,
        levels.three_quarters,
        levels.seven_eighths,
        levels.full,
    ];
    let set = glyphs.pick(unicode, [".", "_", ",", "-", "=", "+", "*", "%", "#"]);
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let level = |count: &u64| usize::try_from((count * 8).div_ceil(most)).unwrap_or(8);
    let marks = counts
        .iter()
        .map(|count| set.get(level(count)).copied().unwrap_or("#"));
    marks.collect()
}

/// Returns a bar of `cells` cells for a part of the whole.
fn filled(part: u64, total: u64, cells: usize, glyphs: Glyphs) -> String {
    let many = u64::try_from(cells).unwrap_or(0) * part / total.max(1);
    let many = usize::try_from(many)
        .unwrap_or(0)
        .max(usize::from(part > 0))
        .min(cells);
    glyphs.pick(bar::FULL, "#").repeat(many)
}

/// Returns the figures per stage: the duration of an attempt, and the numbers of attempts that passed, came back, or brought nothing.
pub(super) fn stages(ctx: &ViewContext<'_>, figures: &MetricsReport, room: usize) -> MetricsLines {
    let glyphs = ctx.scene.theme.glyphs;
    let mut lines = MetricsLines::new();
    let cells = room.saturating_sub(NAME + 30).min(BAR);
    let known = order(ctx, figures);
    if known.is_empty() {
        section("Stages", "no attempt has ended yet", &mut lines);
    } else {
        lines.push(Vec::new());
        let heads = format!("{:>6} {:>5} {:>5} {:>6}", "time", "pass", "back", "failed");
        lines.push(vec![
            strong(format!("{:<1$}", "Stages, average", NAME + cells + 1)),
            dim(heads),
        ]);
    }
    let most = known.iter().filter_map(|id| figures.metrics.stages.get(id));
    let most = most.map(|stage| stage.average().0).max().unwrap_or(0);
    for id in known {
        let Some(stage) = figures.metrics.stages.get(id) else {
            continue;
        };
        let bar = filled(stage.average().0, most, cells, glyphs);
        let label = stage_of(ctx.scene.model.workflows.values(), id);
        let label = label.map_or_else(|| id.to_string(), |stage| stage.label.clone());
        let name = cut(&label, NAME - 1, ctx.scene.theme.ellipsis());
        let pad = " ".repeat(NAME.saturating_sub(width(&name)));
        lines.push(vec![
            plain(format!("{name}{pad}")),
            piece(format!("{bar:<cells$} "), StyleRole::Running),
            strong(format!("{:>6}", stage.average().to_string())),
            piece(format!(" {:>5}", stage.passes), StyleRole::Done),
            piece(format!(" {:>5}", stage.rejections), StyleRole::Retry),
            piece(format!(" {:>6}", stage.failures), StyleRole::Failed),
        ]);
    }
    lines
}

/// Returns the stages that have figures, in the order of the workflows; unknown ones last.
fn order<'a>(ctx: &ViewContext<'_>, figures: &'a MetricsReport) -> Vec<&'a StageId> {
    let place = |id: &StageId| {
        let flows = ctx.scene.model.workflows.values();
        let mut places = flows.filter_map(|flow| flow.stages.iter().position(|stage| stage.id == *id));
        places.next().unwrap_or(usize::MAX)
    };
    let mut known: Vec<&StageId> = figures.metrics.stages.keys().collect();
    known.sort_by_key(|id| place(id));
    known
}

/// Returns the first of some workflows' stages with that id.
fn stage_of<'a>(mut flows: impl Iterator<Item = &'a Arc<Workflow>>, id: &StageId) -> Option<&'a Stage> {
    flows.find_map(|flow| flow.stage(id))
}

/// Returns the numbers of rejections, retries, timeouts and failures.
pub(super) fn totals(ctx: &ViewContext<'_>, figures: &MetricsReport, room: usize) -> MetricsLines {
    let metrics = &figures.metrics;
    let mut lines = MetricsLines::new();
    section(
        "Totals",
        &format!("{} ended", pluralized(metrics.attempts, "attempt")),
        &mut lines,
    );
    let number = |many: u32, word: &str, role: StyleRole| {
        let role = if many == 0 { StyleRole::Dim } else { role };
        [piece(format!("{many}"), role), plain(format!(" {word}   "))]
    };
    let mut line = Vec::new();
    line.extend(number(metrics.rejections(), "sent back", StyleRole::Retry));
    line.extend(number(metrics.retries(), "retried", StyleRole::Retry));
    line.extend(number(metrics.timeouts(), "timeouts", StyleRole::Failed));
    line.extend(number(metrics.stopped, "stopped", StyleRole::Text));
    lines.push(line);
    let most = metrics.failures.values().copied().max().unwrap_or(0);
    for (class, many) in &metrics.failures {
        let cells = room.saturating_sub(NAME + 6).min(BAR);
        let bar = filled(u64::from(*many), u64::from(most), cells, ctx.scene.theme.glyphs);
        lines.push(vec![
            plain(format!("{:<NAME$}", class.to_string())),
            piece(format!("{many:>4} "), StyleRole::Failed),
            piece(bar, StyleRole::Failed),
        ]);
    }
    lines
}

/// Returns the share of the machine that each agent at work uses.
pub(super) fn loads(ctx: &ViewContext<'_>, figures: &MetricsReport, room: usize) -> MetricsLines {
    let mut lines = MetricsLines::new();
    let memory: u64 = figures.loads.iter().map(|load| load.memory).sum();
    // The sum of nothing is a negative zero, which would be shown as one.
    let cpu: f32 = figures.loads.iter().map(|load| load.cpu).sum::<f32>() + 0.0;
    section(
        "Agents",
        &format!("{cpu:.0}% of a core, {}", bytes(memory)),
        &mut lines,
    );
    if figures.loads.is_empty() {
        lines.push(vec![dim("No agent is running.")]);
    }
    let cells = room.saturating_sub(52).min(BAR);
    for load in &figures.loads {
        let attempt = ctx.scene.model.attempts.get(&load.attempt);
        let (task, name) = attempt.map_or_else(Default::default, |attempt| {
            (attempt.task.to_string(), attempt.worker.name().to_owned())
        });
        let share = filled(percent(load.cpu), 100, cells, ctx.scene.theme.glyphs);
        lines.push(vec![
            strong(format!("{task:<8} ")),
            plain(format!("{:<22}", cut(&name, 21, ctx.scene.theme.ellipsis()))),
            piece(format!("{:>5.0}% ", load.cpu), StyleRole::Running),
            piece(format!("{share:<cells$}"), StyleRole::Running),
            plain(format!(" {:>9}", bytes(load.memory))),
        ]);
    }
    lines
}

/// Returns the free room on the disk, and what the program takes, once that is measured.
pub(super) fn disk(ctx: &ViewContext<'_>) -> MetricsLines {
    let mut lines = MetricsLines::new();
    let Some(CacheEntry::Disk(disk)) = ctx.scene.cache.get(&CacheKey::Disk) else {
        return lines;
    };
    let free = disk
        .free
        .map_or_else(String::new, |free| format!("{} free", bytes(free)));
    section("Disk", &free, &mut lines);
    for (what, taken) in &disk.parts {
        lines.push(vec![plain(format!("{what:<DISK_PART$}{:>9}", bytes(*taken)))]);
    }
    if disk.lack().is_some() {
        let text = format!("No agent is started below {}.", bytes(disk.least));
        lines.push(vec![piece(text, StyleRole::Failed)]);
        lines.push(vec![plain("`dbs clean --builds` frees what can be built again.")]);
    }
    lines
}

/// Returns a share of one core as a whole number, at most 100.
fn percent(cpu: f32) -> u64 {
    let percent = (0..100_u8).find(|percent| f32::from(*percent) >= cpu);
    u64::from(percent.unwrap_or(100))
}

fn bytes(bytes: u64) -> String {
    const MIB: u64 = 1024 * 1024;
    match bytes / MIB {
        mib @ 0..1024 => format!("{mib} MiB"),
        mib => format!("{}.{} GiB", mib / 1024, mib % 1024 * 10 / 1024),
    }
}

/// Returns the trails of the tasks that were worked on last (K13).
pub(super) fn trails(ctx: &ViewContext<'_>, figures: &MetricsReport, room: usize) -> MetricsLines {
    let mut lines = MetricsLines::new();
    let mut latest: Vec<_> = figures.metrics.trails.iter().collect();
    latest.sort_by(|(a, of_a), (b, of_b)| of_b.ended.cmp(&of_a.ended).then_with(|| a.cmp(b)));
    if latest.is_empty() {
        return lines;
    }
    section("Trails", "2x tried twice, ! sent back", &mut lines);
    for (id, trail) in latest.into_iter().take(TRAILS) {
        let done = ctx
            .scene
            .model
            .tasks
            .get(id)
            .is_some_and(|task| task.state == TaskState::Done);
        let total = trail.ended.since(trail.began);
        let steps = cut(
            &steps(ctx, id, trail, done),
            room.saturating_sub(16),
            ctx.scene.theme.ellipsis(),
        );
        lines.push(vec![
            strong(format!("{id:<8} ")),
            plain(format!("{:>6}  ", total.to_string())),
            plain(steps),
        ]);
    }
    lines
}

/// Returns the steps of a trail: `dev 2x 12m > rev! 3m > dev 4m > done`.
fn steps(ctx: &ViewContext<'_>, task: &TaskId, trail: &Trail, done: bool) -> String {
    let model = ctx.scene.model;
    // Workflows may use the same stage id with different names.
    let own = model.tasks.get(task);
    let own = own.and_then(|task| model.workflows.get(&task.workflow));
    let short = |id: &StageId| {
        let flows = own.into_iter().chain(model.workflows.values());
        stage_of(flows, id).map_or_else(|| id.to_string(), |stage| stage.short.clone())
    };
    let mut steps: Vec<String> = trail
        .steps
        .iter()
        .map(|step| {
            let rejected = if step.is_rejected { "!" } else { "" };
            let times = if step.times > 1 {
                format!(" {}x", step.times)
            } else {
                String::new()
            };
            format!("{}{rejected}{times} {}", short(&step.stage), step.took)
        })
        .collect();
    if done {
        steps.push("done".to_owned());
    }
    steps.join(" > ")
}
