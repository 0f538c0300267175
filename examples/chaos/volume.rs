//! Disk of the campaign's own, in a file: it can be full, and it can lose its power. Without permission to mount there is none.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use nix::fcntl::{FallocateFlags, fallocate};

use crate::faults::wait_for;

/// Size of the disk. The file is sparse.
const SIZE: u64 = 4 * 1024 * 1024 * 1024;
/// Longest time that a disk may be busy after everything that used it was killed.
const BUSY_LIMIT: Duration = Duration::from_secs(20);
/// Perl script that makes a mounted ext4 stop at once without writing buffered data (`EXT4_IOC_SHUTDOWN`, `EXT4_GOING_FLAGS_NOLOGFLUSH`).
const CUT: &str = r#"open(my $disk, "<", $ARGV[0]) or die $!; my $how = pack("L", 2); defined ioctl($disk, 0x8004587d, $how) or die $!;"#;

/// Place of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Disk {
    /// On a disk of the campaign's own, if one can be mounted.
    Own,
    /// In a folder of a shared disk.
    Shared,
}

/// Mounted disk.
pub(crate) struct Volume {
    image: PathBuf,
    folder: PathBuf,
    keep: bool,
}

impl Volume {
    /// Creates a disk and mounts it in the folder.
    pub(crate) fn new(root: &Path, keep: bool) -> Result<Volume, String> {
        let volume = Volume {
            image: root.join("disk.img"),
            folder: root.join("disk"),
            keep,
        };
        let failed = |error: std::io::Error| error.to_string();
        fs::create_dir_all(&volume.folder).map_err(failed)?;
        let file = File::create(&volume.image).map_err(failed)?;
        file.set_len(SIZE).map_err(failed)?;
        let image = volume.image.display().to_string();
        // No blocks are reserved for the administrator, so a full disk is full for every user.
        run("mkfs.ext4", &["-q", "-F", "-m", "0", &image])?;
        volume.mount()?;
        Ok(volume)
    }

    fn mount(&self) -> Result<(), String> {
        let (image, folder) = self.words();
        run("mount", &["-o", "loop,noatime", &image, &folder])
    }

    fn words(&self) -> (String, String) {
        (
            self.image.display().to_string(),
            self.folder.display().to_string(),
        )
    }

    /// Fills all free space.
    pub(crate) fn fill(&self) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("could not fill the disk: {error}");
        let file = File::create(self.filler()).map_err(failed)?;
        let mut end = 0;
        let mut piece = 1_i64 << 30;
        while piece >= 4096 {
            if fallocate(&file, FallocateFlags::empty(), end, piece).is_ok() {
                end += piece;
            } else {
                piece /= 2;
            }
        }
        Ok(())
    }

    /// Frees the space again.
    pub(crate) fn free(&self) -> Result<(), String> {
        fs::remove_file(self.filler()).map_err(|error| format!("could not free the disk: {error}"))
    }

    fn filler(&self) -> PathBuf {
        self.folder.join("filler")
    }

    /// Loses unsynced data, as in a power failure, and mounts the disk again. No process may use it any more.
    pub(crate) fn cut_power(&self) -> Result<(), String> {
        let (_, folder) = self.words();
        run("perl", &["-e", CUT, &folder])?;
        self.unmount()?;
        self.mount()?;
        // The removal of the filler may have been lost with the power.
        if self.filler().exists() {
            self.free()?;
        }
        Ok(())
    }

    fn unmount(&self) -> Result<(), String> {
        let (_, folder) = self.words();
        let mut last = Ok(());
        wait_for(BUSY_LIMIT, || {
            last = run("umount", &[&folder]);
            last.is_ok()
        });
        last
    }
}

impl Drop for Volume {
    fn drop(&mut self) {
        if self.keep {
            println!("still mounted: {}", self.folder.display());
        } else if let Err(why) = self.unmount() {
            eprintln!("{why}");
        }
    }
}

fn run(program: &str, arguments: &[&str]) -> Result<(), String> {
    let failed = |why: String| format!("could not run {program} {}: {why}", arguments.join(" "));
    let output = Command::new(program)
        .args(arguments)
        .output()
        .map_err(|error| failed(error.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}
