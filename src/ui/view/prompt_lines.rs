//! The lines of a question and of a prompt: wrapped, and as many as there is room for. Where there are more, they are scrolled: people must
//! not agree to a text that they could not read. Only measures; drawn by `overlays`, scrolled by `update`.

use ratatui::layout::Rect;

use crate::display::text::wrap;
use crate::ui::state::{ConfirmPrompt, TextPrompt};

/// Rows of a question besides its lines: two of its box, one between, one of the choice.
const AROUND_CONFIRM: u16 = 4;
/// Rows of a prompt besides its lines: two of its box, the prompt, one at either side of the screen for the mode.
const AROUND_ASK: u16 = 5;

/// Returns the columns of a question's lines.
pub(super) fn confirm_width(area: Rect) -> u16 {
    70.min(area.width.saturating_sub(6))
}

/// Returns the visible lines of a question, and the number of the hidden ones with the keys to reach them; empty when all are visible.
pub(super) fn confirm_visible(confirm: &ConfirmPrompt, area: Rect) -> (Vec<String>, String) {
    let all = confirm_lines(confirm, area);
    let room = room(area, AROUND_CONFIRM);
    let first = confirm.scroll.min(all.len().saturating_sub(room));
    let below = all.len().saturating_sub(first + room);
    let lines = all.into_iter().skip(first).take(room).collect();
    (lines, hidden([(first, "k"), (below, "j")]))
}

/// Returns the maximum scroll of a question.
pub(crate) fn confirm_max_scroll(confirm: &ConfirmPrompt, area: Rect) -> usize {
    let lines = confirm_lines(confirm, area).len();
    lines.saturating_sub(room(area, AROUND_CONFIRM))
}

fn confirm_lines(confirm: &ConfirmPrompt, area: Rect) -> Vec<String> {
    let wide = usize::from(confirm_width(area));
    confirm.lines.iter().flat_map(|line| wrap(line, wide)).collect()
}

/// Returns the columns of a prompt, its box included.
pub(super) fn ask_width(area: Rect) -> u16 {
    72.min(area.width.saturating_sub(2))
}

/// Returns the visible lines above a prompt: the last ones, which contain the request, unless a person scrolled back.
pub(super) fn prompt_visible(prompt: &TextPrompt, area: Rect) -> Vec<String> {
    let all = ask_lines(prompt, area);
    let most = prompt_max_scroll(prompt, area);
    if most == 0 {
        return all;
    }
    let above = most - prompt.scrolled_back.min(most);
    let mark = hidden([(above, "Up"), (most - above, "Down")]);
    let seen = all.into_iter().skip(above).take(room(area, AROUND_ASK) - 1);
    std::iter::once(mark).chain(seen).collect()
}

/// Returns the maximum number of lines that the text above a prompt can be scrolled back. Where some are hidden, one row shows their
/// number.
pub(crate) fn prompt_max_scroll(prompt: &TextPrompt, area: Rect) -> usize {
    let (all, room) = (ask_lines(prompt, area).len(), room(area, AROUND_ASK));
    if all <= room { 0 } else { all - (room - 1) }
}

fn ask_lines(prompt: &TextPrompt, area: Rect) -> Vec<String> {
    let wide = usize::from(ask_width(area).saturating_sub(4));
    prompt.lines.iter().flat_map(|line| wrap(line, wide)).collect()
}

/// Returns the number of hidden lines at each side, and the key that leads there.
fn hidden(sides: [(usize, &str); 2]) -> String {
    let there = sides.into_iter().filter(|(many, _)| *many > 0);
    let texts = there.map(|(many, key)| format!("+{many} lines, {key}"));
    texts.collect::<Vec<_>>().join("   ")
}

/// Returns the rows for lines; at least one.
fn room(area: Rect, around: u16) -> usize {
    usize::from(area.height.saturating_sub(around)).max(1)
}
