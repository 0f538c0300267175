//! Hooks that configurations name, as they were last read.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

use super::files::{FileState, file_state};

/// The first version that runs hooks by configuration.
const FIRST_VERSION: (u32, u32) = (2, 54);

/// Names of hooks as last read, and the state that the files had then.
#[derive(Debug, Default)]
pub(super) struct KnownHooks {
    /// Settings that switch them off, each without its value.
    pub(super) keys: BTreeSet<OsString>,
    pub(super) seen: Vec<(PathBuf, FileState)>,
}

impl KnownHooks {
    /// Returns whether none of the files has changed since.
    pub(super) fn is_current(&self) -> bool {
        !self.seen.is_empty() && self.seen.iter().all(|(file, state)| file_state(file) == *state)
    }
}

/// Returns whether that version of git runs hooks by configuration.
pub(super) fn are_known_to(version: &str) -> bool {
    let mut parts = version.split('.').map(str::parse::<u32>);
    let version = (parts.next(), parts.next());
    matches!(version, (Some(Ok(major)), Some(Ok(minor))) if (major, minor) >= FIRST_VERSION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_by_configuration_are_known_from_2_54_on() {
        for (version, known) in [
            ("2.53.1", false),
            ("2.54.0", true),
            ("2.55.GIT", true),
            ("3.0", true),
            ("x", false),
        ] {
            assert_eq!(are_known_to(version), known, "{version}");
        }
    }
}
