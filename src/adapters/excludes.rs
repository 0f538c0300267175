//! Keeps this program's folders out of everybody's commits, through the repository's private exclude file, which the main
//! checkout and all linked worktrees share (LK-44). Must never touch `.gitignore`, and knows no port.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// What is excluded, one rule a line, from the root of every checkout of the project. Settings, workflows, layouts and themes
/// in `.debussy` are the project's own and can be added. No rule ends with a slash: a link in the place counts as well.
pub(crate) const RULES: &str =
    "/.debussy/dbs\n/.debussy/backups\n/.debussy/logs\n/.debussy/investigations\n/.debussy-worktrees";

/// Why the rules could not be written.
#[derive(Debug)]
pub(crate) struct ExcludeError {
    /// What was tried, with [`ExcludeError::path`] as its object.
    pub(crate) what: &'static str,
    pub(crate) path: PathBuf,
    pub(crate) why: io::Error,
}

/// Adds the rules that are missing to the exclude file of the git folder that all worktrees share. All other lines stay as they
/// are. A link in the file's place is replaced by a file, neither read nor written through.
pub(crate) fn ensure(common: &Path) -> Result<(), ExcludeError> {
    let info = common.join("info");
    real_folder(&info).map_err(failed("make the folder", &info))?;
    let path = info.join("exclude");
    loop {
        let before = read(&path).map_err(failed("read", &path))?;
        let Some(after) = with_rules(&before) else {
            return Ok(());
        };
        // What somebody else wrote meanwhile is not overwritten: the rules are then added to that.
        if replace(&path, &before, &after).map_err(failed("add ignore rules to", &path))? {
            return Ok(());
        }
    }
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

/// The text of the file, which need not be UTF-8; empty when there is none.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    match path.symlink_metadata() {
        Ok(found) if found.is_file() => fs::read(path),
        Ok(found) if found.is_symlink() => Ok(Vec::new()),
        Ok(_) => Err(io::Error::other("it is no file; move it away")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// The text with the missing rules at its end; none when it has them all.
fn with_rules(text: &[u8]) -> Option<Vec<u8>> {
    let has = |rule: &&str| {
        text.split(|&byte| byte == b'\n')
            .any(|line| line.trim_ascii() == rule.as_bytes())
    };
    let missing: Vec<&str> = RULES.lines().filter(|rule| !has(rule)).collect();
    let gap = if text.is_empty() || text.ends_with(b"\n") {
        ""
    } else {
        "\n"
    };
    let addition = format!("{gap}{}\n", missing.join("\n"));
    (!missing.is_empty()).then(|| [text, addition.as_bytes()].concat())
}

/// Puts a whole new file in the place of the old one, with its permissions; false when the text is not `before` any more.
fn replace(path: &Path, before: &[u8], after: &[u8]) -> io::Result<bool> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(path.parent().unwrap_or(path))?;
    file.write_all(after)?;
    if let Ok(found) = path.symlink_metadata()
        && found.is_file()
    {
        file.as_file().set_permissions(found.permissions())?;
    }
    file.as_file().sync_all()?;
    if read(path)? != before {
        return Ok(false);
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(true)
}
