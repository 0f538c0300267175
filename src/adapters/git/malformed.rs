//! Commits that git's own check of objects refuses: without an author, with a path such as `.git`, damaged. Every new commit is checked
//! when it is brought into the control repository. A refused one is brought all the same, because it may have to be kept, and noted;
//! commits that a branch of the remote held before anything else was brought are accepted as they are, and so are those of the base.

use std::fs;
use std::io;
use std::path::PathBuf;

use super::cli::GitCli;
use super::command::GitOutput;
use super::error_text::one_line;
use super::files::{failed, write_atomically};
use super::parse::existing_commit;
use crate::adapters::text_file;
use crate::ports::git::{CommitId, GitError};

/// The setting with which a fetch checks every object that it brings.
pub(super) const CHECK: &str = "fetch.fsckObjects=true";
/// Maximum length of a note.
const NOTE_LIMIT: u64 = 4 * 1024;

/// Returns the message of the check of a fetch, if that is why it failed.
pub(super) fn refusal(output: &GitOutput) -> Option<String> {
    let said = String::from_utf8_lossy(&output.stderr);
    let is_check = output.code != Some(0) && said.contains("fsck error");
    let line = said.lines().find_map(|line| line.strip_prefix("error: object "));
    is_check.then(|| one_line(line.unwrap_or("an object is damaged")))
}

impl GitCli {
    /// Returns the reason why the commits that lead to a head and are not in the base are not taken, if the check refuses one of them, or one
    /// names a commit of a submodule or a large file that is nowhere.
    pub(super) fn refused_in(
        &self,
        head: &CommitId,
        base: Option<&CommitId>,
    ) -> Result<Option<String>, GitError> {
        for (commit, why) in self.notes()? {
            let is_in = |end: &CommitId| -> Result<bool, GitError> {
                Ok(self.has(end)? && self.is_ancestor(&commit, end)?)
            };
            if is_in(head)? && !base.map_or(Ok(false), is_in)? {
                return Ok(Some(format!(
                    "git's own check refuses what {commit} brings: object {why}; make these commits anew with `git commit`"
                )));
            }
        }
        let head = &self.import_known(head.clone())?;
        if let Some(base) = base
            && let Some(why) = self.broken_link(base, &self.tree_of(head)?)?
        {
            return Ok(Some(why));
        }
        self.missing_large_file(head)
    }

    /// Notes that the check refuses the objects of that commit.
    pub(super) fn note_malformed(&self, commit: &CommitId, why: &str) -> Result<(), GitError> {
        let folder = self.notes_folder();
        fs::create_dir_all(&folder).map_err(failed("make", &folder))?;
        tracing::warn!("{commit} is brought in unchecked: object {why}");
        write_atomically(&folder.join(commit.as_str()), why)
    }

    fn notes(&self) -> Result<Vec<(CommitId, String)>, GitError> {
        let folder = self.notes_folder();
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed("read", &folder)(error)),
        };
        let note = |entry: fs::DirEntry| {
            let commit = existing_commit(entry.file_name().to_str()?)?;
            let why = text_file::read_text(&entry.path(), NOTE_LIMIT).unwrap_or_default();
            Some((commit, why))
        };
        Ok(entries.flatten().filter_map(note).collect())
    }

    fn notes_folder(&self) -> PathBuf {
        self.control.path.join("malformed")
    }
}
