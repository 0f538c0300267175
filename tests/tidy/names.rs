//! Names without meaning are refused: for types, for modules and for files.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{Visit, visit_item_mod};

use super::source::{Finding, SourceFile};

/// Words that must not be part of the name of a type or a module.
const EMPTY_WORDS: &[&str] = &[
    "manager", "handler", "helper", "helpers", "util", "utils", "data", "info", "common", "misc", "types",
];

/// Every item and file of `files` with an empty word in its name.
pub(crate) fn check(files: &[SourceFile]) -> Vec<Finding> {
    files.iter().flat_map(check_file).collect()
}

/// Names that a reader expects in several modules.
const IDIOMS: &[&str] = &["Error"];

/// Every type of `files` that is visible to other modules and shares its name with a type in another file.
pub(crate) fn check_unique(files: &[SourceFile]) -> Vec<Finding> {
    let mut owners: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let all: Vec<(&SourceFile, usize, String)> = files
        .iter()
        .flat_map(|file| {
            visible_types(file)
                .into_iter()
                .map(move |(line, name)| (file, line, name))
        })
        .collect();
    for (file, _, name) in &all {
        owners.entry(name.clone()).or_default().insert(&file.path);
    }
    all.iter()
        .filter(|(_, _, name)| owners.get(name).is_some_and(|files| files.len() > 1))
        .map(|(file, line, name)| {
            file.finding(
                *line,
                format!("the type name `{name}` stands in another file, too"),
            )
        })
        .collect()
}

fn visible_types(file: &SourceFile) -> Vec<(usize, String)> {
    let visible = |vis: &syn::Visibility| !matches!(vis, syn::Visibility::Inherited);
    let names = file.items.items.iter().filter_map(|item| match item {
        syn::Item::Struct(item) if visible(&item.vis) => Some(&item.ident),
        syn::Item::Enum(item) if visible(&item.vis) => Some(&item.ident),
        syn::Item::Trait(item) if visible(&item.vis) => Some(&item.ident),
        syn::Item::Type(item) if visible(&item.vis) => Some(&item.ident),
        _ => None,
    });
    names
        .map(|name| (name.span().start().line, name.to_string()))
        .filter(|(_, name)| !IDIOMS.contains(&name.as_str()))
        .collect()
}

fn check_file(file: &SourceFile) -> Vec<Finding> {
    let mut names = Names::default();
    names.visit_file(&file.items);
    names
        .found
        .extend(file.module().last().map(|stem| (1, stem.clone())));
    let empty = |name: &str| {
        words(name)
            .into_iter()
            .find(|word| EMPTY_WORDS.contains(&word.as_str()))
    };
    names
        .found
        .iter()
        .filter_map(|(line, name)| {
            empty(name).map(|word| file.finding(*line, format!("`{name}`: the word \"{word}\" says nothing")))
        })
        .collect()
}

/// Splits a name into words: `MetaData` is meta, data; `Metadata` is one word; `git_info` is git, info.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in name.chars() {
        if letter == '_' || letter.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut()
            && letter != '_'
        {
            word.extend(letter.to_lowercase());
        }
    }
    words
}

#[derive(Default)]
struct Names {
    found: Vec<(usize, String)>,
}

impl Names {
    fn add(&mut self, name: &syn::Ident) {
        self.found.push((name.span().start().line, name.to_string()));
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.add(&item.ident);
    }
    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.add(&item.ident);
    }
    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.add(&item.ident);
    }
    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.add(&item.ident);
    }
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.add(&item.ident);
        visit_item_mod(self, item);
    }
}

#[cfg(test)]
fn planted(path: &str, text: &str) -> usize {
    check(&[SourceFile::parse(path, text)]).len()
}

#[test]
fn a_planted_empty_name_is_found() {
    assert_eq!(
        planted(
            "src/ui/board.rs",
            "struct TaskManager;\nenum KeyHandler {}\ntrait Helper {}\ntype GitInfo = u8;"
        ),
        4
    );
    assert_eq!(
        planted("src/ui/board.rs", "mod inner { struct MetaData; }\nmod utils {}"),
        2
    );
    assert_eq!(planted("src/ui/common.rs", "//! Doc."), 1);
}

#[test]
fn a_name_that_only_contains_the_letters_is_fine() {
    assert_eq!(
        planted(
            "src/ui/board.rs",
            "struct Metadata;\nstruct Inform;\nstruct Database;\nmod datable {}"
        ),
        0
    );
}

#[test]
fn a_planted_second_owner_of_a_type_name_is_found_in_both_files() {
    let files = |second: &str| {
        [
            SourceFile::parse("src/ui/line.rs", "pub struct Line;\npub enum Error {}"),
            SourceFile::parse("src/term/line.rs", second),
        ]
    };
    assert_eq!(check_unique(&files("pub(crate) struct Line;")).len(), 2);
    assert_eq!(check_unique(&files("struct Line;\npub enum Error {}")).len(), 0);
    // Twins for two systems are in one file.
    assert_eq!(
        check_unique(&files(
            "#[cfg(unix)]\npub struct Pipe;\n#[cfg(windows)]\npub struct Pipe;"
        ))
        .len(),
        0
    );
}
