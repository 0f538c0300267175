//! Small file system that can be filled, and that is unmounted with its value. Mounting it takes root, or a sudo without a password.
//! Without either, a test of a full disk is skipped and says so; in CI it fails instead of passing unnoticed.
#![expect(
    clippy::disallowed_methods,
    reason = "the door: mounts a small file system, and asks whether this is CI"
)]
#![expect(clippy::unwrap_used, reason = "a disk that cannot be filled is a failed test")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::unistd::{getegid, geteuid};

/// Mounted small file system.
pub(crate) struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts it over that folder, which exists, with that size (`3m`).
    pub(crate) fn mount(over: &Path, size: &str) -> Option<Self> {
        let options = format!("size={size},mode=0700,uid={},gid={}", geteuid(), getegid());
        let over = over.to_str().unwrap();
        let is_mounted = as_root(&["mount", "-t", "tmpfs", "-o", &options, "tmpfs", over]);
        let is_needed = cfg!(target_os = "linux") && std::env::var_os("CI").is_some();
        assert!(
            is_mounted || !is_needed,
            "CI must be able to mount a small file system"
        );
        if !is_mounted {
            // The output of print macros is not shown for a test that passes.
            let said = "skipped: mounting a small file system needs root; the full disk was not tested\n";
            std::io::stderr().write_all(said.as_bytes()).unwrap();
        }
        is_mounted.then(|| Self(over.into()))
    }

    /// Fills up to that many bytes, or all the free space.
    pub(crate) fn fill(&self, most: u64) {
        let mut filler = fs::File::create(self.0.join("filler")).unwrap();
        let mut left = most;
        for size in [1 << 20, 1 << 16, 1 << 12, 1] {
            let block = vec![7; usize::try_from(size).unwrap()];
            while left >= size && filler.write_all(&block).is_ok() {
                left -= size;
            }
        }
    }

    /// Frees the space. Removal alone would free it only once the file is open nowhere: a process that another test is starting has it open
    /// until its program runs.
    pub(crate) fn free(&self) {
        let filler = self.0.join("filler");
        fs::File::create(&filler).unwrap();
        fs::remove_file(filler).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        as_root(&["umount", "-l", self.0.to_str().unwrap()]);
    }
}

/// Returns true if the command worked, directly or through sudo.
fn as_root(words: &[&str]) -> bool {
    let did_run = |words: &[&str]| {
        let (program, arguments) = words.split_first().unwrap();
        let output = Command::new(program).args(arguments).output();
        output.is_ok_and(|output| output.status.success())
    };
    did_run(words) || (!geteuid().is_root() && did_run(&[&["sudo", "-n"], words].concat()))
}
