//! The gate of rehearsal projects: compares a tree with the list in its `check.toml`. It needs no shell and no tool, so
//! that the demo's gates are the same on every system. It only reads.

use std::fs;
use std::io;
use std::path::Path;

use serde::Deserialize;

use crate::adapters::text_file;

/// Name of the list at the root of a tree.
pub const MANIFEST: &str = "check.toml";

/// Strictness of the rehearsal's check: for a tree that is still growing, or for the finished one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeCheck {
    /// Existing files must be right; for a tree that is still growing.
    Present,
    /// Everything must be there and right; for the finished tree.
    Complete,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    /// Folders all of whose files must be listed.
    #[serde(default)]
    closed: Vec<String>,
    #[serde(default)]
    file: Vec<ExpectedFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedFile {
    path: String,
    begins: Option<String>,
    /// Lines that must be there whenever the file is.
    #[serde(default)]
    holds: Vec<String>,
    /// Lines that must be there in the finished tree.
    #[serde(default)]
    finally: Vec<String>,
    /// True if the file must be there from the beginning.
    #[serde(default)]
    always: bool,
}

/// Checks a tree; an empty list means that everything is right. Each finding is one line for people.
pub fn check(tree: &Path, extent: TreeCheck) -> Vec<String> {
    let text = match text_file::read_text(&tree.join(MANIFEST), text_file::LARGEST_WRITTEN) {
        Ok(text) => text,
        Err(error) => return vec![format!("{MANIFEST}: {error}")],
    };
    let manifest: Manifest = match toml_edit::de::from_str(&text) {
        Ok(manifest) => manifest,
        Err(error) => return vec![format!("{MANIFEST}: {}", error.message())],
    };
    let mut findings: Vec<String> = manifest
        .file
        .iter()
        .flat_map(|file| check_file(tree, file, extent))
        .collect();
    for folder in &manifest.closed {
        findings.extend(unlisted(tree, folder, &manifest.file));
    }
    findings
}

fn check_file(tree: &Path, expected: &ExpectedFile, extent: TreeCheck) -> Vec<String> {
    let path = &expected.path;
    let complete = extent == TreeCheck::Complete;
    let text = match text_file::read_text(&tree.join(path), text_file::LARGEST_WRITTEN) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound && !complete && !expected.always => {
            return Vec::new();
        }
        Err(error) => return vec![format!("{path}: {error}")],
    };
    let mut findings = Vec::new();
    if let Some(first) = &expected.begins
        && text.lines().next() != Some(first)
    {
        findings.push(format!("{path}: the first line must be `{first}`"));
    }
    let later: &[String] = if complete { &expected.finally } else { &[] };
    for line in expected
        .holds
        .iter()
        .chain(later)
        .filter(|line| !text.lines().any(|found| found == line.as_str()))
    {
        findings.push(format!("{path}: the line `{line}` is missing"));
    }
    findings.extend(
        text.lines()
            .enumerate()
            .filter_map(|(at, line)| Some((at, fault(tree, path, line)?)))
            .map(|(at, fault)| format!("{path}:{}: {fault}", at + 1)),
    );
    findings
}

/// Returns the fault of a line of any file, if it has one: a conflict left over, a link that leads nowhere.
fn fault(tree: &Path, path: &str, line: &str) -> Option<String> {
    if ["<<<<<<< ", ">>>>>>> "].iter().any(|mark| line.starts_with(mark)) {
        return Some("a conflict was left over".into());
    }
    let folder = tree.join(path).parent()?.to_owned();
    let targets = line
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target);
    let mut dead = targets.filter(|target| is_page(target) && !folder.join(target).is_file());
    dead.next()
        .map(|target| format!("the link to `{target}` leads nowhere"))
}

fn is_page(target: &str) -> bool {
    Path::new(target)
        .extension()
        .is_some_and(|extension| extension == "md")
}

fn unlisted(tree: &Path, folder: &str, listed: &[ExpectedFile]) -> Vec<String> {
    let entries = match fs::read_dir(tree.join(folder)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
        Err(error) => return vec![format!("{folder}: {error}")],
    };
    let names = entries
        .flatten()
        .map(|entry| format!("{folder}/{}", entry.file_name().to_string_lossy()));
    let mut unlisted: Vec<String> = names
        .filter(|name| !listed.iter().any(|file| file.path == *name))
        .collect();
    unlisted.sort();
    unlisted
        .into_iter()
        .map(|name| format!("{name}: is not listed in {MANIFEST}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "closed = [\"p\"]\n[[file]]\npath = \"p/a.md\"\nbegins = \"# A\"\nholds = [\"## Use\"]\n\
        [[file]]\npath = \"s.toml\"\nalways = true\nfinally = [\"x = 2\"]\n";

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let tree = tempfile::tempdir().unwrap();
        fs::create_dir(tree.path().join("p")).unwrap();
        for (path, text) in files {
            fs::write(tree.path().join(path), text).unwrap();
        }
        tree
    }

    #[test]
    fn a_growing_tree_passes_and_a_finished_one_must_be_whole() {
        let growing = tree(&[(MANIFEST, LIST), ("s.toml", "x = 1\n")]);
        assert_eq!(check(growing.path(), TreeCheck::Present), [""; 0]);
        let findings = check(growing.path(), TreeCheck::Complete);
        assert_eq!(findings.len(), 2, "{findings:?}");
        let whole = tree(&[
            (MANIFEST, LIST),
            ("s.toml", "x = 2\n"),
            ("p/a.md", "# A\n## Use\n"),
        ]);
        assert_eq!(check(whole.path(), TreeCheck::Complete), [""; 0]);
    }

    #[test]
    fn everything_wrong_is_named() {
        let table: [(&[(&str, &str)], &str); 7] = [
            (&[], "check.toml: "),
            (&[(MANIFEST, "nonsense = 1")], "unknown field"),
            (&[(MANIFEST, LIST)], "s.toml: "),
            (
                &[(MANIFEST, LIST), ("s.toml", ""), ("p/a.md", "# B\n## Use\n")],
                "p/a.md: the first line must be `# A`",
            ),
            (
                &[(MANIFEST, LIST), ("s.toml", ""), ("p/a.md", "# A\n## Used\n")],
                "p/a.md: the line `## Use` is missing",
            ),
            (
                &[(MANIFEST, LIST), ("s.toml", "<<<<<<< HEAD\n")],
                "s.toml:1: a conflict was left over",
            ),
            (
                &[(MANIFEST, LIST), ("s.toml", "[b](p/b.md)\n"), ("p/z", "")],
                "s.toml:1: the link to `p/b.md` leads nowhere",
            ),
        ];
        for (files, expected) in table {
            let findings = check(tree(files).path(), TreeCheck::Present);
            assert!(
                findings.iter().any(|finding| finding.contains(expected)),
                "{expected}: {findings:?}"
            );
        }
        let stray = check(
            tree(&[(MANIFEST, LIST), ("s.toml", ""), ("p/z", "")]).path(),
            TreeCheck::Present,
        );
        assert_eq!(stray, ["p/z: is not listed in check.toml"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_in_the_place_of_a_file_is_named_and_not_waited_for() {
        for place in [MANIFEST, "s.toml"] {
            let tree = tree(&[(MANIFEST, LIST), ("s.toml", "x = 1\n")]);
            let path = tree.path().join(place);
            fs::remove_file(&path).unwrap();
            nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
            let findings = check(tree.path(), TreeCheck::Present);
            assert_eq!(findings, [format!("{place}: it is not a regular file")]);
        }
    }
}
