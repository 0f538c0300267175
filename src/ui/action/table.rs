//! The rows of the table of actions, in the order of the help, one file per group; what leads to a view stands in the view's
//! own file. Data only.

use super::{Action, Entry, Group, When};
use crate::ui::views::PAGES;

mod copying;
mod moving;
mod panes;
mod program;
mod tasks;
mod terminals;

/// Every action there is, in the order of the help.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    let groups = [
        moving::ROWS,
        tasks::ROWS,
        terminals::ROWS,
        copying::ROWS,
        panes::ROWS,
        program::ROWS,
    ];
    let pages = PAGES.into_iter().filter_map(|row| row.entry.as_ref());
    groups.into_iter().flatten().chain(pages)
}

const fn row(
    action: Action,
    name: &'static str,
    (title, help): (&'static str, &'static str),
    synonyms: &'static [&'static str],
    (group, when): (Group, When),
) -> Entry {
    Entry {
        action,
        name,
        title,
        help,
        synonyms,
        group,
        when,
    }
}
