//! The keys: all of them by group, or those that may follow the prefix. Made from the table of actions.

use ratatui::layout::Rect;

use super::FrameOf;
use crate::ui::action::{Entry, Group, entries};
use crate::ui::canvas::{Canvas, Piece, middle, piece, row_of};
use crate::ui::keymap::Place;
use crate::ui::possible::why_not;
use crate::ui::text::wrap;
use crate::ui::theme::Role;

/// Columns of the keys in the help.
const KEYS_WIDTH: usize = 18;
/// Columns of one entry after the prefix.
const CELL_WIDTH: u16 = 26;

/// Draws the help, scrolled by so many lines.
pub(super) fn draw(frame: &FrameOf<'_>, scroll: usize, area: Rect, canvas: &mut Canvas<'_>) {
    let size = (
        100.min(area.width.saturating_sub(4)),
        area.height.saturating_sub(2),
    );
    let title = format!("Keys  dbs {}", frame.scene.session.version);
    let inside = canvas.dialog(middle(area, size), &title);
    let room = Rect {
        x: inside.x + 1,
        width: inside.width.saturating_sub(2),
        ..inside
    };
    let lines = lines(frame, usize::from(room.width));
    let height = usize::from(room.height);
    let first = scroll.min(lines.len().saturating_sub(height));
    for (at, pieces) in lines.iter().skip(first).take(height).enumerate() {
        canvas.line(row_of(room, at), pieces);
    }
}

/// Introduction, then all actions by group; one that is not possible now says why.
fn lines(frame: &FrameOf<'_>, room: usize) -> Vec<Vec<Piece>> {
    let prefix = frame.state.keymap.prefix();
    let about = format!(
        "Focus is on one pane. In NAV and LOOK keys are ours; in TYPE every key goes to the program, but for {prefix}. \
         {prefix} twice sends it once to the program."
    );
    let mut lines: Vec<Vec<Piece>> = wrap(&about, room)
        .into_iter()
        .map(|line| vec![piece(line, Role::Dim)])
        .collect();
    for group in Group::ALL {
        lines.push(Vec::new());
        lines.push(vec![piece(group.title(), Role::Strong)]);
        for entry in entries().filter(|entry| entry.group == group) {
            lines.extend(explained(frame, entry, room));
        }
    }
    lines
}

fn explained(frame: &FrameOf<'_>, entry: &Entry, room: usize) -> Vec<Vec<Piece>> {
    let keys = format!("{:<KEYS_WIDTH$}", keys_of(frame, entry));
    let mut text = entry.help.to_owned();
    let why_not = why_not(entry.action, frame.state, frame.scene, frame.arranged);
    let role = if why_not.is_some() { Role::Dim } else { Role::Text };
    if let Some(why) = why_not {
        text = format!("{text} Not now: {why}.");
    }
    let left = room.saturating_sub(KEYS_WIDTH + 1).max(10);
    let texts = wrap(&text, left).into_iter().enumerate();
    texts
        .map(|(at, text)| {
            let keys = if at == 0 {
                keys.clone()
            } else {
                " ".repeat(KEYS_WIDTH)
            };
            vec![piece(keys, Role::Key), piece(format!(" {text}"), role)]
        })
        .collect()
}

/// `k Up`, `C-b z`: every key of an action.
fn keys_of(frame: &FrameOf<'_>, entry: &Entry) -> String {
    let keymap = &frame.state.keymap;
    let mut keys: Vec<String> = keymap
        .keys(Place::Nav, entry.action)
        .iter()
        .map(ToString::to_string)
        .collect();
    let prefix = keymap.prefix();
    keys.extend(
        keymap
            .keys(Place::Prefixed, entry.action)
            .iter()
            .take(1)
            .map(|key| format!("{prefix} {key}")),
    );
    keys.join(" ")
}

/// The panel of what may follow the prefix.
pub(super) fn which_key(frame: &FrameOf<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let keymap = &frame.state.keymap;
    let listed: Vec<_> = entries()
        .filter_map(|entry| Some((entry, keymap.keys(Place::Prefixed, entry.action).first()?)))
        .filter(|(entry, _)| !matches!(entry.action, crate::ui::action::Action::Tab(2..)))
        .collect();
    let columns = usize::from(area.width.saturating_sub(2) / CELL_WIDTH).max(1);
    let rows = listed.len().div_ceil(columns);
    let height = u16::try_from(rows + 2)
        .unwrap_or(u16::MAX)
        .min(area.height.saturating_sub(2));
    let panel = Rect {
        y: area.bottom().saturating_sub(height + 1),
        height,
        ..area
    };
    let inside = canvas.dialog(panel, &format!("{} and then", keymap.prefix()));
    for (at, (entry, chord)) in listed.iter().enumerate() {
        let (column, row) = (at / rows.max(1), at % rows.max(1));
        let x = inside.x + u16::try_from(column).unwrap_or(0).saturating_mul(CELL_WIDTH);
        let line = Rect {
            x,
            width: CELL_WIDTH.min(inside.right().saturating_sub(x)),
            ..row_of(inside, row)
        };
        let pieces = [
            piece(format!(" {:>7} ", chord.to_string()), Role::Key),
            piece(entry.title, Role::Text),
        ];
        canvas.line(line, &pieces);
    }
}
