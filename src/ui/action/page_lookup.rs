//! What the table knows of a view: found by its name, in the order of choices.

use serde::de::{Deserialize, Deserializer, Error};

use super::table::PAGES;
use super::view_name::{ViewEntry, ViewName};

impl ViewName {
    /// The view of that name.
    pub(crate) fn named(name: &str) -> Option<ViewName> {
        ViewName::all().find(|page| page.name() == name)
    }

    /// Every view that has a name, in the order of choices.
    pub(crate) fn all() -> impl Iterator<Item = ViewName> {
        PAGES.iter().map(|row| row.page)
    }

    /// What panes, choices and titles call it.
    pub(crate) fn title(self) -> &'static str {
        self.row().map_or(self.name(), |row| row.title)
    }

    /// The command that tells the same in a shell.
    pub(crate) fn command_line(self) -> Option<&'static str> {
        self.row()?.command
    }

    fn row(self) -> Option<&'static ViewEntry> {
        PAGES.iter().find(|row| row.page == self)
    }
}

impl<'de> Deserialize<'de> for ViewName {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<ViewName, D::Error> {
        let name = String::deserialize(from)?;
        ViewName::named(&name).ok_or_else(|| D::Error::custom(format!("no view is called `{name}`")))
    }
}
