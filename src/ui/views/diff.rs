//! What a task changed, against its base or since the last review: the files, and the lines of one of them.

use ratatui::layout::Rect;

use super::{Hit, Hits, Look, Moved, Step, View, first_row, scrolled};
use crate::domain::{Span, TaskId};
use crate::read_model::{Diff, DiffLine, FileChange, FileDiff, LineKind};
use crate::ui::action::Action;
use crate::ui::canvas::{Canvas, Piece, piece, pieces_width, row_of};
use crate::ui::pane::{Direction, PaneId};
use crate::ui::scene::Scene;
use crate::ui::shelf::{Against, Paper, Sheet, Want};
use crate::ui::state::{Content, Pane, State};
use crate::ui::target::{self, Target, selected};
use crate::ui::text::cut_front;
use crate::ui::theme::Role;

mod lines;

use lines::lines;

/// What a task changed.
pub(super) struct DiffView;

/// From this inner width on the files stand beside the lines.
const TREE_FROM: u16 = 90;
/// Columns of the files.
const TREE: u16 = 32;
/// From this width on lines are numbered.
const NUMBERS_FROM: u16 = 56;
/// How long what was read is good enough: while somebody works on it, and otherwise.
const LIVE: Span = Span::seconds(10);
const QUIET: Span = Span::minutes(5);

impl View for DiffView {
    fn title(&self, look: &Look<'_>) -> Vec<Piece> {
        let Some((task, against)) = shown(look) else {
            return vec![piece("Diff", Role::Title)];
        };
        let base = look.scene.model.base_of(&task).unwrap_or("its base");
        let from = match against {
            Against::Base => format!("  against {base}"),
            Against::Review => "  since the last review".to_owned(),
        };
        let mut title = vec![piece(format!("Diff {task}"), Role::Title)];
        if let Some(Sheet::Diff(diff)) = sheet(look) {
            title.extend(figures(diff));
        }
        title.push(piece(from, Role::Dim));
        title
    }

    fn has_parts(&self) -> bool {
        true
    }

    fn target<'a>(&self, state: &State, scene: &Scene<'a>, (_, pane): (PaneId, &Pane)) -> Target<'a> {
        match &pane.content {
            Content::Diff(Some(id), _) => target::of_task(scene, id),
            _ => target::of_selected(state, scene),
        }
    }

    fn papers(&self, look: &Look<'_>) -> Vec<Want> {
        shown(look)
            .and_then(|(task, against)| want(look, &task, against))
            .into_iter()
            .collect()
    }

    fn copies(&self, look: &Look<'_>) -> Vec<(&'static str, String)> {
        let Some(Sheet::Diff(diff)) = sheet(look) else {
            return Vec::new();
        };
        let file = marked(look, diff).map(|(_, file)| ("file", file.path.clone()));
        file.into_iter().collect()
    }

    fn found(&self, look: &Look<'_>) -> Option<(usize, usize)> {
        match sheet(look) {
            Some(Sheet::Diff(diff)) => Some((shown_files(look, diff).len(), diff.files.len())),
            _ => Some((0, 0)),
        }
    }

    fn draw(&self, look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>, hits: &mut Hits) {
        let diff = match sheet(look) {
            Some(Sheet::Diff(diff)) if !diff.files.is_empty() => diff,
            other => return says(look, other, area, canvas),
        };
        let Some((at, file)) = marked(look, diff) else {
            return;
        };
        if area.width < TREE_FROM {
            let head = row_of(area, 0);
            let shown = shown_files(look, diff);
            let next = shown.iter().find(|next| **next > at).or_else(|| shown.first());
            heading(file, (at, diff.files.len()), head, canvas);
            hits.push((
                head,
                Hit::Mark(
                    look.id,
                    next.and_then(|next| u64::try_from(*next).ok()).unwrap_or(0),
                ),
            ));
            return lines(look, file, below(area), canvas);
        }
        let tree = Rect { width: TREE, ..area };
        draw_tree(look, diff, (at, tree), canvas, hits);
        let rest = Rect {
            x: area.x + TREE + 1,
            width: area.width - TREE - 1,
            ..area
        };
        canvas.upright(rest.x - 1, area);
        lines(look, file, rest, canvas);
    }

    fn step(&self, look: &Look<'_>, area: Rect, step: Step) -> Moved {
        let Some(Sheet::Diff(diff)) = sheet(look) else {
            return Moved::Out;
        };
        let Some((at, file)) = marked(look, diff) else {
            return Moved::Out;
        };
        let shown = shown_files(look, diff);
        let to = match step {
            Step::Next | Step::One(Direction::Right) => shown.into_iter().find(|to| *to > at),
            Step::Previous | Step::One(Direction::Left) => shown.into_iter().rev().find(|to| *to < at),
            other => {
                let height = if area.width < TREE_FROM {
                    below(area).height
                } else {
                    area.height
                };
                let most = file.lines.len().saturating_sub(usize::from(height));
                let rows = other.rows(height).unwrap_or(0);
                return Moved::Scrolled(scrolled(look.pane.scroll.min(most), rows, most));
            }
        };
        match to.and_then(|to| u64::try_from(to).ok()) {
            Some(mark) => Moved::Marked { mark, scroll: 0 },
            None => Moved::Out,
        }
    }
}

fn below(area: Rect) -> Rect {
    let used = 1.min(area.height);
    Rect {
        y: area.y + used,
        height: area.height - used,
        ..area
    }
}

/// Which task, and against what.
fn shown(look: &Look<'_>) -> Option<(TaskId, Against)> {
    match &look.pane.content {
        Content::Diff(Some(task), against) => Some((task.clone(), *against)),
        Content::Diff(None, against) => selected(look.state, look.scene).map(|task| (task, *against)),
        _ => None,
    }
}

/// What to fetch for a task's differences; nothing where there are none to be had.
pub(super) fn want(look: &Look<'_>, task: &TaskId, against: Against) -> Option<Want> {
    let model = look.scene.model;
    let known = model.tasks.get(task)?;
    let has_work = known.head.is_some() || model.workplace(known).is_some();
    let reviewed = against == Against::Base || model.last_review(known).is_some();
    let fresh_for = if known.open_attempt.is_some() { LIVE } else { QUIET };
    (has_work && reviewed).then(|| Want {
        paper: Paper::Diff(task.clone(), against),
        fresh_for,
    })
}

fn sheet<'a>(look: &Look<'a>) -> Option<&'a Sheet> {
    let (task, against) = shown(look)?;
    look.scene.shelf.sheet(&Paper::Diff(task, against))
}

/// `  +182 −31  6 files`.
pub(super) fn figures(diff: &Diff) -> [Piece; 3] {
    let files = diff.files.len();
    let files = if files == 1 {
        "  1 file".to_owned()
    } else {
        format!("  {files} files")
    };
    let more = if diff.cut { " and more" } else { "" };
    [
        piece(format!("  +{}", diff.added()), Role::Done),
        piece(format!(" -{}", diff.removed()), Role::Failed),
        piece(format!("{files}{more}"), Role::Text),
    ]
}

fn marked<'a>(look: &Look<'_>, diff: &'a Diff) -> Option<(usize, &'a FileDiff)> {
    let shown = shown_files(look, diff);
    let mark = look.pane.mark.and_then(|mark| usize::try_from(mark).ok());
    let at = mark
        .filter(|mark| shown.contains(mark))
        .or(shown.first().copied())?;
    diff.files.get(at).map(|file| (at, file))
}

/// Numbers of the files that match what is filtered by: in their path, or in a line that differs.
fn shown_files(look: &Look<'_>, diff: &Diff) -> Vec<usize> {
    let needle = look.sieve().needle;
    let holds = |file: &FileDiff| {
        let changed = |line: &&DiffLine| matches!(line.kind, LineKind::Added | LineKind::Removed);
        needle.is_empty()
            || needle.fits(&file.path)
            || file
                .lines
                .iter()
                .filter(changed)
                .any(|line| needle.whole(&line.text).is_some())
    };
    let files = diff.files.iter().enumerate();
    files.filter(|(_, file)| holds(file)).map(|(at, _)| at).collect()
}

/// Why there is nothing to be seen.
fn says(look: &Look<'_>, sheet: Option<&Sheet>, area: Rect, canvas: &mut Canvas<'_>) {
    let key = look.state.keymap.hint(Action::Against).unwrap_or_default();
    let (text, hint) = match (shown(look), sheet) {
        (None, _) => ("No task is selected.".to_owned(), String::new()),
        (_, Some(Sheet::Failed(why))) => (
            format!("Could not {why}."),
            "It is tried again by itself.".to_owned(),
        ),
        (_, Some(_)) => (
            "Nothing differs.".to_owned(),
            format!("{key} compares with the other: the base, or what the last review saw."),
        ),
        (Some((task, against)), None) => match (want(look, &task, against), against) {
            (Some(_), _) => (format!("Reading what {task} changed."), String::new()),
            (None, Against::Base) => (
                format!("{task} has no work to show."),
                "Nobody has begun it, or its branch is put away.".to_owned(),
            ),
            (None, Against::Review) => (
                format!("No review has looked at {task} yet."),
                format!("{key} compares with the base."),
            ),
        },
    };
    let top = usize::from(area.height) / 3;
    canvas.centre(row_of(area, top), &text, Role::Text);
    canvas.centre(row_of(area, top + 2), &hint, Role::Dim);
}

/// The file in one row: which of how many, its path, how much.
fn heading(file: &FileDiff, (at, many): (usize, usize), line: Rect, canvas: &mut Canvas<'_>) {
    let counts = [
        piece(format!(" +{}", file.added), Role::Done),
        piece(format!(" -{} ", file.removed), Role::Failed),
    ];
    let used = canvas.right(line, &counts);
    let lead = vec![
        piece(format!(" {}/{many} ", at + 1), Role::Dim),
        piece(format!("{} ", letter(file.kind)), role(file.kind)),
    ];
    let room = usize::from(line.width - used).saturating_sub(pieces_width(&lead));
    let path = cut_front(&path(file), room, canvas.theme.more());
    let mut pieces = lead;
    pieces.push(piece(path, Role::Strong));
    canvas.line(line, &pieces);
}

fn path(file: &FileDiff) -> String {
    match &file.from {
        Some(from) => format!("{from} -> {}", file.path),
        None => file.path.clone(),
    }
}

fn letter(kind: FileChange) -> &'static str {
    match kind {
        FileChange::Added => "A",
        FileChange::Changed => "M",
        FileChange::Deleted => "D",
        FileChange::Moved => "R",
    }
}

fn role(kind: FileChange) -> Role {
    match kind {
        FileChange::Added => Role::Done,
        FileChange::Changed => Role::Text,
        FileChange::Deleted => Role::Failed,
        FileChange::Moved => Role::Verifying,
    }
}

/// A row of the tree: a folder, or the file of that number.
enum Row<'a> {
    Folder(&'a str),
    File(usize, &'a FileDiff),
}

fn tree<'a>(diff: &'a Diff, shown: &[usize]) -> Vec<Row<'a>> {
    let mut rows = Vec::new();
    let mut folder = None;
    for (at, file) in diff.files.iter().enumerate().filter(|(at, _)| shown.contains(at)) {
        let here = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        if folder != Some(here) {
            if !here.is_empty() {
                rows.push(Row::Folder(here));
            }
            folder = Some(here);
        }
        rows.push(Row::File(at, file));
    }
    rows
}

fn draw_tree(
    look: &Look<'_>,
    diff: &Diff,
    (at, area): (usize, Rect),
    canvas: &mut Canvas<'_>,
    hits: &mut Hits,
) {
    let rows = tree(diff, &shown_files(look, diff));
    let marked = rows
        .iter()
        .position(|row| matches!(row, Row::File(n, _) if *n == at));
    let height = usize::from(area.height);
    let first = first_row(marked.unwrap_or(0), height, rows.len());
    for (nth, row) in rows.iter().skip(first).take(height).enumerate() {
        let line = row_of(area, nth);
        match row {
            Row::Folder(folder) => {
                let room = usize::from(line.width).saturating_sub(2);
                let folder = cut_front(folder, room, canvas.theme.more());
                canvas.line(line, &[piece(format!(" {folder}/"), Role::Dim)]);
            }
            Row::File(n, file) => {
                draw_file(file, line, canvas);
                if *n == at {
                    canvas.tint(line, look.chosen());
                }
                hits.push((line, Hit::Mark(look.id, u64::try_from(*n).unwrap_or(0))));
            }
        }
    }
}

fn draw_file(file: &FileDiff, line: Rect, canvas: &mut Canvas<'_>) {
    let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
    let counts = [
        piece(format!(" +{}", file.added), Role::Done),
        piece(format!(" -{} ", file.removed), Role::Failed),
    ];
    let used = canvas.right(line, &counts);
    let indent = if folder.is_empty() { " " } else { "   " };
    let pieces = [
        piece(format!("{indent}{} ", letter(file.kind)), role(file.kind)),
        piece(name, Role::Text),
    ];
    let room = Rect {
        width: line.width - used,
        ..line
    };
    canvas.line(room, &pieces);
}
