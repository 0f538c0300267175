//! The last row: the mode in a word, what the keys do here. `? help` is the last to go.

use ratatui::layout::Rect;

use super::{FrameOf, Hit, Hits, overlays};
use crate::ui::action::Action;
use crate::ui::arrange::Mode;
use crate::ui::canvas::{Canvas, Piece, piece, pieces_width};
use crate::ui::keymap::Place;
use crate::ui::likely::likely;
use crate::ui::possible::why_not;
use crate::ui::state::{Counted, Finding, Goal, Hands, Overlay};
use crate::ui::theme::Role;

/// Columns before a hint.
const GAP: usize = 2;

/// Draws the last row; its hints can be clicked.
pub(super) fn status(frame: &FrameOf<'_>, canvas: &mut Canvas<'_>, hits: &mut Hits) {
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
    let offered = hints(frame);
    let last = last_hint(frame);
    let room = usize::from(area.width);
    let mut pieces = vec![word];
    if let Some(Counted { number, .. }) = frame.state.counted {
        pieces.push(piece(format!(" {number}"), Role::Key));
    }
    if !frame.state.marks.is_empty() {
        pieces.push(piece(format!(" {} marked", frame.state.marks.len()), Role::Key));
    }
    let mut used = pieces_width(&pieces) + last.as_ref().map_or(0, |last| pieces_width(last));
    for (hint, action) in offered {
        used += pieces_width(&hint);
        if used > room {
            break;
        }
        if let Some(action) = action {
            let from = pieces_width(&pieces) + GAP;
            hits.push((columns(area, from, pieces_width(&hint) - GAP), Hit::Act(action)));
        }
        pieces.extend(hint);
    }
    canvas.line(area, &pieces);
    if let Some(last) = last {
        let used = canvas.right(area, &last);
        let from = usize::from(area.width.saturating_sub(used)) + GAP;
        hits.push((columns(area, from, usize::from(used)), Hit::Act(Action::Help)));
        if used == 0 {
            canvas.line(
                Rect {
                    x: area.x + 6,
                    width: area.width.saturating_sub(6),
                    ..area
                },
                &last,
            );
        }
    }
}

/// So many columns of a row from there on.
fn columns(area: Rect, from: usize, many: usize) -> Rect {
    let from = u16::try_from(from).unwrap_or(u16::MAX).min(area.width);
    let many = u16::try_from(many).unwrap_or(u16::MAX).min(area.width - from);
    Rect {
        x: area.x + from,
        width: many,
        ..area
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
    overlays::written(&finding.line, line, canvas);
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
        pieces.extend(hint("Enter", "to the list"));
    } else {
        pieces.extend(hint("Enter", "keep"));
        pieces.extend(hint("Esc", "clear"));
        pieces.extend(hint("Tab", "in all agents"));
    }
    canvas.line(rest, &pieces);
}

fn hint(key: &str, title: &str) -> Vec<Piece> {
    vec![
        piece(" ".repeat(GAP), Role::Text),
        piece(key, Role::Key),
        piece(format!(" {title}"), Role::Text),
    ]
}

fn last_hint(frame: &FrameOf<'_>) -> Option<Vec<Piece>> {
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
    let mut pieces = hint(&key, "help");
    pieces.push(piece(" ", Role::Text));
    Some(pieces)
}

fn hints(frame: &FrameOf<'_>) -> Vec<(Vec<Piece>, Option<Action>)> {
    if let Hands::Prefix { .. } = frame.state.hands {
        let prefix = frame.state.keymap.prefix();
        return vec![(hint(&prefix.to_string(), "and then? Esc cancels"), None)];
    }
    if let Some(overlay) = &frame.state.overlay {
        return overlay_hints(overlay)
            .into_iter()
            .map(|hint| (hint, None))
            .collect();
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
        .filter_map(|action| Some((one(frame, place, action)?, Some(action))))
        .collect()
}

fn one(frame: &FrameOf<'_>, place: Place, action: Action) -> Option<Vec<Piece>> {
    let keymap = &frame.state.keymap;
    let chord = keymap.keys(place, action).first()?;
    let key = match place {
        Place::Nav | Place::Found | Place::Copy => chord.to_string(),
        Place::Prefixed => format!("{} {chord}", keymap.prefix()),
    };
    Some(hint(&key, action.entry()?.title))
}

fn overlay_hints(overlay: &Overlay) -> Vec<Vec<Piece>> {
    let hints: &[(&str, &str)] = match overlay {
        Overlay::Help(_) => &[
            ("Enter", "run it"),
            ("C-y", "copy as a command"),
            ("Esc", "close"),
        ],
        Overlay::Palette(_) => &[("Enter", "run it"), ("Tab", "complete"), ("Esc", "close")],
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
