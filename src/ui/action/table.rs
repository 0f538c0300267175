//! The rows of the table of actions, in the order of the help, one file per group; views have one of their own. Data only.

use super::{Action, Entry, Group, When};

mod copying;
mod moving;
mod pages;
mod panes;
mod program;
mod tasks;
mod terminals;

pub(super) use pages::ROWS as PAGES;

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
    let pages = PAGES.iter().filter_map(|row| row.entry.as_ref());
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
