//! Copies of files and folders: by shared blocks where the file system can do that, else by their content; never by hard links, through
//! which a change would show in the original. Links are made again as links, never followed.

use std::fs;
use std::io;
use std::path::Path;

/// Files that only work where they were made: a Python environment and a build folder of `CMake`.
const BOUND: [&str; 2] = ["pyvenv.cfg", "CMakeCache.txt"];

/// Copy of files from one folder to the same paths of another.
pub(super) struct TreeCopy<'a> {
    pub(super) from: &'a Path,
    pub(super) to: &'a Path,
    /// Leaves links out; otherwise they are made again, and those to a path in `from` lead to the same path in `to`.
    pub(super) leaves_out_links: bool,
    /// Refuses folders with files that only work where they were made.
    pub(super) refuses_bound: bool,
}

impl TreeCopy<'_> {
    /// Copies a file or a folder, relative to both. What is there already stays.
    ///
    /// # Errors
    /// When it cannot be read or written. The text names the file.
    pub(super) fn bring(&self, path: &Path) -> io::Result<()> {
        if !is_real_way(self.from, path)? {
            return Ok(());
        }
        let mut above = self.to.to_path_buf();
        for part in path.parent().into_iter().flat_map(Path::components) {
            above.push(part);
            match make_folder(&above) {
                Ok(true) => {}
                // The commit has something else there.
                Ok(false) => return Ok(()),
                Err(error) => return Err(about(&above, &error)),
            }
        }
        self.copy(&self.from.join(path), &self.to.join(path))
    }

    fn copy(&self, source: &Path, target: &Path) -> io::Result<()> {
        let found = match source.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            found => found.map_err(|error| about(source, &error))?,
        };
        if found.is_dir() {
            if !make_folder(target).map_err(|error| about(target, &error))? {
                return Ok(());
            }
            for entry in fs::read_dir(source).map_err(|error| about(source, &error))? {
                let name = entry.map_err(|error| about(source, &error))?.file_name();
                self.copy(&source.join(&name), &target.join(&name))?;
            }
            return Ok(());
        }
        if target.symlink_metadata().is_ok() {
            return Ok(());
        }
        let copied = match found.is_symlink() {
            true if self.leaves_out_links => Ok(()),
            true => self.link_again(source, target),
            false if found.is_file() => self.copy_file(source, &found, target),
            // Pipes, sockets and devices are nothing to copy.
            false => Ok(()),
        };
        copied.map_err(|error| about(source, &error))
    }

    /// Copies beside the target first, so that a copy that is cut off never passes for the file.
    fn copy_file(&self, source: &Path, found: &fs::Metadata, target: &Path) -> io::Result<()> {
        let name = target.file_name().unwrap_or_default();
        if self.refuses_bound && BOUND.iter().any(|bound| name == *bound) {
            return Err(io::Error::other(
                "its folder works only where it was made; make one in each workspace with `workspace.setup`",
            ));
        }
        let mut part = std::ffi::OsString::from(".dbs-part-");
        part.push(name);
        let part = target.with_file_name(part);
        drop(fs::remove_file(&part));
        reflink_copy::reflink_or_copy(source, &part)?;
        fs::set_permissions(&part, found.permissions())?;
        if let Ok(written) = found.modified() {
            let file = fs::File::options().append(true).open(&part);
            // Of a file that may not be written the time stays that of the copy.
            drop(file.and_then(|file| file.set_modified(written)));
        }
        fs::rename(&part, target)
    }

    fn link_again(&self, source: &Path, target: &Path) -> io::Result<()> {
        let aim = fs::read_link(source)?;
        let aim = match aim.strip_prefix(self.from) {
            Ok(inside) => self.to.join(inside),
            Err(_) => aim,
        };
        make_link(&aim, target, source.is_dir())
    }
}

/// Makes a link to a file or folder.
#[cfg(unix)]
pub(super) fn make_link(aim: &Path, link: &Path, _is_folder: bool) -> io::Result<()> {
    std::os::unix::fs::symlink(aim, link)
}

/// Makes a link to a file or folder.
#[cfg(windows)]
pub(super) fn make_link(aim: &Path, link: &Path, is_folder: bool) -> io::Result<()> {
    if is_folder {
        std::os::windows::fs::symlink_dir(aim, link)
    } else {
        std::os::windows::fs::symlink_file(aim, link)
    }
}

/// Makes a folder; false if something else is in its place.
fn make_folder(path: &Path) -> io::Result<bool> {
    match fs::create_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(path.symlink_metadata()?.is_dir()),
        made => made.map(|()| true),
    }
}

/// Returns true if no folder above a path is a link.
fn is_real_way(root: &Path, path: &Path) -> io::Result<bool> {
    let above = path
        .ancestors()
        .skip(1)
        .filter(|above| !above.as_os_str().is_empty());
    for above in above {
        match root.join(above).symlink_metadata() {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(about(&root.join(above), &error)),
        }
    }
    Ok(true)
}

fn about(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    use super::*;

    fn copy<'a>(from: &'a Path, to: &'a Path) -> TreeCopy<'a> {
        TreeCopy {
            from,
            to,
            leaves_out_links: false,
            refuses_bound: true,
        }
    }

    fn folders() -> (tempfile::TempDir, std::path::PathBuf, std::path::PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let (from, to) = (root.path().join("from"), root.path().join("to"));
        fs::create_dir_all(from.join("deps/bin")).unwrap();
        fs::create_dir(&to).unwrap();
        (root, from, to)
    }

    #[test]
    fn a_copy_has_modes_times_and_links_and_is_no_hard_link() {
        let (_root, from, to) = folders();
        let tool = from.join("deps/bin/tool");
        fs::write(&tool, "run").unwrap();
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
        symlink("bin/tool", from.join("deps/tool")).unwrap();
        symlink(from.join("deps/bin"), from.join("deps/own")).unwrap();
        symlink("/usr/bin/env", from.join("deps/env")).unwrap();
        copy(&from, &to).bring(Path::new("deps")).unwrap();
        let (old, new) = (
            fs::metadata(&tool).unwrap(),
            fs::metadata(to.join("deps/bin/tool")).unwrap(),
        );
        assert_eq!(
            (old.mode(), old.modified().unwrap()),
            (new.mode(), new.modified().unwrap())
        );
        assert_eq!(new.nlink(), 1);
        assert_ne!(old.ino(), new.ino());
        let link = |name: &str| fs::read_link(to.join("deps").join(name)).unwrap();
        assert_eq!(link("tool"), Path::new("bin/tool"));
        assert_eq!(link("own"), to.join("deps/bin"));
        assert_eq!(link("env"), Path::new("/usr/bin/env"));
        fs::write(to.join("deps/bin/tool"), "changed").unwrap();
        copy(&from, &to).bring(Path::new("deps")).unwrap();
        assert_eq!(fs::read_to_string(to.join("deps/bin/tool")).unwrap(), "changed");
    }

    #[test]
    fn nothing_is_read_or_written_through_a_link() {
        let (root, from, to) = folders();
        let outside = root.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("secret"), "x").unwrap();
        symlink(&outside, from.join("way")).unwrap();
        fs::create_dir(from.join("conf")).unwrap();
        fs::write(from.join("conf/local"), "y").unwrap();
        symlink(&outside, to.join("conf")).unwrap();
        symlink(outside.join("secret"), from.join("link")).unwrap();
        let plain = TreeCopy {
            leaves_out_links: true,
            ..copy(&from, &to)
        };
        for path in ["way/secret", "conf/local", "link", "conf"] {
            plain.bring(Path::new(path)).unwrap();
        }
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
        assert_eq!(fs::read_dir(&to).unwrap().count(), 1);
    }

    #[test]
    fn an_environment_that_works_only_where_it_was_made_is_refused() {
        let (_root, from, to) = folders();
        fs::write(from.join("deps/pyvenv.cfg"), "home = /usr/bin").unwrap();
        let refused = copy(&from, &to).bring(Path::new("deps")).unwrap_err().to_string();
        assert!(
            refused.contains("pyvenv.cfg") && refused.contains("workspace.setup"),
            "{refused}"
        );
    }
}
