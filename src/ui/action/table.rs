//! The rows of the table of actions, in the order of the help, one file per group; views have one of their own. Data only.

use super::{Action, ActionEntry, ActionGroup, Availability};

mod copy_mode;
mod navigation;
mod panes;
mod program;
mod tasks;
mod terminals;
mod views;

pub(super) use views::ROWS as PAGES;

/// Every action there is, in the order of the help.
pub fn entries() -> impl Iterator<Item = &'static ActionEntry> {
    let groups = [
        navigation::ROWS,
        tasks::ROWS,
        terminals::ROWS,
        copy_mode::ROWS,
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
    (group, when): (ActionGroup, Availability),
) -> ActionEntry {
    ActionEntry {
        action,
        name,
        title,
        help,
        synonyms,
        group,
        availability: when,
    }
}
