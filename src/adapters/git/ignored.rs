//! Files that git ignores, in the person's checkout and in folders with the files of a commit. Git reads them with an index of our own.

use std::fs;
use std::path::{Path, PathBuf};

use super::cli::GitCli;
use super::files::{failed, path_of};
use crate::ports::git::{CommitId, GitError};

impl GitCli {
    /// Lists what is ignored: files, and whole folders with a slash at their end.
    pub(super) fn list_ignored(&self, commit: Option<(&CommitId, &Path)>) -> Result<Vec<PathBuf>, GitError> {
        let folder = commit.map_or(&*self.project.root, |(_, folder)| folder);
        self.with_scratch_index(commit.map(|(commit, _)| commit), folder, |index| {
            let call = self.on_files(folder, index, "list the ignored files")?;
            let call = call.words("ls-files -z --others --ignored --exclude-standard --directory");
            Ok(paths(&call.run_whole()?.stdout))
        })
    }

    /// Returns those of the paths that are ignored where the files of a commit are.
    pub(super) fn keep_ignored(
        &self,
        commit: &CommitId,
        folder: &Path,
        mut wanted: Vec<PathBuf>,
    ) -> Result<Vec<PathBuf>, GitError> {
        // Git refuses to look behind a link.
        wanted.retain(|path| has_real_parents(folder, path));
        if wanted.is_empty() {
            return Ok(wanted);
        }
        self.with_scratch_index(Some(commit), folder, |index| {
            let mut names: Vec<u8> = Vec::new();
            for path in &wanted {
                // So that no name begins with a colon, which has a meaning of its own.
                names.extend_from_slice(b"./");
                names.extend_from_slice(path.as_os_str().as_encoded_bytes());
                names.push(0);
            }
            let call = self.on_files(folder, index, "ask which files are ignored")?;
            let output = call
                .with_patterns()
                .words("check-ignore -z --stdin")
                .input(&names)
                .run()?;
            match output.code {
                Some(0 | 1) => Ok(paths(&output.stdout)),
                _ => Err(output.failure()),
            }
        })
    }

    /// Calls a function with an index that lists the files of a commit, or else those that the person's index lists.
    pub(super) fn with_scratch_index<T>(
        &self,
        commit: Option<&CommitId>,
        folder: &Path,
        read: impl FnOnce(&Path) -> Result<T, GitError>,
    ) -> Result<T, GitError> {
        let index = self.control.scratch(&self.unique_name("index"))?;
        let filled = if let Some(commit) = commit {
            let call = self.on_files(folder, &index, "read a commit")?;
            let call = call.words("read-tree --end-of-options").arg(commit.as_str());
            call.run_ok().map(drop)
        } else {
            let own = self.project.git_dir.join("index");
            match fs::copy(&own, &index) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    Err(failed("read", &own)(error))
                }
                Ok(_) | Err(_) => Ok(()),
            }
        };
        let result = filled.and_then(|()| read(&index));
        for name in [index.clone(), index.with_extension("lock")] {
            // A left-over scratch file costs only room.
            drop(fs::remove_file(name));
        }
        result
    }
}

/// Returns true if every folder above a path, which is relative to another folder, is a real one there, or is missing.
fn has_real_parents(folder: &Path, path: &Path) -> bool {
    let above = path
        .ancestors()
        .skip(1)
        .filter(|above| !above.as_os_str().is_empty());
    above
        .map(|above| folder.join(above))
        .all(|above| above.symlink_metadata().map_or(true, |found| found.is_dir()))
}

fn paths(listed: &[u8]) -> Vec<PathBuf> {
    let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names
        .map(|name| path_of(name.strip_prefix(b"./").unwrap_or(name)))
        .collect()
}
