//! Content of texts: no notes to self, no path of a single machine, no document that is too long to finish.

use super::source::{Finding, TextFile, Tree};

/// Notes to self; written in two parts so that this file does not find itself.
const NOTES: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

/// Beginnings of paths that exist on one machine only.
const MACHINE_PATHS: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/")];

/// Beginnings of paths in a person's home; a test may use them as an example.
const PERSONS_PATHS: &[&str] = &[
    concat!("/ho", "me/"),
    concat!("/Use", "rs/"),
    concat!("\\Use", "rs\\"),
];

/// Notes in sources and machine paths in any text.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.texts.iter().flat_map(check_text).collect()
}

fn check_text(file: &TextFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let finding = |text: String| Finding {
            file: file.path.clone(),
            line: index + 1,
            text,
        };
        if file.path.starts_with("src/") || file.path.starts_with("crates/") {
            let notes = NOTES.iter().filter(|note| stands_alone(line, note));
            findings.extend(notes.map(|note| finding(format!("holds the note {note}"))));
        }
        let persons = if file.path.starts_with("tests/") {
            &[]
        } else {
            PERSONS_PATHS
        };
        let paths = MACHINE_PATHS
            .iter()
            .chain(persons)
            .filter(|path| begins_a_path(line, path));
        findings.extend(paths.map(|path| finding(format!("names a path of one machine: {path}"))));
    }
    findings
}

/// Returns true if `word` occurs in `line` with no letter or digit on either side.
fn stands_alone(line: &str, word: &str) -> bool {
    let is_part =
        |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    line.match_indices(word).any(|(at, _)| {
        let (before, after) = (line.get(..at), line.get(at + word.len()..));
        !is_part(before.and_then(|text| text.chars().next_back()))
            && !is_part(after.and_then(|text| text.chars().next()))
    })
}

/// Returns true if `path` occurs in `line` as the beginning of a path, not inside a longer one.
fn begins_a_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        !before.is_some_and(|letter| letter.is_alphanumeric() || "._-~*})>]/".contains(letter))
    })
}

/// One finding if `text` has more than `most` words. Words are counted because a limit on lines makes lines long.
pub(crate) fn check_length(path: &str, text: &str, most: usize) -> Vec<Finding> {
    let words = text.split_whitespace().count();
    let finding = || Finding {
        file: path.to_owned(),
        line: 1,
        text: format!("{words} words, at most {most}"),
    };
    if words > most { vec![finding()] } else { Vec::new() }
}

/// Rust files that the document at `path` names in backticks and that are not in `files`; `src/` may be left out.
pub(crate) fn check_named_files(path: &str, text: &str, files: &[String]) -> Vec<Finding> {
    let named = text.lines().enumerate().flat_map(|(index, line)| {
        let quoted = line.split('`').skip(1).step_by(2);
        quoted
            .filter(|name| {
                std::path::Path::new(name)
                    .extension()
                    .is_some_and(|ending| ending == "rs")
            })
            .map(move |name| (index + 1, name))
    });
    let is_there = |name: &str| {
        files
            .iter()
            .any(|file| file == name || file.strip_prefix("src/") == Some(name))
    };
    named
        .filter(|(_, name)| !is_there(name))
        .map(|(line, name)| Finding {
            file: path.to_owned(),
            line,
            text: format!("names {name}, and there is no such file"),
        })
        .collect()
}

#[cfg(test)]
fn planted(path: &str, text: &str) -> usize {
    check_text(&TextFile {
        path: path.to_owned(),
        text: text.to_owned(),
    })
    .len()
}

#[test]
fn a_planted_note_is_found_in_sources_only() {
    assert_eq!(
        planted(
            "src/ui/board.rs",
            concat!("// TO", "DO: later\n// FIX", "ME\nlet x = \"XX", "X\";")
        ),
        3
    );
    assert_eq!(
        planted(
            "src/ui/board.rs",
            concat!("let name = \"XX", "XXXX\"; // meTO", "DOx")
        ),
        0
    );
    assert_eq!(planted("docs/glossary.md", concat!("TO", "DO")), 0);
}

#[test]
fn a_planted_machine_path_is_found() {
    assert_eq!(
        planted(
            "docs/adr/0001.md",
            concat!("see /wo", "rk/notes and `/ho", "me/me`")
        ),
        2
    );
    assert_eq!(
        planted(
            "docs/adr/0001.md",
            concat!("see src/wo", "rk/notes and $X/.ho", "me/me")
        ),
        0
    );
}

#[test]
fn a_planted_long_document_is_found() {
    assert_eq!(check_length("a.md", &"two words\n".repeat(101), 200).len(), 1);
    assert_eq!(check_length("a.md", &"two words\n".repeat(100), 200).len(), 0);
}

#[test]
fn a_planted_name_of_a_file_that_is_gone_is_found() {
    let files = ["src/ui/keymap.rs".to_owned(), "tests/tidy.rs".to_owned()];
    let found = |text: &str| check_named_files("a.md", text, &files).len();
    assert_eq!(
        found("| keys | `ui/keymap.rs`, `src/ui/keymap.rs`, `tests/tidy.rs` |"),
        0
    );
    assert_eq!(found("| keys | `ui/keys.rs` |\nand `keymap.rs`"), 2);
}
