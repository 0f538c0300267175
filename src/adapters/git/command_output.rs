//! Output of a git that ended, with what it was run for.

use std::ops::Deref;

use super::call_environment::ConfigScope;
use super::error_text;
use super::process::ProcessOutput;
use crate::ports::git::GitError;

/// Output and exit of a git command, with its purpose.
pub(super) struct GitOutput {
    pub(super) action: String,
    pub(super) scope: ConfigScope,
    pub(super) left_out: Vec<String>,
    pub(super) process: ProcessOutput,
}

impl GitOutput {
    /// The same, if git ended with code 0.
    pub(super) fn ok(self) -> Result<Self, GitError> {
        if self.code == Some(0) || self.truncated {
            Ok(self)
        } else {
            Err(self.failure())
        }
    }

    /// An exit that is not the expected one, as an error: in the network scope one of the remote, elsewhere one of git.
    pub(super) fn failure(&self) -> GitError {
        let what = self.action.clone();
        let why = error_text::with_left_out(error_text::reason(self), &self.left_out);
        let kind = error_text::trouble(self).unwrap_or_else(|| self.scope.trouble());
        if self.scope == ConfigScope::Network || self.code.is_none() {
            GitError::Unreachable { kind, what, why }
        } else {
            GitError::Failed { kind, what, why }
        }
    }
}

impl Deref for GitOutput {
    type Target = ProcessOutput;

    fn deref(&self) -> &ProcessOutput {
        &self.process
    }
}
