//! What the engine hands an agent to be told.

use dbs::domain::task::GateCommand;
use dbs::domain::{AttemptMode, Command, PromptFacts, SignalKind, Span};

use crate::bench::{Bench, draft};

fn last_facts(bench: &Bench) -> PromptFacts {
    bench.outside.briefs.lock().unwrap().last().unwrap().facts.clone()
}

/// What the first developer of a task with a check is told of both.
fn check_developer(facts: &PromptFacts) {
    assert_eq!(facts.task.criteria, ["it works"]);
    assert_eq!((facts.agent.number, facts.agent.mode), (1, AttemptMode::Fresh));
    assert_eq!(facts.gates[0].command, "true");
    assert_eq!(facts.gate_limit, Some(Span::minutes(1)));
    assert!(facts.stage.may_write);
    let signals = [SignalKind::Done, SignalKind::Block, SignalKind::Fail];
    assert_eq!(facts.stage.signals, signals.into());
}

#[test]
fn an_agent_is_told_its_place_its_checks_and_what_was_found_before() {
    let mut bench = Bench::new();
    let base = bench.head(&bench.git.origin(), "work");
    let mut first = draft("t-1", "kanban", None);
    first.body = "Do it.\n\n## Criteria\n- it works".to_owned();
    first.gates = vec![GateCommand {
        name: "look".to_owned(),
        command: "true".to_owned(),
    }];
    bench.release(first);
    let facts = last_facts(&bench);
    assert_eq!(facts.place.worktree.as_deref(), bench.folder("t-1").to_str());
    assert_eq!(
        (facts.place.branch.as_str(), facts.place.base.as_str()),
        ("feature/t-1", "work")
    );
    assert_eq!(facts.place.base_commit, Some(base));
    assert_eq!(facts.agent.attempt, Some(bench.agent("t-1").id));
    check_developer(&facts);
    assert_eq!((facts.place.head, facts.place.changed), (None, Vec::new()));

    let head = bench.develop("t-1", "work.txt", "work\n");
    bench.ask(Command::Comment("t-1".into(), "look at the limits".to_owned()));
    let facts = last_facts(&bench);
    assert_eq!(
        (facts.agent.role.as_str(), facts.stage.may_write),
        ("reviewer", false)
    );
    assert_eq!(facts.place.head, Some(head));
    assert_eq!(facts.place.changed, ["work.txt"]);
    assert_eq!(facts.earlier.len(), 1, "{:?}", facts.earlier);

    bench.last_word("t-1", SignalKind::Reject);
    bench.wait(Span::minutes(10));
    let facts = last_facts(&bench);
    assert_eq!((facts.agent.role.as_str(), facts.agent.number), ("developer", 2));
    assert_eq!(facts.task.rejections, 1);
    assert!(facts.finding.is_some());
    assert!(
        facts
            .earlier
            .iter()
            .any(|earlier| earlier.verdict.starts_with("rejected")),
        "{:?}",
        facts.earlier
    );
    assert!(
        facts
            .comments
            .iter()
            .any(|remark| remark.text == "look at the limits"),
        "{:?}",
        facts.comments
    );
}

#[test]
fn an_agent_is_told_what_became_of_the_tasks_its_own_waited_for() {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    bench.develop("t-1", "work.txt", "work\n");
    bench.ask(Command::Comment(
        "t-1".into(),
        "the limits are in work.txt".to_owned(),
    ));
    bench.last_word("t-1", SignalKind::Done);
    let mut second = draft("t-2", "kanban", None);
    second.deps = ["t-1".into()].into();
    bench.release(second);
    let facts = last_facts(&bench);
    let [other] = &facts.dependencies[..] else {
        panic!("{:?}", facts.dependencies);
    };
    assert_eq!((other.id.as_str(), other.state.as_str()), ("t-1", "done"));
    assert_eq!(other.merged, bench.task("t-1").merged);
    assert!(
        other
            .results
            .iter()
            .any(|remark| remark.text == "the limits are in work.txt"),
        "{other:?}"
    );
}
