//! Number of times that git is started: each start costs a few milliseconds, and an agent waits for all of them.

use std::fs;

use dbs::adapters::git::{GitCli, GitSetup};
use dbs::domain::Tri;
use dbs::ports::git::{
    CommitsAhead, DeleteOutcome, Git as _, Head, MergeOutcome, PublishOutcome, PublishRequest, Revision,
    WorkingTree, WorktreeKind,
};

use crate::git_fixture::GitFixture;
use crate::script::write_script;
use crate::{base, branch, developed, id, merge_of, name, on_branch, open, saver, setup, spec};

/// A git that records every start, and its records.
struct Counted {
    setup: GitSetup,
    notes: std::path::PathBuf,
}

impl Counted {
    fn new(fixture: &GitFixture) -> Self {
        let (program, notes) = (fixture.root().join("counting-git"), fixture.root().join("notes"));
        let text = format!(
            "#!/bin/sh\necho \"$*\" >> '{}'\nexec git \"$@\"\n",
            notes.display()
        );
        write_script(&program, text);
        let mut setup = setup(fixture);
        setup.program = program.into();
        Self { setup, notes }
    }

    /// Returns what git was started for since the last call.
    fn starts(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.notes).unwrap_or_default();
        fs::write(&self.notes, "").unwrap();
        text.lines().map(str::to_owned).collect()
    }
}

fn assert_at_most(most: usize, starts: &[String]) {
    let told: Vec<&str> = starts
        .iter()
        .map(|line| line.rsplit_once(" -c ").map_or(line.as_str(), |(_, rest)| rest))
        .collect();
    assert!(starts.len() <= most, "{} starts: {told:#?}", starts.len());
}

#[test]
fn a_known_project_is_opened_and_looked_over_with_five_questions() {
    let fixture = GitFixture::new();
    drop(open(&fixture));
    let counted = Counted::new(&fixture);
    let git = GitCli::open(&counted.setup).unwrap();
    git.preflight().unwrap();
    assert_at_most(5, &counted.starts());
}

#[test]
fn pushed_work_is_seen_with_three_questions_and_its_review_begins_with_four() {
    let fixture = GitFixture::new();
    let counted = Counted::new(&fixture);
    let git = GitCli::open(&counted.setup).unwrap();
    let (_, commit) = developed(&fixture, &git);
    fixture.git(&fixture.project(), &["push", "-q", "origin", "feature/t1"]);
    counted.starts();

    let heads = git.resolve_all(&[
        Revision::LocalBranch(branch("feature/t1")),
        Revision::RemoteBranch(branch("main")),
        Revision::RemoteBranch(branch("feature/t1")),
    ]);
    let [head, Head::At(base), there] = heads.as_slice() else {
        panic!("{heads:?}")
    };
    assert_eq!(
        (head, there),
        (&Head::At(commit.clone()), &Head::At(commit.clone()))
    );
    let ahead = git.commits_ahead(&Revision::Commit(commit.clone()), &Revision::Commit(base.clone()));
    assert!(
        matches!(ahead, CommitsAhead::Commits { n_commits: 1, .. }),
        "{ahead:?}"
    );
    assert_at_most(3, &counted.starts());

    let review = spec("r", WorktreeKind::Detached(Revision::Commit(commit.clone())));
    let worktree = git.ensure_worktree(&review).unwrap();
    assert_at_most(4, &counted.starts());
    assert_eq!(worktree.start.head, Some(commit));
    let answer = git.workspace_unchanged(&WorkingTree::Worktree(name("r")), &worktree.start);
    assert_eq!(answer, Tri::Yes);
}

#[test]
fn whether_commits_are_part_of_others_is_asked_once_from_the_merge_to_the_end_of_the_branch() {
    let fixture = GitFixture::new();
    let counted = Counted::new(&fixture);
    let git = GitCli::open(&counted.setup).unwrap();
    let (_, head) = developed(&fixture, &git);
    git.push_branch(&branch("feature/t1"), None);
    counted.starts();
    let compared = |starts: &[String]| starts.iter().filter(|line| line.contains("merge-base")).count();

    let MergeOutcome::Merged {
        commit,
        base: expected,
        ..
    } = git.merge(&merge_of(&head))
    else {
        panic!("not merged")
    };
    let publication = PublishRequest {
        commit,
        base: branch("main"),
        expected,
    };
    assert_eq!(git.publish(&publication), PublishOutcome::Done);
    assert_eq!(git.is_merged(&head, &branch("main")), Tri::Yes);
    git.remove_worktree(&name("a"), &saver("t1")).unwrap();
    let base = base(&git, "main");
    for outcome in [
        git.delete_branch(&branch("feature/t1"), &head, &base, &saver("t1")),
        git.delete_remote_branch(&branch("feature/t1"), &head, &base, &saver("t1")),
    ] {
        assert_eq!(outcome, DeleteOutcome::Deleted { kept_as: None });
    }
    assert_eq!(compared(&counted.starts()), 1);

    fixture.commit_on_origin("main", "theirs.txt", "theirs\n");
    for _ in 0..2 {
        assert_eq!(git.is_merged(&head, &branch("main")), Tri::Yes);
    }
    assert_eq!(
        compared(&counted.starts()),
        1,
        "another base is asked about once more"
    );
}

#[test]
fn new_work_begins_with_few_questions() {
    let fixture = GitFixture::new();
    let counted = Counted::new(&fixture);
    let git = GitCli::open(&counted.setup).unwrap();
    git.resolve(&Revision::RemoteBranch(branch("main")));
    counted.starts();
    git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    assert_at_most(9, &counted.starts());
}

#[test]
fn what_was_kept_is_known_without_a_question_also_after_packing() {
    let fixture = GitFixture::new();
    let counted = Counted::new(&fixture);
    let git = GitCli::open(&counted.setup).unwrap();
    let Head::At(commit) = git.resolve(&Revision::RemoteBranch(branch("main"))) else {
        panic!("no main branch")
    };
    let control = fixture.state().join("control.git");
    for _ in 0..2 {
        counted.starts();
        let found = git.resolve(&Revision::Commit(commit.clone()));
        assert_eq!(found, Head::At(commit.clone()));
        assert_at_most(0, &counted.starts());
        fixture.git(&control, &["pack-refs", "--all"]);
    }
    let unknown = id(&"1".repeat(commit.as_str().len()));
    assert_eq!(git.resolve(&Revision::Commit(unknown)), Head::Absent);
}

#[test]
fn a_branch_that_is_not_a_file_of_its_own_is_asked_of_git() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (_, commit) = developed(&fixture, &git);
    let local = || git.resolve(&Revision::LocalBranch(branch("feature/t1")));
    fixture.git(&fixture.project(), &["pack-refs", "--all"]);
    assert_eq!(local(), Head::At(commit.clone()), "packed");
    let project = fixture.project();
    fixture.git(&project, &["update-ref", "-d", "refs/heads/feature/t1"]);
    assert_eq!(local(), Head::Absent, "deleted");
    fixture.git(&project, &["update-ref", "refs/heads/other", commit.as_str()]);
    fixture.git(
        &project,
        &["symbolic-ref", "refs/heads/feature/t1", "refs/heads/other"],
    );
    assert_eq!(local(), Head::At(commit), "by another name");
}
