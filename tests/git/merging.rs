//! Merges and clean checkouts in the control repository.
#![expect(
    clippy::disallowed_methods,
    reason = "a shell does to a checkout what gates do"
)]

use std::fs;

use crate::script::write_script;

use dbs::domain::Tri;
use dbs::ports::git::{
    CommitId, CommitsAhead, DiffRange, FileEdit, Git, GitError, MergeEdits, MergeOutcome, MergeRequest,
    PublishOutcome, PublishRequest, RestoreRequest, Revision, SafeName, WorkingTree,
};

use super::{GitFixture, branch, developed, file_at, id, merge_of, name, open, signature};

fn merged(outcome: MergeOutcome, base: &str) -> PublishRequest {
    let MergeOutcome::Merged {
        commit,
        base: expected,
        ..
    } = outcome
    else {
        panic!("{outcome:?}")
    };
    PublishRequest {
        commit,
        base: branch(base),
        expected,
    }
}

#[test]
fn a_clean_merge_is_made_published_and_seen_on_the_remote() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (_, head) = developed(&fixture, &git);
    fixture.commit_on_origin("main", "theirs.txt", "theirs\n");
    assert!(matches!(git.is_merged(&head, &branch("main")), Tri::No(_)));
    let publication = merged(git.merge(&merge_of(&head)), "main");
    assert_eq!(file_at(&fixture, &publication.commit, "theirs.txt"), "theirs");
    assert_eq!(git.publish(&publication), PublishOutcome::Done);
    assert_eq!(git.is_merged(&head, &branch("main")), Tri::Yes);
    let log = fixture.git(
        &fixture.origin(),
        &["log", "-1", "--format=%s|%an <%ae>|%at|%b", "main"],
    );
    let wanted =
        "Merge feature/t1: Add the work|Engine <engine@example.org>|1700000100|Dbs-Task: t1\nDbs-Attempt: 17";
    assert_eq!(log, wanted);
    assert_eq!(fixture.git(&fixture.project(), &["status", "--porcelain"]), "");
}

#[test]
fn every_step_of_a_merge_may_be_repeated() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (_, head) = developed(&fixture, &git);
    let request = merge_of(&head);
    let first = git.merge(&request);
    assert_eq!(git.merge(&request), first);
    let publication = merged(first, "main");
    assert_eq!(git.publish(&publication), PublishOutcome::Done);
    assert_eq!(git.publish(&publication), PublishOutcome::Done);
    drop(git);
    let again = open(&fixture).merge(&request);
    let wanted = MergeOutcome::AlreadyMerged {
        commit: Some(publication.commit.clone()),
        base: publication.commit,
    };
    assert_eq!(again, wanted);
    assert_eq!(
        fixture.git(&fixture.origin(), &["rev-list", "--count", "--merges", "main"]),
        "1"
    );
}

fn edits(base: &CommitId, files: &[(&str, Option<&str>)]) -> MergeEdits {
    let files = files.iter().map(|(path, text)| FileEdit {
        path: (*path).to_owned(),
        text: text.map(str::to_owned),
    });
    MergeEdits {
        base: base.clone(),
        files: files.collect(),
    }
}

#[test]
fn a_merge_writes_files_besides_and_is_found_again_with_them() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (_, head) = developed(&fixture, &git);
    let base = id(&fixture.commit_on_origin("main", "gone.txt", "old\n"));
    let request = MergeRequest {
        edits: Some(edits(
            &base,
            &[("deep/state.json", Some("{}\n")), ("gone.txt", None)],
        )),
        ..merge_of(&head)
    };
    let publication = merged(git.merge(&request), "main");
    assert_eq!(
        git.merge(&request),
        git.merge(&request),
        "a repeated merge is the same commit"
    );
    assert_eq!(git.publish(&publication), PublishOutcome::Done);
    assert_eq!(file_at(&fixture, &publication.commit, "deep/state.json"), "{}");
    let files = git.list_files(&publication.commit, None).unwrap();
    assert!(!files.contains(&"gone.txt".to_owned()), "{files:?}");
    let below = git.list_files(&publication.commit, Some("deep")).unwrap();
    assert_eq!(below, ["deep/state.json"]);
    assert_eq!(git.merge(&request), MergeOutcome::BaseMoved);
    let again = MergeOutcome::AlreadyMerged {
        commit: Some(publication.commit.clone()),
        base: publication.commit,
    };
    assert_eq!(git.merge(&merge_of(&head)), again);
}

#[test]
fn what_somebody_else_merged_gets_its_files_in_a_commit_of_their_own() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (_, head) = developed(&fixture, &git);
    let by_hand = PublishRequest {
        commit: merged(git.merge(&merge_of(&head)), "main").commit,
        base: branch("main"),
        expected: id(&fixture.git(&fixture.origin(), &["rev-parse", "main"])),
    };
    assert_eq!(git.publish(&by_hand), PublishOutcome::Done);
    let request = MergeRequest {
        attempt: name("18"),
        edits: Some(edits(&by_hand.commit, &[("state.json", Some("{}\n"))])),
        ..merge_of(&head)
    };
    let publication = merged(git.merge(&request), "main");
    assert_eq!(git.publish(&publication), PublishOutcome::Done);
    let parents = fixture.git(&fixture.origin(), &["log", "-1", "--format=%P", "main"]);
    assert_eq!(parents, by_hand.commit.as_str());
}

#[test]
fn files_of_a_branch_are_as_they_were_and_what_is_so_already_makes_no_commit() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, from) = developed(&fixture, &git);
    fixture.commit(&worktree.path, "work.txt", "changed\n", "Change");
    let head = id(&fixture.commit(&worktree.path, "more.txt", "new\n", "Add"));
    let request = RestoreRequest {
        branch: branch("feature/t1"),
        head,
        from: from.clone(),
        paths: vec!["work.txt".to_owned(), "more.txt".to_owned()],
        task: name("t1"),
        attempt: name("18"),
        signature: signature(),
    };
    let restored = git.restore_files(&request).unwrap().unwrap();
    let stands = fixture.git(&fixture.project(), &["rev-parse", "feature/t1"]);
    assert_eq!(stands, restored.as_str());
    let same = fixture.git(
        &fixture.project(),
        &["diff", "--name-only", from.as_str(), restored.as_str()],
    );
    assert_eq!(same, "");
    let again = RestoreRequest {
        head: restored,
        ..request
    };
    assert_eq!(git.restore_files(&again).unwrap(), None);
}

#[test]
fn a_conflict_names_the_files_and_changes_nothing() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    let head = id(&fixture.commit(&worktree.path, "README.md", "ours\n", "Ours"));
    let base = fixture.commit_on_origin("main", "README.md", "theirs\n");
    let MergeOutcome::Conflict {
        files,
        report,
        base: tried,
    } = git.merge(&merge_of(&head))
    else {
        panic!()
    };
    assert_eq!(tried, id(&base));
    assert_eq!(files.len(), 1);
    assert_eq!(files[0].path, "README.md");
    let text = files[0].text.as_ref().unwrap();
    assert!(
        text.contains("<<<<<<<") && text.contains("ours") && text.contains("theirs"),
        "{text}"
    );
    assert!(report.contains("CONFLICT"), "{report}");
    assert_eq!(fixture.git(&fixture.origin(), &["rev-parse", "main"]), base);
}

#[test]
fn a_base_that_moves_between_merge_and_publication_is_merged_again() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (_, head) = developed(&fixture, &git);
    let publication = merged(git.merge(&merge_of(&head)), "main");
    let newer = fixture.commit_on_origin("main", "theirs.txt", "theirs\n");
    assert_eq!(git.publish(&publication), PublishOutcome::Moved(id(&newer)));
    assert_eq!(fixture.git(&fixture.origin(), &["rev-parse", "main"]), newer);
    let publication = merged(git.merge(&merge_of(&head)), "main");
    assert_eq!(git.publish(&publication), PublishOutcome::Done);
}

#[test]
fn a_publication_that_would_drop_commits_is_refused() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (_, head) = developed(&fixture, &git);
    let publication = merged(git.merge(&merge_of(&head)), "main");
    let newer = id(&fixture.commit_on_origin("main", "theirs.txt", "theirs\n"));
    let forced = PublishRequest {
        expected: newer.clone(),
        ..publication
    };
    assert!(matches!(git.publish(&forced), PublishOutcome::Refused(_)));
    assert_eq!(
        fixture.git(&fixture.origin(), &["rev-parse", "main"]),
        newer.to_string()
    );
}

#[test]
fn a_remote_that_says_no_is_refused_and_named() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (_, head) = developed(&fixture, &git);
    let publication = merged(git.merge(&merge_of(&head)), "main");
    let hook = fixture.origin().join("hooks/pre-receive");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    write_script(&hook, "#!/bin/sh\necho protected by policy >&2\nexit 1\n");
    let refused = git.publish(&publication);
    assert!(
        matches!(&refused, PublishOutcome::Refused(why) if why.contains("protected by policy")),
        "{refused:?}"
    );
}

#[test]
fn a_squash_merge_elsewhere_counts_as_merged() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (_, head) = developed(&fixture, &git);
    let squashed = fixture.commit_on_origin("main", "work.txt", "work\n");
    assert_eq!(git.is_merged(&head, &branch("main")), Tri::Yes);
    assert_eq!(
        git.merge(&merge_of(&head)),
        MergeOutcome::AlreadyMerged {
            commit: None,
            base: id(&squashed)
        }
    );
}

#[test]
fn the_recorded_commit_counts_even_when_its_branch_is_gone() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, head) = developed(&fixture, &git);
    git.push_branch(&branch("feature/t1"), None);
    fixture.git(
        &fixture.project(),
        &["push", "-q", "origin", "--delete", "feature/t1"],
    );
    fixture.git(&worktree.path, &["checkout", "-q", "--detach", "origin/main"]);
    fixture.git(&fixture.project(), &["branch", "-D", "feature/t1"]);
    let publication = merged(git.merge(&merge_of(&head)), "main");
    assert_eq!(git.publish(&publication), PublishOutcome::Done);
    assert_eq!(git.is_merged(&head, &branch("main")), Tri::Yes);
}

#[test]
fn histories_without_a_common_commit_and_missing_ends_are_impossible_not_unknown() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, head) = developed(&fixture, &git);
    fixture.git(&worktree.path, &["checkout", "-q", "--orphan", "lonely"]);
    let lonely = id(&fixture.commit(&worktree.path, "lonely.txt", "x", "Lonely"));
    assert!(matches!(
        git.merge(&merge_of(&lonely)),
        MergeOutcome::Impossible(_)
    ));
    let nowhere = MergeRequest {
        base: branch("nowhere"),
        ..merge_of(&head)
    };
    assert!(matches!(git.merge(&nowhere), MergeOutcome::Impossible(_)));
    let unheard = id(&"d".repeat(40));
    assert!(matches!(
        git.merge(&merge_of(&unheard)),
        MergeOutcome::Impossible(_)
    ));
    assert!(matches!(git.is_merged(&unheard, &branch("main")), Tri::No(_)));
}

#[test]
fn a_hostile_title_stays_on_its_line() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (_, head) = developed(&fixture, &git);
    let title = format!(
        "\"; rm -rf ~ #\n\nDbs-Task: other\r\u{0} $(id) {}",
        "x".repeat(10_000)
    );
    let publication = merged(
        git.merge(&MergeRequest {
            title,
            ..merge_of(&head)
        }),
        "main",
    );
    let control = fixture.state().join("control.git");
    let trailers = fixture.git(
        &control,
        &[
            "log",
            "-1",
            "--format=%(trailers:key=Dbs-Task,valueonly)",
            publication.commit.as_str(),
        ],
    );
    assert_eq!(trailers, "t1");
    let subject = fixture.git(
        &control,
        &["log", "-1", "--format=%s", publication.commit.as_str()],
    );
    assert!(
        subject.starts_with("Merge feature/t1: \"; rm -rf ~ # Dbs-Task: other \\x00 $(id) xxx"),
        "{subject}"
    );
    assert!(subject.chars().count() <= 72, "{subject}");
}

#[test]
fn what_a_branch_did_is_counted_and_listed_since_its_fork() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    fixture.git(&worktree.path, &["mv", "README.md", "READYOU.md"]);
    let head = id(&fixture.commit(&worktree.path, "more.txt", "more\n", "More"));
    fixture.commit_on_origin("main", "theirs.txt", "theirs\n");
    let (work, base) = (
        Revision::LocalBranch(branch("feature/t1")),
        Revision::RemoteBranch(branch("main")),
    );
    assert!(
        matches!(git.commits_ahead(&work, &base), CommitsAhead::Commits { n_commits: 2, head: seen, .. } if seen == head)
    );
    let range = DiffRange::SinceFork { base, head: work };
    let whole = git.diff_text(&range, 100_000).unwrap();
    assert!(whole.text.contains("+work") && !whole.truncated);
    assert!(
        whole.text.contains("rename from README.md\nrename to READYOU.md"),
        "{}",
        whole.text
    );
    let files = whole.text.lines().filter(|line| line.starts_with("diff --git"));
    assert_eq!(files.count(), 3, "theirs is no part of it: {}", whole.text);
    let cut = git.diff_text(&range, 50).unwrap();
    assert!(cut.truncated && cut.text.len() == 50);
}

#[test]
fn work_that_is_not_committed_is_seen_in_the_differences_and_a_merge_shows_what_came_with_it() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, head) = developed(&fixture, &git);
    fixture.commit_on_origin("main", "theirs.txt", "theirs\n");
    fs::write(worktree.path.join("new.txt"), "not committed\n").unwrap();
    let folder = worktree.path.file_name().unwrap().to_str().unwrap();
    let range = DiffRange::WorkInProgress {
        base: Revision::RemoteBranch(branch("main")),
        place: WorkingTree::Worktree(SafeName::derive(folder)),
    };
    let text = git.diff_text(&range, 100_000).unwrap().text;
    assert!(
        text.contains("+not committed") && text.contains("+work"),
        "{text}"
    );
    assert!(!text.contains("theirs"), "{text}");
    let made = git
        .diff_text(&DiffRange::Commit { commit: head }, 100_000)
        .unwrap()
        .text;
    assert!(made.contains("+work") && !made.contains("new.txt"), "{made}");
}

#[test]
fn a_clean_checkout_has_exactly_the_files_of_the_commit() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    fs::write(
        worktree.path.join(".gitattributes"),
        "work.txt export-ignore filter=evil\n",
    )
    .unwrap();
    let head = id(&fixture.commit(&worktree.path, "deep/er/file.txt", "x\n", "Deep"));
    fs::write(worktree.path.join("untracked.txt"), "x").unwrap();
    let dir = fixture.root().join("checkouts/one");
    let checkout = git.checkout_clean(&head, &dir).unwrap();
    assert_eq!(
        fs::read_to_string(checkout.path.join("work.txt")).unwrap(),
        "work\n"
    );
    assert!(checkout.path.join("deep/er/file.txt").exists() && !checkout.path.join("untracked.txt").exists());
    assert_eq!(
        fixture.git(&checkout.path, &["rev-parse", "HEAD"]),
        head.to_string()
    );
    assert_eq!(fixture.git(&checkout.path, &["status", "--porcelain"]), "");
    assert_eq!(
        fixture.git(&checkout.path, &["rev-parse", "HEAD^{tree}"]),
        checkout.tree.as_str()
    );
    fs::write(checkout.path.join("left-over.txt"), "x").unwrap();
    let again = git.checkout_clean(&head, &dir).unwrap();
    assert!(!again.path.join("left-over.txt").exists());
    git.discard_checkout(&dir).unwrap();
    git.discard_checkout(&dir).unwrap();
    assert!(!dir.exists());
}

/// Changes that a gate may make to its checkout, as scripts of a shell.
#[cfg(unix)]
const CHANGES: &[&str] = &[
    "echo more >> work.txt",
    "touch -r work.txt before && printf WORK > work.txt && touch -r before work.txt && rm before",
    "rm work.txt && mkdir work.txt && echo x > work.txt/x",
    "chmod +x work.txt",
    "rm -r deep && mkdir -p away/er && cp work.txt away/er/file.txt && ln -s away deep",
    "mv deep away && ln -s away deep",
    "echo x > new.txt && mkdir -p new/folder empty && echo x > new/folder/x",
    "git update-index --skip-worktree work.txt && echo more >> work.txt",
    "git update-index --assume-unchanged work.txt && echo more >> work.txt",
    "mkdir -p .git/info && echo new.txt >> .git/info/exclude; echo x > new.txt",
    "echo '*' > .gitignore; echo x > new.txt",
    "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x",
    "rm -rf .git && git init -q . && echo x > new.txt",
    "rm -rf .git && ln -s /nowhere .git",
    "mkdir nested && git -C nested init -q && echo x > nested/x",
    "mkfifo pipe && mkdir pipes && mkfifo pipes/one",
    "rm .gitignore && ln -s work.txt .gitignore",
];

#[cfg(unix)]
#[test]
fn a_checkout_is_brought_back_to_its_commit_whatever_was_done_to_it() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    fixture.commit(&worktree.path, ".gitignore", "built/\n", "Ignore");
    let head = id(&fixture.commit(&worktree.path, "deep/er/file.txt", "x\n", "Deep"));
    let dir = fixture.root().join("checkouts/one");
    let checkout = git.checkout_clean(&head, &dir).unwrap();
    let shell = |script: &str| {
        let status = std::process::Command::new("/bin/sh")
            .args(["-e", "-c", script])
            .current_dir(&checkout.path)
            .status()
            .unwrap();
        assert!(status.success(), "{script}");
    };
    for change in CHANGES {
        shell(&format!("mkdir -p built && echo o > built/o\n{change}"));
        git.restore_checkout(&head, &dir).unwrap();
        let status = ["status", "--porcelain", "--untracked-files=all"];
        assert_eq!(fixture.git(&checkout.path, &status), "", "{change}");
        assert_eq!(
            fixture.git(&checkout.path, &["rev-parse", "HEAD"]),
            head.to_string(),
            "{change}"
        );
        let listed = fixture.git(&checkout.path, &["ls-files", "--stage"]);
        let again = git
            .checkout_clean(&head, &fixture.root().join("checkouts/two"))
            .unwrap();
        let compare = ["diff", "-r", "--exclude=.git", "--exclude=built"].join(" ");
        shell(&format!("{compare} . '{}'", again.path.display()));
        shell("test -x work.txt && exit 1; test ! -p pipe && test ! -e pipes && test ! -e empty");
        assert_eq!(
            listed,
            fixture.git(&again.path, &["ls-files", "--stage"]),
            "{change}"
        );
    }
    git.discard_checkout(&dir).unwrap();
    assert!(!dir.exists());
}

#[cfg(unix)]
#[test]
fn what_git_ignores_stays_in_a_checkout_and_files_that_are_as_they_were_are_not_written_again() {
    use std::os::unix::fs::MetadataExt as _;

    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    let head = id(&fixture.commit(&worktree.path, ".gitignore", "built/\n", "Ignore"));
    let dir = fixture.root().join("checkouts/one");
    let path = git.checkout_clean(&head, &dir).unwrap().path;
    fs::create_dir(path.join("built")).unwrap();
    fs::write(path.join("built/o"), "o").unwrap();
    fs::write(path.join("new.txt"), "new").unwrap();
    let changed = || {
        let facts = fs::metadata(path.join("work.txt")).unwrap();
        (facts.ino(), facts.mtime(), facts.mtime_nsec(), facts.ctime_nsec())
    };
    let before = changed();
    git.restore_checkout(&head, &dir).unwrap();
    assert_eq!(changed(), before);
    assert!(path.join("built/o").exists() && !path.join("new.txt").exists());
}

#[test]
fn a_folder_that_is_no_checkout_is_neither_filled_nor_discarded() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let dir = fixture.root().join("mine");
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("mine.txt"), "mine").unwrap();
    let head = id(&fixture.git(&fixture.project(), &["rev-parse", "HEAD"]));
    assert!(matches!(
        git.checkout_clean(&head, &dir),
        Err(GitError::NotOurs { .. })
    ));
    assert!(matches!(
        git.discard_checkout(&dir),
        Err(GitError::NotOurs { .. })
    ));
    assert_eq!(fs::read_to_string(dir.join("mine.txt")).unwrap(), "mine");
}

#[cfg(unix)]
#[test]
fn links_out_of_the_tree_are_data_and_not_written_through() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    let victim = fixture.root().join("victim");
    fs::create_dir(&victim).unwrap();
    std::os::unix::fs::symlink(&victim, worktree.path.join("out")).unwrap();
    let linked = id(&fixture.commit(&worktree.path, "x", "x", "Link"));
    fs::remove_file(worktree.path.join("out")).unwrap();
    let head = id(&fixture.commit(&worktree.path, "out/file.txt", "x", "Folder"));
    let dir = fixture.root().join("checkouts/one");
    git.checkout_clean(&linked, &dir).unwrap();
    git.checkout_clean(&head, &dir).unwrap();
    assert_eq!(fs::read_dir(&victim).unwrap().count(), 0);
}

#[test]
fn names_that_the_projects_disk_takes_for_one_are_not_merged_and_both_are_named() {
    let fixture = GitFixture::new();
    // The disk of the test tells the names apart and can hold both; git is told what it would find out on another disk.
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    let head = id(&fixture.commit(&worktree.path, "readme.MD", "other\n", "Another"));
    assert!(matches!(git.merge(&merge_of(&head)), MergeOutcome::Merged { .. }));
    fixture.git(&fixture.project(), &["config", "core.ignorecase", "true"]);
    let git = open(&fixture);
    let refused = git.merge(&merge_of(&head));
    assert!(
        matches!(&refused, MergeOutcome::Impossible(why)
            if why.contains("readme.MD and README.md") && why.contains("rename one")),
        "{refused:?}"
    );
}
