//! Agents that continue a session: where they work, what has ended before they start, and what becomes of the rest.

use dbs::domain::{AttemptId, BoardSettings, Event, ProcessExit, ResumeRoles, SignalKind, Span};

use crate::bench::{Bench, draft};

/// Kills a developer beside a file that is not committed; returns the number of its attempt.
fn killed(bench: &mut Bench) -> AttemptId {
    bench.release(draft("t-1", "kanban", None));
    let attempt = bench.agent("t-1").id;
    std::fs::write(bench.folder("t-1").join("half.txt"), "half\n").unwrap();
    bench.happen(&Event::AttemptEnded {
        attempt,
        exit: ProcessExit::Signal(9),
        tail: String::new(),
        cause: None,
    });
    attempt
}

fn bench() -> Bench {
    Bench::with(BoardSettings {
        base: Some("work".to_owned()),
        resume: ResumeRoles {
            others: true,
            ..ResumeRoles::default()
        },
        ..BoardSettings::default()
    })
}

fn with_session() -> Bench {
    let bench = bench();
    *bench.outside.session.lock().unwrap() = Some("session".to_owned());
    bench
}

#[test]
fn who_goes_on_works_where_the_one_before_did_with_all_that_lay_there() {
    let mut bench = with_session();
    let first = killed(&mut bench);
    bench.tidy();
    bench.wait(Span::minutes(1));
    let launches = bench.launches();
    assert_eq!(launches.len(), 2, "{:?}", bench.task("t-1"));
    assert_eq!(launches[1].cwd, launches[0].cwd);
    assert!(launches[1].cwd.join("half.txt").exists());
    assert_eq!(*bench.outside.stops.lock().unwrap(), [first.to_string()]);
    let brief = bench.outside.briefs.lock().unwrap().last().unwrap().clone();
    assert_eq!(brief.session.as_deref(), Some("session"));
    assert!(brief.facts.agent.goes_on);
    let second = bench.agent("t-1").clone();
    let before = bench.board.attempts[&first].workplace.clone();
    assert_eq!(
        second.workplace, before,
        "the second attempt has the start of the first"
    );
    bench.develop("t-1", "work.txt", "work\n");
    assert_eq!(bench.stage("t-1").0, "reviewing");
    assert!(!launches[1].cwd.exists(), "the worktree is put away at the end");
}

#[test]
fn nobody_goes_on_while_a_process_of_the_one_before_may_run() {
    let mut bench = with_session();
    killed(&mut bench);
    *bench.outside.survivors.lock().unwrap() = 1;
    bench.wait(Span::minutes(1));
    assert_eq!(bench.launches().len(), 1);
    let obstacle = bench
        .agent("t-1")
        .obstacle
        .clone()
        .expect("the obstacle is recorded");
    assert!(
        obstacle.why.text.contains("could not end 1 process"),
        "{obstacle:?}"
    );
    *bench.outside.survivors.lock().unwrap() = 0;
    bench.wait(Span::minutes(1));
    assert_eq!(bench.launches().len(), 2);
}

#[test]
fn where_there_is_no_session_the_next_agent_begins_in_a_folder_of_its_own_and_nothing_is_lost() {
    let mut bench = bench();
    killed(&mut bench);
    bench.wait(Span::minutes(1));
    let launches = bench.launches();
    assert_eq!(launches.len(), 2, "{:?}", bench.task("t-1"));
    assert_ne!(launches[1].cwd, launches[0].cwd);
    assert!(!launches[0].cwd.exists());
    assert!(bench.agent("t-1").session.is_fresh());
    let comments = bench.comments("t-1");
    assert!(comments.contains("keeps no sessions"), "{comments}");
    assert!(comments.contains("half.txt was left and is kept"), "{comments}");
}

#[test]
fn what_waits_for_the_next_agent_is_not_tidied_away_though_a_start_failed() {
    let mut bench = with_session();
    killed(&mut bench);
    let folder = bench.worktrees();
    bench.has_room(1);
    bench.wait(Span::minutes(1));
    assert_eq!(bench.launches().len(), 1, "no agent starts without disk space");
    bench.tidy();
    assert_eq!(bench.worktrees(), folder);
    bench.has_room(9_000);
    bench.wait(Span::minutes(1));
    assert_eq!(bench.launches().len(), 2);
    assert!(bench.launches()[1].cwd.join("half.txt").exists());
    bench.last_word("t-1", SignalKind::Block);
    assert_eq!(bench.worktrees(), Vec::<String>::new());
}
