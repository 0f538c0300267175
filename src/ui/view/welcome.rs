//! The questions of a first start, drawn: what was found, what is asked, what can be answered.

use ratatui::layout::Rect;

use super::FrameOf;
use super::writing;
use crate::ui::canvas::{Canvas, Piece, middle, piece, row_of};
use crate::ui::chord::Chord;
use crate::ui::marker::Mark;
use crate::ui::state::{Step, Welcome, is_prefix_of};
use crate::ui::text::wrap;
use crate::ui::theme::Role;
use crate::ui::views::{Hit, Hits};

/// Columns of the dialog where there is room.
const WIDE: u16 = 72;
/// Rows for choices that are shown at a time.
const CHOICES: usize = 6;
/// Rows for what was not found.
const MISSING: usize = 2;

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
        return writing::draw(line, line_of(frame, welcome, area), canvas);
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

type Lines = Vec<Vec<Piece>>;

fn lines(frame: &FrameOf<'_>, welcome: &Welcome, area: Rect) -> Lines {
    let room = usize::from(WIDE.min(area.width.saturating_sub(2)).saturating_sub(4));
    let mut said = Said {
        room: room.max(8),
        lines: Vec::new(),
    };
    match &welcome.step {
        Step::Agent => said.agent(frame, welcome),
        Step::Command(_) => {
            said.line("With which command line?", Role::Strong);
            said.line(
                "{task} {title} {body} {branch} {base} {role} {finding} are filled in. It says how it went by `dbs signal`.",
                Role::Dim,
            );
        }
        Step::Prefix(pressed) => said.prefix(frame, welcome, *pressed),
        Step::Calls => {
            said.line(
                "May your terminal call you when something needs you?",
                Role::Strong,
            );
            said.line(
                "By a notification and the bell, while you look elsewhere.",
                Role::Dim,
            );
        }
        Step::Demo => {
            said.line("See it at work?", Role::Strong);
            said.line(
                "Scripted agents in a throw-away repository: one minute, no account, no network. Afterwards you are here again.",
                Role::Dim,
            );
        }
    }
    said.lines
}

/// What is said above the answers, wrapped.
struct Said {
    room: usize,
    lines: Lines,
}

impl Said {
    fn line(&mut self, text: &str, role: Role) {
        let wrapped = wrap(text, self.room).into_iter();
        self.lines
            .extend(wrapped.map(|line| vec![piece(format!(" {line}"), role)]));
    }

    fn agent(&mut self, frame: &FrameOf<'_>, welcome: &Welcome) {
        self.line("Which agent does the work?", Role::Strong);
        let found = welcome.found.programs.iter();
        let (there, missing): (Vec<_>, Vec<_>) = found.partition(|(_, place)| place.is_some());
        let glyph = Mark::Done.glyph(frame.scene.theme.glyphs);
        for (name, place) in there {
            let place = place.as_deref().unwrap_or_default();
            self.line(&format!("{glyph} {name}  {place}"), Role::Done);
        }
        let missing: Vec<&str> = missing.iter().map(|(name, _)| name.as_str()).collect();
        if missing.is_empty() {
            return;
        }
        let before = self.lines.len();
        let text = format!(
            "Not found: {}. Looked in {}",
            missing.join(", "),
            welcome.found.path
        );
        self.line(&text, Role::Dim);
        self.lines.truncate(before + MISSING);
    }

    fn prefix(&mut self, frame: &FrameOf<'_>, welcome: &Welcome, pressed: Option<Chord>) {
        let prefix = frame.state.keymap.prefix();
        self.line("One key is ours while you type to an agent.", Role::Strong);
        let text =
            format!("It is {prefix}. Press it to see that it arrives, or another that you want instead.");
        self.line(&text, Role::Text);
        if let Some(outer) = &welcome.found.outer {
            let prefix = prefix.to_string();
            if is_prefix_of(outer, &prefix) {
                let other = if prefix == "C-a" { "C-b" } else { "C-a" };
                let text = format!(
                    "This terminal is in {outer}, which may keep {prefix} for itself: {other}, then."
                );
                self.line(&text, Role::Retry);
            } else {
                let text = format!("This terminal is in {outer}, which leaves it alone.");
                self.line(&text, Role::Dim);
            }
        }
        match pressed {
            None => self.line("Nothing has arrived yet.", Role::Dim),
            Some(chord) => {
                let glyph = Mark::Done.glyph(frame.scene.theme.glyphs);
                self.line(&format!("{glyph} {chord} arrives."), Role::Done);
            }
        }
    }
}
