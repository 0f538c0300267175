//! Repositories inside a worktree: nothing in them is removed without a copy, and nothing they configure is obeyed.

use std::fs;
use std::path::{Path, PathBuf};

use dbs::domain::Tri;
use dbs::ports::git::{Git, MergeOutcome, RemoveOutcome, WorkingTree, Worktree};

use super::shapes::{ALLOW, with_nested_submodule, with_submodule};
use super::{GitFixture, developed, id, merge_of, name, on_branch, open, saver, spec};

pub(crate) fn with_filled_submodule(fixture: &GitFixture, worktree: &Worktree) -> PathBuf {
    let update = ["submodule", "--quiet", "update", "--init"];
    fixture.git(&worktree.path, &[&ALLOW[..], &update].concat());
    let lib = worktree.path.join("lib");
    fixture.git(&lib, &["fetch", "-q", "origin"]);
    for (key, value) in [("user.name", "A"), ("user.email", "a@example.org")] {
        fixture.git(&lib, &["config", key, value]);
    }
    lib
}

pub(crate) fn nested(folder: &Path, fixture: &GitFixture, name: &str) -> PathBuf {
    let nested = folder.join(name);
    fs::create_dir_all(&nested).unwrap();
    fixture.git(&nested, &["init", "-q", "-b", "main"]);
    for (key, value) in [("user.name", "A"), ("user.email", "a@example.org")] {
        fixture.git(&nested, &["config", key, value]);
    }
    nested
}

fn control(fixture: &GitFixture) -> PathBuf {
    fixture.state().join("control.git")
}

/// Removes worktree `a`, and asserts that refs of the control repository reach all of these objects.
fn removed_with(fixture: &GitFixture, git: &dyn Git, objects: &[(&str, String)]) {
    let removed = git.remove_worktree(&name("a"), &saver("t1")).unwrap();
    assert!(matches!(removed, RemoveOutcome::Removed(Some(_))), "{removed:?}");
    assert!(!fixture.project().join(".debussy-worktrees/a").exists());
    assert!(!fixture.project().join(".git/worktrees/a").exists());
    assert_kept(fixture, objects);
}

fn assert_kept(fixture: &GitFixture, objects: &[(&str, String)]) {
    let kept = fixture.git(&control(fixture), &["rev-list", "--objects", "--all"]);
    for (what, id) in objects {
        assert!(kept.contains(id.as_str()), "{what} is lost");
    }
    fixture.git(&control(fixture), &["fsck", "--strict", "--no-dangling"]);
}

fn blob(fixture: &GitFixture, text: &str) -> String {
    let file = fixture.root().join("blob");
    fs::write(&file, text).unwrap();
    fixture.git(&fixture.root(), &["hash-object", file.to_str().unwrap()])
}

#[test]
fn everything_in_a_submodule_is_kept_before_its_worktree_goes() {
    let fixture = with_submodule();
    let git = open(&fixture);
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    let lib = with_filled_submodule(&fixture, &worktree);
    let thrown = fixture.commit(&lib, "thrown.txt", "thrown", "Thrown away");
    fixture.git(&lib, &["reset", "-q", "--hard", "HEAD~1"]);
    let detached = fixture.commit(&lib, "detached.txt", "detached", "Without a branch");
    fixture.git(&lib, &["checkout", "-q", "-b", "topic"]);
    let topic = fixture.commit(&lib, "topic.txt", "topic", "Topic");
    fixture.git(&lib, &["tag", "-a", "v1", "-m", "Version"]);
    let tag = fixture.git(&lib, &["rev-parse", "v1"]);
    let mut stashes = Vec::new();
    for text in ["first", "second"] {
        fs::write(lib.join("lib.txt"), text).unwrap();
        fixture.git(&lib, &["stash", "-q"]);
        stashes.push(fixture.git(&lib, &["rev-parse", "stash@{0}"]));
    }
    fixture.git(&lib, &["checkout", "-q", "-"]);
    fixture.git(&lib, &["checkout", "-q", "--detach", "origin/main"]);
    fs::write(lib.join("staged.txt"), "staged").unwrap();
    fixture.git(&lib, &["add", "staged.txt"]);
    fs::write(lib.join("staged.txt"), "staged and changed").unwrap();
    fs::write(lib.join("untracked.txt"), "untracked").unwrap();
    assert_eq!(
        fixture.git(
            &worktree.path,
            &["diff-index", "HEAD", "--ignore-submodules=dirty"]
        ),
        "",
        "seen from outside, nothing has changed"
    );
    removed_with(
        &fixture,
        &git,
        &[
            ("a commit that only the log remembers", thrown),
            ("a commit without a branch", detached),
            ("a branch", topic),
            ("a tag", tag),
            ("the older stash", stashes.remove(0)),
            ("the newer stash", stashes.remove(0)),
            ("the index", blob(&fixture, "staged")),
            ("a changed file", blob(&fixture, "staged and changed")),
            ("a new file", blob(&fixture, "untracked")),
        ],
    );
    let names = fixture.git(&control(&fixture), &["for-each-ref", "--format=%(refname)"]);
    assert!(names.contains("refs/dbs/nested/t1/lib/heads-topic-"), "{names}");
}

#[test]
fn a_repository_committed_as_a_link_is_kept_before_its_worktree_goes() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    let inner = nested(&worktree.path, &fixture, "vendor/lib");
    let commit = fixture.commit(&inner, "deep.txt", "precious", "Deep");
    committed(&fixture, &worktree.path, &["vendor/lib"]);
    assert_eq!(fixture.git(&worktree.path, &["status", "--porcelain"]), "");
    removed_with(&fixture, &git, &[("its commit", commit)]);
}

#[test]
fn repositories_in_ignored_folders_in_each_other_bare_and_without_a_commit_are_kept() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    fixture.commit(&worktree.path, ".gitignore", "/ignored/\n", "Ignore");
    let outer = nested(&worktree.path, &fixture, "ignored/outer");
    let outer_commit = fixture.commit(&outer, "outer.txt", "outer", "Outer");
    let inner = nested(&outer, &fixture, "inner");
    let inner_commit = fixture.commit(&inner, "inner.txt", "inner", "Inner");
    let unborn = nested(&worktree.path, &fixture, "un born*/x");
    fs::write(unborn.join("first.txt"), "never committed").unwrap();
    fixture.git(&unborn, &["add", "first.txt"]);
    fs::write(unborn.join("first.txt"), "committed even less").unwrap();
    let bare = worktree.path.join("ignored/bare");
    fixture.git(
        &worktree.path,
        &["clone", "-q", "--bare", "ignored/outer", "ignored/bare"],
    );
    let made = ["commit-tree", "-m", "Only in the bare one", "HEAD^{tree}"];
    let bare_commit = fixture.git(&bare, &[&AS_A[..], &made].concat());
    fixture.git(&bare, &["update-ref", "refs/heads/bare", &bare_commit]);
    let place = WorkingTree::Worktree(name("a"));
    let start = git.workspace_tree(&place).unwrap();
    fs::write(unborn.join("second.txt"), "second").unwrap();
    let now = git.workspace_unchanged(&place, &start);
    assert!(
        matches!(&now, Tri::No(why) if why.contains("second.txt")),
        "{now:?}"
    );
    removed_with(
        &fixture,
        &git,
        &[
            ("a repository in an ignored folder", outer_commit),
            ("a repository in a repository", inner_commit),
            (
                "the index of a repository without a commit",
                blob(&fixture, "never committed"),
            ),
            (
                "a file of a repository without a commit",
                blob(&fixture, "committed even less"),
            ),
            ("a branch of a bare repository", bare_commit),
        ],
    );
}

#[test]
fn a_repository_that_cannot_be_fetched_from_is_kept_as_files() {
    let fixture = with_submodule();
    let git = open(&fixture);
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    fixture.commit(&fixture.root().join("lib"), "more.txt", "more", "More");
    fixture.git(
        &fixture.root().join("lib"),
        &["push", "-q", "origin", "HEAD:main"],
    );
    let url = format!("file://{}", fixture.root().join("lib.git").display());
    fixture.git(&worktree.path, &["clone", "-q", "--depth=1", &url, "part"]);
    let part = worktree.path.join("part");
    let commit = fixture.commit(&part, "new.txt", "new", "On a part of the history");
    let (folder, file) = commit.split_at(2);
    let loose = fs::read(part.join(".git/objects").join(folder).join(file)).unwrap();
    fs::write(fixture.root().join("loose"), loose).unwrap();
    let file = fixture.git(&fixture.root(), &["hash-object", "--no-filters", "loose"]);
    removed_with(
        &fixture,
        &git,
        &[
            ("the file of its commit", file),
            ("its files", blob(&fixture, "new")),
        ],
    );
}

#[test]
fn a_submodule_is_kept_though_its_worktrees_folder_is_gone() {
    let fixture = with_submodule();
    let git = open(&fixture);
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    let lib = with_filled_submodule(&fixture, &worktree);
    let commit = fixture.commit(&lib, "new.txt", "new", "New");
    let thrown = fixture.commit(&worktree.path, "thrown.txt", "thrown", "Thrown away");
    fixture.git(&worktree.path, &["reset", "-q", "--hard", "HEAD~1"]);
    fs::remove_dir_all(&worktree.path).unwrap();
    removed_with(
        &fixture,
        &git,
        &[
            ("a commit in the submodule", commit),
            ("a commit that only the log remembers", thrown),
        ],
    );
}

#[test]
fn a_submodule_that_was_never_filled_is_no_change_and_needs_no_copy() {
    let fixture = with_submodule();
    fixture.git(&fixture.project(), &["submodule", "--quiet", "deinit", "lib"]);
    let git = open(&fixture);
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    let place = WorkingTree::Worktree(name("a"));
    assert_eq!(git.workspace_unchanged(&place, &worktree.start), Tri::Yes);
    let lib = worktree.path.join("lib");
    assert_eq!(fs::read_dir(&lib).unwrap().count(), 0);
    fs::write(lib.join("plain.txt"), "in the place of the submodule").unwrap();
    let now = git.workspace_unchanged(&place, &worktree.start);
    assert!(
        matches!(&now, Tri::No(why) if why.contains("lib/plain.txt")),
        "{now:?}"
    );
    fs::remove_file(lib.join("plain.txt")).unwrap();
    let removed = git.remove_worktree(&name("a"), &saver("t1")).unwrap();
    assert_eq!(removed, RemoveOutcome::Removed(None));
}

#[test]
fn what_a_gate_does_to_submodules_is_undone_in_its_checkout() {
    let fixture = with_nested_submodule();
    let git = open(&fixture);
    let commit = id(&fixture.git(&fixture.project(), &["rev-parse", "HEAD"]));
    let folder = fixture.root().join("gates");
    let made = git.checkout_clean(&commit, &folder).unwrap().path;
    let read = |file: &str| fs::read_to_string(made.join(file)).unwrap();
    let (lib, deep) = (made.join("lib"), made.join("lib/in/deep"));
    for _ in 0..2 {
        assert_eq!(
            (read("lib/lib.txt"), read("lib/in/deep/deep.txt")),
            ("lib\n".into(), "deep\n".into())
        );
        assert!(!lib.join("new.txt").exists() && !deep.join("evil.txt").exists());
        fs::write(lib.join("lib.txt"), "changed").unwrap();
        fs::write(lib.join("new.txt"), "new").unwrap();
        fs::remove_dir_all(&deep).unwrap();
        let inner = nested(&lib, &fixture, "in/deep");
        fixture.commit(&inner, "evil.txt", "evil", "Another repository");
        assert!(git.restore_checkout(&commit, &folder).unwrap());
    }
    fs::remove_dir_all(&lib).unwrap();
    fs::write(&lib, "a file in its place").unwrap();
    git.restore_checkout(&commit, &folder).unwrap();
    assert_eq!(read("lib/in/deep/deep.txt"), "deep\n");
    git.discard_checkout(&folder).unwrap();
}

#[cfg(unix)]
#[test]
fn a_program_that_a_repository_in_a_worktree_names_is_not_executed() {
    let fixture = with_submodule();
    let git = open(&fixture);
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    let lib = with_filled_submodule(&fixture, &worktree);
    fixture.commit(&lib, ".gitattributes", "* filter=evil\n", "Attributes");
    committed(&fixture, &worktree.path, &["lib"]);
    let mark = fixture.root().join("executed");
    let trap = format!("touch {}; cat", mark.display());
    for key in [
        "filter.evil.clean",
        "filter.evil.smudge",
        "core.fsmonitor",
        "core.alternateRefsCommand",
        "uploadpack.packObjectsHook",
    ] {
        fixture.git(&lib, &["config", key, &trap]);
    }
    fixture.git(&lib, &["config", "transfer.hideRefs", "refs/heads/hidden"]);
    fs::write(lib.join("lib.txt"), "changed").unwrap();
    let place = WorkingTree::Worktree(name("a"));
    git.workspace_tree(&place).unwrap();
    git.snapshot(&place, &saver("t1")).unwrap();
    assert!(!mark.exists());
    fixture.git(
        &lib,
        &[
            "-c",
            "core.fsmonitor=false",
            "update-ref",
            "refs/heads/hidden",
            "HEAD",
        ],
    );
    let changed = blob(&fixture, "changed");
    removed_with(&fixture, &git, &[("a changed file", changed)]);
    assert!(!mark.exists());
}

/// Options that tell git who commits.
const AS_A: [&str; 4] = ["-c", "user.name=A", "-c", "user.email=a@b"];

/// Commits these files of a folder as they are, and returns the commit.
fn committed(fixture: &GitFixture, folder: &Path, what: &[&str]) -> String {
    fixture.git(folder, &[&["add"], what].concat());
    let commit = ["commit", "-q", "-m", "A link"];
    fixture.git(folder, &[&AS_A[..], &commit].concat());
    fixture.git(folder, &["rev-parse", "HEAD"])
}

#[test]
fn a_link_to_a_commit_that_its_remote_lacks_is_not_merged_until_it_is_pushed() {
    let fixture = with_submodule();
    let git = open(&fixture);
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    let lib = with_filled_submodule(&fixture, &worktree);
    let older = fixture.commit(&lib, "older.txt", "older", "Older");
    let commit = fixture.commit(&lib, "new.txt", "new", "New");
    let head = id(&committed(&fixture, &worktree.path, &["lib"]));
    let refused = git.merge(&merge_of(&head));
    assert!(
        matches!(&refused, MergeOutcome::Impossible(why)
            if why.contains("lib links to") && why.contains(&commit) && why.contains("lib.git does not have")),
        "{refused:?}"
    );
    fixture.git(&lib, &["push", "-q", "origin", "HEAD:refs/heads/new"]);
    assert!(matches!(git.merge(&merge_of(&head)), MergeOutcome::Merged { .. }));
    fixture.git(&lib, &["checkout", "-q", &older]);
    let head = id(&committed(&fixture, &worktree.path, &["lib"]));
    let below = git.merge(&merge_of(&head));
    assert!(
        matches!(below, MergeOutcome::Merged { .. }),
        "a commit below a branch: {below:?}"
    );
}

#[test]
fn a_link_without_an_address_is_not_merged() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    let inner = nested(&worktree.path, &fixture, "vendor/lib");
    let commit = fixture.commit(&inner, "deep.txt", "precious", "Deep");
    let head = id(&committed(&fixture, &worktree.path, &["vendor/lib"]));
    let refused = git.merge(&merge_of(&head));
    assert!(
        matches!(&refused, MergeOutcome::Impossible(why)
            if why.contains("vendor/lib") && why.contains(&commit) && why.contains("no address")),
        "{refused:?}"
    );
}

#[test]
fn an_address_that_does_not_answer_leaves_the_merge_open_and_one_that_is_a_program_is_not_started() {
    let fixture = with_submodule();
    let git = open(&fixture);
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    let lib = with_filled_submodule(&fixture, &worktree);
    fixture.commit(&lib, "new.txt", "new", "New");
    let mark = fixture.root().join("executed");
    let program = format!("ext::sh -c 'touch {}'", mark.display());
    let option = format!("--upload-pack=touch {}", mark.display());
    for (address, is_known) in [("../gone.git", false), (&*program, false), (&*option, true)] {
        fixture.git(
            &worktree.path,
            &["config", "--file", ".gitmodules", "submodule.lib.url", address],
        );
        let head = id(&committed(&fixture, &worktree.path, &["lib", ".gitmodules"]));
        let end = git.merge(&merge_of(&head));
        match end {
            MergeOutcome::Unknown(_) => assert!(!is_known, "{address}"),
            MergeOutcome::Impossible(_) => assert!(is_known, "{address}"),
            other => panic!("{address}: {other:?}"),
        }
    }
    assert!(!mark.exists());
}

#[test]
fn repositories_of_other_formats_and_worktrees_in_worktrees_are_kept_as_well() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    let mut expected = Vec::new();
    for format in ["--object-format=sha256", "--ref-format=reftable"] {
        let inner = worktree.path.join(format.trim_start_matches('-'));
        fs::create_dir(&inner).unwrap();
        if !fixture.try_git(&inner, &["init", "-q", format]).status.success() {
            eprintln!("skipped: this git knows no {format}");
            continue;
        }
        fixture.commit(&inner, "deep.txt", format, "Deep");
        fs::write(inner.join("new.txt"), format!("new {format}")).unwrap();
        fs::copy(inner.join(".git/index"), fixture.root().join("copy")).unwrap();
        let git_file = fixture.git(&fixture.root(), &["hash-object", "--no-filters", "copy"]);
        expected.push(("a file of a git folder", git_file));
        expected.push((
            "a file that is not committed",
            blob(&fixture, &format!("new {format}")),
        ));
    }
    let add = ["worktree", "add", "-q", "--detach", "inside"];
    fixture.git(&worktree.path, &add);
    let inside = worktree.path.join("inside");
    expected.push((
        "a commit of a worktree in the worktree",
        fixture.commit(&inside, "inside.txt", "inside", "Inside"),
    ));
    fs::write(inside.join("new.txt"), "new inside").unwrap();
    expected.push((
        "a file of a worktree in the worktree",
        blob(&fixture, "new inside"),
    ));
    removed_with(&fixture, &git, &expected);
}
