//! Who a key belongs to: the program that is typed to, an overlay, the prefix, or our keymap.

use crossterm::event::{KeyEvent, KeyEventKind};

use super::{Request, Turn, Typed};
use crate::ui::action::Action;
use crate::ui::arrange::{Mode, alive};
use crate::ui::chord::Chord;
use crate::ui::keymap::Place;
use crate::ui::live::key_input;
use crate::ui::pane::Direction;
use crate::ui::possible::is_inside;
use crate::ui::scene::ScreenId;
use crate::ui::state::{Confirm, Counted, Deed, Field, Hands, Overlay, PastePreview, Step as Question};
use crate::ui::views::Step;

/// Lines of a paste that are sent without being shown.
const MOST_PASTED: usize = 5;
/// Bytes of a paste that are sent; what is longer would come in pieces, and the last one could be missing.
const MOST_PASTED_BYTES: usize = 4 * 1024 * 1024;
/// The largest number that counts.
const MOST_COUNTED: u32 = 999;

impl Turn<'_, '_> {
    pub(super) fn key(&mut self, key: &KeyEvent) {
        let chord = Chord::of(key);
        let released = key.kind == KeyEventKind::Release;
        if self.state.overlay.is_some() {
            if !released {
                self.overlay_key(chord);
            }
            return;
        }
        match self.state.hands {
            // Typed ahead for the program that has ended; the prefix never was.
            Hands::Guarded(_) if chord != self.state.keymap.prefix() => {}
            Hands::Typing(id) if chord != self.state.keymap.prefix() => self.type_key(id, key),
            _ if released => {}
            Hands::Typing(id) => self.prefix(Some(id)),
            Hands::Prefix { then, .. } => self.after_prefix(chord, then, key),
            Hands::Guarded(_) => self.prefix(None),
            Hands::Ours if chord == self.state.keymap.prefix() => self.prefix(None),
            Hands::Ours => self.own_key(chord),
        }
    }

    /// A key of ours: a digit counts, a movement is repeated as often as was counted.
    fn own_key(&mut self, chord: Chord) {
        let mode = self.mode();
        if let Some(digit) = self.digit(chord, mode) {
            let before = self.state.counted.map_or(0, |counted| counted.number);
            self.state.counted = Some(Counted {
                number: (before * 10 + digit).min(MOST_COUNTED),
                since: self.scene.now,
            });
            return;
        }
        let action = self.meaning(chord, mode);
        match self.state.counted.take() {
            Some(counted) if action.is_some_and(repeats) => {
                if let Some(action) = action {
                    self.repeat(action, counted.number);
                }
            }
            counted => {
                self.visit_counted(counted);
                if let Some(action) = action {
                    self.act(action);
                }
            }
        }
    }

    fn meaning(&self, chord: Chord, mode: Mode) -> Option<Action> {
        let keymap = &self.state.keymap;
        if mode == Mode::Copy {
            return keymap.lookup(Place::Copy, chord);
        }
        let filtered = !self.state.pane(self.arranged().focus).filter.is_empty();
        let found = keymap.lookup(Place::Found, chord).filter(|_| filtered);
        let action = found.or_else(|| keymap.lookup(Place::Nav, chord));
        // Out of what was opened in a pane one goes back first (A6); after the prefix the same action always leaves.
        match action {
            Some(Action::Leave) if is_inside(self.state, self.arranged().focus) => Some(Action::Back),
            other => other,
        }
    }

    /// The digit a key stands for: one that means a tab, or goes on with a number; over text that is held still every one.
    fn digit(&self, chord: Chord, mode: Mode) -> Option<u32> {
        let digit = chord.typed()?.to_digit(10)?;
        let counting = self.state.counted.is_some();
        let counts = match mode {
            Mode::Copy => counting || digit > 0,
            _ => counting || matches!(self.meaning(chord, mode), Some(Action::Tab(_))),
        };
        counts.then_some(digit)
    }

    fn repeat(&mut self, action: Action, times: u32) {
        let lines = i16::try_from(times).unwrap_or(i16::MAX);
        let arranged = self.arranged();
        let held = self.copying(&arranged).is_some();
        match action {
            Action::Step(Direction::Down) if !held => {
                self.step(arranged.focus, Step::Lines(lines), &arranged);
            }
            Action::Step(Direction::Up) if !held => self.step(arranged.focus, Step::Lines(-lines), &arranged),
            other => {
                for _ in 0..times {
                    self.act(other);
                }
            }
        }
    }

    /// Digits that no movement came after: a tab.
    pub(super) fn visit_counted(&mut self, counted: Option<Counted>) {
        let Some(counted) = counted else { return };
        if self.mode() == Mode::Copy {
            return;
        }
        if let Some(tab) = counted
            .number
            .checked_sub(1)
            .and_then(|tab| usize::try_from(tab).ok())
        {
            self.visit_tab(tab);
        }
    }

    fn prefix(&mut self, then: Option<ScreenId>) {
        let counted = self.state.counted.take();
        self.visit_counted(counted);
        self.state.hands = Hands::Prefix {
            since: self.scene.now,
            then,
        };
    }

    /// A key after the prefix. One that is not bound cancels and is not sent on; the prefix again is sent once (A5).
    fn after_prefix(&mut self, chord: Chord, then: Option<ScreenId>, key: &KeyEvent) {
        let ended = then.is_some_and(|id| !alive(self.scene, id));
        let meant = self.state.keymap.lookup(Place::Prefixed, chord);
        match then {
            // Whoever asks for an action knows whose the keys are; anything else was typed ahead.
            Some(_) if ended && meant.is_none() => self.guard(),
            Some(id) if !ended => self.state.hands = Hands::Typing(id),
            _ => self.state.hands = Hands::Ours,
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

    fn type_key(&mut self, id: ScreenId, key: &KeyEvent) {
        let focus = self.arranged().focus;
        self.state.pane_mut(focus).scroll = 0;
        if let Some(input) = key_input(key) {
            self.ask(Request::TypeInto(id, Typed::Key(input)));
        }
    }

    /// A long paste, or one that could act by itself, is shown before it is sent (A5).
    pub(super) fn paste_seen(&mut self, id: ScreenId, text: String) {
        if text.len() > MOST_PASTED_BYTES {
            return self.warn("too long to be pasted: at most 4 MiB; keep it in a file and name that");
        }
        let read = with_line_feeds(&text);
        let lines = read.lines().count();
        let steers = text
            .chars()
            .any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'));
        let mut marks = false;
        self.scene
            .screens
            .with(id, &mut |screen| marks = screen.marks_pastes());
        // Without marks every line end is an Enter.
        let acts = lines > 1 && !marks;
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
        self.confirm(Confirm {
            question: format!("Paste {lines} lines?"),
            lines: shown,
            first: 0,
            yes: "paste".to_owned(),
            deed: Deed::Paste(id, text),
        });
    }

    pub(super) fn paste(&mut self, text: String) {
        match (&mut self.state.overlay, self.state.hands) {
            (Some(Overlay::Ask(ask)), _) => ask.line.insert(&text),
            (Some(Overlay::Welcome(welcome)), _) => {
                if let Question::Command(line) = &mut welcome.step {
                    line.insert(&text);
                }
            }
            (Some(Overlay::Form(form)), _) => match form.field {
                Field::Body => form.body.push_str(&with_line_feeds(&text)),
                _ => form.title.insert(&text),
            },
            (Some(Overlay::Find(finding)), _) => {
                finding.line.insert(&text);
                let finding = finding.clone();
                self.look_for(&finding);
            }
            (Some(Overlay::Palette(search) | Overlay::Help(search)), _) => {
                search.line.insert(&text);
                search.at = 0;
            }
            (None, Hands::Typing(id) | Hands::Prefix { then: Some(id), .. }) => {
                self.paste_seen(id, text);
            }
            _ => {
                let key = self.state.keymap.hint(Action::Type).unwrap_or_default();
                let way_out = if self.mode() == Mode::Look {
                    format!("; {key} begins to type")
                } else {
                    String::new()
                };
                self.warn(format!("a paste is never taken as keys{way_out}"));
            }
        }
    }
}

/// The text with its lines ended by line feeds; most terminals end those of a paste as Enter does.
fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Whether a number before it repeats it.
fn repeats(action: Action) -> bool {
    matches!(
        action,
        Action::Step(_)
            | Action::PageUp
            | Action::PageDown
            | Action::Text(_)
            | Action::NextMatch
            | Action::PreviousMatch
            | Action::NextPane
            | Action::PreviousPane
            | Action::Resize(_)
    )
}
