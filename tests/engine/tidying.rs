//! Leftovers of earlier lives that a start finds (K60, LK-19, LK-20).

use std::fs;

use dbs::domain::SignalKind;

use crate::bench::{Bench, draft};

#[test]
fn what_the_board_calls_dead_is_put_away_with_a_copy_and_everything_else_stays() {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    let dead = bench.folder("t-1");
    bench.develop("t-1", "work.txt", "work\n");
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(bench.task("t-1").state.word(), "done");
    bench.release(draft("t-2", "kanban", None));
    let open = bench.folder("t-2");
    let project = bench.git.project();
    let mine = project.join(".debussy-worktrees/mine-7");
    for folder in [&dead, &mine] {
        let folder = folder.to_str().unwrap();
        bench
            .git
            .git(&project, &["worktree", "add", "-q", "--detach", folder, "main"]);
    }
    fs::write(dead.join("thought.txt"), "kept nowhere else\n").unwrap();
    bench.git.git(&project, &["branch", "feature/t-1", "main"]);
    bench.git.git(&project, &["branch", "feature/other", "main"]);

    bench.tidy();

    assert!(!dead.exists(), "the worktree of an ended attempt is removed");
    assert!(open.exists(), "the worktree of an open attempt stays");
    assert!(mine.exists(), "a worktree without an attempt stays");
    let branches = bench.branches(&project);
    assert!(!branches.contains(&"feature/t-1".to_owned()), "{branches:?}");
    for name in ["feature/t-2", "feature/other", "main"] {
        assert!(branches.contains(&name.to_owned()), "{branches:?}");
    }
    let control = bench.git.state().join("control.git");
    let kept = bench.git.git(
        &control,
        &["for-each-ref", "--format=%(refname)", "refs/dbs/attic/t-1/"],
    );
    let texts: Vec<String> = kept
        .lines()
        .filter_map(|name| {
            let found = bench
                .git
                .try_git(&control, &["show", &format!("{name}:thought.txt")]);
            found
                .status
                .success()
                .then(|| String::from_utf8(found.stdout).unwrap())
        })
        .collect();
    assert_eq!(texts, ["kept nowhere else\n"], "{kept}");
}

#[test]
fn a_second_look_finds_nothing_to_do() {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    let before = (bench.worktrees(), bench.branches(&bench.git.project()));
    bench.tidy();
    bench.tidy();
    assert_eq!((bench.worktrees(), bench.branches(&bench.git.project())), before);
}

#[test]
fn a_branch_only_the_remote_has_goes_with_its_task_and_those_of_others_stay() {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    let work = bench.develop("t-1", "work.txt", "work\n");
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(bench.task("t-1").state.word(), "done");
    bench.release(draft("t-2", "kanban", None));
    let (project, origin) = (bench.git.project(), bench.git.origin());
    for (branch, at) in [
        ("feature/t-1", work.as_str()),
        ("feature/t-2", "main"),
        ("feature/other", "main"),
    ] {
        let name = format!("refs/heads/{branch}");
        bench.git.git(&origin, &["update-ref", &name, at]);
    }
    assert!(!bench.branches(&project).contains(&"feature/t-1".to_owned()));

    bench.tidy();

    assert_eq!(
        bench.branches(&origin),
        ["feature/other", "feature/t-2", "main", "work"]
    );
}
