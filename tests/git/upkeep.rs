//! Upkeep of the control repository in the long run.

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
    let control = fixture.state().join("control.git");
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

#[cfg(unix)]
#[test]
fn what_killed_gits_had_not_written_to_the_end_goes_when_it_is_old_and_no_object_goes_with_it() {
    use std::fs;
    use std::time::{Duration, SystemTime};
    let fixture = GitFixture::new();
    let git = GitCli::open(&setup(&fixture)).unwrap();
    git.resolve(&Revision::RemoteBranch(branch("main")));
    let control = fixture.state().join("control.git");
    let before = fixture.git(&control, &["cat-file", "--batch-all-objects", "--batch-check"]);
    let loose = control.join("objects").join(before.split_at(2).0);
    fs::create_dir_all(control.join("scratch/borrowing/refs")).unwrap();
    fs::create_dir_all(control.join("objects/tmp_objdir-incoming-x/pack")).unwrap();
    let old = [
        loose.join("tmp_obj_a"),
        control.join("objects/pack/tmp_pack_b"),
        control.join("scratch/index-1-1"),
    ];
    let young = [
        loose.join("tmp_obj_c"),
        control.join("objects/pack/tmp_idx_d"),
        control.join("scratch/index-1-2"),
    ];
    for file in old.iter().chain(&young) {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "unfinished").unwrap();
    }
    let folders = [
        control.join("scratch/borrowing"),
        control.join("objects/tmp_objdir-incoming-x"),
    ];
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let objects = fs::read_dir(&loose).unwrap().flatten().map(|entry| entry.path());
    for path in old
        .iter()
        .chain(&folders)
        .cloned()
        .chain(objects.filter(|path| !young.contains(path)))
    {
        fs::File::open(path).unwrap().set_modified(long_ago).unwrap();
    }
    drop(git);
    drop(GitCli::open(&setup(&fixture)).unwrap());
    for gone in old.iter().chain(&folders) {
        assert!(!gone.exists(), "{}", gone.display());
    }
    for stays in &young {
        assert!(stays.exists(), "{} may still be written", stays.display());
    }
    let after = fixture.git(&control, &["cat-file", "--batch-all-objects", "--batch-check"]);
    assert_eq!(after, before);
}
