//! Origin of files in the person's checkout, whatever its log says: an agent can write the log.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use dbs::adapters::git::GitCli;
use dbs::domain::MergeStyle;
use dbs::ports::git::{
    CommitId, CommitsAhead, Git, MergeOutcome, MergeRequest, PublishOutcome, PublishRequest, Revision,
};

use super::{GitFixture, branch, developed, id, merge_of, open};

/// Merges work as the engine does, and lets the person pull it.
fn land(fixture: &GitFixture, git: &GitCli, head: &CommitId, style: MergeStyle) {
    let request = MergeRequest {
        style,
        ..merge_of(head)
    };
    let MergeOutcome::Merged { commit, base, .. } = git.merge(&request) else {
        panic!("the work does not merge");
    };
    let publication = PublishRequest {
        commit,
        base: branch("main"),
        expected: base,
    };
    assert_eq!(git.publish(&publication), PublishOutcome::Done);
    pull(fixture);
}

fn pull(fixture: &GitFixture) {
    let (name, email) = ("user.name=A", "user.email=a@example.org");
    let words = [
        "-c",
        name,
        "-c",
        email,
        "pull",
        "-q",
        "--no-rebase",
        "--no-edit",
        "origin",
        "main",
    ];
    fixture.git(&fixture.project(), &words);
}

/// Writes into the log of the person's checkout that the last commit of a file was made there.
fn forge(fixture: &GitFixture, file: &str) {
    let project = fixture.project();
    let commit = fixture.git(&project, &["log", "-1", "--format=%H", "HEAD", "--", file]);
    let mut log = fs::OpenOptions::new()
        .append(true)
        .open(project.join(".git/logs/HEAD"))
        .unwrap();
    writeln!(
        log,
        "{commit} {commit} A <a@example.org> 1700000000 +0000\tcommit: Mine"
    )
    .unwrap();
}

/// Lets the engine look at the work of a task, as it does once the agent has reported.
fn look_at(git: &GitCli, head: &CommitId) {
    let (head, base) = (
        Revision::Commit(head.clone()),
        Revision::RemoteBranch(branch("main")),
    );
    let ahead = git.commits_ahead(&head, &base);
    assert!(
        matches!(ahead, CommitsAhead::Commits { n_commits: 1, .. }),
        "{ahead:?}"
    );
}

fn may_be_of_agents(git: &GitCli, file: &str, heads: &[&CommitId]) -> bool {
    let file = Path::new(file);
    assert!(
        git.committed_here(file).unwrap().is_some(),
        "the log names the person"
    );
    let heads = heads.iter().map(|head| (*head).clone()).collect();
    git.may_be_of_agents(file, &heads, Some(&branch("main"))).unwrap()
}

#[test]
fn a_file_that_came_with_a_merge_of_the_engine_is_not_the_persons_though_the_log_says_so() {
    for style in [MergeStyle::Merge, MergeStyle::Squash, MergeStyle::Rebase] {
        let fixture = GitFixture::new();
        let git = open(&fixture);
        let (_, head) = developed(&fixture, &git);
        fixture.commit_on_origin("main", "theirs.txt", "theirs\n");
        land(&fixture, &git, &head, style);
        assert_eq!(git.committed_here(Path::new("work.txt")).unwrap(), None);
        forge(&fixture, "work.txt");
        assert!(may_be_of_agents(&git, "work.txt", &[]), "{style:?}");
    }
}

#[test]
fn work_that_is_taken_into_the_checkout_past_the_engine_is_not_the_persons() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (_, head) = developed(&fixture, &git);
    let project = fixture.project();
    look_at(&git, &head);
    fixture.git(&project, &["merge", "-q", "--ff-only", head.as_str()]);
    forge(&fixture, "work.txt");
    assert!(
        may_be_of_agents(&git, "work.txt", &[&head]),
        "a branch that is not merged"
    );
    fixture.git(&project, &["push", "-q", "origin", "HEAD:main"]);
    assert!(
        may_be_of_agents(&git, "work.txt", &[&head]),
        "a branch that another hand merged"
    );
    fixture.git(&project, &["reset", "-q", "--hard", "HEAD^"]);
    fixture.git(&project, &["push", "-q", "--force", "origin", "HEAD:main"]);
    fixture.commit(&project, "work.txt", "work\n", "Mine");
    assert!(
        may_be_of_agents(&git, "work.txt", &[&head]),
        "a copy of what is on a branch"
    );
}

#[test]
fn what_the_person_committed_stays_theirs_when_agents_work_on_it() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let project = fixture.project();
    fixture.commit(&project, "mine.txt", "mine\n", "Mine");
    assert!(!may_be_of_agents(&git, "mine.txt", &[]));
    fixture.git(&project, &["push", "-q", "origin", "HEAD:main"]);
    let (worktree, head) = developed(&fixture, &git);
    assert!(worktree.path.join("mine.txt").exists(), "the work begins with it");
    look_at(&git, &head);
    assert!(!may_be_of_agents(&git, "mine.txt", &[&head]));
    for style in [MergeStyle::Merge, MergeStyle::Squash, MergeStyle::Rebase] {
        let fixture_head = id(&fixture.commit(&worktree.path, &format!("{style:?}"), "x\n", "More"));
        land(&fixture, &git, &fixture_head, style);
        assert!(!may_be_of_agents(&git, "mine.txt", &[&fixture_head]), "{style:?}");
    }
}
