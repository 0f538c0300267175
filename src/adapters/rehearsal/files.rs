//! File steps: writing, replacing a line, removing, inside the worktree and nowhere else.

use std::fs;
use std::io::Write as _;
use std::path::{Component, Path, PathBuf};

use super::error::RehearsalError;
use crate::adapters::text_file;
use crate::formats::scenario::LineEdit;

/// Writes or appends; folders are made as needed.
pub(super) fn write(worktree: &Path, path: &str, text: &str, append: bool) -> Result<(), RehearsalError> {
    let full = inside(worktree, path)?;
    let written = (|| {
        if let Some(folder) = full.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).append(append).truncate(!append);
        options.open(&full)?.write_all(text.as_bytes())
    })();
    written.map_err(RehearsalError::file("write", &full))
}

pub(super) fn read(worktree: &Path, path: &str) -> Result<String, RehearsalError> {
    let full = inside(worktree, path)?;
    text_file::read_text(&full, text_file::LARGEST_WRITTEN).map_err(RehearsalError::file("read", &full))
}

pub(super) fn remove(worktree: &Path, path: &str) -> Result<(), RehearsalError> {
    let full = inside(worktree, path)?;
    fs::remove_file(&full).map_err(RehearsalError::file("remove", &full))
}

/// The text with the first edit made whose line is there, and that edit; `None` when no line is there.
pub(super) fn edited<'e>(text: &str, edits: &'e [LineEdit]) -> Option<(String, &'e LineEdit)> {
    let edit = edits
        .iter()
        .find(|edit| text.lines().any(|line| line == edit.line))?;
    let mut open = true;
    let lines = text.split_inclusive('\n').map(|line| {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        if !open || bare != edit.line {
            return line.to_owned();
        }
        open = false;
        line.replacen(&edit.line, &edit.with, 1)
    });
    Some((lines.collect(), edit))
}

/// The place of a path, which must stay inside the worktree even through links.
fn inside(worktree: &Path, path: &str) -> Result<PathBuf, RehearsalError> {
    let outside = || RehearsalError::Outside {
        path: path.to_owned(),
    };
    let steps = Path::new(path).components();
    let is_inside = |step: Component<'_>| match step {
        Component::Normal(name) => !name.eq_ignore_ascii_case(".git"),
        other => other == Component::CurDir,
    };
    if path.is_empty() || !steps.into_iter().all(is_inside) {
        return Err(outside());
    }
    let full = worktree.join(path);
    let there = |place: &Path| place.canonicalize().ok();
    let (Some(root), Some(nearest)) = (there(worktree), full.ancestors().find_map(there)) else {
        return Err(outside());
    };
    if nearest.starts_with(root) {
        Ok(full)
    } else {
        Err(outside())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_written_appended_and_removed() {
        let tree = tempfile::tempdir().unwrap();
        write(tree.path(), "a/b.md", "one\n", false).unwrap();
        write(tree.path(), "a/b.md", "two\n", true).unwrap();
        write(tree.path(), "new.md", "x", true).unwrap();
        assert_eq!(read(tree.path(), "a/b.md").unwrap(), "one\ntwo\n");
        remove(tree.path(), "a/b.md").unwrap();
        assert!(matches!(
            read(tree.path(), "a/b.md"),
            Err(RehearsalError::File { act: "read", .. })
        ));
    }

    #[test]
    fn the_first_edit_whose_line_is_there_is_made_once() {
        let edit = |line: &str, with: &str| LineEdit {
            line: line.into(),
            with: with.into(),
        };
        let edits = [edit("x = 1", "x = 2"), edit("y = 1", "y = 2")];
        assert_eq!(edited("y = 1\ny = 1\n", &edits).unwrap().0, "y = 2\ny = 1\n");
        assert_eq!(edited("y = 1\nx = 1", &edits).unwrap().0, "y = 1\nx = 2");
        assert!(edited("xx = 1\n", &edits).is_none());
    }

    #[test]
    fn no_path_leaves_the_worktree() {
        let tree = tempfile::tempdir().unwrap();
        for path in ["", "../x", "a/../../x", "/etc/x", ".git/config", ".GIT/config"] {
            assert!(
                matches!(
                    write(tree.path(), path, "", false),
                    Err(RehearsalError::Outside { .. })
                ),
                "{path}"
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn no_link_leads_out_of_the_worktree() {
        let tree = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(other.path(), tree.path().join("out")).unwrap();
        assert!(matches!(
            write(tree.path(), "out/x", "", false),
            Err(RehearsalError::Outside { .. })
        ));
        assert!(!other.path().join("x").exists());
    }
}
