//! The last row: the mode in a word, what the keys do here. `? help` is the last to go.

use crossterm::event::KeyCode;
use ratatui::layout::Rect;

use super::{FrameOf, Hit, Hits, writing};
use crate::ui::action::Action;
use crate::ui::arrange::Mode;
use crate::ui::canvas::{Canvas, Piece, piece, pieces_width};
use crate::ui::chord::Chord;
use crate::ui::keymap::Place;
use crate::ui::likely::likely;
use crate::ui::possible::{is_inside, why_not};
use crate::ui::state::{Counted, Finding, Goal, Hands, Overlay};
use crate::ui::theme::Role;

/// Draws the last row.
pub(super) fn status(frame: &FrameOf<'_>, canvas: &mut Canvas<'_>, offered: &mut Hits) {
    let area = frame.arranged.status;
    let role = match frame.mode {
        Mode::Nav => Role::ModeNav,
        Mode::Look => Role::ModeLook,
        Mode::Type => Role::ModeType,
        Mode::Copy => Role::ModeCopy,
        Mode::Find => Role::ModeFind,
        Mode::Ask => Role::ModeAsk,
    };
    if let Some(Overlay::Find(finding)) = &frame.state.overlay {
        return find(frame, finding, role, canvas);
    }
    let word = piece(format!(" {} ", frame.mode.word()), role);
    let last = last_hint(frame);
    let room = usize::from(area.width);
    let mut pieces = vec![word];
    if let Some(Counted { number, .. }) = frame.state.counted {
        pieces.push(piece(format!(" {number}"), Role::Key));
    }
    if !frame.state.marks.is_empty() {
        pieces.push(piece(format!(" {} marked", frame.state.marks.len()), Role::Key));
    }
    let last_width = last.as_ref().map_or(0, |last| pieces_width(&last.pieces));
    let mut used = pieces_width(&pieces);
    for hint in hints(frame) {
        let wide = pieces_width(&hint.pieces);
        if used + wide + last_width > room {
            break;
        }
        offer(area, (used, wide), hint.keys, offered);
        used += wide;
        pieces.extend(hint.pieces);
    }
    canvas.line(area, &pieces);
    if let Some(last) = last {
        let beside = Rect {
            x: area.x + 6,
            width: area.width.saturating_sub(6),
            ..area
        };
        let at = match canvas.right(area, &last.pieces) {
            0 => {
                canvas.line(beside, &last.pieces);
                6
            }
            drawn => usize::from(area.width.saturating_sub(drawn)),
        };
        offer(area, (at, last_width), last.keys, offered);
    }
}

/// A click on a hint presses its keys.
fn offer(area: Rect, (at, wide): (usize, usize), keys: Vec<Chord>, offered: &mut Hits) {
    let columns = |many: usize| u16::try_from(many).unwrap_or(u16::MAX);
    let place = Rect {
        x: area.x.saturating_add(columns(at)),
        width: columns(wide),
        ..area
    };
    if !keys.is_empty() {
        offered.push((place.intersection(area), Hit::Keys(keys)));
    }
}

/// Where what is looked for is written in the last row.
pub(super) fn find_line(area: Rect) -> Rect {
    let used = 9.min(area.width);
    Rect {
        x: area.x + used,
        width: (area.width - used).min(40),
        ..area
    }
}

/// The last row while something is looked for: the words, and how many match.
fn find(frame: &FrameOf<'_>, finding: &Finding, role: Role, canvas: &mut Canvas<'_>) {
    let area = frame.arranged.status;
    let mark = match finding.goal {
        Goal::Still { onward: false, .. } => "?",
        Goal::Still { .. } | Goal::List | Goal::Past => "/",
    };
    canvas.line(
        area,
        &[piece(" FIND ", role), piece(format!("  {mark}"), Role::Key)],
    );
    let line = find_line(area);
    writing::draw(&finding.line, line, canvas);
    let rest = Rect {
        x: line.right(),
        width: area.right().saturating_sub(line.right()),
        ..area
    };
    let mut pieces = Vec::new();
    if let Some((shown, all)) = frame.found() {
        pieces.push(piece(format!("{shown} of {all}"), Role::Text));
    }
    if finding.goal == Goal::Past {
        pieces.extend(hint("Enter", "to the list").pieces);
    } else {
        pieces.extend(hint("Enter", "keep").pieces);
        pieces.extend(hint("Esc", "clear").pieces);
        pieces.extend(hint("Tab", "in all agents").pieces);
    }
    canvas.line(rest, &pieces);
}

/// What a key does, in a few columns.
struct Hint {
    pieces: Vec<Piece>,
    /// What a click on it presses; nothing where no key in particular is named.
    keys: Vec<Chord>,
}

fn hint(key: &str, title: &str) -> Hint {
    let keys: Result<Vec<Chord>, _> = key.split(' ').map(str::parse).collect();
    Hint {
        pieces: vec![
            piece("  ", Role::Text),
            piece(key, Role::Key),
            piece(format!(" {title}"), Role::Text),
        ],
        keys: keys.unwrap_or_default(),
    }
}

fn last_hint(frame: &FrameOf<'_>) -> Option<Hint> {
    let typing = frame.mode == Mode::Type;
    let place = if typing { Place::Prefixed } else { Place::Nav };
    if matches!(frame.mode, Mode::Ask | Mode::Find | Mode::Copy) {
        return None;
    }
    let chord = frame.state.keymap.keys(place, Action::Help).first()?;
    let key = if typing {
        format!("{} {chord}", frame.state.keymap.prefix())
    } else {
        chord.to_string()
    };
    let mut hint = hint(&key, "help");
    hint.pieces.push(piece(" ", Role::Text));
    Some(hint)
}

fn hints(frame: &FrameOf<'_>) -> Vec<Hint> {
    if let Hands::Prefix { .. } = frame.state.hands {
        let prefix = frame.state.keymap.prefix();
        let waits = Hint {
            keys: vec![Chord::plain(KeyCode::Esc)],
            ..hint(&prefix.to_string(), "and then? Esc cancels")
        };
        return vec![waits];
    }
    if let Some(overlay) = &frame.state.overlay {
        return overlay_hints(overlay);
    }
    let place = match frame.mode {
        Mode::Type => Place::Prefixed,
        Mode::Copy => Place::Copy,
        Mode::Nav | Mode::Look | Mode::Find | Mode::Ask => Place::Nav,
    };
    let possible = |action: &Action| why_not(*action, frame.state, frame.scene, frame.arranged).is_none();
    likely(frame.state, frame.scene, frame.arranged)
        .into_iter()
        .filter(possible)
        .filter_map(|action| one(frame, place, action))
        .collect()
}

fn one(frame: &FrameOf<'_>, place: Place, action: Action) -> Option<Hint> {
    let keymap = &frame.state.keymap;
    let chord = keymap.keys(place, action).first()?;
    let key = match place {
        Place::Nav | Place::Found | Place::Copy => chord.to_string(),
        Place::Prefixed => format!("{} {chord}", keymap.prefix()),
    };
    let inside = place == Place::Nav && is_inside(frame.state, frame.arranged.focus);
    let title = match action {
        Action::Leave if inside => "back",
        _ => action.entry()?.title,
    };
    Some(hint(&key, title))
}

fn overlay_hints(overlay: &Overlay) -> Vec<Hint> {
    let hints: &[(&str, &str)] = match overlay {
        Overlay::Help(_) => &[
            ("Enter", "run it"),
            ("C-y", "copy as a command"),
            ("Esc", "close"),
        ],
        Overlay::Palette(_) => &[
            ("Enter", "run it"),
            ("Tab", "complete"),
            ("Esc", "close"),
            ("C-y", "copy as a command"),
        ],
        Overlay::Find(_) => &[],
        Overlay::Form(_) => &[
            ("Enter", "make it"),
            ("Tab", "next field"),
            ("C-e", "editor"),
            ("Esc", "cancel"),
        ],
        Overlay::Jump(_) => &[("letters", "go there"), ("Esc", "cancel")],
        Overlay::Ask(_) => &[("Enter", "send"), ("Esc", "cancel")],
        Overlay::Confirm(_) => &[("y", "yes"), ("n", "no")],
        Overlay::Welcome(_) => &[("Enter", "take it"), ("Esc", "skip the rest")],
        Overlay::Choose(_) => &[("Enter", "choose"), ("j k", "move"), ("Esc", "cancel")],
    };
    hints.iter().map(|(key, title)| hint(key, title)).collect()
}
