//! COPY: a terminal is held still; keys move over its lines, search them, select and copy.

use std::sync::Arc;

use unicode_segmentation::UnicodeSegmentation as _;

use super::{Request, Turn, Typed};
use crate::domain::Level;
use crate::ui::action::{Action, TextMove};
use crate::ui::arrange::Arranged;
use crate::ui::pane::Direction;
use crate::ui::scene::ScreenId;
use crate::ui::state::{Copying, Editing, Hands, Older};
use crate::ui::still::{Select, Spot, Still, StillLine};
use crate::ui::text::{clean, cut};
use crate::ui::views::first_shown;

/// Most bytes that are copied: terminals refuse more, or fall silent over it (A12).
const MOST_BYTES: usize = 100 * 1024;
/// Columns of what was copied that are told.
const MOST_TOLD: usize = 40;
/// Most bytes that are opened in an editor, those written last.
const MOST_EDITED: usize = 4 * 1024 * 1024;

impl Turn<'_, '_> {
    /// The terminal held still in the pane with the focus.
    pub(super) fn copying(&self, arranged: &Arranged) -> Option<&Copying> {
        let copying = self.state.copying.as_ref();
        copying.filter(|copying| copying.pane == arranged.focus)
    }

    /// Rows of the pane with the focus.
    pub(super) fn height(&self) -> usize {
        let arranged = self.arranged();
        let placed = arranged.focused();
        placed.map_or(1, |placed| usize::from(placed.inner.height)).max(1)
    }

    /// Holds the terminal with the focus still; answers whether there is one.
    pub(super) fn hold_still(&mut self, arranged: &Arranged, at: Option<(u16, u16)>) -> bool {
        let pane = self.state.pane(arranged.focus);
        let Some(screen) = pane.content.screen() else {
            return false;
        };
        let height = arranged.focused().map_or(1, |placed| placed.inner.height);
        let mut held = None;
        self.scene.screens.with(screen, &mut |screen| {
            let back = pane.scroll.min(screen.history());
            let top = screen.history() - back + usize::from(first_shown(screen, height));
            held = Some((screen.still(), top, back));
        });
        let Some((still, top, back)) = held else {
            return false;
        };
        let bottom = (top + usize::from(height).saturating_sub(1)).min(still.last());
        let cursor = if back == 0 { still.cursor } else { (bottom, 0) };
        let spot = at.map_or(cursor, |(column, row)| {
            ((top + usize::from(row)).min(still.last()), usize::from(column))
        });
        let then = match self.state.hands {
            Hands::Typing(id) | Hands::Prefix { then: Some(id), .. } => Some(id),
            Hands::Ours | Hands::Guarded(_) | Hands::Prefix { then: None, .. } => None,
        };
        self.state.hands = Hands::Ours;
        self.state.copying = Some(Copying {
            pane: arranged.focus,
            screen,
            at: (spot.0.min(still.last()), spot.1),
            still: Arc::new(still),
            anchor: None,
            top,
            sought: (String::new(), true),
            then,
            older: Older::Unasked,
        });
        true
    }

    /// Lets the terminal go on; keys go where they went before.
    pub(super) fn let_go(&mut self) {
        if let Some(copying) = self.state.copying.take() {
            self.state.hands = copying.then.map_or(Hands::Ours, Hands::Typing);
        }
    }

    /// Does an action on the terminal that is held still; answers whether it was one.
    pub(super) fn on_still(&mut self, action: Action, arranged: &Arranged) -> bool {
        if self.copying(arranged).is_none() {
            return false;
        }
        match action {
            Action::Back => self.let_go_of_selection(),
            Action::Yank | Action::Copy => self.yank(),
            Action::Select(select) => self.select(select),
            Action::OtherEnd if self.copying(arranged).is_some_and(|held| held.anchor.is_none()) => {
                self.open_link(arranged);
            }
            Action::OtherEnd => self.other_end(),
            Action::NextMatch => self.next_match(true),
            Action::PreviousMatch => self.next_match(false),
            Action::CopyMode => {}
            other => match self.spot_after(other) {
                Some(spot) => self.move_to(spot, arranged),
                None => return false,
            },
        }
        true
    }

    fn move_to(&mut self, spot: Spot, arranged: &Arranged) {
        let height = self.height();
        let Some(copying) = &mut self.state.copying else {
            return;
        };
        let stuck = copying.at == spot && spot.0 == 0;
        copying.at = spot;
        copying.reveal(height);
        if stuck {
            self.ask_older(arranged);
        }
    }

    /// Scrolls what is held still; the cursor stays in what is seen.
    pub(super) fn scroll_still(&mut self, by: isize) {
        let height = self.height();
        if let Some(copying) = &mut self.state.copying {
            let most = copying.still.lines.len().saturating_sub(height);
            copying.top = copying.top.saturating_add_signed(by).min(most);
            let last = copying.top + height.saturating_sub(1);
            copying.at.0 = copying.at.0.clamp(copying.top, last).min(copying.still.last());
        }
    }

    /// Asks for the lines that are in the log only.
    pub(super) fn ask_older(&mut self, arranged: &Arranged) {
        let Some(copying) = &mut self.state.copying else {
            return;
        };
        match copying.older {
            Older::Unasked => {
                copying.older = Older::Asked;
                let screen = copying.screen;
                let area = arranged.focused().map(|placed| placed.inner);
                let width = area.map_or(80, |area| area.width);
                self.ask(Request::Older(screen, width));
                self.state
                    .tell(self.scene.now, Level::Info, "reading older lines from the log");
            }
            Older::Asked => {}
            Older::Here => self.warn("this is where its output begins"),
        }
    }

    /// The first key stops selecting, the next one leaves.
    fn let_go_of_selection(&mut self) {
        match &mut self.state.copying {
            Some(copying) if copying.anchor.is_some() => copying.anchor = None,
            _ => self.let_go(),
        }
    }

    fn select(&mut self, select: Select) {
        if let Some(copying) = &mut self.state.copying {
            copying.anchor = match copying.anchor {
                Some((same, _)) if same == select => None,
                Some((_, from)) => Some((select, from)),
                None => Some((select, copying.at)),
            };
        }
    }

    fn other_end(&mut self) {
        let height = self.height();
        if let Some(copying) = &mut self.state.copying
            && let Some((select, from)) = copying.anchor
        {
            copying.anchor = Some((select, copying.at));
            copying.at = from;
            copying.reveal(height);
        }
    }

    fn next_match(&mut self, same_way: bool) {
        let height = self.height();
        let Some(copying) = &mut self.state.copying else {
            return;
        };
        let (words, onward) = copying.sought.clone();
        if words.is_empty() {
            return self.warn("nothing was looked for");
        }
        match copying.still.find(&words, copying.at, onward == same_way) {
            Some(spot) => {
                copying.at = spot;
                copying.reveal(height);
            }
            None => self.warn(format!("`{words}` does not occur")),
        }
    }

    /// Copies what is selected and lets the terminal go on.
    pub(super) fn yank(&mut self) {
        let Some(copying) = &self.state.copying else {
            return;
        };
        let text = copying.text();
        self.let_go();
        self.copy_text(None, &text);
    }

    /// Copies text, as much as terminals take; says what and by which way.
    pub(super) fn copy_text(&mut self, named: Option<&str>, text: &str) {
        if text.is_empty() {
            return self.warn("there is nothing to copy");
        }
        let mut end = MOST_BYTES.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let part = text.get(..end).unwrap_or_default().to_owned();
        let lines = part.lines().count();
        let what = match lines {
            0 | 1 if named.is_some() => format!(
                "{} `{}`",
                named.unwrap_or_default(),
                cut(&clean(&part), MOST_TOLD, "…")
            ),
            0 | 1 => format!("{} characters", part.chars().count()),
            lines => format!("{lines} lines"),
        };
        let text_told = if end < text.len() {
            format!("copied only the first 100 KB, {what}: terminals take no more")
        } else {
            format!("copied {what}; sent to the terminal, some refuse")
        };
        let level = if end < text.len() {
            Level::Warning
        } else {
            Level::Info
        };
        self.state.tell(self.scene.now, level, text_told);
        self.state.copied.clone_from(&part);
        self.ask(Request::Copy(part));
    }

    /// Opens what is selected in the editor; without a selection all that the terminal has shown.
    pub(super) fn edit_text(&mut self, arranged: &Arranged) {
        let text = match self.copying(arranged) {
            Some(copying) if copying.anchor.is_some() => copying.text(),
            Some(copying) => whole(&copying.still),
            None => {
                let mut text = String::new();
                if let Some(screen) = self.state.pane(arranged.focus).content.screen() {
                    self.scene
                        .screens
                        .with(screen, &mut |screen| text = whole(&screen.still()));
                }
                text
            }
        };
        let mut from = text.len().saturating_sub(MOST_EDITED);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        self.state.editing = Some(Editing::Text);
        self.ask(Request::Edit(text.get(from..).unwrap_or_default().to_owned()));
    }

    /// Types what was copied last into the terminal with the focus.
    pub(super) fn paste_copied(&mut self, arranged: &Arranged) {
        let screen = self.state.pane(arranged.focus).content.screen();
        match (screen, self.state.copied.clone()) {
            (_, text) if text.is_empty() => self.warn("paste: nothing was copied here yet"),
            (Some(id), text) => self.paste_seen(id, text),
            (None, _) => {}
        }
    }

    /// Sends a paste to a program.
    pub(super) fn paste_into(&mut self, id: ScreenId, text: String) {
        self.ask(Request::TypeInto(id, Typed::Paste(text)));
    }

    /// Where a movement leads.
    fn spot_after(&self, action: Action) -> Option<Spot> {
        let copying = self.state.copying.as_ref()?;
        let height = self.height();
        let (still, (line, column)) = (copying.still.as_ref(), copying.at);
        let up = |by: usize| (line.saturating_sub(by), column);
        let down = |by: usize| ((line + by).min(still.last()), column);
        let seen = |row: usize| ((copying.top + row).min(still.last()), column);
        let page = height.saturating_sub(1).max(1);
        Some(match action {
            Action::Step(Direction::Up) => up(1),
            Action::Step(Direction::Down) => down(1),
            Action::Step(Direction::Left) => (line, left_of(still, copying.at)),
            Action::Step(Direction::Right) => (line, right_of(still, copying.at)),
            Action::First => (0, 0),
            Action::Last => (still.last(), 0),
            Action::PageUp => up(page),
            Action::PageDown => down(page),
            Action::Text(TextMove::HalfUp) => up((height / 2).max(1)),
            Action::Text(TextMove::HalfDown) => down((height / 2).max(1)),
            Action::Text(TextMove::Top) => seen(0),
            Action::Text(TextMove::Middle) => seen(height / 2),
            Action::Text(TextMove::Bottom) => seen(height.saturating_sub(1)),
            Action::Text(TextMove::LineStart) => (line, 0),
            Action::Text(TextMove::LineEnd) => (line, still.width(line).saturating_sub(1)),
            Action::Text(TextMove::LineFirst) => (line, first_letter(still, line)),
            Action::Text(TextMove::WordNext) => word_on(still, copying.at, WordEdge::Begin),
            Action::Text(TextMove::WordEnd) => word_on(still, copying.at, WordEdge::End),
            Action::Text(TextMove::WordBack) => word_back(still, copying.at),
            _ => return None,
        })
    }
}

/// All of its text.
fn whole(still: &Still) -> String {
    still.text(Select::Lines, (0, 0), (still.last(), 0))
}

fn left_of(still: &Still, (line, column): Spot) -> usize {
    let graphemes = still.line(line).into_iter().flat_map(StillLine::graphemes);
    let before = graphemes.map(|(at, _)| at).take_while(|at| *at < column);
    before.last().unwrap_or_else(|| column.saturating_sub(1))
}

fn right_of(still: &Still, (line, column): Spot) -> usize {
    let mut graphemes = still.line(line).into_iter().flat_map(StillLine::graphemes);
    graphemes
        .find(|(at, _)| *at > column)
        .map_or(column, |(at, _)| at)
}

fn first_letter(still: &Still, line: usize) -> usize {
    let mut graphemes = still.line(line).into_iter().flat_map(StillLine::graphemes);
    graphemes
        .find(|(_, grapheme)| !grapheme.trim().is_empty())
        .map_or(0, |(at, _)| at)
}

/// Which edge of a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WordEdge {
    Begin,
    End,
}

/// Columns where words of a line begin or end.
fn words(still: &Still, line: usize, edge: WordEdge) -> Vec<usize> {
    let Some(line) = still.line(line) else {
        return Vec::new();
    };
    let width = |end: usize| {
        let head = line.text.get(..end).unwrap_or_default();
        head.graphemes(true)
            .map(|grapheme| crate::ui::text::grapheme_width(grapheme).max(1))
            .sum::<usize>()
    };
    line.text
        .split_word_bound_indices()
        .filter(|(_, word)| !word.trim().is_empty())
        .map(|(at, word)| match edge {
            WordEdge::Begin => width(at),
            WordEdge::End => width(at + word.len()).saturating_sub(1),
        })
        .collect()
}

/// First and last column of the word that is there.
pub(super) fn word_at(still: &Still, (line, column): Spot) -> Option<(usize, usize)> {
    let begins = words(still, line, WordEdge::Begin).into_iter();
    let mut both = begins.zip(words(still, line, WordEdge::End));
    both.find(|(first, last)| (*first..=*last).contains(&column))
}

fn word_on(still: &Still, (line, column): Spot, edge: WordEdge) -> Spot {
    let here = words(still, line, edge).into_iter().find(|at| *at > column);
    if let Some(at) = here {
        return (line, at);
    }
    let later = (line + 1..=still.last()).find_map(|line| Some((line, *words(still, line, edge).first()?)));
    later.unwrap_or((line, column))
}

fn word_back(still: &Still, (line, column): Spot) -> Spot {
    let edge = WordEdge::Begin;
    let here = words(still, line, edge).into_iter().rfind(|at| *at < column);
    if let Some(at) = here {
        return (line, at);
    }
    let before = (0..line)
        .rev()
        .find_map(|line| Some((line, *words(still, line, edge).last()?)));
    before.unwrap_or((line, column))
}
