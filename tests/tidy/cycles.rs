//! No two files of a layer's top level may need each other, directly or in a ring: then each can be read alone.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenTree;

use super::paths::{Target, mentions, read_path};
use super::source::{Finding, SourceFile};

/// What one child of a layer uses: the other child, and the first place where it says so.
type Uses = BTreeMap<String, BTreeMap<String, (String, usize)>>;

/// The rings in every layer of `files`.
pub(crate) fn check(files: &[SourceFile]) -> Vec<Finding> {
    let layers: BTreeSet<String> = files
        .iter()
        .filter_map(|file| file.module().first().cloned())
        .collect();
    layers
        .iter()
        .filter(|layer| layer.as_str() != BEING_SPLIT)
        .flat_map(|layer| check_layer(layer, files))
        .collect()
}

/// The room whose session is being split into parts; it was below another one, where nobody looked, and is not exempt for long.
const BEING_SPLIT: &str = "server";

fn check_layer(layer: &str, files: &[SourceFile]) -> Vec<Finding> {
    let exports = exports(layer, files);
    let mut uses = Uses::new();
    for file in files {
        let module = file.module();
        let [first, own, ..] = module.as_slice() else {
            continue;
        };
        if first != layer {
            continue;
        }
        for mention in mentions(file, &BTreeSet::new()) {
            let Target::Inside(path) = mention.target else {
                continue;
            };
            let Some(other) = child(layer, &path, &exports) else {
                continue;
            };
            if other != own {
                let place = (file.path.clone(), mention.line);
                uses.entry(own.clone())
                    .or_default()
                    .entry(other.clone())
                    .or_insert(place);
            }
        }
    }
    rings(&uses)
}

fn child<'a>(layer: &str, path: &[String], exports: &'a BTreeMap<String, String>) -> Option<&'a String> {
    let [first, name, ..] = path else { return None };
    if first == layer { exports.get(name) } else { None }
}

/// The names visible right below a layer and the child each comes from: the children themselves and what the facade re-exports.
fn exports(layer: &str, files: &[SourceFile]) -> BTreeMap<String, String> {
    let mut names: BTreeMap<String, String> = files
        .iter()
        .filter_map(|file| match file.module().as_slice() {
            [first, own, ..] if first == layer => Some((own.clone(), own.clone())),
            _ => None,
        })
        .collect();
    let Some(facade) = files.iter().find(|file| file.module() == [layer]) else {
        return names;
    };
    for (child, name) in reexports(&facade.shipped) {
        if name == "*" {
            let public = files
                .iter()
                .filter(|file| file.module() == [layer, child.as_str()])
                .flat_map(public_names);
            names.extend(public.map(|name| (name, child.clone())));
        } else {
            names.insert(name, child);
        }
    }
    names
}

/// The pairs (child, name) of the `use child::Name` lines of a facade.
fn reexports(tokens: &[TokenTree]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if !matches!(token, TokenTree::Ident(name) if name == "use") {
            continue;
        }
        for path in read_path(tokens, at + 1).0 {
            let path: Vec<String> = path.into_iter().filter(|part| part != "self").collect();
            if let [child, .., name] = path.as_slice() {
                found.push((child.clone(), name.clone()));
            }
        }
    }
    found
}

fn public_names(file: &SourceFile) -> Vec<String> {
    let is_public = |vis: &syn::Visibility| matches!(vis, syn::Visibility::Public(_));
    file.items
        .items
        .iter()
        .filter_map(|item| match item {
            syn::Item::Struct(item) if is_public(&item.vis) => Some(item.ident.to_string()),
            syn::Item::Enum(item) if is_public(&item.vis) => Some(item.ident.to_string()),
            syn::Item::Trait(item) if is_public(&item.vis) => Some(item.ident.to_string()),
            syn::Item::Type(item) if is_public(&item.vis) => Some(item.ident.to_string()),
            syn::Item::Fn(item) if is_public(&item.vis) => Some(item.sig.ident.to_string()),
            syn::Item::Const(item) if is_public(&item.vis) => Some(item.ident.to_string()),
            _ => None,
        })
        .collect()
}

/// One finding per edge that lies on a ring.
fn rings(uses: &Uses) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (from, others) in uses {
        for (to, (file, line)) in others {
            if reaches(uses, to, from) {
                let text = format!("`{from}` and `{to}` need each other");
                findings.push(Finding {
                    file: file.clone(),
                    line: *line,
                    text,
                });
            }
        }
    }
    findings
}

fn reaches(uses: &Uses, from: &str, goal: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if at == goal {
            return true;
        }
        if seen.insert(at) {
            open.extend(
                uses.get(at)
                    .into_iter()
                    .flat_map(|others| others.keys().map(String::as_str)),
            );
        }
    }
    false
}

#[test]
fn a_planted_ring_is_found_through_a_third_file_and_through_the_facade() {
    let files = [
        SourceFile::parse(
            "src/domain.rs",
            "pub mod a; pub mod b; pub mod c;\npub use c::{Stage, Task};",
        ),
        SourceFile::parse("src/domain/a.rs", "use super::b::B;"),
        SourceFile::parse("src/domain/b/deep.rs", "use crate::domain::Task;"),
        SourceFile::parse("src/domain/c.rs", "use crate::domain::a::A;"),
    ];
    let found: Vec<String> = check(&files)
        .into_iter()
        .map(|finding| finding.to_string())
        .collect();
    assert_eq!(
        found,
        [
            "src/domain/a.rs:1: `a` and `b` need each other",
            "src/domain/b/deep.rs:1: `b` and `c` need each other",
            "src/domain/c.rs:1: `c` and `a` need each other",
        ]
    );
}

#[test]
fn a_planted_ring_is_found_through_a_star() {
    let files = [
        SourceFile::parse("src/ui.rs", "pub mod a; pub mod b;\npub use a::*;"),
        SourceFile::parse("src/ui/a.rs", "pub struct Theme;\nuse super::b::B;"),
        SourceFile::parse("src/ui/b.rs", "use crate::ui::Theme;"),
    ];
    assert_eq!(check(&files).len(), 2);
}

#[test]
fn a_line_of_files_is_no_ring() {
    let files = [
        SourceFile::parse("src/domain.rs", "pub mod a; pub mod b;"),
        SourceFile::parse("src/domain/a.rs", "use super::b::B;"),
        SourceFile::parse(
            "src/domain/b.rs",
            "use crate::domain::b::C;\n#[cfg(test)] mod tests { use crate::domain::a::A; }",
        ),
    ];
    assert!(check(&files).is_empty());
}
