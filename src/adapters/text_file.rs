//! Files that a person or a repository wrote: regular ones only, and never more than so many bytes. Anything else could block the
//! reader (a pipe), have no end (a device) or take all memory.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

/// Most bytes of a file that a person writes by hand: settings, workflows, themes, scenarios.
pub const LARGEST_WRITTEN: u64 = 1024 * 1024;

/// The contents of a regular file of at most `most` bytes. A link is followed.
///
/// # Errors
/// When it cannot be read, is no regular file or is larger.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let facts = file.metadata()?;
    if !facts.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    // It can grow while it is read, so its size alone says nothing.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length <= most) {
        return Ok(bytes);
    }
    Err(io::Error::other(format!("it has more than {most} bytes")))
}

/// The text of a regular file of at most `most` bytes.
///
/// # Errors
/// As [`read`], and when it is no UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let text = String::from_utf8(read(path, most)?);
    text.map_err(|_not_text| io::Error::new(io::ErrorKind::InvalidData, "it is no UTF-8 text"))
}

/// Opening a pipe must not wait for somebody who writes into it.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = nix::fcntl::OFlag::O_NONBLOCK.bits();
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.toml");
        std::fs::write(&file, "Grüße").unwrap();
        assert_eq!(read_text(&file, 7).unwrap(), "Grüße");
        let why = read_text(&file, 6).unwrap_err().to_string();
        assert_eq!(why, "it has more than 6 bytes");
        std::fs::write(&file, b"\xff").unwrap();
        assert!(read_text(&file, 6).unwrap_err().to_string().contains("UTF-8"));
        assert!(read(folder.path(), 6).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_regular_file_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, link) = (folder.path().join("pipe"), folder.path().join("endless"));
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        for file in [&pipe, &link] {
            let why = read(file, 6).unwrap_err().to_string();
            assert_eq!(why, "it is not a regular file", "{}", file.display());
        }
    }
}
