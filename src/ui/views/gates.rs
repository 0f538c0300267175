//! The checks the engine ran, the worst first: command, how it ended, how long it took, and the output of the marked one.

mod output;

use ratatui::layout::Rect;

use super::{ClickMap, ClickTarget, MoveOutcome, View, ViewContext, ViewMove};
use crate::domain::{Attempt, AttemptState, Span, TaskId, Worker};
use crate::read_model::{CheckResult, CheckRun, RunningCheck};
use crate::ui::action::Action;
use crate::ui::cache::{CacheEntry, CacheKey, CacheRequest};
use crate::ui::canvas::area::{skip_top, top_part};
use crate::ui::canvas::{Canvas, StyledText, piece};
use crate::ui::list_filter;
use crate::ui::pane::{Direction, PaneId};
use crate::ui::scene::Scene;
use crate::ui::state::{Pane, PaneContent, SortOrder, UiState};
use crate::ui::status::DisplayStatus;
use crate::ui::target::{ActionTarget, marked_check, task_target as target_of};
use crate::ui::text::width;
use crate::ui::theme::{Glyphs, StyleRole};

/// The view of the checks the engine ran.
pub(super) struct GatesView;

/// From this inner height on the output of the marked check is shown below the list.
const OUTPUT_FROM: u16 = 8;
/// From this inner width on a row says how it ended.
const WIDE: u16 = 76;
/// How long what was read is good enough: while something runs, and otherwise.
const LIVE: Span = Span::seconds(2);
const QUIET: Span = Span::seconds(20);
/// The same where only a word of it is shown.
const BESIDE: Span = Span::seconds(5);
/// Cells of the bar of a check that runs.
const BAR: u64 = 10;

impl View for GatesView {
    fn title(&self, look: &ViewContext<'_>) -> Vec<StyledText> {
        let mut title = vec![piece("Gates", StyleRole::Title)];
        if let Some(task) = of_task(look) {
            title.push(piece(format!("  of {task}"), StyleRole::Dim));
        }
        let checks = checks(look).unwrap_or_default();
        let failed = |check: &&CheckRun| matches!(check.result, CheckResult::Failed(_));
        let failed = checks.iter().filter(failed).count();
        title.push(piece(format!("  {} runs", checks.len()), StyleRole::Dim));
        if failed > 0 {
            title.push(piece(format!("  {failed} failed"), StyleRole::Failed));
        }
        title
    }

    fn has_parts(&self) -> bool {
        true
    }

    fn target<'a>(
        &self,
        _state: &UiState,
        scene: &Scene<'a>,
        (_, pane): (PaneId, &Pane),
    ) -> ActionTarget<'a> {
        let task = task_of(&pane.content);
        let check = marked_check(task, pane, scene).map(|check| &check.task);
        check
            .or(task)
            .map_or_else(ActionTarget::default, |id| target_of(scene, id))
    }

    fn cache_requests(&self, look: &ViewContext<'_>) -> Vec<CacheRequest> {
        let list = CacheRequest {
            key: CacheKey::Checks(of_task(look).cloned()),
            max_age: if somebody_works(look) { LIVE } else { QUIET },
        };
        let output = marked(look).map(|check| CacheRequest {
            key: CacheKey::Output(check.attempt, check.index),
            max_age: if check.took.is_none() {
                LIVE
            } else {
                Span::minutes(10)
            },
        });
        output.into_iter().chain([list]).collect()
    }

    fn copy_items(&self, look: &ViewContext<'_>) -> Vec<(&'static str, String)> {
        let of = |check: &CheckRun| [("check", check.command.clone()), ("tested", check.commit.clone())];
        marked(look).map(of).into_iter().flatten().collect()
    }

    fn match_count(&self, look: &ViewContext<'_>) -> Option<(usize, usize)> {
        Some((shown(look).len(), checks(look).map_or(0, <[CheckRun]>::len)))
    }

    fn orders(&self) -> &'static [SortOrder] {
        &[SortOrder::Default, SortOrder::Newest, SortOrder::Name]
    }

    fn draw(&self, look: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>, hits: &mut ClickMap) {
        let (all, found) = (checks(look).unwrap_or_default(), shown(look));
        let Some(chosen) = marked(look) else {
            if all.is_empty() {
                empty(look, area, canvas);
            }
            return;
        };
        let (list, below) = divide(area, found.len());
        let at = found.iter().position(|check| check.key() == chosen.key());
        let drawn = look
            .list((list, 1), &found, at)
            .draw(canvas, hits, |check, line, canvas| {
                draw_check(look, all, check, line, canvas);
                Some(ClickTarget::Row(look.id, check.key()))
            });
        if let Some(below) = below {
            canvas.horizontal_line(below.y - 1, below);
            output::draw(look, chosen, below, canvas);
        }
        tell_of_more(look, found.len() - drawn, list, canvas);
    }

    fn navigate(&self, look: &ViewContext<'_>, area: Rect, step: ViewMove) -> MoveOutcome {
        let found = shown(look);
        if checks(look).is_none_or(<[CheckRun]>::is_empty) {
            return MoveOutcome::LeaveView;
        }
        let (_, below) = divide(area, found.len());
        let step = match (step, below) {
            (ViewMove::PageUp | ViewMove::PageDown | ViewMove::Lines(_), Some(below)) => {
                return output::scroll(look, below, step);
            }
            (ViewMove::Next, _) => ViewMove::One(Direction::Down),
            (ViewMove::Previous, _) => ViewMove::One(Direction::Up),
            (other, _) => other,
        };
        let mark = marked(look).map(CheckRun::key);
        let at = found.iter().position(|check| Some(check.key()) == mark);
        step.in_list(area.height, (&found, at), |check| MoveOutcome::Marked {
            mark: check.key(),
            scroll: 0,
        })
    }
}

/// What must be fetched so that a card can say which check runs and for how long; nothing while none can.
pub(super) fn running_request(look: &ViewContext<'_>) -> Option<CacheRequest> {
    let checks = |attempt: &Attempt| match attempt.state {
        AttemptState::Verifying => true,
        AttemptState::Running => matches!(attempt.worker, Worker::Engine(_)),
        _ => false,
    };
    let mut attempts = look.scene.model.attempts.values();
    attempts.any(|attempt| checks(attempt)).then_some(CacheRequest {
        key: CacheKey::Checks(None),
        max_age: BESIDE,
    })
}

fn of_task<'a>(look: &ViewContext<'a>) -> Option<&'a TaskId> {
    task_of(&look.pane.content)
}

fn task_of(content: &PaneContent) -> Option<&TaskId> {
    match content {
        PaneContent::Gates(task) => task.as_ref(),
        _ => None,
    }
}

fn somebody_works(look: &ViewContext<'_>) -> bool {
    look.scene
        .model
        .attempts
        .values()
        .any(|attempt| attempt.state.is_open())
}

fn checks<'a>(look: &ViewContext<'a>) -> Option<&'a [CheckRun]> {
    match look.scene.cache.get(&CacheKey::Checks(of_task(look).cloned()))? {
        CacheEntry::Checks(checks) => Some(checks),
        _ => None,
    }
}

/// Those that match what the list is filtered by, in order.
fn shown<'a>(look: &ViewContext<'a>) -> Vec<&'a CheckRun> {
    list_filter::checks(&look.sieve(), of_task(look), look.scene)
}

fn marked<'a>(look: &ViewContext<'a>) -> Option<&'a CheckRun> {
    marked_check(of_task(look), look.pane, look.scene)
}

/// The list above, the output below it.
fn divide(area: Rect, many: usize) -> (Rect, Option<Rect>) {
    if area.height < OUTPUT_FROM {
        let is_longer = many > usize::from(area.height);
        let height = area.height.saturating_sub(u16::from(is_longer));
        return (Rect { height, ..area }, None);
    }
    let most = (area.height * 2 / 5).max(3);
    let height = u16::try_from(many).unwrap_or(most).clamp(1, most);
    (top_part(area, height), Some(skip_top(area, height + 1)))
}

/// How many are out of sight and the keys that lead there, in the row below the list.
fn tell_of_more(look: &ViewContext<'_>, hidden: usize, list: Rect, canvas: &mut Canvas<'_>) {
    let hint = |action| look.state.keymap.hint(action).unwrap_or_default();
    let keys = [Action::NextPart, Action::PreviousPart].map(hint).join(" ");
    let row = output::inside(Rect {
        y: list.bottom(),
        height: 1,
        ..list
    });
    if hidden > 0 {
        let more = piece(format!(" +{hidden} more  "), StyleRole::Text);
        canvas.line(row, &[more, piece(format!("{keys} "), StyleRole::Key)]);
    }
}

fn look_of(check: &CheckRun) -> (DisplayStatus, StyleRole, String) {
    match &check.result {
        CheckResult::Failed(why) => (DisplayStatus::Failed, StyleRole::Failed, why.clone()),
        CheckResult::Unknown(why) => (DisplayStatus::Unsure, StyleRole::Retry, why.clone()),
        CheckResult::Running => (DisplayStatus::Gate, StyleRole::Verifying, "running".to_owned()),
        CheckResult::Passed => (DisplayStatus::Done, StyleRole::Done, "passed".to_owned()),
    }
}

fn draw_check(
    look: &ViewContext<'_>,
    all: &[CheckRun],
    check: &CheckRun,
    line: Rect,
    canvas: &mut Canvas<'_>,
) {
    let (mark, role, word) = look_of(check);
    let glyphs = look.scene.theme.glyphs;
    let age = look.scene.now.since(check.began).to_string();
    let took = check
        .took
        .map_or_else(|| running_for(look, all, check, glyphs), seconds);
    let mut right = vec![
        piece(format!("  {took:>6}"), StyleRole::Text),
        piece(format!(" {age:>5} ago "), StyleRole::Dim),
    ];
    if line.width >= WIDE {
        right.insert(0, piece(format!("  {word}"), role));
    }
    let stage = check.stage.as_str();
    let widest = all.iter().map(|check| width(check.stage.as_str())).max();
    let pad = " ".repeat(widest.unwrap_or(0).saturating_sub(width(stage)));
    let left = [
        piece(format!(" {} ", mark.glyph(glyphs)), role),
        piece(format!("{:<8} ", check.task), StyleRole::Strong),
        piece(format!("{stage}{pad}  "), StyleRole::Dim),
        piece(format!("{}: ", check.name), StyleRole::Text),
        piece(&check.command, StyleRole::Text),
    ];
    canvas.both_ends(line, &left, &right);
}

fn seconds(span: Span) -> String {
    match span.0 {
        millis @ 0..60_000 => format!("{}.{}s", millis / 1000, millis % 1000 / 100),
        _ => span.to_string(),
    }
}

/// `[####......] 40s of ~75s`: how long it runs already, and how long it usually takes.
fn running_for(look: &ViewContext<'_>, all: &[CheckRun], check: &CheckRun, glyphs: Glyphs) -> String {
    let running = RunningCheck::among(all, check, look.scene.now);
    let Some(usual) = running.usual else {
        return running.times();
    };
    let full = usize::try_from((running.so_far.0 * BAR / usual.0.max(1)).min(BAR)).unwrap_or(0);
    let cells = usize::try_from(BAR).unwrap_or(0);
    let (filled, open) = match glyphs {
        Glyphs::Unicode => ("█", "░"),
        Glyphs::Ascii => ("#", "."),
    };
    format!(
        "[{}{}] {}",
        filled.repeat(full),
        open.repeat(cells - full),
        running.times()
    )
}

fn empty(look: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    if let Some(why) = look.failure(&CacheKey::Checks(of_task(look).cloned())) {
        return canvas.empty_state(area, (&why, StyleRole::Failed), "");
    }
    let (text, hint) = match checks(look) {
        None => ("Looking for checks.", ""),
        Some(_) => (
            "The engine has run no check yet.",
            "A check is a command that must succeed: dbs config gates.NAME COMMAND",
        ),
    };
    canvas.empty_state(area, (text, StyleRole::Strong), hint);
}
