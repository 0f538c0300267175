//! Notes about hooks and credential helpers, which the person's own git uses and the engine does not.

use std::fs;

use super::{GitFixture, open};
use crate::script::write_script;

#[test]
fn hooks_are_named_with_those_for_whom_they_do_not_run() {
    let fixture = GitFixture::new();
    let project = fixture.project();
    let note = || open(&fixture).hooks_note().unwrap().unwrap_or_default();
    assert_eq!(note(), "");
    write_script(&project.join(".git/hooks/pre-push"), "#!/bin/sh\n");
    fs::write(project.join(".git/hooks/pre-commit.sample"), "").unwrap();
    let said = note();
    assert!(
        said.starts_with("pre-push in .git/hooks run when agents commit"),
        "{said}"
    );
    write_script(&project.join(".husky/_/pre-commit"), "#!/bin/sh\n");
    fixture.git(&project, &["config", "core.hooksPath", ".husky/_"]);
    let said = note();
    assert!(
        said.starts_with("pre-commit in .husky/_ (core.hooksPath) do not run for agents")
            && said.contains("gates.hooks"),
        "{said}"
    );
    fixture.commit(&project, "more.txt", "more\n", "The hooks, too");
    let said = note();
    assert!(
        said.starts_with("pre-commit in .husky/_ run when agents commit"),
        "{said}"
    );
}

#[test]
fn submodules_that_are_empty_for_agents_are_named() {
    let fixture = GitFixture::new();
    assert_eq!(open(&fixture).submodules_note(), None);
    let text = "[submodule \"lib\"]\n\tpath = deep/lib\n\turl = ../lib\n";
    fs::write(fixture.project().join(".gitmodules"), text).unwrap();
    let said = open(&fixture).submodules_note().unwrap_or_default();
    assert!(
        said.contains("deep/lib") && said.contains("git submodule update --init"),
        "{said}"
    );
    let url = ["config", "submodule.lib.url", "https://host/lib"];
    fixture.git(&fixture.project(), &url);
    assert_eq!(open(&fixture).submodules_note(), None);
}

#[test]
fn a_helper_of_the_repository_is_named_and_one_of_the_person_is_not() {
    let fixture = GitFixture::new();
    let project = fixture.project();
    fixture.git(&project, &["config", "--global", "credential.helper", "store"]);
    assert_eq!(open(&fixture).unused_helpers(), None);
    fixture.git(&project, &["config", "credential.https://host.helper", "store"]);
    let said = open(&fixture).unused_helpers().unwrap_or_default();
    assert!(
        said.starts_with("credential.https://host.helper of this repository is not used"),
        "{said}"
    );
    assert!(said.contains("git config --global"), "{said}");
}
