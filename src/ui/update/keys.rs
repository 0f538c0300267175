//! Routing of keys: to the program with the keys, an overlay, the prefix, or our keymap.

use crate::term::keys::{Key, KeyInput, KeyKind};

use super::dispatch::TYPED_ON;
use super::{ProgramInput, UiRequest, UpdateContext};
use crate::display::PastePreview;
use crate::keymap::Action;
use crate::keymap::Chord;
use crate::keymap::Direction;
use crate::keymap::KeyTable;
use crate::ui::availability::can_go_back;
use crate::ui::scene::ScreenId;
use crate::ui::screen_layout::{InputMode, is_running};
use crate::ui::state::{ConfirmAction, FormField, KeyFocus, MOST_HELD, Overlay, WelcomeStep as Question};
use crate::ui::views::ViewMove;

/// Maximum lines of a paste that are sent without being shown.
const MOST_PASTED: usize = 5;
/// Maximum bytes of a paste that are sent; a longer one would come in pieces, and the last one could be missing.
const MOST_PASTED_BYTES: usize = 4 * 1024 * 1024;
/// The largest repeat count.
const MOST_COUNTED: u32 = 999;

impl UpdateContext<'_, '_> {
    /// Returns true for a key that only closes the card over the panes: any key closes the summary, a key that closes boxes also the
    /// greeting. The prefix does that, too, and waits for its key.
    pub(super) fn closes_card(&self, key: &KeyInput) -> bool {
        let chord = Chord::from_event(key);
        let keymap = &self.state.keymap;
        // The summary names the key that leads to the tasks that need the person.
        let is_named = keymap.lookup(KeyTable::Nav, chord) == Some(Action::GoToAttention);
        if key.kind == KeyKind::Release || chord == keymap.prefix() || is_named {
            return false;
        }
        let is_greeted = self.state.overlay.is_none() && self.state.splash_lines(self.scene.now).is_some();
        let closes_boxes = matches!(chord.code(), Key::Escape | Key::Enter | Key::Char(' '));
        self.state.shows_away_card() || (is_greeted && closes_boxes)
    }

    pub(super) fn key(&mut self, key: &KeyInput) {
        let chord = Chord::from_event(key);
        let released = key.kind == KeyKind::Release;
        if self.state.overlay.is_some() {
            if !released {
                self.overlay_key(chord);
            }
            return;
        }
        match self.state.key_focus {
            // Typed ahead for the program that has ended; the prefix never was.
            KeyFocus::DropUntil(_) if chord != self.state.keymap.prefix() => {}
            KeyFocus::Opening(_) if chord != self.state.keymap.prefix() => self.hold_key(key),
            KeyFocus::Terminal(id) if chord != self.state.keymap.prefix() => self.type_key(id, key),
            _ if released => {}
            KeyFocus::Terminal(id) => self.prefix(Some(id)),
            KeyFocus::Prefix { then, .. } => self.after_prefix(chord, then, key),
            KeyFocus::DropUntil(_) | KeyFocus::Opening(_) => self.prefix(None),
            KeyFocus::Views if chord == self.state.keymap.prefix() => self.prefix(None),
            KeyFocus::Views => self.own_key(chord),
        }
    }

    /// Handles a key of ours: a digit of a number counts, a movement is repeated as often as was counted.
    fn own_key(&mut self, chord: Chord) {
        if self.is_rest_of_text(chord) {
            return;
        }
        let mode = self.mode();
        if let Some(digit) = self.digit(chord, mode) {
            let before = self.state.count.unwrap_or(0);
            self.state.count = Some((before * 10 + digit).min(MOST_COUNTED));
            return;
        }
        let action = self.meaning(chord, mode);
        match (self.state.count.take(), action) {
            (Some(times), Some(action)) if repeats(action) => self.repeat(action, times),
            (_, Some(action)) => self.act(action),
            (_, None) => {}
        }
    }

    /// Returns true for a letter that a person goes on to type after a key that opened no prompt, so that it is not taken as a key.
    fn is_rest_of_text(&mut self, chord: Chord) -> bool {
        let now = self.scene.now;
        let is_typed = chord.typed_char().is_some() || matches!(chord.code(), Key::Enter | Key::Backspace);
        let goes_on = is_typed && self.state.ignores_typing_until.is_some_and(|until| now < until);
        self.state.ignores_typing_until = goes_on.then_some(now + TYPED_ON);
        goes_on
    }

    fn meaning(&self, chord: Chord, mode: InputMode) -> Option<Action> {
        let keymap = &self.state.keymap;
        if mode == InputMode::Copy {
            return keymap.lookup(KeyTable::Copy, chord);
        }
        let filtered = !self.state.pane(self.arranged().focus).filter.is_empty();
        let found = keymap.lookup(KeyTable::Filtered, chord).filter(|_| filtered);
        let action = found.or_else(|| keymap.lookup(KeyTable::Nav, chord));
        // A content that was opened in a pane is left first; after the prefix the same action always leaves.
        match action {
            Some(Action::Detach) if can_go_back(self.state, self.arranged().focus) => Some(Action::Back),
            other => other,
        }
    }

    /// Returns the digit of a repeat count: over text that is held still every digit but a leading 0, which is a movement there; elsewhere
    /// those after a 0, because the others are tabs, and those act at once.
    fn digit(&self, chord: Chord, mode: InputMode) -> Option<u32> {
        let digit = chord.typed_char()?.to_digit(10)?;
        let counting = self.state.count.is_some();
        let counts = match mode {
            InputMode::Copy => counting || digit > 0,
            _ => counting || (digit == 0 && self.meaning(chord, mode).is_none()),
        };
        counts.then_some(digit)
    }

    fn repeat(&mut self, action: Action, times: u32) {
        let lines = i16::try_from(times).unwrap_or(i16::MAX);
        let layout = self.arranged();
        let held = self.focused_copy_mode(&layout).is_some();
        match action {
            Action::Step(Direction::Down) if !held => {
                self.move_in_view(layout.focus, ViewMove::Lines(lines), &layout);
            }
            Action::Step(Direction::Up) if !held => {
                self.move_in_view(layout.focus, ViewMove::Lines(-lines), &layout);
            }
            other => {
                for _ in 0..times {
                    self.act(other);
                }
            }
        }
    }

    fn prefix(&mut self, then: Option<ScreenId>) {
        self.state.held_keys.clear();
        self.state.count = None;
        self.state.key_focus = KeyFocus::Prefix {
            since: self.scene.now,
            then,
        };
    }

    /// Handles a key after the prefix. A key that is not bound cancels and is not sent on; the prefix again is sent once.
    fn after_prefix(&mut self, chord: Chord, then: Option<ScreenId>, key: &KeyInput) {
        let ended = then.is_some_and(|id| !is_running(self.scene, id));
        let meant = self.state.keymap.lookup(KeyTable::Prefixed, chord);
        match then {
            // A person who asks for an action knows where the keys go; anything else was typed ahead.
            Some(_) if ended && meant.is_none() => self.drop_typeahead(),
            Some(id) if !ended => self.state.key_focus = KeyFocus::Terminal(id),
            _ => self.state.key_focus = KeyFocus::Views,
        }
        match (meant, then) {
            _ if chord == self.state.keymap.prefix() => {
                if let Some(id) = then.filter(|_| !ended) {
                    self.type_key(id, key);
                }
            }
            (Some(action), _) => self.act(action),
            (None, _) => self.warn(format!("{} {chord} means nothing", self.state.keymap.prefix())),
        }
    }

    /// Keeps a key for the shell that is being opened.
    fn hold_key(&mut self, key: &KeyInput) {
        if self.state.held_keys.len() < MOST_HELD {
            self.state.held_keys.push(*key);
        }
    }

    fn type_key(&mut self, id: ScreenId, key: &KeyInput) {
        let focus = self.arranged().focus;
        self.state.pane_mut(focus).scroll = 0;
        self.ask(UiRequest::SendInput(id, ProgramInput::Key(*key)));
    }

    /// Shows a long paste, or one that could act by itself, before it is sent.
    pub(super) fn paste_previewed(&mut self, id: ScreenId, text: String) {
        if text.len() > MOST_PASTED_BYTES {
            return self.warn("too long to be pasted: at most 4 MiB; keep it in a file and name that");
        }
        let read = with_line_feeds(&text);
        let lines = read.lines().count();
        let steers = text
            .chars()
            .any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'));
        let marks = self.scene.screens.read(id, |screen| screen.bracketed_paste());
        // Without paste marks every line end is an Enter.
        let acts = lines > 1 && marks != Some(true);
        if self.state.pastes == PastePreview::Never || (lines <= MOST_PASTED && !steers && !acts) {
            return self.paste_into(id, text);
        }
        let mut shown: Vec<String> = read
            .lines()
            .take(MOST_PASTED)
            .map(|line| format!("  {line}"))
            .collect();
        if lines > MOST_PASTED {
            shown.push(format!("  and {} more lines", lines - MOST_PASTED));
        }
        if acts {
            shown.push("Its program takes every line end as Enter.".to_owned());
        }
        if steers {
            shown.push("It holds control characters.".to_owned());
        }
        self.confirm(
            format!("Paste {lines} lines?"),
            shown,
            "paste",
            ConfirmAction::Paste(id, text),
        );
    }

    pub(super) fn paste(&mut self, text: String) {
        match (&mut self.state.overlay, self.state.key_focus) {
            (Some(Overlay::Prompt(ask)), _) => ask.line.insert(&text),
            (Some(Overlay::Welcome(welcome)), _) => {
                if let Question::Command(line) = &mut welcome.step {
                    line.insert(&text);
                }
            }
            (Some(Overlay::Form(form)), _) => match form.field {
                FormField::Body => form.body.push_str(&with_line_feeds(&text)),
                FormField::Tags => form.tags.insert(&text),
                FormField::Dependencies => form.deps.insert(&text),
                _ => form.title.insert(&text),
            },
            (Some(Overlay::Search(finding)), _) => {
                finding.line.insert(&text);
                let finding = finding.clone();
                self.run_search(&finding);
            }
            (Some(Overlay::Palette(search) | Overlay::Help(search)), _) => {
                search.line.insert(&text);
                search.marked = 0;
            }
            (None, KeyFocus::Terminal(id) | KeyFocus::Prefix { then: Some(id), .. }) => {
                self.paste_previewed(id, text);
            }
            (None, KeyFocus::Opening(_)) => self.warn("the shell is not open yet: paste once it is"),
            _ => {
                let key = self.state.keymap.hint(Action::Type).unwrap_or_default();
                let way_out = if self.mode() == InputMode::Look {
                    format!("; {key} begins to type")
                } else {
                    String::new()
                };
                self.warn(format!("a paste is never taken as keys{way_out}"));
            }
        }
    }
}

/// Returns the text with its lines ended by line feeds; most terminals end those of a paste as Enter does.
fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Returns true if a number before the action repeats it.
fn repeats(action: Action) -> bool {
    matches!(
        action,
        Action::Step(_)
            | Action::PageUp
            | Action::PageDown
            | Action::Text(_)
            | Action::NextMatch
            | Action::PreviousMatch
            | Action::NextPrompt
            | Action::PreviousPrompt
            | Action::NextPane
            | Action::PreviousPane
            | Action::Resize(_)
    )
}
