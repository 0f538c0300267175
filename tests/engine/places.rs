//! Places: where each role works, where work is merged, and what is gone afterwards (K25, K53–K57, K61).

use dbs::domain::task::GateCommand;
use dbs::domain::{Command, SignalKind};

use crate::bench::{Bench, draft};

#[test]
fn a_task_goes_from_its_own_branch_through_a_detached_review_into_the_base() {
    let mut bench = Bench::new();
    let base = bench.head(&bench.git.origin(), "work");
    bench.release(draft("t-1", "kanban", None));
    let folder = bench.folder("t-1");
    let name = bench.agent("t-1").worker.name().to_owned();
    let expected = bench
        .git
        .project()
        .join(format!(".debussy-worktrees/{name}-{}", bench.agent("t-1").id));
    assert_eq!(folder, expected);
    assert_eq!(bench.launches()[0].cwd, folder);
    assert_eq!(
        bench.git.git(&folder, &["branch", "--show-current"]),
        "feature/t-1"
    );
    assert_eq!(bench.head(&folder, "HEAD"), base);

    let work = bench.develop("t-1", "work.txt", "work\n");
    assert_eq!(bench.stage("t-1"), ("reviewing", "active"));
    assert_eq!(bench.head(&bench.git.origin(), "feature/t-1"), work);
    let folder = bench.folder("t-1");
    assert_eq!(bench.git.git(&folder, &["branch", "--show-current"]), "");
    assert_eq!(bench.head(&folder, "HEAD"), work);

    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(bench.task("t-1").state.word(), "done", "{:?}", bench.task("t-1"));
    let merge = bench.head(&bench.git.origin(), "work");
    assert_eq!(bench.task("t-1").merged.as_deref(), Some(merge.as_str()));
    bench.git.git(
        &bench.git.origin(),
        &["merge-base", "--is-ancestor", &work, "work"],
    );
}

/// Counts the questions to the remote, because each takes seconds if the remote is far away. Some are needed: a merge is believed only
/// after the remote has shown it, and a branch is deleted only if it is still where it was recorded.
#[cfg(unix)]
#[test]
fn a_merge_and_the_end_of_its_branches_ask_the_remote_five_times() {
    let (mut bench, questions) = Bench::with_questions();
    bench.release(draft("t-1", "kanban", None));
    bench.develop("t-1", "work.txt", "work\n");
    std::fs::remove_file(&questions).unwrap();

    bench.last_word("t-1", SignalKind::Done);

    assert_eq!(bench.task("t-1").state.word(), "done");
    let questions = std::fs::read_to_string(&questions).unwrap();
    let refs = questions.lines().filter_map(|line| line.split_once("origin "));
    let refs: Vec<&str> = refs.map(|(_, refs)| refs).collect();
    let (base, feature) = ("refs/heads/work", "refs/heads/feature/t-1");
    let of_the_merge = [base; 3];
    let of_the_branches = [base, feature];
    assert_eq!(refs, [&of_the_merge[..], &of_the_branches[..]].concat());
}

#[cfg(unix)]
#[test]
fn the_end_of_a_task_without_a_branch_asks_the_remote_nothing() {
    let (mut bench, questions) = Bench::with_questions();
    bench.release(draft("inv", "investigation", None));
    bench.says("inv", SignalKind::Progress, "it is the cache");
    std::fs::remove_file(&questions).ok();
    bench.last_word("inv", SignalKind::Done);
    assert_eq!(bench.stage("inv"), ("investigating", "done"));
    assert_eq!(std::fs::read_to_string(&questions).unwrap_or_default(), "");
}

#[test]
fn a_finished_task_leaves_no_branch_and_no_worktree_behind() {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    bench.develop("t-1", "work.txt", "work\n");
    assert!(
        bench
            .branches(&bench.git.project())
            .contains(&"feature/t-1".to_owned())
    );
    assert!(
        bench
            .branches(&bench.git.origin())
            .contains(&"feature/t-1".to_owned())
    );
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(bench.task("t-1").state.word(), "done");
    assert_eq!(bench.branches(&bench.git.project()), ["main"]);
    assert_eq!(bench.branches(&bench.git.origin()), ["main", "work"]);
    assert_eq!(bench.worktrees(), Vec::<String>::new());
}

#[test]
fn the_old_worktree_is_put_away_when_the_next_agent_has_been_started() {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    let old = bench.worktrees();
    bench.develop("t-1", "work.txt", "work\n");
    let at_the_review = bench.outside.surroundings.lock().unwrap()[1].clone();
    assert!(at_the_review.contains(&old[0]), "{at_the_review:?} lacks {old:?}");
    assert!(!bench.worktrees().contains(&old[0]));
}

#[test]
fn work_is_merged_into_the_base_of_its_batch_and_nowhere_else() {
    let mut bench = Bench::new();
    bench.git.git(
        &bench.git.project(),
        &["push", "-q", "origin", "main:feature/shop"],
    );
    bench.ask(Command::PutBatch {
        id: "shop".into(),
        title: "Shop".to_owned(),
        goal: String::new(),
        base: Some("feature/shop".to_owned()),
        options: dbs::domain::RunOptions::default(),
    });
    let before = |bench: &Bench, branch: &str| bench.head(&bench.git.origin(), branch);
    let (main, work, shop) = (
        before(&bench, "main"),
        before(&bench, "work"),
        before(&bench, "feature/shop"),
    );
    let own = bench.head(&bench.git.project(), "HEAD");
    bench.release(draft("t-1", "kanban", None));
    bench.develop("t-1", "work.txt", "work\n");
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(bench.task("t-1").state.word(), "done");
    assert_eq!((before(&bench, "main"), before(&bench, "work")), (main, work));
    assert_ne!(before(&bench, "feature/shop"), shop);
    assert_eq!(
        bench.head(&bench.git.project(), "HEAD"),
        own,
        "the main checkout is unchanged"
    );
    assert_eq!(
        bench.git.git(&bench.git.project(), &["status", "--porcelain"]),
        ""
    );
}

/// Makes a batch whose base branch the remote does not have.
fn with_new_base(bench: &mut Bench, id: &str, base: &str) {
    bench.ask(Command::ChangeBatch {
        id: id.into(),
        is_new: true,
        change: dbs::domain::BatchPatch {
            base: Some(base.to_owned()),
            ..dbs::domain::BatchPatch::default()
        },
    });
}

#[test]
fn a_base_branch_that_origin_lacks_is_made_from_the_base_of_the_settings() {
    let mut bench = Bench::new();
    with_new_base(&mut bench, "shop", "feature/shop");
    let work = bench.head(&bench.git.origin(), "work");
    bench.release(draft("t-1", "kanban", None));
    assert_eq!(bench.head(&bench.git.origin(), "feature/shop"), work);
    bench.develop("t-1", "work.txt", "work\n");
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(bench.task("t-1").state.word(), "done");
    assert_eq!(bench.head(&bench.git.origin(), "work"), work);
    // The work merged into the base is gone with the branch, so no new branch is made in its place unasked.
    let origin = bench.git.origin();
    bench
        .git
        .git(&origin, &["update-ref", "-d", "refs/heads/feature/shop"]);
    bench.release(draft("t-2", "kanban", None));
    assert_eq!(bench.branches(&origin), ["main", "work"]);
    let held = format!("{:?}", bench.task("t-2").state);
    assert!(held.contains("find branch feature/shop on origin"), "{held}");
}

#[cfg(unix)]
#[test]
fn a_base_branch_that_the_remote_refuses_holds_the_task_with_its_words() {
    let mut bench = Bench::new();
    crate::outside::hook(&bench.git.origin(), "echo only owners make branches; exit 1");
    with_new_base(&mut bench, "shop", "feature/shop");
    bench.release(draft("t-1", "kanban", None));
    let held = format!("{:?}", bench.task("t-1").state);
    assert!(
        held.contains("could not make branch feature/shop on origin"),
        "{held}"
    );
    assert!(held.contains("only owners make branches"), "{held}");
}

#[test]
fn a_tester_stands_at_the_merged_base_and_an_investigator_in_the_main_checkout() {
    let mut bench = Bench::new();
    let merged = bench.git.commit_on_origin("work", "other.txt", "other\n");
    let mut accept = draft("acc", "kanban", Some("acceptance"));
    accept.gates = vec![GateCommand {
        name: "there".to_owned(),
        command: "test -f other.txt".to_owned(),
    }];
    bench.release(accept);
    let folder = bench.folder("acc");
    assert!(folder.starts_with(bench.git.project().join(".debussy-worktrees")));
    assert_eq!(bench.git.git(&folder, &["branch", "--show-current"]), "");
    assert_eq!(bench.head(&folder, "HEAD"), merged);
    bench.last_word("acc", SignalKind::Done);
    assert_eq!(bench.stage("acc"), ("acceptance", "done"));

    bench.release(draft("inv", "investigation", None));
    assert_eq!(bench.folder("inv"), bench.git.project());
    assert_eq!(bench.worktrees(), Vec::<String>::new());
}

#[test]
fn an_integrator_mends_on_the_tasks_branch_and_the_engine_merges_again() {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    bench.git.commit_on_origin("work", "same.txt", "theirs\n");
    let work = bench.develop("t-1", "same.txt", "ours\n");
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(bench.stage("t-1"), ("merging", "active"));
    assert!(bench.comments("t-1").contains("conflict with work in same.txt"));
    let folder = bench.folder("t-1");
    assert_eq!(
        bench.git.git(&folder, &["branch", "--show-current"]),
        "feature/t-1"
    );
    assert_eq!(bench.head(&folder, "HEAD"), work);
    let merge = [
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@example.org",
        "merge",
        "-q",
        "-s",
        "ours",
    ];
    let merge: Vec<&str> = merge
        .into_iter()
        .chain(["-m", "Resolve", "origin/work"])
        .collect();
    bench.git.git(&folder, &merge);
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(bench.task("t-1").state.word(), "done", "{:?}", bench.task("t-1"));
    let there = bench.git.git(&bench.git.origin(), &["show", "work:same.txt"]);
    assert_eq!(there, "ours");
}
