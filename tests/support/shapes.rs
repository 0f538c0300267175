//! Repositories of unusual shapes. Beside `git_fixture`, in tests that need them.

use std::fs;

use crate::git_fixture::GitFixture;

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

/// Gives the project an author for its commits.
pub(crate) fn name_author(fixture: &GitFixture) {
    for (name, value) in [("user.name", "Fixture"), ("user.email", "fixture@example.org")] {
        fixture.git(&fixture.project(), &["config", name, value]);
    }
}
