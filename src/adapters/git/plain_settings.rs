//! Settings for the git of agents that judge work. They read in the project's repository, whose configuration other agents can write:
//! with these settings git shows commits as they are, and starts no program that a configuration names.

use std::collections::BTreeMap;

use super::cli::GitCli;
use super::config_entries::ConfigEntry;
use super::filter_settings::FilterSettings;
use super::program_keys;
use crate::ports::git::GitError;

/// Settings that hold whatever the configuration says. An alias or an attribute of a commit stays: both can be seen.
const FIXED: &str = "core.attributesFile=/dev/null diff.relative=false diff.ignoreSubmodules=none diff.orderFile=/dev/null \
                     log.showSignature=false submodule.recurse=false";

/// Compares two files as git itself does, in place of a program that a configuration names for it: such a program cannot be unset.
/// Git calls it by a shell with a path, an old file, its id and mode, and the same of a new file.
const PLAIN_DIFFERENCE: &str =
    "plain() { git --no-pager diff --no-index --no-ext-diff --no-textconv -- \"$2\" \"$5\"; :; }; plain";
/// Merges three files as git itself does.
const PLAIN_MERGE: &str = "git merge-file --marker-size=%L %A %O %B";

impl GitCli {
    pub(super) fn plain_settings(&self) -> Result<Vec<(String, String)>, GitError> {
        let entries = self.config_entries()?;
        let fixed = program_keys::overrides().chain(FIXED.split_whitespace().map(str::to_owned));
        let fixed = fixed.filter_map(|setting| {
            let (key, value) = setting.split_once('=')?;
            Some((key.to_owned(), value.to_owned()))
        });
        let mut settings: BTreeMap<String, String> = entries.iter().filter_map(in_place_of).collect();
        settings.extend(foreign_filters(&entries));
        // Who merges signs with the person's own program.
        settings.extend(fixed.filter(|(key, _)| key != "gpg.program"));
        Ok(settings.into_iter().collect())
    }
}

/// Returns a setting that replaces one with which git would start a program.
fn in_place_of(entry: &ConfigEntry) -> Option<(String, String)> {
    let key = &entry.key;
    let (section, last) = (key.split('.').next()?, key.rsplit('.').next()?);
    let value = match (section, last) {
        ("diff", "external" | "command") => PLAIN_DIFFERENCE,
        ("diff", "textconv") => "cat",
        ("merge", "driver") if entry.is_repositorys() => PLAIN_MERGE,
        ("hook", _) => return Some((format!("{}.enabled", key.rsplit_once('.')?.0), "false".to_owned())),
        _ => return None,
    };
    Some((key.clone(), value.to_owned()))
}

/// Filters that the repository's own configuration names pass everything on; those of the person work as they do.
fn foreign_filters(entries: &[ConfigEntry]) -> Vec<(String, String)> {
    let known = entries.iter();
    let known = known.map(|entry| (entry.scope.clone(), entry.key.clone(), entry.value.clone()));
    let foreign = FilterSettings::among(&known.collect::<Vec<_>>()).foreign;
    let settings = foreign.into_iter().flat_map(|name| {
        [("clean", "cat"), ("smudge", "cat"), ("process", "")]
            .map(|(part, value)| (format!("filter.{name}.{part}"), value.to_owned()))
    });
    settings.collect()
}
