//! The checks the engine ran, the worst first: command, result, duration, and the output of the marked one.

mod output;

use super::{ClickTarget, MoveOutcome, View, ViewContext, ViewMove};
use crate::display::text::width;
use crate::domain::{Attempt, AttemptState, Span, TaskId, Worker, pluralized};
use crate::keymap::Action;
use crate::keymap::Direction;
use crate::read_model::{CheckResult, CheckRun, RunningCheck};
use crate::ui::cache::{CacheEntry, CacheKey, CacheRequest};
use crate::ui::canvas::prelude::*;
use crate::ui::list_filter;
use crate::ui::pane::PaneId;
use crate::ui::scene::Scene;
use crate::ui::state::{Pane, PaneContent, SortOrder, UiState};
use crate::ui::status::DisplayStatus;
use crate::ui::target::{ActionTarget, marked_check, task_target as target_of};

/// The view of the checks the engine ran.
pub(super) struct GatesView;

/// Inner height from which the output of the marked check is shown below the list.
const OUTPUT_FROM: u16 = 8;
/// Inner width from which a row shows the result.
const WIDE: u16 = 76;
/// Time for which checks that were read are good enough: while something runs, and otherwise.
const LIVE: Span = Span::seconds(2);
const QUIET: Span = Span::seconds(20);
/// Time for which checks that were read are good enough if only a word of them is shown.
const BESIDE: Span = Span::seconds(5);
/// Cells of the bar of a check that runs.
const BAR: u64 = 10;

impl View for GatesView {
    fn title(&self, ctx: &ViewContext<'_>) -> Vec<StyledText> {
        let mut title = vec![piece("Gates", StyleRole::Title)];
        if let Some(task) = of_task(ctx) {
            title.push(dim(format!("  of {task}")));
        }
        let Some(checks) = checks(ctx) else { return title };
        let failed = |check: &&CheckRun| look_of(ctx, check).0 == DisplayStatus::Failed;
        let failed = checks.iter().filter(failed).count();
        title.push(dim(format!("  {}", pluralized(checks.len(), "run"))));
        if failed > 0 {
            title.push(piece(format!("  {failed} failed"), StyleRole::Failed));
        }
        title
    }

    fn has_parts(&self) -> bool {
        true
    }

    fn target<'a>(&self, _state: &UiState, scene: &Scene<'a>, _: PaneId, pane: &Pane) -> ActionTarget<'a> {
        let task = task_of(&pane.content);
        let check = marked_check(task, pane, scene).map(|check| &check.task);
        check
            .or(task)
            .map_or_else(ActionTarget::default, |id| target_of(scene, id))
    }

    fn cache_requests(&self, ctx: &ViewContext<'_>) -> Vec<CacheRequest> {
        let max_age = if is_an_agent_at_work(ctx) { LIVE } else { QUIET };
        let list = CacheRequest::checks(ctx.scene.model, of_task(ctx), max_age);
        let output = marked(ctx).map(|check| {
            CacheRequest::new(
                CacheKey::output(check),
                if check.took.is_none() {
                    LIVE
                } else {
                    Span::minutes(10)
                },
            )
        });
        output.into_iter().chain([list]).collect()
    }

    fn copy_items(&self, ctx: &ViewContext<'_>) -> Vec<(&'static str, String)> {
        let of = |check: &CheckRun| [("check", check.command.clone()), ("tested", check.commit.clone())];
        marked(ctx).map(of).into_iter().flatten().collect()
    }

    fn match_count(&self, ctx: &ViewContext<'_>) -> Option<(usize, usize)> {
        Some((shown(ctx).len(), checks(ctx).map_or(0, <[CheckRun]>::len)))
    }

    fn orders(&self) -> &'static [SortOrder] {
        &[SortOrder::Default, SortOrder::Newest, SortOrder::Name]
    }

    fn draw(&self, ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
        let (all, found) = (checks(ctx).unwrap_or_default(), shown(ctx));
        let Some(chosen) = marked(ctx) else {
            if all.is_empty() {
                empty(ctx, area, canvas);
            }
            return;
        };
        let (list, below) = divide(area, found.len());
        let at = found.iter().position(|check| check.key() == chosen.key());
        let drawn = ctx.list(list, 1, &found, at).draw(canvas, |check, line, canvas| {
            draw_check(ctx, all, check, line, canvas);
            Some(ClickTarget::Row(ctx.id, check.key()))
        });
        if let Some(below) = below {
            canvas.horizontal_line(below.y - 1, below);
            output::draw(ctx, chosen, below, canvas);
        }
        draw_hidden_count(ctx, found.len() - drawn, list, canvas);
    }

    fn navigate(&self, ctx: &ViewContext<'_>, area: Rect, step: ViewMove) -> MoveOutcome {
        let found = shown(ctx);
        if checks(ctx).is_none_or(<[CheckRun]>::is_empty) {
            return MoveOutcome::LeaveView;
        }
        let (_, below) = divide(area, found.len());
        let step = match (step, below) {
            (ViewMove::PageUp | ViewMove::PageDown | ViewMove::Lines(_), Some(below)) => {
                return output::scroll(ctx, below, step);
            }
            (ViewMove::Next, _) => ViewMove::One(Direction::Down),
            (ViewMove::Previous, _) => ViewMove::One(Direction::Up),
            (other, _) => other,
        };
        let mark = marked(ctx).map(CheckRun::key);
        let at = found.iter().position(|check| Some(check.key()) == mark);
        step.in_list(area.height, &found, at, |check| MoveOutcome::Marked {
            mark: check.key(),
            scroll: 0,
        })
    }
}

/// Returns the request for a card's running check and its time; `None` while no check can run.
pub(super) fn running_request(ctx: &ViewContext<'_>) -> Option<CacheRequest> {
    let checks = |attempt: &Attempt| match attempt.state {
        AttemptState::Verifying => true,
        AttemptState::Running => matches!(attempt.worker, Worker::Engine(_)),
        _ => false,
    };
    let mut attempts = ctx.scene.model.attempts.values();
    attempts
        .any(|attempt| checks(attempt))
        .then(|| CacheRequest::checks(ctx.scene.model, None, BESIDE))
}

fn of_task<'a>(ctx: &ViewContext<'a>) -> Option<&'a TaskId> {
    task_of(&ctx.pane.content)
}

fn task_of(content: &PaneContent) -> Option<&TaskId> {
    match content {
        PaneContent::Gates(task) => task.as_ref(),
        _ => None,
    }
}

fn is_an_agent_at_work(ctx: &ViewContext<'_>) -> bool {
    ctx.scene
        .model
        .attempts
        .values()
        .any(|attempt| attempt.state.is_open())
}

fn checks<'a>(ctx: &ViewContext<'a>) -> Option<&'a [CheckRun]> {
    match ctx.scene.cache.get(&CacheKey::Checks(of_task(ctx).cloned()))? {
        CacheEntry::Checks(checks) => Some(checks),
        _ => None,
    }
}

/// Returns the checks that match the filter of the list, in order.
fn shown<'a>(ctx: &ViewContext<'a>) -> Vec<&'a CheckRun> {
    list_filter::checks(&ctx.filter(), of_task(ctx), ctx.scene)
}

fn marked<'a>(ctx: &ViewContext<'a>) -> Option<&'a CheckRun> {
    marked_check(of_task(ctx), ctx.pane, ctx.scene)
}

/// Divides the area: the list above, the output below it.
fn divide(area: Rect, many: usize) -> (Rect, Option<Rect>) {
    if area.height < OUTPUT_FROM {
        let is_longer = many > usize::from(area.height);
        let height = area.height.saturating_sub(u16::from(is_longer));
        return (Rect { height, ..area }, None);
    }
    let most = (area.height * 2 / 5).max(3);
    let height = cells(many).clamp(1, most);
    (top_part(area, height), Some(skip_top(area, height + 1)))
}

/// Draws the number of hidden checks and the keys that lead there, in the row below the list.
fn draw_hidden_count(ctx: &ViewContext<'_>, hidden: usize, list: Rect, canvas: &mut Canvas<'_>) {
    let keys = [Action::NextPart, Action::PreviousPart]
        .map(|action| ctx.key_of(action))
        .join(" ");
    let below = Rect {
        y: list.bottom(),
        height: 1,
        ..list
    };
    let row = inset(below, 1);
    if hidden > 0 {
        let more = plain(format!(" +{hidden} more  "));
        canvas.line(row, &[more, piece(format!("{keys} "), StyleRole::Key)]);
    }
}

fn look_of(ctx: &ViewContext<'_>, check: &CheckRun) -> (DisplayStatus, StyleRole, String) {
    match &check.result {
        CheckResult::Failed(_) if ctx.scene.model.fails_as_it_must(check) => {
            let word = "failed, as it must".to_owned();
            (DisplayStatus::Done, StyleRole::Done, word)
        }
        CheckResult::Failed(why) => (DisplayStatus::Failed, StyleRole::Failed, why.clone()),
        CheckResult::Unknown(why) => (DisplayStatus::Unsure, StyleRole::Retry, why.clone()),
        CheckResult::Running => (DisplayStatus::Gate, StyleRole::Verifying, "running".to_owned()),
        CheckResult::Passed => (DisplayStatus::Done, StyleRole::Done, "passed".to_owned()),
    }
}

fn draw_check(
    ctx: &ViewContext<'_>,
    all: &[CheckRun],
    check: &CheckRun,
    line: Rect,
    canvas: &mut Canvas<'_>,
) {
    let (mark, role, word) = look_of(ctx, check);
    let glyphs = ctx.scene.theme.glyphs;
    let age = ctx.scene.now.since(check.began).to_string();
    let took = check
        .took
        .map_or_else(|| running_for(ctx, all, check, glyphs), seconds);
    let mut right = vec![plain(format!("  {took:>6}")), dim(format!(" {age:>5} ago "))];
    if line.width >= WIDE {
        // The sign shows the result already.
        let word = check.tests.map_or(word, |tests| tests.to_string());
        right.insert(0, piece(format!("  {word}"), role));
    }
    let stage = check.stage.as_str();
    let widest = all.iter().map(|check| width(check.stage.as_str())).max();
    let pad = " ".repeat(widest.unwrap_or(0).saturating_sub(width(stage)));
    let left = [
        piece(format!(" {} ", mark.glyph(glyphs)), role),
        strong(format!("{:<8} ", check.task)),
        dim(format!("{stage}{pad}  ")),
        plain(format!("{}: ", check.name)),
        plain(&check.command),
    ];
    canvas.both_ends(line, &left, &right);
}

fn seconds(span: Span) -> String {
    match span.0 {
        millis @ 0..60_000 => format!("{}.{}s", millis / 1000, millis % 1000 / 100),
        _ => span.to_string(),
    }
}

/// Returns the time a check has run, and its usual time: `[####......] 40s of ~75s`.
fn running_for(ctx: &ViewContext<'_>, all: &[CheckRun], check: &CheckRun, glyphs: Glyphs) -> String {
    let running = RunningCheck::among(all, check, ctx.scene.now);
    let Some(usual) = running.usual else {
        return running.times();
    };
    let full = usize::try_from((running.so_far.0 * BAR / usual.0.max(1)).min(BAR)).unwrap_or(0);
    let cells = usize::try_from(BAR).unwrap_or(0);
    let (filled, open) = glyphs.pick(("█", "░"), ("#", "."));
    format!(
        "[{}{}] {}",
        filled.repeat(full),
        open.repeat(cells - full),
        running.times()
    )
}

fn empty(ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let hint = "A check is a command that must succeed: dbs config gates.NAME COMMAND";
    let key = CacheKey::Checks(of_task(ctx).cloned());
    ctx.draw_missing(&key, area, "checks", "No check has run yet.", hint, canvas);
}
