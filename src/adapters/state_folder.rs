//! Folder of a project's state: inside the git folder that all its checkouts share, because no git command that people or agents run in a
//! checkout (`clean -fdx`, `stash -a`, `checkout`) reaches there. Depends on no port and runs nothing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Name of the folder in the git folder, for the main checkout.
const MAIN: &str = "dbs";
/// Name of the folder in the git folder that has one folder for each linked worktree with a board of its own.
const LINKED: &str = "dbs-worktrees";

/// The folder of a project's state. `common` is the git folder that all checkouts share, `git_dir` the one of this checkout. A linked
/// worktree goes by the name of its registration, which stays the same when the worktree is moved.
pub(crate) fn of(common: &Path, git_dir: &Path) -> PathBuf {
    let registered = git_dir.parent() == Some(&common.join("worktrees"));
    match git_dir.file_name() {
        Some(name) if registered => common.join(LINKED).join(name),
        _ => common.join(MAIN),
    }
}

/// Returns a builder of folders that are closed to others. On Windows a person's own folders are private already.
pub(crate) fn private_folder() -> fs::DirBuilder {
    #[cfg(unix)]
    {
        let mut builder = fs::DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
    }
    #[cfg(not(unix))]
    fs::DirBuilder::new()
}

/// Makes renamed and created entries in the folder of `path` survive a power loss.
///
/// # Errors
/// When the system cannot do that.
pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        fs::File::open(folder)?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_linked_worktree_has_a_folder_of_its_own_beside_the_one_of_the_main_checkout() {
        let common = Path::new("/shop/.git");
        assert_eq!(of(common, common), Path::new("/shop/.git/dbs"));
        let linked = of(common, Path::new("/shop/.git/worktrees/two"));
        assert_eq!(linked, Path::new("/shop/.git/dbs-worktrees/two"));
    }
}
