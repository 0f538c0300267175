//! The form of a file: its length, its first lines, its place.

use std::collections::BTreeSet;

use super::source::{Finding, SourceFile};

/// Largest number of lines of a file without its tests.
const MOST_LINES: usize = 400;

/// Layers that are one type and its parts; their file contains that type instead of being a facade.
const ONE_TYPE: &[&str] = &["src/read_model.rs"];

/// Sizes, head documents, facades and places of all shipped files.
pub(crate) fn check(files: &[SourceFile]) -> Vec<Finding> {
    let folders: BTreeSet<&str> = files
        .iter()
        .filter_map(|file| Some(file.path.rsplit_once('/')?.0))
        .collect();
    files.iter().flat_map(|file| check_file(file, &folders)).collect()
}

/// Every file is a module of another one: an undeclared file is never compiled.
pub(crate) fn check_declared(files: &[SourceFile]) -> Vec<Finding> {
    let declared: BTreeSet<Vec<String>> = files
        .iter()
        .flat_map(|file| {
            let module = file.module();
            file.child_names()
                .into_iter()
                .map(move |child| [module.clone(), vec![child]].concat())
        })
        .collect();
    let is_orphan = |file: &&SourceFile| {
        let is_root = file.path.ends_with("lib.rs") || file.path == "src/main.rs";
        !is_root && !declared.contains(&file.module())
    };
    let orphans = files.iter().filter(is_orphan);
    orphans
        .map(|file| file.finding(1, "is a module of nothing, so it is not compiled"))
        .collect()
}

fn check_file(file: &SourceFile, folders: &BTreeSet<&str>) -> Vec<Finding> {
    let lines = file.text.lines().count() - file.test_lines;
    let mut findings = Vec::new();
    if lines > MOST_LINES {
        findings.push(file.finding(1, format!("{lines} lines without tests, at most {MOST_LINES}")));
    }
    if !file.text.starts_with("//! ") {
        findings.push(file.finding(
            1,
            "does not open with a `//!` document: what it is for, what it must not do",
        ));
    }
    if file.path.ends_with("/mod.rs") {
        findings.push(file.finding(1, "is a mod.rs; write `foo.rs` beside the folder `foo`"));
    }
    if file.is_facade(folders) && !ONE_TYPE.contains(&file.path.as_str()) {
        findings.extend(check_facade(file));
    }
    findings
}

/// The facade of a layer contains only documents, `mod` lines and re-exports.
fn check_facade(file: &SourceFile) -> Vec<Finding> {
    let is_facade_item = |item: &&syn::Item| match item {
        syn::Item::Use(_) => true,
        syn::Item::Mod(item) => item.content.is_none() || is_for_tests(&item.attrs),
        _ => false,
    };
    let others = file
        .items
        .items
        .iter()
        .filter(|item| !is_facade_item(item))
        .count();
    let text =
        format!("is the facade of a layer and holds {others} item(s) that are neither `mod` nor `use`");
    if others == 0 {
        Vec::new()
    } else {
        vec![file.finding(1, text)]
    }
}

/// Returns true if an item is compiled for tests only.
pub(crate) fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list().ok();
        attribute.path().is_ident("cfg") && list.is_some_and(|list| list.tokens.to_string().contains("test"))
    })
}

#[cfg(test)]
fn planted(path: &str, text: &str) -> usize {
    check(&[
        SourceFile::parse(path, text),
        SourceFile::parse("src/ui/cell.rs", "//! Doc.\n"),
    ])
    .len()
}

#[test]
fn a_planted_long_file_is_found_but_tests_do_not_count() {
    let long = "//! Doc.\n".to_owned() + &"struct A;\n".repeat(MOST_LINES);
    assert_eq!(planted("src/ui/board.rs", &long), 1);
    let tested =
        "//! Doc.\n#[cfg(test)]\nmod tests {\n".to_owned() + &"struct A;\n".repeat(MOST_LINES) + "}\n";
    assert_eq!(planted("src/ui/board.rs", &tested), 0);
}

#[test]
fn a_planted_file_without_a_head_is_found() {
    assert_eq!(planted("src/ui/board.rs", "use a::b;\n"), 1);
    assert_eq!(planted("src/ui/board.rs", "//! Doc.\nuse a::b;\n"), 0);
}

#[test]
fn a_planted_file_that_no_module_declares_is_found() {
    let files = |facade: &str| {
        [
            SourceFile::parse("crates/term/src/lib.rs", facade),
            SourceFile::parse("crates/term/src/cell.rs", "//! Doc.\n"),
        ]
    };
    assert_eq!(check_declared(&files("//! Doc.\nmod cell;\n")), []);
    assert_eq!(check_declared(&files("//! Doc.\nmod other;\n")).len(), 1);
}

#[test]
fn a_planted_module_file_is_found() {
    assert_eq!(planted("src/domain/mod.rs", "//! Doc.\n"), 1);
}

#[test]
fn a_planted_rule_in_a_facade_is_found() {
    assert_eq!(planted("src/ui.rs", "//! Doc.\npub mod cell;\nfn draw() {}\n"), 1);
    assert_eq!(
        planted("src/ui.rs", "//! Doc.\npub mod cell;\npub use cell::Cell;\n"),
        0
    );
    assert_eq!(
        planted("crates/term/src/lib.rs", "//! Doc.\nmod cell;\nfn draw() {}\n"),
        1
    );
    assert_eq!(planted("crates/term/src/lib.rs", "//! Doc.\nfn draw() {}\n"), 0);
}
