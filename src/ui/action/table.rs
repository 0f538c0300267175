//! The rows of the table of actions, in the order of the help, one file per group. Data only.

use super::{Action, Entry, Group, When};

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
    groups.into_iter().flatten()
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
