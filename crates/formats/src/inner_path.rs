//! Paths in files of a project, which must stay inside the project.

use std::path::{Component, Path};

/// Returns the reason why a path would leave its folder, or `None` when it stays inside. Links are not looked at.
pub fn escape_reason(path: &str) -> Option<&'static str> {
    if path.trim().is_empty() {
        return Some("is empty");
    }
    // A drive or a backslash is harmless on one system and leaves the worktree on another.
    if path.contains(['\\', ':']) {
        return Some("has a backslash or a colon; write it with `/`");
    }
    Path::new(path)
        .components()
        .find_map(|component| match component {
            Component::Normal(name) if name.eq_ignore_ascii_case(".git") => Some("reaches into `.git`"),
            Component::Normal(_) | Component::CurDir => None,
            Component::ParentDir => Some("goes up with `..`"),
            Component::RootDir | Component::Prefix(_) => Some("is absolute"),
        })
}
