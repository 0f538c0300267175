//! Files of the base branch by their names: agents begin with these, not with the person's folder.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use super::setup::PlanSetup;
use crate::adapters::git::{GitCli, GitSetup};
use crate::config::project_paths::ProjectPaths;
use crate::ports::git::{BranchName, Git as _, Head, Revision};

/// Function that returns true if a file exists on the base branch, by its path in the project.
pub type OnBase<'a> = &'a dyn Fn(&str) -> bool;

/// The files of a project's base branch, listed when the first is asked for.
pub struct BaseFiles<'a> {
    paths: &'a ProjectPaths,
    git: GitSetup,
    listed: OnceCell<BTreeSet<String>>,
}

impl<'a> BaseFiles<'a> {
    /// Names the project whose files are asked for.
    pub fn new(paths: &'a ProjectPaths, git: GitSetup) -> BaseFiles<'a> {
        BaseFiles {
            paths,
            git,
            listed: OnceCell::new(),
        }
    }

    /// Returns true if a file, or a folder with files, is on the base branch. A base that cannot be read has none, so the work
    /// is done again.
    pub fn has(&self, path: &str) -> bool {
        let listed = self.listed.get_or_init(|| self.list().unwrap_or_default());
        let path = path.trim_end_matches('/');
        let folder = format!("{path}/");
        let mut inside = listed.range(folder.clone()..);
        listed.contains(path) || inside.next().is_some_and(|file| file.starts_with(&folder))
    }

    fn list(&self) -> Option<BTreeSet<String>> {
        let base = PlanSetup::read(self.paths).settings.base?;
        let base = Revision::RemoteBranch(BranchName::new(&base).ok()?);
        let git = GitCli::open(&self.git).ok()?;
        let Head::At(commit) = git.resolve(&base) else {
            return None;
        };
        Some(git.list_files(&commit, None).ok()?.into_iter().collect())
    }
}
