//! The checks the engine ran, the worst first: command, how it ended, how long it took, and the output of the marked one.

use ratatui::layout::Rect;

use super::{Hit, Hits, Look, Moved, Step, View, first_row, scrolled, stepped};
use crate::domain::{Attempt, AttemptState, Span, TaskId, Worker};
use crate::read_model::{Check, CheckResult, RunningCheck};
use crate::ui::action::Action;
use crate::ui::canvas::{Canvas, Piece, piece, row_of};
use crate::ui::lists;
use crate::ui::marker::Mark;
use crate::ui::pane::PaneId;
use crate::ui::scene::Scene;
use crate::ui::shelf::{Paper, Sheet, Want};
use crate::ui::state::{Content, Order, Pane, State};
use crate::ui::target::{Target, marked_check, of_task as target_of};
use crate::ui::text::{width, wrap};
use crate::ui::theme::{Glyphs, Role};

/// The checks the engine ran.
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
    fn title(&self, look: &Look<'_>) -> Vec<Piece> {
        let mut title = vec![piece("Gates", Role::Title)];
        if let Some(task) = of_task(look) {
            title.push(piece(format!("  of {task}"), Role::Dim));
        }
        let checks = checks(look).unwrap_or_default();
        let failed = |check: &&Check| matches!(check.result, CheckResult::Failed(_));
        let failed = checks.iter().filter(failed).count();
        title.push(piece(format!("  {} runs", checks.len()), Role::Dim));
        if failed > 0 {
            title.push(piece(format!("  {failed} failed"), Role::Failed));
        }
        title
    }

    fn has_parts(&self) -> bool {
        true
    }

    fn target<'a>(&self, _state: &State, scene: &Scene<'a>, (_, pane): (PaneId, &Pane)) -> Target<'a> {
        let task = task_of(&pane.content);
        let check = marked_check(task, pane, scene).map(|check| &check.task);
        check
            .or(task)
            .map_or_else(Target::default, |id| target_of(scene, id))
    }

    fn papers(&self, look: &Look<'_>) -> Vec<Want> {
        let list = Want {
            paper: Paper::Checks(of_task(look).cloned()),
            fresh_for: if somebody_works(look) { LIVE } else { QUIET },
        };
        let output = marked(look).map(|check| Want {
            paper: Paper::Output(check.attempt, check.nth),
            fresh_for: if check.took.is_none() {
                LIVE
            } else {
                Span::minutes(10)
            },
        });
        output.into_iter().chain([list]).collect()
    }

    fn copies(&self, look: &Look<'_>) -> Vec<(&'static str, String)> {
        let of = |check: &Check| [("check", check.command.clone()), ("tested", check.commit.clone())];
        marked(look).map(of).into_iter().flatten().collect()
    }

    fn found(&self, look: &Look<'_>) -> Option<(usize, usize)> {
        Some((shown(look).len(), checks(look).map_or(0, <[Check]>::len)))
    }

    fn orders(&self) -> &'static [Order] {
        &[Order::Usual, Order::Newest, Order::Name]
    }

    fn draw(&self, look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>, hits: &mut Hits) {
        let (all, found) = (checks(look).unwrap_or_default(), shown(look));
        let Some(chosen) = marked(look) else {
            if all.is_empty() {
                empty(look, area, canvas);
            }
            return;
        };
        let (list, below) = divide(area, found.len());
        let at = found.iter().position(|check| check.mark() == chosen.mark());
        let height = usize::from(list.height);
        let first = first_row(at.unwrap_or(0), height, found.len());
        for (row, check) in found.iter().skip(first).take(height).enumerate() {
            let line = row_of(list, row);
            draw_check(look, all, check, line, canvas);
            if check.mark() == chosen.mark() {
                canvas.tint(line, look.chosen());
            }
            hits.push((line, Hit::Mark(look.id, check.mark())));
        }
        if let Some(below) = below {
            canvas.level(below.y - 1, below);
            draw_output(look, chosen, below, canvas);
        }
        tell_of_more(look, found.len().saturating_sub(height), list, canvas);
    }

    fn step(&self, look: &Look<'_>, area: Rect, step: Step) -> Moved {
        let found = shown(look);
        if checks(look).is_none_or(<[Check]>::is_empty) {
            return Moved::Out;
        }
        let (_, below) = divide(area, found.len());
        let rows = match (step, below) {
            (Step::Next, _) => 1,
            (Step::Previous, _) => -1,
            (Step::PageUp | Step::PageDown | Step::Lines(_), Some(below)) => {
                return scroll(look, below, step);
            }
            _ => match step.rows(area.height) {
                Some(rows) => rows,
                None => return Moved::Out,
            },
        };
        let mark = marked(look).map(Check::mark);
        let at = found.iter().position(|check| Some(check.mark()) == mark);
        let to = stepped(at, rows, found.len()).and_then(|to| found.get(to));
        to.map_or(Moved::Nowhere, |check| Moved::Marked {
            mark: check.mark(),
            scroll: 0,
        })
    }
}

/// What must be fetched so that a card can say which check runs and for how long; nothing while none can.
pub(super) fn want_running(look: &Look<'_>) -> Option<Want> {
    let checks = |attempt: &Attempt| match attempt.state {
        AttemptState::Verifying => true,
        AttemptState::Running => matches!(attempt.worker, Worker::Engine(_)),
        _ => false,
    };
    let mut attempts = look.scene.model.attempts.values();
    attempts.any(|attempt| checks(attempt)).then_some(Want {
        paper: Paper::Checks(None),
        fresh_for: BESIDE,
    })
}

fn of_task<'a>(look: &Look<'a>) -> Option<&'a TaskId> {
    task_of(&look.pane.content)
}

fn task_of(content: &Content) -> Option<&TaskId> {
    match content {
        Content::Gates(task) => task.as_ref(),
        _ => None,
    }
}

fn somebody_works(look: &Look<'_>) -> bool {
    look.scene
        .model
        .attempts
        .values()
        .any(|attempt| attempt.state.is_open())
}

fn checks<'a>(look: &Look<'a>) -> Option<&'a [Check]> {
    match look.scene.shelf.sheet(&Paper::Checks(of_task(look).cloned()))? {
        Sheet::Checks(checks) => Some(checks),
        _ => None,
    }
}

/// Those that match what the list is filtered by, in order.
fn shown<'a>(look: &Look<'a>) -> Vec<&'a Check> {
    lists::checks(&look.sieve(), of_task(look), look.scene)
}

fn marked<'a>(look: &Look<'a>) -> Option<&'a Check> {
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
    let below = Rect {
        y: area.y + height + 1,
        height: area.height - height - 1,
        ..area
    };
    (Rect { height, ..area }, Some(below))
}

/// How many are out of sight and the keys that lead there, in the row below the list.
fn tell_of_more(look: &Look<'_>, hidden: usize, list: Rect, canvas: &mut Canvas<'_>) {
    let hint = |action| look.state.keymap.hint(action).unwrap_or_default();
    let keys = [Action::NextPart, Action::PreviousPart].map(hint).join(" ");
    let row = inside(Rect {
        y: list.bottom(),
        height: 1,
        ..list
    });
    if hidden > 0 {
        let more = piece(format!(" +{hidden} more  "), Role::Text);
        canvas.line(row, &[more, piece(format!("{keys} "), Role::Key)]);
    }
}

fn look_of(check: &Check) -> (Mark, Role, String) {
    match &check.result {
        CheckResult::Failed(why) => (Mark::Failed, Role::Failed, why.clone()),
        CheckResult::Unknown(why) => (Mark::Unsure, Role::Retry, why.clone()),
        CheckResult::Running => (Mark::Gate, Role::Verifying, "running".to_owned()),
        CheckResult::Passed => (Mark::Done, Role::Done, "passed".to_owned()),
    }
}

fn draw_check(look: &Look<'_>, all: &[Check], check: &Check, line: Rect, canvas: &mut Canvas<'_>) {
    let (mark, role, word) = look_of(check);
    let glyphs = look.scene.theme.glyphs;
    let age = look.scene.now.since(check.began).to_string();
    let took = check
        .took
        .map_or_else(|| running_for(look, all, check, glyphs), seconds);
    let mut right = vec![
        piece(format!("  {took:>6}"), Role::Text),
        piece(format!(" {age:>5} ago "), Role::Dim),
    ];
    if line.width >= WIDE {
        right.insert(0, piece(format!("  {word}"), role));
    }
    let used = canvas.right(line, &right);
    let room = Rect {
        width: line.width - used,
        ..line
    };
    let stage = check.stage.as_str();
    let widest = all.iter().map(|check| width(check.stage.as_str())).max();
    let pad = " ".repeat(widest.unwrap_or(0).saturating_sub(width(stage)));
    let left = [
        piece(format!(" {} ", mark.glyph(glyphs)), role),
        piece(format!("{:<8} ", check.task), Role::Strong),
        piece(format!("{stage}{pad}  "), Role::Dim),
        piece(format!("{}: ", check.name), Role::Text),
        piece(&check.command, Role::Text),
    ];
    canvas.line(room, &left);
}

fn seconds(span: Span) -> String {
    match span.0 {
        millis @ 0..60_000 => format!("{}.{}s", millis / 1000, millis % 1000 / 100),
        _ => span.to_string(),
    }
}

/// `[####......] 40s of ~75s`: how long it runs already, and how long it usually takes.
fn running_for(look: &Look<'_>, all: &[Check], check: &Check, glyphs: Glyphs) -> String {
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

/// The marked check in full: what was run on what, how it ended, its output from the end.
fn draw_output(look: &Look<'_>, check: &Check, area: Rect, canvas: &mut Canvas<'_>) {
    let room = inside(area);
    let head = head(look, check, room);
    for (at, pieces) in head.iter().enumerate() {
        canvas.line(row_of(room, at), pieces);
    }
    let area = output_area(room, head.len());
    let (lines, note) = match output(look, check) {
        Some(Sheet::Text(lines)) if lines.is_empty() => (&[][..], "It wrote nothing."),
        Some(Sheet::Text(lines)) => (lines.as_slice(), ""),
        Some(_) => (&[][..], "Its output is not here (any more)."),
        None => (&[][..], "Reading its output."),
    };
    canvas.line(row_of(area, 0), &[piece(note, Role::Dim)]);
    let height = usize::from(area.height);
    let most = lines.len().saturating_sub(height);
    let first = most.saturating_sub(look.pane.scroll.min(most));
    for (at, line) in lines.iter().skip(first).take(height).enumerate() {
        canvas.line(row_of(area, at), &[piece(line.replace('\t', "    "), Role::Text)]);
    }
}

fn inside(area: Rect) -> Rect {
    Rect {
        x: area.x + 1,
        width: area.width.saturating_sub(2),
        ..area
    }
}

fn output_area(room: Rect, head: usize) -> Rect {
    let used = u16::try_from(head).unwrap_or(room.height).min(room.height);
    Rect {
        y: room.y + used,
        height: room.height - used,
        ..room
    }
}

fn output<'a>(look: &Look<'a>, check: &Check) -> Option<&'a Sheet> {
    look.scene.shelf.sheet(&Paper::Output(check.attempt, check.nth))
}

fn head(look: &Look<'_>, check: &Check, room: Rect) -> Vec<Vec<Piece>> {
    let (_, role, word) = look_of(check);
    let commit: String = check.commit.chars().take(10).collect();
    let wide = usize::from(room.width).max(8);
    let told = wrap(&format!("$ {}", check.command), wide).into_iter().take(3);
    let mut head: Vec<Vec<Piece>> = told.map(|line| vec![piece(line, Role::Strong)]).collect();
    let retry = look.state.keymap.hint(Action::Retry).unwrap_or_default();
    let mut about = vec![
        piece(word, role),
        piece(
            format!("  attempt {} of {}, commit {commit}", check.attempt, check.task),
            Role::Dim,
        ),
    ];
    let task = look.scene.model.tasks.get(&check.task);
    if task.is_some_and(|task| matches!(task.state, crate::domain::TaskState::Held(_))) {
        about.push(piece(format!("  {retry}"), Role::Key));
        about.push(piece(" retry runs it again", Role::Text));
    }
    head.push(about);
    if check.is_cut {
        head.push(vec![piece(
            "Its output was longer than what is kept.",
            Role::Retry,
        )]);
    }
    head
}

fn scroll(look: &Look<'_>, below: Rect, step: Step) -> Moved {
    let Some(check) = marked(look) else {
        return Moved::Nowhere;
    };
    let room = inside(below);
    let height = output_area(room, head(look, check, room).len()).height;
    let lines = match output(look, check) {
        Some(Sheet::Text(lines)) => lines.len(),
        _ => 0,
    };
    let most = lines.saturating_sub(usize::from(height));
    let rows = step.rows(height).unwrap_or(0);
    Moved::Scrolled(scrolled(look.pane.scroll.min(most), -rows, most))
}

fn empty(look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let top = usize::from(area.height) / 3;
    if let Some(why) = look.failure(&Paper::Checks(of_task(look).cloned())) {
        return canvas.centre(row_of(area, top), &why, Role::Failed);
    }
    let (text, hint) = match checks(look) {
        None => ("Looking for checks.", ""),
        Some(_) => (
            "The engine has run no check yet.",
            "A check is a command that must succeed: dbs config gates.NAME COMMAND",
        ),
    };
    canvas.centre(row_of(area, top), text, Role::Strong);
    canvas.centre(row_of(area, top + 2), hint, Role::Dim);
}
