//! The last row: the mode in a word, what the keys do here. `? help` is the last to go.

use ratatui::layout::Rect;

use super::FrameOf;
use crate::ui::action::Action;
use crate::ui::arrange::{Arranged, Mode, mode_below};
use crate::ui::canvas::{Canvas, Piece, piece, pieces_width};
use crate::ui::keymap::Place;
use crate::ui::possible::why_not;
use crate::ui::scene::Scene;
use crate::ui::state::{Hands, Overlay, State};
use crate::ui::theme::Role;

const NAV: [Action; 16] = [
    Action::NextPart,
    Action::Against,
    Action::Open,
    Action::Approve,
    Action::Reject,
    Action::Retry,
    Action::Release,
    Action::Answer,
    Action::Type,
    Action::Skip,
    Action::NewTask,
    Action::StopAgent,
    Action::Pause,
    Action::NextPane,
    Action::Zoom,
    Action::Leave,
];
const LOOK: [Action; 8] = [
    Action::Type,
    Action::Back,
    Action::Answer,
    Action::StopAgent,
    Action::NextPane,
    Action::Zoom,
    Action::Last,
    Action::Leave,
];
const TYPE: [Action; 5] = [
    Action::Look,
    Action::NeedsYou,
    Action::Board,
    Action::Leave,
    Action::Zoom,
];

/// What a person is likeliest to do where the focus is, whatever lies over it.
pub(crate) fn likely(state: &State, scene: &Scene<'_>, arranged: &Arranged) -> Vec<Action> {
    match mode_below(state, scene, arranged.focus) {
        Mode::Nav | Mode::Ask => NAV.to_vec(),
        Mode::Look => LOOK.to_vec(),
        Mode::Type => TYPE.to_vec(),
    }
}

/// Draws the last row.
pub(super) fn status(frame: &FrameOf<'_>, canvas: &mut Canvas<'_>) {
    let area = frame.arranged.status;
    let role = match frame.mode {
        Mode::Nav => Role::ModeNav,
        Mode::Look => Role::ModeLook,
        Mode::Type => Role::ModeType,
        Mode::Ask => Role::ModeAsk,
    };
    let word = piece(format!(" {} ", frame.mode.word()), role);
    let hints = hints(frame);
    let last = last_hint(frame);
    let room = usize::from(area.width);
    let mut pieces = vec![word];
    let mut used = pieces_width(&pieces) + last.as_ref().map_or(0, |last| pieces_width(last));
    for hint in hints {
        used += pieces_width(&hint);
        if used > room {
            break;
        }
        pieces.extend(hint);
    }
    canvas.line(area, &pieces);
    if let Some(last) = last {
        let used = canvas.right(area, &last);
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

fn hint(key: &str, title: &str) -> Vec<Piece> {
    vec![
        piece("  ", Role::Text),
        piece(key, Role::Key),
        piece(format!(" {title}"), Role::Text),
    ]
}

fn last_hint(frame: &FrameOf<'_>) -> Option<Vec<Piece>> {
    let typing = frame.mode == Mode::Type;
    let place = if typing { Place::Prefixed } else { Place::Nav };
    if frame.mode == Mode::Ask {
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

fn hints(frame: &FrameOf<'_>) -> Vec<Vec<Piece>> {
    if let Hands::Prefix { .. } = frame.state.hands {
        let prefix = frame.state.keymap.prefix();
        return vec![hint(&prefix.to_string(), "and then? Esc cancels")];
    }
    if let Some(overlay) = &frame.state.overlay {
        return overlay_hints(overlay);
    }
    let (place, actions) = match frame.mode {
        Mode::Nav => (Place::Nav, NAV.as_slice()),
        Mode::Look => (Place::Nav, LOOK.as_slice()),
        Mode::Type => (Place::Prefixed, TYPE.as_slice()),
        Mode::Ask => return Vec::new(),
    };
    let possible = |action: &&Action| why_not(**action, frame.state, frame.scene, frame.arranged).is_none();
    actions
        .iter()
        .filter(possible)
        .filter_map(|action| one(frame, place, *action))
        .collect()
}

fn one(frame: &FrameOf<'_>, place: Place, action: Action) -> Option<Vec<Piece>> {
    let keymap = &frame.state.keymap;
    let chord = keymap.keys(place, action).first()?;
    let key = match place {
        Place::Nav => chord.to_string(),
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
        Overlay::Ask(_) => &[("Enter", "send"), ("Esc", "cancel")],
        Overlay::Confirm(_) => &[("y", "yes"), ("n", "no")],
        Overlay::Choose(_) => &[("Enter", "choose"), ("j k", "move"), ("Esc", "cancel")],
    };
    hints.iter().map(|(key, title)| hint(key, title)).collect()
}
