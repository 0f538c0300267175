//! What people were told by each way, kept for the next start of the server: nothing is told twice, nothing is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::path::Path;

use atomic_write_file::AtomicWriteFile;

/// Marks of what was told or seen, by the name of the way.
pub(super) type Told = BTreeMap<String, BTreeSet<String>>;

/// What was kept. A file that cannot be read is as good as none: then what waits is told once more.
pub(super) fn kept(file: &Path) -> Told {
    match std::fs::read(file) {
        Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_else(|error| {
            tracing::warn!("could not read {}: {error}", file.display());
            Told::default()
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Told::default(),
        Err(error) => {
            tracing::warn!("could not read {}: {error}", file.display());
            Told::default()
        }
    }
}

/// Keeps it: all of it or what was there before.
pub(super) fn keep(file: &Path, told: &Told) -> io::Result<()> {
    let mut out = AtomicWriteFile::open(file)?;
    out.write_all(&serde_json::to_vec(told)?)?;
    out.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_read_and_a_broken_file_is_as_good_as_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("told.json");
        assert_eq!(kept(&file), Told::default());
        let told: Told = [("http".to_owned(), ["question t-1".to_owned()].into())].into();
        keep(&file, &told).unwrap();
        assert_eq!(kept(&file), told);
        std::fs::write(&file, "{").unwrap();
        assert_eq!(kept(&file), Told::default());
    }
}
