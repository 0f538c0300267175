//! Rules that keep the structure of the project: layers, cycles, sizes, documents, names, doors. They read the tree and run nothing.
//!
//! Each rule is a plain function from files to findings, with a planted violation beside it that proves that the rule can fail. A rule
//! changes together with an ADR, not quietly.
#![expect(
    clippy::expect_used,
    reason = "a tree that cannot be read is a failed test, and the text says which part"
)]

#[path = "tidy/conformance.rs"]
mod conformance;
#[path = "tidy/cycles.rs"]
mod cycles;
#[path = "tidy/dependencies.rs"]
mod dependencies;
#[path = "tidy/documents.rs"]
mod documents;
#[path = "tidy/doors.rs"]
mod doors;
#[path = "tidy/files.rs"]
mod files;
#[path = "tidy/glossary.rs"]
mod glossary;
#[path = "tidy/layers.rs"]
mod layers;
#[path = "tidy/names.rs"]
mod names;
#[path = "tidy/parameters.rs"]
mod parameters;
#[path = "tidy/paths.rs"]
mod paths;
#[path = "tidy/rows.rs"]
mod rows;
#[path = "tidy/shells.rs"]
mod shells;
#[path = "tidy/snapshots.rs"]
mod snapshots;
#[path = "tidy/source.rs"]
mod source;
#[path = "tidy/texts.rs"]
mod texts;

use std::collections::BTreeSet;

use source::{Finding, Tree};

/// Findings of a rule, and the way out.
struct Ruling {
    findings: Vec<Finding>,
    way_out: &'static str,
}

// Two tests instead of one per rule, because each test reads the whole tree, and two cores can run two at once.

#[test]
fn the_project_keeps_its_walls() {
    let tree = Tree::read();
    assert_kept(&rulings_on_walls(&tree));
}

#[test]
fn the_project_keeps_to_its_words_and_tells_what_is_so() {
    let tree = Tree::read();
    assert_kept(&rulings_on_words(&tree));
}

fn assert_kept(rulings: &[Ruling]) {
    let broken: Vec<String> = rulings
        .iter()
        .filter(|ruling| !ruling.findings.is_empty())
        .map(|ruling| {
            let lines: Vec<String> = ruling.findings.iter().map(ToString::to_string).collect();
            format!("{}\n  way out: {}", lines.join("\n"), ruling.way_out)
        })
        .collect();
    assert!(
        broken.is_empty(),
        "the rules of this project are broken:\n{}",
        broken.join("\n")
    );
}

/// Rules on what each part may know, contain and do.
fn rulings_on_walls(tree: &Tree) -> Vec<Ruling> {
    vec![
        Ruling {
            findings: layers::check(&tree.source, &all_dependencies(tree)),
            way_out: "move the code to the layer that may do it; the table is in tests/tidy/layers.rs",
        },
        Ruling {
            findings: cycles::check(&tree.source),
            way_out: "let one of them own the shared type, or take it as an argument",
        },
        Ruling {
            findings: unused_dependencies(tree),
            way_out: "take it out of Cargo.toml, or use it where it replaces code of our own",
        },
        Ruling {
            findings: files::check(&tree.source),
            way_out: "split by rule, not by kind of item",
        },
        Ruling {
            findings: files::check_declared(&tree.source),
            way_out: "declare it with `mod`, or remove it",
        },
        Ruling {
            findings: parameters::check(&tree.source),
            way_out: "name each parameter, up to seven; what travels together is a struct with a document",
        },
        Ruling {
            findings: doors::check(&tree.source, &tree.architecture),
            way_out: "take time, paths and processes as arguments; a new door gets a row in docs/architecture.md",
        },
        Ruling {
            findings: shells::check(&tree.source, &tree.texts),
            way_out: "start the program itself; a file that starts a person's own shell is a row of tests/tidy/shells.rs",
        },
    ]
}

/// Rules on names and on the content of the documents.
fn rulings_on_words(tree: &Tree) -> Vec<Ruling> {
    let tests = conformance::test_names(tree);
    vec![
        Ruling {
            findings: names::check(&tree.source),
            way_out: "name it by what it does for a person or a rule",
        },
        Ruling {
            findings: names::check_unique(&tree.source),
            way_out: "give one of them a name that says what it is; only idioms such as `Error` may stand in several modules",
        },
        Ruling {
            findings: glossary::check(&tree.source, &tree.glossary),
            way_out: "take the word a terminal or CI engineer would search for, or explain yours in docs/glossary.md",
        },
        Ruling {
            findings: documents::check(&tree.source),
            way_out: "say in one plain sentence what it is, or let no other room see it",
        },
        Ruling {
            findings: documents::check_examples(&tree.source),
            way_out: "write a test, and say in words what the document shows",
        },
        Ruling {
            findings: snapshots::check(&tree.texts),
            way_out: "remove the file, or compare it",
        },
        Ruling {
            findings: texts::check(tree),
            way_out: "finish the work or open an issue; name files relative to the project",
        },
        Ruling {
            findings: conformance::check(&tree.conformance, &tests),
            way_out: "docs/conformance.md holds each row once: `open`, tests that exist, or a decision",
        },
        Ruling {
            findings: conformance::check_hostile_inputs(&tree.hostile_inputs, &tests),
            way_out: "docs/hostile-inputs.md holds each input once: `open` or tests that exist",
        },
        Ruling {
            findings: texts::check_named_files("docs/architecture.md", &tree.architecture, &rust_files(tree)),
            way_out: "name the file that took its place",
        },
        Ruling {
            findings: texts::check_named_files(
                "docs/where.md",
                document(tree, "docs/where.md"),
                &rust_files(tree),
            ),
            way_out: "name the file that took its place",
        },
        Ruling {
            findings: texts::check_length("docs/architecture.md", &tree.architecture, 3_000),
            way_out: "say less",
        },
    ]
}

fn all_dependencies(tree: &Tree) -> BTreeSet<String> {
    let all = tree.manifests.iter().flat_map(|manifest| &manifest.dependencies);
    all.cloned().collect()
}

fn unused_dependencies(tree: &Tree) -> Vec<Finding> {
    let files = everything(tree);
    let of = |manifest| dependencies::check(manifest, &files);
    tree.manifests.iter().flat_map(of).collect()
}

/// The files of the program and of its tests, benchmarks and examples.
fn everything(tree: &Tree) -> Vec<&source::SourceFile> {
    tree.source.iter().chain(&tree.tests).collect()
}

/// The text of the document at `path`.
fn document<'a>(tree: &'a Tree, path: &str) -> &'a str {
    let file = tree.texts.iter().find(|file| file.path == path);
    &file.expect("the document is in the tree").text
}

fn rust_files(tree: &Tree) -> Vec<String> {
    let source = tree.source.iter().map(|file| file.path.clone());
    source
        .chain(tree.texts.iter().map(|file| file.path.clone()))
        .collect()
}
