//! Keys while the search words for a list or a terminal are written. Every key searches again.

use crate::term::keys::Key;

use super::UpdateContext;
use crate::keymap::Action;
use crate::keymap::Chord;
use crate::keymap::Direction;
use crate::ui::line_editor::LineEditor;
use crate::ui::screen_layout::ScreenLayout;
use crate::ui::state::{KeyFocus, Overlay, PaneContent, SearchPrompt, SearchScope};
use crate::ui::views::{ViewMove, is_log, view_of};

impl UpdateContext<'_, '_> {
    /// Begins a search: in the terminal with the focus, held still for it, else in the list.
    pub(super) fn find(&mut self, onward: bool, layout: &ScreenLayout) {
        let pane = self.state.pane(layout.focus);
        let terminal = pane.content.screen().is_some_and(|id| self.scene.screens.has(id));
        if self.focused_copy_mode(layout).is_none() && terminal {
            self.enter_copy_mode(layout, None);
        }
        if let PaneContent::Past(words) = pane.content {
            return self.prompt_search(words, SearchScope::AllTerminals);
        }
        if !terminal && self.focused_copy_mode(layout).is_none() && !self.has_rows(layout) {
            let key = self.state.keymap.hint(Action::FindEverywhere).unwrap_or_default();
            return self.warn(format!(
                "find: there are no rows here; {key} searches what all agents have shown"
            ));
        }
        match self.focused_copy_mode(layout).map(|copying| copying.cursor) {
            Some(from) => self.prompt_search(String::new(), SearchScope::CopyMode { onward, from }),
            None => self.prompt_search(pane.filter, SearchScope::List),
        }
    }

    fn prompt_search(&mut self, words: String, scope: SearchScope) {
        let line = LineEditor::with_text(words);
        self.state.overlay = Some(Overlay::Search(SearchPrompt { line, scope }));
    }

    /// Returns true if the view with the focus has rows that can be searched.
    fn has_rows(&self, layout: &ScreenLayout) -> bool {
        let pane = self.state.pane(layout.focus);
        view_of(&pane.content)
            .match_count(&self.view_context(&pane, layout))
            .is_some()
    }

    /// Switches to the next order of the rows of a list.
    pub(super) fn sort(&mut self, layout: &ScreenLayout) {
        let pane = self.state.pane_mut(layout.focus);
        let orders = view_of(&pane.content).orders();
        let at = orders.iter().position(|order| *order == pane.order);
        let next = at.map_or(0, |at| (at + 1) % orders.len());
        match orders.get(next) {
            Some(order) => pane.order = *order,
            None => self.warn("sort: what is shown here has one order only"),
        }
    }

    /// Begins to search the output of all terminals: in the pane that does so already, else here, to be left with `Back`.
    pub(super) fn find_everywhere(&mut self, words: String, layout: &ScreenLayout) {
        self.state.key_focus = KeyFocus::Views;
        match self.find_pane(&|pane| matches!(pane.content, PaneContent::Past(_))) {
            Some((tab, pane)) => {
                self.push_back_stack(layout);
                self.go_to_pane(tab, pane);
            }
            None => self.show(layout.focus, PaneContent::Past(String::new())),
        }
        let focus = self.arranged().focus;
        let pane = self.state.pane_mut(focus);
        if !words.is_empty() {
            pane.content = PaneContent::Past(words);
            (pane.mark, pane.scroll) = (None, 0);
        }
        let words = match &pane.content {
            PaneContent::Past(words) => words.clone(),
            _ => String::new(),
        };
        self.relayout();
        self.prompt_search(words, SearchScope::AllTerminals);
    }

    pub(super) fn find_key(&mut self, mut finding: SearchPrompt, chord: Chord) -> Option<Overlay> {
        match chord.code() {
            Key::Enter => {
                self.accept_search(&finding);
                return None;
            }
            _ if chord.cancels() => {
                self.cancel_search(&finding);
                return None;
            }
            Key::Tab if finding.scope != SearchScope::AllTerminals => {
                self.cancel_search(&finding);
                self.state.copy_mode = None;
                let layout = self.arranged();
                self.find_everywhere(finding.line.text().to_owned(), &layout);
                return self.state.overlay.take();
            }
            Key::Up => self.move_in_matches(ViewMove::One(Direction::Up)),
            Key::Down => self.move_in_matches(ViewMove::One(Direction::Down)),
            _ => {
                finding.line.key(chord);
                self.run_search(&finding);
            }
        }
        Some(Overlay::Search(finding))
    }

    /// Searches for the words written so far.
    pub(super) fn run_search(&mut self, finding: &SearchPrompt) {
        let focus = self.arranged().focus;
        let words = finding.line.text();
        match finding.scope {
            SearchScope::List => {
                let pane = self.state.pane_mut(focus);
                words.clone_into(&mut pane.filter);
                pane.scroll = 0;
                // The log continues to follow; in other lists the marked row is one of those that match.
                if !is_log(&pane.content) {
                    self.move_in_matches(ViewMove::Lines(0));
                }
            }
            SearchScope::AllTerminals => {
                let pane = self.state.pane_mut(focus);
                pane.content = PaneContent::Past(words.to_owned());
                (pane.mark, pane.scroll) = (None, 0);
                self.relayout();
            }
            SearchScope::CopyMode { onward, from } => {
                let height = self.height();
                if let Some(copying) = &mut self.state.copy_mode {
                    copying.search = (words.to_owned(), onward);
                    // A match at the place where the search began counts.
                    let here = match (onward, from.1.checked_sub(1)) {
                        (true, Some(column)) => (from.0, column),
                        _ => from,
                    };
                    let found = (!words.is_empty())
                        .then(|| copying.scrollback.find(words, here, onward))
                        .flatten();
                    copying.cursor = found.unwrap_or(from);
                    copying.reveal(height);
                }
            }
        }
    }

    fn accept_search(&mut self, finding: &SearchPrompt) {
        let words = finding.line.text().to_owned();
        if let (SearchScope::CopyMode { .. }, Some(copying)) = (finding.scope, &self.state.copy_mode)
            && !words.is_empty()
            && !copying.scrollback.contains(&words)
        {
            self.warn(format!("`{words}` does not occur in what is in memory"));
            let layout = self.arranged();
            self.request_older_lines(&layout);
        }
    }

    fn cancel_search(&mut self, finding: &SearchPrompt) {
        let height = self.height();
        match finding.scope {
            SearchScope::List => {
                let focus = self.arranged().focus;
                self.state.pane_mut(focus).filter.clear();
            }
            SearchScope::AllTerminals => {}
            SearchScope::CopyMode { from, .. } => {
                if let Some(copying) = &mut self.state.copy_mode {
                    copying.cursor = from;
                    copying.search.0.clear();
                    copying.reveal(height);
                }
            }
        }
    }

    /// Moves in the list that is searched.
    pub(super) fn move_in_matches(&mut self, step: ViewMove) {
        let layout = self.arranged();
        if self.focused_copy_mode(&layout).is_none() {
            self.move_in_view(layout.focus, step, &layout);
        }
    }
}
