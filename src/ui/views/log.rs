//! The event log, newest at the bottom: follows unless a line is marked, shows the lines that its filter lets through, and leads from a
//! line to the agent's screen at that moment.

use super::list::stepped;
use super::{ClickTarget, List, MoveOutcome, View, ViewContext, ViewMove};
use crate::display::text::{clock, prefix, width, wrap};
use crate::domain::{NoticeLevel, Span};
use crate::keymap::{Action, ViewName};
use crate::ui::canvas::prelude::*;
use crate::ui::scene::LogLine;
use crate::ui::state::PaneContent;
use crate::ui::status::level_status;

mod filter;

use filter::LogFilter;

/// The view of the event log.
pub(super) struct LogView;

/// Name of the view.
pub(crate) const PAGE: ViewName = ViewName::of("log");
/// Name of the log in the classic first tab: the watcher's log, with a filter and a mark of its own.
pub(super) const WATCHER: ViewName = ViewName::of("watcher");
/// Returns true if a pane shows the event log.
pub(crate) fn is_log(content: &PaneContent) -> bool {
    [PAGE, WATCHER].map(PaneContent::Page).contains(content)
}

/// Rows below which each entry has one row: several events are worth more than the whole of one.
const LOW: u16 = 12;
/// Time in which no person can answer.
const AT_ONCE: Span = Span::seconds(1);
/// Width from which sentences are aligned below each other.
const ALIGNED: u16 = 44;

impl View for LogView {
    fn description(&self) -> &'static str {
        "What happened, the newest at the bottom. A marked line stays in view; past the last one the log follows again. Enter shows the agent's screen as it was then."
    }

    fn title(&self, ctx: &ViewContext<'_>) -> Vec<StyledText> {
        let name = ctx.pane.content.title().unwrap_or("Log");
        vec![piece(name, StyleRole::Title)]
    }

    fn match_count(&self, ctx: &ViewContext<'_>) -> Option<(usize, usize)> {
        Some((shown(ctx).len(), ctx.scene.log.len()))
    }

    fn copy_items(&self, ctx: &ViewContext<'_>) -> Vec<(&'static str, String)> {
        let lines = shown(ctx);
        let at = marked(ctx, &lines).or(lines.len().checked_sub(1));
        let line = at.and_then(|at| lines.get(at));
        line.map(|line| ("line", line.notice.text.clone()))
            .into_iter()
            .collect()
    }

    fn title_note(&self, ctx: &ViewContext<'_>) -> Option<StyledText> {
        let mark = ctx.pane.mark?;
        let newer = shown(ctx).iter().filter(|line| line.seq > mark).count();
        (newer > 0).then(|| piece(format!("{newer} newer below"), StyleRole::Retry))
    }

    fn draw(&self, ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
        let lines = shown(ctx);
        if lines.is_empty() {
            return empty(ctx, area, canvas);
        }
        let height = usize::from(area.height);
        let at = marked(ctx, &lines);
        let mut rows: Vec<(u64, Vec<StyledText>)> = Vec::new();
        let last = last_drawn(ctx, &lines, at, area);
        let ids = ids(&lines, last, height);
        for line in lines.iter().take(last + 1).rev() {
            let mut entry = entry(ctx, line, area.width, ids);
            if area.height < LOW && ctx.pane.mark != Some(line.seq) {
                entry = one_line(ctx, entry, area.width);
            }
            let entry = entry.into_iter().rev();
            rows.extend(entry.map(|pieces| (line.seq, pieces)));
            if rows.len() >= height {
                break;
            }
        }
        rows.truncate(height);
        rows.reverse();
        let is_marked = |(seq, _): &(u64, _)| ctx.pane.mark == Some(*seq);
        let from = rows.iter().position(is_marked).unwrap_or(0);
        let many = rows.iter().filter(|row| is_marked(row)).count();
        let shown = List::starting_at(area, &rows, 0, from..from + many, ctx.chosen());
        shown.draw(canvas, |(seq, pieces), row, canvas| {
            canvas.line(row, pieces);
            Some(ClickTarget::Row(ctx.id, *seq))
        });
    }

    fn navigate(&self, ctx: &ViewContext<'_>, area: Rect, movement: ViewMove) -> MoveOutcome {
        let Some(rows) = movement.rows(area.height) else {
            return MoveOutcome::LeaveView;
        };
        let lines = shown(ctx);
        let last = lines.len().saturating_sub(1);
        // Without a mark the newest line is the current one.
        let from = marked(ctx, &lines).unwrap_or(last);
        let to = stepped(Some(from), rows, lines.len());
        match to.and_then(|to| lines.get(to).map(|line| (to, line))) {
            Some((to, _)) if to == last && rows > 0 => MoveOutcome::Unmarked,
            Some((_, line)) => MoveOutcome::Marked {
                mark: line.seq,
                scroll: 0,
            },
            None => MoveOutcome::Nowhere,
        }
    }
}

/// Returns the lines that the filter lets through, oldest first.
fn shown<'a>(ctx: &ViewContext<'a>) -> Vec<&'a LogLine> {
    let filter = LogFilter::parse(&ctx.pane.filter);
    let lines = ctx.scene.log.iter().enumerate();
    lines
        .filter(|(at, line)| {
            let later = ctx.scene.log.iter().skip(at + 1);
            !is_answered_at_once(line, later) && filter.matches(line, ctx.scene.model)
        })
        .map(|(_, line)| line)
        .collect()
}

/// Returns true if a line reports that an agent asks for a permission, and a rule answers before a person could: the answer covers both.
fn is_answered_at_once<'a>(line: &LogLine, later: impl Iterator<Item = &'a LogLine>) -> bool {
    let (asks, attempt) = (line.notice.kind == "permission", line.notice.attempt);
    let mut later = later.take_while(|next| next.at.since(line.at) < AT_ONCE);
    asks && later.any(|next| next.notice.kind == "answer" && next.notice.attempt == attempt)
}

/// Returns the index of the marked line; the next one when it is not shown (any more).
fn marked(ctx: &ViewContext<'_>, lines: &[&LogLine]) -> Option<usize> {
    let mark = ctx.pane.mark?;
    let at = lines.partition_point(|line| line.seq < mark);
    Some(at.min(lines.len().saturating_sub(1)))
}

/// Returns the lowest line that is drawn: the newest, or one below the marked line such that both fit.
fn last_drawn(ctx: &ViewContext<'_>, lines: &[&LogLine], at: Option<usize>, area: Rect) -> usize {
    let newest = lines.len().saturating_sub(1);
    let Some(at) = at else { return newest };
    let mut rows = 0;
    for (nth, line) in lines.iter().enumerate().skip(at + 1) {
        rows += entry(ctx, line, area.width, ids(lines, nth, usize::from(area.height))).len();
        if rows > usize::from(area.height) / 3 {
            return nth - 1;
        }
    }
    newest
}

/// Returns the columns of the tasks' ids, so that sentences begin below each other where lines are long enough.
fn ids(lines: &[&LogLine], last: usize, height: usize) -> usize {
    let near = lines.iter().take(last + 1).rev().take(height);
    let of_tasks = near.filter_map(|line| line.notice.task.as_ref());
    of_tasks
        .map(|task| width(task.as_str()))
        .max()
        .unwrap_or(0)
        .min(12)
}

/// Returns an entry in one line, cut with a mark where that leaves something out.
fn one_line(ctx: &ViewContext<'_>, mut entry: Vec<Vec<StyledText>>, room: u16) -> Vec<Vec<StyledText>> {
    if entry.len() < 2 {
        return entry;
    }
    entry.truncate(1);
    let more = ctx.scene.theme.ellipsis();
    if let Some((last, lead)) = entry.first_mut().and_then(|pieces| pieces.split_last_mut()) {
        let used = pieces_width(lead) + width(more);
        last.text = format!(
            "{}{more}",
            prefix(&last.text, usize::from(room).saturating_sub(used))
        );
    }
    entry
}

/// Returns the rows of an entry: time, glyph, task, sentence; wrapped under the sentence's beginning.
fn entry(ctx: &ViewContext<'_>, line: &LogLine, room: u16, ids: usize) -> Vec<Vec<StyledText>> {
    let time = clock(line.at, ctx.scene.session.utc_offset);
    let time = if room < 44 { prefix(&time, 5) } else { &time };
    let (glyph, role) = mark(line.notice.level, ctx.scene.theme.glyphs);
    let mut lead = vec![dim(format!("{time} ")), piece(format!("{glyph} "), role)];
    if let Some(task) = &line.notice.task {
        let ids = if room < ALIGNED { 0 } else { ids };
        let pad = " ".repeat(ids.saturating_sub(width(task.as_str())));
        lead.push(dim(format!("{task}{pad} ")));
    }
    let indent = pieces_width(&lead);
    let left = usize::from(room).saturating_sub(indent);
    let text_role = if line.notice.level == NoticeLevel::Info {
        StyleRole::Text
    } else {
        role
    };
    let mut rows = Vec::new();
    let (indent, left) = if left < 16 {
        (2, usize::from(room).saturating_sub(2))
    } else {
        (indent, left)
    };
    let mut texts = wrap(&sentence(line), left.max(2)).into_iter();
    if let Some(first) = texts.next() {
        if pieces_width(&lead) + width(&first) > usize::from(room) {
            rows.push(std::mem::take(&mut lead));
            lead.push(dim(" ".repeat(indent)));
        }
        lead.push(piece(first, text_role));
    }
    rows.push(lead);
    rows.extend(texts.map(|text| vec![dim(" ".repeat(indent)), piece(text, text_role)]));
    rows
}

/// Returns the sentence of an event; the task's id is before it already.
fn sentence(line: &LogLine) -> String {
    let text = line.notice.text.as_str();
    let Some(task) = &line.notice.task else {
        return text.to_owned();
    };
    let rest = text
        .strip_prefix(task.as_str())
        .and_then(|rest| rest.strip_prefix(' ').or_else(|| rest.strip_prefix(": ")));
    without_name(rest.unwrap_or(text), task.as_str())
}

/// Returns the text without the task's own id where the sentence is whole without it.
fn without_name(text: &str, task: &str) -> String {
    let mut text = text.to_owned();
    for (with, without) in [
        (format!(" started {task}"), " started"),
        (format!(" on {task} "), " "),
        (format!(" on {task}:"), ":"),
        (format!("; {task} "), "; it "),
        (format!(" {task}: "), ": "),
    ] {
        text = text.replace(&with, without);
    }
    text
}

fn mark(level: NoticeLevel, glyphs: Glyphs) -> (&'static str, StyleRole) {
    match level {
        NoticeLevel::Info => (glyphs.pick("∙", "."), StyleRole::Dim),
        level => {
            let (mark, role) = level_status(level);
            (mark.glyph(glyphs), role)
        }
    }
}

fn empty(ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let top = usize::from(area.height) / 3;
    if ctx.scene.log.is_empty() {
        return canvas.centre(row_of(area, top), "Nothing has happened yet.", StyleRole::Dim);
    }
    let back = ctx.key_of(Action::Back);
    let hint = format!("{back} clears. Words, or t:TASK  level:warning  agent:NAME  kind:merge");
    canvas.centre(row_of(area, top + 2), &hint, StyleRole::Dim);
}
