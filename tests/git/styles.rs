//! Forms in which work reaches its base: one commit, commits made anew, and the record by which such work is known.

use dbs::adapters::git::GitCli;
use dbs::domain::{MergeStyle, Tri};
use dbs::ports::git::{
    BranchName, CommitId, CommitsAhead, DiffRange, Git, MergeOutcome, MergeRequest, PublishOutcome,
    PublishRequest, Revision, Worktree,
};

use super::{GitFixture, branch, developed, file_at, id, merge_of, name, open};

fn request(style: MergeStyle, head: &CommitId) -> MergeRequest {
    MergeRequest {
        style,
        start: String::new(),
        ..merge_of(head)
    }
}

fn main() -> BranchName {
    branch("main")
}

fn merged(outcome: MergeOutcome) -> PublishRequest {
    let MergeOutcome::Merged { commit, base, .. } = outcome else {
        panic!("{outcome:?}")
    };
    PublishRequest {
        commit,
        base: main(),
        expected: base,
    }
}

fn published(git: &GitCli, request: &MergeRequest) -> CommitId {
    let publication = merged(git.merge(request));
    assert_eq!(git.publish(&publication), PublishOutcome::Done);
    publication.commit
}

fn log(fixture: &GitFixture, commit: &CommitId, form: &str) -> String {
    let control = fixture.state().join("control.git");
    fixture.git(&control, &["log", "-1", form, commit.as_str()])
}

/// Makes a second commit on the branch of [`developed`].
fn more(fixture: &GitFixture, worktree: &Worktree, text: &str) -> CommitId {
    id(&fixture.commit(&worktree.path, "work.txt", text, "Improve the work"))
}

#[test]
fn one_commit_has_all_of_the_work_and_is_known_for_it_after_a_restart() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    let head = more(&fixture, &worktree, "better work\n");
    let base = fixture.commit_on_origin("main", "theirs.txt", "theirs\n");
    let squash = request(MergeStyle::Squash, &head);
    let publication = merged(git.merge(&squash));
    assert!(
        matches!(git.is_merged(&head, &main()), Tri::No(_)),
        "a merge that is not pushed does not count"
    );
    drop(git);
    let git = open(&fixture);
    assert_eq!(
        merged(git.merge(&squash)),
        publication,
        "a repeated merge is the same commit"
    );
    assert_eq!(git.publish(&publication), PublishOutcome::Done);
    let commit = publication.commit;
    assert_eq!(log(&fixture, &commit, "--format=%P"), base);
    assert_eq!(
        log(&fixture, &commit, "--format=%B"),
        "Add the work\n\n- Work\n- Improve the work\n\nDbs-Task: t1\nDbs-Attempt: 17"
    );
    drop(git);
    let git = open(&fixture);
    fixture.commit_on_origin("main", "work.txt", "changed by others\n");
    let again = MergeRequest {
        attempt: name("18"),
        ..squash
    };
    for request in [&request(MergeStyle::Squash, &head), &again] {
        let MergeOutcome::AlreadyMerged { commit: found, .. } = git.merge(request) else {
            panic!("not found as merged");
        };
        assert_eq!(found.as_ref(), Some(&commit));
    }
    assert_eq!(git.is_merged(&head, &main()), Tri::Yes);
}

#[test]
fn work_that_goes_on_after_its_squash_is_merged_without_a_conflict_with_itself() {
    for style in [MergeStyle::Squash, MergeStyle::Rebase] {
        let fixture = GitFixture::new();
        let git = open(&fixture);
        let (worktree, first) = developed(&fixture, &git);
        fixture.commit_on_origin("main", "theirs.txt", "theirs\n");
        published(&git, &request(style, &first));
        let [head, base] = [Revision::Commit(first), Revision::RemoteBranch(main())];
        let ahead = git.commits_ahead(&head, &base);
        assert!(
            matches!(ahead, CommitsAhead::Commits { n_commits: 0, .. }),
            "nothing is left to merge: {ahead:?}"
        );
        let second = more(&fixture, &worktree, "other work\n");
        let commit = published(&git, &request(style, &second));
        assert_eq!(file_at(&fixture, &commit, "work.txt"), "other work");
        assert_eq!(file_at(&fixture, &commit, "theirs.txt"), "theirs");
    }
}

#[test]
fn commits_made_anew_keep_author_time_and_words_and_are_shown_as_one_change() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, first) = developed(&fixture, &git);
    let head = more(&fixture, &worktree, "better work\n");
    let base = id(&fixture.commit_on_origin("main", "theirs.txt", "theirs\n"));
    let commit = published(&git, &request(MergeStyle::Rebase, &head));
    let control = fixture.state().join("control.git");
    let range = format!("{base}..{commit}");
    let listed = fixture.git(&control, &["log", "--reverse", "--format=%s|%an|%ad|%cn", &range]);
    let made = |of: &CommitId| log(&fixture, of, "--format=%s|%an|%ad|Engine");
    assert_eq!(listed, format!("{}\n{}", made(&first), made(&head)));
    assert_eq!(
        git.changed_paths(&DiffRange::Commit { commit }).unwrap(),
        ["work.txt"]
    );
    let new = git
        .diff_text(
            &DiffRange::Commit {
                commit: commit_of(&git),
            },
            10_000,
        )
        .unwrap();
    assert!(
        new.text.contains("+better work") && !new.text.contains("-work"),
        "{}",
        new.text
    );
}

fn commit_of(git: &GitCli) -> CommitId {
    match git.resolve(&Revision::RemoteBranch(main())) {
        dbs::ports::git::Head::At(commit) => commit,
        other => panic!("{other:?}"),
    }
}

#[test]
fn commits_that_stand_on_the_base_already_stay_as_they_are() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (_, head) = developed(&fixture, &git);
    assert_eq!(published(&git, &request(MergeStyle::Rebase, &head)), head);
}

#[test]
fn work_with_a_merge_in_it_comes_as_one_commit() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    let base = fixture.commit_on_origin("main", "theirs.txt", "theirs\n");
    let folder = &worktree.path;
    fixture.git(folder, &["fetch", "-q", "origin"]);
    let by = [
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@example.org",
        "merge",
        "-q",
        "-m",
        "Take up",
    ];
    fixture.git(folder, &[&by[..], &["origin/main"]].concat());
    let head = id(&fixture.git(folder, &["rev-parse", "HEAD"]));
    let commit = published(&git, &request(MergeStyle::Rebase, &head));
    assert_eq!(
        log(&fixture, &commit, "--format=%P|%s"),
        format!("{base}|Add the work")
    );
    assert_eq!(file_at(&fixture, &commit, "work.txt"), "work");
}

#[test]
fn trailers_that_another_hand_wrote_do_not_make_work_merged() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (_, head) = developed(&fixture, &git);
    fixture.commit_on_origin("main", "x.txt", "Dbs-Task: t1\nDbs-Attempt: 17\n");
    let folder = fixture.root().join("forger");
    let origin = fixture.origin();
    fixture.git(
        &fixture.root(),
        &[
            "clone",
            "-q",
            &origin.to_string_lossy(),
            &folder.to_string_lossy(),
        ],
    );
    fixture.commit(
        &folder,
        "y.txt",
        "y\n",
        "Add the work\n\nDbs-Task: t1\nDbs-Attempt: 17",
    );
    fixture.git(&folder, &["push", "-q", "origin", "HEAD:main"]);
    assert!(matches!(
        git.merge(&request(MergeStyle::Squash, &head)),
        MergeOutcome::Merged { .. }
    ));
    assert!(matches!(git.is_merged(&head, &main()), Tri::No(_)));
}

#[test]
fn a_message_of_the_settings_has_the_trailers_among_its_own() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (_, head) = developed(&fixture, &git);
    for (text, wanted) in [
        ("Add it", "Add it\n\nDbs-Task: t1\nDbs-Attempt: 17"),
        (
            "Add it\n\nWhy: because\n it is",
            "Add it\n\nWhy: because\n it is\n\nDbs-Task: t1\nDbs-Attempt: 17",
        ),
        (
            "Add it\n\nBody\n\nRefs: X-1\n",
            "Add it\n\nBody\n\nRefs: X-1\nDbs-Task: t1\nDbs-Attempt: 17",
        ),
    ] {
        let request = MergeRequest {
            message: Some(text.to_owned()),
            ..request(MergeStyle::Squash, &head)
        };
        let commit = merged(git.merge(&request)).commit;
        assert_eq!(log(&fixture, &commit, "--format=%B"), wanted);
    }
}
