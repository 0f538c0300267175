//! Views by name: what each is called, and how keys, palette and help offer it. Data only; what draws them knows them.

use std::fmt;

use serde::ser::{Serialize, Serializer};

use super::{Action, Entry, Group, When};

/// The name of a view, as layout files, key files and kept arrangements write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Page(&'static str);

impl Page {
    /// That name; who makes one puts a row of that name into the table.
    pub(crate) const fn of(name: &'static str) -> Page {
        Page(name)
    }

    /// The name.
    pub(crate) const fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Serialize for Page {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.0)
    }
}

/// A view as it is offered.
#[derive(Debug, Clone, Copy)]
pub(super) struct PageRow {
    pub(super) page: Page,
    pub(super) title: &'static str,
    /// Its row in the table of actions; nothing when no key leads there.
    pub(super) entry: Option<Entry>,
    /// The command that tells it in a shell.
    pub(super) command: Option<&'static str>,
}

impl PageRow {
    /// A view of that name and title.
    pub(super) const fn of(name: &'static str, title: &'static str) -> PageRow {
        PageRow {
            page: Page(name),
            title,
            entry: None,
            command: None,
        }
    }

    /// The same with an action that leads there: two or three words, one sentence, other words, and when it is possible.
    pub(super) const fn offered(
        self,
        (title, help): (&'static str, &'static str),
        synonyms: &'static [&'static str],
        when: When,
    ) -> PageRow {
        let entry = Entry {
            action: Action::Show(self.page),
            name: self.page.0,
            title,
            help,
            synonyms,
            group: Group::Moving,
            when,
        };
        PageRow {
            entry: Some(entry),
            ..self
        }
    }

    /// The same with the command that tells it in a shell; `ID` stands for the task.
    pub(super) const fn told_by(self, command: &'static str) -> PageRow {
        PageRow {
            command: Some(command),
            ..self
        }
    }
}
