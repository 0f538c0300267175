//! First look at a project: whether the engine can work in it, with its remote or without one.

use super::cli::GitCli;
use super::discovery;
use super::error_text;
use super::files::missing;
use crate::ports::git::{CheckedOut, GitError, Preflight, PreflightError};

impl GitCli {
    pub(super) fn look_at_project(&self) -> Result<Preflight, PreflightError> {
        let opened = self.opened.lock().take();
        let (git_version, origin) = match opened {
            Some(seen) => seen,
            None => (
                discovery::version(&self.program, &self.project.root)?,
                discovery::origin(&self.program, &self.project, &self.remote)?,
            ),
        };
        let recorded = self.control.origin();
        if origin != recorded {
            let is_of_control = recorded == discovery::OriginUrls::of_control();
            return Err(PreflightError::OriginChanged {
                remote: self.remote.name().to_owned(),
                recorded: (!is_of_control).then(|| error_text::redact(&recorded.url)),
                now: error_text::redact(&origin.url),
            });
        }
        let checked_out = self.checked_out()?;
        let is_unborn = matches!(checked_out, CheckedOut::Unborn(_));
        if !self.has_remote() && is_unborn && self.list_branches()?.is_empty() {
            return Err(PreflightError::NoCommit);
        }
        Ok(Preflight {
            git_version,
            root: self.project.root.clone(),
            checked_out,
            origin: self.has_remote().then(|| error_text::redact(&origin.url)),
            identity: discovery::identity(&self.program, &self.project)?,
        })
    }

    /// Takes the address that the remote has now.
    pub(super) fn take_origin(&self) -> Result<(), GitError> {
        let found = discovery::origin(&self.program, &self.project, &self.remote);
        let found = found.map_err(|error| missing("the address of the remote", error.to_string()))?;
        let turn = self.lock_control()?;
        self.control.accept(found)?;
        turn.finish()
    }
}
