//! Where a program is: looked for as a shell does, so that a missing one is reported by name, with the folders that were searched,
//! before anything is started.

use std::path::{Path, PathBuf};

/// The file that a program's name leads to; nothing when there is none that can be run. A name with a slash is a path, seen
/// from `folder`; any other is looked for in the folders of `path`.
pub fn find_program(name: &str, folder: &Path, path: &str) -> Option<PathBuf> {
    if Path::new(name).components().count() > 1 || name.contains('/') {
        return runnable(folder.join(name));
    }
    std::env::split_paths(path)
        .filter(|searched| !searched.as_os_str().is_empty())
        .find_map(|searched| runnable(searched.join(name)))
}

/// The file itself, or with one of the ends that Windows adds.
fn runnable(file: PathBuf) -> Option<PathBuf> {
    if cfg!(windows) && file.extension().is_none() {
        let ends = ["exe", "cmd", "bat", "com"].map(|end| file.with_extension(end));
        return ends.into_iter().find(|file| file.is_file());
    }
    is_runnable(&file).then_some(file)
}

#[cfg(unix)]
fn is_runnable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_runnable(file: &Path) -> bool {
    file.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_program_is_found_in_the_path_or_where_its_name_says() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir(root.join("bin")).unwrap();
        for (name, mode) in [("bin/tool", 0o755), ("bin/text", 0o644)] {
            std::fs::write(root.join(name), "#!/bin/sh\n").unwrap();
            std::fs::set_permissions(root.join(name), std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let path = format!("/nowhere::{}", root.join("bin").display());
        let find = |name| find_program(name, root, &path);
        assert_eq!(find("tool"), Some(root.join("bin/tool")));
        assert_eq!(find("./bin/tool"), Some(root.join("./bin/tool")));
        assert_eq!(find("bin/tool"), Some(root.join("bin/tool")));
        for missing in ["text", "bin", "other", "/nowhere/tool", "bin/other"] {
            assert_eq!(find(missing), None, "{missing}");
        }
    }
}
