//! Programs that convert files on their way to the disk and back (`filter.<name>.clean`, `.smudge`, `.process`): those that the
//! person's own configuration names run, as in any git of theirs; those that only the repository's names never do, and a
//! commit that needs one is refused, because its files would be written unconverted and converted twice later (ADR 0013).

use std::collections::BTreeSet;
use std::{fs, io};

use super::cli::GitCli;
use super::command::GitCommand;
use super::discovery;
use super::error_text::one_line;
use super::files::{failed, missing};
use super::filter_settings::{KnownFilters, filter_of};
use crate::domain::TroubleKind;
use crate::ports::git::{CommitId, GitError};

/// Maximum length of a file of attributes that is looked through.
const ATTRIBUTES_LIMIT: usize = 1024 * 1024;

impl GitCli {
    /// The person's own filters for a call, as the project sees them: `includeIf` may tell it and the control repository apart.
    /// LFS files are looked for where the project has them.
    pub(super) fn with_own_filters(&self, call: GitCommand) -> GitCommand {
        let mut own = self.filters.lock().settings.own.clone();
        if own.keys().any(|name| name.starts_with("filter.lfs.")) {
            let storage = self.project.common.join("lfs").to_string_lossy().into_owned();
            own.entry("lfs.storage".to_owned()).or_insert(storage);
        }
        own.into_iter()
            .fold(call, |call, (name, value)| call.setting(name, value))
    }

    /// Refuses a commit whose files need a filter that is not run.
    pub(super) fn refuse_foreign_filters(&self, commit: &CommitId) -> Result<(), GitError> {
        match self.foreign_filter(commit.as_str())? {
            Some(why) => Err(GitError::Failed {
                kind: TroubleKind::Refusal,
                what: format!("write the files of commit {commit}"),
                why,
            }),
            None => Ok(()),
        }
    }

    /// Returns the reason why the files of a commit or a tree cannot be converted as the project's own git does it, if there is one.
    pub(super) fn foreign_filter(&self, tree: &str) -> Result<Option<String>, GitError> {
        let private = self.private_attributes()?;
        let is_quiet = {
            let known = self.filters.lock();
            known.settings.foreign.is_empty() && known.is_current(&self.project.common)
        };
        if is_quiet && !private.contains("filter=") {
            return Ok(None);
        }
        let settings = discovery::filters(&self.program, &self.project)
            .map_err(|error| missing("the filters of the project", error.to_string()))?;
        let found = KnownFilters::read(settings.clone(), &self.project.common);
        *self.filters.lock() = found;
        let own: BTreeSet<&str> = settings.own.keys().filter_map(|name| filter_of(name)).collect();
        let is_known = |name: &&str| settings.foreign.contains(*name) || own.contains(name);
        if let Some(name) = filters_in(&private).find(is_known) {
            return Ok(Some(private_refusal(name)));
        }
        if settings.foreign.is_empty() {
            return Ok(None);
        }
        let wanted = self.filters_wanted_by(tree)?;
        let found = wanted.iter().find(|name| settings.foreign.contains(*name));
        Ok(found.map(|name| foreign_refusal(name)))
    }

    /// Returns the attributes that are in the repository and in no commit. Bytes that are not text do not hide the text around them.
    pub(super) fn private_attributes(&self) -> Result<String, GitError> {
        let file = self.project.common.join("info").join("attributes");
        match fs::read(&file) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(failed("read", &file)(error)),
        }
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
            if blob.truncated {
                let why = format!(
                    "it has more than {ATTRIBUTES_LIMIT} bytes, and a filter may be named after them"
                );
                return Err(missing(format!("the filters in {}", one_line(path)), why));
            }
            wanted.extend(filters_in(&blob.text()).map(str::to_owned));
        }
        Ok(wanted)
    }
}

fn private_refusal(name: &str) -> String {
    let name = one_line(name);
    format!(
        "filter {name} is asked for by .git/info/attributes, which agents can change, so it is not run; move the line to \
         .gitattributes or to your own file of attributes (core.attributesFile)"
    )
}

fn foreign_refusal(name: &str) -> String {
    let name = one_line(name);
    format!(
        "filter {name} is set in the repository's own configuration, which agents can change, so it is not run, and without \
         it the files would be wrong; set it in yours (`git config --global filter.{name}.smudge ...`) and unset it there, \
         or take `filter={name}` out of .gitattributes"
    )
}

/// The filters that lines of attributes ask for, macros included.
fn filters_in(attributes: &str) -> impl Iterator<Item = &str> {
    let lines = attributes
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    let words = lines.flat_map(|line| line.split([' ', '\t', '\r']));
    words.filter_map(|word| word.strip_prefix("filter="))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_found_among_attributes_and_in_macros() {
        let text =
            "# filter=none\n*.bin filter=lfs diff=lfs -text\r\n[attr]secret\tfilter=crypt\n*.txt -filter\n";
        assert_eq!(filters_in(text).collect::<Vec<_>>(), ["lfs", "crypt"]);
    }
}
