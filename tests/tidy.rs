//! Keeps the walls of the project: layers, cycles, sizes, documents, names, doors. It reads the tree and runs nothing.
//!
//! Each rule is a plain function from files to findings and has a planted violation beside it, so that it is known to be
//! able to fail. A rule changes together with an ADR, not quietly.
#![expect(
    clippy::expect_used,
    reason = "a tree that cannot be read is a failed test, and the text says which part"
)]

#[path = "tidy/conformance.rs"]
mod conformance;
#[path = "tidy/cycles.rs"]
mod cycles;
#[path = "tidy/doors.rs"]
mod doors;
#[path = "tidy/files.rs"]
mod files;
#[path = "tidy/layers.rs"]
mod layers;
#[path = "tidy/names.rs"]
mod names;
#[path = "tidy/paths.rs"]
mod paths;
#[path = "tidy/rows.rs"]
mod rows;
#[path = "tidy/source.rs"]
mod source;
#[path = "tidy/texts.rs"]
mod texts;

use source::{Finding, Tree};

/// Fails with every finding, one per line, and the way out.
fn must_be_empty(findings: &[Finding], way_out: &str) {
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(
        lines.is_empty(),
        "{} finding(s); {way_out}\n{}",
        lines.len(),
        lines.join("\n")
    );
}

#[test]
fn layers_use_only_what_stands_above_them() {
    let tree = Tree::read();
    must_be_empty(
        &layers::check(&tree.source, &tree.dependencies),
        "move the code to the layer that may do it; the table is in tests/tidy/layers.rs",
    );
}

#[test]
fn files_of_one_layer_do_not_form_cycles() {
    must_be_empty(
        &cycles::check(&Tree::read().source),
        "let one of them own the shared type, or take it as an argument",
    );
}

#[test]
fn files_are_small_documented_and_in_facade_style() {
    must_be_empty(
        &files::check(&Tree::read().source),
        "split by rule, not by kind of item",
    );
}

#[test]
fn names_say_what_a_thing_is() {
    must_be_empty(
        &names::check(&Tree::read().source),
        "name it by what it does for a person or a rule",
    );
}

#[test]
fn doors_to_the_outside_are_listed_and_give_a_reason() {
    let tree = Tree::read();
    must_be_empty(
        &doors::check(&tree.source, &tree.architecture),
        "take time, paths and processes as arguments or through a port; a new door gets a row in docs/architecture.md",
    );
}

#[test]
fn texts_hold_no_notes_to_self_and_no_paths_of_one_machine() {
    must_be_empty(
        &texts::check(&Tree::read()),
        "finish the work or open an issue; name files relative to the project",
    );
}

#[test]
fn every_row_of_the_seeds_is_answered_and_every_named_proof_exists() {
    let tree = Tree::read();
    must_be_empty(
        &conformance::check(&tree.conformance, &conformance::test_names(&tree)),
        "docs/conformance.md holds each row once: `open`, tests that exist, or a decision",
    );
}

#[test]
fn the_architecture_is_short_enough_to_be_read() {
    must_be_empty(
        &texts::check_length("docs/architecture.md", &Tree::read().architecture, 200),
        "say less",
    );
}
