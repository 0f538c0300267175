//! Work of an integrator, which is compared with the engine's own merge.

use std::fs;
use std::path::PathBuf;

use dbs::adapters::git::GitCli;
use dbs::domain::Integration;
use dbs::ports::git::{CommitId, DiffRange, Git, MergeOutcome, MergeRequest, ReviewedHead, Revision};

use super::{GitFixture, id, merge_of, on_branch, open, spec};

const BEFORE: &str = "one\ntwo\nthree\nfour\nfive\nsix\n";

/// A task and its base that have changed the same line of `same.txt`, and an integrator's folder in which the two are about to be merged.
struct Integrating {
    fixture: GitFixture,
    git: GitCli,
    folder: PathBuf,
    reviewed: CommitId,
}

impl Integrating {
    fn new() -> Integrating {
        let fixture = GitFixture::new();
        fixture.commit_on_origin("main", "same.txt", BEFORE);
        fixture.commit_on_origin("main", "gone.txt", "old\n");
        let git = open(&fixture);
        let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
        let folder = worktree.path;
        fs::write(folder.join("gone.txt"), "changed\n").unwrap();
        fs::write(folder.join("own.txt"), "own\n").unwrap();
        let mine = BEFORE.replace("three", "mine");
        let reviewed = id(&fixture.commit(&folder, "same.txt", &mine, "Work"));
        let theirs = BEFORE.replace("three", "theirs").replace("six", "last");
        fixture.commit_on_origin("main", "same.txt", &theirs);
        fixture.commit_on_origin("main", "theirs.txt", "theirs\n");
        fixture.git(&folder, &["fetch", "-q", "origin"]);
        drop(fixture.try_git(&folder, &["merge", "-q", "origin/main"]));
        Integrating {
            fixture,
            git,
            folder,
            reviewed,
        }
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.folder.join(file), text).unwrap();
    }

    /// Resolves the conflict correctly, with these lines in its place.
    fn resolve(&self, lines: &str) {
        let text = BEFORE.replace("six", "last").replace("three\n", lines);
        self.write("same.txt", &text);
    }

    /// Commits what the integrator leaves, and requests its merge; `judges_lines` says whether its lines in a conflict are judged, too.
    fn request(&self, judges_lines: bool) -> MergeRequest {
        let by = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
        let commit = [&by[..], &["commit", "-q", "--allow-empty", "-m", "Resolve"]].concat();
        self.fixture.git(&self.folder, &["add", "-A"]);
        self.fixture.git(&self.folder, &commit);
        let head = id(&self.fixture.git(&self.folder, &["rev-parse", "HEAD"]));
        let reviewed = Some(ReviewedHead {
            commit: self.reviewed.clone(),
            judges_lines,
        });
        MergeRequest {
            reviewed,
            ..merge_of(&head)
        }
    }

    fn merged(&self, judges_lines: bool) -> MergeOutcome {
        self.git.merge(&self.request(judges_lines))
    }

    fn found(&self) -> Integration {
        match self.merged(true) {
            MergeOutcome::Unreviewed(found) => *found,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_conflict_resolved_with_the_lines_of_its_sides_is_merged() {
    for lines in ["mine\n", "theirs\n", "mine\ntheirs\n", "theirs\nmine\n"] {
        let integrating = Integrating::new();
        integrating.resolve(lines);
        let outcome = integrating.merged(true);
        assert!(
            matches!(outcome, MergeOutcome::Merged { .. }),
            "{lines:?}: {outcome:?}"
        );
    }
}

#[test]
fn a_file_added_beside_the_conflict_is_not_merged_and_is_all_there_is_to_review() {
    let integrating = Integrating::new();
    integrating.resolve("mine\n");
    integrating.write("EVIL", "evil\n");
    let request = integrating.request(true);
    let outcome = integrating.git.merge(&request);
    let MergeOutcome::Unreviewed(found) = &outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(
        (found.outside.as_slice(), found.written.len()),
        (&["EVIL".to_owned()][..], 0)
    );
    let [from, to] = [&found.from, &found.to].map(|text| Revision::Commit(id(text)));
    let difference = DiffRange::Between { from, to };
    let paths = integrating.git.changed_paths(&difference).unwrap();
    assert_eq!(paths, ["EVIL", "same.txt"], "reviewed work is not shown again");
    assert_eq!(integrating.git.merge(&request), outcome, "the same commits");
}

#[test]
fn a_line_changed_around_the_conflict_in_its_own_file_is_not_merged() {
    for (from, to) in [
        ("one", "evil"),
        ("last", "six"),
        ("five\n", "five\nevil\n"),
        ("four\n", ""),
    ] {
        let integrating = Integrating::new();
        let text = BEFORE.replace("six", "last").replace("three", "mine");
        integrating.write("same.txt", &text.replace(from, to));
        assert_eq!(integrating.found().outside, ["same.txt"], "{from:?} to {to:?}");
    }
}

#[test]
fn a_line_that_neither_side_has_is_reviewed_only_where_lines_are_judged() {
    let integrating = Integrating::new();
    integrating.resolve("mine and theirs\n");
    let found = integrating.found();
    assert_eq!(
        (found.outside.len(), found.written.as_slice()),
        (0, &["same.txt".to_owned()][..])
    );
    let outcome = integrating.merged(false);
    assert!(matches!(outcome, MergeOutcome::Merged { .. }), "{outcome:?}");
}

#[test]
fn what_one_side_did_without_a_conflict_is_not_dropped_by_resolving_another() {
    let integrating = Integrating::new();
    integrating.resolve("mine\n");
    integrating
        .fixture
        .git(&integrating.folder, &["rm", "-q", "-f", "theirs.txt"]);
    assert_eq!(integrating.found().outside, ["theirs.txt"]);

    let integrating = Integrating::new();
    integrating
        .fixture
        .git(&integrating.folder, &["checkout", "-q", "origin/main", "--", "."]);
    integrating
        .fixture
        .git(&integrating.folder, &["rm", "-q", "-f", "own.txt"]);
    let found = integrating.found();
    assert_eq!(
        found.outside,
        ["gone.txt", "own.txt"],
        "the work as a whole is dropped"
    );
}

#[cfg(unix)]
#[test]
fn a_file_in_conflict_that_becomes_executable_or_a_link_is_not_merged() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let integrating = Integrating::new();
    integrating.resolve("mine\n");
    let file = integrating.folder.join("same.txt");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(integrating.found().outside, ["same.txt"]);

    let integrating = Integrating::new();
    let file = integrating.folder.join("same.txt");
    fs::remove_file(&file).unwrap();
    symlink("/etc/passwd", &file).unwrap();
    assert_eq!(integrating.found().outside, ["same.txt"]);
}

#[test]
fn a_deleted_file_that_the_other_side_changed_is_resolved_either_way_and_no_other() {
    let ways: [(Option<&str>, bool); 3] = [(None, true), (Some("changed\n"), true), (Some("evil\n"), false)];
    for (text, is_merged) in ways {
        let integrating = Integrating::new();
        integrating
            .fixture
            .git(&integrating.folder, &["merge", "--abort"]);
        let clone = integrating.fixture.root().join("clone");
        let (from, to) = (integrating.fixture.origin(), clone.clone());
        let words = ["clone", "-q", from.to_str().unwrap(), to.to_str().unwrap()];
        integrating.fixture.git(&integrating.fixture.root(), &words);
        integrating.fixture.git(&clone, &["rm", "-q", "gone.txt"]);
        integrating
            .fixture
            .commit(&clone, "why.txt", "not needed\n", "Remove");
        integrating
            .fixture
            .git(&clone, &["push", "-q", "origin", "HEAD:main"]);
        integrating
            .fixture
            .git(&integrating.folder, &["fetch", "-q", "origin"]);
        drop(
            integrating
                .fixture
                .try_git(&integrating.folder, &["merge", "-q", "origin/main"]),
        );
        integrating.resolve("mine\n");
        match text {
            Some(text) => integrating.write("gone.txt", text),
            None => drop(fs::remove_file(integrating.folder.join("gone.txt"))),
        }
        let outcome = integrating.merged(true);
        assert_eq!(
            matches!(outcome, MergeOutcome::Merged { .. }),
            is_merged,
            "{text:?}: {outcome:?}"
        );
    }
}

#[test]
fn whatever_is_changed_where_nothing_was_in_conflict_is_reviewed() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, reviewed) = super::developed(&fixture, &git);
    fixture.commit_on_origin("main", "theirs.txt", "theirs\n");
    let head = id(&fixture.commit(&worktree.path, "work.txt", "fixed\n", "Fix the gate"));
    let reviewed = Some(ReviewedHead {
        commit: reviewed,
        judges_lines: false,
    });
    let outcome = git.merge(&MergeRequest {
        reviewed,
        ..merge_of(&head)
    });
    let MergeOutcome::Unreviewed(found) = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(found.outside, ["work.txt"]);
}
