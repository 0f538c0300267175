//! Stories that are tested first, against real git and real gates: tests that must fail because the feature is missing, tests that must not
//! change, and the project's files once a story is merged. The test runner prints what pytest prints.

use std::fs;
use std::sync::Arc;

use dbs::adapters::gates::{RecordedGates, ShellGates};
use dbs::adapters::git::GitSetup;
use dbs::domain::task::GateCommand;
use dbs::domain::{
    AgentSettings, BoardSettings, Command, Event, PathRules, PlanEntry, PlanSource, STORY_GATE, SignalKind,
    Span, StoryTests, TaskDraft, TestCounts,
};

use crate::bench::{Bench, draft};
use crate::git_fixture::GitFixture;

const TESTS: &str = "tests/test_US_001.py";
const PRD: &str = "{\"userStories\":[{\"id\":\"US-001\",\"title\":\"Health check\",\"description\":\"The service says how it is.\",\"acceptanceCriteria\":[\"It answers\",\"It says healthy\"],\"passes\":false}]}\n";
/// Test runner that passes if the feature is there, with the output of pytest.
const PYTEST: &str = "for name in $(sed -n 's/^from \\([a-z]*\\) import.*/\\1/p' $1); do
  if [ ! -e $name.py ]; then echo \"E   ModuleNotFoundError: No module named '$name'\"; echo 'ERROR t - ModuleNotFoundError'; echo '=== 1 error in 0.01s ==='; exit 2; fi
done
if [ -e health.py ]; then echo '=== 2 passed in 0.01s ==='; else echo 'FAILED t::a - assert 404 == 200'; echo '=== 2 failed in 0.01s ==='; exit 1; fi
";
const GOOD: &str = "# Creates: health\nfrom health import check\n\ndef test_answers():\n    assert check()[0] == 200\n\ndef test_says_healthy():\n    assert check()[1] == 'healthy'\n";

/// Returns a bench over a project with a PRD and the runner on its base.
fn bench() -> Bench {
    let git = GitFixture::new();
    add_story(&git);
    let setup = GitSetup::new(git.project(), git.environment());
    let settings = BoardSettings {
        base: Some("work".to_owned()),
        ..BoardSettings::default()
    };
    Bench::judged(
        (git, &setup),
        settings,
        Arc::new(RecordedGates(ShellGates::default())),
    )
}

/// Commits a PRD with a story, and the runner of its tests, in the project.
pub(crate) fn add_story(git: &GitFixture) {
    let project = git.project();
    for (path, text) in [("prds/001-FEAT-health.json", PRD), ("pytest", PYTEST)] {
        fs::create_dir_all(project.join(path).parent().unwrap()).unwrap();
        fs::write(project.join(path), text).unwrap();
    }
    git.git(&project, &["add", "--all"]);
    git.git(&project, &["commit", "-qm", "A story"]);
}

/// Returns the task of that story.
pub(crate) fn story() -> TaskDraft {
    let plan = PlanEntry {
        source: PlanSource {
            plan: "prds/001-FEAT-health.json".to_owned(),
            file: "prds/001-FEAT-health.json".to_owned(),
            item: "US-001".to_owned(),
            line: 1,
            hash: String::new(),
            imported: None,
        },
        criteria: vec!["It answers".to_owned(), "It says healthy".to_owned()],
        paths: PathRules {
            create: vec![TESTS.to_owned()],
            protected: vec![
                "prds/".to_owned(),
                "state.json".to_owned(),
                "history.md".to_owned(),
            ],
            ..PathRules::default()
        },
        tests: Some(StoryTests {
            id: "US-001".to_owned(),
            file: TESTS.to_owned(),
            context_tokens: 15_000,
            prds: "prds".to_owned(),
            ..StoryTests::default()
        }),
        commit: Some("feat: health check (US-001)".to_owned()),
        ..PlanEntry::default()
    };
    TaskDraft {
        title: "Health check".to_owned(),
        gates: vec![GateCommand {
            name: STORY_GATE.to_owned(),
            command: format!("sh ./pytest {TESTS}"),
        }],
        plan: Some(Arc::new(plan)),
        ..draft("US-001", "atdd", None)
    }
}

/// Files of the agents that write the story's tests and its code.
pub(crate) const STORY_FILES: [(&str, &str); 2] = [
    (TESTS, GOOD),
    ("health.py", "def check():\n    return 200, 'healthy'\n"),
];

/// Writes these files as the story's agent, removes those without a text, and leaves them uncommitted; the agent is then done.
pub(crate) fn leave(bench: &mut Bench, files: &[(&str, Option<&str>)]) {
    let folder = bench.folder("US-001");
    for (file, text) in files {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match text {
            Some(text) => fs::write(path, text).unwrap(),
            None => fs::remove_file(path).unwrap(),
        }
    }
    bench.last_word("US-001", SignalKind::Done);
}

fn finding(bench: &Bench) -> String {
    bench.task("US-001").finding.clone().unwrap_or_default()
}

/// Returns what an author of tests who leaves these files is told.
fn refused(files: &[(&str, Option<&str>)]) -> String {
    let mut bench = bench();
    "no module pytest".clone_into(&mut bench.outside.last_lines.lock().unwrap());
    bench.release(story());
    leave(&mut bench, files);
    assert_eq!(
        bench.stage("US-001"),
        ("tests", "held"),
        "{}",
        bench.comments("US-001")
    );
    finding(&bench)
}

/// Returns a bench with a story whose tests are written and fail.
fn written() -> Bench {
    let mut bench = bench();
    bench.release(story());
    leave(&mut bench, &[(TESTS, Some(GOOD))]);
    assert_eq!(
        bench.stage("US-001"),
        ("implementation", "active"),
        "{}",
        finding(&bench)
    );
    bench.tidy();
    bench
}

fn on_base(bench: &Bench, path: &str) -> Option<String> {
    let origin = bench.git.origin();
    let listed = bench.git.git(&origin, &["ls-tree", "-r", "--name-only", "work"]);
    let is_there = listed.lines().any(|line| line == path);
    is_there.then(|| bench.git.git(&origin, &["show", &format!("work:{path}")]))
}

#[test]
fn a_story_is_merged_and_recorded_in_one_commit_once_its_tests_fail_and_then_pass() {
    let mut bench = written();
    leave(
        &mut bench,
        &[("health.py", Some("def check():\n    return 200, 'healthy'\n"))],
    );
    assert_eq!(
        bench.stage("US-001"),
        ("merging", "done"),
        "{}",
        bench.comments("US-001")
    );
    let head = bench.task("US-001").head.clone().unwrap();
    let origin = bench.git.origin();
    let merge = bench.git.git(&origin, &["log", "-1", "--format=%s %P", "work"]);
    assert!(
        merge.starts_with("feat: health check (US-001)") && merge.ends_with(&head),
        "{merge}"
    );
    let state = on_base(&bench, "state.json").unwrap();
    assert!(
        state.contains("\"current_prd\": null") && state.contains("\"session_count\": 2"),
        "{state}"
    );
    let history = on_base(&bench, "history.md").unwrap();
    for line in [
        " - Story US-001 Complete",
        "- **PRD:** 001-FEAT-health.json",
        "- **Story:** US-001 - Health check",
        "- **Tests:** 2/2 passed",
        &format!("- **Commit:** {}", head.get(..7).unwrap()),
        "- **Model:** default",
        "- [x] It says healthy",
    ] {
        assert!(history.contains(line), "{line} is not in {history}");
    }
    assert_eq!(on_base(&bench, "prds/001-FEAT-health.json"), None);
    let archived = on_base(&bench, "prds/archive/001-FEAT-health.json").unwrap();
    assert_eq!(
        archived.trim(),
        PRD.replace("\"passes\":false", "\"passes\":true").trim()
    );
    let counts = TestCounts {
        passed: 2,
        ..TestCounts::default()
    };
    assert_eq!(bench.task("US-001").record.work.tests, Some(counts));
}

#[test]
fn tests_that_are_missing_or_stubs_or_fewer_than_the_criteria_or_in_another_file_are_held() {
    let missing = refused(&[("other.txt", Some("x"))]);
    assert!(missing.contains("are not in the commit"), "{missing}");
    assert!(
        missing.contains("the last lines of its agent:\nno module pytest"),
        "{missing}"
    );
    assert!(
        missing.contains("files were changed that are not listed: other.txt"),
        "{missing}"
    );
    let stub = refused(&[(
        TESTS,
        Some("def test_answers():\n    pass\n\ndef test_b():\n    assert f() == 1\n"),
    )]);
    assert!(
        stub.contains("the test test_answers in line 1") && stub.contains("asserts nothing"),
        "{stub}"
    );
    let few = refused(&[(TESTS, Some("def test_answers():\n    assert check() == 200\n"))]);
    assert!(
        few.contains("1 tests that assert something for 2 criteria"),
        "{few}"
    );
}

#[test]
fn tests_fail_first_and_for_the_right_reason() {
    let early = refused(&[(TESTS, Some(GOOD)), ("health.py", Some("x"))]);
    assert!(
        early.contains("passes already: tests must fail first; tests/test_US_001.py begins:\n# Creates: health\nfrom health"),
        "{early}"
    );
    let unnamed = GOOD.replace("# Creates: health\n", "");
    let defect = refused(&[(TESTS, Some(&unnamed))]);
    assert!(
        defect.contains("lacks health, which nothing says is to be created"),
        "{defect}"
    );
}

#[test]
fn tests_that_may_pass_already_are_accepted_where_a_person_chose_that() {
    let mut bench = bench();
    let mut draft = story();
    let mut plan = PlanEntry::clone(draft.plan.as_ref().unwrap());
    plan.tests.as_mut().unwrap().may_pass = true;
    plan.paths.create.push("health.py".to_owned());
    draft.plan = Some(Arc::new(plan));
    bench.release(draft);
    leave(&mut bench, &[(TESTS, Some(GOOD)), ("health.py", Some("x"))]);
    assert_eq!(
        bench.stage("US-001"),
        ("implementation", "active"),
        "{}",
        finding(&bench)
    );
}

/// Commits a file to the base, as a person does.
fn on_new_base(bench: &Bench, file: &str, text: &str) {
    let project = bench.git.project();
    fs::create_dir_all(project.join(file).parent().unwrap()).unwrap();
    fs::write(project.join(file), text).unwrap();
    bench.git.git(&project, &["add", "--all"]);
    bench.git.git(&project, &["commit", "-qm", "Tests"]);
    bench.git.git(&project, &["push", "-q", "origin", "HEAD:work"]);
}

/// Returns a bench with a story whose tests are in its base.
fn given(file: &str, text: &str, change: impl FnOnce(&mut StoryTests)) -> Bench {
    let mut bench = bench();
    on_new_base(&bench, file, text);
    let draft = story();
    let mut plan = PlanEntry::clone(draft.plan.as_ref().unwrap());
    plan.paths.create.clear();
    change(plan.tests.as_mut().unwrap());
    bench.release(TaskDraft {
        stage: Some("given".into()),
        plan: Some(Arc::new(plan)),
        ..draft
    });
    bench
}

#[test]
fn tests_that_are_in_the_base_are_judged_before_any_work_as_those_of_an_agent_are() {
    let stub = "def test_answers():\n    pass\n\ndef test_b():\n    pass\n";
    let held = given(TESTS, stub, |_| ());
    assert_eq!(
        held.stage("US-001"),
        ("given", "held"),
        "{}",
        held.comments("US-001")
    );
    assert!(finding(&held).contains("asserts nothing"), "{}", finding(&held));
    let few = given(TESTS, "def test_answers():\n    assert f() == 1\n", |_| ());
    assert!(finding(&few).contains("1 tests that assert something for 2 criteria"));
    let mut passing = given(
        TESTS,
        &GOOD.replace("from health import", "from pytest import"),
        |_| (),
    );
    on_new_base(&passing, "pytest", "echo '=== 2 passed in 0.01s ==='\n");
    passing.ask(retry());
    assert_eq!(passing.stage("US-001"), ("given", "held"));
    let found = finding(&passing);
    assert!(
        found.contains("passes already: tests must fail first; tests/test_US_001.py begins:"),
        "{found}"
    );
    for bench in [&held, &few, &passing] {
        assert!(
            bench.launches().is_empty(),
            "no agent works before the tests are fixed"
        );
    }
    on_new_base(&passing, "pytest", PYTEST);
    on_new_base(&passing, TESTS, GOOD);
    passing.ask(retry());
    assert_eq!(
        passing.stage("US-001"),
        ("implementation", "active"),
        "{}",
        finding(&passing)
    );
    leave(&mut passing, &[("health.py", Some("x"))]);
    assert_eq!(
        passing.stage("US-001"),
        ("merging", "done"),
        "{}",
        finding(&passing)
    );
}

#[test]
fn a_person_decides_about_tests_of_the_base_that_pass_where_the_settings_say_so() {
    let mut flows = crate::bench::workflows();
    for flow in &mut flows {
        flow.ask_about_first_runs();
    }
    let mut bench = bench();
    bench.happen(&Event::WorkflowsLoaded(flows));
    on_new_base(&bench, TESTS, GOOD);
    on_new_base(&bench, "health.py", "x");
    bench.release(TaskDraft {
        stage: Some("given".into()),
        ..story()
    });
    assert_eq!(bench.stage("US-001"), ("given", "held"));
    bench.ask(Command::Approve("US-001".into()));
    assert_eq!(bench.stage("US-001"), ("implementation", "active"));
    let accepted = given(TESTS, GOOD, |tests| tests.may_pass = true);
    assert_eq!(accepted.stage("US-001"), ("implementation", "active"));
}

fn retry() -> Command {
    Command::Retry {
        task: "US-001".into(),
        stage: None,
        note: None,
    }
}

#[test]
fn an_implementer_that_edits_the_tests_is_held_and_the_next_one_finds_them_as_they_were() {
    let mut bench = written();
    let cheat = "def test_answers():\n    assert True\n";
    leave(&mut bench, &[(TESTS, Some(cheat)), ("health.py", Some("x"))]);
    assert_eq!(bench.stage("US-001"), ("implementation", "held"));
    let found = finding(&bench);
    assert!(
        found.contains(&format!("protected files were changed: {TESTS}")),
        "{found}"
    );
    bench.tidy();
    bench.ask(Command::Retry {
        task: "US-001".into(),
        stage: None,
        note: None,
    });
    let folder = bench.folder("US-001");
    assert_eq!(fs::read_to_string(folder.join(TESTS)).unwrap(), GOOD);
    assert_eq!(
        fs::read_to_string(folder.join("health.py")).unwrap(),
        "x",
        "the implementer's work is kept"
    );
    leave(&mut bench, &[]);
    assert_eq!(bench.stage("US-001"), ("merging", "done"), "{}", finding(&bench));
    let history = on_base(&bench, "history.md").unwrap();
    assert!(history.contains(" - Story US-001 BLOCKED"), "{history}");
}

#[test]
fn a_protected_file_that_was_deleted_is_said_and_comes_back() {
    let mut bench = written();
    leave(
        &mut bench,
        &[("prds/001-FEAT-health.json", None), ("health.py", Some("x"))],
    );
    assert!(finding(&bench).contains("protected files were changed: prds/001-FEAT-health.json"));
    bench.tidy();
    bench.ask(Command::Retry {
        task: "US-001".into(),
        stage: None,
        note: None,
    });
    assert!(bench.folder("US-001").join("prds/001-FEAT-health.json").exists());
}

#[test]
fn tests_that_still_fail_hold_the_story_with_what_the_runner_said() {
    let mut bench = written();
    leave(&mut bench, &[("other.py", Some("x"))]);
    assert_eq!(bench.stage("US-001"), ("implementation", "held"));
    let found = finding(&bench);
    assert!(
        found.contains("gate tests failed") && found.contains("No module named 'health'"),
        "{found}"
    );
}

#[test]
fn a_blocked_story_says_why_and_a_run_without_a_test_proves_nothing() {
    let mut bench = written();
    bench.says("US-001", SignalKind::Block, "no database");
    let attempt = bench.agent("US-001").id;
    bench.ends(attempt);
    assert_eq!(bench.stage("US-001"), ("implementation", "held"));
    assert_eq!(bench.task("US-001").record.work.stuck[0].why, "no database");
}

#[test]
fn an_agent_is_given_the_documents_of_its_story_to_read() {
    let mut bench = bench();
    on_new_base(&bench, "shop/basket.py", "def count():\n    return 3\n");
    on_new_base(&bench, "notes.txt", "A note.\n");
    bench.release(story());
    leave(&mut bench, &[(TESTS, Some(GOOD))]);
    let briefs = bench.outside.briefs.lock().unwrap().clone();
    let (author, implementer) = (&briefs[0].facts.reading, &briefs[1].facts.reading);
    assert!(
        author.contains("# prds/001-FEAT-health.json") && author.contains("Health check"),
        "{author}"
    );
    assert!(!author.contains("def test_answers"), "{author}");
    assert!(implementer.contains("def test_says_healthy"), "{implementer}");
    assert!(implementer.contains(" of 15000 tokens"), "{implementer}");
    assert!(
        implementer.contains("# shop/basket.py") && implementer.contains("return 3"),
        "{implementer}"
    );
    assert!(!author.contains("return 3") && !implementer.contains("A note."));
    bench.tidy();
}

#[cfg(unix)]
#[test]
fn a_merge_that_a_hook_refuses_is_held_with_its_words_and_leaves_no_record() {
    let mut bench = written();
    let project = bench.git.project();
    let ran = project.join("ran");
    for hook in ["pre-commit", "commit-msg", "pre-merge-commit", "pre-push"] {
        let file = project.join(".git/hooks").join(hook);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        crate::script::write_script(&file, format!("#!/bin/sh\ntouch '{}'\nexit 1\n", ran.display()));
    }
    crate::outside::hook(
        &bench.git.origin(),
        "while read a b ref; do [ $ref != refs/heads/work ] || { echo 'no story without a ticket' >&2; exit 1; }; done",
    );
    let base = bench.head(&bench.git.origin(), "work");
    leave(&mut bench, &[("health.py", Some("x"))]);
    assert_eq!(bench.stage("US-001"), ("merging", "held"));
    let state = format!("{:?}", bench.task("US-001").state);
    assert!(state.contains("no story without a ticket"), "{state}");
    assert_eq!(bench.head(&bench.git.origin(), "work"), base);
    for file in ["state.json", "history.md", "prds/archive/001-FEAT-health.json"] {
        assert_eq!(on_base(&bench, file), None, "{file}");
    }
    assert!(!ran.exists(), "no hook of the project may run");
    fs::remove_file(bench.git.origin().join("hooks/pre-receive")).unwrap();
    bench.ask(Command::Retry {
        task: "US-001".into(),
        stage: None,
        note: None,
    });
    assert_eq!(bench.stage("US-001"), ("merging", "done"));
    let history = on_base(&bench, "history.md").unwrap();
    assert_eq!(history.matches(" Complete").count(), 1, "{history}");
}

#[test]
fn a_report_that_names_another_story_counts_for_the_story_of_its_attempt_alone() {
    let mut bench = bench();
    bench.release(story());
    bench.release(TaskDraft {
        deps: ["US-001".into()].into(),
        ..TaskDraft {
            id: "US-002".into(),
            ..story()
        }
    });
    bench.says("US-001", SignalKind::Done, "STORY_DONE: US-002");
    let attempt = bench.agent("US-001").id;
    bench.ends(attempt);
    assert_eq!(
        bench.stage("US-001"),
        ("tests", "held"),
        "the story's own tests are checked"
    );
    assert!(
        finding(&bench).contains("are not in the commit"),
        "{}",
        finding(&bench)
    );
    assert_eq!(bench.stage("US-002"), ("tests", "released"));
}

#[test]
fn work_that_breaks_what_worked_before_is_held_by_the_tests_of_the_whole_project() {
    let mut bench = bench();
    let mut draft = story();
    draft.gates.push(GateCommand {
        name: "suite".to_owned(),
        command: "test -e prds/001-FEAT-health.json && test ! -e loop.py".to_owned(),
    });
    bench.release(draft);
    leave(&mut bench, &[(TESTS, Some(GOOD))]);
    bench.tidy();
    leave(
        &mut bench,
        &[("health.py", Some("x")), ("loop.py", Some("pass\n"))],
    );
    assert_eq!(bench.stage("US-001"), ("implementation", "held"));
    assert!(
        finding(&bench).contains("gate suite failed"),
        "{}",
        finding(&bench)
    );
}

#[test]
fn the_history_names_the_model_that_answered_and_how_long_the_story_took() {
    let mut bench = bench();
    let agent = AgentSettings {
        agent: Some("claude".to_owned()),
        model: Some("fast".to_owned()),
        ..AgentSettings::default()
    };
    bench.release(TaskDraft {
        agent: Box::new(agent),
        ..story()
    });
    leave(&mut bench, &[(TESTS, Some(GOOD))]);
    bench.tidy();
    let attempt = bench.agent("US-001").id;
    let model = "opus".to_owned();
    bench.happen(&Event::ModelReported { attempt, model });
    bench.wait(Span::minutes(11));
    leave(&mut bench, &[("health.py", Some("x"))]);
    let history = on_base(&bench, "history.md").unwrap();
    for line in ["- **Model:** opus\n", "- **Duration:** 11 minutes\n"] {
        assert!(history.contains(line), "{line}: {history}");
    }
}
