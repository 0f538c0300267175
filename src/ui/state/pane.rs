//! One pane of a client: what it shows, how far it is scrolled, which rows of it and in which order. Data only.

use super::Content;

/// A rectangle and what it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pane {
    /// What it showed before, to go back to.
    pub(crate) below: Vec<Below>,
    /// What it shows.
    pub(crate) content: Content,
    /// Lines scrolled: back from the newest in terminals and logs, on from the first in texts.
    pub(crate) scroll: usize,
    /// The row that is marked, for views whose rows are no tasks; what the number means is the view's own business.
    pub(crate) mark: Option<u64>,
    /// What its rows must match.
    pub(crate) filter: String,
    /// In which order they stand.
    pub(crate) order: Order,
}

/// What a pane showed before, as it was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Below {
    pub(crate) content: Content,
    scroll: usize,
    mark: Option<u64>,
    filter: String,
    order: Order,
}

/// In which order rows stand. It never changes by itself (A2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Order {
    /// The view's own.
    #[default]
    Usual,
    /// What changed last comes first.
    Newest,
    /// What changed last comes last.
    Oldest,
    /// By name.
    Name,
}

impl Order {
    /// In words; the usual one needs none.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Order::Usual => "",
            Order::Newest => "newest first",
            Order::Oldest => "oldest first",
            Order::Name => "by name",
        }
    }
}

impl Pane {
    /// A pane that shows that.
    pub(crate) fn of(content: Content) -> Pane {
        Pane {
            below: Vec::new(),
            content,
            scroll: 0,
            mark: None,
            filter: String::new(),
            order: Order::Usual,
        }
    }

    /// Shows something else, from its beginning.
    pub(crate) fn turn_to(&mut self, content: Content) -> Below {
        let before = std::mem::replace(self, Pane::of(content));
        self.below = before.below;
        Below {
            content: before.content,
            scroll: before.scroll,
            mark: before.mark,
            filter: before.filter,
            order: before.order,
        }
    }

    /// Shows what it showed before, as it was left; answers whether there was something.
    pub(crate) fn turn_back(&mut self) -> bool {
        let Some(below) = self.below.pop() else {
            return false;
        };
        (self.content, self.filter, self.order) = (below.content, below.filter, below.order);
        (self.scroll, self.mark) = (below.scroll, below.mark);
        true
    }
}
