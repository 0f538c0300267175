//! The last row: the mode in a word, and the effects of the keys here. `? help` is the last to be dropped.

use super::{ClickTarget, FrameContext, writing};
use crate::domain::AskKind;
use crate::keymap::Action;
use crate::keymap::Chord;
use crate::keymap::KeyTable;
use crate::term::keys::Key;
use crate::ui::availability::{can_go_back, unavailable_reason};
use crate::ui::canvas::prelude::*;
use crate::ui::screen_layout::InputMode;
use crate::ui::state::{FormField, KeyFocus, Overlay, SearchPrompt, SearchScope};
use crate::ui::suggestions::suggested_actions;
use crate::ui::target::ActionTarget;
use crate::ui::views::target;

/// Draws the last row.
pub(super) fn status_row(frame: &FrameContext<'_>, canvas: &mut Canvas<'_>) {
    let area = frame.layout.status;
    let role = match frame.mode {
        InputMode::Nav => StyleRole::ModeNav,
        InputMode::Look => StyleRole::ModeLook,
        InputMode::Type => StyleRole::ModeType,
        InputMode::Copy => StyleRole::ModeCopy,
        InputMode::Find => StyleRole::ModeFind,
        InputMode::Ask => StyleRole::ModeAsk,
    };
    if let Some(Overlay::Search(finding)) = &frame.state.overlay {
        return find(frame, finding, role, canvas);
    }
    let word = piece(format!(" {} ", frame.mode.word()), role);
    let last = last_hint(frame);
    let room = usize::from(area.width);
    let mut pieces = vec![word];
    if let Some(number) = frame.state.count {
        pieces.push(piece(format!(" {number}"), StyleRole::Key));
    }
    if !frame.state.marked_tasks.is_empty() {
        pieces.push(piece(
            format!(" {} marked", frame.state.marked_tasks.len()),
            StyleRole::Key,
        ));
    }
    let last_width = last.as_ref().map_or(0, |last| pieces_width(&last.pieces));
    let mut used = pieces_width(&pieces);
    for hint in hints(frame) {
        let wide = pieces_width(&hint.pieces);
        if used + wide + last_width > room {
            break;
        }
        offer(area, used, wide, hint.keys, canvas);
        used += wide;
        pieces.extend(hint.pieces);
    }
    canvas.line(area, &pieces);
    if let Some(last) = last {
        let beside = skip_left(area, 6);
        let at = match canvas.right(area, &last.pieces) {
            0 => {
                canvas.line(beside, &last.pieces);
                6
            }
            drawn => usize::from(area.width.saturating_sub(drawn)),
        };
        offer(area, at, last_width, last.keys, canvas);
    }
}

/// Adds a click target for a hint, which presses its keys.
fn offer(area: Rect, at: usize, wide: usize, keys: Vec<Chord>, canvas: &mut Canvas<'_>) {
    let place = left_part(skip_left(area, cells(at)), cells(wide));
    if !keys.is_empty() {
        canvas.hits.push((place, ClickTarget::Keys(keys)));
    }
}

/// Draws the last row of a search: the words, and the number of matches.
fn find(frame: &FrameContext<'_>, finding: &SearchPrompt, role: StyleRole, canvas: &mut Canvas<'_>) {
    let area = frame.layout.status;
    let mark = match finding.scope {
        SearchScope::CopyMode { onward: false, .. } => "?",
        SearchScope::CopyMode { .. } | SearchScope::List | SearchScope::AllTerminals => "/",
    };
    canvas.line(
        area,
        &[piece(" FIND ", role), piece(format!("  {mark}"), StyleRole::Key)],
    );
    let line = left_part(skip_left(area, 9), 40);
    writing::draw(&finding.line, line, canvas);
    let rest = skip_left(area, line.right() - area.x);
    let mut pieces = Vec::new();
    if let Some((shown, all)) = frame.found() {
        pieces.push(plain(format!("{shown} of {all}")));
    }
    if finding.scope == SearchScope::AllTerminals {
        pieces.extend(hint("Enter", "to the list").pieces);
    } else {
        pieces.extend(hint("Enter", "keep").pieces);
        pieces.extend(hint("Esc", "clear").pieces);
        pieces.extend(hint("Tab", "in all agents").pieces);
    }
    canvas.line(rest, &pieces);
}

/// A key and its effect, as shown in the last row.
struct KeyHint {
    pieces: Vec<StyledText>,
    /// Keys that a click on the hint presses; empty if no key in particular is named.
    keys: Vec<Chord>,
}

fn hint(key: &str, title: &str) -> KeyHint {
    let keys: Result<Vec<Chord>, _> = key.split(' ').map(str::parse).collect();
    KeyHint {
        pieces: vec![
            plain("  "),
            piece(key, StyleRole::Key),
            plain(format!(" {title}")),
        ],
        keys: keys.unwrap_or_default(),
    }
}

fn last_hint(frame: &FrameContext<'_>) -> Option<KeyHint> {
    let typing = frame.mode == InputMode::Type;
    let place = if typing { KeyTable::Prefixed } else { KeyTable::Nav };
    if matches!(frame.mode, InputMode::Ask | InputMode::Find | InputMode::Copy) {
        return None;
    }
    let chord = frame.state.keymap.keys(place, Action::Help).first()?;
    let key = if typing {
        format!("{} {chord}", frame.state.keymap.prefix())
    } else {
        chord.to_string()
    };
    let mut hint = hint(&key, "help");
    hint.pieces.push(plain(" "));
    Some(hint)
}

fn hints(frame: &FrameContext<'_>) -> Vec<KeyHint> {
    if let KeyFocus::Prefix { .. } = frame.state.key_focus {
        let prefix = frame.state.keymap.prefix();
        let waits = KeyHint {
            keys: vec![Chord::plain(Key::Escape)],
            ..hint(&prefix.to_string(), "next key? Esc cancel")
        };
        return vec![waits];
    }
    if let Some(overlay) = &frame.state.overlay {
        return overlay_hints(overlay);
    }
    let place = match frame.mode {
        InputMode::Type => KeyTable::Prefixed,
        InputMode::Copy => KeyTable::Copy,
        InputMode::Nav | InputMode::Look | InputMode::Find | InputMode::Ask => KeyTable::Nav,
    };
    let possible =
        |action: &Action| unavailable_reason(*action, frame.state, frame.scene, frame.layout).is_none();
    suggested_actions(frame.state, frame.scene, frame.layout)
        .into_iter()
        .filter(possible)
        .filter_map(|action| one(frame, place, action))
        .collect()
}

fn one(frame: &FrameContext<'_>, table: KeyTable, action: Action) -> Option<KeyHint> {
    let keymap = &frame.state.keymap;
    let chord = keymap.keys(table, action).first()?;
    let key = match table {
        KeyTable::Nav | KeyTable::Filtered | KeyTable::Copy => chord.to_string(),
        KeyTable::Prefixed => format!("{} {chord}", keymap.prefix()),
    };
    let inside = table == KeyTable::Nav && can_go_back(frame.state, frame.layout.focus);
    let title = match action {
        Action::Detach if inside => "back",
        Action::Approve => approval(frame).unwrap_or(action.entry()?.title),
        Action::TogglePause if frame.scene.model.pause.is_some() => "resume",
        Action::RetryWithNote if about(frame).blocking_question().is_some() => "answer and retry",
        _ => action.entry()?.title,
    };
    Some(hint(&key, title))
}

fn about<'a>(frame: &FrameContext<'a>) -> ActionTarget<'a> {
    target(frame.state, frame.scene, frame.layout)
}

/// Returns the word for a yes to an agent; `None` if a stage waits for it.
fn approval(frame: &FrameContext<'_>) -> Option<&'static str> {
    let (about, now) = (about(frame), frame.scene.now);
    if about.wants_permission(now).is_some() {
        return Some("allow");
    }
    about.asks(AskKind::Dialog, now).map(|_| "yes")
}

fn overlay_hints(overlay: &Overlay) -> Vec<KeyHint> {
    let hints: &[(&str, &str)] = match overlay {
        Overlay::Help(_) => &[("Enter", "run"), ("C-y", "copy as a command"), ("Esc", "close")],
        Overlay::Palette(_) => &[
            ("Enter", "run"),
            ("Tab", "complete"),
            ("Esc", "close"),
            ("C-y", "copy as a command"),
        ],
        Overlay::Search(_) => &[],
        Overlay::Form(form) if form.field == FormField::Body => &[
            ("C-s", "create"),
            ("Enter", "new line"),
            ("Tab", "next field"),
            ("C-e", "editor"),
            ("Esc", "cancel"),
        ],
        Overlay::Form(_) => &[
            ("Enter", "create"),
            ("Tab", "next field"),
            ("C-e", "editor"),
            ("Esc", "cancel"),
        ],
        Overlay::Jump(_) => &[("letters", "go there"), ("Esc", "cancel")],
        Overlay::Prompt(_) => &[("Enter", "send"), ("Esc", "cancel")],
        Overlay::Confirm(_) => &[("y", "yes"), ("n", "no")],
        Overlay::Welcome(_) => &[("Enter", "accept"), ("Esc", "skip the rest")],
        Overlay::Trust(_) => &[
            ("t", "trust this content"),
            ("v", "view"),
            ("j k", "move"),
            ("Esc", "back"),
        ],
        Overlay::Menu(_) => &[("Enter", "choose"), ("j k", "move"), ("Esc", "cancel")],
    };
    hints.iter().map(|(key, title)| hint(key, title)).collect()
}
