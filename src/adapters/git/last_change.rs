//! Last commit of a file, as far as git knows. The author in a commit can be forged: it is data.

use std::path::{Path, PathBuf};

use super::base_moves::{CHECKOUT_LOG, made_at};
use super::cli::GitCli;
use super::command::{ConfigScope, GitProgram};
use super::error_text::one_line;
use super::options::GitSetup;
use crate::adapters::text_file;
use crate::domain::Timestamp;
use crate::ports::git::GitError;

/// The last commit that changed a file, made fit to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCommit {
    pub commit: String,
    /// Name and address, as the commit has them.
    pub author: String,
    /// Day of the commit.
    pub date: String,
    /// True if the file is as it was committed; otherwise it was changed since.
    pub is_committed: bool,
}

/// Maximum size of a file that is compared with its commit.
const LARGEST: usize = 16 * 1024 * 1024;

/// The last commit of the branch that is checked out which changed a file below the project. `None` if git does not know the file.
///
/// # Errors
/// When git cannot be asked.
pub fn last_commit_of(setup: &GitSetup, file: &Path) -> Result<Option<FileCommit>, GitError> {
    let program = GitProgram::new(setup);
    let inside = file.strip_prefix(&setup.project).unwrap_or(file);
    let ask = |what: &str| program.command(ConfigScope::Preflight, &setup.project, what);
    let call = ask("ask who changed a file");
    let call = call
        .words("log -1 --no-show-signature --no-color --format=%h%x00%an%x20<%ae>%x00%cs HEAD --")
        .arg(inside);
    let output = call.run()?;
    let text = output.text();
    let mut fields = text.trim_end().split('\0').map(one_line);
    let (Some(commit), Some(author), Some(date)) = (fields.next(), fields.next(), fields.next()) else {
        return Ok(None);
    };
    let committed = ask("read a file as it was committed")
        .limit(LARGEST)
        .words("cat-file blob --end-of-options")
        .arg(format!("HEAD:./{}", inside.display()))
        .run()?;
    let now = text_file::read(file, LARGEST as u64).ok();
    Ok(Some(FileCommit {
        commit,
        author,
        date,
        is_committed: committed.code == Some(0) && now.is_some_and(|now| now == committed.stdout),
    }))
}

impl GitCli {
    /// Returns the time at which the last commit that changed a file of the project was made in the person's own checkout, as its log says;
    /// `None` if that commit came from elsewhere, or there is none.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub fn committed_here(&self, file: &Path) -> Result<Option<Timestamp>, GitError> {
        let commit = self.last_change(file)?;
        let made = made_at(&self.project.git_dir).into_iter();
        let mut own = made.filter(|(id, _)| id.as_str() == commit);
        Ok(own.next().map(|(_, at)| at))
    }

    /// Returns the last commit of the person's checkout that changed a file; empty if there is none.
    pub(super) fn last_change(&self, file: &Path) -> Result<String, GitError> {
        let call = self.in_project(format!("ask who changed {}", file.display()));
        let call = call.words("log -1 --no-show-signature --no-color --format=%H HEAD --");
        call.arg(file).run_line()
    }

    /// Returns the file to which git adds a line whenever the commit of the person's checkout changes.
    pub fn checkout_log(&self) -> PathBuf {
        self.project.git_dir.join(CHECKOUT_LOG)
    }
}
