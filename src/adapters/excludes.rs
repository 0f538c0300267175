//! Keeps this program's folders out of everybody's commits, through the repository's private exclude file, which the main
//! checkout and all linked worktrees share (LK-44). Must never touch `.gitignore`, and depends on no port.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::adapters::text_file;

/// Pattern of the excluded files, from the root of every checkout of the project: everything of ours, settings too. Files that an agent
/// writes there are in no commit the engine makes for it; a person who wants to share settings adds them with `git add -f`. The pattern
/// does not end with a slash: a link in the place counts as well.
pub(crate) const RULE: &str = "/.debussy*";

/// Maximum number of tries to add the rule while others write the same file.
const MAX_TRIES: usize = 16;

/// Error of writing the rules.
#[derive(Debug)]
pub(crate) struct ExcludeError {
    /// Action that was tried, with [`ExcludeError::path`] as its object.
    pub(crate) what: &'static str,
    pub(crate) path: PathBuf,
    pub(crate) why: io::Error,
}

/// Adds the rule for this program's folders.
pub(crate) fn ensure(common: &Path) -> Result<(), ExcludeError> {
    ensure_rule(common, RULE)
}

/// Adds a rule to the exclude file, unless it is there, of the git folder that all worktrees share. All other lines stay as they
/// are. A link in the file's place is replaced by a file, neither read nor written through.
pub(crate) fn ensure_rule(common: &Path, rule: &str) -> Result<(), ExcludeError> {
    let info = common.join("info");
    real_folder(&info).map_err(failed("make the folder", &info))?;
    let path = info.join("exclude");
    for _ in 0..MAX_TRIES {
        let before = read(&path).map_err(failed("read", &path))?;
        let Some(after) = with_rule(&before, rule) else {
            return Ok(());
        };
        // Text that another process wrote meanwhile is not overwritten: the rule is then added to it.
        let is_same = || Ok(read(&path)? == before);
        if text_file::replace_if(&path, &after, is_same).map_err(failed("add the ignore rule to", &path))? {
            return Ok(());
        }
    }
    let why = io::Error::other("another program keeps writing it; try again when that has ended");
    Err(failed("add the ignore rule to", &path)(why))
}

fn failed(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ExcludeError {
    let path = path.to_owned();
    move |why| ExcludeError { what, path, why }
}

fn real_folder(path: &Path) -> io::Result<()> {
    match fs::create_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ if path.symlink_metadata()?.is_dir() => Ok(()),
        _ => Err(io::Error::new(
            io::ErrorKind::NotADirectory,
            "it is a link or a file, not a folder; move it away",
        )),
    }
}

/// The text of the file, which need not be UTF-8; empty when there is none, or a link in its place.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    match path.symlink_metadata() {
        Ok(found) if found.is_file() => text_file::read(path, text_file::LARGEST_WRITTEN),
        Ok(found) if found.is_symlink() => Ok(Vec::new()),
        Ok(_) => Err(io::Error::other("it is not a file; move it away")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// The text with the rule at its end; `None` if it has it.
fn with_rule(text: &[u8], rule: &str) -> Option<Vec<u8>> {
    let mut lines = text.split(|&byte| byte == b'\n');
    if lines.any(|line| line.trim_ascii() == rule.as_bytes()) {
        return None;
    }
    let gap = if text.is_empty() || text.ends_with(b"\n") {
        ""
    } else {
        "\n"
    };
    Some([text, format!("{gap}{rule}\n").as_bytes()].concat())
}
