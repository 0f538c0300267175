//! Registrations of worktrees that a killed git left half-made or half-removed, or that are damaged in another way: an empty `commondir`
//! stops every git in the project, and a missing `.git` or `HEAD` hides a worktree from it. Known content is put back, so that the usual
//! way of removing, with a copy first, works again, as does a project that was moved with its worktrees or without them; only registrations that hold nothing are removed here. Registrations of worktrees that
//! are not ours are left as they are, except for an empty `commondir`.

use std::fs;
use std::path::{Path, PathBuf};

use super::cli::GitCli;
use super::discovery::ProjectRepo;
use super::files::{failed, write_atomically};
use super::inventory::safe_name;
use super::parse::existing_commit;
use super::stale_locks::is_file;
use super::worktree_link::{self, CheckoutDir, read_pointer};
use super::write_lock::WriteGuard;
use crate::ports::git::{AtticOwner, GitError, SafeName, Signature};

/// Text that git writes into its own `commondir`, as seen from a registration.
const COMMON: &str = "../..";
/// Branch of a worktree whose commit is not known; the branch does not exist.
const UNKNOWN_HEAD: &str = "ref: refs/heads/dbs-unknown\n";

/// Text that git writes into `locked` while it makes a worktree.
const BEGUN: &str = "initializing";

/// Extent of the repair of damaged worktrees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RepairScope {
    All,
    /// Registrations only: a folder without `.git` stays as it is, because it is moved aside whole when a worktree is made there.
    Registrations,
}

/// Folder below `worktrees/` of the project's repository, and the worktree it names.
struct Registration {
    git_dir: PathBuf,
    /// Folder of the worktree; none: the registration names none, so that git itself calls it garbage.
    folder: Option<PathBuf>,
    is_ours: bool,
    /// True if the registration names the place that the folder had before the project was moved.
    is_moved: bool,
}

impl Registration {
    fn read(git_dir: PathBuf, project: &ProjectRepo) -> Registration {
        let pointer = read_pointer(&git_dir.join("gitdir")).unwrap_or_default();
        let folder = if pointer.is_empty() {
            let mut roots = project.worktree_roots.iter();
            roots.find_map(|root| pointing_at(&git_dir, root))
        } else {
            git_dir.join(pointer).parent().map(Path::to_path_buf)
        };
        let moved = folder
            .as_ref()
            .and_then(|folder| moved_to(&git_dir, folder, project));
        let is_moved = moved.is_some();
        let folder = moved.or(folder);
        let is_ours = folder
            .as_ref()
            .is_some_and(|folder| worktree_link::is_in_root(project, folder) && safe_name(folder).is_some());
        Registration {
            git_dir,
            folder,
            is_ours,
            is_moved,
        }
    }

    /// Returns whether the files of its worktree were once written completely.
    fn is_ready(&self) -> bool {
        let site = CheckoutDir {
            git_dir: self.git_dir.clone(),
            folder: self.git_dir.clone(),
        };
        site.is_ready()
    }
}

impl GitCli {
    /// Repairs registrations at a start and before a listing: only where something is broken, and without waiting for another process at
    /// work.
    pub(super) fn repair_if_free(&self) {
        if self
            .registrations()
            .iter()
            .any(|one| self.is_broken(one, RepairScope::All))
        {
            let clean = |notes: &str| self.sweep_noted(notes);
            let turn = self
                .project_lock
                .acquire(std::time::Duration::ZERO, clean)
                .map(WriteGuard::finishing_when_dropped);
            if turn.is_ok() {
                self.repair_registrations(RepairScope::All);
            }
        }
    }

    /// Repairs the registrations. Call with the project queue held. If a repair fails, the first call that needs the registration reports
    /// the error.
    pub(super) fn repair_registrations(&self, scope: RepairScope) {
        let registrations = self.registrations();
        for one in registrations.iter().filter(|one| self.is_broken(one, scope)) {
            let name = one.git_dir.display();
            match self.repair(one, scope) {
                Ok(()) => tracing::warn!("repaired the registration {name} of a worktree"),
                Err(error) => tracing::warn!("could not repair {name}: {error}"),
            }
        }
    }

    /// Removes leftovers of a `worktree add` of ours that did not come to its end: no agent has worked there. Call with the project queue
    /// held, for a path that was cleared before. A registration that cannot be removed, or holds more than git makes, stays for a later
    /// repair.
    pub(super) fn undo_half_made(&self, path: &Path) {
        let left = self.registrations().into_iter();
        for one in left.filter(|one| is_of(one, path) && !one.is_ready()) {
            if holds_at_most_link(path)
                && let Err(error) = self.forget_half_made(&one, path)
            {
                tracing::warn!("could not {error}");
            }
        }
        if path.symlink_metadata().is_ok() && holds_at_most_link(path) {
            // A folder that stays is moved aside when its name is wanted.
            drop(remove_bare_link(path).map(|()| fs::remove_dir(path)));
        }
    }

    fn forget_half_made(&self, one: &Registration, path: &Path) -> Result<(), GitError> {
        remove_bare_link(path)?;
        fs::remove_dir_all(&one.git_dir).map_err(failed("remove", &one.git_dir))?;
        // Others may be in it; git does the same.
        drop(fs::remove_dir(self.project.common.join("worktrees")));
        Ok(())
    }

    fn registrations(&self) -> Vec<Registration> {
        let entries = fs::read_dir(self.project.common.join("worktrees"));
        let entries = entries.into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        folders
            .map(|entry| Registration::read(entry.path(), &self.project))
            .collect()
    }

    fn is_broken(&self, one: &Registration, scope: RepairScope) -> bool {
        match &one.folder {
            None => self.is_garbage(one),
            Some(folder) if one.is_ours => {
                let is_unfit = has_no_common(one) || has_no_head(one) || lacks_path(one);
                let has_no_way = || lacks_link(folder) || has_dead_link(folder, &one.git_dir);
                is_unfit || self.has_old_lock(one) || scope == RepairScope::All && has_no_way()
            }
            Some(_) => {
                is_empty_file(&one.git_dir.join("commondir")) && self.is_old(&one.git_dir.join("commondir"))
            }
        }
    }

    fn repair(&self, one: &Registration, scope: RepairScope) -> Result<(), GitError> {
        if has_no_common(one) && one.folder.is_some() {
            write_atomically(&one.git_dir.join("commondir"), &format!("{COMMON}\n"))?;
        }
        let folder = match &one.folder {
            None => return self.put_away(one),
            Some(folder) if one.is_ours => folder,
            Some(_) => return Ok(()),
        };
        if lacks_path(one) {
            let text = format!("{}\n", folder.join(".git").display());
            write_atomically(&one.git_dir.join("gitdir"), &text)?;
        }
        if self.has_old_lock(one) {
            let lock = one.git_dir.join("HEAD.lock");
            fs::remove_file(&lock).map_err(failed("remove", &lock))?;
        }
        if has_no_head(one) {
            if self.is_half_made(one) {
                self.put_away(one)?;
                return remove_bare_link(folder);
            }
            let known = self.last_head(one);
            let text = known.map_or(UNKNOWN_HEAD.to_owned(), |id| format!("{id}\n"));
            write_atomically(&one.git_dir.join("HEAD"), &text)?;
        }
        if scope == RepairScope::All && (lacks_link(folder) || has_dead_link(folder, &one.git_dir)) {
            let text = format!("gitdir: {}\n", one.git_dir.display());
            write_atomically(&folder.join(".git"), &text)?;
        }
        Ok(())
    }

    /// Removes a registration that git cannot use, after keeping the commits that only it remembers.
    fn put_away(&self, one: &Registration) -> Result<(), GitError> {
        let name = one.git_dir.file_name().unwrap_or_default().to_string_lossy();
        let saver = AtticOwner {
            task: SafeName::derive(&name),
            signature: Signature {
                name: "dbs".to_owned(),
                email: "dbs@localhost".to_owned(),
                seconds: 0,
            },
        };
        let head = self.last_head(one).as_deref().and_then(existing_commit);
        self.keep_git_dir(&one.git_dir, head.as_ref(), &saver)?;
        fs::remove_dir_all(&one.git_dir).map_err(failed("remove", &one.git_dir))?;
        // Others may be in it; git does the same.
        drop(fs::remove_dir(self.project.common.join("worktrees")));
        Ok(())
    }

    /// Returns true if a git was killed before the worktree had a commit, or before it was complete: no agent can have worked there.
    fn is_half_made(&self, one: &Registration) -> bool {
        let begun = fs::read_to_string(one.git_dir.join("locked")).is_ok_and(|why| why.trim() == BEGUN);
        !one.is_ready()
            && (self.last_head(one).is_none() || begun && self.is_old(&one.git_dir.join("locked")))
    }

    /// Returns the last commit of a worktree, as far as its files give it, and the project has it.
    fn last_head(&self, one: &Registration) -> Option<String> {
        let own = super::attic::logged(&one.git_dir.join("logs").join("HEAD"));
        let before = fs::read_to_string(one.git_dir.join("ORIG_HEAD")).ok();
        let before = before.and_then(|text| existing_commit(text.trim()));
        own.into_iter().chain(before).map(|id| id.to_string()).find(|id| {
            let call = self.in_project("find the commit of a worktree");
            let call = call.words("cat-file -e").arg(format!("{id}^{{commit}}"));
            call.run().is_ok_and(|output| output.code == Some(0))
        })
    }

    /// Without a path it is garbage to git, too; one that is new may be about to get it, and one that a person locked stays.
    fn is_garbage(&self, one: &Registration) -> bool {
        let lock = fs::read_to_string(one.git_dir.join("locked")).unwrap_or_default();
        let is_locked = !matches!(lock.trim(), "" | BEGUN);
        !is_locked && self.is_old(&one.git_dir)
    }

    /// An agent's git may hold it for a moment.
    fn has_old_lock(&self, one: &Registration) -> bool {
        let lock = one.git_dir.join("HEAD.lock");
        is_file(&lock) && self.is_old(&lock)
    }
}

fn is_empty_file(file: &Path) -> bool {
    file.symlink_metadata()
        .is_ok_and(|found| found.is_file() && found.len() == 0)
}

/// The worktree of ours whose `.git` names that registration.
fn pointing_at(git_dir: &Path, root: &Path) -> Option<PathBuf> {
    let wanted = git_dir.canonicalize().ok()?;
    let mut folders = fs::read_dir(root).ok()?.flatten().map(|entry| entry.path());
    folders.find(|folder| {
        let pointer = read_pointer(&folder.join(".git")).unwrap_or_default();
        let target = pointer.strip_prefix("gitdir: ").map(|target| folder.join(target));
        target.is_some_and(|target| target.canonicalize().is_ok_and(|target| target == wanted))
    })
}

fn lacks_path(one: &Registration) -> bool {
    let file = one.git_dir.join("gitdir");
    one.is_moved || is_empty_file(&file) || file.symlink_metadata().is_err()
}

fn has_no_common(one: &Registration) -> bool {
    let file = one.git_dir.join("commondir");
    is_empty_file(&file) || one.is_ours && file.symlink_metadata().is_err()
}

fn has_no_head(one: &Registration) -> bool {
    let file = one.git_dir.join("HEAD");
    match file.symlink_metadata() {
        Ok(found) if found.is_file() => {
            let text = read_pointer(&file).unwrap_or_default();
            !text.starts_with("ref: refs/") && existing_commit(&text).is_none()
        }
        Ok(_) => false,
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

/// Returns true if a worktree with something in it has no `.git`, or an empty one.
fn lacks_link(folder: &Path) -> bool {
    let link = folder.join(".git");
    let is_missing = match link.symlink_metadata() {
        Ok(_) => is_empty_file(&link),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    };
    let is_real = folder.symlink_metadata().is_ok_and(|found| found.is_dir());
    is_missing && is_real && fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

/// Returns true if the link of a worktree names its registration at a place where nothing is any more: the project was moved.
fn has_dead_link(folder: &Path, git_dir: &Path) -> bool {
    let pointer = read_pointer(&folder.join(".git")).unwrap_or_default();
    let target = pointer.strip_prefix("gitdir: ").map(|target| folder.join(target));
    target.is_some_and(|target| {
        target.file_name() == git_dir.file_name()
            && target.parent().and_then(Path::file_name) == Some("worktrees".as_ref())
            && target.symlink_metadata().is_err()
    })
}

/// The present place of a worktree in the project, where its registration names another one at which nothing is.
fn moved_to(git_dir: &Path, folder: &Path, project: &ProjectRepo) -> Option<PathBuf> {
    if folder.symlink_metadata().is_ok() {
        return None;
    }
    let places = project.worktree_roots.iter();
    let mut places = places.filter_map(|root| Some(root.join(folder.file_name()?)));
    places.find(|place| has_dead_link(place, git_dir))
}

/// Returns whether it is the registration of that folder, or one without a path yet whose name git took from the folder.
fn is_of(one: &Registration, folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default();
    if let Some(named) = &one.folder {
        return one.is_ours && named.file_name() == Some(name);
    }
    let own = one.git_dir.file_name().unwrap_or_default().to_string_lossy();
    let rest = own.strip_prefix(&*name.to_string_lossy());
    rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns whether there is nothing in a folder, or nothing but the link that makes it a worktree.
fn holds_at_most_link(folder: &Path) -> bool {
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    names.map(|entry| entry.file_name()).all(|name| name == ".git")
}

/// Removes the folder of a worktree in which there is nothing but its link.
fn remove_bare_link(folder: &Path) -> Result<(), GitError> {
    let link = folder.join(".git");
    let is_alone = fs::read_dir(folder).is_ok_and(|entries| entries.count() == 1)
        && link.symlink_metadata().is_ok_and(|found| found.is_file());
    if is_alone {
        fs::remove_file(&link).map_err(failed("remove", &link))?;
        fs::remove_dir(folder).map_err(failed("remove", folder))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worktree_without_a_link_names_no_registration_not_even_one_that_is_gone() {
        let root = tempfile::tempdir().unwrap();
        let worktree = root.path().join("a");
        fs::create_dir(&worktree).unwrap();
        let git_dir = root.path().join("registration");
        assert_eq!(pointing_at(&git_dir, root.path()), None);
        fs::create_dir(&git_dir).unwrap();
        assert_eq!(pointing_at(&git_dir, root.path()), None);
        fs::write(worktree.join(".git"), format!("gitdir: {}\n", git_dir.display())).unwrap();
        assert_eq!(pointing_at(&git_dir, root.path()), Some(worktree));
    }
}
