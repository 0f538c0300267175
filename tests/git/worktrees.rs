//! Worktrees: every case of LK-18, repeated calls, and many at once.

use std::fs;
use std::sync::Arc;

use dbs::adapters::git::GitCli;
use dbs::domain::Tri;
use dbs::ports::git::{
    CheckedOut, Git, GitError, Revision, WorkingTree, WorktreeKind, WorktreeOrigin, WorktreeSpec,
};

use super::{GitFixture, branch, developed, file_at, id, name, on_branch, open, saver, setup, spec};

fn head(fixture: &GitFixture, folder: &std::path::Path) -> String {
    fixture.git(folder, &["rev-parse", "HEAD"])
}

fn status(fixture: &GitFixture, folder: &std::path::Path) -> String {
    fixture.git(folder, &["status", "--porcelain"])
}

#[test]
fn a_developer_gets_a_clean_branch_from_the_remote_base() {
    let fixture = GitFixture::new();
    let base = fixture.commit_on_origin("main", "newer.txt", "newer\n");
    let git = open(&fixture);
    let worktree = git
        .ensure_worktree(&spec("developer-ravel", on_branch("t1")))
        .unwrap();
    assert_eq!(
        worktree.path,
        fixture.project().join(".debussy-worktrees/developer-ravel")
    );
    assert_eq!(worktree.start.head, Some(id(&base)));
    assert_eq!(
        fixture.git(&worktree.path, &["branch", "--show-current"]),
        "feature/t1"
    );
    assert_eq!(status(&fixture, &worktree.path), "");
    assert_eq!(
        fs::read_to_string(worktree.path.join("newer.txt")).unwrap(),
        "newer\n"
    );
    assert_eq!(fixture.git(&worktree.path, &["rev-parse", "origin/main"]), base);
    let tracking = fixture.try_git(&worktree.path, &["config", "branch.feature/t1.remote"]);
    assert!(!tracking.status.success(), "the branch tracks something");
}

#[test]
fn asking_twice_gives_the_same_worktree_with_its_work() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (first, commit) = developed(&fixture, &git);
    fs::write(first.path.join("unsaved.txt"), "x").unwrap();
    let again = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    assert_eq!(
        (again.path.clone(), again.origin),
        (first.path, WorktreeOrigin::Found)
    );
    assert_eq!(again.start.head, Some(commit));
    assert!(again.path.join("unsaved.txt").exists());
}

#[test]
fn a_reviewer_gets_the_feature_head_without_a_branch() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (_, commit) = developed(&fixture, &git);
    git.push_branch(&branch("feature/t1"), None);
    let review = spec(
        "r",
        WorktreeKind::Detached(Revision::RemoteBranch(branch("feature/t1"))),
    );
    let worktree = git.ensure_worktree(&review).unwrap();
    assert_eq!(worktree.start.head, Some(commit));
    assert_eq!(fixture.git(&worktree.path, &["branch", "--show-current"]), "");
    assert_eq!(
        git.ensure_worktree(&review).unwrap().origin,
        WorktreeOrigin::Found
    );
    let place = WorkingTree::Worktree(name("r"));
    assert_eq!(git.workspace_unchanged(&place, &worktree.start), Tri::Yes);
    fs::write(worktree.path.join("work.txt"), "touched\n").unwrap();
    let answer = git.workspace_unchanged(&place, &worktree.start);
    assert!(
        matches!(&answer, Tri::No(what) if what.contains("work.txt")),
        "{answer:?}"
    );
}

#[test]
fn files_that_are_converted_on_their_way_back_are_no_change() {
    let fixture = GitFixture::new();
    let project = fixture.project();
    fixture.commit(&project, ".gitattributes", "*.txt text\n", "Lines end in one way");
    fs::write(fixture.root().join("raw"), "one\r\ntwo\r\n").unwrap();
    let raw = fixture.git(&project, &["hash-object", "-w", "--no-filters", "../raw"]);
    let entry = format!("100644,{raw},windows.txt");
    fixture.git(&project, &["update-index", "--add", "--cacheinfo", &entry]);
    fixture.git(&project, &["commit", "-q", "-m", "But this one came as it is"]);
    let commit = fixture.git(&project, &["rev-parse", "HEAD"]);
    let stored = fixture.git(&fixture.project(), &["cat-file", "-s", "HEAD:windows.txt"]);
    assert_eq!(stored, "10", "the file is stored as it is");
    fixture.git(&fixture.project(), &["push", "-q", "origin", "main"]);
    let git = open(&fixture);
    let worktree = git
        .ensure_worktree(&spec("r", WorktreeKind::Detached(Revision::Commit(id(&commit)))))
        .unwrap();
    let answer = git.workspace_unchanged(&WorkingTree::Worktree(name("r")), &worktree.start);
    assert_eq!(answer, Tri::Yes);
}

#[test]
fn hiding_a_change_in_the_index_does_not_work() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let worktree = git
        .ensure_worktree(&spec(
            "r",
            WorktreeKind::Detached(Revision::RemoteBranch(branch("main"))),
        ))
        .unwrap();
    fixture.git(
        &worktree.path,
        &["update-index", "--assume-unchanged", "README.md"],
    );
    fs::write(worktree.path.join("README.md"), "other\n").unwrap();
    assert_eq!(status(&fixture, &worktree.path), "");
    let answer = git.workspace_unchanged(&WorkingTree::Worktree(name("r")), &worktree.start);
    assert!(matches!(answer, Tri::No(_)), "{answer:?}");
}

#[test]
fn a_dirty_reviewers_worktree_is_kept_and_made_anew() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let review = spec(
        "r",
        WorktreeKind::Detached(Revision::RemoteBranch(branch("main"))),
    );
    let worktree = git.ensure_worktree(&review).unwrap();
    fs::write(worktree.path.join("scribble.txt"), "notes").unwrap();
    let again = git.ensure_worktree(&review).unwrap();
    assert_eq!(again.origin, WorktreeOrigin::Made);
    assert!(!again.path.join("scribble.txt").exists());
    assert_eq!(file_at(&fixture, &again.saved[0].commit, "scribble.txt"), "notes");
}

#[test]
fn an_investigator_works_in_the_main_checkout() {
    let fixture = GitFixture::new();
    let worktree = open(&fixture)
        .ensure_worktree(&spec("i", WorktreeKind::MainCheckout))
        .unwrap();
    assert_eq!(worktree.path, fixture.project());
    assert!(!fixture.project().join(".debussy-worktrees").exists());
}

#[test]
fn a_base_that_origin_lacks_is_an_error_with_the_way_out_and_leaves_nothing() {
    let fixture = GitFixture::unborn();
    let git = open(&fixture);
    let error = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap_err();
    assert!(error.to_string().contains("git push origin main"), "{error}");
    assert!(!fixture.project().join(".debussy-worktrees").exists());
    assert!(git.branches().unwrap().is_empty());
}

#[test]
fn a_branch_left_without_a_worktree_is_used_again() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, commit) = developed(&fixture, &git);
    fixture.git(
        &fixture.project(),
        &["worktree", "remove", "--force", worktree.path.to_str().unwrap()],
    );
    let again = git.ensure_worktree(&spec("b", on_branch("t1"))).unwrap();
    assert_eq!(again.start.head, Some(commit));
    assert!(again.path.join("work.txt").exists());
}

#[test]
fn a_branch_only_origin_has_is_used() {
    let fixture = GitFixture::new();
    fixture.git(
        &fixture.project(),
        &["push", "-q", "origin", "main:refs/heads/feature/t1"],
    );
    let commit = fixture.commit_on_origin("feature/t1", "theirs.txt", "x\n");
    let worktree = open(&fixture)
        .ensure_worktree(&spec("a", on_branch("t1")))
        .unwrap();
    assert_eq!(worktree.start.head, Some(id(&commit)));
}

#[test]
fn a_worktree_deleted_behind_our_back_is_made_anew() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, commit) = developed(&fixture, &git);
    fs::remove_dir_all(&worktree.path).unwrap();
    let again = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    assert_eq!(
        (again.origin, again.start.head),
        (WorktreeOrigin::Made, Some(commit))
    );
}

#[test]
fn a_stale_registration_under_another_name_gives_the_branch_back() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, commit) = developed(&fixture, &git);
    fs::remove_dir_all(&worktree.path).unwrap();
    let again = git.ensure_worktree(&spec("b", on_branch("t1"))).unwrap();
    assert_eq!(again.start.head, Some(commit));
}

#[test]
fn commits_without_a_branch_survive_a_deleted_worktree() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let detached = spec(
        "r",
        WorktreeKind::Detached(Revision::RemoteBranch(branch("main"))),
    );
    let worktree = git.ensure_worktree(&detached).unwrap();
    let lost = fixture.commit(&worktree.path, "lost.txt", "precious", "Lost");
    fs::remove_dir_all(&worktree.path).unwrap();
    let again = git.ensure_worktree(&detached).unwrap();
    assert_eq!(again.saved[0].commit, id(&lost));
    assert_eq!(file_at(&fixture, &id(&lost), "lost.txt"), "precious");
}

#[test]
fn a_branch_busy_in_a_living_worktree_is_refused() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    let error = git.ensure_worktree(&spec("b", on_branch("t1"))).unwrap_err();
    assert!(
        matches!(&error, GitError::Busy { path, .. } if *path == worktree.path),
        "{error}"
    );
    assert!(worktree.path.join("work.txt").exists());
}

#[test]
fn a_branch_busy_in_a_dead_worktree_moves_over_and_nothing_is_lost() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, commit) = developed(&fixture, &git);
    fs::write(worktree.path.join("unsaved.txt"), "precious").unwrap();
    let spec = WorktreeSpec {
        ended_folders: vec![name("a")],
        ..spec("b", on_branch("t1"))
    };
    let again = git.ensure_worktree(&spec).unwrap();
    assert_eq!(again.start.head, Some(commit));
    assert!(!worktree.path.exists());
    assert_eq!(
        file_at(&fixture, &again.saved[0].commit, "unsaved.txt"),
        "precious"
    );
}

#[test]
fn a_branch_busy_in_the_main_checkout_is_refused() {
    let fixture = GitFixture::new();
    fixture.git(&fixture.project(), &["checkout", "-q", "-b", "feature/t1"]);
    let error = open(&fixture)
        .ensure_worktree(&spec("a", on_branch("t1")))
        .unwrap_err();
    assert!(matches!(error, GitError::Busy { .. }), "{error}");
    assert_eq!(
        fixture.git(&fixture.project(), &["branch", "--show-current"]),
        "feature/t1"
    );
}

#[test]
fn an_unknown_folder_in_the_way_is_moved_aside_whole() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let folder = fixture.project().join(".debussy-worktrees/a");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("mine.txt"), "mine").unwrap();
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    assert_eq!(
        fs::read_to_string(worktree.set_aside[0].join("mine.txt")).unwrap(),
        "mine"
    );
    assert!(!worktree.path.join("mine.txt").exists());
}

#[test]
fn a_worktree_whose_pointer_is_gone_or_leads_elsewhere_is_moved_aside_whole() {
    let fixture = GitFixture::new();
    let other = GitFixture::new();
    let git = open(&fixture);
    for pointer in [
        None,
        Some(format!("gitdir: {}", other.project().join(".git").display())),
    ] {
        let (worktree, commit) = developed(&fixture, &git);
        fs::write(worktree.path.join("unsaved.txt"), "precious").unwrap();
        fs::remove_file(worktree.path.join(".git")).unwrap();
        if let Some(text) = pointer {
            fs::write(worktree.path.join(".git"), text).unwrap();
        }
        let again = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
        assert_eq!(again.start.head, Some(commit));
        assert_eq!(
            fs::read_to_string(again.set_aside[0].join("unsaved.txt")).unwrap(),
            "precious"
        );
        fs::remove_dir_all(&again.set_aside[0]).unwrap();
        fixture.git(&again.path, &["reset", "-q", "--hard", "origin/main"]);
    }
}

#[test]
fn a_worktree_folder_that_is_a_link_is_moved_aside_and_not_followed() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let victim = fixture.root().join("victim");
    fs::create_dir(&victim).unwrap();
    fs::write(victim.join("mine.txt"), "mine").unwrap();
    fs::create_dir(fixture.project().join(".debussy-worktrees")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&victim, fixture.project().join(".debussy-worktrees/a")).unwrap();
    git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    assert_eq!(fs::read_dir(&victim).unwrap().count(), 1);
}

#[test]
fn a_half_made_worktree_is_made_anew() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let folder = fixture.project().join(".debussy-worktrees/a");
    fs::create_dir_all(folder.parent().unwrap()).unwrap();
    let path = folder.to_str().unwrap();
    fixture.git(
        &fixture.project(),
        &["worktree", "add", "-q", "--no-checkout", "-b", "feature/t1", path],
    );
    fixture.git(
        &fixture.project(),
        &["worktree", "lock", "--reason", "initializing", path],
    );
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    assert_eq!(worktree.origin, WorktreeOrigin::Made);
    assert_eq!(status(&fixture, &worktree.path), "");
}

#[test]
fn the_previous_attempts_head_is_resumed_and_a_different_branch_head_kept() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, first) = developed(&fixture, &git);
    fixture.git(&worktree.path, &["reset", "-q", "--hard", "origin/main"]);
    let second = fixture.commit(&worktree.path, "second.txt", "second", "Second");
    let kind = WorktreeKind::Branch {
        branch: branch("feature/t1"),
        base: branch("main"),
        resume: Some(first.clone()),
    };
    let resumed = git.ensure_worktree(&spec("a", kind)).unwrap();
    assert_eq!(resumed.start.head, Some(first));
    let kept = resumed
        .saved
        .iter()
        .any(|snapshot| file_at(&fixture, &snapshot.commit, "second.txt") == "second");
    assert!(kept, "{second} is in no snapshot");
}

/// Branch without a worktree, so that only the branch itself holds its head.
#[test]
fn the_head_of_a_branch_that_is_replaced_goes_to_the_attic() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (_, first) = developed(&fixture, &git);
    git.push_branch(&branch("feature/t1"), None);
    git.remove_worktree(&name("a"), &saver("t1")).unwrap();
    let project = fixture.project();
    let elsewhere = fixture.root().join("elsewhere");
    let folder = elsewhere.to_str().unwrap();
    fixture.git(
        &project,
        &["worktree", "add", "-q", "-B", "feature/t1", folder, "main"],
    );
    let second = id(&fixture.commit(&elsewhere, "second.txt", "second", "Second"));
    fixture.git(&project, &["worktree", "remove", folder]);
    let kind = WorktreeKind::Branch {
        branch: branch("feature/t1"),
        base: branch("main"),
        resume: Some(first.clone()),
    };
    let resumed = git.ensure_worktree(&spec("a", kind)).unwrap();
    assert_eq!(resumed.start.head, Some(first.clone()));
    assert_eq!(
        fixture.git(&project, &["rev-parse", "feature/t1"]),
        first.to_string()
    );
    let [kept] = resumed.saved.as_slice() else {
        panic!("{second} is not kept: {:?}", resumed.saved)
    };
    assert_eq!(kept.commit, second);
    let control = fixture.state().join("control.git");
    assert!(
        kept.attic_ref.starts_with("refs/dbs/attic/t1/"),
        "{}",
        kept.attic_ref
    );
    assert_eq!(
        fixture.git(&control, &["rev-parse", &kept.attic_ref]),
        second.to_string()
    );
}

#[test]
fn a_held_index_lock_stops_nothing() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    let git_dir = fixture.git(&worktree.path, &["rev-parse", "--absolute-git-dir"]);
    fs::write(format!("{git_dir}/index.lock"), "").unwrap();
    fs::write(fixture.project().join(".git/index.lock"), "").unwrap();
    fs::write(worktree.path.join("unsaved.txt"), "precious").unwrap();
    let kept = git
        .snapshot(&WorkingTree::Worktree(name("a")), &saver("t1"))
        .unwrap();
    assert_eq!(file_at(&fixture, &kept.commit, "unsaved.txt"), "precious");
    git.ensure_worktree(&spec("b", on_branch("t2"))).unwrap();
    git.remove_worktree(&name("a"), &saver("t1")).unwrap();
    assert!(!worktree.path.exists());
}

#[test]
fn worktrees_are_listed_present_missing_and_foreign() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    developed(&fixture, &git);
    let gone = git.ensure_worktree(&spec("b", on_branch("t2"))).unwrap();
    fs::remove_dir_all(gone.path).unwrap();
    fs::create_dir(fixture.project().join(".debussy-worktrees/odd name")).unwrap();
    let found: Vec<_> = git
        .worktrees()
        .unwrap()
        .into_iter()
        .map(|entry| {
            (
                entry.folder.map(|name| name.to_string()),
                entry.checked_out,
                entry.is_present,
            )
        })
        .collect();
    let on = |name: &str| Some(CheckedOut::Branch(branch(name)));
    let wanted = [
        (Some("a".to_owned()), on("feature/t1"), true),
        (Some("b".to_owned()), on("feature/t2"), false),
        (None, None, true),
    ];
    assert_eq!(found, wanted);
}

/// Opens the adapter with worktrees beside the project, and with those inside it as earlier ones.
fn open_beside(fixture: &GitFixture) -> (GitCli, std::path::PathBuf) {
    let beside = fixture.project().with_extension("dbs");
    let mut with = setup(fixture);
    with.roots.new = Some(beside.clone());
    (GitCli::open(&with).unwrap(), beside)
}

#[test]
fn a_worktree_is_made_beside_the_project_and_one_inside_of_it_stays_in_use() {
    let fixture = GitFixture::new();
    let (inside, commit) = developed(&fixture, &open(&fixture));
    fs::write(inside.path.join("unsaved.txt"), "precious").unwrap();
    let (git, beside) = open_beside(&fixture);
    let again = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    assert_eq!(
        (again.path, again.origin),
        (inside.path.clone(), WorktreeOrigin::Found)
    );
    assert_eq!(again.start.head, Some(commit));
    let other = git.ensure_worktree(&spec("b", on_branch("t2"))).unwrap();
    assert_eq!(other.path, beside.join("b"));
    let found: Vec<_> = git
        .worktrees()
        .unwrap()
        .into_iter()
        .map(|entry| entry.path)
        .collect();
    assert_eq!(
        found,
        [other.path.clone(), inside.path.clone()]
            .into_iter()
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
    );
    let mut next = spec("c", on_branch("t1"));
    next.ended_folders = vec![name("a")];
    let next = git.ensure_worktree(&next).unwrap();
    assert_eq!(next.path, beside.join("c"));
    assert!(!inside.path.exists());
    assert_eq!(
        file_at(&fixture, &next.saved[0].commit, "unsaved.txt"),
        "precious"
    );
    git.remove_worktree(&name("b"), &saver("t2")).unwrap();
    assert!(!other.path.exists());
}

#[test]
fn a_registration_of_a_worktree_inside_of_the_project_whose_folder_is_gone_is_put_away() {
    let fixture = GitFixture::new();
    let (inside, _) = developed(&fixture, &open(&fixture));
    fs::remove_dir_all(&inside.path).unwrap();
    let (git, beside) = open_beside(&fixture);
    assert_eq!(git.worktrees().unwrap().len(), 1);
    let again = git.ensure_worktree(&spec("b", on_branch("t1"))).unwrap();
    assert_eq!(again.path, beside.join("b"));
    assert_eq!(git.worktrees().unwrap().len(), 1);
}

#[test]
fn thirty_two_worktrees_at_once_from_eight_threads_all_succeed() {
    let fixture = GitFixture::new();
    let git: Arc<GitCli> = Arc::new(open(&fixture));
    let threads: Vec<_> = (0..8)
        .map(|thread| {
            let git = Arc::clone(&git);
            std::thread::Builder::new()
                .spawn(move || {
                    let made = |n: i32| {
                        let task = format!("p{thread}-{n}");
                        git.ensure_worktree(&spec(&task, on_branch(&task)))
                            .map(|worktree| worktree.path)
                    };
                    (0..4).map(made).collect::<Result<Vec<_>, _>>()
                })
                .unwrap()
        })
        .collect();
    let paths: Vec<_> = threads
        .into_iter()
        .flat_map(|thread| thread.join().unwrap().unwrap())
        .collect();
    assert_eq!(paths.len(), 32);
    for path in paths {
        assert_eq!(head(&fixture, &path), head(&fixture, &fixture.project()));
        assert_eq!(status(&fixture, &path), "");
    }
}

#[test]
fn what_can_be_built_again_is_ignored_known_or_marked_and_holds_no_repository() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    let write = |file: &str, text: &str| {
        let file = worktree.path.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    let mark = "Signature: 8a477f597d28d172789f06886806bc55\n";
    write(".venv/tracked.txt", "ours");
    fixture.git(&worktree.path, &["add", "."]);
    fixture.git(&worktree.path, &["commit", "-q", "-m", "Work"]);
    for (file, text) in [
        (
            ".gitignore",
            "node_modules\ntarget\n.venv\nnotes\nwork\nfake\n.env\n",
        ),
        ("node_modules/a/index.js", "a"),
        ("packages/b/node_modules/x", "x"),
        ("target/CACHEDIR.TAG", mark),
        ("notes/plan.md", "mine"),
        ("fake/CACHEDIR.TAG", "Signature: none\n"),
        ("work/CACHEDIR.TAG", mark),
        ("work/clone/.git/HEAD", "ref: refs/heads/main\n"),
        ("unignored/CACHEDIR.TAG", mark),
        (".env", "A=1"),
    ] {
        write(file, text);
    }
    let mut built = git.built_folders(&name("a")).unwrap();
    built.sort();
    let wanted = ["node_modules", "packages/b/node_modules", "target"];
    assert_eq!(built, wanted.map(|folder| worktree.path.join(folder)));
    assert!(
        git.built_folders(&name("b")).is_err(),
        "there is no such worktree"
    );
}
