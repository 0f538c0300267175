//! Repositories of unusual shapes, for tests that need them beside `git_fixture`.

use std::fs;
use std::path::Path;

use crate::git_fixture::GitFixture;

/// Recreates the project as a clone of the origin, with those options of `git clone`.
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

/// Configures an author for the project's commits.
pub(crate) fn name_author(fixture: &GitFixture) {
    for (name, value) in [("user.name", "Fixture"), ("user.email", "fixture@example.org")] {
        fixture.git(&fixture.project(), &["config", name, value]);
    }
}

/// Options that allow git to fetch submodules from folders.
pub(crate) const ALLOW: [&str; 2] = ["-c", "protocol.file.allow=always"];

/// Returns a project with the submodule `lib`, whose remote is beside the project's.
pub(crate) fn with_submodule() -> GitFixture {
    let fixture = GitFixture::new();
    make_library(&fixture, "lib");
    add_submodule(&fixture, &fixture.project(), "lib", "lib");
    fixture
}

/// Returns such a project in which `lib` has the submodule `deep` in its folder `in`. Both libraries have newer commits than the pinned
/// ones.
pub(crate) fn with_nested_submodule() -> GitFixture {
    let fixture = GitFixture::new();
    for name in ["deep", "lib"] {
        make_library(&fixture, name);
    }
    let (lib, project) = (fixture.root().join("lib"), fixture.project());
    add_submodule(&fixture, &lib, "deep", "in/deep");
    add_submodule(&fixture, &project, "lib", "lib");
    let update = ["submodule", "--quiet", "update", "--init", "--recursive"];
    fixture.git(&project, &[&ALLOW[..], &update].concat());
    for name in ["deep", "lib"] {
        let folder = fixture.root().join(name);
        fixture.commit(&folder, "newer.txt", "newer\n", "Newer");
        fixture.git(&folder, &["push", "-q", "origin", "HEAD:main"]);
    }
    fixture
}

/// Makes the bare repository `NAME.git` and its clone `NAME`, with the file `NAME.txt`.
fn make_library(fixture: &GitFixture, name: &str) {
    let (root, bare) = (fixture.root(), format!("{name}.git"));
    fixture.git(&root, &["init", "-q", "--bare", "-b", "main", &bare]);
    fixture.git(&root, &["clone", "-q", &bare, name]);
    let (folder, file) = (root.join(name), format!("{name}.txt"));
    fixture.commit(&folder, &file, &format!("{name}\n"), "Library");
    fixture.git(&folder, &["push", "-q", "origin", "HEAD:main"]);
}

fn add_submodule(fixture: &GitFixture, to: &Path, name: &str, path: &str) {
    let address = format!("../{name}.git");
    let add = ["submodule", "--quiet", "add", "--name", name, &address, path];
    fixture.git(to, &[&ALLOW[..], &add].concat());
    fixture.commit(to, "uses.txt", name, "Use a library");
    fixture.git(to, &["push", "-q", "origin", "HEAD:main"]);
}
