//! Views by name: what each is called, how keys, palette and help offer it, what draws it. A new view is one file that holds
//! such a row, and its line in the list of them. Data only; nothing here draws.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use super::action::{Action, Entry, Group, When};
use super::state::Content;
use super::views::{PAGES, View};
use crate::domain::TaskId;

/// The name of a view, as layout files, key files and kept arrangements write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Page(&'static str);

impl Page {
    /// That name; who makes one puts a row of that name into the list.
    pub(crate) const fn of(name: &'static str) -> Page {
        Page(name)
    }

    /// Its row; nothing when no view has that name.
    pub(crate) fn row(self) -> Option<&'static PageRow> {
        PageRow::named(self.0)
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
        let row =
            PageRow::named(&name).ok_or_else(|| D::Error::custom(format!("no view is called `{name}`")))?;
        Ok(row.page)
    }
}

/// A view as it is offered.
#[derive(Clone, Copy)]
pub(crate) struct PageRow {
    /// Its name.
    pub(crate) page: Page,
    /// What panes, choices and titles call it.
    pub(crate) title: &'static str,
    /// What draws it.
    pub(crate) view: &'static dyn View,
    /// Its row in the table of actions; nothing when no key leads there.
    pub(crate) entry: Option<Entry>,
    shows: Option<fn(Option<TaskId>) -> Content>,
}

impl PageRow {
    /// A view that its name alone tells.
    pub(crate) const fn of(name: &'static str, title: &'static str, view: &'static dyn View) -> PageRow {
        PageRow {
            page: Page(name),
            title,
            view,
            entry: None,
            shows: None,
        }
    }

    /// The same, where a pane must know more than the name; what is given is the task a person was at.
    pub(crate) const fn showing(self, shows: fn(Option<TaskId>) -> Content) -> PageRow {
        PageRow {
            shows: Some(shows),
            ..self
        }
    }

    /// The same with an action that leads there: two or three words, one sentence, other words, and when it is possible.
    pub(crate) const fn offered(
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

    /// What a pane shows there.
    pub(crate) fn content(&self, task: Option<TaskId>) -> Content {
        self.shows.map_or(Content::Page(self.page), |shows| shows(task))
    }

    /// The view of that name.
    pub(crate) fn named(name: &str) -> Option<&'static PageRow> {
        PAGES.into_iter().find(|row| row.page.0 == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::action::entries;

    #[test]
    fn every_view_is_found_by_its_name_and_kept_as_it() {
        for row in PAGES {
            assert_eq!(row.page.row().map(|found| found.page), Some(row.page));
            let content = row.content(None);
            let kept = serde_json::to_string(&content).expect("kept");
            assert_eq!(serde_json::from_str::<Content>(&kept).expect("taken up"), content);
            assert_eq!(content.title(), Some(row.title));
        }
        assert!(serde_json::from_str::<Content>("\"phases\"").is_err());
    }

    #[test]
    fn what_a_key_leads_to_is_in_the_table_of_actions_once() {
        for row in PAGES.into_iter().filter(|row| row.entry.is_some()) {
            let shows = Action::Show(row.page);
            assert_eq!(
                entries().filter(|entry| entry.action == shows).count(),
                1,
                "{}",
                row.page
            );
        }
    }
}
