//! Files of the main checkout that are changed and not committed: agents begin at a commit and never see them (C15).

use super::cli::GitCli;
use super::error_text::one_line;
use crate::ports::git::{GitError, WorkingTree};

/// Paths that differ from the commit that is checked out, made fit to be shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UncommittedFiles {
    /// Files that the commit has.
    pub changed: Vec<String>,
    /// Files that it does not have, without those that are ignored.
    pub new: Vec<String>,
}

impl GitCli {
    /// Lists the files of the main checkout that differ from the commit that is checked out there. Nothing if nothing was ever
    /// committed.
    ///
    /// # Errors
    /// When git cannot be asked, or a foreign filter would have to run.
    pub fn uncommitted(&self) -> Result<UncommittedFiles, GitError> {
        let state = self.state_of(&WorkingTree::Main)?;
        let Some(head) = state.head else {
            return Ok(UncommittedFiles::default());
        };
        let call = self.in_control("look for files that are not committed")?;
        let call = call.words("diff-tree -r -z --name-status --no-renames --end-of-options");
        let output = call.args([head.as_str(), state.tree.as_str()]).run_ok()?;
        let mut found = UncommittedFiles::default();
        let mut fields = output.stdout.split(|byte| *byte == 0);
        while let (Some(status), Some(path)) = (fields.next(), fields.next()) {
            let path = one_line(&String::from_utf8_lossy(path));
            match status {
                b"A" => found.new.push(path),
                _ => found.changed.push(path),
            }
        }
        Ok(found)
    }
}
