//! The control repository in the long run.

use dbs::adapters::git::GitCli;
use dbs::ports::git::{Git as _, Head, Revision};

use crate::git_fixture::GitFixture;
use crate::{branch, setup};

#[test]
fn what_has_gathered_is_packed_once_and_nothing_is_thrown_away() {
    let fixture = GitFixture::new();
    let mut eager = setup(&fixture);
    eager.limits.loose = 10;
    let git = GitCli::open(&eager).unwrap();
    let control = fixture.state().join("control.git");
    git.resolve(&Revision::RemoteBranch(branch("main")));
    let file = fixture.root().join("file");
    let mut kept = Vec::new();
    for n in 0..20 {
        std::fs::write(&file, format!("kept nowhere else {n}")).unwrap();
        kept.push(fixture.git(&control, &["hash-object", "-w", file.to_str().unwrap()]));
    }
    assert!(git.maintain().unwrap());
    let counted = fixture.git(&control, &["count-objects"]);
    assert!(counted.starts_with("0 objects"), "{counted}");
    for object in kept {
        fixture.git(&control, &["cat-file", "-e", &object]);
    }
    assert!(!git.maintain().unwrap(), "there is nothing more to do");
}

#[test]
fn what_has_hardly_gathered_is_left_as_it_is() {
    let fixture = GitFixture::new();
    let git = GitCli::open(&setup(&fixture)).unwrap();
    git.resolve(&Revision::RemoteBranch(branch("main")));
    assert!(!git.maintain().unwrap());
}

#[test]
fn many_refs_are_packed_also_when_there_are_few_objects_and_none_is_lost() {
    let fixture = GitFixture::new();
    let git = GitCli::open(&setup(&fixture)).unwrap();
    let control = fixture.project().join(".debussy/dbs/control.git");
    let Head::At(commit) = git.resolve(&Revision::RemoteBranch(branch("main"))) else {
        panic!("no base branch")
    };
    let names: Vec<String> = (0..300).map(|n| format!("refs/attic/t{}/{n}", n % 7)).collect();
    for name in &names {
        fixture.git(&control, &["update-ref", name, commit.as_str()]);
    }
    assert!(git.maintain().unwrap());
    let listed = fixture.git(&control, &["for-each-ref", "--format=%(refname)", "refs/attic"]);
    assert_eq!(listed.lines().count(), names.len());
    assert!(!control.join("refs/attic/t0/0").exists(), "it is packed");
    assert!(!git.maintain().unwrap(), "there is nothing more to do");
}
