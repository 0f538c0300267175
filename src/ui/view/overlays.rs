//! What lies over the panes: prompts, questions, choices, the keys after the prefix, toasts.

use ratatui::layout::Rect;

use super::{FrameOf, away, cursor, form, greeting, help, lines, palette, welcome, writing};
use crate::domain::Level;
use crate::ui::action::Action;
use crate::ui::canvas::{Canvas, middle, piece, row_of};
use crate::ui::marker::Mark;
use crate::ui::scene::Scene;
use crate::ui::state::{Ask, Choose, Confirm, Hands, Jump, KEYS_SHOWN_AFTER, Overlay, State, UNDO_FOR};
use crate::ui::text::{clean, width};
use crate::ui::theme::Role;
use crate::ui::views::{Hit, Hits};

/// Draws whatever lies over the panes.
pub(super) fn draw(frame: &FrameOf<'_>, area: Rect, canvas: &mut Canvas<'_>, hits: &mut Hits) {
    toasts(frame, area, canvas);
    if let Hands::Prefix { since, .. } = frame.state.hands
        && frame.scene.now.since(since) >= KEYS_SHOWN_AFTER
    {
        help::which_key(frame, area, canvas);
    }
    if let (Some(left), None) = (frame.state.away, &frame.state.overlay) {
        away::draw(frame, left, area, canvas);
    } else if frame.state.overlay.is_none() {
        greeting::draw(frame, area, canvas);
    }
    let Some(overlay) = &frame.state.overlay else {
        return;
    };
    if !matches!(overlay, Overlay::Find(_)) {
        hits.push((area, Hit::Overlay));
    }
    match overlay {
        Overlay::Find(_) => {}
        Overlay::Help(search) => help::draw(frame, search, area, canvas, hits),
        Overlay::Palette(search) => palette::draw(frame, search, area, canvas, hits),
        Overlay::Form(form) => form::draw(form, area, canvas),
        Overlay::Jump(jump) => draw_jump(jump, canvas),
        Overlay::Ask(ask) => draw_ask(ask, area, canvas),
        Overlay::Confirm(confirm) => draw_confirm(confirm, area, canvas),
        Overlay::Welcome(asked) => welcome::draw(frame, asked, area, canvas, hits),
        Overlay::Choose(choose) => draw_choose(choose, area, canvas, hits),
    }
}

/// Whether there is anything that [`draw`] would draw.
pub(super) fn any(state: &State, scene: &Scene<'_>) -> bool {
    let keys = match state.hands {
        Hands::Prefix { since, .. } => scene.now.since(since) >= KEYS_SHOWN_AFTER,
        Hands::Ours | Hands::Typing(_) | Hands::Guarded(_) => false,
    };
    keys || state.copying.is_some()
        || state.undo.last().is_some_and(|act| act.is_offered(scene.now))
        || state.overlay.is_some()
        || state.greeting(scene.now).is_some()
        || state.toasts.iter().any(|toast| toast.shown(scene.now))
}

fn toasts(frame: &FrameOf<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let shown = frame
        .state
        .toasts
        .iter()
        .filter(|toast| toast.shown(frame.scene.now));
    // The row in which something is written stays free.
    let written = cursor::of(frame, area).map(|at| usize::from(at.y - area.y));
    let last = usize::from(area.height).saturating_sub(1);
    let mut rows = (2..last).rev().filter(|row| Some(*row) != written);
    undo(frame, area, &mut rows, canvas);
    for (toast, row) in shown.rev().zip(rows) {
        let (mark, role) = match toast.level {
            Level::Info => (Mark::Running, Role::Text),
            Level::Success => (Mark::Done, Role::Done),
            Level::Warning => (Mark::Retry, Role::Retry),
            Level::Error => (Mark::Failed, Role::Failed),
            Level::Alert => (Mark::NeedsYou, Role::Human),
        };
        let glyph = mark.glyph(canvas.theme.glyphs);
        let mut pieces = vec![
            piece(format!(" {glyph} "), role),
            piece(format!("{} ", toast.text), role),
        ];
        if toast.times > 1 {
            pieces.push(piece(format!(" {} times ", toast.times), Role::Dim));
        }
        let line = row_of(area, row);
        canvas.clear(line);
        canvas.line(line, &pieces);
    }
}

/// What can be taken back, and for how long; takes a row if there is something.
fn undo(frame: &FrameOf<'_>, area: Rect, rows: &mut impl Iterator<Item = usize>, canvas: &mut Canvas<'_>) {
    let now = frame.scene.now;
    let act = frame.state.undo.last().filter(|act| act.is_offered(now));
    let Some((act, row)) = act.and_then(|act| Some((act, rows.next()?))) else {
        return;
    };
    let left = (act.at + UNDO_FOR).since(now);
    let key = frame.state.keymap.hint(Action::Undo).unwrap_or_default();
    let line = row_of(area, row);
    canvas.clear(line);
    let pieces = [
        piece(format!(" {key}"), Role::Key),
        piece(format!(" takes back: {}  ", act.title), Role::Text),
        piece(left.to_string(), Role::Dim),
    ];
    canvas.line(line, &pieces);
}

fn draw_ask(ask: &Ask, area: Rect, canvas: &mut Canvas<'_>) {
    let dialog = lines::ask_area(ask, area);
    canvas.dialog(dialog, &ask.kind.question());
    for (at, text) in lines::of_ask(ask, area).iter().enumerate() {
        let line = Rect {
            x: dialog.x + 2.min(dialog.width),
            width: dialog.width.saturating_sub(4),
            ..row_of(dialog, at + 1)
        };
        canvas.line(line, &[piece(text, Role::Text)]);
    }
    writing::draw(&ask.line, lines::ask_line(ask, area), canvas);
}

/// Letters over everything that can be chosen; those that no longer fit what was typed are gone.
fn draw_jump(jump: &Jump, canvas: &mut Canvas<'_>) {
    for target in jump
        .targets
        .iter()
        .filter(|target| target.label.starts_with(&jump.typed))
    {
        let left = target.label.get(jump.typed.len()..).unwrap_or_default();
        let wide = u16::try_from(left.len()).unwrap_or(0).min(target.area.width);
        let place = Rect {
            width: wide,
            height: 1,
            ..target.area
        };
        canvas.line(place, &[piece(left, Role::ModeFind)]);
    }
}

fn draw_confirm(confirm: &Confirm, area: Rect, canvas: &mut Canvas<'_>) {
    let shown = lines::of_confirm(confirm, area);
    let high = u16::try_from(shown.lines.len())
        .unwrap_or(u16::MAX)
        .saturating_add(4);
    let size = (lines::confirm_width(area) + 4, high);
    let inside = canvas.dialog(middle(area, size), &confirm.question);
    let text = Rect {
        x: inside.x + 1,
        width: inside.width.saturating_sub(2),
        ..inside
    };
    for (at, line) in shown.lines.iter().enumerate() {
        canvas.line(row_of(text, at), &[piece(line, Role::Text)]);
    }
    let below = shown.lines.len();
    if let Some(hidden) = shown.hidden() {
        canvas.line(row_of(text, below), &[piece(hidden, Role::Key)]);
    }
    let choice = [
        piece("y", Role::Key),
        piece(format!(" {}   ", confirm.yes), Role::Text),
        piece("n", Role::Key),
        piece(" no", Role::Strong),
    ];
    canvas.line(row_of(text, below + 1), &choice);
}

fn draw_choose(choose: &Choose, area: Rect, canvas: &mut Canvas<'_>, hits: &mut Hits) {
    let widest = choose
        .choices
        .iter()
        .map(|choice| width(&clean(&choice.text)))
        .max()
        .unwrap_or(0);
    let wide = u16::try_from(widest + 6)
        .unwrap_or(u16::MAX)
        .max(40)
        .min(area.width.saturating_sub(4));
    let high = u16::try_from(choose.choices.len() + 2)
        .unwrap_or(u16::MAX)
        .min(area.height.saturating_sub(4));
    let inside = canvas.dialog(middle(area, (wide, high)), &choose.title);
    let height = usize::from(inside.height);
    let first = choose
        .at
        .saturating_sub(height / 2)
        .min(choose.choices.len().saturating_sub(height));
    for (row, (at, choice)) in choose
        .choices
        .iter()
        .enumerate()
        .skip(first)
        .take(height)
        .enumerate()
    {
        let line = row_of(inside, row);
        canvas.line(line, &[piece(format!(" {} ", choice.text), Role::Text)]);
        if at == choose.at {
            canvas.tint(line, Role::Selected);
        }
        hits.push((line, Hit::Choice(at)));
    }
}
