//! Evidence from real git, and work that must not be lost (K27, LK-21).

use dbs::domain::{FailureClass, SignalKind, Span};
use dbs::read_model::{ReadModel, TroubleKind};

use crate::bench::{Bench, draft};

#[test]
fn a_developer_that_committed_nothing_is_seen_and_sent_back() {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(bench.stage("t-1"), ("development", "active"));
    assert_eq!(
        bench.task("t-1").failures[&"development".into()][&FailureClass::Empty],
        1
    );
    bench.develop("t-1", "work.txt", "work\n");
    assert_eq!(bench.stage("t-1"), ("reviewing", "active"));
    assert!(bench.task("t-1").failures.is_empty());
}

#[test]
fn a_reviewer_that_changed_files_is_seen_and_does_not_advance_the_task() {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    bench.develop("t-1", "work.txt", "work\n");
    std::fs::write(bench.folder("t-1").join("work.txt"), "better\n").unwrap();
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(bench.stage("t-1"), ("reviewing", "active"));
    assert_eq!(
        bench.task("t-1").failures[&"reviewing".into()][&FailureClass::Protocol],
        1
    );
}

#[test]
fn work_an_agent_had_not_committed_when_it_died_is_kept_and_the_task_says_where() {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    std::fs::write(bench.folder("t-1").join("half.txt"), "half done\n").unwrap();
    let first = bench.agent("t-1").id;
    bench.ends(first);
    assert_eq!(bench.worktrees(), Vec::<String>::new());
    let comments = bench.comments("t-1");
    let attic = comments
        .split_whitespace()
        .find(|word| word.starts_with("refs/dbs/attic/"))
        .unwrap_or_else(|| panic!("no comment names the attic: {comments}"));
    let control = bench.git.state().join("control.git");
    let kept = bench.git.git(&control, &["show", &format!("{attic}:half.txt")]);
    assert_eq!(kept, "half done");
    bench.wait(Span::seconds(30));
    assert_eq!(bench.stage("t-1"), ("development", "active"));
}

#[test]
fn no_agent_is_started_on_a_disk_with_too_little_room_and_one_is_when_there_is_enough() {
    let mut bench = Bench::new();
    bench.has_room(1_023);
    bench.release(draft("t-1", "kanban", None));
    bench.wait(Span::minutes(10));
    assert_eq!(bench.launches().len(), 0);
    assert_eq!(bench.worktrees(), Vec::<String>::new());
    let model = ReadModel::of(&bench.board, bench.now);
    let [trouble] = model.troubles.as_slice() else {
        panic!("{:?}", model.troubles)
    };
    assert_eq!(trouble.kind, TroubleKind::Disk);
    assert!(trouble.text.contains("has 1023 MiB free"), "{}", trouble.text);
    bench.has_room(1_024);
    bench.wait(Span::minutes(10));
    assert_eq!(bench.stage("t-1"), ("development", "active"));
    assert_eq!(bench.launches().len(), 1);
    assert!(
        bench.task("t-1").failures.is_empty(),
        "a full disk is not the task's failure"
    );
}

#[cfg(unix)]
#[test]
fn what_was_left_uncommitted_is_named_where_the_task_is_and_comes_back_as_a_branch() {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    std::fs::write(bench.folder("t-1").join("half.txt"), "half done\n").unwrap();
    let first = bench.agent("t-1").id;
    bench.ends(first);
    let kept = bench.board.attempts[&first].kept.clone().unwrap();
    assert_eq!(kept.files, ["half.txt"]);
    let line = "half.txt was left and is kept: `dbs task attic t-1` brings it back as a branch";
    assert!(bench.comments("t-1").contains(line), "{}", bench.comments("t-1"));
    let model = ReadModel::of(&bench.board, bench.now);
    assert_eq!(model.kept_work(&"t-1".into()), [line]);
    let (git, task) = (bench.git_cli(), dbs::ports::git::SafeName::derive("t-1"));
    for _ in 0..2 {
        let brought = git.bring_back(&task).unwrap();
        let [one] = brought.as_slice() else {
            panic!("{brought:?}")
        };
        assert_eq!(
            (one.branch.as_str(), one.files.as_slice()),
            ("kept/t-1-1", &["half.txt".to_owned()][..])
        );
    }
    let project = bench.git.project();
    assert_eq!(
        bench.git.git(&project, &["show", "kept/t-1-1:half.txt"]),
        "half done"
    );
    assert!(!project.join("half.txt").exists(), "the checkout is unchanged");
}
