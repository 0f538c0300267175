//! Git steps on a real repository.

use std::fs;
use std::path::PathBuf;

use dbs::domain::SignalKind;

use crate::git_fixture::GitFixture;
use crate::program::{Attempt, Ended, rehearse};

fn play(fixture: &GitFixture, steps: &str) -> Ended {
    let scenario = fixture.root().join("scenario.toml");
    fs::write(
        &scenario,
        format!("[author]\nname = \"Ann\"\nemail = \"ann@localhost\"\n[[part]]\nsteps = [\n{steps}\n]\n"),
    )
    .unwrap();
    let attempt = Attempt {
        task: "a-1",
        stage: "development",
        role: "developer",
        mode: "fresh",
        number: 1,
        tags: &[],
    };
    rehearse(fixture, scenario.to_str().unwrap(), &worktree(fixture), &attempt)
}

fn worktree(fixture: &GitFixture) -> PathBuf {
    let path = fixture.root().join("work");
    if !path.exists() {
        let folder = path.to_str().unwrap();
        fixture.git(
            &fixture.project(),
            &["worktree", "add", "-q", "-b", "feature/a-1", folder, "main"],
        );
    }
    path
}

#[test]
fn a_commit_is_by_the_scenarios_author_and_is_pushed_to_the_tasks_branch() {
    let fixture = GitFixture::new();
    let ended = play(
        &fixture,
        "{ write = \"notes/{task}.md\", text = \"{branch} of {base}\\n\" }, { commit = \"-[{task}] $(touch x) `y`\" }, { push = \"origin\" }",
    );
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    let said = fixture.git(
        &fixture.origin(),
        &["log", "-1", "--format=%an <%ae>|%cn|%s", "feature/a-1"],
    );
    assert_eq!(said, "Ann <ann@localhost>|Ann|-[a-1] $(touch x) `y`");
    assert_eq!(
        fixture.git(&fixture.origin(), &["show", "feature/a-1:notes/a-1.md"]),
        "feature/a-1 of main"
    );
}

#[test]
fn a_commit_of_nothing_is_no_commit_and_no_failure() {
    let fixture = GitFixture::new();
    let before = fixture.git(&worktree(&fixture), &["rev-parse", "HEAD"]);
    let ended = play(&fixture, "{ commit = \"nothing\" }");
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    assert!(ended.said.contains("nothing to commit"), "{}", ended.said);
    assert_eq!(fixture.git(&worktree(&fixture), &["rev-parse", "HEAD"]), before);
}

#[test]
fn a_conflict_is_resolved_by_the_given_content_and_only_then() {
    let fixture = GitFixture::new();
    let tree = worktree(&fixture);
    fixture.commit(&tree, "README.md", "mine\n", "Mine");
    fixture.commit_on_origin("main", "README.md", "theirs\n");
    let head = fixture.git(&tree, &["rev-parse", "HEAD"]);
    let ended = play(&fixture, "{ merge = \"origin/{base}\", fetch = \"origin\" }");
    assert_eq!(
        (ended.code, ended.verdict()),
        (Some(1), Some(SignalKind::Fail)),
        "{}",
        ended.said
    );
    assert!(
        ended.signals[0].text.contains("`README.md` is in conflict"),
        "{:?}",
        ended.signals
    );
    assert_eq!(fixture.git(&tree, &["rev-parse", "HEAD"]), head);
    assert_eq!(fixture.git(&tree, &["status", "--porcelain"]), "");
    let resolve = "{ merge = \"origin/{base}\", resolve = [{ path = \"README.md\", text = \"both\\n\" }] }, { push = \"origin\" }";
    let ended = play(&fixture, resolve);
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    assert_eq!(fs::read_to_string(tree.join("README.md")).unwrap(), "both\n");
    let parents = fixture.git(&fixture.origin(), &["log", "-1", "--format=%P", "feature/a-1"]);
    assert_eq!(parents.split(' ').count(), 2);
}

/// Another git has just created the file that names the repository of its worktree, and has not filled it yet. It fills the file when the
/// remote is asked a second time.
#[cfg(unix)]
#[test]
fn a_worktree_that_is_just_being_made_beside_it_is_no_failure() {
    let fixture = GitFixture::new();
    worktree(&fixture);
    let (project, beside) = (fixture.project(), fixture.root().join("beside"));
    fixture.git(&project, &["worktree", "add", "-q", beside.to_str().unwrap()]);
    let half = project.join(".git/worktrees/beside/commondir");
    fs::write(&half, "").unwrap();
    let (helper, asked) = (fixture.root().join("upload-pack"), fixture.root().join("asked"));
    let text = format!(
        "#!/bin/sh\nif test -e '{asked}'; then echo ../.. > '{half}'; fi\n: > '{asked}'\nexec git-upload-pack \"$@\"\n",
        asked = asked.display(),
        half = half.display(),
    );
    crate::script::write_script(&helper, text);
    let setting = ["config", "remote.origin.uploadpack", helper.to_str().unwrap()];
    fixture.git(&project, &setting);
    let ended = play(&fixture, "{ merge = \"origin/{base}\", fetch = \"origin\" }");
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    assert_eq!(fs::read_to_string(&half).unwrap(), "../..\n");
}

#[test]
fn what_git_refuses_is_said_and_signalled() {
    let fixture = GitFixture::new();
    let ended = play(&fixture, "{ push = \"nowhere\" }");
    assert_eq!((ended.code, ended.verdict()), (Some(1), Some(SignalKind::Fail)));
    assert!(
        ended.said.contains("could not run `git push") && ended.said.contains("nowhere"),
        "{}",
        ended.said
    );
    let ended = play(&fixture, "{ changes = \"no-such-branch\" }");
    assert!(
        ended
            .said
            .contains("could not run `git rev-parse no-such-branch`: there is no such commit"),
        "{}",
        ended.said
    );
}

#[test]
fn changes_shows_what_the_branch_did_since_the_base() {
    let fixture = GitFixture::new();
    fixture.commit(&worktree(&fixture), "new.md", "a new line\n", "New");
    fixture.commit_on_origin("main", "other.md", "not ours\n");
    fixture.git(&fixture.project(), &["fetch", "-q", "origin"]);
    let ended = play(&fixture, "{ changes = \"origin/{base}\" }");
    assert!(
        ended.said.contains("+a new line") && !ended.said.contains("not ours"),
        "{}",
        ended.said
    );
}
