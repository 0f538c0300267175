//! Parts played in this process: selection, variables, signals, verdicts.

use std::path::Path;

use dbs::adapters::rehearsal::{
    Console, KeySource, OutgoingSignal, RehearsalContext, RehearsalExit, RehearsalSpeed, SignalSink,
    SinkError, run,
};
use dbs::domain::SignalKind;
use dbs::formats::scenario::{CrashKind, Scenario, read};
use tempfile::TempDir;

#[derive(Default)]
struct Recorded {
    signals: Vec<OutgoingSignal>,
    refuse: bool,
}

impl SignalSink for Recorded {
    fn send(&mut self, signal: &OutgoingSignal) -> Result<(), SinkError> {
        if self.refuse {
            return Err("the inbox is full".into());
        }
        self.signals.push(signal.clone());
        Ok(())
    }
}

struct Played {
    outcome: RehearsalExit,
    drawn: String,
    sink: Recorded,
    tree: TempDir,
}

fn scenario(text: &str) -> Scenario {
    let (scenario, diagnostics) = read(Path::new("s.toml"), text);
    scenario.unwrap_or_else(|| panic!("{diagnostics:#?}"))
}

fn context(tree: &Path) -> RehearsalContext {
    RehearsalContext {
        task: "a-1".into(),
        title: "Say {task}".into(),
        attempt: "7".into(),
        token: "secret".into(),
        person_file: None,
        worktree: tree.to_owned(),
        ..RehearsalContext::read(&|_| None).unwrap()
    }
}

fn play_on(keys: KeySource, text: &str, sink: Recorded) -> Played {
    let (tree, mut sink, mut out) = (tempfile::tempdir().unwrap(), sink, Vec::new());
    let pace = RehearsalSpeed {
        speed: 1000.0,
        answer_after: None,
    };
    let console = Console { out: &mut out, keys };
    let outcome = run(&context(tree.path()), &scenario(text), pace, console, &mut sink);
    Played {
        outcome,
        drawn: String::from_utf8_lossy(&out).into_owned(),
        sink,
        tree,
    }
}

fn play(steps: &str) -> Played {
    play_on(
        KeySource::Fixed(80, 24),
        &format!("[[part]]\nsteps = [{steps}]"),
        Recorded::default(),
    )
}

#[test]
fn an_attempt_without_a_part_ends_with_code_2_and_says_what_was_looked_for() {
    let played = play_on(
        KeySource::NoTerminal,
        "[[part]]\nrole = \"tester\"\nsteps = [{ exit = 0 }]",
        Recorded::default(),
    );
    assert_eq!(played.outcome, RehearsalExit::Code(2));
    assert!(
        played
            .drawn
            .contains("role developer, stage development, task a-1, attempt 1, mode fresh"),
        "{}",
        played.drawn
    );
}

#[test]
fn variables_are_replaced_in_texts_paths_and_reports_once() {
    let played = play(
        "{ write = \"{task}/{n}.md\", text = \"{title}\" }, { signal = \"done\", text = \"{title} {{n}}\", report = { of = [\"{task}\", 1] } }",
    );
    assert_eq!(played.outcome, RehearsalExit::Code(0));
    assert_eq!(
        std::fs::read_to_string(played.tree.path().join("a-1/1.md")).unwrap(),
        "Say {task}"
    );
    let signal = &played.sink.signals[0];
    assert_eq!(
        (signal.kind, signal.text.as_str()),
        (SignalKind::Done, "Say {task} {n}")
    );
    assert_eq!(signal.report.as_ref().unwrap().to_string(), r#"{"of":["a-1",1]}"#);
    assert_eq!((signal.attempt.as_str(), signal.token.as_str()), ("7", "secret"));
}

#[test]
fn a_signal_can_carry_a_token_and_an_attempt_of_somebody_else() {
    let played = play("{ signal = \"done\", token = \"stolen\", attempt = \"8\" }, { signal = \"reject\" }");
    let said: Vec<_> = played
        .sink
        .signals
        .iter()
        .map(|s| (s.attempt.as_str(), s.token.as_str(), s.kind))
        .collect();
    assert_eq!(
        said,
        [
            ("8", "stolen", SignalKind::Done),
            ("7", "secret", SignalKind::Reject)
        ]
    );
    assert_ne!(played.sink.signals[0].key, played.sink.signals[1].key);
}

#[test]
fn a_step_that_cannot_be_played_ends_the_part_with_a_fail_signal() {
    let played =
        play("{ replace = \"none.md\", line = \"a\", with = \"b\" }, { write = \"after.md\", text = \"\" }");
    assert_eq!(played.outcome, RehearsalExit::Code(1));
    assert!(
        played.sink.signals[0].kind == SignalKind::Fail
            && played.sink.signals[0].text.contains("could not read")
    );
    assert!(!played.tree.path().join("after.md").exists());
}

#[test]
fn a_path_that_leaves_the_worktree_through_a_variable_is_refused() {
    let tree = tempfile::tempdir().unwrap();
    let inner = tree.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let (mut out, mut sink) = (Vec::new(), Recorded::default());
    let context = RehearsalContext {
        task: "..".into(),
        ..context(&inner)
    };
    let console = Console {
        out: &mut out,
        keys: KeySource::NoTerminal,
    };
    let text = scenario("[[part]]\nsteps = [{ write = \"{task}/x\", text = \"\" }]");
    assert_eq!(
        run(&context, &text, RehearsalSpeed::default(), console, &mut sink),
        RehearsalExit::Code(1)
    );
    assert!(sink.signals[0].text.contains("leads out of the worktree") && !tree.path().join("x").exists());
}

#[test]
fn a_sink_that_refuses_ends_the_part_visibly() {
    let sink = Recorded {
        refuse: true,
        ..Recorded::default()
    };
    let played = play_on(
        KeySource::Fixed(80, 24),
        "[[part]]\nsteps = [{ signal = \"done\" }, { exit = 0 }]",
        sink,
    );
    assert_eq!(played.outcome, RehearsalExit::Code(1));
    assert!(
        played
            .drawn
            .contains("could not send the signal `done`: the inbox is full"),
        "{}",
        played.drawn
    );
}

#[test]
fn a_failed_judgement_plays_its_steps_and_a_good_one_does_not() {
    let failed =
        "failed = [{ signal = \"reject\", text = \"{failures}\" }, { exit = 0 }] }, { signal = \"done\" }";
    let missing = play(&format!("{{ require = \"a.md\", text = \"x\", {failed}"));
    assert_eq!(missing.sink.signals.len(), 1);
    assert_eq!(missing.sink.signals[0].text, "a.md does not hold `x`");
    let there = play(&format!(
        "{{ write = \"a.md\", text = \"axb\" }}, {{ require = \"a.md\", text = \"x\", {failed}"
    ));
    assert_eq!(there.sink.signals[0].kind, SignalKind::Done);
    let unlisted = play(&format!("{{ check = \"present\", {failed}"));
    assert!(
        unlisted.sink.signals[0].text.starts_with("check.toml: "),
        "{:?}",
        unlisted.sink.signals
    );
}

#[test]
fn endings_are_reported_as_they_are() {
    assert_eq!(play("{ exit = 9 }").outcome, RehearsalExit::Code(9));
    assert_eq!(
        play("{ crash = \"kill\" }").outcome,
        RehearsalExit::Crash(CrashKind::Kill)
    );
    assert_eq!(play("{ sleep = 1 }").outcome, RehearsalExit::Code(0));
}

#[test]
fn a_question_nobody_can_answer_fails_unless_it_answers_itself() {
    let played = play("{ ask = \"Go on?\" }");
    assert!(
        played.outcome == RehearsalExit::Code(1)
            && played.drawn.contains("there is no terminal to answer at")
    );
    let played = play(
        "{ ask = \"Which?\", kind = \"question\", choices = [\"red\", \"blue\"], answer_after = 1 }, { signal = \"done\", text = \"{answer}\" }",
    );
    assert_eq!(played.sink.signals[0].text, "red");
    assert!(
        played
            .drawn
            .contains("\x1b]7501;state=blocked:app=rehearsal:kind=question:msg=V2hpY2g/\x1b\\"),
        "{}",
        played.drawn
    );
}

#[test]
fn a_pipe_gets_plain_lines_with_the_label_and_no_control_sequences() {
    let text = "[[part]]\nsteps = [{ print = \"hello\", colour = \"red\" }, { bar = \"b\", seconds = 1 }, { draw = \"boxes\", seconds = 1 }, { state = \"idle\" }]";
    let played = play_on(KeySource::NoTerminal, text, Recorded::default());
    assert!(!played.drawn.contains('\x1b'), "{:?}", played.drawn);
    assert!(
        played
            .drawn
            .starts_with("DEMO · scripted agent · developer · a-1\n")
            && played.drawn.contains("hello\n"),
        "{:?}",
        played.drawn
    );
}
