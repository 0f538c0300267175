//! Record of the items that were closed where they came from: a list in the checkout, or a forge. Each is closed once; a person who opens
//! one again wants it open.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use crate::adapters::text_file;
use crate::domain::Cause;

/// Records of lists and of forges, in the project's state. Each has one writer.
const OF_LISTS: &str = "closed-items.json";
const OF_FORGES: &str = "closed-issues.json";
/// Maximum size of a record in bytes.
const LARGEST: u64 = 64 * 1024 * 1024;

/// Items that were closed.
#[derive(Debug)]
pub struct ClosedItems {
    file: PathBuf,
    names: BTreeSet<String>,
}

impl ClosedItems {
    /// Reads the record for lists in the checkout.
    ///
    /// # Errors
    /// When it cannot be read; for people. Nothing may be closed then.
    pub(super) fn of_lists(state: &Path) -> Result<ClosedItems, Cause> {
        ClosedItems::read(state.join(OF_LISTS))
    }

    /// Reads the record for forges.
    ///
    /// # Errors
    /// As for lists.
    pub fn of_forges(state: &Path) -> Result<ClosedItems, Cause> {
        ClosedItems::read(state.join(OF_FORGES))
    }

    fn read(file: PathBuf) -> Result<ClosedItems, Cause> {
        let read = match text_file::read(&file, LARGEST) {
            Ok(text) => serde_json::from_slice(&text).map_err(io::Error::from),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeSet::new()),
            Err(error) => Err(error),
        };
        match read {
            Ok(names) => Ok(ClosedItems { file, names }),
            Err(error) => {
                let file = file.display();
                Err(format!(
                    "could not read {file}, which says what was closed before: {error}; close finished items by hand, and remove the file"
                )
                .into())
            }
        }
    }

    /// Returns true if an item of a list was closed before.
    pub fn has(&self, list: &str, item: &str) -> bool {
        self.names.contains(&name(list, item))
    }

    /// Returns true if the closing of an item was begun, and its end is not known: a server was killed meanwhile.
    pub fn was_begun(&self, list: &str, item: &str) -> bool {
        self.names.contains(&begun(list, item))
    }

    /// Notes that an item is about to be closed elsewhere.
    ///
    /// # Errors
    /// When the record cannot be written; for people. The item must not be closed then.
    pub fn begin(&mut self, list: &str, item: &str) -> Result<(), Cause> {
        self.names.insert(begun(list, item));
        self.write()
    }

    /// Notes that an item that was begun could not be closed.
    ///
    /// # Errors
    /// When the record cannot be written; for people.
    pub fn give_up(&mut self, list: &str, item: &str) -> Result<(), Cause> {
        self.names.remove(&begun(list, item));
        self.write()
    }

    /// Notes items of a list as closed.
    ///
    /// # Errors
    /// When the record cannot be written; for people.
    pub fn note<'a>(&mut self, list: &str, items: impl IntoIterator<Item = &'a str>) -> Result<(), Cause> {
        let before = self.names.clone();
        for item in items {
            self.names.remove(&begun(list, item));
            self.names.insert(name(list, item));
        }
        if self.names == before {
            Ok(())
        } else {
            self.write()
        }
    }

    fn write(&self) -> Result<(), Cause> {
        let text = serde_json::to_vec(&self.names).map_err(io::Error::from);
        let written = text.and_then(|text| text_file::replace(&self.file, &text));
        written.map_err(|error| format!("could not note what was closed: {error}").into())
    }
}

fn begun(list: &str, item: &str) -> String {
    format!("begun {}", name(list, item))
}

fn name(list: &str, item: &str) -> String {
    format!("{list}/{item}")
}
