//! Views by name: what each is called, and how keys, palette and help offer it. Data only; what draws them knows them.

use std::fmt;

use serde::ser::{Serialize, Serializer};

use super::{Action, ActionEntry, ActionGroup, Availability};

/// The name of a view as layout files, key files and saved arrangements write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ViewName(&'static str);

impl ViewName {
    /// That name; who makes one puts a row of that name into the table.
    pub(crate) const fn of(name: &'static str) -> ViewName {
        ViewName(name)
    }

    /// The name.
    pub(crate) const fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for ViewName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Serialize for ViewName {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.0)
    }
}

/// One row of the table of named views: name, title and the action that opens it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ViewEntry {
    pub(super) page: ViewName,
    pub(super) title: &'static str,
    /// Its row in the table of actions; nothing when no key leads there.
    pub(super) entry: Option<ActionEntry>,
    /// The command that tells it in a shell.
    pub(super) command: Option<&'static str>,
}

impl ViewEntry {
    /// A view of that name and title.
    pub(super) const fn of(name: &'static str, title: &'static str) -> ViewEntry {
        ViewEntry {
            page: ViewName(name),
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
        when: Availability,
    ) -> ViewEntry {
        let entry = ActionEntry {
            action: Action::Show(self.page),
            name: self.page.0,
            title,
            help,
            synonyms,
            group: ActionGroup::Moving,
            availability: when,
        };
        ViewEntry {
            entry: Some(entry),
            ..self
        }
    }

    /// The same with the command that tells it in a shell; `ID` stands for the task.
    pub(super) const fn with_command(self, command: &'static str) -> ViewEntry {
        ViewEntry {
            command: Some(command),
            ..self
        }
    }
}
