//! The questions of a first start, drawn: what was found, what is asked, what can be answered.

use ratatui::layout::Rect;

use super::FrameOf;
use super::overlays;
use crate::ui::canvas::{Canvas, Piece, middle, piece, row_of};
use crate::ui::marker::Mark;
use crate::ui::state::{Step, Welcome};
use crate::ui::text::wrap;
use crate::ui::theme::Role;
use crate::ui::views::{Hit, Hits};

/// Columns of the dialog where there is room.
const WIDE: u16 = 72;
/// Rows for choices that are shown at a time.
const CHOICES: usize = 6;

/// Draws the question.
pub(super) fn draw(
    frame: &FrameOf<'_>,
    welcome: &Welcome,
    area: Rect,
    canvas: &mut Canvas<'_>,
    hits: &mut Hits,
) {
    let lines = lines(frame, welcome, area);
    let (at, all) = welcome.number();
    let title = format!("First start, {at} of {all}");
    let inside = canvas.dialog(dialog(area, lines.len() + answers(welcome)), &title);
    for (at, line) in lines.iter().enumerate() {
        canvas.line(row_of(inside, at), line);
    }
    if let Step::Command(line) = &welcome.step {
        return overlays::written(line, line_of(frame, welcome, area), canvas);
    }
    let choices = welcome.choices();
    let first = welcome.at.saturating_sub(CHOICES - 1);
    for (row, (at, choice)) in choices.iter().enumerate().skip(first).take(CHOICES).enumerate() {
        let line = row_of(inside, lines.len() + row);
        canvas.line(line, &[piece(format!("   {choice}"), Role::Text)]);
        if at == welcome.at {
            canvas.tint(line, Role::Selected);
        }
        hits.push((line, Hit::Choice(at)));
    }
}

/// Where the command line is written.
pub(super) fn line_of(frame: &FrameOf<'_>, welcome: &Welcome, area: Rect) -> Rect {
    let above = lines(frame, welcome, area).len();
    let dialog = dialog(area, above + answers(welcome));
    let row = row_of(dialog, above + 1);
    Rect {
        x: row.x + 3.min(row.width),
        width: row.width.saturating_sub(5),
        ..row
    }
}

/// Rows below what is asked.
fn answers(welcome: &Welcome) -> usize {
    match &welcome.step {
        Step::Command(_) => 1,
        Step::Prefix(_) => 0,
        Step::Agent | Step::Calls | Step::Demo => welcome.choices().len().min(CHOICES),
    }
}

fn dialog(area: Rect, rows: usize) -> Rect {
    let high = u16::try_from(rows + 2).unwrap_or(u16::MAX).min(area.height);
    middle(area, (WIDE.min(area.width.saturating_sub(2)), high))
}

fn lines(frame: &FrameOf<'_>, welcome: &Welcome, area: Rect) -> Vec<Vec<Piece>> {
    let room = usize::from(WIDE.min(area.width.saturating_sub(2)).saturating_sub(4));
    let mut lines = Vec::new();
    let mut say = |text: &str, role: Role| {
        let wrapped = wrap(text, room.max(8)).into_iter();
        lines.extend(wrapped.map(|line| vec![piece(format!(" {line}"), role)]));
    };
    let prefix = frame.state.keymap.prefix();
    match &welcome.step {
        Step::Agent => {
            say("Which agent does the work?", Role::Strong);
            let found = welcome.found.programs.iter();
            let (there, missing): (Vec<_>, Vec<_>) = found.partition(|(_, place)| place.is_some());
            for (name, place) in there {
                let glyph = Mark::Done.glyph(frame.scene.theme.glyphs);
                let place = place.as_deref().unwrap_or_default();
                say(&format!("{glyph} {name}  {place}"), Role::Done);
            }
            let missing: Vec<&str> = missing.iter().map(|(name, _)| name.as_str()).collect();
            if !missing.is_empty() {
                let text = format!(
                    "Not found: {}. Looked in {}",
                    missing.join(", "),
                    welcome.found.path
                );
                lines.extend(
                    wrap(&text, room.max(8))
                        .into_iter()
                        .take(2)
                        .map(|line| vec![piece(format!(" {line}"), Role::Dim)]),
                );
            }
        }
        Step::Command(_) => {
            say("With which command line?", Role::Strong);
            say(
                "{task} {title} {body} {branch} {base} {role} {finding} are filled in. It says how it went by `dbs signal`.",
                Role::Dim,
            );
        }
        Step::Prefix(pressed) => {
            say("One key is ours while you type to an agent.", Role::Strong);
            say(
                &format!(
                    "It is {prefix}. Press it to see that it arrives, or another that you want instead."
                ),
                Role::Text,
            );
            if let Some(outer) = &welcome.found.outer {
                say(
                    &format!("This terminal is in {outer}, which may keep {prefix} for itself: C-a, then."),
                    Role::Retry,
                );
            }
            match pressed {
                None => say("Nothing has arrived yet.", Role::Dim),
                Some(chord) => say(
                    &format!("{} {chord} arrives.", Mark::Done.glyph(frame.scene.theme.glyphs)),
                    Role::Done,
                ),
            }
        }
        Step::Calls => {
            say(
                "May your terminal call you when something needs you?",
                Role::Strong,
            );
            say(
                "By a notification and the bell, while you look elsewhere.",
                Role::Dim,
            );
        }
        Step::Demo => {
            say("See it at work?", Role::Strong);
            say(
                "Scripted agents in a throw-away repository: forty seconds, no account, no network. Afterwards you are here again.",
                Role::Dim,
            );
        }
    }
    lines
}
