//! Views by name, as layout files, key files and saved arrangements write them, and their titles. The code that draws a view is elsewhere.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, de};

/// Name and title of every view that has a name, in the order of choices.
const TITLES: [(ViewName, &str); 16] = [
    (ViewName("board"), "Board"),
    (ViewName("agents"), "Agents"),
    (ViewName("shell"), "Shell"),
    (ViewName("conductor"), "Conductor"),
    (ViewName("selected"), "Selected task"),
    (ViewName("log"), "Log"),
    (ViewName("watcher"), "Watcher"),
    (ViewName("task"), "Task"),
    (ViewName("inbox"), "Inbox"),
    (ViewName("metrics"), "Stats"),
    (ViewName("sessions"), "Sessions"),
    (ViewName("history"), "History"),
    (ViewName("graph"), "Dependencies"),
    (ViewName("plan"), "Plan"),
    (ViewName("gates"), "Gates"),
    (ViewName("diff"), "Diff"),
];

/// The name of a view as layout files, key files and saved arrangements write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ViewName(&'static str);

impl ViewName {
    /// Creates the name of a view; it must be listed in `TITLES`.
    pub(crate) const fn of(name: &'static str) -> ViewName {
        ViewName(name)
    }

    pub(crate) const fn name(self) -> &'static str {
        self.0
    }

    /// Returns the view of that name.
    pub(crate) fn named(name: &str) -> Option<ViewName> {
        ViewName::all().find(|view| view.name() == name)
    }

    /// Returns every view that has a name, in the order of choices.
    pub(crate) fn all() -> impl Iterator<Item = ViewName> {
        TITLES.iter().map(|(view, _)| *view)
    }

    /// Returns the title that panes and choices show.
    pub(crate) fn title(self) -> &'static str {
        let found = TITLES.iter().find(|(view, _)| *view == self);
        found.map_or(self.name(), |(_, title)| title)
    }
}

impl fmt::Display for ViewName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl<'de> Deserialize<'de> for ViewName {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<ViewName, D::Error> {
        let name = String::deserialize(from)?;
        ViewName::named(&name).ok_or_else(|| de::Error::custom(format!("no view is called `{name}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keymap::{Action, entries};

    #[test]
    fn every_action_that_shows_a_view_has_the_name_of_a_view_with_a_title() {
        for entry in entries() {
            if let Action::Show(view) = entry.action {
                assert_eq!(ViewName::named(entry.name), Some(view));
            }
        }
    }
}
