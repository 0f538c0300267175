//! Snapshot files of the interface: each is compared by a test, so that none outlives its frame.

use super::source::{Finding, TextFile};

const FOLDER: &str = "tests/ui/snapshots/";

/// Files of snapshots that no test of the interface names.
pub(crate) fn check(texts: &[TextFile]) -> Vec<Finding> {
    let is_code = |file: &&TextFile| file.path.starts_with("tests/ui/") && !file.path.starts_with(FOLDER);
    let code: Vec<&TextFile> = texts.iter().filter(is_code).collect();
    let snapshots = texts.iter().filter_map(|file| {
        let name = file.path.strip_prefix(FOLDER)?.strip_suffix(".snap")?;
        Some((file, name))
    });
    snapshots
        .filter(|(_, name)| !code.iter().any(|test| compares(test, name)))
        .map(|(file, _)| Finding {
            file: file.path.clone(),
            line: 1,
            text: "is a snapshot that no test compares".to_owned(),
        })
        .collect()
}

/// Returns true if a file of tests names that snapshot, with its size if the name has one.
fn compares(test: &TextFile, name: &str) -> bool {
    let has = |text: &str| test.text.contains(text);
    if let Some((module, own)) = name.strip_prefix("ui__").and_then(|rest| rest.split_once("__")) {
        let is_there = test.path == format!("tests/ui/{module}.rs");
        return is_there && (has(&format!("fn {own}()")) || has(&format!("{own:?}")));
    }
    if has(&format!("{name:?}")) {
        return true;
    }
    match sized(name) {
        Some((base, size)) => has(&size) && names(test, base),
        None => names(test, name),
    }
}

/// The name without the size at its end, and the size as tests write it.
fn sized(name: &str) -> Option<(&str, String)> {
    let (base, size) = name.rsplit_once('_')?;
    let (width, height) = size.split_once('x')?;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(width) && is_number(height)).then(|| (base, format!("({width}, {height})")))
}

/// Returns true if the file contains the name, whole or as a common beginning and the rest.
fn names(test: &TextFile, name: &str) -> bool {
    let has = |text: &str| test.text.contains(text);
    let is_composed = |(at, _): (usize, &str)| {
        let (beginning, rest) = name.split_at(at + 1);
        has(&format!("\"{beginning}{{name}}\"")) && has(&format!("{rest:?}"))
    };
    has(&format!("{name:?}")) || name.match_indices('_').any(is_composed)
}

#[test]
fn a_snapshot_that_no_test_compares_is_found() {
    let file = |path: &str, text: &str| TextFile {
        path: path.to_owned(),
        text: text.to_owned(),
    };
    let test =
        "kept(\"inbox\", (80, 24)); check(&format!(\"every_{name}\")); check(\"log\"); fn it_is_drawn() {}";
    let found = |name: &str| {
        let texts = [
            file("tests/ui/shop.rs", test),
            file("tests/ui/other.rs", ""),
            file(&format!("{FOLDER}{name}.snap"), ""),
        ];
        check(&texts).len()
    };
    for used in ["inbox_80x24", "every_log", "ui__shop__it_is_drawn"] {
        assert_eq!(found(used), 0, "{used}");
    }
    for unused in [
        "inbox_60x15",
        "box_80x24",
        "every_board",
        "ui__shop__it_is_gone",
        "ui__other__it_is_drawn",
    ] {
        assert_eq!(found(unused), 1, "{unused}");
    }
}
