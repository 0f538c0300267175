//! Files that this program wrote into the person's checkout, such as the state of a plan, each with the hash of what was written. They are
//! no changes of the person for as long as they still have that content.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::adapters::text_file;

/// Name of the record in the project's state.
const FILE: &str = "projected.json";

/// Files that this program wrote, by their path in the project.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ProjectedFiles {
    /// Hash of the content; `None` for a file that was renamed or removed.
    files: BTreeMap<PathBuf, Option<String>>,
}

impl ProjectedFiles {
    /// Reads the record; one that cannot be read names no file.
    pub fn read(state: &Path) -> ProjectedFiles {
        let text = text_file::read(&state.join(FILE), text_file::LARGEST_WRITTEN);
        let read = |text: Vec<u8>| serde_json::from_slice(&text).ok();
        text.ok().and_then(read).unwrap_or_default()
    }

    /// Returns true if a path of the project has just this content because this program wrote it; no content: it removed the file.
    pub fn holds(&self, path: &Path, content: Option<&[u8]>) -> bool {
        let noted = self.files.get(path);
        noted.is_some_and(|noted| *noted == content.map(digest))
    }
}

/// Notes what is about to be written to files of the project, or that they are removed. A file that is not written then is not taken for
/// one of this program: its content is another.
///
/// # Errors
/// When the record cannot be written.
pub fn note<'a>(
    state: &Path,
    root: &Path,
    files: impl Iterator<Item = (&'a Path, Option<&'a [u8]>)>,
) -> io::Result<()> {
    let mut known = ProjectedFiles::read(state);
    for (file, content) in files {
        if let Ok(path) = file.strip_prefix(root) {
            known.files.insert(path.to_owned(), content.map(digest));
        }
    }
    text_file::replace_private(&state.join(FILE), &serde_json::to_vec(&known)?)
}

fn digest(content: &[u8]) -> String {
    hex::encode(Sha256::digest(content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_noted_and_still_is_so_counts_as_written_here() {
        let state = tempfile::tempdir().unwrap();
        let root = Path::new("/project");
        let plan = root.join(".design/plan.json");
        let written = [
            (plan.as_path(), Some(b"one".as_slice())),
            (Path::new("/elsewhere"), None),
        ];
        note(state.path(), root, written.into_iter()).unwrap();
        let known = ProjectedFiles::read(state.path());
        let path = Path::new(".design/plan.json");
        assert!(known.holds(path, Some(b"one")));
        assert!(!known.holds(path, Some(b"two")) && !known.holds(path, None));
        assert!(!known.holds(Path::new("/elsewhere"), None) && !known.holds(Path::new("a"), None));
        note(state.path(), root, [(plan.as_path(), None)].into_iter()).unwrap();
        assert!(ProjectedFiles::read(state.path()).holds(path, None));
    }
}
