//! `docs/conformance.md` answers every row of the seeds once, `docs/hostile-inputs.md` every hostile input, and both name only
//! proofs that exist.
//!
//! A row is `| id | what | where | proof |`. The proof is the bare word `open`; or the names of tests in backticks; or
//! `decided:` and the reason. Partial work stays `open`.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenTree;
use syn::visit::{Visit, visit_item_fn};

use super::rows;
use super::source::{Finding, SourceFile, Tree};

/// Number of hostile inputs.
const HOSTILE_INPUTS: usize = 78;

/// Checks the document of the seeds' rows against the list of rows and the names of the tests.
pub(crate) fn check(document: &str, tests: &BTreeSet<String>) -> Vec<Finding> {
    check_rows(("docs/conformance.md", document), rows::ids(), tests)
}

/// Checks the document of hostile inputs against their numbers and the names of the tests.
pub(crate) fn check_hostile_inputs(document: &str, tests: &BTreeSet<String>) -> Vec<Finding> {
    let ids = (1..=HOSTILE_INPUTS).map(|number| format!("C5-{number}"));
    check_rows(("docs/hostile-inputs.md", document), ids, tests)
}

fn check_rows(
    (name, document): (&str, &str),
    ids: impl Iterator<Item = String>,
    tests: &BTreeSet<String>,
) -> Vec<Finding> {
    let finding = |line: usize, text: String| Finding {
        file: name.to_owned(),
        line,
        text,
    };
    let known: BTreeSet<String> = ids.collect();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut findings = Vec::new();
    for row in read_rows(document) {
        if !known.contains(row.id) {
            findings.push(finding(row.line, format!("there is no row {}", row.id)));
        }
        if let Some(first) = seen.insert(row.id, row.line) {
            findings.push(finding(
                row.line,
                format!("row {} stands in line {first} too", row.id),
            ));
        }
        findings.extend(
            wrong_cells(&row, tests).map(|text| finding(row.line, format!("row {}: {text}", row.id))),
        );
    }
    let missing = known.iter().filter(|id| !seen.contains_key(id.as_str()));
    findings.extend(missing.map(|id| finding(1, format!("row {id} is missing"))));
    findings
}

/// One line of a table of rows.
struct Row<'a> {
    line: usize,
    id: &'a str,
    cells: Vec<&'a str>,
}

/// The lines that begin with something like a row id; other tables and text are skipped.
fn read_rows(document: &str) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for (index, line) in document.lines().enumerate() {
        let Some(inner) = line.strip_prefix('|').and_then(|line| line.strip_suffix('|')) else {
            continue;
        };
        let mut cells = inner.split('|').map(str::trim);
        let Some(id) = cells.next() else { continue };
        let looks_like_an_id = id.starts_with(|first: char| first.is_ascii_uppercase())
            && id.ends_with(|last: char| last.is_ascii_digit())
            && !id.contains(' ');
        if looks_like_an_id {
            rows.push(Row {
                line: index + 1,
                id,
                cells: cells.collect(),
            });
        }
    }
    rows
}

/// The mistake in the cells behind the id, if there is one.
fn wrong_cells(row: &Row<'_>, tests: &BTreeSet<String>) -> Option<String> {
    let [what, place, proof] = row.cells.as_slice() else {
        return Some(format!(
            "has {} cells, not id, what, where, proof",
            row.cells.len() + 1
        ));
    };
    if what.is_empty() || place.is_empty() {
        return Some("says not what it is or where it lives".to_owned());
    }
    if *proof == "open" {
        return None;
    }
    if let Some(reason) = proof.strip_prefix("decided:") {
        return (reason.trim().len() < 10).then(|| "is decided without a reason".to_owned());
    }
    let named: Vec<&str> = proof.split('`').skip(1).step_by(2).collect();
    if named.is_empty() {
        return Some("its proof is neither `open`, tests in backticks, nor `decided:`".to_owned());
    }
    let lost = named.iter().find(|name| !tests.contains(**name));
    lost.map(|name| format!("names the test `{name}`, which does not exist"))
}

/// The names of all test functions of the project.
pub(crate) fn test_names(tree: &Tree) -> BTreeSet<String> {
    tree.source.iter().chain(&tree.tests).flat_map(tests_of).collect()
}

fn tests_of(file: &SourceFile) -> BTreeSet<String> {
    let mut tests = Tests::default();
    tests.visit_file(&file.items);
    tests.names
}

#[derive(Default)]
struct Tests {
    names: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Tests {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        let is = |name: &str| {
            let last = |attribute: &syn::Attribute| {
                let segments = &attribute.path().segments;
                segments.last().is_some_and(|segment| segment.ident == name)
            };
            item.attrs.iter().any(last)
        };
        // A test that is not run proves nothing.
        if is("test") && !is("ignore") {
            self.names.insert(item.sig.ident.to_string());
        }
        visit_item_fn(self, item);
    }

    /// Property tests are inside the macro `proptest!`, which `syn` does not look into.
    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        if item
            .path
            .segments
            .last()
            .is_some_and(|segment| segment.ident == "proptest")
        {
            let tokens: Vec<TokenTree> = item.tokens.clone().into_iter().collect();
            for pair in tokens.windows(2) {
                if let [TokenTree::Ident(word), TokenTree::Ident(name)] = pair
                    && word == "fn"
                {
                    self.names.insert(name.to_string());
                }
            }
        }
    }
}

#[cfg(test)]
fn planted(change: impl Fn(String) -> String) -> Vec<String> {
    let rows: String = rows::ids().fold(String::new(), |all, id| {
        all + &format!("| {id} | does it | `domain` | open |\n")
    });
    let tests = BTreeSet::from(["a_test_that_exists".to_owned()]);
    check(&change(rows), &tests)
        .into_iter()
        .map(|finding| finding.text)
        .collect()
}

#[test]
fn a_document_with_every_row_once_passes() {
    assert!(planted(|rows| rows).is_empty());
    assert!(planted(|rows| "| Row | What |\n|---|---|\n".to_owned() + &rows).is_empty());
}

#[test]
fn a_hostile_input_that_is_missing_or_names_no_test_is_found() {
    let rows: String = (1..HOSTILE_INPUTS).fold(String::new(), |all, number| {
        all + &format!("| C5-{number} | text | refused | `no_such_test` |\n")
    });
    let findings = check_hostile_inputs(&rows, &BTreeSet::new());
    assert_eq!(findings.len(), HOSTILE_INPUTS);
    assert!(
        findings
            .iter()
            .any(|finding| finding.text == "row C5-78 is missing")
    );
}

#[test]
fn a_planted_missing_double_or_unknown_row_is_found() {
    assert_eq!(
        planted(|rows| rows.replace("| K7 |", "| K8 |")),
        ["row K8 stands in line 7 too", "row K7 is missing"]
    );
    assert_eq!(
        planted(|rows| rows + "| K107 | x | y | open |\n"),
        ["there is no row K107"]
    );
}

#[test]
fn a_planted_proof_that_does_not_exist_is_found() {
    let with = |proof: &'static str| {
        planted(move |rows| {
            rows.replace(
                "| K7 | does it | `domain` | open |",
                &format!("| K7 | x | y | {proof} |"),
            )
        })
    };
    assert_eq!(
        with("`no_such_test`"),
        ["row K7: names the test `no_such_test`, which does not exist"]
    );
    assert_eq!(with("`a_test_that_exists`, `no_such_test`").len(), 1);
    assert_eq!(with("`a_test_that_exists`").len(), 0);
    assert_eq!(with("done").len(), 1);
    assert_eq!(with("decided:").len(), 1);
    assert_eq!(with("decided: there is no session of tmux to keep").len(), 0);
    assert_eq!(with("open | more").len(), 1);
}

#[test]
fn tests_are_known_by_their_functions_only() {
    let text = "#[test] fn a() {}\n#[tokio::test] async fn b() {}\nfn c() {}\n#[test] #[ignore = \"later\"] fn f() {}\nmod tests { #[test] fn d() {} }\nproptest! { #[test] fn e(x in 0..9) {} }";
    let names = tests_of(&SourceFile::parse("src/ui/board.rs", text));
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["a", "b", "d", "e"]);
}
