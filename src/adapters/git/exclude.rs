//! The ignore rules of the shared exclude file, with the errors of this adapter.

use super::discovery::ProjectRepo;
use super::files::failed;
use crate::adapters::excludes;
use crate::ports::git::GitError;

/// What is excluded, from the root of every checkout of the project.
pub(super) const PATTERN: &str = excludes::RULE;

/// Adds the rules that are missing.
pub(super) fn ensure(project: &ProjectRepo) -> Result<(), GitError> {
    excludes::ensure(&project.common).map_err(|error| failed(error.what, &error.path)(error.why))
}
