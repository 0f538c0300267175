//! Who a key belongs to: the program that is typed to, an overlay, the prefix, or our keymap.

use crossterm::event::{KeyEvent, KeyEventKind};

use super::{Request, Turn, Typed};
use crate::ui::action::Action;
use crate::ui::arrange::Mode;
use crate::ui::chord::Chord;
use crate::ui::keymap::Place;
use crate::ui::live::key_input;
use crate::ui::scene::ScreenId;
use crate::ui::state::{Hands, Overlay};

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
            Hands::Guarded(_) => {}
            Hands::Typing(id) if chord != self.state.keymap.prefix() => self.type_key(id, key),
            Hands::Prefix { .. } | Hands::Ours | Hands::Typing(_) if released => {}
            Hands::Typing(id) => self.prefix(Some(id)),
            Hands::Prefix { then, .. } => self.after_prefix(chord, then, key),
            Hands::Ours if chord == self.state.keymap.prefix() => self.prefix(None),
            Hands::Ours => {
                if let Some(action) = self.state.keymap.lookup(Place::Nav, chord) {
                    self.act(action);
                }
            }
        }
    }

    fn prefix(&mut self, then: Option<ScreenId>) {
        self.state.hands = Hands::Prefix {
            since: self.scene.now,
            then,
        };
    }

    /// A key after the prefix. One that is not bound cancels and is not sent on; the prefix again is sent once (A5).
    fn after_prefix(&mut self, chord: Chord, then: Option<ScreenId>, key: &KeyEvent) {
        self.state.hands = then.map_or(Hands::Ours, Hands::Typing);
        if chord == self.state.keymap.prefix() {
            if let Some(id) = then {
                self.type_key(id, key);
            }
            return;
        }
        match self.state.keymap.lookup(Place::Prefixed, chord) {
            Some(action) => self.act(action),
            None => self.warn(format!("{} {chord} means nothing", self.state.keymap.prefix())),
        }
    }

    fn type_key(&mut self, id: ScreenId, key: &KeyEvent) {
        let focus = self.arranged().focus;
        self.state.pane_mut(focus).scroll = 0;
        if let Some(input) = key_input(key) {
            self.ask(Request::TypeInto(id, Typed::Key(input)));
        }
    }

    pub(super) fn paste(&mut self, text: String) {
        match (&mut self.state.overlay, self.state.hands) {
            (Some(Overlay::Ask(ask)), _) => ask.line.insert(&text),
            (Some(Overlay::Palette(search) | Overlay::Help(search)), _) => {
                search.line.insert(&text);
                search.at = 0;
            }
            (None, Hands::Typing(id) | Hands::Prefix { then: Some(id), .. }) => {
                self.ask(Request::TypeInto(id, Typed::Paste(text)));
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
