//! Base branches that are moved from outside the engine: each move is reported and counted, and holds a task only if an agent made it.

use std::path::Path;

use dbs::domain::task::HoldReason;
use dbs::domain::{BaseMoves, SignalKind, TaskState};

use crate::bench::{Bench, draft};

/// Returns a bench with a task whose developer works.
fn developing() -> Bench {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    bench
}

fn moves(bench: &Bench) -> Option<BaseMoves> {
    bench.board.batches[&"shop".into()].base_moves.as_deref().cloned()
}

/// Commits a file as that person; returns the commit.
fn commit_as(bench: &Bench, folder: &Path, (who, words): (&str, &str)) -> String {
    std::fs::write(folder.join("EVIL"), "evil\n").unwrap();
    bench.git.git(folder, &["add", "-A"]);
    let (name, mail) = (format!("user.name={who}"), "user.email=boss@example.org");
    let commit = ["-c", &name, "-c", mail, "commit", "-q", "-m", words];
    bench.git.git(folder, &commit);
    bench.head(folder, "HEAD")
}

/// Pushes a commit onto the base from that folder, past the branch that is checked out there.
fn push_past_everybody(bench: &Bench, folder: &Path, who: &str) -> String {
    let before = bench.git.git(folder, &["rev-parse", "--abbrev-ref", "HEAD"]);
    let head = bench.head(folder, "HEAD");
    bench.git.git(folder, &["fetch", "-q", "origin"]);
    bench
        .git
        .git(folder, &["checkout", "-q", "--detach", "origin/work"]);
    let commit = commit_as(bench, folder, (who, "Merge pull request #7 from boss/fix"));
    bench.git.git(folder, &["push", "-q", "origin", "HEAD:work"]);
    let back = if before == "HEAD" { head } else { before };
    bench.git.git(folder, &["checkout", "-q", &back]);
    commit
}

/// Returns a clone beside the project, with the base checked out.
fn clone(bench: &Bench) -> std::path::PathBuf {
    let folder = bench.git.root().join("elsewhere");
    let (from, to) = (bench.git.origin(), folder.clone());
    let words = [
        "clone",
        "-q",
        "-b",
        "work",
        from.to_str().unwrap(),
        to.to_str().unwrap(),
    ];
    bench.git.git(&bench.git.root(), &words);
    folder
}

#[test]
fn a_commit_that_a_developer_pushed_beside_its_branch_holds_its_task() {
    for who in ["boss", "A"] {
        let mut bench = developing();
        let (folder, name) = (bench.folder("t-1"), bench.agent("t-1").worker.name().to_owned());
        let commit = push_past_everybody(&bench, &folder, who);
        bench.develop("t-1", "work.txt", "work\n");
        let why = format!("{name} pushed work itself: {commit} is there without a review and a merge");
        assert_eq!(
            bench.task("t-1").state,
            TaskState::Held(HoldReason::BasePushed(why))
        );
        assert_eq!(bench.task("t-1").open_attempt, None);
        let told = moves(&bench).unwrap();
        let short: String = commit.chars().take(10).collect();
        let line = format!("work moved to {short} by {who}, 1 commit, not reviewed here");
        assert_eq!((told.n_commits, told.last.summary()), (1, line));
    }
}

#[test]
fn a_reviewer_that_pushed_the_base_is_noticed_before_its_word_counts() {
    let mut bench = developing();
    bench.develop("t-1", "work.txt", "work\n");
    assert_eq!(bench.stage("t-1").0, "reviewing");
    push_past_everybody(&bench, &bench.folder("t-1"), "boss");
    bench.last_word("t-1", SignalKind::Done);
    let state = &bench.task("t-1").state;
    assert!(
        matches!(state, TaskState::Held(HoldReason::BasePushed(_))),
        "{state:?}"
    );
    assert_eq!(bench.task("t-1").merged, None);
}

#[test]
fn an_agent_that_gives_up_after_it_pushed_the_base_is_noticed_too() {
    let mut bench = developing();
    push_past_everybody(&bench, &bench.folder("t-1"), "boss");
    bench.last_word("t-1", SignalKind::Fail);
    let state = &bench.task("t-1").state;
    assert!(
        matches!(state, TaskState::Held(HoldReason::BasePushed(_))),
        "{state:?}"
    );
}

#[test]
fn a_push_from_a_clone_is_told_and_counted_and_holds_nothing() {
    for who in ["boss", "A", "Colleague"] {
        let mut bench = developing();
        let elsewhere = clone(&bench);
        commit_as(&bench, &elsewhere, (who, "Merge pull request #7 from boss/fix"));
        bench.git.git(&elsewhere, &["push", "-q", "origin", "HEAD:work"]);
        bench.git.git(&bench.folder("t-1"), &["fetch", "-q", "origin"]);
        bench.develop("t-1", "work.txt", "work\n");
        assert_eq!(
            bench.stage("t-1"),
            ("reviewing", "active"),
            "{}",
            bench.comments("t-1")
        );
        let told = moves(&bench).unwrap();
        assert_eq!((told.n_commits, told.last.by.as_str()), (1, who));
        assert_eq!(told.last.made_here, None);
        bench.git.commit_on_origin("work", "two.txt", "two\n");
        bench.last_word("t-1", SignalKind::Done);
        assert_eq!(
            bench.task("t-1").state.word(),
            "done",
            "{}",
            bench.comments("t-1")
        );
        assert_eq!(
            moves(&bench).unwrap().n_commits,
            2,
            "the merge has counted its commits, too"
        );
    }
}

#[test]
fn a_persons_own_push_from_their_checkout_is_told_and_never_held() {
    let mut bench = developing();
    let project = bench.git.project();
    let mine = commit_as(&bench, &project, ("Ann", "Mine"));
    bench.git.git(&project, &["push", "-q", "origin", "HEAD:work"]);
    bench.develop("t-1", "work.txt", "work\n");
    assert_eq!(
        bench.stage("t-1"),
        ("reviewing", "active"),
        "{}",
        bench.comments("t-1")
    );
    let told = moves(&bench).unwrap();
    assert_eq!(
        (told.last.to.as_str(), told.last.by.as_str()),
        (mine.as_str(), "Ann")
    );
}

#[test]
fn an_agents_commit_that_a_person_merged_and_pushed_themselves_is_not_held() {
    let mut bench = developing();
    let (folder, project) = (bench.folder("t-1"), bench.git.project());
    bench.git.commit(&folder, "early.txt", "early\n", "Early");
    bench
        .git
        .git(&project, &["merge", "-q", "--ff-only", "feature/t-1"]);
    bench.git.git(&project, &["push", "-q", "origin", "HEAD:work"]);
    bench.develop("t-1", "work.txt", "work\n");
    assert_eq!(
        bench.stage("t-1"),
        ("reviewing", "active"),
        "{}",
        bench.comments("t-1")
    );
    assert_eq!(moves(&bench).unwrap().n_commits, 1);
}

#[test]
fn merges_of_the_engine_are_not_told() {
    let mut bench = developing();
    for id in ["t-1", "t-2"] {
        if id == "t-2" {
            bench.release(draft(id, "kanban", None));
        }
        bench.develop(id, &format!("{id}.txt"), "work\n");
        bench.last_word(id, SignalKind::Done);
        assert_eq!(bench.task(id).state.word(), "done", "{}", bench.comments(id));
    }
    assert_eq!(moves(&bench), None);
}

#[test]
fn a_base_that_lost_a_merge_is_told() {
    let mut bench = developing();
    bench.develop("t-1", "work.txt", "work\n");
    bench.last_word("t-1", SignalKind::Done);
    bench.release(draft("t-2", "kanban", None));
    let elsewhere = clone(&bench);
    bench.git.git(&elsewhere, &["reset", "-q", "--hard", "HEAD^"]);
    bench
        .git
        .git(&elsewhere, &["push", "-q", "--force", "origin", "HEAD:work"]);
    bench.develop("t-2", "two.txt", "two\n");
    let told = moves(&bench).unwrap();
    assert_eq!((told.n_commits, told.last.n_lost), (0, 2));
    assert!(
        told.last.summary().contains("set back"),
        "{}",
        told.last.summary()
    );
}
