//! A live terminal: an agent's, a shell's, the conductor's. Copies visible cells while the lock is held, and nothing else;
//! never draws outside its area.

use super::copy_mode;
use super::head_line;
use super::{MoveOutcome, View, ViewContext, ViewMove, scrolled};
use crate::display::text::{clean, wrap};
use crate::domain::AttemptId;
use crate::ui::cache::CacheRequest;
use crate::ui::canvas::prelude::*;
use crate::ui::scene::{ScreenId, ScreenRead};
use crate::ui::screen_layout::InputMode;
use crate::ui::state::PaneContent;
use crate::ui::status::{DisplayStatus, attempt_status};

/// Columns of a program's call in a pane's title.
const CALL_ROOM: usize = 60;

/// The view of a live terminal.
pub(super) struct TerminalView;

impl View for TerminalView {
    fn description(&self) -> &'static str {
        "The terminal of a program. Closing the pane never stops the program."
    }

    fn title(&self, ctx: &ViewContext<'_>) -> Vec<StyledText> {
        match &ctx.pane.content {
            PaneContent::Attempt(id) if ctx.pane.follows_selection => head_line::pieces(ctx, *id),
            PaneContent::Attempt(id) | PaneContent::Conductor(Some(id)) => agent_title(ctx, *id),
            PaneContent::Shell(_) => named(ctx, "Shell"),
            _ => Vec::new(),
        }
    }

    fn title_note(&self, ctx: &ViewContext<'_>) -> Option<StyledText> {
        let id = ctx.pane.content.screen()?;
        let mut ended = false;
        let there = ctx
            .scene
            .screens
            .with(id, &mut |screen| ended = !screen.is_running());
        let back = ctx.pane.scroll;
        if let Some(copying) = copy_mode::focused_copy_mode(ctx) {
            let text = format!("{}/{}", copying.cursor.0 + 1, copying.scrollback.lines.len());
            return Some(piece(text, StyleRole::ModeCopy));
        }
        match (there, ended, ctx.mode) {
            (false, ..) => None,
            (_, true, _) => Some(dim("ended")),
            _ if back > 0 => Some(piece(format!("{back} lines back"), StyleRole::Retry)),
            (_, _, InputMode::Type) if ctx.focused => Some(piece("TYPING", StyleRole::ModeType)),
            (_, _, InputMode::Look) if ctx.focused => Some(piece("LOOKING", StyleRole::ModeLook)),
            _ => None,
        }
    }

    fn cache_requests(&self, ctx: &ViewContext<'_>) -> Vec<CacheRequest> {
        match &ctx.pane.content {
            PaneContent::Attempt(id) if ctx.pane.follows_selection => head_line::cache_requests(ctx, *id),
            _ => Vec::new(),
        }
    }

    fn draw(&self, ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
        if let Some(copying) = copy_mode::focused_copy_mode(ctx) {
            return copy_mode::draw(copying, area, canvas);
        }
        if !draw_screen(ctx, area, canvas) {
            absent(ctx, area, canvas);
        }
    }

    fn navigate(&self, ctx: &ViewContext<'_>, area: Rect, movement: ViewMove) -> MoveOutcome {
        let (Some(id), Some(rows)) = (ctx.pane.content.screen(), movement.rows(area.height)) else {
            return MoveOutcome::LeaveView;
        };
        let mut history = 0;
        ctx.scene
            .screens
            .with(id, &mut |screen| history = screen.history_len());
        MoveOutcome::Scrolled(scrolled(ctx.pane.scroll.min(history), -rows, history))
    }
}

fn named(ctx: &ViewContext<'_>, name: &str) -> Vec<StyledText> {
    let mut title = String::new();
    if let Some(id) = ctx.pane.content.screen() {
        ctx.scene.screens.with(id, &mut |screen| title = screen.title());
    }
    if let (true, Some(id)) = (title.is_empty(), ctx.pane.content.screen())
        && let Some(folder) = ctx.scene.screens.reported(id).folder
    {
        title = clean(&folder.to_string_lossy()).into_owned();
    }
    let mut pieces = vec![piece(name, StyleRole::Title)];
    let reported = report_pieces(ctx);
    if !reported.is_empty() {
        pieces.push(plain("  "));
        pieces.extend(reported);
    }
    if !title.is_empty() {
        pieces.push(dim(format!("  {title}")));
    }
    pieces
}

/// Returns the marker, the task, the agent, its activity and time, and the resources used.
fn agent_title(ctx: &ViewContext<'_>, id: AttemptId) -> Vec<StyledText> {
    let Some(attempt) = ctx.scene.model.attempts.get(&id) else {
        return vec![piece(format!("attempt {id}"), StyleRole::Title)];
    };
    let marker = attempt_status(attempt, ctx.scene);
    let task = ctx.scene.model.tasks.get(&attempt.task);
    let title = task.map(|task| task.title.as_str()).unwrap_or_default();
    let age = ctx.scene.now.since(marker.since);
    let used = attempt.usage.summary().map(|used| format!("{used}  "));
    let mut pieces = vec![
        piece(format!("{} ", ctx.glyph(marker.mark)), marker.role),
        piece(format!("{} ", attempt.task), StyleRole::Title),
        piece(format!("{}  ", attempt.worker.name()), StyleRole::Title),
        piece(format!("{} {age}  ", marker.word), marker.role),
        dim(used.unwrap_or_default()),
        dim(title),
    ];
    let at = pieces.len() - 2;
    pieces.splice(at..at, report_pieces(ctx));
    pieces
}

/// Returns the reports of the program beside its screen: call and progress.
fn report_pieces(ctx: &ViewContext<'_>) -> Vec<StyledText> {
    let Some(id) = ctx.pane.content.screen() else {
        return Vec::new();
    };
    let report = ctx.scene.screens.reported(id);
    let call = report.call.as_ref().map(|call| {
        let mark = ctx.glyph(DisplayStatus::NeedsYou);
        piece(
            format!("{mark} {}  ", ctx.cut(&call.text(), CALL_ROOM)),
            StyleRole::Human,
        )
    });
    let progress = report
        .progress_word()
        .map(|word| piece(format!("{word}  "), StyleRole::Running));
    progress.into_iter().chain(call).collect()
}

/// Draws the pane's terminal; returns true if there is one.
fn draw_screen(ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) -> bool {
    let Some(id) = ctx.pane.content.screen() else {
        return false;
    };
    draw_cropped(ctx, id, ctx.pane.scroll, area, canvas)
}

/// Draws a terminal scrolled back by that many lines, cut to the area so that the cursor's row is in it.
pub(super) fn draw_cropped(
    ctx: &ViewContext<'_>,
    id: ScreenId,
    back: usize,
    area: Rect,
    canvas: &mut Canvas<'_>,
) -> bool {
    ctx.scene.screens.draw(id, &mut |screen| {
        let top = first_row_shown(screen, area.height);
        let back = back.min(screen.history_len());
        canvas.reset_area(area);
        screen.cells(back, &mut |column, row, grapheme, style| {
            if let Some(row) = row.checked_sub(top) {
                canvas.program_cell(area, column, row, grapheme, style);
            }
        });
    })
}

/// Redraws one row of a terminal; returns the row of the frame, if it is in the area.
pub(crate) fn redraw_row(
    screen: &mut dyn ScreenRead,
    row: u16,
    area: Rect,
    canvas: &mut Canvas<'_>,
) -> Option<u16> {
    let top = first_row_shown(screen, area.height);
    let place = row.checked_sub(top).filter(|place| *place < area.height)?;
    canvas.reset_area(row_of(area, usize::from(place)));
    screen.row(row, &mut |column, _, grapheme, style| {
        canvas.program_cell(area, column, place, grapheme, style);
    });
    Some(area.y + place)
}

/// Returns the first row of a terminal to draw when it is taller than its pane.
pub(crate) fn first_row_shown(screen: &dyn ScreenRead, height: u16) -> u16 {
    let (_, rows) = screen.size();
    let most = rows.saturating_sub(height);
    (screen.output_row() + 1).saturating_sub(height).min(most)
}

/// Draws the reason why there is no terminal, and the action to take.
fn absent(ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let text = match &ctx.pane.content {
        PaneContent::Shell(_) => "Opening the shell.".to_owned(),
        PaneContent::Attempt(id) => {
            let attempt = ctx.scene.model.attempts.get(id);
            if attempt.is_some_and(|attempt| attempt.state.is_open()) {
                "Opening its terminal.".to_owned()
            } else {
                format!("The terminal of attempt {id} is no longer kept.")
            }
        }
        _ => String::new(),
    };
    let room = inset(area, 1);
    for (at, line) in wrap(&text, usize::from(room.width)).iter().enumerate() {
        let role = if at == 0 { StyleRole::Text } else { StyleRole::Dim };
        canvas.line(row_of(room, at + 1), &[piece(clean(line), role)]);
    }
}
