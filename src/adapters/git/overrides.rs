//! Entries in the project's repository, beside its commits, that change what git shows or starts there: replacements, grafts, attributes
//! outside of commits, settings that name programs, tracking branches. Agents can write all of them, and so can a person. This module only
//! reads them; the engine finds out which of them an agent changed.

use crate::domain::cut::cut_chars;
use std::collections::BTreeMap;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::cli::GitCli;
use super::command::ConfigScope;
use super::config_entries::{self, ConfigEntry};
use super::error_text::one_line;
use super::program_keys::names_program;
use crate::adapters::text_file;
use crate::ports::git::{BranchName, GitError, GitOverride};

/// Files of the repository that git obeys in every commit, by their names in the git folder.
const FILES: [&str; 3] = ["info/attributes", "info/grafts", "shallow"];
/// Maximum number of bytes of such a file; a longer one is known by its beginning.
const MOST_BYTES: u64 = 1024 * 1024;
/// Maximum number of characters that are shown of a value.
const MOST_SHOWN: usize = 80;
/// Maximum number of entries that are listed one by one.
const MOST_ENTRIES: usize = 100;

impl GitCli {
    pub(super) fn read_overrides(&self, base: Option<&BranchName>) -> Result<Vec<GitOverride>, GitError> {
        let mut all = self.ruling_refs(base)?;
        all.extend(self.ruling_files());
        all.extend(self.program_settings()?);
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(shortened(all))
    }

    /// Objects that git shows in place of others, and where the project believes the base on the remote to be: agents fetch, so that
    /// moves, and the engine asks the remote.
    fn ruling_refs(&self, base: Option<&BranchName>) -> Result<Vec<GitOverride>, GitError> {
        let tracking = base.map(|base| self.tracking_name(base));
        let call = self.in_project("list the replacements and tracking branches of the project");
        let call = call.words("for-each-ref --format=%(objectname)%09%(refname) -- refs/replace/");
        let printed = call.args(&tracking).run_ok()?.text().into_owned();
        let lines = printed.lines().filter_map(|line| line.split_once('\t'));
        let found = lines.filter_map(|(at, name)| match (name.strip_prefix("refs/replace/"), base) {
            (Some(of), _) => Some(replacement(of, at)),
            (None, Some(base)) if Some(name) == tracking.as_deref() => Some(self.moved_base(base, name, at)),
            (None, _) => None,
        });
        Ok(found.collect())
    }

    fn moved_base(&self, base: &BranchName, name: &str, at: &str) -> GitOverride {
        let remote = self.remote.name();
        let from = if self.has_remote() {
            remote.to_owned()
        } else {
            shell_words::quote(&self.control.path.to_string_lossy()).into_owned()
        };
        GitOverride {
            name: name.to_owned(),
            digest: at.to_owned(),
            shown: format!("a commit that {remote} does not have as its {base}: {remote}/{base} at {at}"),
            undo: format!("git fetch {from} +refs/heads/{base}:{name}"),
        }
    }

    fn ruling_files(&self) -> Vec<GitOverride> {
        let found = FILES.iter().filter_map(|name| {
            let file = self.project.common.join(name);
            let content = match text_file::read(&file, MOST_BYTES) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
                read => read.unwrap_or_else(|error| error.to_string().into_bytes()),
            };
            let is_said = !content.trim_ascii().is_empty();
            is_said.then(|| GitOverride {
                name: format!("file {name}"),
                digest: digest(&content),
                shown: format!("the file {}", file.display()),
                undo: format!("rm {}", shell_words::quote(&file.to_string_lossy())),
            })
        });
        found.collect()
    }

    /// Settings of the repository itself that can start a program. Those of the person are the same in every repository of theirs.
    fn program_settings(&self) -> Result<Vec<GitOverride>, GitError> {
        let mut values: BTreeMap<(String, Option<String>, String), Vec<String>> = BTreeMap::new();
        for entry in self.config_entries()? {
            if entry.is_repositorys() && names_program(&entry.key, &entry.value) {
                let place = (entry.key, entry.file, entry.scope);
                values.entry(place).or_default().push(entry.value);
            }
        }
        let setting = |((key, file, scope), values): ((String, Option<String>, String), Vec<String>)| {
            let file = file.map(|file| self.project.root.join(file));
            let value = values.join(", ");
            GitOverride {
                name: format!("setting {key} ({scope})"),
                digest: digest(values.join("\0").as_bytes()),
                shown: format!(
                    "the setting {} = {}",
                    one_line(&key),
                    one_line(cut_chars(&value, MOST_SHOWN))
                ),
                undo: self.undo_setting(&key, file.as_deref()),
            }
        };
        Ok(values.into_iter().map(setting).collect())
    }

    fn undo_setting(&self, key: &str, file: Option<&Path>) -> String {
        let file = file.map_or_else(|| self.project.common.join("config"), Path::to_path_buf);
        let file = file.to_string_lossy();
        let words = ["git", "config", "--file", &file, "--unset-all", key];
        shell_words::join(words)
    }

    /// All settings that a git in the project reads.
    pub(super) fn config_entries(&self) -> Result<Vec<ConfigEntry>, GitError> {
        self.config_entries_in(&self.project.git_dir)
    }

    /// All settings that a git reads which works with that git folder.
    pub(super) fn config_entries_in(&self, git_dir: &Path) -> Result<Vec<ConfigEntry>, GitError> {
        let what = format!("read the configuration of {}", git_dir.display());
        let call = self
            .program
            .command(ConfigScope::Preflight, &self.project.root, what);
        config_entries::read(call.git_option("--git-dir=", git_dir))
    }
}

fn replacement(of: &str, by: &str) -> GitOverride {
    GitOverride {
        name: format!("replacement {of}"),
        digest: by.to_owned(),
        shown: format!("a replacement of {} by {by}", one_line(of)),
        undo: format!("git replace -d {}", shell_words::quote(of)),
    }
}

/// Joins all entries after the first `MOST_ENTRIES` into one.
fn shortened(mut all: Vec<GitOverride>) -> Vec<GitOverride> {
    let rest = all.split_off(all.len().min(MOST_ENTRIES));
    if let Some(first) = rest.first() {
        let contents: Vec<String> = rest
            .iter()
            .map(|one| format!("{}\0{}", one.name, one.digest))
            .collect();
        all.push(GitOverride {
            name: "more".to_owned(),
            digest: digest(contents.join("\0").as_bytes()),
            shown: format!("one of {} such entries; the first is {}", rest.len(), first.shown),
            undo: first.undo.clone(),
        });
    }
    all
}

fn digest(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    hex::encode(digest.get(..16).unwrap_or(&digest))
}
