//! One pane of a client: what it shows, how far it is scrolled, which rows of it and in which order. Data only.

use super::{PaneContent, UiState};
use crate::ui::action::Action;
use crate::ui::scene::ScreenId;

/// A pane of a client: what it shows, its scroll position, mark, filter and sort order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pane {
    /// What it showed before, to go back to; these have none of their own.
    pub(crate) back_stack: Vec<Pane>,
    pub(crate) content: PaneContent,
    /// Whether it shows whatever the selected task has: `content` is then what that was last.
    pub(crate) follows_selection: bool,
    /// Lines scrolled: back from the newest in terminals and logs, on from the first in texts.
    pub(crate) scroll: usize,
    /// The row that is marked, for views whose rows are no tasks; what the number means is the view's own business.
    pub(crate) mark: Option<u64>,
    /// What its rows must match.
    pub(crate) filter: String,
    pub(crate) order: SortOrder,
}

/// The order in which the rows of a list stand. It never changes by itself (A2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum SortOrder {
    #[default]
    Default,
    /// What changed last comes first.
    Newest,
    /// What changed last comes last.
    Oldest,
    Name,
}

impl UiState {
    /// The key of an action, as hints show it.
    pub fn key_hint(&self, action: Action) -> Option<String> {
        self.keymap.hint(action)
    }

    /// The terminal in the pane with the focus.
    pub fn focused_screen(&self) -> Option<ScreenId> {
        self.pane(self.current_tab()?.focus).content.screen()
    }
}

impl SortOrder {
    /// In words; the usual one needs none.
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
    /// A pane that shows that.
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

    /// What it was made for: of one that follows the selection that, not what is selected now.
    pub(crate) fn own_content(&self) -> &PaneContent {
        match self.back_stack.first().unwrap_or(self) {
            Pane {
                follows_selection: true,
                ..
            } => &PaneContent::Selected,
            pane => &pane.content,
        }
    }

    /// Shows something else, from its beginning; answers with what it showed before.
    pub(crate) fn open(&mut self, content: PaneContent) -> Pane {
        let mut before = std::mem::replace(self, Pane::new(content));
        self.back_stack = std::mem::take(&mut before.back_stack);
        before
    }

    /// Shows what it showed before, as it was left; answers whether there was something.
    pub(crate) fn go_back(&mut self) -> bool {
        let Some(below) = self.back_stack.pop() else {
            return false;
        };
        let back_stack = std::mem::take(&mut self.back_stack);
        *self = Pane { back_stack, ..below };
        true
    }
}
