//! Differences of a task's work as git has them, wherever the work is at that time.

use dbs::domain::{Command, SignalKind};
use dbs::engine::task_diff::diff_range;
use dbs::ports::git::Git;
use dbs::read_model::{ChangeRange, DiffBase, ReadModel, TaskWork};

use crate::bench::{Bench, draft};

/// Returns the difference of a task that the screen and `dbs diff` read.
fn differences(bench: &Bench, task: &str, against: DiffBase) -> String {
    // Only the rows are read, as after a restart.
    let model = ReadModel::of(&bench.board, bench.now);
    let changes = model.changes(&task.into(), against).unwrap();
    let range = diff_range(&changes).unwrap();
    bench.git_cli().diff_text(&range, 100_000).unwrap().text
}

fn blocked() -> Bench {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    let folder = bench.folder("t-1");
    bench.git.commit(&folder, "work.txt", "work\n", "Work");
    bench.last_word("t-1", SignalKind::Block);
    assert_eq!(bench.stage("t-1"), ("development", "held"));
    assert_eq!(bench.worktrees(), Vec::<String>::new());
    assert_eq!(bench.task("t-1").head, None, "no work was verified");
    bench
}

#[test]
fn a_held_task_shows_what_its_branch_holds_though_nothing_of_it_was_verified() {
    let bench = blocked();
    let text = differences(&bench, "t-1", DiffBase::Base);
    assert!(text.contains("+work"), "{text}");
}

#[test]
fn a_held_task_shows_what_came_after_the_head_that_was_verified() {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    bench.develop("t-1", "work.txt", "work\n");
    bench.says("t-1", SignalKind::Reject, "more");
    let reviewer = bench.agent("t-1").id;
    bench.ends(reviewer);
    bench.wait(dbs::domain::Span::minutes(10));
    let folder = bench.folder("t-1");
    bench.git.commit(&folder, "more.txt", "more\n", "More");
    bench.last_word("t-1", SignalKind::Block);
    assert_eq!(bench.stage("t-1"), ("development", "held"));
    let text = differences(&bench, "t-1", DiffBase::Base);
    assert!(text.contains("+work") && text.contains("+more"), "{text}");
    let text = differences(&bench, "t-1", DiffBase::Review);
    assert!(!text.contains("+work") && text.contains("+more"), "{text}");
}

#[test]
fn a_closed_task_shows_what_is_kept_of_its_branch() {
    let mut bench = blocked();
    bench.ask(Command::Close("t-1".into(), "not wanted".to_owned()));
    let branches = bench.branches(&bench.git.project());
    assert!(!branches.contains(&"feature/t-1".to_owned()), "{branches:?}");
    let text = differences(&bench, "t-1", DiffBase::Base);
    assert!(text.contains("+work"), "{text}");
}

#[test]
fn a_task_that_is_done_shows_what_its_merge_brought() {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    bench.develop("t-1", "work.txt", "work\n");
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(bench.task("t-1").state.word(), "done");
    let text = differences(&bench, "t-1", DiffBase::Base);
    assert!(text.contains("+work"), "{text}");
}

#[test]
fn work_that_is_not_committed_is_among_the_differences_while_an_agent_works() {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    std::fs::write(bench.folder("t-1").join("half.txt"), "half\n").unwrap();
    let model = ReadModel::of(&bench.board, bench.now);
    let changes = model.changes(&"t-1".into(), DiffBase::Base).unwrap();
    let is_folder = matches!(
        &changes.range,
        ChangeRange::SinceBase {
            work: TaskWork::Folder { .. },
            ..
        }
    );
    assert!(is_folder, "{changes:?}");
    let text = differences(&bench, "t-1", DiffBase::Base);
    assert!(text.contains("+half"), "{text}");
}
