//! A small file system that can be filled, gone with its value. Mounting it takes root, or a sudo that asks nothing. Without
//! either a test of a full disk is left out and says so; in CI it fails instead of passing unseen.
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

/// A mounted one.
pub(crate) struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Over that folder, which is there; so many bytes (`3m`).
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
            // Print macros are not heard from a test that passes.
            let said = "skipped: mounting a small file system needs root; the full disk was not tested\n";
            std::io::stderr().write_all(said.as_bytes()).unwrap();
        }
        is_mounted.then(|| Self(over.into()))
    }

    /// Takes so many bytes of room, or all there is.
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

    /// Gives it back. Removing alone would give it back only when nobody has it open: a process that another test is
    /// starting just now has, until its program runs.
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

/// Whether the command worked, as it is or by sudo.
fn as_root(words: &[&str]) -> bool {
    let did_run = |words: &[&str]| {
        let (program, arguments) = words.split_first().unwrap();
        let output = Command::new(program).args(arguments).output();
        output.is_ok_and(|output| output.status.success())
    };
    did_run(words) || (!geteuid().is_root() && did_run(&[&["sudo", "-n"], words].concat()))
}
