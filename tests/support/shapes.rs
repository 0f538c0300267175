//! Repositories of unusual shapes. Beside `git_fixture`, in tests that need them.

use std::fs;

use crate::git_fixture::GitFixture;

/// A project and its origin, made with those options of `git init`, with one commit.
pub(crate) fn made_with(options: &[&str]) -> GitFixture {
    let fixture = GitFixture::unborn_with(options);
    fixture.commit(&fixture.project(), "README.md", "hello\n", "First");
    fixture.git(&fixture.project(), &["push", "-q", "origin", "main"]);
    fixture
}

/// Makes the project anew as a clone of the origin, with those options of `git clone`.
pub(crate) fn clone_anew(fixture: &GitFixture, options: &[&str]) {
    let project = fixture.project();
    fixture.git(&fixture.origin(), &["config", "uploadpack.allowFilter", "true"]);
    fs::remove_dir_all(&project).unwrap();
    let origin = format!("file://{}", fixture.origin().display());
    let places = [origin.as_str(), project.to_str().unwrap()];
    let clone = [&["clone", "-q"], options, &places].concat();
    fixture.git(&fixture.root(), &clone);
    name_author(fixture);
}

/// Makes the project anew as a worktree of a bare clone.
pub(crate) fn lay_out_bare(fixture: &GitFixture) {
    let (project, bare) = (fixture.project(), fixture.root().join("bare.git"));
    fs::remove_dir_all(&project).unwrap();
    let clone = ["clone", "-q", "--bare", "origin.git", "bare.git"];
    fixture.git(&fixture.root(), &clone);
    let fetch = "+refs/heads/*:refs/remotes/origin/*";
    fixture.git(&bare, &["config", "remote.origin.fetch", fetch]);
    fixture.git(
        &bare,
        &["worktree", "add", "-q", project.to_str().unwrap(), "main"],
    );
    name_author(fixture);
}

fn name_author(fixture: &GitFixture) {
    for (name, value) in [("user.name", "Fixture"), ("user.email", "fixture@example.org")] {
        fixture.git(&fixture.project(), &["config", name, value]);
    }
}
