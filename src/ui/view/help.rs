//! The help, drawn; and the panel of keys that may follow the prefix.

use super::{FrameContext, writing};
use crate::display::text::{cut, wrap};
use crate::keymap::Axis;
use crate::keymap::KeyTable;
use crate::keymap::{Action, entries};
use crate::ui::availability::unavailable_reason;
use crate::ui::canvas::prelude::*;
use crate::ui::help::{HelpRow, keys_of, rows, shell_command};
use crate::ui::state::Picker;
use crate::ui::views::{ClickTarget, List, SESSIONS, target};

/// Columns of the keys in the help.
const KEYS_WIDTH: usize = 18;
/// Columns of one entry after the prefix.
const CELL_WIDTH: u16 = 26;

/// Returns the area of the help.
fn dialog(area: Rect) -> Rect {
    let size = (
        100.min(area.width.saturating_sub(4)),
        area.height.saturating_sub(2),
    );
    centered_rect(area, size)
}

/// Drawn line of the help and the action it belongs to.
struct HelpLine {
    pieces: Vec<StyledText>,
    act: Option<usize>,
}

/// Draws the help with the marked row in view.
pub(super) fn draw(frame: &FrameContext<'_>, search: &Picker, area: Rect, canvas: &mut Canvas<'_>) {
    let title = format!("Help  dbs {}", frame.scene.session.version);
    let inside = canvas.dialog(dialog(area), &title);
    let prompt = writing::prompt_line("/", inside, canvas);
    if search.line.is_empty() {
        canvas.line(prompt, &[dim("type to search; Enter runs")]);
    }
    writing::draw(&search.line, prompt, canvas);
    let room = inset(skip_top(inside, 1), 1);
    let lines = lines(frame, search, usize::from(room.width));
    let first = first_line(&lines, search.marked, usize::from(room.height));
    let is_marked = |line: &HelpLine| line.act == Some(search.marked);
    let from = lines.iter().position(is_marked).unwrap_or(0);
    let many = lines.iter().filter(|line| is_marked(line)).count();
    let list = List::starting_at(room, &lines, first, from..from + many, StyleRole::Selected);
    list.draw(canvas, |line, place, canvas| {
        canvas.line(place, &line.pieces);
        line.act.map(ClickTarget::MenuItem)
    });
}

/// Returns the first line to draw: the beginning as long as the mark is on the first page, then the mark in the middle.
fn first_line(lines: &[HelpLine], marked: usize, height: usize) -> usize {
    let last = lines
        .iter()
        .rposition(|line| line.act == Some(marked))
        .unwrap_or(0);
    if last < height {
        return 0;
    }
    (last + 1)
        .saturating_sub(height / 2)
        .min(lines.len().saturating_sub(height))
}

fn lines(frame: &FrameContext<'_>, search: &Picker, room: usize) -> Vec<HelpLine> {
    let rows = rows(frame.state, frame.scene, frame.layout, search.line.text());
    let mut lines = Vec::new();
    let mut acts = 0;
    for row in rows {
        match row {
            HelpRow::Heading(text) => {
                lines.push(text_line(Vec::new()));
                lines.push(text_line(vec![strong(text)]));
            }
            HelpRow::Text(text) => {
                let wrapped = wrap(&text, room).into_iter();
                lines.extend(wrapped.map(|line| text_line(vec![plain(line)])));
            }
            HelpRow::Act(action) => {
                lines.extend(explained(frame, action, acts, room));
                if acts == search.marked {
                    lines.extend(as_command(frame, action, acts));
                }
                acts += 1;
            }
        }
    }
    lines
}

fn text_line(pieces: Vec<StyledText>) -> HelpLine {
    HelpLine { pieces, act: None }
}

/// Returns the keys and the sentence of an action; an action that is not possible now has the reason.
fn explained(frame: &FrameContext<'_>, action: Action, act: usize, room: usize) -> Vec<HelpLine> {
    let Some(entry) = action.entry() else {
        return Vec::new();
    };
    let keys = keys_of(&frame.state.keymap, action).join(" ");
    let keys = cut(&keys, KEYS_WIDTH, frame.scene.theme.ellipsis());
    let mut text = entry.help.to_owned();
    let why_not = unavailable_reason(action, frame.state, frame.scene, frame.layout);
    let role = if why_not.is_some() {
        StyleRole::Dim
    } else {
        StyleRole::Text
    };
    if let Some(why) = why_not {
        text = format!("{text} Not now: {why}.");
    }
    let left = room.saturating_sub(KEYS_WIDTH + 1).max(10);
    let texts = wrap(&text, left).into_iter().enumerate();
    texts
        .map(|(at, text)| {
            let keys = if at == 0 { keys.as_str() } else { "" };
            HelpLine {
                pieces: vec![
                    piece(format!("{keys:<KEYS_WIDTH$}"), StyleRole::Key),
                    piece(format!(" {text}"), role),
                ],
                act: Some(act),
            }
        })
        .collect()
}

/// Returns the command that does the same in a shell, below the marked row.
fn as_command(frame: &FrameContext<'_>, action: Action, act: usize) -> Option<HelpLine> {
    let about = target(frame.state, frame.scene, frame.layout);
    let command = shell_command(action, &about, frame.scene.model)?;
    Some(HelpLine {
        pieces: vec![
            dim(format!("{:>KEYS_WIDTH$}", "C-y copies")),
            strong(format!(" {command}")),
        ],
        act: Some(act),
    })
}

/// Keys after the prefix that are shown first if there is no room for all.
const FIRST: [Action; 21] = [
    Action::StopTyping,
    Action::ShowBoard,
    Action::GoToAttention,
    Action::Detach,
    Action::Palette,
    Action::Help,
    Action::CopyMode,
    Action::Paste,
    Action::FindEverywhere,
    Action::ToggleTyping,
    Action::NextPane,
    Action::LastPane,
    Action::Zoom,
    Action::ClosePane,
    Action::Split(Axis::Columns),
    Action::Split(Axis::Rows),
    Action::NextTab,
    Action::PreviousTab,
    Action::NewShell,
    Action::ListPanes,
    Action::Show(SESSIONS),
];

/// Draws the panel of keys that may follow the prefix; those without room are counted.
pub(super) fn which_key(frame: &FrameContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let columns = usize::from(area.width.saturating_sub(2) / CELL_WIDTH).max(1);
    let most = usize::from(area.height.saturating_sub(4)).max(1);
    let keys = keys_after_prefix(frame, columns * most);
    let rows = keys.len().div_ceil(columns).min(most);
    let height = cells(rows + 2).min(area.height.saturating_sub(2));
    let panel = Rect {
        y: area.bottom().saturating_sub(height + 1),
        height,
        ..area
    };
    let inside = canvas.dialog(panel, &format!("{} and then", frame.state.keymap.prefix()));
    for (at, pieces) in keys.iter().enumerate() {
        let (column, row) = (at / rows.max(1), at % rows.max(1));
        let left = cells(column).saturating_mul(CELL_WIDTH);
        let line = skip_left(row_of(inside, row), left);
        canvas.line(left_part(line, CELL_WIDTH), pieces);
    }
}

/// Returns the keys that may follow the prefix and their effects, as many as there is room for; the last one is the number of those left
/// out.
fn keys_after_prefix(frame: &FrameContext<'_>, room: usize) -> Vec<Vec<StyledText>> {
    let keymap = &frame.state.keymap;
    let cell = |key: &str, text: &str| vec![piece(format!(" {key:>7} "), StyleRole::Key), plain(text)];
    let mut listed: Vec<_> = entries()
        .filter_map(|entry| Some((entry, keymap.keys(KeyTable::Prefixed, entry.action).first()?)))
        .filter(|(entry, _)| !matches!(entry.action, Action::Tab(2..)))
        .collect();
    let all = listed.len();
    if all > room {
        let rank = |action: Action| FIRST.iter().position(|first| *first == action);
        listed.sort_by_key(|(entry, _)| rank(entry.action).unwrap_or(FIRST.len()));
        listed.truncate(room.saturating_sub(1));
    }
    let shown = listed.len();
    let mut cells: Vec<_> = listed
        .into_iter()
        .map(|(entry, chord)| cell(&chord.to_string(), entry.title))
        .collect();
    if shown < all {
        let help = keymap.keys(KeyTable::Prefixed, Action::Help).first();
        let way = help.map_or_else(String::new, |help| format!(", {help} for all"));
        cells.push(cell(&format!("+{}", all - shown), &format!("more{way}")));
    }
    cells
}
