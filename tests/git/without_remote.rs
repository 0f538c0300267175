//! Projects that work without a remote: the control repository takes its place, takes up the commits of the person, and loses nothing.

use std::path::Path;

use dbs::adapters::git::{GitCli, GitSetup, RemoteChoice};
use dbs::domain::{Tri, TroubleKind};
use dbs::ports::git::{
    BranchName, CommitId, DeleteOutcome, Git, GitError, Head, MergeOutcome, MergeRequest, PreflightError,
    PublishOutcome, PublishRequest, PushOutcome, Revision, WorktreeKind,
};

use super::{
    GitFixture, base, branch, developed, file_at, id, merge_of, name, on_branch, saver, setup, spec,
};

fn alone_in(fixture: &GitFixture) -> GitSetup {
    GitSetup {
        remote: RemoteChoice::Control,
        ..setup(fixture)
    }
}

/// Makes a project without a remote, with one commit on `main`, which is checked out.
fn alone() -> (GitFixture, GitCli) {
    let fixture = GitFixture::new();
    fixture.git(&fixture.project(), &["remote", "remove", "origin"]);
    let git = GitCli::open(&alone_in(&fixture)).unwrap();
    (fixture, git)
}

fn main_of(fixture: &GitFixture) -> CommitId {
    id(&fixture.git(&fixture.project(), &["rev-parse", "refs/heads/main"]))
}

/// Returns the base that counts.
fn counted(git: &GitCli) -> CommitId {
    match git.resolve(&Revision::RemoteBranch(branch("main"))) {
        Head::At(commit) => commit,
        other => panic!("{other:?}"),
    }
}

fn holds(fixture: &GitFixture, base: &CommitId, part: &CommitId) -> bool {
    let control = fixture.state().join("control.git");
    let asked = fixture.try_git(
        &control,
        &["merge-base", "--is-ancestor", part.as_str(), base.as_str()],
    );
    asked.status.success()
}

/// Merges the head of a task as the engine does; `between` runs before the merge is published.
fn merged(git: &GitCli, request: &MergeRequest, between: impl FnOnce()) -> PublishOutcome {
    let MergeOutcome::Merged { commit, base, .. } = git.merge(request) else {
        panic!("not merged");
    };
    between();
    git.publish(&PublishRequest {
        commit,
        base: request.base.clone(),
        expected: base,
    })
}

/// Merges a task with one commit of `work.txt`, and returns that commit.
fn with_merged_work(fixture: &GitFixture, git: &GitCli) -> CommitId {
    let (_worktree, work) = developed(fixture, git);
    assert_eq!(merged(git, &merge_of(&work), || {}), PublishOutcome::Done);
    work
}

fn agent(fixture: &GitFixture, git: &GitCli, folder: &Path, args: &[&str]) -> std::process::Output {
    let remote = git.agents_remote();
    let settings: Vec<String> = remote
        .settings
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    let settings = settings.iter().flat_map(|setting| ["-c", setting]);
    let args: Vec<&str> = settings.chain(args.iter().copied()).collect();
    fixture.try_git(folder, &args)
}

#[test]
fn a_project_without_a_remote_is_refused_until_the_setting_says_that_it_needs_none() {
    let fixture = GitFixture::new();
    fixture.git(&fixture.project(), &["remote", "remove", "origin"]);
    let refused = GitCli::open(&setup(&fixture)).err().unwrap();
    assert_eq!(refused, PreflightError::NoRemote("origin".to_owned()));
    assert!(
        refused.to_string().contains("`dbs config remote none`"),
        "{refused}"
    );
    let git = GitCli::open(&alone_in(&fixture)).unwrap();
    assert_eq!(git.preflight().unwrap().origin, None);
}

#[test]
fn a_repository_without_a_commit_is_refused_with_the_way_out() {
    let fixture = GitFixture::unborn();
    let git = GitCli::open(&alone_in(&fixture)).unwrap();
    let refused = git.preflight().unwrap_err();
    assert_eq!(refused, PreflightError::NoCommit);
    assert!(
        refused.to_string().contains("git commit --allow-empty"),
        "{refused}"
    );
}

#[test]
fn another_remote_than_origin_is_one_by_its_name() {
    let fixture = GitFixture::new();
    fixture.git(&fixture.project(), &["remote", "rename", "origin", "Team_1"]);
    let git = GitCli::open(&GitSetup {
        remote: RemoteChoice::Named("Team_1".to_owned()),
        ..setup(&fixture)
    });
    let git = git.unwrap();
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    fixture.git(
        &worktree.path,
        &["rev-parse", "--verify", "refs/remotes/Team_1/main"],
    );
    assert_eq!(
        git.preflight().unwrap().origin,
        Some(fixture.origin().display().to_string())
    );
}

#[test]
fn a_remote_that_is_named_later_is_confirmed_before_anything_is_pushed_to_it() {
    let (fixture, git) = alone();
    drop(git);
    let address = fixture.origin().display().to_string();
    fixture.git(&fixture.project(), &["remote", "add", "origin", &address]);
    let later = GitCli::open(&setup(&fixture)).unwrap();
    let refused = later.preflight().unwrap_err();
    assert!(matches!(&refused, PreflightError::OriginChanged { recorded: None, now, .. } if *now == address));
    assert!(
        refused
            .to_string()
            .contains(&format!("`dbs trust --origin {address}`")),
        "{refused}"
    );
    later.accept_origin().unwrap();
    assert_eq!(later.preflight().unwrap().origin, Some(address));
    // A project that goes back to no remote has nothing to confirm.
    let again = GitCli::open(&alone_in(&fixture)).unwrap();
    assert_eq!(again.preflight().unwrap().origin, None);
}

#[test]
fn merged_work_counts_at_once_and_the_branch_of_a_checkout_waits_for_its_files() {
    let (fixture, git) = alone();
    let before = main_of(&fixture);
    let work = with_merged_work(&fixture, &git);
    assert_eq!(main_of(&fixture), before);
    assert_eq!(fixture.git(&fixture.project(), &["status", "--porcelain"]), "");
    let now = counted(&git);
    assert!(holds(&fixture, &now, &work));
    assert_eq!(git.is_merged(&work, &branch("main")), Tri::Yes);
    let shown = fixture.git(&fixture.project(), &["rev-parse", "dbs/main"]);
    assert_eq!(shown, now.as_str());
    // The next task starts from the merged work.
    let next = git.ensure_worktree(&spec("b", on_branch("t2"))).unwrap();
    assert_eq!(next.start.head, Some(now.clone()));
    // The person takes the merged work by the name that is shown.
    fixture.git(&fixture.project(), &["merge", "-q", "--ff-only", "dbs/main"]);
    assert_eq!(counted(&git), now);
}

#[test]
fn a_branch_that_no_checkout_has_moves_with_the_merge() {
    let (fixture, git) = alone();
    fixture.git(&fixture.project(), &["checkout", "-q", "-b", "aside"]);
    let work = with_merged_work(&fixture, &git);
    assert_eq!(main_of(&fixture), counted(&git));
    assert!(holds(&fixture, &main_of(&fixture), &work));
}

#[test]
fn a_branch_that_is_being_rebased_or_bisected_or_is_in_another_worktree_stays() {
    for state in ["rebase", "bisect", "worktree"] {
        let (fixture, git) = alone();
        let project = fixture.project();
        fixture.commit(&project, "two.txt", "x", "Two");
        match state {
            "rebase" => {
                let editor = "sequence.editor=sed -i -e 's/^pick/edit/'";
                fixture.git(&project, &["-c", editor, "rebase", "-q", "-i", "HEAD~1"]);
            }
            "bisect" => {
                fixture.git(&project, &["bisect", "start", "HEAD", "HEAD~1"]);
                fixture.git(&project, &["checkout", "-q", "--detach", "HEAD~1"]);
            }
            _ => {
                fixture.git(&project, &["checkout", "-q", "-b", "aside"]);
                fixture.git(&project, &["worktree", "add", "-q", "../other", "main"]);
            }
        }
        let before = main_of(&fixture);
        with_merged_work(&fixture, &git);
        assert_eq!(main_of(&fixture), before, "{state}");
        assert_ne!(counted(&git), before, "{state}");
    }
}

#[test]
fn commits_of_the_person_are_merged_onto_whenever_they_come() {
    let (fixture, git) = alone();
    let (_worktree, work) = developed(&fixture, &git);
    let before_merge = id(&fixture.commit(&fixture.project(), "mine.txt", "1", "Mine, before"));
    let request = merge_of(&work);
    let mut between = None;
    let first = merged(&git, &request, || {
        between = Some(id(&fixture.commit(
            &fixture.project(),
            "mine.txt",
            "2",
            "Mine, meanwhile",
        )));
    });
    assert!(matches!(first, PublishOutcome::Moved(_)), "{first:?}");
    assert_eq!(merged(&git, &request, || {}), PublishOutcome::Done);
    let after = id(&fixture.commit(&fixture.project(), "mine.txt", "3", "Mine, after"));
    git.ensure_worktree(&spec("b", on_branch("t2"))).unwrap();
    let base = counted(&git);
    for part in [&before_merge, &between.unwrap(), &after, &work] {
        assert!(holds(&fixture, &base, part));
    }
    assert_eq!(file_at(&fixture, &base, "mine.txt"), "3");
    assert_eq!(main_of(&fixture), after);
}

#[test]
fn a_person_may_rewrite_commits_that_no_merged_work_builds_on() {
    let (fixture, git) = alone();
    let project = fixture.project();
    fixture.commit(&project, "mine.txt", "1", "Mine");
    git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    fixture.git(&project, &["reset", "-q", "--hard", "HEAD~1"]);
    let other = id(&fixture.commit(&project, "mine.txt", "2", "Mine, again"));
    git.ensure_worktree(&spec("b", on_branch("t2"))).unwrap();
    assert_eq!(counted(&git), other);
}

/// Makes a project whose person took merged work and then rewrote the branch without it.
fn rewritten() -> (GitFixture, GitCli, CommitId) {
    let (fixture, git) = alone();
    let work = with_merged_work(&fixture, &git);
    let project = fixture.project();
    fixture.git(&project, &["merge", "-q", "--ff-only", "dbs/main"]);
    git.ensure_worktree(&spec("b", on_branch("t2"))).unwrap();
    fixture.git(&project, &["reset", "-q", "--hard", "HEAD~1"]);
    fixture.commit(&project, "mine.txt", "1", "Instead of it");
    (fixture, git, work)
}

fn assert_held(refused: &GitError, words: &str) {
    let text = refused.to_string();
    assert!(
        matches!(
            refused,
            GitError::Failed {
                kind: TroubleKind::Refusal,
                ..
            }
        ),
        "{refused:?}"
    );
    for part in [
        words,
        "git merge dbs/main",
        "git merge -s ours dbs/main",
        "dbs retry",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_rewritten_base_without_merged_work_holds_starts_and_merges_until_the_person_has_decided() {
    for way in [
        &["merge", "-q", "--no-edit", "dbs/main"][..],
        &["merge", "-q", "-s", "ours", "dbs/main"],
    ] {
        let (fixture, git, work) = rewritten();
        let before = counted(&git);
        let refused = git.ensure_worktree(&spec("c", on_branch("t3"))).unwrap_err();
        assert_held(&refused, "was rewritten, and merged work is no longer in it");
        let merge = git.merge(&merge_of(&work));
        assert!(
            matches!(&merge, MergeOutcome::Unknown(why) if why.kind == TroubleKind::Refusal),
            "{merge:?}"
        );
        assert_eq!(counted(&git), before);
        fixture.git(
            &fixture.project(),
            &[
                "-c",
                "user.name=A",
                "-c",
                "user.email=a@x",
                "config",
                "user.name",
                "A",
            ],
        );
        fixture.git(&fixture.project(), way);
        git.ensure_worktree(&spec("c", on_branch("t3"))).unwrap();
        assert_eq!(counted(&git), main_of(&fixture));
        assert!(holds(&fixture, &counted(&git), &work));
    }
}

#[test]
fn commits_that_conflict_with_merged_work_are_held_with_the_files() {
    let (fixture, git) = alone();
    let project = fixture.project();
    with_merged_work(&fixture, &git);
    let mine = id(&fixture.commit(&project, "work.txt", "mine\n", "Mine"));
    let refused = git.ensure_worktree(&spec("b", on_branch("t2"))).unwrap_err();
    assert_held(&refused, "conflicts with merged work in work.txt");
    assert!(
        !fixture
            .try_git(&project, &["merge", "-q", "dbs/main"])
            .status
            .success()
    );
    let settled = id(&fixture.commit(&project, "work.txt", "both\n", "Both"));
    git.ensure_worktree(&spec("b", on_branch("t2"))).unwrap();
    assert_eq!(counted(&git), settled);
    assert!(holds(&fixture, &settled, &mine));
}

#[test]
fn a_base_that_the_person_deleted_is_missing_and_not_made_again() {
    let (fixture, git) = alone();
    let project = fixture.project();
    with_merged_work(&fixture, &git);
    fixture.git(&project, &["checkout", "-q", "-b", "aside"]);
    fixture.git(&project, &["branch", "-q", "-D", "main"]);
    let missing = git.ensure_worktree(&spec("b", on_branch("t2"))).unwrap_err();
    assert!(
        missing.to_string().contains("git branch main dbs/main"),
        "{missing}"
    );
    fixture.git(&project, &["branch", "-q", "main", "dbs/main"]);
    git.ensure_worktree(&spec("b", on_branch("t2"))).unwrap();
}

#[test]
fn branches_of_tasks_go_to_the_control_repository_and_nowhere_else() {
    let (fixture, git) = alone();
    let (worktree, first) = developed(&fixture, &git);
    let feature = branch("feature/t1");
    assert_eq!(git.remote_head(&feature), Head::Absent);
    assert_eq!(
        git.push_branch(&feature, None),
        PushOutcome::Pushed(first.clone())
    );
    fixture.git(&worktree.path, &["reset", "-q", "--hard", "dbs/main"]);
    let second = id(&fixture.commit(&worktree.path, "work.txt", "other\n", "Other"));
    let diverged = git.push_branch(&feature, None);
    assert!(matches!(diverged, PushOutcome::Diverged { .. }), "{diverged:?}");
    assert_eq!(
        git.push_branch(&feature, Some(&first)),
        PushOutcome::Pushed(second.clone())
    );
    let listed = git.remote_branches().unwrap();
    let listed: Vec<&str> = listed.iter().map(|entry| entry.branch.as_str()).collect();
    assert_eq!(listed, ["feature/t1", "main"]);
    let now = base(&git, "main");
    let kept = git.delete_remote_branch(&feature, &first, &now, &saver("t1"));
    assert!(matches!(kept, DeleteOutcome::Kept(_)), "{kept:?}");
    let deleted = git.delete_remote_branch(&feature, &second, &now, &saver("t1"));
    assert!(
        matches!(deleted, DeleteOutcome::Deleted { kept_as: Some(_) }),
        "{deleted:?}"
    );
    assert_eq!(git.remote_head(&feature), Head::Absent);
    assert_eq!(
        fixture.git(&fixture.origin(), &["for-each-ref", "--format=%(refname)"]),
        "refs/heads/main"
    );
}

#[test]
fn a_base_of_a_batch_is_begun_for_the_person_too() {
    let (fixture, git) = alone();
    let shop = BranchName::new("shop").unwrap();
    git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    assert!(git.begin_branch(&shop, &branch("main")).unwrap());
    assert!(!git.begin_branch(&shop, &branch("main")).unwrap());
    let kind = WorktreeKind::Branch {
        branch: branch("feature/t2"),
        base: shop.clone(),
        resume: None,
    };
    let worktree = git.ensure_worktree(&spec("b", kind)).unwrap();
    let work = id(&fixture.commit(&worktree.path, "shop.txt", "x", "Shop"));
    let request = MergeRequest {
        base: shop,
        branch: branch("feature/t2"),
        ..merge_of(&work)
    };
    assert_eq!(merged(&git, &request, || {}), PublishOutcome::Done);
    let there = id(&fixture.git(&fixture.project(), &["rev-parse", "refs/heads/shop"]));
    assert!(holds(&fixture, &there, &work));
}

#[test]
fn agents_reach_the_control_repository_by_name_but_not_what_it_keeps() {
    let (fixture, git) = alone();
    let (worktree, work) = developed(&fixture, &git);
    let run = |args: &[&str]| agent(&fixture, &git, &worktree.path, args).status.success();
    assert!(run(&["fetch", "-q", "dbs", "refs/heads/main"]));
    assert!(!run(&["push", "-q", "dbs", &format!("HEAD:refs/dbs/pin/{work}")]));
    assert!(!run(&[
        "push",
        "-q",
        "dbs",
        &format!(":refs/dbs/remote/{}", main_of(&fixture))
    ]));
    assert!(run(&["push", "-q", "dbs", "HEAD:main"]));
    assert_eq!(counted(&git), work);
    assert_eq!(git.is_merged(&work, &branch("main")), Tri::Yes);
}

#[test]
fn agents_only_add_commits_to_the_control_repository_and_no_damaged_ones() {
    let (fixture, git) = alone();
    with_merged_work(&fixture, &git);
    let before = counted(&git);
    let other = git.ensure_worktree(&spec("b", on_branch("t2"))).unwrap();
    let run = |args: &[&str]| agent(&fixture, &git, &other.path, args).status.success();
    assert!(!run(&["push", "-q", "dbs", ":main"]));
    fixture.git(&other.path, &["checkout", "-q", "--orphan", "nothing"]);
    fixture.commit(&other.path, "foreign.txt", "x", "Foreign");
    assert!(!run(&["push", "-q", "-f", "dbs", "HEAD:main"]));
    let tree = fixture.git(&other.path, &["rev-parse", "HEAD^{tree}"]);
    let damaged = fixture.root().join("damaged");
    let text = format!("tree {tree}\nparent {before}\nauthor nobody\ncommitter nobody\n\nDamaged\n");
    std::fs::write(&damaged, text).unwrap();
    let write = [
        "hash-object",
        "-t",
        "commit",
        "-w",
        "--literally",
        damaged.to_str().unwrap(),
    ];
    let damaged = fixture.git(&other.path, &write);
    assert!(!run(&[
        "push",
        "-q",
        "dbs",
        &format!("{damaged}:refs/heads/main")
    ]));
    assert_eq!(counted(&git), before);
}

#[test]
fn a_commit_that_an_agent_puts_on_the_branch_of_the_person_is_told_from_the_persons_own() {
    let (fixture, git) = alone();
    let (worktree, work) = developed(&fixture, &git);
    git.base_move(&branch("main"), &counted(&git)).unwrap();
    fixture.git(&worktree.path, &["update-ref", "refs/heads/main", work.as_str()]);
    let moved = git.base_move(&branch("main"), &counted(&git)).unwrap().unwrap();
    assert_eq!(moved.made_here.unwrap().commit, work.as_str());

    let (fixture, git) = alone();
    developed(&fixture, &git);
    git.base_move(&branch("main"), &counted(&git)).unwrap();
    fixture.git(&fixture.project(), &["merge", "-q", "--ff-only", "feature/t1"]);
    let moved = git.base_move(&branch("main"), &counted(&git)).unwrap().unwrap();
    assert_eq!((moved.n_commits, moved.made_here), (1, None));
    assert!(moved.is_own, "the checkout took it");
}

#[test]
fn own_commits_of_the_person_are_told_from_those_of_another_hand_also_where_they_are_merged() {
    let (fixture, git) = alone();
    git.base_move(&branch("main"), &counted(&git)).unwrap();
    fixture.commit(&fixture.project(), "mine.txt", "mine\n", "Mine");
    let moved = git.base_move(&branch("main"), &counted(&git)).unwrap().unwrap();
    assert!(moved.is_own, "{moved:?}");
    git.note_base(&branch("main"), &counted(&git)).unwrap();
    // Merged work comes first, and the person's next commit is merged onto it.
    with_merged_work(&fixture, &git);
    git.base_move(&branch("main"), &counted(&git)).unwrap();
    git.note_base(&branch("main"), &counted(&git)).unwrap();
    fixture.commit(&fixture.project(), "more.txt", "more\n", "More");
    let merge = counted(&git);
    let moved = git.base_move(&branch("main"), &merge).unwrap().unwrap();
    assert!(moved.is_own && moved.n_commits == 2, "{moved:?}");
    git.note_base(&branch("main"), &merge).unwrap();
    // A commit that only the branch has, and that the checkout neither made nor took.
    let aside = fixture.root().join("aside");
    let add = ["worktree", "add", "-q", "--detach", aside.to_str().unwrap()];
    fixture.git(&fixture.project(), &add);
    let words = ["commit-tree", "main^{tree}", "-p", "main", "-m", "Elsewhere"];
    let foreign = fixture.git(&aside, &words);
    fixture.git(&aside, &["update-ref", "refs/heads/main", foreign.trim()]);
    let moved = git.base_move(&branch("main"), &counted(&git)).unwrap().unwrap();
    assert!(!moved.is_own, "{moved:?}");
}

/// State of a random story.
struct Story<'a> {
    fixture: &'a GitFixture,
    git: &'a GitCli,
    /// Commits that must never be lost: the person's, and those of merged tasks.
    kept: Vec<CommitId>,
    seed: u64,
}

impl Story<'_> {
    fn chance(&mut self, among: u64) -> u64 {
        self.seed = self
            .seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) % among
    }

    fn person_works(&mut self, step: usize) {
        let project = self.fixture.project();
        match self.chance(5) {
            0 | 1 => {
                let file = format!("mine-{step}.txt");
                let commit = self.fixture.commit(&project, &file, "x", "Mine");
                self.kept.push(id(&commit));
            }
            2 => drop(
                self.fixture
                    .try_git(&project, &["merge", "-q", "--no-edit", "dbs/main"]),
            ),
            3 => {
                let place = if self.chance(2) == 0 { "main" } else { "aside" };
                drop(self.fixture.try_git(&project, &["checkout", "-q", place]));
            }
            _ => {}
        }
    }

    fn engine_works(&mut self, step: usize) {
        let task = format!("t{step}");
        let worktree = self.git.ensure_worktree(&spec(&task, on_branch(&task))).unwrap();
        let work = id(&self
            .fixture
            .commit(&worktree.path, &format!("{task}.txt"), "x", "Work"));
        self.person_works(step * 10 + 1);
        let request = MergeRequest {
            task: name(&task),
            branch: branch(&format!("feature/{task}")),
            ..merge_of(&work)
        };
        for round in 0..3 {
            let MergeOutcome::Merged { commit, base, .. } = self.git.merge(&request) else {
                panic!("not merged");
            };
            self.person_works(step * 10 + 2 + round);
            let publication = PublishRequest {
                commit,
                base: branch("main"),
                expected: base,
            };
            match self.git.publish(&publication) {
                PublishOutcome::Done => return self.kept.push(work),
                PublishOutcome::Moved(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }
}

/// Random stories in which the person commits, merges and switches branches between any two steps of the engine.
#[test]
fn whatever_the_person_does_between_starts_and_merges_no_commit_is_lost() {
    for seed in [1, 7, 23] {
        let (fixture, git) = alone();
        fixture.git(&fixture.project(), &["branch", "aside"]);
        let mut story = Story {
            fixture: &fixture,
            git: &git,
            kept: Vec::new(),
            seed,
        };
        for step in 1..7 {
            story.person_works(step * 10);
            story.engine_works(step);
            let on_main = fixture.git(&fixture.project(), &["rev-list", "main"]);
            git.ensure_worktree(&spec(
                "look",
                WorktreeKind::Detached(Revision::RemoteBranch(branch("main"))),
            ))
            .unwrap();
            let base = counted(&git);
            let control = fixture.state().join("control.git");
            let there = fixture.git(&control, &["rev-list", base.as_str()]);
            let is_there = |commit: &&str| there.lines().any(|line| line == *commit);
            let kept = story.kept.iter().map(CommitId::as_str);
            let aside = fixture.git(&fixture.project(), &["rev-list", "aside"]);
            let lost: Vec<&str> = kept
                .filter(|commit| !aside.lines().any(|line| line == *commit))
                .chain(on_main.lines())
                .filter(|commit| !is_there(commit))
                .collect();
            assert_eq!(lost, Vec::<&str>::new(), "seed {seed}, step {step}");
        }
    }
}
