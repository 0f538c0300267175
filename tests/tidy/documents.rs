//! Everything that other rooms may use is documented: every public item, method and module. Fields and variants need no document, because
//! it would often only repeat the name.

use super::source::{Finding, SourceFile};

/// Public items without a document.
pub(crate) fn check(files: &[SourceFile]) -> Vec<Finding> {
    files
        .iter()
        .flat_map(|file| {
            let mut found = Vec::new();
            items(&file.items.items, &mut found);
            found
                .into_iter()
                .map(|(line, name)| file.finding(line, format!("`{name}` is public and has no document")))
        })
        .collect()
}

/// Code in documents, which no test runs: no library has documentation tests, because they cost seconds in each run.
pub(crate) fn check_examples(files: &[SourceFile]) -> Vec<Finding> {
    let is_document = |line: &str| line.starts_with("///") || line.starts_with("//!");
    let found = files.iter().flat_map(|file| {
        let lines = file.text.lines().enumerate();
        let fences = lines.filter(move |(_, line)| is_document(line.trim_start()) && line.contains("```"));
        fences.map(|(at, _)| file.finding(at + 1, "code in a document is run by no test"))
    });
    found.collect()
}

/// Line and name of an item.
type Bare = (usize, String);

fn items(all: &[syn::Item], found: &mut Vec<Bare>) {
    for item in all {
        match item {
            syn::Item::Struct(item) => one(&item.vis, &item.attrs, &item.ident, found),
            syn::Item::Enum(item) => one(&item.vis, &item.attrs, &item.ident, found),
            syn::Item::Type(item) => one(&item.vis, &item.attrs, &item.ident, found),
            syn::Item::Const(item) => one(&item.vis, &item.attrs, &item.ident, found),
            syn::Item::Static(item) => one(&item.vis, &item.attrs, &item.ident, found),
            syn::Item::Fn(item) => one(&item.vis, &item.attrs, &item.sig.ident, found),
            syn::Item::Trait(item) => in_trait(item, found),
            syn::Item::Impl(item) if item.trait_.is_none() => in_impl(item, found),
            syn::Item::Mod(item) => {
                // A module in a file of its own begins with its document.
                if let Some((_, inner)) = &item.content
                    && is_public(&item.vis)
                {
                    items(inner, found);
                }
            }
            _ => {}
        }
    }
}

fn in_trait(item: &syn::ItemTrait, found: &mut Vec<Bare>) {
    one(&item.vis, &item.attrs, &item.ident, found);
    if !is_public(&item.vis) {
        return;
    }
    for part in &item.items {
        if let syn::TraitItem::Fn(part) = part {
            one(&item.vis, &part.attrs, &part.sig.ident, found);
        }
    }
}

fn in_impl(item: &syn::ItemImpl, found: &mut Vec<Bare>) {
    for part in &item.items {
        match part {
            syn::ImplItem::Fn(part) => one(&part.vis, &part.attrs, &part.sig.ident, found),
            syn::ImplItem::Const(part) => one(&part.vis, &part.attrs, &part.ident, found),
            _ => {}
        }
    }
}

fn one(vis: &syn::Visibility, attributes: &[syn::Attribute], name: &syn::Ident, found: &mut Vec<Bare>) {
    let is_documented = attributes
        .iter()
        .any(|attribute| attribute.path().is_ident("doc"));
    if is_public(vis) && !is_documented {
        found.push((name.span().start().line, name.to_string()));
    }
}

fn is_public(vis: &syn::Visibility) -> bool {
    matches!(vis, syn::Visibility::Public(_))
}

#[cfg(test)]
fn planted(text: &str) -> usize {
    check(&[SourceFile::parse("src/ui/board.rs", text)]).len()
}

#[test]
fn planted_items_without_documents_are_found() {
    assert_eq!(
        planted("pub struct A;\npub enum B {}\npub fn c() {}\npub const D: u8 = 1;"),
        4
    );
    assert_eq!(
        planted("/// Doc.\npub struct A;\nimpl A { pub fn b(&self) {} }"),
        1
    );
    assert_eq!(planted("/// Doc.\npub trait A { fn b(&self); }"), 1);
}

#[test]
fn fields_variants_and_what_no_other_room_sees_need_no_document() {
    assert_eq!(
        planted("/// Doc.\npub struct A { pub rows: u16 }\n/// Doc.\npub enum B { C }"),
        0
    );
    assert_eq!(
        planted("struct A;\npub(crate) fn b() {}\nimpl A { fn c(&self) {} }"),
        0
    );
    assert_eq!(planted("impl Clone for A { fn clone(&self) -> A { A } }"), 0);
}

#[test]
fn planted_code_in_a_document_is_found() {
    let found = |text: &str| check_examples(&[SourceFile::parse("src/ui/board.rs", text)]).len();
    assert_eq!(
        found("/// Adds.\n///\n/// ```\n/// assert!(true);\n/// ```\npub fn a() {}"),
        2
    );
    assert_eq!(found("/// Adds `a` to ``b``.\npub fn a() {} // ```"), 0);
}
