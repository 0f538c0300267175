//! Every path that a shipped file names, in `use` lines, code, macros and attributes alike, because the search looks at tokens.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::source::{SourceFile, is_punct, room_of_crate};

/// A path as written in a file, with `crate`, `self` and `super` resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mention {
    /// Line of the path.
    pub(crate) line: usize,
    /// Inside or outside.
    pub(crate) target: Target,
}

/// Target of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// Modules of the program, from its root; a crate of ours counts as its room.
    Inside(Vec<String>),
    /// The name of an outside crate.
    Outside(String),
}

/// All mentions of a file; `dependencies` are the names of outside crates.
pub(crate) fn mentions(file: &SourceFile, dependencies: &BTreeSet<String>) -> Vec<Mention> {
    let mut found = Vec::new();
    let names = Visible {
        root: file.crate_root(),
        dependencies,
    };
    scan(&file.shipped, &file.module(), &names, &mut found);
    found
}

/// Meanings that the first name of a path may have in one file.
struct Visible<'a> {
    /// Path of `crate`.
    root: Vec<String>,
    /// Names of outside crates.
    dependencies: &'a BTreeSet<String>,
}

fn scan(tokens: &[TokenTree], module: &[String], names: &Visible<'_>, found: &mut Vec<Mention>) {
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token {
            TokenTree::Ident(name) if name == "mod" => {
                at = enter_module(tokens, at, module, names, found);
            }
            TokenTree::Ident(_) => {
                let (paths, next) = read_path(tokens, at);
                let line = token.span().start().line;
                let targets = paths.iter().filter_map(|path| resolve(path, module, names));
                found.extend(targets.map(|target| Mention { line, target }));
                at = next;
            }
            TokenTree::Group(group) => {
                scan(&list(group.stream()), module, names, found);
                at += 1;
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => at += 1,
        }
    }
}

/// Enters `mod name {`, in which paths are relative to the inner module. Returns the index at which to continue.
fn enter_module(
    tokens: &[TokenTree],
    at: usize,
    module: &[String],
    names: &Visible<'_>,
    found: &mut Vec<Mention>,
) -> usize {
    if let (Some(TokenTree::Ident(name)), Some(TokenTree::Group(body))) =
        (tokens.get(at + 1), tokens.get(at + 2))
    {
        let inner = [module, &[name.to_string()]].concat();
        scan(&list(body.stream()), &inner, names, found);
        return at + 3;
    }
    at + 1
}

fn list(stream: TokenStream) -> Vec<TokenTree> {
    stream.into_iter().collect()
}

/// Reads the path that begins at `at`, with its `{...}` groups written out; also returns the index behind it.
pub(crate) fn read_path(tokens: &[TokenTree], at: usize) -> (Vec<Vec<String>>, usize) {
    let mut path = Vec::new();
    let mut next = at;
    while let Some(TokenTree::Ident(name)) = tokens.get(next) {
        path.push(name.to_string().trim_start_matches("r#").to_owned());
        next += 1;
        if !is_separator(tokens, next) {
            return (vec![path], next);
        }
        next += 2;
    }
    match tokens.get(next) {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
            (branches(&path, &list(group.stream())), next + 1)
        }
        Some(token) if is_punct(token, '*') => {
            path.push("*".to_owned());
            (vec![path], next + 1)
        }
        _ => (vec![path], next),
    }
}

fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    matches!((tokens.get(at), tokens.get(at + 1)), (Some(a), Some(b)) if is_punct(a, ':') && is_punct(b, ':'))
}

fn branches(stem: &[String], tokens: &[TokenTree]) -> Vec<Vec<String>> {
    tokens
        .split(|token| is_punct(token, ','))
        .filter(|branch| !branch.is_empty())
        .flat_map(|branch| read_path(branch, 0).0)
        .map(|branch| [stem, &branch].concat())
        .collect()
}

fn resolve(path: &[String], module: &[String], names: &Visible<'_>) -> Option<Target> {
    let (head, rest) = path.split_first()?;
    match head.as_str() {
        // The binary names its own library like an outside crate.
        "dbs" if !rest.is_empty() => Some(Target::Inside(rest.to_vec())),
        "crate" if !rest.is_empty() => Some(Target::Inside([&names.root, rest].concat())),
        "self" if !rest.is_empty() => Some(Target::Inside([module, rest].concat())),
        "super" => {
            let ups = path.iter().take_while(|part| *part == "super").count();
            let base = module.get(..module.len().saturating_sub(ups))?;
            Some(Target::Inside([base, path.get(ups..)?].concat()))
        }
        name if let Some(room) = room_of_crate(name) => Some(Target::Inside([&room, rest].concat())),
        name if names.dependencies.contains(name) && !rest.is_empty() => {
            Some(Target::Outside(name.to_owned()))
        }
        _ => None,
    }
}

#[cfg(test)]
fn planted(text: &str) -> Vec<Target> {
    let dependencies = BTreeSet::from(["tokio".to_owned(), "serde".to_owned()]);
    let file = SourceFile::parse("src/ui/board.rs", text);
    mentions(&file, &dependencies)
        .into_iter()
        .map(|mention| mention.target)
        .collect()
}

#[test]
fn groups_are_spelled_out_and_supers_resolved() {
    let inside = |path: &[&str]| Target::Inside(path.iter().map(|&part| part.to_owned()).collect());
    assert_eq!(
        planted(
            "use crate::{domain::{Task, Stage as S}, engine};\nuse super::super::app::run;\nuse self::cell::Cell;"
        ),
        [
            inside(&["domain", "Task"]),
            inside(&["domain", "Stage"]),
            inside(&["engine"]),
            inside(&["app", "run"]),
            inside(&["ui", "board", "cell", "Cell"]),
        ]
    );
}

#[test]
fn a_crate_of_ours_is_its_room_from_inside_and_from_outside() {
    let inside = |path: &[&str]| Target::Inside(path.iter().map(|&part| part.to_owned()).collect());
    let found = |path: &str, text: &str| -> Vec<Target> {
        mentions(
            &SourceFile::parse(path, text),
            &BTreeSet::from(["dbs_term".to_owned()]),
        )
        .into_iter()
        .map(|mention| mention.target)
        .collect()
    };
    assert_eq!(
        found(
            "crates/holder/src/log.rs",
            "use crate::files;\nuse super::error;\nuse dbs_term::Size;"
        ),
        [
            inside(&["adapters", "holder", "files"]),
            inside(&["adapters", "holder", "error"]),
            inside(&["term", "Size"]),
        ]
    );
}

#[test]
fn paths_in_code_macros_attributes_and_inner_modules_are_seen() {
    let text = "#[derive(serde::Serialize)] struct A;\nfn f() { tokio::select! { x = crate::engine::go() => {} } }\nmod inner { use super::x; }";
    let found = planted(text);
    assert!(found.contains(&Target::Outside("serde".to_owned())));
    assert!(found.contains(&Target::Outside("tokio".to_owned())));
    assert!(found.contains(&Target::Inside(vec!["engine".to_owned(), "go".to_owned()])));
    assert!(found.contains(&Target::Inside(vec![
        "ui".to_owned(),
        "board".to_owned(),
        "x".to_owned()
    ])));
}
