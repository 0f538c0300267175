//! A public type with a one-word name has a word of the trade, or its word is in the glossary.

use std::collections::BTreeSet;

use super::source::{Finding, SourceFile};

/// Words that terminals, user interfaces, version control and Rust programs use for the same thing.
const TRADE: &[&str] = &[
    "action",
    "animation",
    "axis",
    "background",
    "button",
    "canvas",
    "cell",
    "clock",
    "color",
    "column",
    "command",
    "commands",
    "comment",
    "config",
    "connection",
    "console",
    "csi",
    "deadline",
    "cursor",
    "damage",
    "diagnostic",
    "diagnostics",
    "diff",
    "direction",
    "emulator",
    "event",
    "effect",
    "git",
    "glyphs",
    "head",
    "hyperlink",
    "inventory",
    "journal",
    "key",
    "keymap",
    "margins",
    "menu",
    "metrics",
    "migration",
    "modes",
    "modifiers",
    "motion",
    "overlay",
    "picker",
    "project",
    "refusal",
    "revision",
    "rgb",
    "scanner",
    "screens",
    "scrollback",
    "session",
    "severity",
    "shells",
    "signature",
    "size",
    "span",
    "split",
    "store",
    "terminal",
    "terminals",
    "theme",
    "themes",
    "timestamp",
    "turn",
    "underline",
    "worktree",
    "zone",
    "zoom",
    "preflight",
    "notifier",
    "resolution",
    "accepted",
];

/// Public one-word types of `files` that neither the trade nor `glossary` knows.
pub(crate) fn check(files: &[SourceFile], glossary: &str) -> Vec<Finding> {
    let known = words(glossary);
    files
        .iter()
        .flat_map(|file| {
            let unknown = one_word_types(file).into_iter();
            let unknown = unknown.filter(|(_, name)| !is_known(&name.to_lowercase(), &known));
            unknown.map(|(line, name)| {
                file.finding(
                    line,
                    format!("`{name}` is a public type, and docs/glossary.md does not explain the word"),
                )
            })
        })
        .collect()
}

fn is_known(word: &str, known: &BTreeSet<String>) -> bool {
    let has = |word: &str| TRADE.contains(&word) || known.contains(word);
    has(word) || word.strip_suffix('s').is_some_and(has) || has(&format!("{word}er"))
}

/// The words that the tables of the glossary explain: the first column, where commas separate several words.
fn words(glossary: &str) -> BTreeSet<String> {
    let cells = glossary
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    cells
        .flat_map(|cell| cell.split(", "))
        .map(|word| word.trim_matches('*').to_lowercase())
        .chain(["action", "command", "event", "effect"].map(ToOwned::to_owned))
        .collect()
}

fn one_word_types(file: &SourceFile) -> Vec<(usize, String)> {
    let public = |vis: &syn::Visibility| matches!(vis, syn::Visibility::Public(_));
    let names = file.items.items.iter().filter_map(|item| match item {
        syn::Item::Struct(item) if public(&item.vis) => Some(&item.ident),
        syn::Item::Enum(item) if public(&item.vis) => Some(&item.ident),
        syn::Item::Trait(item) if public(&item.vis) => Some(&item.ident),
        syn::Item::Type(item) if public(&item.vis) => Some(&item.ident),
        _ => None,
    });
    names
        .map(|name| (name.span().start().line, name.to_string()))
        .filter(|(_, name)| name.chars().filter(char::is_ascii_uppercase).count() == 1)
        .collect()
}

#[cfg(test)]
fn planted(text: &str) -> usize {
    let glossary = "| word | meaning |\n|---|---|\n| lane, slots | effects of one attempt |\n";
    check(&[SourceFile::parse("src/ui/board.rs", text)], glossary).len()
}

#[test]
fn a_planted_word_that_nobody_explains_is_found() {
    assert_eq!(
        planted("pub struct Sieve;\npub enum Estate {}\npub trait Realm {}"),
        3
    );
}

#[test]
fn words_of_the_trade_of_the_glossary_and_of_one_room_are_fine() {
    assert_eq!(
        planted("pub struct Cursor;\npub struct Lanes;\npub struct Slots;"),
        0
    );
    assert_eq!(
        planted("pub struct MergeRound;\npub(crate) struct Sieve;\nstruct Estate;"),
        0
    );
}
