//! No two children of a folder may need each other, directly or in a ring: then each can be read alone.
//!
//! Every folder at every depth is checked. A child is a file together with the folder of the same name.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenTree;

use super::paths::{Target, mentions, read_path};
use super::source::{Finding, SourceFile};

/// Uses of each child of a folder: the other child, and the first place that names it.
type Uses = BTreeMap<String, BTreeMap<String, (String, usize)>>;

/// The names visible directly below each folder, each with the path from the crate root for which it stands.
type Names = BTreeMap<Vec<String>, BTreeMap<String, Vec<String>>>;

/// The rings in every folder of `files`.
pub(crate) fn check(files: &[SourceFile]) -> Vec<Finding> {
    let names = names(files);
    let mut folders: BTreeMap<Vec<String>, Uses> = BTreeMap::new();
    for file in files {
        let own = file.module();
        for mention in mentions(file, &BTreeSet::new()) {
            let Target::Inside(path) = mention.target else {
                continue;
            };
            let Some((folder, child, other)) = sideways(&own, &real_path(path, &names)) else {
                continue;
            };
            folders
                .entry(folder)
                .or_default()
                .entry(child)
                .or_default()
                .entry(other)
                .or_insert((file.path.clone(), mention.line));
        }
    }
    folders.values().flat_map(rings).collect()
}

/// Returns the folder in which the two paths part, its child that names the other, and the child that is named.
///
/// Rooms have their own table in the rule of the layers, so a path into another room is ignored here. So is a facade that names its
/// children, and a child that names its facade.
fn sideways(own: &[String], path: &[String]) -> Option<(Vec<String>, String, String)> {
    let depth = own
        .iter()
        .zip(path)
        .take_while(|(own, other)| own == other)
        .count();
    let (child, other) = (own.get(depth)?, path.get(depth)?);
    let folder = own.get(..depth).filter(|folder| !folder.is_empty())?;
    Some((folder.to_vec(), child.clone(), other.clone()))
}

/// Follows re-exports until each part of `path` is the file that contains it; the rest that is not a file of a folder is cut off.
fn real_path(path: Vec<String>, names: &Names) -> Vec<String> {
    let mut path = path;
    let mut depth = 0;
    let mut followed = BTreeSet::new();
    while let Some(name) = path.get(depth).cloned() {
        let Some(stands_for) = path.get(..depth).and_then(|folder| names.get(folder)?.get(&name)) else {
            path.truncate(depth);
            break;
        };
        let same = path.get(..=depth).is_some_and(|part| part == stands_for);
        if same || !followed.insert((depth, name)) {
            depth += 1;
            continue;
        }
        // A re-export may stand for a path in another folder, so the path is read from the root again.
        let rest = path.split_off(depth + 1);
        path = [stands_for.as_slice(), &rest].concat();
        depth = 0;
    }
    path
}

/// The children of every folder under their own names, and the names that each facade re-exports from them.
fn names(files: &[SourceFile]) -> Names {
    let mut names = Names::new();
    for file in files {
        let module = file.module();
        for length in 1..=module.len() {
            let path = module.get(..length).unwrap_or_default();
            if let Some((name, folder)) = path.split_last() {
                names
                    .entry(folder.to_vec())
                    .or_default()
                    .insert(name.clone(), path.to_vec());
            }
        }
    }
    for facade in files.iter().filter(|file| !file.module().is_empty()) {
        let folder = facade.module();
        let children = names.get(&folder).cloned().unwrap_or_default();
        for (path, name) in reexports(&facade.shipped) {
            if !path.first().is_some_and(|child| children.contains_key(child)) {
                continue;
            }
            let from = [folder.as_slice(), &path].concat();
            let brought = if name == "*" {
                public_names_of(files, &from)
            } else {
                vec![name]
            };
            let own = names.entry(folder.clone()).or_default();
            for name in brought {
                let stands_for = [from.as_slice(), std::slice::from_ref(&name)].concat();
                own.entry(name).or_insert(stands_for);
            }
        }
    }
    names
}

fn public_names_of(files: &[SourceFile], module: &[String]) -> Vec<String> {
    files
        .iter()
        .filter(|file| file.module() == module)
        .flat_map(public_names)
        .collect()
}

/// The pairs (path of the child, name) of the `use child::Name` lines of a facade.
fn reexports(tokens: &[TokenTree]) -> Vec<(Vec<String>, String)> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if !matches!(token, TokenTree::Ident(name) if name == "use") {
            continue;
        }
        for path in read_path(tokens, at + 1).0 {
            let path: Vec<String> = path.into_iter().filter(|part| part != "self").collect();
            if let [child @ .., name] = path.as_slice() {
                found.push((child.to_vec(), name.clone()));
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
fn a_planted_ring_is_found_in_a_deeper_folder() {
    let files = [
        SourceFile::parse("src/ui.rs", "pub mod views;"),
        SourceFile::parse("src/ui/views.rs", "pub mod detail;"),
        SourceFile::parse(
            "src/ui/views/detail.rs",
            "mod failure; mod lines;\npub use lines::Part;",
        ),
        SourceFile::parse("src/ui/views/detail/failure.rs", "use super::Part;"),
        SourceFile::parse("src/ui/views/detail/lines.rs", "use super::failure::shown;"),
    ];
    let found: Vec<String> = check(&files)
        .into_iter()
        .map(|finding| finding.to_string())
        .collect();
    assert_eq!(
        found,
        [
            "src/ui/views/detail/failure.rs:1: `failure` and `lines` need each other",
            "src/ui/views/detail/lines.rs:1: `lines` and `failure` need each other",
        ]
    );
}

#[test]
fn a_planted_ring_is_found_between_the_folder_of_a_child_and_its_sibling() {
    let files = [
        SourceFile::parse("src/term.rs", "pub mod history;"),
        SourceFile::parse("src/term/history.rs", "mod packed; mod rewrap;"),
        SourceFile::parse("src/term/history/packed.rs", "mod run;"),
        SourceFile::parse(
            "src/term/history/packed/run.rs",
            "use super::super::rewrap::Rows;",
        ),
        SourceFile::parse(
            "src/term/history/rewrap.rs",
            "use crate::term::history::packed::Line;",
        ),
    ];
    let found: Vec<String> = check(&files)
        .into_iter()
        .map(|finding| finding.to_string())
        .collect();
    assert_eq!(
        found,
        [
            "src/term/history/packed/run.rs:1: `packed` and `rewrap` need each other",
            "src/term/history/rewrap.rs:1: `rewrap` and `packed` need each other",
        ]
    );
}

#[test]
fn a_facade_and_its_children_are_no_ring() {
    let files = [
        SourceFile::parse("src/ui.rs", "pub mod views;"),
        SourceFile::parse(
            "src/ui/views.rs",
            "pub mod list;\nuse list::Row;\npub struct View;",
        ),
        SourceFile::parse("src/ui/views/list.rs", "use super::View;"),
    ];
    assert!(check(&files).is_empty());
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
