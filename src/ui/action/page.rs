//! Views by name: what each is called, and how keys, palette and help offer it. Data only; what draws them knows them.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use super::table::PAGES;
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

    /// The view of that name.
    pub(crate) fn named(name: &str) -> Option<Page> {
        Page::all().find(|page| page.0 == name)
    }

    /// Every view that has a name, in the order of choices.
    pub(crate) fn all() -> impl Iterator<Item = Page> {
        PAGES.iter().map(|row| row.page)
    }

    /// What panes, choices and titles call it.
    pub(crate) fn title(self) -> &'static str {
        self.row().map_or(self.0, |row| row.title)
    }

    /// The command that tells the same in a shell.
    pub(crate) fn command_line(self) -> Option<&'static str> {
        self.row()?.command
    }

    fn row(self) -> Option<&'static PageRow> {
        PAGES.iter().find(|row| row.page == self)
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

impl<'de> Deserialize<'de> for Page {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Page, D::Error> {
        let name = String::deserialize(from)?;
        Page::named(&name).ok_or_else(|| D::Error::custom(format!("no view is called `{name}`")))
    }
}

/// A view as it is offered.
#[derive(Debug, Clone, Copy)]
pub(super) struct PageRow {
    page: Page,
    title: &'static str,
    /// Its row in the table of actions; nothing when no key leads there.
    pub(super) entry: Option<Entry>,
    command: Option<&'static str>,
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
