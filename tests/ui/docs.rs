//! The key documentation is generated from the table, and every action is documented and bound.

use std::path::Path;

use dbs::keymap::{KeyTable, Keymap, entries};

use crate::key_reference::keys_document;

#[test]
fn the_document_of_the_keys_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/keys.md");
    let fresh = keys_document(&Keymap::builtin().expect("keys"));
    if is_rewrite_wished() {
        std::fs::write(&path, &fresh).expect("docs/keys.md");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == fresh,
        "docs/keys.md is stale; DBS_UPDATE=1 cargo test --test ui rewrites it"
    );
}

#[expect(
    clippy::disallowed_methods,
    reason = "a person asks for the rewrite through the environment"
)]
pub(crate) fn is_rewrite_wished() -> bool {
    std::env::var_os("DBS_UPDATE").is_some()
}

/// The variants of an enum, as its source names them.
fn variants<'a>(source: &'a str, name: &str) -> Vec<&'a str> {
    let head = format!("pub enum {name} {{");
    let body = source.split(&head).nth(1).expect("the enum");
    let body = body.split("\n}").next().expect("its end");
    let lines = body.lines().map(str::trim);
    let variants = lines.filter(|line| line.starts_with(char::is_uppercase));
    variants
        .filter_map(|line| line.split(['(', ',', ' ']).next())
        .collect()
}

#[test]
fn every_action_there_is_has_a_row_in_the_table() {
    let listed: Vec<String> = entries().map(|entry| format!("{:?}", entry.action)).collect();
    assert!(listed.len() > 110, "{listed:?}");
    // The enum is generated from the rows, but a value of a parameter could still lack one.
    let action = include_str!("../../src/keymap/action.rs");
    let families = [
        ("Step", variants(action, "Direction")),
        ("Focus", variants(action, "Direction")),
        ("Resize", variants(action, "Direction")),
        ("Split", variants(action, "Axis")),
        ("Text", variants(action, "TextMove")),
        ("Select", variants(action, "SelectionMode")),
    ];
    for (family, values) in families {
        assert!(values.len() > 1, "{family}: {values:?}");
        for value in values {
            let name = format!("{family}({value})");
            assert!(
                listed.contains(&name),
                "{name} has no row: no help, no entry of the palette"
            );
        }
    }
}

#[test]
fn every_action_has_a_name_of_its_own_a_sentence_and_a_key() {
    let keymap = Keymap::builtin().expect("keys");
    let mut names: Vec<&str> = entries().map(|entry| entry.name).collect();
    for entry in entries() {
        assert!(
            entry.help.ends_with('.') && entry.help.len() > 5,
            "{}: {:?}",
            entry.name,
            entry.help
        );
        assert!(
            !entry.title.is_empty() && entry.title.len() <= 14,
            "{}",
            entry.title
        );
        assert!(!entry.synonyms.is_empty(), "{} has no synonyms", entry.name);
        let keys = KeyTable::ALL.map(|place| keymap.keys(place, entry.action).len());
        assert!(keys != [0, 0, 0, 0], "{} has no key", entry.name);
    }
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}
