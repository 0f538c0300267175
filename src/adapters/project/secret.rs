//! The secret of a project, from which the tokens of attempts are derived. It never leaves its file and this module.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::error::{ProjectError, failed};
use crate::adapters::text_file;
use crate::domain::{AttemptId, Timestamp};

const LENGTH: usize = 32;

/// The project's 32 random bytes, from which the tokens of attempts are derived.
#[derive(Clone)]
pub struct ProjectSecret([u8; LENGTH]);

impl fmt::Debug for ProjectSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl ProjectSecret {
    /// The secret in the file; made if there is none. Of several who make one at once, one wins and all use it.
    ///
    /// # Errors
    /// When the file cannot be used, or the system has no random bytes.
    pub fn of(path: &Path) -> Result<ProjectSecret, ProjectError> {
        if let Some(secret) = read(path)? {
            return Ok(secret);
        }
        let mut bytes = [0; LENGTH];
        getrandom::fill(&mut bytes)
            .map_err(|error| failed("draw random bytes for", path)(io::Error::other(error.to_string())))?;
        match text_file::create_private(path, &bytes) {
            Ok(()) => Ok(ProjectSecret(bytes)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                read(path)?.ok_or_else(|| ProjectError::BadSecret {
                    path: path.to_owned(),
                })
            }
            Err(error) => Err(failed("write", path)(error)),
        }
    }

    /// The token that proves to be this attempt: 64 hexadecimal digits.
    pub fn token(&self, attempt: AttemptId, created_at: Timestamp) -> String {
        let digest = Sha256::new()
            .chain_update(self.0)
            .chain_update(attempt.0.to_be_bytes())
            .chain_update(created_at.0.to_be_bytes())
            .finalize();
        hex::encode(digest)
    }

    /// Returns true if `token` is the attempt's. Takes as long for a nearly right one as for a wrong one.
    pub fn proves(&self, token: &str, attempt: AttemptId, created_at: Timestamp) -> bool {
        let right = self.token(attempt, created_at);
        let differing = right
            .bytes()
            .zip(token.bytes())
            .fold(0_u8, |differing, (ours, theirs)| differing | (ours ^ theirs));
        token.len() == right.len() && std::hint::black_box(differing) == 0
    }
}

/// A word that cannot be guessed.
pub fn random_word() -> Option<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(hex::encode(bytes))
}

fn read(path: &Path) -> Result<Option<ProjectSecret>, ProjectError> {
    let bad = || ProjectError::BadSecret {
        path: path.to_owned(),
    };
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() && found.len() == LENGTH as u64 => {}
        Ok(_) => return Err(bad()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed("look at", path)(error)),
    }
    let bytes = text_file::read(path, LENGTH as u64).map_err(failed("read", path))?;
    let bytes = bytes.try_into().map_err(|_wrong_length| bad())?;
    Ok(Some(ProjectSecret(bytes)))
}
