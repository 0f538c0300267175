//! Settings of programs that convert files (`filter.<name>.clean`, `.smudge`, `.process`), with their origin: the person or the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::files::{FileState, file_state};

/// Filters by the origin of their settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FilterSettings {
    /// Settings of the person, system and global, by name: `filter.lfs.smudge`.
    pub(super) own: BTreeMap<String, String>,
    /// Names of filters that the repository's configuration sets, or sets differently from the person.
    pub(super) foreign: BTreeSet<String>,
}

impl FilterSettings {
    /// The filters among the settings of a project: scope, name and value of each.
    pub(super) fn among(settings: &[(String, String, String)]) -> Self {
        let mut found = Self::default();
        let is_filter = |name: &str| name.starts_with("filter.") || name == "lfs.storage";
        for (scope, name, value) in settings.iter().filter(|(_, name, _)| is_filter(name)) {
            if matches!(&**scope, "system" | "global") {
                found.own.insert(name.clone(), value.clone());
            }
        }
        for (scope, name, value) in settings.iter().filter(|(_, name, _)| name.starts_with("filter.")) {
            let is_repositorys = matches!(&**scope, "local" | "worktree");
            if is_repositorys && found.own.get(name) != Some(value) {
                found.foreign.extend(filter_of(name).map(str::to_owned));
            }
        }
        found
    }
}

/// The filters as last read, and the state the repository's configuration had then.
#[derive(Debug, Default)]
pub(super) struct KnownFilters {
    pub(super) settings: FilterSettings,
    seen: [FileState; 2],
}

impl KnownFilters {
    /// Creates it from the settings that were just read from a repository.
    pub(super) fn read(settings: FilterSettings, common: &Path) -> Self {
        let seen = state_of(common);
        Self { settings, seen }
    }

    /// Returns true if the configuration of that repository has not changed since.
    pub(super) fn is_current(&self, common: &Path) -> bool {
        self.seen == state_of(common)
    }
}

/// `lfs` of `filter.lfs.smudge`.
pub(super) fn filter_of(setting: &str) -> Option<&str> {
    let name = setting.strip_prefix("filter.")?;
    name.rsplit_once('.').map(|(name, _)| name)
}

/// The state of the files of configuration that belong to a repository itself.
fn state_of(common: &Path) -> [FileState; 2] {
    ["config", "config.worktree"].map(|name| file_state(&common.join(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(given: &[(&str, &str, &str)]) -> FilterSettings {
        let own = |text: &str| text.to_owned();
        let all: Vec<_> = given.iter().map(|(a, b, c)| (own(a), own(b), own(c))).collect();
        FilterSettings::among(&all)
    }

    #[test]
    fn a_filter_is_foreign_only_where_the_repository_says_something_of_its_own() {
        let lfs = ("global", "filter.lfs.smudge", "git-lfs smudge -- %f");
        assert!(settings(&[lfs]).foreign.is_empty());
        let same = ("local", lfs.1, lfs.2);
        assert!(settings(&[lfs, same]).foreign.is_empty());
        let other = ("local", lfs.1, "evil");
        assert_eq!(
            settings(&[lfs, other]).foreign.into_iter().collect::<Vec<_>>(),
            ["lfs"]
        );
        let alone = ("worktree", "filter.a.b.clean", "x");
        assert_eq!(
            settings(&[alone]).foreign.into_iter().collect::<Vec<_>>(),
            ["a.b"]
        );
        assert!(settings(&[alone]).own.is_empty());
    }

    #[test]
    fn each_file_of_configuration_that_changes_is_noticed() {
        let common = tempfile::tempdir().unwrap();
        for name in ["config", "config.worktree"] {
            let known = KnownFilters::read(FilterSettings::default(), common.path());
            assert!(known.is_current(common.path()));
            std::fs::write(common.path().join(name), "[filter \"x\"]\n").unwrap();
            assert!(!known.is_current(common.path()), "{name}");
        }
    }
}
