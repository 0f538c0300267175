//! The questions of a first start, drawn: the detected programs, the question, the possible answers.

use super::FrameContext;
use super::writing;
use crate::display::text::wrap;
use crate::keymap::Chord;
use crate::ui::canvas::prelude::*;
use crate::ui::state::{Welcome, WelcomeStep, is_prefix_of};
use crate::ui::status::DisplayStatus;
use crate::ui::views::{ClickTarget, List};

/// Columns of the dialog if there is room.
const WIDE: u16 = 72;
/// Maximum number of choices that are shown at a time.
const CHOICES: usize = 6;
/// Rows for programs that were not found.
const MISSING: usize = 2;

/// Draws the question.
pub(super) fn draw(frame: &FrameContext<'_>, welcome: &Welcome, area: Rect, canvas: &mut Canvas<'_>) {
    let lines = lines(frame, welcome, area);
    let (at, all) = welcome.number();
    let title = format!("First start, {at} of {all}");
    let inside = canvas.dialog(dialog(area, lines.len() + answers(welcome)), &title);
    let used = canvas.lines(inside, &lines);
    if let WelcomeStep::Command(line) | WelcomeStep::BaseName(line) = &welcome.step {
        let place = skip_right(skip_left(row_of(inside, used), 2), 1);
        return writing::draw(line, place, canvas);
    }
    let choices: Vec<_> = welcome.choices().into_iter().enumerate().collect();
    let first = welcome.marked.saturating_sub(CHOICES - 1);
    let marked = welcome.marked..welcome.marked + 1;
    let below = skip_top(inside, cells(used));
    let list = List::starting_at(below, &choices, first, marked, StyleRole::Selected);
    list.draw(canvas, |(at, choice), line, canvas| {
        canvas.line(line, &[plain(format!("   {choice}"))]);
        Some(ClickTarget::MenuItem(*at))
    });
}

/// Returns the rows below the question.
fn answers(welcome: &Welcome) -> usize {
    match &welcome.step {
        WelcomeStep::Command(_) | WelcomeStep::BaseName(_) => 1,
        WelcomeStep::Prefix(_) => 0,
        WelcomeStep::Agent | WelcomeStep::Base | WelcomeStep::Alerts | WelcomeStep::Demo => {
            welcome.choices().len().min(CHOICES)
        }
    }
}

fn dialog(area: Rect, rows: usize) -> Rect {
    let high = cells(rows + 2).min(area.height);
    centered_rect(area, (WIDE.min(area.width.saturating_sub(2)), high))
}

type WelcomeLines = Vec<Vec<StyledText>>;

fn lines(frame: &FrameContext<'_>, welcome: &Welcome, area: Rect) -> WelcomeLines {
    let room = usize::from(WIDE.min(area.width.saturating_sub(2)).saturating_sub(4));
    let mut text = WelcomeText {
        room: room.max(8),
        lines: Vec::new(),
    };
    match &welcome.step {
        WelcomeStep::Agent => text.agent(frame, welcome),
        WelcomeStep::Command(_) => {
            text.line("With which command line?", StyleRole::Strong);
            text.line(
                "{task} {title} {body} {branch} {base} {role} {finding} are filled in. It says how it went by `dbs signal`.",
                StyleRole::Dim,
            );
        }
        WelcomeStep::Base | WelcomeStep::BaseName(_) => {
            text.line(
                "Which branch do tasks start from, and is what is done merged into?",
                StyleRole::Strong,
            );
            text.line(
                "A branch that the remote has, if there is one. The engine merges into it; your checkout stays as it is.",
                StyleRole::Dim,
            );
        }
        WelcomeStep::Prefix(pressed) => text.prefix(frame, welcome, *pressed),
        WelcomeStep::Alerts => {
            text.line(
                "May your terminal notify you when something needs you?",
                StyleRole::Strong,
            );
            text.line(
                "With a notification and the bell, while you are elsewhere.",
                StyleRole::Dim,
            );
        }
        WelcomeStep::Demo => {
            text.line("Watch a demo?", StyleRole::Strong);
            text.line(
                "Scripted agents in a throw-away repository: one minute, no account, no network. Then you are back here.",
                StyleRole::Dim,
            );
        }
    }
    text.lines
}

/// Note that a person must read before the first agent starts.
const RIGHTS: &str = "An agent runs as you and can do what you can, unless its own settings, a sandbox or another account limit it.";

/// The wrapped text above the answers of a first-start question.
struct WelcomeText {
    room: usize,
    lines: WelcomeLines,
}

impl WelcomeText {
    fn line(&mut self, text: &str, role: StyleRole) {
        let wrapped = wrap(text, self.room).into_iter();
        self.lines
            .extend(wrapped.map(|line| vec![piece(format!(" {line}"), role)]));
    }

    fn agent(&mut self, frame: &FrameContext<'_>, welcome: &Welcome) {
        self.line("Which agent does the work?", StyleRole::Strong);
        self.line(RIGHTS, StyleRole::Dim);
        let found = welcome.detected.programs.iter();
        let (there, missing): (Vec<_>, Vec<_>) = found.partition(|(_, place)| place.is_some());
        if there.is_empty() {
            self.line(
                "None was found here. Without one no task is worked on; the demo plays with scripted agents.",
                StyleRole::Retry,
            );
        }
        let glyph = frame.glyph(DisplayStatus::Done);
        for (name, place) in there {
            let place = place.as_deref().unwrap_or_default();
            self.line(&format!("{glyph} {name}  {place}"), StyleRole::Done);
        }
        let missing: Vec<&str> = missing.iter().map(|(name, _)| name.as_str()).collect();
        if missing.is_empty() {
            return;
        }
        let before = self.lines.len();
        let text = format!(
            "Not found: {}. Looked in {}",
            missing.join(", "),
            welcome.detected.path
        );
        self.line(&text, StyleRole::Dim);
        self.lines.truncate(before + MISSING);
    }

    fn prefix(&mut self, frame: &FrameContext<'_>, welcome: &Welcome, pressed: Option<Chord>) {
        let prefix = frame.state.keymap.prefix();
        self.line(
            "One key stays with dbs while you type to an agent.",
            StyleRole::Strong,
        );
        let text =
            format!("It is {prefix}. Press it to see that it arrives, or another that you want instead.");
        self.line(&text, StyleRole::Text);
        if let Some(outer) = &welcome.detected.multiplexer {
            let prefix = prefix.to_string();
            if is_prefix_of(outer, &prefix) {
                let other = if prefix == "C-a" { "C-b" } else { "C-a" };
                let text =
                    format!("This terminal is in {outer}, which may keep {prefix} for itself: use {other}.");
                self.line(&text, StyleRole::Retry);
            } else {
                let text = format!("This terminal is in {outer}, which leaves it alone.");
                self.line(&text, StyleRole::Dim);
            }
        }
        match pressed {
            None => self.line("Nothing has arrived yet.", StyleRole::Dim),
            Some(chord) => {
                let glyph = frame.glyph(DisplayStatus::Done);
                self.line(&format!("{glyph} {chord} arrives."), StyleRole::Done);
            }
        }
    }
}
