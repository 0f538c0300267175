//! Overlays, drawn: prompts, questions, choices, the keys after the prefix, toasts.

use super::{
    FrameContext, away_summary, cursor, help, palette, prompt_lines, splash, task_form, trust, welcome,
    writing,
};
use crate::display::text::{clean, width};
use crate::keymap::Action;
use crate::ui::canvas::prelude::*;
use crate::ui::scene::Scene;
use crate::ui::state::{
    ConfirmPrompt, JumpLabels, KeyFocus, Menu, Overlay, TextPrompt, UNDO_FOR, UiState, WHICH_KEY_DELAY,
};
use crate::ui::status::level_status;
use crate::ui::views::{ClickTarget, List};

/// Draws the overlays over the panes.
pub(super) fn draw(frame: &FrameContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    toasts(frame, area, canvas);
    if let KeyFocus::Prefix { since, .. } = frame.state.key_focus
        && frame.scene.now.since(since) >= WHICH_KEY_DELAY
    {
        help::which_key(frame, area, canvas);
    }
    if let (Some(left), None) = (frame.state.away_since, &frame.state.overlay) {
        away_summary::draw(frame, left, area, canvas);
    } else if frame.state.overlay.is_none() {
        splash::draw(frame, area, canvas);
    }
    let Some(overlay) = &frame.state.overlay else {
        return;
    };
    if !matches!(overlay, Overlay::Search(_)) {
        canvas.hits.push((area, ClickTarget::Overlay));
    }
    match overlay {
        Overlay::Search(_) => {}
        Overlay::Help(search) => help::draw(frame, search, area, canvas),
        Overlay::Palette(search) => palette::draw(frame, search, area, canvas),
        Overlay::Form(form) => task_form::draw(frame.scene.model, form, area, canvas),
        Overlay::Jump(jump) => draw_jump(jump, canvas),
        Overlay::Prompt(prompt) => draw_prompt(prompt, area, canvas),
        Overlay::Confirm(confirm) => draw_confirm(confirm, area, canvas),
        Overlay::Welcome(asked) => welcome::draw(frame, asked, area, canvas),
        Overlay::Trust(review) => trust::draw(frame, *review, area, canvas),
        Overlay::Menu(menu) => draw_menu(menu, area, canvas),
    }
}

/// Returns true if there is anything that [`draw`] would draw.
pub(crate) fn has_overlay(state: &UiState, scene: &Scene<'_>) -> bool {
    let keys = match state.key_focus {
        KeyFocus::Prefix { since, .. } => scene.now.since(since) >= WHICH_KEY_DELAY,
        KeyFocus::Views | KeyFocus::Terminal(_) | KeyFocus::Opening(_) | KeyFocus::DropUntil(_) => false,
    };
    keys || state.copy_mode.is_some()
        || state
            .undo_stack
            .last()
            .is_some_and(|act| act.is_shown(scene.now, scene.model))
        || state.overlay.is_some()
        || state.splash_lines(scene.now).is_some()
        || state.toasts.iter().any(|toast| toast.is_visible(scene.now))
}

fn toasts(frame: &FrameContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let shown = frame
        .state
        .toasts
        .iter()
        .filter(|toast| toast.is_visible(frame.scene.now));
    // The row with the cursor stays free; a dialog is drawn above the toasts.
    let written = cursor::outer_cursor(frame, None, area).map(|at| usize::from(at.y - area.y));
    let last = usize::from(area.height).saturating_sub(1);
    let mut rows = (2..last).rev().filter(|row| Some(*row) != written);
    undo(frame, area, &mut rows, canvas);
    for (toast, row) in shown.rev().zip(rows) {
        let (mark, role) = level_status(toast.level);
        let glyph = mark.glyph(canvas.theme.glyphs);
        let mut pieces = vec![
            piece(format!(" {glyph} "), role),
            piece(format!("{} ", toast.text), role),
        ];
        if toast.times > 1 {
            pieces.push(dim(format!(" {} times ", toast.times)));
        }
        let line = row_of(area, row);
        canvas.clear(line);
        canvas.line(line, &pieces);
    }
}

/// Draws the action that can be undone, and the time left for it; takes a row if there is one.
fn undo(
    frame: &FrameContext<'_>,
    area: Rect,
    rows: &mut impl Iterator<Item = usize>,
    canvas: &mut Canvas<'_>,
) {
    let now = frame.scene.now;
    let act = frame
        .state
        .undo_stack
        .last()
        .filter(|act| act.is_shown(now, frame.scene.model));
    let Some((act, row)) = act.and_then(|act| Some((act, rows.next()?))) else {
        return;
    };
    let left = (act.at + UNDO_FOR).since(now);
    let key = frame.key_of(Action::Undo);
    let line = row_of(area, row);
    canvas.clear(line);
    let pieces = [
        piece(format!(" {key}"), StyleRole::Key),
        plain(format!(" undo: {}  ", act.title)),
        dim(left.to_string()),
    ];
    canvas.line(line, &pieces);
}

fn draw_prompt(prompt: &TextPrompt, area: Rect, canvas: &mut Canvas<'_>) {
    let lines = plain_lines(&prompt_lines::prompt_visible(prompt, area));
    let size = (prompt_lines::ask_width(area), cells(lines.len() + 3));
    let dialog = canvas.dialog(centered_rect(area, size), &prompt.question());
    let text = inset(dialog, 1);
    canvas.lines(text, &lines);
    writing::draw(&prompt.line, last_row(text), canvas);
}

fn plain_lines(texts: &[String]) -> Vec<Vec<StyledText>> {
    texts.iter().map(|text| vec![plain(text)]).collect()
}

/// Draws letters over everything that can be chosen; those that no longer match the typed letters are gone.
fn draw_jump(jump: &JumpLabels, canvas: &mut Canvas<'_>) {
    for target in jump
        .targets
        .iter()
        .filter(|target| target.label.starts_with(&jump.typed))
    {
        let left = target.label.get(jump.typed.len()..).unwrap_or_default();
        let wide = cells(left.len()).min(target.area.width);
        canvas.line(left_part(target.area, wide), &[piece(left, StyleRole::ModeFind)]);
    }
}

fn draw_confirm(confirm: &ConfirmPrompt, area: Rect, canvas: &mut Canvas<'_>) {
    let (lines, hidden) = prompt_lines::confirm_visible(confirm, area);
    let size = (prompt_lines::confirm_width(area) + 4, cells(lines.len() + 4));
    let text = inset(canvas.dialog(centered_rect(area, size), &confirm.question), 1);
    canvas.lines(text, &plain_lines(&lines));
    let below = lines.len();
    canvas.line(row_of(text, below), &[piece(hidden, StyleRole::Key)]);
    let choice = [
        piece("y", StyleRole::Key),
        plain(format!(" {}   ", confirm.yes)),
        piece("n", StyleRole::Key),
        strong(" no"),
    ];
    canvas.line(row_of(text, below + 1), &choice);
}

fn draw_menu(menu: &Menu, area: Rect, canvas: &mut Canvas<'_>) {
    let widest = menu
        .items
        .iter()
        .map(|choice| width(&clean(&choice.text)))
        .max()
        .unwrap_or(0);
    let wide = cells(widest + 6).max(40).min(area.width.saturating_sub(4));
    let high = cells(menu.items.len() + 2).min(area.height.saturating_sub(4));
    let inside = canvas.dialog(centered_rect(area, (wide, high)), &menu.title);
    let choices: Vec<_> = menu.items.iter().enumerate().collect();
    let list = List::new(inside, 1, &choices, Some(menu.marked), StyleRole::Selected);
    list.draw(canvas, |(at, choice), line, canvas| {
        canvas.line(line, &[plain(format!(" {} ", choice.text))]);
        Some(ClickTarget::MenuItem(*at))
    });
}
