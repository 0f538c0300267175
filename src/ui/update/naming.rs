//! Giving the session and its tabs other names. Both can be taken back.

use unicode_segmentation::UnicodeSegmentation as _;

use super::{Request, Turn};
use crate::ui::line::Line;
use crate::ui::state::{Ask, AskKind, Overlay, Undo};

/// Longest name of a tab, in letters.
const LONGEST_TAB: usize = 20;
/// Longest name of a session, in letters.
const LONGEST_SESSION: usize = 60;

impl Turn<'_, '_> {
    pub(super) fn rename_tab(&mut self) {
        let text = self.state.here().map(|tab| tab.title.clone()).unwrap_or_default();
        self.ask_name(AskKind::RenameTab, text);
    }

    pub(super) fn rename_session(&mut self) {
        self.ask_name(AskKind::RenameSession, self.scene.session.project.clone());
    }

    fn ask_name(&mut self, kind: AskKind, now: String) {
        self.state.overlay = Some(Overlay::Ask(Ask {
            kind,
            line: Line::of(now),
            lines: Vec::new(),
            back: 0,
            word: None,
        }));
    }

    pub(super) fn name_tab(&mut self, act: String, name: &str) {
        self.remember_panes(act);
        if let Some(tab) = self.state.here_mut() {
            tab.title = name.graphemes(true).take(LONGEST_TAB).collect();
        }
    }

    pub(super) fn name_session(&mut self, act: String, name: &str) {
        let before = self.scene.session.project.clone();
        let name: String = name.graphemes(true).take(LONGEST_SESSION).collect();
        if name != before {
            self.remember_act(act, Undo::Name(before));
            self.ask(Request::NameSession(name));
        }
    }
}
