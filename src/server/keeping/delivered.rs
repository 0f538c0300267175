//! Delivered notifications of each channel, kept for the next start of the server: nothing is sent twice.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use crate::adapters::text_file;

/// Maximum bytes of a file that is read: far more marks than open items.
const LARGEST: u64 = 16 * 1024 * 1024;

/// Marks of delivered notifications, by the name of the channel.
pub(in crate::server) type DeliveredMarks = BTreeMap<String, BTreeSet<String>>;

/// Returns the marks of the last server. A file that cannot be read counts as empty: open items are notified once more.
pub(in crate::server) fn load(file: &Path) -> DeliveredMarks {
    let marks = match text_file::read(file, LARGEST) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(io::Error::from),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return DeliveredMarks::default(),
        Err(error) => Err(error),
    };
    marks.unwrap_or_else(|error| {
        tracing::warn!("could not read {}: {error}", file.display());
        DeliveredMarks::default()
    })
}

/// Replaces the file as a whole.
pub(in crate::server) fn save(file: &Path, marks: &DeliveredMarks) -> io::Result<()> {
    text_file::replace(file, &serde_json::to_vec(marks)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_read_and_a_broken_file_is_as_good_as_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("delivered.json");
        assert_eq!(load(&file), DeliveredMarks::default());
        let marks: DeliveredMarks = [("http".to_owned(), ["question t-1".to_owned()].into())].into();
        save(&file, &marks).unwrap();
        assert_eq!(load(&file), marks);
        std::fs::write(&file, "{").unwrap();
        assert_eq!(load(&file), DeliveredMarks::default());
    }
}
