//! Renaming the session and its tabs. Both can be undone.

use unicode_segmentation::UnicodeSegmentation as _;

use super::{UiRequest, UpdateContext};
use crate::ui::line_editor::LineEditor;
use crate::ui::state::{Overlay, PromptKind, TextPrompt, UndoMethod};

/// Maximum letters of a tab's name.
const LONGEST_TAB: usize = 20;
/// Maximum letters of a session's name.
const LONGEST_SESSION: usize = 60;

impl UpdateContext<'_, '_> {
    pub(super) fn rename_tab(&mut self) {
        self.ask_name(PromptKind::RenameTab, self.state.tab_title());
    }

    pub(super) fn rename_session(&mut self) {
        self.ask_name(PromptKind::RenameSession, self.scene.session.project.clone());
    }

    fn ask_name(&mut self, kind: PromptKind, now: String) {
        self.state.overlay = Some(Overlay::Prompt(TextPrompt::new(kind, LineEditor::with_text(now))));
    }

    pub(super) fn set_tab_name(&mut self, act: String, name: &str) {
        self.record_panes(act);
        if let Some(tab) = self.state.current_tab_mut() {
            tab.title = name.graphemes(true).take(LONGEST_TAB).collect();
        }
    }

    pub(super) fn set_session_name(&mut self, act: String, name: &str) {
        let before = self.scene.session.project.clone();
        let name: String = name.graphemes(true).take(LONGEST_SESSION).collect();
        if name != before {
            self.record_undo(act, UndoMethod::Name(before));
            self.ask(UiRequest::RenameSession(name));
        }
    }
}
