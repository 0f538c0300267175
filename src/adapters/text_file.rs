//! Files that a person or a repository wrote: regular ones only, and never more than a limited number of bytes. Anything else could block
//! the reader (a pipe), have no end (a device) or take all memory.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use serde::Serialize;
use tempfile::NamedTempFile;

/// Maximum number of bytes of a file that a person writes by hand: settings, workflows, themes, scenarios.
pub const LARGEST_WRITTEN: u64 = 1024 * 1024;

/// Mode of a file that is closed to others.
const PRIVATE: u32 = 0o600;

/// Begin of the names of files that are being written.
pub(crate) const UNFINISHED: &str = ".tmp";

/// Mark that some editors put before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The contents of a regular file of at most `most` bytes. A link is followed.
///
/// # Errors
/// When it cannot be read, is not a regular file or is larger.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let mut bytes = Vec::new();
    // It can grow while it is read, so its size alone says nothing.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length <= most) {
        return Ok(bytes);
    }
    Err(io::Error::other(format!("it has more than {most} bytes")))
}

/// The text of a regular file of at most `most` bytes, without the byte order mark that some editors put before it.
///
/// # Errors
/// As [`read`], and when it is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    decode(read(path, most)?).map_err(|why| io::Error::new(io::ErrorKind::InvalidData, why))
}

/// Decodes the bytes of a file as text, without a byte order mark.
///
/// # Errors
/// When they are not UTF-8; says what to do.
pub fn decode(bytes: Vec<u8>) -> Result<String, &'static str> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err("it is UTF-16 text; save it as UTF-8");
    }
    let mut text = String::from_utf8(bytes).map_err(|_not_text| "it is not UTF-8 text")?;
    if text.starts_with(BYTE_ORDER_MARK) {
        text.drain(..BYTE_ORDER_MARK.len_utf8());
    }
    Ok(text)
}

/// Puts other bytes in the place of those a file had when it was read: all of them or none, with its permissions.
///
/// # Errors
/// When it has changed since then, or cannot be written.
pub fn replace_unchanged(path: &Path, old: &[u8], new: &[u8]) -> io::Result<()> {
    if read(path, old.len() as u64).ok().as_deref() != Some(old) {
        return Err(io::Error::other("it was changed meanwhile"));
    }
    replace(path, new)
}

/// Returns the last bytes of a regular file, `most` at most, and whether others come before them. A link is followed.
///
/// # Errors
/// When it cannot be read or is not a regular file.
pub fn tail(path: &Path, most: u64) -> io::Result<(Vec<u8>, bool)> {
    let mut file = open(path)?;
    let before = file.metadata()?.len().saturating_sub(most);
    file.seek(SeekFrom::Start(before))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok((bytes, before > 0))
}

/// Replaces a file by these bytes: whatever happens meanwhile, a reader gets either all of the earlier content or all of the new one. A link
/// in the way is replaced, not followed; permissions stay as they are.
///
/// # Errors
/// When it cannot be written.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_if(path, bytes, || Ok(true)).map(drop)
}

/// Replaces a file in the same way if `is_wanted` still agrees when the new one is complete. Returns true if it did.
///
/// # Errors
/// When it cannot be written, and those of `is_wanted`.
pub(crate) fn replace_if(
    path: &Path,
    bytes: &[u8],
    is_wanted: impl FnOnce() -> io::Result<bool>,
) -> io::Result<bool> {
    let file = filled(path, bytes, 0o666)?;
    if let Ok(earlier) = path.symlink_metadata()
        && earlier.is_file()
    {
        #[cfg(unix)]
        keep_owner(file.as_file(), &earlier);
        file.as_file().set_permissions(earlier.permissions())?;
    }
    file.as_file().sync_all()?;
    let is_wanted = is_wanted()?;
    if is_wanted {
        file.persist(path).map_err(|failure| failure.error)?;
    }
    Ok(is_wanted)
}

/// Gives a file to the owner of the earlier one, where the system allows that.
#[cfg(unix)]
fn keep_owner(file: &File, earlier: &std::fs::Metadata) {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    drop(fchown(file, Some(earlier.uid()), Some(earlier.gid())));
}

/// Replaces a file that holds a secret in the same way: it is closed to others afterwards, whatever its permissions were.
///
/// # Errors
/// When it cannot be written.
pub fn replace_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = filled(path, bytes, PRIVATE)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|failure| failure.error)?;
    Ok(())
}

/// Replaces a private file without waiting for the disk: after a power loss it may be empty.
///
/// # Errors
/// When it cannot be written.
pub fn replace_private_unsynced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = filled(path, bytes, PRIVATE)?;
    file.persist(path).map(drop).map_err(|failure| failure.error)
}

/// Writes a private file that must not exist yet.
///
/// # Errors
/// When there is one, or it cannot be written.
pub fn create_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = filled(path, bytes, PRIVATE)?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|failure| failure.error)?;
    Ok(())
}

/// Returns an unfinished file with these bytes beside the path.
#[cfg_attr(not(unix), expect(unused_variables, reason = "only Unix has modes of files"))]
fn filled(path: &Path, bytes: &[u8], mode: u32) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    let mut file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(bytes)?;
    Ok(file)
}

/// Keeps a value as JSON that is only of use later; a failure is logged.
pub fn keep_json(path: &Path, value: &impl Serialize) {
    let kept = serde_json::to_vec(value).map_err(io::Error::from);
    if let Err(error) = kept.and_then(|text| replace(path, &text)) {
        tracing::warn!("could not keep {}: {error}", path.display());
    }
}

/// Opens a regular file for reading. A link is followed.
///
/// # Errors
/// When it cannot be opened or is not a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    let file = open_at_once(path).map_err(in_plain_words)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

/// Returns the error in words that people understand.
pub(crate) fn in_plain_words(error: io::Error) -> io::Error {
    let words = match error.kind() {
        io::ErrorKind::NotFound => "it is not there",
        io::ErrorKind::PermissionDenied => "its permissions do not allow it",
        _ => return error,
    };
    io::Error::new(error.kind(), words)
}

/// Opens without waiting, because opening a pipe must not wait for a writer.
#[cfg(unix)]
fn open_at_once(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = nix::fcntl::OFlag::O_NONBLOCK.bits();
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
fn open_at_once(path: &Path) -> io::Result<File> {
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
        std::fs::write(&file, "abcdef").unwrap();
        assert_eq!(tail(&file, 4).unwrap(), (b"cdef".to_vec(), true));
        assert_eq!(tail(&file, 6).unwrap(), (b"abcdef".to_vec(), false));
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_and_not_when_it_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, "one").unwrap();
        replace_unchanged(&file, b"one", b"two, longer").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"two, longer");
        for old in [&b"one"[..], b"two, longer and more", b""] {
            let why = replace_unchanged(&file, old, b"three").unwrap_err().to_string();
            assert_eq!(why, "it was changed meanwhile");
        }
        assert_eq!(std::fs::read(&file).unwrap(), b"two, longer");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_text_and_other_encodings_are_named() {
        assert_eq!(decode(b"\xef\xbb\xbfa = 1".to_vec()).unwrap(), "a = 1");
        for utf16 in [&b"\xff\xfea\0"[..], b"\xfe\xff\0a"] {
            assert_eq!(
                decode(utf16.to_vec()).unwrap_err(),
                "it is UTF-16 text; save it as UTF-8"
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_regular_file_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, link) = (folder.path().join("pipe"), folder.path().join("endless"));
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        for file in [&pipe, &link] {
            for why in [read(file, 6).unwrap_err(), tail(file, 6).unwrap_err()] {
                assert_eq!(why.to_string(), "it is not a regular file", "{}", file.display());
            }
        }
    }

    /// Puts one file after the other in the place of another, as often as it can, until the work is done.
    #[cfg(unix)]
    fn while_replaced<T>(target: &Path, by: &[&Path], work: impl FnOnce() -> T) -> T {
        // Dropped also by a check that fails, so that no caller replaces without an end.
        let running = std::sync::Arc::new(());
        let is_running = std::sync::Arc::downgrade(&running);
        std::thread::scope(|scope| {
            let running = running;
            let replacing = scope.spawn(|| {
                let spare = target.with_extension("spare");
                while is_running.strong_count() > 0 {
                    for file in by {
                        std::fs::hard_link(file, &spare).unwrap();
                        std::fs::rename(&spare, target).unwrap();
                    }
                }
            });
            let done = work();
            drop(running);
            replacing.join().unwrap();
            done
        })
    }

    #[cfg(unix)]
    #[test]
    fn what_was_looked_at_is_what_is_read_though_the_file_is_swapped_for_something_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("text"), "text").unwrap();
        nix::unistd::mkfifo(&path("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        std::os::unix::fs::symlink("/dev/null", path("link")).unwrap();
        std::fs::hard_link(path("text"), path("target")).unwrap();
        let by = [&*path("pipe"), &path("text"), &path("link"), &path("text")];
        let mut refused = 0;
        while_replaced(&path("target"), &by, || {
            let mut read_well = 0;
            while read_well < 2_000 || refused < 200 {
                match read_text(&path("target"), 100) {
                    Ok(text) => {
                        assert_eq!(text, "text", "after {read_well} times");
                        read_well += 1;
                    }
                    Err(why) => {
                        assert_eq!(why.to_string(), "it is not a regular file");
                        refused += 1;
                    }
                }
            }
        });
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_replaced_while_it_is_read_gives_one_version_and_no_more_than_its_limit() {
        const LENGTH: usize = 300_000;
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for version in ["a", "b"] {
            std::fs::write(path(version), version.repeat(LENGTH)).unwrap();
        }
        std::fs::write(path("long"), "c".repeat(LENGTH + 1)).unwrap();
        std::fs::hard_link(path("a"), path("target")).unwrap();
        let by = [&*path("b"), &path("long"), &path("a")];
        while_replaced(&path("target"), &by, || {
            let mut seen = [0; 3];
            while seen.iter().any(|times| *times < 50) {
                let version = match read(&path("target"), LENGTH as u64) {
                    Ok(bytes) => {
                        assert_eq!(bytes.len(), LENGTH);
                        let first = bytes[0];
                        assert!(bytes.iter().all(|byte| *byte == first), "two versions in one");
                        usize::from(first - b'a')
                    }
                    Err(why) => {
                        assert_eq!(why.to_string(), format!("it has more than {LENGTH} bytes"));
                        2
                    }
                };
                seen[version] += 1;
            }
        });
    }
}
