//! Names that differ in upper and lower case only: on a disk that takes them for one (as most of macOS and Windows), one of two files
//! would replace the other at the next checkout, so it is found out before a merge.

use std::collections::{BTreeMap, BTreeSet};

use super::cli::GitCli;
use super::error_text::one_line;
use crate::ports::git::{CommitId, GitError, TreeId};

impl GitCli {
    /// Returns the reason why a tree may not follow a base, if there is one: on this project's disk a file it adds would have the same name
    /// as another. Git found out when it made the repository whether the disk distinguishes such names.
    pub(super) fn colliding_names(&self, base: &CommitId, tree: &TreeId) -> Result<Option<String>, GitError> {
        if !self.project.has("core.ignorecase=true") {
            return Ok(None);
        }
        let call = self.in_control("look for names that differ in case only")?;
        let call = call.words("diff-tree -r -z --name-only --no-renames --diff-filter=A --end-of-options");
        let added = call.args([base.as_str(), tree.as_str()]).run_ok()?;
        if added.stdout.is_empty() {
            return Ok(None);
        }
        let call = self.in_control("list the files of a merge")?;
        let all = call
            .words("ls-tree -r -z --name-only --end-of-options")
            .arg(tree.as_str())
            .run_ok()?;
        let (added, all) = (added.text(), all.text());
        Ok(first_collision(names(&added), names(&all)).map(|(one, other)| {
            format!(
                "{} and {} are one name on this project's disk, which does not tell upper from lower case; rename one of them",
                one_line(one),
                one_line(other)
            )
        }))
    }
}

fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split('\0').filter(|name| !name.is_empty())
}

/// The first of the added files that meets another file, or a folder of one, on a disk that does not tell upper from lower case.
fn first_collision<'a>(
    added: impl Iterator<Item = &'a str>,
    all: impl Iterator<Item = &'a str>,
) -> Option<(&'a str, &'a str)> {
    let added: BTreeSet<&str> = added.collect();
    let mut files: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut folders: BTreeMap<String, &str> = BTreeMap::new();
    for file in all {
        files.entry(file.to_lowercase()).or_default().push(file);
        for (end, _) in file.match_indices('/') {
            let folder = file.get(..end).unwrap_or_default();
            folders.entry(folder.to_lowercase()).or_insert(file);
        }
    }
    files.iter().find_map(|(key, same)| {
        let below = folders.get(key).copied();
        let met: Vec<&str> = same.iter().copied().chain(below).collect();
        let new = met.iter().find(|name| added.contains(*name))?;
        let other = met.iter().find(|name| *name != new)?;
        Some((*new, *other))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collision<'a>(added: &[&'a str], all: &[&'a str]) -> Option<(&'a str, &'a str)> {
        first_collision(added.iter().copied(), all.iter().copied())
    }

    #[test]
    fn added_names_that_a_disk_takes_for_one_with_others_are_found() {
        let found = Some(("src/Main.rs", "src/main.rs"));
        assert_eq!(
            collision(&["src/Main.rs"], &["src/Main.rs", "src/main.rs"]),
            found
        );
        let found = Some(("SRC/main.rs", "src/main.rs"));
        assert_eq!(
            collision(&["SRC/main.rs"], &["SRC/main.rs", "src/main.rs"]),
            found
        );
        let found = Some(("Docs", "docs/a.md"));
        assert_eq!(
            collision(&["Docs"], &["Docs", "docs/a.md"]),
            found,
            "a file and a folder"
        );
        let found = Some(("docs/a.md", "Docs"));
        assert_eq!(collision(&["docs/a.md"], &["Docs", "docs/a.md"]), found);
        let found = Some(("\u{c4}.txt", "\u{e4}.txt"));
        assert_eq!(collision(&["\u{c4}.txt"], &["\u{c4}.txt", "\u{e4}.txt"]), found);
    }

    #[test]
    fn names_that_met_before_and_names_that_do_not_meet_are_no_collision() {
        let all = ["A.txt", "a.txt", "b.txt", "docs/a.txt"];
        assert_eq!(collision(&["b.txt"], &all), None, "the base has two that meet");
        assert_eq!(collision(&["docs/a.txt"], &all), None);
        assert_eq!(collision(&[], &all), None);
    }
}
