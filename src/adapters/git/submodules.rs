//! Submodules, filled in worktrees and checkouts at the commits that the superproject pins. Only those that the person's own git fills are
//! filled: the text of `.gitmodules` alone makes the engine fetch nothing. Their commits come from the person's repositories of the
//! submodules, else from their addresses, and are kept in the control repository, whose objects the filled folders borrow.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::cli::GitCli;
use super::command::ConfigScope;
use super::error_text::{one_line, redact};
use super::files::{failed, not_ours, remove_if_there};
use super::person_submodules::{ActiveSubmodule, PersonRepo};
use crate::domain::TroubleKind;
use crate::ports::git::{CommitId, GitError};

/// Place in which submodules are filled.
#[derive(Clone, Copy)]
pub(super) enum FilledPlace<'a> {
    /// Worktree of an agent, with its git folder: each submodule has a repository there, as git itself makes it.
    Worktree(&'a Path),
    /// Checkout for gates.
    Checkout,
}

impl GitCli {
    /// Brings the commits of all submodules of a commit, so that filling them later needs no remote. Does nothing where the person's checkout has
    /// no submodules.
    pub(super) fn bring_submodules(&self, commit: &CommitId) -> Result<(), GitError> {
        let has_modules = |git_dir: &PathBuf| git_dir.join("modules").exists();
        let git_dirs = [&self.project.git_dir, &self.project.common];
        if !self.project.root.join(".gitmodules").exists() && !git_dirs.into_iter().any(has_modules) {
            return Ok(());
        }
        self.import_commit(commit)?;
        self.bring_below(commit, &self.person_repo()?)
    }

    fn bring_below(&self, commit: &CommitId, person: &PersonRepo) -> Result<(), GitError> {
        for submodule in self.active_submodules(commit, person)? {
            self.bring(&submodule)?;
            self.bring_below(&submodule.link.commit, &self.repo_of(&submodule, person)?)?;
        }
        Ok(())
    }

    /// Fills the submodules in a folder with the files of a commit, which has that index.
    pub(super) fn fill_submodules(
        &self,
        folder: &Path,
        index: &Path,
        commit: &CommitId,
        place: FilledPlace<'_>,
    ) -> Result<(), GitError> {
        if self.links_in(folder, index)?.is_empty() {
            return Ok(());
        }
        self.fill_below(folder, commit, place, &self.person_repo()?)
    }

    fn fill_below(
        &self,
        folder: &Path,
        commit: &CommitId,
        place: FilledPlace<'_>,
        person: &PersonRepo,
    ) -> Result<(), GitError> {
        let submodules = self.active_submodules(commit, person)?;
        if matches!(place, FilledPlace::Checkout) {
            self.empty_others(folder, commit, &submodules)?;
        }
        for submodule in submodules {
            let inner = folder.join(&submodule.link.path);
            match place {
                _ if is_real_folder(folder, &inner) => {}
                // A sparse checkout leaves it out.
                FilledPlace::Worktree(_) => continue,
                FilledPlace::Checkout => return Err(not_ours(inner, "it is not the folder of a submodule")),
            }
            self.bring(&submodule)?;
            self.refuse_foreign_filters(&submodule.link.commit)?;
            let git_dir = self.fill(&inner, &submodule, place)?;
            let below = match place {
                FilledPlace::Worktree(_) => FilledPlace::Worktree(&git_dir),
                FilledPlace::Checkout => FilledPlace::Checkout,
            };
            let person = self.repo_of(&submodule, person)?;
            self.fill_below(&inner, &submodule.link.commit, below, &person)?;
        }
        Ok(())
    }

    /// Writes the files of one submodule and its repository; returns the folder of that. Of what a gate left, only files that git ignores
    /// stay.
    fn fill(
        &self,
        folder: &Path,
        submodule: &ActiveSubmodule,
        place: FilledPlace<'_>,
    ) -> Result<PathBuf, GitError> {
        let commit = &submodule.link.commit;
        let pointer = folder.join(".git");
        remove_git_entry(&pointer)?;
        let git_dir = match place {
            FilledPlace::Worktree(above) => above.join("modules").join(&submodule.name),
            FilledPlace::Checkout => pointer.clone(),
        };
        let index = self.control.scratch(&self.unique_name("index"))?;
        self.write_files(folder, &index, commit)?;
        self.unlink_submodules(folder, &index)?;
        let call = self.on_files(folder, &index, "clean a submodule")?;
        call.words("clean -ffdq").run_ok()?;
        let objects = self.control.path.join("objects");
        self.borrowing_repository(&git_dir, Some(&objects), commit.as_str())?;
        let own_index = git_dir.join("index");
        fs::rename(&index, &own_index).map_err(failed("write", &own_index))?;
        if let FilledPlace::Worktree(above) = place {
            let text = format!("gitdir: {}\n", relative(folder, &git_dir).display());
            fs::write(&pointer, text).map_err(failed("write", &pointer))?;
            self.name_address(&git_dir, above, submodule)?;
        }
        Ok(git_dir)
    }

    /// Lets an agent fetch from and push to the address of a submodule. Git knows a submodule by its address in the configuration of the
    /// repository above it, which the project has already.
    fn name_address(
        &self,
        git_dir: &Path,
        above: &Path,
        submodule: &ActiveSubmodule,
    ) -> Result<(), GitError> {
        let Some(url) = submodule.url.as_deref() else {
            return Ok(());
        };
        let set = |git_dir: &Path, key: &str, value: &str| {
            let call = self
                .program
                .command(ConfigScope::Control, git_dir, "name the remote of a submodule");
            let call = call.words("config --file config").arg(key).arg(value);
            call.run_ok().map(drop)
        };
        set(git_dir, "remote.origin.url", url)?;
        set(
            git_dir,
            "remote.origin.fetch",
            "+refs/heads/*:refs/remotes/origin/*",
        )?;
        if above.join("config").exists() {
            set(above, &format!("submodule.{}.url", submodule.name), url)?;
        }
        Ok(())
    }

    /// Takes away the repositories that gates may have put into the folders of submodules, so that git asks none of them.
    pub(super) fn unlink_submodules(&self, folder: &Path, index: &Path) -> Result<(), GitError> {
        for link in self.links_in(folder, index)? {
            let inner = folder.join(link);
            if is_real_folder(folder, &inner) {
                remove_git_entry(&inner.join(".git"))?;
            }
        }
        Ok(())
    }

    /// Makes the folders of submodules that are not filled empty again.
    fn empty_others(
        &self,
        folder: &Path,
        commit: &CommitId,
        filled: &[ActiveSubmodule],
    ) -> Result<(), GitError> {
        for link in self.links_of(commit)? {
            let inner = folder.join(&link.path);
            let is_filled = filled.iter().any(|submodule| submodule.link.path == link.path);
            if !is_filled && is_real_folder(folder, &inner) {
                fs::remove_dir_all(&inner)
                    .and_then(|()| fs::create_dir(&inner))
                    .map_err(failed("empty", &inner))?;
            }
        }
        Ok(())
    }

    /// Brings a commit of another repository through one of ours that borrows its objects, so that nothing counts that an agent may have
    /// configured there; false: it is not there with all that it builds on.
    fn import_borrowed(&self, repository: &Path, commit: &CommitId) -> Result<bool, GitError> {
        let folder = self.control.scratch_folder()?;
        let objects = repository.join("objects");
        self.borrowing_repository(folder.path(), Some(&objects), commit.as_str())?;
        self.import_from(&folder.path().to_string_lossy(), commit)
    }

    /// Brings the commit of a submodule into the control repository.
    fn bring(&self, submodule: &ActiveSubmodule) -> Result<(), GitError> {
        let commit = &submodule.link.commit;
        let fault = |kind: TroubleKind, why: String, is_nowhere: bool| GitError::Submodule {
            kind,
            path: one_line(&submodule.link.path),
            why,
            is_nowhere,
        };
        if self.has(commit)? {
            return Ok(());
        }
        for repository in submodule.repositories.iter().chain(&submodule.of_agents) {
            if self.import_borrowed(repository, commit).unwrap_or(false) {
                return Ok(());
            }
        }
        // A worktree that goes meanwhile leaves its commits here first.
        if self.has(commit)? {
            return Ok(());
        }
        let mut shallow = submodule.repositories.iter();
        let shallow = shallow.find(|repository| repository.join("shallow").exists());
        let Some(url) = &submodule.url else {
            let why = format!(
                "it has no address, and commit {commit} is not in your repository of it; run `git submodule update --init`"
            );
            return Err(fault(TroubleKind::Other, why, true));
        };
        let shown = one_line(&redact(url));
        let hint = shallow.map_or_else(String::new, |repository| {
            format!(
                "; your repository of it is shallow: `git --git-dir={} fetch --unshallow`",
                repository.display()
            )
        });
        match self.import_from(url, commit) {
            Ok(true) => Ok(()),
            Ok(false) => {
                let why = format!("{shown} does not have commit {commit}; push it there first{hint}");
                Err(fault(TroubleKind::Other, why, true))
            }
            Err(error) => {
                let cause = error.cause();
                let why = format!(
                    "could not {}{hint}; `git submodule update --init` in your checkout helps if your git gets there",
                    cause.text
                );
                Err(fault(cause.kind, why, false))
            }
        }
    }
}

/// Returns true if a path in a folder is a folder, reached through no link.
fn is_real_folder(folder: &Path, inner: &Path) -> bool {
    let is_folder = inner.symlink_metadata().is_ok_and(|found| found.is_dir());
    is_folder
        && inner
            .canonicalize()
            .is_ok_and(|real| real.starts_with(folder) && real == inner)
}

/// The way from a folder to a path, which stays right when a folder above both moves.
fn relative(folder: &Path, to: &Path) -> PathBuf {
    let (mut from, mut rest) = (folder.components().peekable(), to.components().peekable());
    if from.peek() != rest.peek() {
        return to.to_owned();
    }
    while from.peek().is_some() && from.peek() == rest.peek() {
        from.next();
        rest.next();
    }
    let up = from.map(|_| Component::ParentDir);
    up.chain(rest).collect()
}

/// Removes the git folder of a submodule, or the file that points to it.
fn remove_git_entry(entry: &Path) -> Result<(), GitError> {
    if entry.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        return fs::remove_dir_all(entry).map_err(failed("remove", entry));
    }
    remove_if_there(entry)
}
