//! Every dependency is used: one that no file names is built, shipped and audited in vain.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};

use super::source::{Finding, Manifest, SourceFile, is_punct};

/// The dependencies of `manifest` that no file below its folder names.
pub(crate) fn check(manifest: &Manifest, files: &[&SourceFile]) -> Vec<Finding> {
    let dependencies = &manifest.dependencies;
    let mut named = BTreeSet::new();
    for file in files.iter().filter(|file| is_built_with(manifest, file)) {
        if named.len() == dependencies.len() {
            break;
        }
        collect(file.tokens.clone(), dependencies, &mut named);
    }
    dependencies
        .iter()
        .filter(|name| !named.contains(*name))
        .map(|name| Finding {
            file: manifest.path.clone(),
            line: 1,
            text: format!("nothing uses the dependency `{name}`"),
        })
        .collect()
}

/// The program's own files are all files outside of `crates/`.
fn is_built_with(manifest: &Manifest, file: &SourceFile) -> bool {
    match manifest.folder.as_deref() {
        None => true,
        Some("") => !file.path.starts_with("crates/"),
        Some(folder) => file.path.starts_with(folder),
    }
}

fn collect(tokens: TokenStream, dependencies: &BTreeSet<String>, named: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => collect(group.stream(), dependencies, named),
            TokenTree::Ident(name) if begins_a_path(&tokens, at) => {
                let name = name.to_string();
                named.extend(dependencies.get(&name).cloned());
            }
            _ => {}
        }
    }
}

fn begins_a_path(tokens: &[TokenTree], at: usize) -> bool {
    let is_colon = |at: Option<usize>| {
        at.and_then(|at| tokens.get(at))
            .is_some_and(|token| is_punct(token, ':'))
    };
    let is_double = |at: Option<usize>| is_colon(at) && is_colon(at.map(|at| at + 1));
    let is_imported = at.checked_sub(1).and_then(|before| tokens.get(before));
    let is_imported =
        matches!(is_imported, Some(TokenTree::Ident(word)) if *word == "use" || *word == "crate");
    let goes_on = is_double(Some(at + 1)) && !is_double(at.checked_sub(2));
    is_imported || goes_on
}

#[cfg(test)]
fn planted(text: &str, dependencies: &[&str]) -> Vec<String> {
    let file = SourceFile::parse("src/ui/board.rs", text);
    let manifest = Manifest {
        path: "Cargo.toml".to_owned(),
        folder: Some(String::new()),
        dependencies: dependencies.iter().map(|&name| name.to_owned()).collect(),
    };
    check(&manifest, &[&file])
        .into_iter()
        .map(|finding| finding.text)
        .collect()
}

#[test]
fn a_planted_unused_dependency_is_found_though_its_name_stands_in_words_and_values() {
    let text =
        "//! About regex::Regex.\nfn which() { let regex = \"regex::Regex\"; super::regex::go(regex); }";
    assert_eq!(planted(text, &["regex"]), ["nothing uses the dependency `regex`"]);
}

#[test]
fn a_dependency_named_in_a_use_line_in_code_or_in_an_attribute_is_used() {
    let text = "use bytes;\nuse serde::{Serialize};\n#[derive(thiserror::Error)] struct A;\n\
                #[cfg(test)] mod tests { fn f() { insta::assert!(a); } }";
    assert!(planted(text, &["bytes", "serde", "thiserror", "insta"]).is_empty());
}

#[test]
fn what_only_another_crate_uses_is_unused() {
    let files = [
        SourceFile::parse("src/ui.rs", "use bytes::Bytes;"),
        SourceFile::parse("crates/term/src/lib.rs", "use memchr::memchr;"),
    ];
    let unused = |folder: Option<&str>| {
        let manifest = Manifest {
            path: "Cargo.toml".to_owned(),
            folder: folder.map(ToOwned::to_owned),
            dependencies: ["bytes", "memchr"].map(ToOwned::to_owned).into(),
        };
        check(&manifest, &files.each_ref()).len()
    };
    assert_eq!(unused(None), 0);
    assert_eq!(unused(Some("")), 1);
    assert_eq!(unused(Some("crates/term/")), 1);
}
