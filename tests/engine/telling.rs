//! Facts that the engine gives to an agent.

use dbs::domain::task::GateCommand;
use dbs::domain::{AskReply, AttemptMode, Command, Event, PromptFacts, SignalKind, Span};

use crate::bench::{Bench, Mishap, draft};

fn last_facts(bench: &Bench) -> PromptFacts {
    bench.outside.briefs.lock().unwrap().last().unwrap().facts.clone()
}

/// Asserts what the first developer of a task with a gate is told.
fn check_developer(facts: &PromptFacts) {
    assert_eq!(facts.task.criteria, ["it works"]);
    assert_eq!((facts.agent.number, facts.agent.mode), (1, AttemptMode::Fresh));
    assert_eq!(facts.gates[0].command, "true");
    assert_eq!(facts.gate_limit, Some(Span::minutes(1)));
    assert!(facts.stage.may_write);
    let signals = [SignalKind::Done, SignalKind::Block, SignalKind::Fail];
    assert_eq!(facts.stage.signals, signals.into());
}

/// Counts the questions to the remote, because one to a distant remote takes as long as the rest of an agent's start.
#[cfg(unix)]
#[test]
fn for_what_an_agent_is_told_of_the_base_the_remote_is_asked_once() {
    let (mut bench, questions) = Bench::with_questions();
    bench.release(draft("t-1", "kanban", None));
    std::fs::remove_file(&questions).unwrap();

    bench.develop("t-1", "work.txt", "work\n");

    let facts = last_facts(&bench);
    assert_eq!(
        (facts.agent.role.as_str(), facts.place.changed),
        ("reviewer", vec!["work.txt".to_owned()])
    );
    let questions = std::fs::read_to_string(&questions).unwrap();
    let refs = questions.lines().filter_map(|line| line.split_once("origin "));
    let refs: Vec<&str> = refs.map(|(_, refs)| refs).collect();
    let (base, feature) = ("refs/heads/work", "refs/heads/feature/t-1");
    // The questions are asked before the developer's branch is pushed, after it, and for the reviewer.
    assert_eq!(refs, [&format!("{base} {feature}"), feature, base]);
}

#[cfg(unix)]
#[test]
fn the_first_agent_is_told_the_base_without_the_remote_being_asked_for_it_again() {
    let (mut bench, questions) = Bench::with_questions();
    let base = bench.head(&bench.git.origin(), "work");
    std::fs::remove_file(&questions).ok();

    bench.release(draft("t-1", "kanban", None));

    assert_eq!(last_facts(&bench).place.base_commit, Some(base));
    let questions = std::fs::read_to_string(&questions).unwrap();
    let wanted = "origin refs/heads/work refs/heads/feature/t-1";
    assert!(
        questions.lines().count() == 1 && questions.trim_end().ends_with(wanted),
        "{questions}"
    );
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

/// Returns a bench with a developer that is known to run.
fn at_work() -> Bench {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    let (attempt, place) = (bench.agent("t-1").id, bench.agent("t-1").workplace.clone());
    bench.happen(&Event::AttemptStarted {
        attempt,
        workplace: place.expect("the agent has started"),
    });
    bench
}

fn waiting(bench: &Bench) -> Vec<String> {
    let asks = bench.agent("t-1").open_asks(bench.now);
    asks.map(|known| known.ask.text.clone()).collect()
}

#[test]
fn an_answer_in_words_is_typed_once_and_one_that_could_not_be_typed_is_asked_again() {
    let mut bench = at_work();
    let answer = |text: &str| Command::Answer("t-1".into(), text.to_owned());
    bench.says("t-1", SignalKind::Question, "tabs or spaces?");
    *bench.outside.mishap.lock().unwrap() = Mishap::NoTerminal;
    bench.ask(answer("tabs"));
    assert_eq!(
        waiting(&bench),
        ["tabs or spaces?"],
        "the ask waits, because the answer was lost"
    );
    *bench.outside.mishap.lock().unwrap() = Mishap::None;
    bench.ask(answer("spaces"));
    assert!(waiting(&bench).is_empty());
    let ask = &bench.agent("t-1").asks[0];
    assert!(ask.closed.is_some(), "the answer was typed: {ask:?}");
    let handed = bench.outside.answers.lock().unwrap().clone();
    let of = |text: &str| ("tabs or spaces?".to_owned(), AskReply::Text(text.to_owned()));
    assert_eq!(handed, [of("tabs"), of("spaces")]);
}

#[test]
fn a_line_for_an_agent_that_could_not_be_typed_is_told_on_its_task() {
    let mut bench = at_work();
    *bench.outside.mishap.lock().unwrap() = Mishap::NoTerminal;
    bench.ask(Command::Answer("t-1".into(), "use tabs".to_owned()));
    let told = bench.comments("t-1");
    assert!(told.contains("answered: use tabs"), "{told}");
    assert!(
        told.contains("did not get the text \"use tabs\": its terminal is not here"),
        "{told}"
    );
}
