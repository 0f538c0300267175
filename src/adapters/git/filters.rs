//! Programs that convert files on their way to the disk and back (`filter.<name>.clean`, `.smudge`, `.process`): those that the
//! person's own configuration names run, as in any git of theirs; those that only the repository's names never do, and a
//! commit that needs one is refused, because its files would be written unconverted and converted twice later (ADR 0012).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use super::cli::GitCli;
use super::command::GitCommand;
use super::discovery::{self, GitSetting};
use super::error_text::one_line;
use super::files::missing;
use crate::ports::git::{CommitId, GitError};

/// Longest file of attributes that is looked through.
const ATTRIBUTES_LIMIT: usize = 1024 * 1024;

/// Which filters there are, by who named them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FilterSettings {
    /// Settings of the person, system and global, by name: `filter.lfs.smudge`.
    own: BTreeMap<String, String>,
    /// Names of filters that the repository's configuration sets, or sets otherwise than the person.
    foreign: BTreeSet<String>,
}

/// The filters as last read, and the state the repository's configuration had then.
#[derive(Debug, Default)]
pub(super) struct KnownFilters {
    pub(super) settings: FilterSettings,
    seen: Option<(SystemTime, u64)>,
}

impl FilterSettings {
    /// The filters among the settings of a project.
    pub(super) fn among(settings: &[GitSetting]) -> Self {
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

impl KnownFilters {
    /// What was read of a repository just now.
    pub(super) fn read(settings: FilterSettings, common: &Path) -> Self {
        let seen = state_of(common);
        Self { settings, seen }
    }
}

impl GitCli {
    /// The person's own filters for a call, as the project sees them: `includeIf` may tell it and the control repository apart.
    /// LFS files are looked for where the project has them.
    pub(super) fn with_own_filters(&self, mut call: GitCommand) -> GitCommand {
        let mut own = self.filters.lock().settings.own.clone();
        if own.keys().any(|name| name.starts_with("filter.lfs.")) {
            let storage = self.project.common.join("lfs").to_string_lossy().into_owned();
            own.entry("lfs.storage".to_owned()).or_insert(storage);
        }
        call = call.env("GIT_CONFIG_COUNT", own.len().to_string());
        for (number, (name, value)) in own.iter().enumerate() {
            call = call.env(&format!("GIT_CONFIG_KEY_{number}"), name);
            call = call.env(&format!("GIT_CONFIG_VALUE_{number}"), value);
        }
        call
    }

    /// Refuses a commit whose files need a filter that is not run.
    pub(super) fn refuse_foreign_filters(&self, commit: &CommitId) -> Result<(), GitError> {
        match self.foreign_filter(commit.as_str())? {
            Some(why) => Err(GitError::Failed {
                what: format!("write the files of commit {commit}"),
                why,
            }),
            None => Ok(()),
        }
    }

    /// Why the files of a commit or a tree cannot be converted as the project's own git does it, if that is so.
    pub(super) fn foreign_filter(&self, tree: &str) -> Result<Option<String>, GitError> {
        let private = self.project.common.join("info").join("attributes");
        let private = fs::read_to_string(private).unwrap_or_default();
        let is_quiet = {
            let known = self.filters.lock();
            known.settings.foreign.is_empty() && known.seen == state_of(&self.project.common)
        };
        if is_quiet && !private.contains("filter=") {
            return Ok(None);
        }
        let settings = discovery::filters(&self.program, &self.project)
            .map_err(|error| missing("the filters of the project", error.to_string()))?;
        let found = KnownFilters::read(settings.clone(), &self.project.common);
        *self.filters.lock() = found;
        let own: BTreeSet<&str> = settings.own.keys().filter_map(|name| filter_of(name)).collect();
        for name in filters_in(&private) {
            if settings.foreign.contains(name) || own.contains(name) {
                let shown = one_line(name);
                return Ok(Some(format!(
                    "filter {shown} is asked for by .git/info/attributes, which agents can change, so it is not run; move \
                     the line to .gitattributes or to your own file of attributes (core.attributesFile)"
                )));
            }
        }
        if settings.foreign.is_empty() {
            return Ok(None);
        }
        let wanted = self.filters_wanted_by(tree)?;
        let found = wanted.iter().find(|name| settings.foreign.contains(*name));
        Ok(found.map(|name| {
            let name = one_line(name);
            format!(
                "filter {name} is set in the repository's own configuration, which agents can change, so it is not run, and \
                 without it the files would be wrong; set it in yours (`git config --global filter.{name}.smudge ...`) and \
                 unset it there, or take `filter={name}` out of .gitattributes"
            )
        }))
    }

    fn filters_wanted_by(&self, tree: &str) -> Result<BTreeSet<String>, GitError> {
        let call = self.in_control("look for files of attributes")?;
        let call = call.words("ls-tree -r -z --full-tree --end-of-options");
        let output = call.arg(tree).run_ok()?;
        let text = output.text();
        let mut wanted = BTreeSet::new();
        for entry in text.split('\0') {
            let Some((kind, path)) = entry.split_once('\t') else {
                continue;
            };
            if path != ".gitattributes" && !path.ends_with("/.gitattributes") {
                continue;
            }
            let Some(id) = kind.split(' ').nth(2) else {
                continue;
            };
            let call = self
                .in_control("read a file of attributes")?
                .limit(ATTRIBUTES_LIMIT);
            let blob = call.words("cat-file blob").arg(id).run_ok()?;
            wanted.extend(filters_in(&blob.text()).map(str::to_owned));
        }
        Ok(wanted)
    }
}

/// `lfs` of `filter.lfs.smudge`.
fn filter_of(setting: &str) -> Option<&str> {
    let name = setting.strip_prefix("filter.")?;
    name.rsplit_once('.').map(|(name, _)| name)
}

/// The filters that lines of attributes ask for, macros included.
fn filters_in(attributes: &str) -> impl Iterator<Item = &str> {
    let lines = attributes
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    let words = lines.flat_map(|line| line.split([' ', '\t', '\r']));
    words.filter_map(|word| word.strip_prefix("filter="))
}

fn state_of(common: &Path) -> Option<(SystemTime, u64)> {
    let found = common.join("config").metadata().ok()?;
    Some((found.modified().ok()?, found.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(given: &[(&str, &str, &str)]) -> FilterSettings {
        let own = |text: &str| text.to_owned();
        let all: Vec<GitSetting> = given.iter().map(|(a, b, c)| (own(a), own(b), own(c))).collect();
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
    fn filters_are_found_among_attributes_and_in_macros() {
        let text =
            "# filter=none\n*.bin filter=lfs diff=lfs -text\r\n[attr]secret\tfilter=crypt\n*.txt -filter\n";
        assert_eq!(filters_in(text).collect::<Vec<_>>(), ["lfs", "crypt"]);
    }
}
