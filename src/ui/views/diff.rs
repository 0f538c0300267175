//! The changes of a task, against its base or since the last review: the files, and the lines of one of them.

use super::list::ListRow;
use super::{MoveOutcome, View, ViewContext, ViewMove, scrolled};
use crate::display::text::cut_front;
use crate::domain::{Span, TaskId, pluralized};
use crate::keymap::Action;
use crate::keymap::Direction;
use crate::read_model::{ChangeRange, Diff, DiffLine, DiffLineKind, FileChange, FileDiff, TaskWork};
use crate::ui::cache::{CacheEntry, CacheKey, CacheRequest, DiffBase};
use crate::ui::canvas::prelude::*;
use crate::ui::state::PaneContent;
use crate::ui::target::selected;

mod hunks;

use hunks::lines;

/// The view of a task's changes.
pub(super) struct DiffView;

/// Inner width from which the files are shown beside the lines.
const TREE_FROM: u16 = 90;
/// Columns of the files.
const TREE: u16 = 32;
/// Width from which lines are numbered.
const NUMBERS_FROM: u16 = 56;
/// Time for which differences that were read are good enough: of a folder in which an agent works, of a branch that only a person may
/// change meanwhile, and of a commit, which never changes.
const LIVE: Span = Span::seconds(10);
const QUIET: Span = Span::seconds(30);
const FIXED: Span = Span::minutes(24 * 60);

impl View for DiffView {
    fn title(&self, ctx: &ViewContext<'_>) -> Vec<StyledText> {
        let Some((task, against)) = shown(ctx) else {
            return vec![piece("Diff", StyleRole::Title)];
        };
        let base = ctx.scene.model.base_of(&task).unwrap_or("its base");
        let is_merged = ctx
            .scene
            .model
            .tasks
            .get(&task)
            .is_some_and(|task| task.merged.is_some());
        let from = match against {
            DiffBase::Base if is_merged => format!("  merged into {base}"),
            DiffBase::Base => format!("  against {base}"),
            DiffBase::Review => "  since the last review".to_owned(),
        };
        let mut title = vec![piece(format!("Diff {task}"), StyleRole::Title)];
        if let Some(CacheEntry::Diff(diff)) = fetched(ctx) {
            title.extend(figures(diff));
        }
        title.push(dim(from));
        title
    }

    fn has_parts(&self) -> bool {
        true
    }

    fn cache_requests(&self, ctx: &ViewContext<'_>) -> Vec<CacheRequest> {
        shown(ctx)
            .and_then(|(task, against)| cache_request(ctx, &task, against))
            .into_iter()
            .collect()
    }

    fn copy_items(&self, ctx: &ViewContext<'_>) -> Vec<(&'static str, String)> {
        let Some(CacheEntry::Diff(diff)) = fetched(ctx) else {
            return Vec::new();
        };
        let file = marked(ctx, diff).map(|(_, file)| ("file", file.path.clone()));
        file.into_iter().collect()
    }

    fn match_count(&self, ctx: &ViewContext<'_>) -> Option<(usize, usize)> {
        match fetched(ctx) {
            Some(CacheEntry::Diff(diff)) => Some((shown_files(ctx, diff).len(), diff.files.len())),
            _ => Some((0, 0)),
        }
    }

    fn draw(&self, ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
        let diff = match fetched(ctx) {
            Some(CacheEntry::Diff(diff)) if !diff.files.is_empty() => diff,
            other => return says(ctx, other, area, canvas),
        };
        let Some((at, file)) = marked(ctx, diff) else {
            return;
        };
        if area.width < TREE_FROM {
            let head = row_of(area, 0);
            let shown = shown_files(ctx, diff);
            let next = shown.iter().find(|next| **next > at).or_else(|| shown.first());
            heading(file, at, diff.files.len(), head, canvas);
            canvas.hits.push((head, ctx.row(next.copied().unwrap_or(0))));
            return lines(ctx, file, skip_top(area, 1), canvas);
        }
        let tree = Rect { width: TREE, ..area };
        draw_tree(ctx, diff, at, tree, canvas);
        let rest = skip_left(area, TREE + 1);
        canvas.vertical_line(rest.x - 1, area);
        lines(ctx, file, rest, canvas);
    }

    fn navigate(&self, ctx: &ViewContext<'_>, area: Rect, movement: ViewMove) -> MoveOutcome {
        let Some(CacheEntry::Diff(diff)) = fetched(ctx) else {
            return MoveOutcome::LeaveView;
        };
        let Some((at, file)) = marked(ctx, diff) else {
            return MoveOutcome::LeaveView;
        };
        let shown = shown_files(ctx, diff);
        let to = match movement {
            ViewMove::Next | ViewMove::One(Direction::Right) => shown.into_iter().find(|to| *to > at),
            ViewMove::Previous | ViewMove::One(Direction::Left) => {
                shown.into_iter().rev().find(|to| *to < at)
            }
            other => {
                let height = if area.width < TREE_FROM {
                    skip_top(area, 1).height
                } else {
                    area.height
                };
                let most = file.lines.len().saturating_sub(usize::from(height));
                let rows = other.rows(height).unwrap_or(0);
                return MoveOutcome::Scrolled(scrolled(ctx.pane.scroll.min(most), rows, most));
            }
        };
        to.map_or(MoveOutcome::LeaveView, MoveOutcome::to_row)
    }
}

/// Returns the task and the base that are shown.
fn shown(ctx: &ViewContext<'_>) -> Option<(TaskId, DiffBase)> {
    match &ctx.pane.content {
        PaneContent::Diff(Some(task), against) => Some((task.clone(), *against)),
        PaneContent::Diff(None, against) => selected(ctx.state, ctx.scene).map(|task| (task, *against)),
        _ => None,
    }
}

/// Returns the request for a task's differences; `None` if there are none to be had.
pub(super) fn cache_request(ctx: &ViewContext<'_>, task: &TaskId, against: DiffBase) -> Option<CacheRequest> {
    let changes = ctx.scene.model.changes(task, against).ok()?;
    let max_age = match &changes.range {
        ChangeRange::Merged(_) => FIXED,
        ChangeRange::SinceBase { work, .. } | ChangeRange::SinceReview { work, .. } => match work {
            TaskWork::Folder { .. } => LIVE,
            TaskWork::Branch { .. } => QUIET,
        },
    };
    Some(CacheRequest::new(CacheKey::Diff(changes), max_age))
}

fn fetched<'a>(ctx: &ViewContext<'a>) -> Option<&'a CacheEntry> {
    let (task, against) = shown(ctx)?;
    entry(ctx, &task, against)
}

/// Returns the entry that was read for the present changes of a task.
pub(super) fn entry<'a>(ctx: &ViewContext<'a>, task: &TaskId, against: DiffBase) -> Option<&'a CacheEntry> {
    let changes = ctx.scene.model.changes(task, against).ok()?;
    ctx.scene.cache.get(&CacheKey::Diff(changes))
}

/// Returns the size of a task's changes since its base, for a line about it: the figures, or the reason why they are not known; nothing
/// if it has not started.
pub(super) fn summary(ctx: &ViewContext<'_>, task: &TaskId) -> Vec<StyledText> {
    if cache_request(ctx, task, DiffBase::Base).is_none() {
        return Vec::new();
    }
    match entry(ctx, task, DiffBase::Base) {
        None => vec![dim("reading the differences")],
        Some(CacheEntry::Diff(diff)) if diff.files.is_empty() => vec![plain("no changes")],
        Some(CacheEntry::Diff(diff)) => figures(diff).into(),
        Some(CacheEntry::Failed(why)) => vec![piece(format!("could not {why}"), StyleRole::Retry)],
        Some(_) => Vec::new(),
    }
}

/// Returns the size of a difference: `  +182 −31  6 files`.
pub(super) fn figures(diff: &Diff) -> [StyledText; 3] {
    let files = pluralized(diff.files.len(), "file");
    let more = if diff.cut { " and more" } else { "" };
    [
        piece(format!("  +{}", diff.added()), StyleRole::Done),
        piece(format!(" -{}", diff.removed()), StyleRole::Failed),
        plain(format!("  {files}{more}")),
    ]
}

fn marked<'a>(ctx: &ViewContext<'_>, diff: &'a Diff) -> Option<(usize, &'a FileDiff)> {
    let shown = shown_files(ctx, diff);
    let mark = ctx.marked_row().filter(|mark| shown.contains(mark));
    let at = mark.or(shown.first().copied())?;
    diff.files.get(at).map(|file| (at, file))
}

/// Returns the numbers of the files that match the filter: in their path, or in a line that differs.
fn shown_files(ctx: &ViewContext<'_>, diff: &Diff) -> Vec<usize> {
    let needle = ctx.filter().needle;
    let holds = |file: &FileDiff| {
        let changed = |line: &&DiffLine| matches!(line.kind, DiffLineKind::Added | DiffLineKind::Removed);
        needle.is_empty()
            || needle.matches(&file.path)
            || file
                .lines
                .iter()
                .filter(changed)
                .any(|line| needle.score_exact(&line.text).is_some())
    };
    let files = diff.files.iter().enumerate();
    files.filter(|(_, file)| holds(file)).map(|(at, _)| at).collect()
}

/// Draws the reason why nothing is shown.
fn says(ctx: &ViewContext<'_>, fetched: Option<&CacheEntry>, area: Rect, canvas: &mut Canvas<'_>) {
    let key = ctx.key_of(Action::ToggleDiffBase);
    let (text, hint) = match (shown(ctx), fetched) {
        (None, _) => ("No task is selected.".to_owned(), String::new()),
        (_, Some(CacheEntry::Failed(why))) => {
            (format!("Could not {why}."), "Retried automatically.".to_owned())
        }
        (_, Some(_)) => (
            "No changes.".to_owned(),
            format!("{key} compare with the base or with the last review"),
        ),
        (Some((task, against)), None) => nothing(ctx, &task, against),
    };
    canvas.empty_state(area, &text, StyleRole::Text, &hint);
}

/// Returns the text and the hint for changes of which nothing was read.
fn nothing(ctx: &ViewContext<'_>, task: &TaskId, against: DiffBase) -> (String, String) {
    let text = match ctx.scene.model.changes(task, against) {
        Ok(_) => format!("Reading the changes of {task}."),
        Err(why) => capitalized(&why.text(task)),
    };
    let hint = match against {
        DiffBase::Review => format!("{} compare with the base", ctx.key_of(Action::ToggleDiffBase)),
        DiffBase::Base => String::new(),
    };
    (text, hint)
}

/// Returns the text as a sentence of its own; an id that comes first stays as it is.
fn capitalized(text: &str) -> String {
    match text.strip_prefix("no ") {
        Some(rest) => format!("No {rest}."),
        None => format!("{text}."),
    }
}

/// Draws the row of the file: its number among all, its path, and the size of its change.
fn heading(file: &FileDiff, at: usize, many: usize, line: Rect, canvas: &mut Canvas<'_>) {
    let used = canvas.right(line, &counts(file));
    let (letter, role) = letter(file.kind);
    let lead = vec![
        dim(format!(" {}/{many} ", at + 1)),
        piece(format!("{letter} "), role),
    ];
    let room = usize::from(line.width - used).saturating_sub(pieces_width(&lead));
    let path = cut_front(&path(file), room, canvas.theme.ellipsis());
    let mut pieces = lead;
    pieces.push(strong(path));
    canvas.line(line, &pieces);
}

fn path(file: &FileDiff) -> String {
    match &file.from {
        Some(from) => format!("{from} -> {}", file.path),
        None => file.path.clone(),
    }
}

/// Returns the letter for a kind of change, and its colour.
fn letter(kind: FileChange) -> (&'static str, StyleRole) {
    match kind {
        FileChange::Added => ("A", StyleRole::Done),
        FileChange::Changed => ("M", StyleRole::Text),
        FileChange::Deleted => ("D", StyleRole::Failed),
        FileChange::Moved => ("R", StyleRole::Verifying),
    }
}

/// Returns the changed files, each folder before its own.
fn tree<'a>(canvas: &Canvas<'_>, diff: &'a Diff, shown: &[usize]) -> Vec<ListRow<(usize, &'a FileDiff)>> {
    let mut rows = Vec::new();
    let mut folder = None;
    for (at, file) in diff.files.iter().enumerate().filter(|(at, _)| shown.contains(at)) {
        let here = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        if folder != Some(here) && !here.is_empty() {
            let text = cut_front(here, usize::from(TREE) - 2, canvas.theme.ellipsis());
            rows.push(ListRow::Text(vec![dim(format!(" {text}/"))]));
        }
        folder = Some(here);
        rows.push(ListRow::Item((at, file)));
    }
    rows
}

fn draw_tree(ctx: &ViewContext<'_>, diff: &Diff, at: usize, area: Rect, canvas: &mut Canvas<'_>) {
    let rows = tree(canvas, diff, &shown_files(ctx, diff));
    ctx.draw_rows(
        area,
        &rows,
        |(nth, _)| *nth == at,
        canvas,
        |(nth, file), line, canvas| {
            draw_file(file, line, canvas);
            ctx.row(*nth)
        },
    );
}

fn draw_file(file: &FileDiff, line: Rect, canvas: &mut Canvas<'_>) {
    let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
    let indent = if folder.is_empty() { " " } else { "   " };
    let (letter, role) = letter(file.kind);
    let pieces = [piece(format!("{indent}{letter} "), role), plain(name)];
    canvas.both_ends(line, &pieces, &counts(file));
}

fn counts(file: &FileDiff) -> [StyledText; 2] {
    [
        piece(format!(" +{}", file.added), StyleRole::Done),
        piece(format!(" -{} ", file.removed), StyleRole::Failed),
    ]
}
