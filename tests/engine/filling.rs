//! Agents whose context is full: their work is committed on the branch, and a fresh session goes on in the same folder.

use dbs::domain::{
    AttemptId, BoardSettings, ContextFill, ContextRules, Event, OnCompaction, ProcessExit, Span, Usage,
};

use crate::bench::{Bench, draft};

fn bench() -> Bench {
    Bench::with(BoardSettings {
        base: Some("work".to_owned()),
        context: ContextRules {
            threshold: 80,
            tool_calls: 100,
            restarts: 3,
            on_compaction: OnCompaction::Note,
        },
        ..BoardSettings::default()
    })
}

/// Reports a full context of the agent at work, whose process ends when it is asked to; returns the attempt.
fn fill_up(bench: &mut Bench) -> AttemptId {
    let attempt = bench.agent("t-1").id;
    bench.happen(&Event::UsageReported {
        attempt,
        usage: Usage::default(),
        context: Some(ContextFill {
            used: 180_000,
            window: Some(200_000),
            tool_calls: None,
        }),
    });
    bench.happen(&Event::AttemptEnded {
        attempt,
        exit: ProcessExit::Code(0),
        tail: String::new(),
        cause: None,
    });
    attempt
}

#[test]
fn what_a_full_session_left_is_committed_on_its_branch_and_the_next_works_in_its_folder() {
    let mut bench = bench();
    bench.release(draft("t-1", "kanban", None));
    let folder = bench.folder("t-1");
    std::fs::write(folder.join("new.txt"), "new\n").unwrap();
    std::fs::write(folder.join("ignored.o"), "made\n").unwrap();
    std::fs::write(folder.join(".gitignore"), "*.o\n").unwrap();
    let base = bench.git.git(&bench.git.project(), &["rev-parse", "origin/work"]);
    let first = fill_up(&mut bench);
    let subject = bench.git.git(&folder, &["log", "-1", "--format=%s"]);
    assert!(subject.contains("Checkpoint"), "{subject}");
    let files = bench
        .git
        .git(&folder, &["show", "--name-only", "--format=", "HEAD"]);
    assert_eq!(files.lines().collect::<Vec<_>>(), [".gitignore", "new.txt"]);
    let now = bench
        .git
        .git(&bench.git.project(), &["ls-remote", "origin", "work"]);
    assert!(now.starts_with(base.trim()), "the base has no new commit");
    bench.wait(Span::seconds(5));
    let launches = bench.launches();
    assert_eq!(launches.len(), 2, "{:?}", bench.task("t-1"));
    assert_eq!(launches[1].cwd, launches[0].cwd);
    assert!(
        folder.join("ignored.o").exists(),
        "uncommitted files are there as well"
    );
    let brief = bench.outside.briefs.lock().unwrap().last().unwrap().clone();
    assert_eq!(brief.session, None, "the session is new");
    let told = brief.facts.restart.unwrap();
    assert_eq!(told.work.changed, [".gitignore", "new.txt"]);
    assert_eq!(told.session, 2);
    let start = |id| bench.board.attempts[&id].workplace.clone();
    assert_eq!(
        start(bench.agent("t-1").id),
        start(first),
        "the start of the work is unchanged"
    );
    bench.develop("t-1", "more.txt", "more\n");
    assert_eq!(bench.stage("t-1").0, "reviewing");
}

#[test]
fn files_that_were_committed_by_the_agent_or_before_are_named_too_and_no_more_than_twenty() {
    let mut bench = bench();
    bench.release(draft("t-1", "kanban", None));
    let folder = bench.folder("t-1");
    for number in 10..35 {
        std::fs::write(folder.join(format!("{number}.txt")), "x\n").unwrap();
    }
    bench.git.git(&folder, &["add", "-A"]);
    bench.git.git(&folder, &["commit", "-q", "-m", "own"]);
    fill_up(&mut bench);
    let work = bench.task("t-1").checkpoint.clone().unwrap().work;
    assert_eq!(work.changed.len(), 20);
    assert_eq!(work.changed[0], "10.txt");
    assert_eq!(work.more, 5);
    assert_eq!(work.problem, None);
}

#[test]
fn a_file_that_is_too_large_is_not_committed_and_not_lost() {
    let mut bench = bench();
    bench.release(draft("t-1", "kanban", None));
    let folder = bench.folder("t-1");
    let large = std::fs::File::create(folder.join("large.bin")).unwrap();
    large.set_len(200 << 20).unwrap();
    fill_up(&mut bench);
    let comments = bench.comments("t-1");
    assert!(
        comments.contains("not committed") && comments.contains("large.bin"),
        "{comments}"
    );
    bench.wait(Span::seconds(5));
    assert!(folder.join("large.bin").exists());
    assert_eq!(bench.launches().len(), 2);
}

#[test]
fn a_folder_whose_changes_git_cannot_tell_keeps_no_session_from_going_on() {
    let mut bench = bench();
    bench.release(draft("t-1", "kanban", None));
    let folder = bench.folder("t-1");
    std::fs::write(folder.join("new.txt"), "new\n").unwrap();
    let link = std::fs::read_to_string(folder.join(".git")).unwrap();
    std::fs::write(folder.join(".git"), "gitdir: /nowhere\n").unwrap();
    fill_up(&mut bench);
    let work = bench.task("t-1").checkpoint.clone().unwrap().work;
    assert!(work.changed.is_empty() && work.head.is_none(), "{work:?}");
    let why = work.problem.unwrap();
    assert!(bench.comments("t-1").contains(&why), "{why}");
    std::fs::write(folder.join(".git"), link).unwrap();
    bench.wait(Span::seconds(5));
    assert_eq!(bench.launches().len(), 2, "{:?}", bench.task("t-1"));
    assert!(folder.join("new.txt").exists());
}
