//! Trusted texts of a project's files, and the differences of the rest from what was trusted.

use std::path::Path;
use std::time::Duration;

use similar::{Change, ChangeTag, TextDiff};

use crate::config::schema;
use crate::config::trust::item::{ListedText, TrustItem, TrustKind};
use crate::config::trust::listing::TrustListing;
use crate::config::trust::record::TrustRecord;
use crate::domain::{UntrustedFiles, pluralized};

/// Difference of a text from what was trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrustChange {
    Same,
    /// Text that was not among what was trusted.
    New,
    /// Text that has changed since it was trusted; holds the trusted text.
    Changed(String),
    /// Text that was trusted and is not in the files any more.
    Gone,
}

impl TrustChange {
    /// Returns one word for the change.
    pub fn word(&self) -> &'static str {
        match self {
            TrustChange::Same => "trusted",
            TrustChange::New => "new",
            TrustChange::Changed(_) => "changed",
            TrustChange::Gone => "gone",
        }
    }
}

/// Maximum length of the search for the smallest difference of two texts; after that a larger one is shown.
const LONGEST_SEARCH: Duration = Duration::from_millis(200);

/// The lines that differ, those that are gone behind `-`, those that came behind `+`.
pub fn changed_lines(old: &str, new: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let parts = TextDiff::configure()
        .timeout(LONGEST_SEARCH)
        .diff_slices(&old, &new);
    let marked = |change: Change<&str>| match change.tag() {
        ChangeTag::Equal => None,
        ChangeTag::Delete => Some(format!("- {}", change.value())),
        ChangeTag::Insert => Some(format!("+ {}", change.value())),
    };
    parts.iter_all_changes().filter_map(marked).collect()
}

/// A text of the project's files, or one that was trusted, with how both differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustEntry {
    pub listed: ListedText,
    pub change: TrustChange,
}

impl TrustEntry {
    /// Returns file and line, the file from the project's root if it is inside.
    pub fn place(&self, root: &Path) -> String {
        let file = self.listed.file.strip_prefix(root).unwrap_or(&self.listed.file);
        match self.listed.line {
            0 => file.display().to_string(),
            line => format!("{}:{line}", file.display()),
        }
    }
}

impl TrustListing {
    /// Returns all texts, and those that were trusted and are gone, in order of danger, each with its difference from what was trusted.
    pub fn entries(&self, trusted: &[TrustItem]) -> Vec<TrustEntry> {
        let before = |item: &TrustItem| find(trusted.iter(), item).map(|old| old.text.clone());
        let mut entries: Vec<TrustEntry> = Vec::new();
        for listed in &self.items {
            let change = match before(&listed.item) {
                None => TrustChange::New,
                Some(text) if text == listed.item.text => TrustChange::Same,
                Some(text) => TrustChange::Changed(text),
            };
            let listed = listed.clone();
            entries.push(TrustEntry { listed, change });
        }
        let gone = |item: &&TrustItem| {
            // The content of an unreadable file is not known.
            self.unreadable.is_none() && find(self.items.iter().map(|listed| &listed.item), item).is_none()
        };
        entries.extend(trusted.iter().filter(gone).map(|item| TrustEntry {
            listed: ListedText {
                item: item.clone(),
                file: item.name.clone().into(),
                line: 0,
            },
            change: TrustChange::Gone,
        }));
        entries.sort_by_key(|entry| entry.listed.item.kind);
        entries
    }
}

/// The project's files compared with what a person has trusted of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustReport {
    pub listing: TrustListing,
    pub record: Option<TrustRecord>,
    /// Record at this path that is of another repository, or of an earlier version; nothing of it counts.
    pub former: Option<TrustRecord>,
    /// Reason why the files or the record could not be read; then nothing counts as trusted.
    pub problem: Option<String>,
}

/// Maximum number of names in a line; more are counted.
const MAX_NAMED: usize = 3;

impl TrustReport {
    /// Returns true if all files were read and everything in them is trusted in its present form.
    pub fn is_trusted(&self) -> bool {
        let is_read = self.problem.is_none() && self.listing.unreadable.is_none();
        is_read && self.items_now().into_iter().eq(self.trusted_items())
    }

    /// Returns all texts, in order of danger, each with its difference from what was trusted.
    pub fn entries(&self) -> Vec<TrustEntry> {
        self.listing.entries(self.trusted_items())
    }

    /// Returns the message for people that something waits for their trust, and whether nothing starts meanwhile.
    pub fn untrusted(&self) -> Option<UntrustedFiles> {
        if let Some(why) = &self.problem {
            let text = format!("nothing starts until you look with dbs trust show: could not {why}");
            return Some(UntrustedFiles { text, holds: true });
        }
        if self.is_trusted() {
            return None;
        }
        let names = self.names();
        let whole = self.record.as_ref().is_some_and(|record| record.is_whole);
        if let Some(why) = &self.listing.unreadable {
            let rest = if whole {
                "what you trusted stays in force"
            } else {
                "nothing starts before"
            };
            let text = format!("could not use {why}; fix the file, {rest}");
            return Some(UntrustedFiles { text, holds: !whole });
        }
        let (text, holds) = if !whole {
            let former = self.former_note().map(|note| format!(" ({note})"));
            let former = former.unwrap_or_default();
            let text = format!("nothing starts until you look with dbs trust show: {names}{former}");
            (text, true)
        } else if self.has_changed_start() {
            let text = format!("nothing starts until you look with dbs trust diff: {names} changed");
            (text, true)
        } else {
            let text = format!("{names} changed; what you trusted stays in force: dbs trust diff");
            (text, false)
        };
        Some(UntrustedFiles { text, holds })
    }

    /// Returns the reason why what was trusted at this path before does not count.
    pub fn former_note(&self) -> Option<&'static str> {
        self.former.as_ref().map(|former| match former.repository {
            Some(_) => "this folder contains another repository than the one you trusted",
            None => {
                "the record of an earlier version does not name the repository, so you are asked once more"
            }
        })
    }

    /// Returns the trusted texts that are in force: all but programs whose script in the project's checkout has changed. Gates are in force
    /// all the same: they run in a checkout of their own, where their scripts are checked.
    pub(super) fn in_force(&self) -> Vec<TrustItem> {
        if self.listing.unreadable.is_some() {
            return self.trusted_items().to_vec();
        }
        let changed = self.changed_scripts();
        let starts_changed = |item: &TrustItem| {
            let named = changed.iter().any(|name| item.text.contains(name));
            item.kind == TrustKind::Program && !is_gate(item) && named
        };
        let trusted = self.trusted_items().iter();
        trusted.filter(|item| !starts_changed(item)).cloned().collect()
    }

    /// Returns true if a program other than a gate would start a script that is not the trusted one.
    fn has_changed_start(&self) -> bool {
        self.in_force().len() != self.trusted_items().len()
    }

    /// Names of scripts that are new, missing or have another text in the project's checkout.
    fn changed_scripts(&self) -> Vec<&str> {
        let (now, trusted) = (self.items_now(), self.trusted_items());
        let gone = trusted.iter().filter(|item| !now.contains(item));
        let other = now.iter().copied().filter(|item| !trusted.contains(item));
        let scripts = gone.chain(other).filter(|item| item.kind == TrustKind::Script);
        scripts.map(|item| item.name.as_str()).collect()
    }

    fn names(&self) -> String {
        let entries = self.entries();
        let other: Vec<&str> = entries
            .iter()
            .filter(|entry| entry.change != TrustChange::Same)
            .map(|entry| entry.listed.item.name.as_str())
            .collect();
        if other.is_empty() {
            return "the order of settings".to_owned();
        }
        let named = other
            .iter()
            .take(MAX_NAMED)
            .copied()
            .collect::<Vec<_>>()
            .join(", ");
        match other.len().saturating_sub(MAX_NAMED) {
            0 => named,
            more => format!("{named} and {}", pluralized(more, "other")),
        }
    }

    fn items_now(&self) -> Vec<&TrustItem> {
        self.listing.items.iter().map(|listed| &listed.item).collect()
    }

    fn trusted_items(&self) -> &[TrustItem] {
        self.record.as_ref().map_or(&[], |record| &record.items)
    }
}

fn find<'a>(mut items: impl Iterator<Item = &'a TrustItem>, like: &TrustItem) -> Option<&'a TrustItem> {
    items.find(|item| item.kind == like.kind && item.name == like.name)
}

fn is_gate(item: &TrustItem) -> bool {
    schema::GATES.covers(&item.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_lines_that_differ_are_shown_also_between_lines_that_stay() {
        let (old, new) = ("one\ntwo\nthree\nfour\n", "one\n2\nthree\nfour\nfive\n");
        assert_eq!(changed_lines(old, new), ["- two", "+ 2", "+ five"]);
        assert_eq!(changed_lines(old, old), [""; 0]);
        assert_eq!(changed_lines("", "a\n"), ["+ a"]);
    }
}
