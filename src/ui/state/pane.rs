//! A pane of a client: its content, its scroll position, and the filter and order of its rows. Data only.

use super::{PaneContent, UiState};
use crate::keymap::Action;
use crate::ui::scene::ScreenId;

/// A pane of a client: its content, scroll position, mark, filter and sort order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pane {
    /// Earlier contents of the pane, to go back to; these have none of their own.
    pub(crate) back_stack: Vec<Pane>,
    pub(crate) content: PaneContent,
    /// Set when the pane follows the selected task: `content` is then its last content.
    pub(crate) follows_selection: bool,
    /// Lines scrolled: back from the newest in terminals and logs, forward from the first in texts.
    pub(crate) scroll: usize,
    /// The row that is marked, for views whose rows are not tasks; the meaning of the number is the view's own business.
    pub(crate) mark: Option<u64>,
    /// Text that its rows must match.
    pub(crate) filter: String,
    pub(crate) order: SortOrder,
}

/// The order of the rows of a list. It never changes by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum SortOrder {
    #[default]
    Default,
    /// Rows changed last come first.
    Newest,
    /// Rows changed last come last.
    Oldest,
    Name,
}

impl UiState {
    /// Returns the key of an action, as hints show it.
    pub fn key_hint(&self, action: Action) -> Option<String> {
        self.keymap.hint(action)
    }

    /// Returns the terminal in the pane with the focus.
    pub fn focused_screen(&self) -> Option<ScreenId> {
        self.pane(self.current_tab()?.focus).content.screen()
    }
}

impl SortOrder {
    /// Returns the order in words; the usual one needs none.
    pub(crate) fn word(self) -> &'static str {
        match self {
            SortOrder::Default => "",
            SortOrder::Newest => "newest first",
            SortOrder::Oldest => "oldest first",
            SortOrder::Name => "by name",
        }
    }
}

impl Pane {
    /// Creates a pane with that content.
    pub(crate) fn new(content: PaneContent) -> Pane {
        Pane {
            back_stack: Vec::new(),
            follows_selection: content == PaneContent::Selected,
            content,
            scroll: 0,
            mark: None,
            filter: String::new(),
            order: SortOrder::Default,
        }
    }

    /// Returns the content the pane was made for: for a pane that follows the selection, `Selected` instead of the task it shows now.
    pub(crate) fn own_content(&self) -> &PaneContent {
        match self.back_stack.first().unwrap_or(self) {
            Pane {
                follows_selection: true,
                ..
            } => &PaneContent::Selected,
            pane => &pane.content,
        }
    }

    /// Shows something else, from its beginning; returns the content shown before.
    pub(crate) fn open(&mut self, content: PaneContent) -> Pane {
        let mut before = std::mem::replace(self, Pane::new(content));
        self.back_stack = std::mem::take(&mut before.back_stack);
        before
    }

    /// Shows the content before, as it was left; returns true if there was one.
    pub(crate) fn go_back(&mut self) -> bool {
        let Some(below) = self.back_stack.pop() else {
            return false;
        };
        let back_stack = std::mem::take(&mut self.back_stack);
        *self = Pane { back_stack, ..below };
        true
    }
}
