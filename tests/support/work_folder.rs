//! Folder in which tests make their repositories and databases: thousands of small files, which on a disk take a quarter of the time of all
//! tests.

use std::path::{Path, PathBuf};

/// Returns a folder in memory if the system has one that allows programs to run and has room, unless `TMPDIR` is set; otherwise the
/// temporary folder.
#[expect(
    clippy::disallowed_methods,
    reason = "the tests' door: reads where a person wants temporary files"
)]
pub(crate) fn work_folder() -> PathBuf {
    let memory = Path::new("/dev/shm");
    if std::env::var_os("TMPDIR").is_none() && is_usable(memory) {
        memory.to_owned()
    } else {
        std::env::temp_dir()
    }
}

/// Returns true if programs may run in a folder and several GiB are free there: tests take less than two at a time.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn is_usable(folder: &Path) -> bool {
    use nix::sys::statvfs::{FsFlags, statvfs};
    const ROOM: u64 = 4 << 30;
    statvfs(folder).is_ok_and(|found| {
        let room = found.blocks_available() * found.fragment_size();
        room >= ROOM && !found.flags().intersects(FsFlags::ST_NOEXEC | FsFlags::ST_RDONLY)
    })
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn is_usable(_folder: &Path) -> bool {
    false
}
