//! The lines of a question and of a prompt: wrapped, and as many as there is room for. Where there are more, they are scrolled:
//! nobody agrees to something that they could not read. Only measures; drawn by `overlays`, scrolled by `update`.

use ratatui::layout::Rect;

use crate::ui::canvas::area::inset;
use crate::ui::canvas::{centered_rect, row_of};
use crate::ui::state::{ConfirmPrompt, TextPrompt};
use crate::ui::text::wrap;

/// Rows of a question that are none of its lines: two of its box, one between, one of the choice.
const AROUND_CONFIRM: u16 = 4;
/// Rows of a prompt that are none of its lines: two of its box, the prompt, one at either side of the screen for the mode.
const AROUND_ASK: u16 = 5;

/// The lines of a prompt that fit, and how many are hidden above and below.
pub(super) struct VisibleLines {
    pub(super) lines: Vec<String>,
    above: usize,
    below: usize,
}

impl VisibleLines {
    /// How many lines are not seen, and how one comes to them; nothing when all are.
    pub(super) fn hidden(&self) -> Option<String> {
        match (self.above, self.below) {
            (0, 0) => None,
            (0, below) => Some(format!("+{below} lines, j")),
            (above, 0) => Some(format!("+{above} lines, k")),
            (above, below) => Some(format!("+{above} lines, k   +{below} lines, j")),
        }
    }
}

/// Columns of a question's lines.
pub(super) fn confirm_width(area: Rect) -> u16 {
    70.min(area.width.saturating_sub(6))
}

/// The lines of a question that are seen.
pub(super) fn confirm_visible(confirm: &ConfirmPrompt, area: Rect) -> VisibleLines {
    let all = confirm_lines(confirm, area);
    let room = room(area, AROUND_CONFIRM);
    let first = confirm.scroll.min(all.len().saturating_sub(room));
    let below = all.len().saturating_sub(first + room);
    VisibleLines {
        lines: all.into_iter().skip(first).take(room).collect(),
        above: first,
        below,
    }
}

/// How far a question can be scrolled.
pub(crate) fn confirm_max_scroll(confirm: &ConfirmPrompt, area: Rect) -> usize {
    confirm_lines(confirm, area)
        .len()
        .saturating_sub(room(area, AROUND_CONFIRM))
}

fn confirm_lines(confirm: &ConfirmPrompt, area: Rect) -> Vec<String> {
    let wide = usize::from(confirm_width(area));
    confirm.lines.iter().flat_map(|line| wrap(line, wide)).collect()
}

/// Columns of a prompt, its box included.
pub(super) fn ask_width(area: Rect) -> u16 {
    72.min(area.width.saturating_sub(2))
}

/// The lines above a prompt that are seen: the last ones, which say what is asked for, unless a person scrolled back.
pub(super) fn prompt_visible(prompt: &TextPrompt, area: Rect) -> Vec<String> {
    let all = ask_lines(prompt, area);
    let room = room(area, AROUND_ASK);
    if all.len() <= room {
        return all;
    }
    let shown = room.saturating_sub(1);
    let hidden = all.len() - shown;
    let above = hidden - prompt.scrolled_back.min(hidden);
    let below = hidden - above;
    let mark = match (above, below) {
        (above, 0) => format!("+{above} lines, Up"),
        (0, below) => format!("+{below} lines, Down"),
        (above, below) => format!("+{above} lines, Up   +{below} lines, Down"),
    };
    let seen = all.into_iter().skip(above).take(shown);
    std::iter::once(mark).chain(seen).collect()
}

/// How far the lines above a prompt can be scrolled back.
pub(crate) fn prompt_max_scroll(prompt: &TextPrompt, area: Rect) -> usize {
    let (all, room) = (ask_lines(prompt, area).len(), room(area, AROUND_ASK));
    if all <= room {
        return 0;
    }
    all - room.saturating_sub(1)
}

fn ask_lines(prompt: &TextPrompt, area: Rect) -> Vec<String> {
    let wide = usize::from(ask_width(area).saturating_sub(4));
    prompt.lines.iter().flat_map(|line| wrap(line, wide)).collect()
}

fn room(area: Rect, around: u16) -> usize {
    usize::from(area.height.saturating_sub(around)).max(1)
}

/// Where a prompt is drawn.
pub(super) fn ask_area(prompt: &TextPrompt, area: Rect) -> Rect {
    let above = u16::try_from(prompt_visible(prompt, area).len()).unwrap_or(0);
    centered_rect(area, (ask_width(area), 3 + above))
}

/// Where the text of a prompt is drawn.
pub(super) fn ask_line(prompt: &TextPrompt, area: Rect) -> Rect {
    let dialog = ask_area(prompt, area);
    let last = usize::from(dialog.height.saturating_sub(2));
    inset(row_of(dialog, last), 2)
}
