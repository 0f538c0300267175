//! Places where gates run, and hooks of the repository that become gates.

use std::fs;
use std::path::Path;

use dbs::domain::task::GateCommand;
use dbs::domain::workflow::{EngineAction, GatePlace, GateSet};
use dbs::domain::{BoardSettings, Command, Event, HoldReason, SignalKind, TaskDraft, TaskId, TaskState};

use crate::bench::{Bench, draft, workflows};

/// Returns a bench whose phases have their gates run at that place, and none when they are merged.
fn bench(place: GatePlace, auto_commit: bool) -> Bench {
    let mut bench = Bench::new();
    let mut flows = workflows();
    for stage in flows.iter_mut().flat_map(|flow| &mut flow.stages) {
        if stage.id.as_str() == "work" {
            stage.gate_at = place;
        } else if stage.actor == dbs::domain::workflow::Actor::Engine(EngineAction::Merge) {
            stage.gates = GateSet::None;
        }
    }
    bench.happen(&Event::WorkflowsLoaded(flows));
    let settings = BoardSettings {
        auto_commit,
        ..(*bench.board.settings).clone()
    };
    bench.happen(&Event::configured(settings));
    bench
}

fn gated(gates: &[(&str, &str)]) -> TaskDraft {
    let gates = gates.iter().map(|(name, command)| GateCommand {
        name: (*name).to_owned(),
        command: (*command).to_owned(),
    });
    TaskDraft {
        gates: gates.collect(),
        ..draft("p-1", "phased", None)
    }
}

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (file, text) in files {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// Writes these files as the agent, which is then done.
fn leave(bench: &mut Bench, files: &[(&str, &str)]) {
    write(&bench.folder("p-1"), files);
    bench.last_word("p-1", SignalKind::Done);
}

fn finding(bench: &Bench) -> String {
    bench.task("p-1").finding.clone().unwrap_or_default()
}

const BUILT: [(&str, &str); 3] = [(".gitignore", "*.o\n"), ("built.o", "o"), ("a.txt", "a")];

#[test]
fn gates_in_the_worktree_find_what_git_ignores_there_and_those_on_the_commit_do_not() {
    for (place, stands) in [
        (GatePlace::Commit, ("work", "active")),
        (GatePlace::Worktree, ("merging", "done")),
    ] {
        let mut bench = bench(place, true);
        bench.release(gated(&[("built", "test -e built.o")]));
        leave(&mut bench, &BUILT);
        assert_eq!(bench.stage("p-1"), stands, "{place:?}: {}", finding(&bench));
    }
}

#[test]
fn gates_in_a_worktree_say_nothing_of_a_commit_from_which_it_differs() {
    let mut bench = bench(GatePlace::Worktree, false);
    bench.release(gated(&[("there", "test -e late.txt")]));
    let folder = bench.folder("p-1");
    let commit = bench.git.commit(&folder, "a.txt", "a\n", "Work");
    leave(&mut bench, &[("late.txt", "late")]);
    let found = finding(&bench);
    let wanted = format!("gates run in the worktree, and it differs from the commit {commit}: late.txt");
    assert!(found.contains(&wanted), "{found}");
    // The branch holds the file, and the agent has gone back to a commit at which no file was missing.
    let folder = bench.folder("p-1");
    let commit = bench.git.commit(&folder, "late.txt", "late\n", "More work");
    bench.git.git(&folder, &["checkout", "-q", "--detach", "HEAD~1"]);
    let stands = bench.head(&folder, "HEAD");
    leave(&mut bench, &[]);
    let found = finding(&bench);
    let wanted = format!("it differs from the commit {commit}: it stands at {stands}");
    assert!(found.contains(&wanted), "{found}");
}

#[test]
fn gates_that_change_what_is_committed_say_nothing_of_the_commit() {
    for place in [GatePlace::Commit, GatePlace::Worktree] {
        let mut bench = bench(place, true);
        bench.release(gated(&[("format", "echo more >> a.txt")]));
        leave(&mut bench, &[("a.txt", "a\n")]);
        let found = finding(&bench);
        let is_told = found.contains("the gates changed files of the worktree") && found.contains(": a.txt");
        // A clean checkout is thrown away together with what a gate wrote there.
        assert_eq!(is_told, place == GatePlace::Worktree, "{place:?}: {found}");
        assert_eq!(bench.stage("p-1").0 == "merging", place == GatePlace::Commit);
    }
}

/// Commands of docs/workflows.md that turn hooks into gates.
const HOOKS: [(&str, &str); 2] = [
    (
        "pre-commit",
        "git symbolic-ref HEAD refs/heads/all && sh .githooks/pre-commit",
    ),
    (
        "commit-msg",
        "git log -1 --format=%B \"$DBS_COMMIT\" > .git/message && sh .githooks/commit-msg .git/message",
    ),
];

#[test]
fn a_hook_that_is_a_gate_refuses_what_the_engine_commits_and_its_words_are_a_finding() {
    let documented = include_str!("../../docs/workflows.md");
    for (name, command) in HOOKS {
        let line = format!("{name} = '{command}'");
        assert!(documented.contains(&line), "{line}");
    }
    let mut bench = bench(GatePlace::Commit, true);
    for (hook, text) in [
        (
            ".githooks/pre-commit",
            "git grep --cached -n FIXME -- '*.txt' && { echo 'there is a FIXME'; exit 1; }; exit 0\n",
        ),
        (
            ".githooks/commit-msg",
            "grep -q '^Dbs-Task: p-1$' \"$1\" && grep -q 'so it is' \"$1\" || { echo 'no reason given'; exit 1; }\n",
        ),
    ] {
        bench.git.commit_on_origin("work", hook, text);
    }
    bench.release(gated(&HOOKS));
    leave(&mut bench, &[("a.txt", "FIXME\n")]);
    let found = finding(&bench);
    for wanted in [
        "critical: gate pre-commit failed: ended with code 1",
        "a.txt:1:FIXME",
        "there is a FIXME",
    ] {
        assert!(found.contains(wanted), "{wanted}: {found}");
    }
    assert!(!found.contains("commit-msg"), "{found}");
    bench.tidy();
    // The line is also found if another attempt has committed it.
    leave(&mut bench, &[("b.txt", "b\n")]);
    assert!(finding(&bench).contains("a.txt:1:FIXME"), "{}", finding(&bench));
    bench.tidy();
    write(&bench.folder("p-1"), &[("a.txt", "a\n")]);
    bench.says("p-1", SignalKind::Done, "");
    let agent = bench.agent("p-1").id;
    bench.ends(agent);
    let found = finding(&bench);
    assert!(
        found.contains("gate commit-msg failed: ended with code 1") && found.contains("no reason given"),
        "{found}"
    );
    assert!(!found.contains("pre-commit"), "{found}");
}

/// Changes that the gate `first` makes to the tree it shares with others.
const MEDDLING: &str = "echo x > helped.txt && rm a.txt && mkdir out && echo o > out/o && git config alias.hi '!true' && \
                        rm -rf sub && ln -s out sub && mkfifo pipe";

#[test]
fn what_a_gate_changes_helps_no_other_and_what_git_ignores_stays() {
    let mut bench = bench(GatePlace::Commit, true);
    bench.release(gated(&[
        ("first", MEDDLING),
        (
            "second",
            "test ! -e helped.txt && test -e a.txt && test ! -L sub && test ! -p pipe && ! git config alias.hi && \
             test -e out/o && git diff --exit-code HEAD && test -z \"$(git status --porcelain)\"",
        ),
    ]));
    leave(
        &mut bench,
        &[(".gitignore", "out/\n"), ("a.txt", "a\n"), ("sub/b.txt", "b\n")],
    );
    assert_eq!(bench.stage("p-1"), ("merging", "done"), "{}", finding(&bench));
}

#[test]
fn a_gate_with_a_fresh_tree_sees_nothing_that_another_has_left() {
    let mut bench = bench(GatePlace::Commit, true);
    let settings = BoardSettings {
        fresh_gates: ["second".to_owned()].into(),
        ..(*bench.board.settings).clone()
    };
    bench.happen(&Event::configured(settings));
    bench.release(gated(&[
        ("first", MEDDLING),
        ("second", "test ! -e out && test -e a.txt && echo y > mine.txt"),
        ("third", "test -e out/o && test ! -e mine.txt"),
    ]));
    leave(
        &mut bench,
        &[(".gitignore", "out/\n"), ("a.txt", "a\n"), ("sub/b.txt", "b\n")],
    );
    assert_eq!(bench.stage("p-1"), ("merging", "done"), "{}", finding(&bench));
}

#[test]
fn a_gate_in_the_worktree_is_not_run_on_what_the_gate_before_it_has_changed() {
    let mut bench = bench(GatePlace::Worktree, true);
    bench.release(gated(&[
        ("first", "echo x > helped.txt"),
        ("second", "test -e helped.txt && rm helped.txt"),
    ]));
    leave(&mut bench, &[("a.txt", "a\n")]);
    let found = finding(&bench);
    assert!(
        found.contains("the gates changed files of the worktree"),
        "{found}"
    );
}

#[cfg(unix)]
#[test]
fn the_checkout_of_a_gate_lies_in_a_closed_folder_under_a_name_that_is_not_known_before() {
    let mut bench = bench(GatePlace::Commit, true);
    let said = bench.git.root().join("said");
    let command = format!(
        "stat -c %a .. > '{0}' && basename \"$PWD\" >> '{0}' && cd '{1}'/control.git/checkouts && \
         for note in *; do echo \"$note\"; [ \"${{note%.index}}\" = \"$note\" ] && cat \"$note\"; done >> '{0}'; true",
        said.display(),
        bench.git.state().display()
    );
    bench.release(gated(&[("look", &command)]));
    leave(&mut bench, &[("a.txt", "a\n")]);
    let said = fs::read_to_string(said).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "300", "{said}");
    assert!(
        lines[1].len() == 32 && lines[1].bytes().all(|sign| sign.is_ascii_hexdigit()),
        "{said}"
    );
    assert_eq!(
        said.matches(lines[1]).count(),
        1,
        "only one line shows the name: {said}"
    );
    let left = fs::read_dir(bench.git.state().join("checkouts")).unwrap().count();
    assert_eq!(left, 0, "no checkout is left");
}

#[test]
fn a_gate_that_fails_for_want_of_a_variable_or_a_program_says_so_first() {
    for (command, wanted) in [
        (
            "echo \"$0: NPM_TOKEN is not set\"; exit 1",
            "failed: its output names NPM_TOKEN, which your shell has",
        ),
        (
            "echo JAVA_HOME is not set; exit 1",
            "failed: JAVA_HOME is not set in the environment that the server",
        ),
        (
            "no-such-tool --check",
            "could not run: the program no-such-tool is in none of the folders of its PATH",
        ),
    ] {
        let mut bench = bench(GatePlace::Commit, true);
        bench.release(gated(&[("check", command)]));
        leave(&mut bench, &[("a.txt", "a\n")]);
        let found = finding(&bench);
        assert!(found.contains(&format!("gate check {wanted}")), "{found}");
    }
}

/// Returns a bench with one gate in its settings and a task that is at work.
fn set_up_with(gate: &str) -> Bench {
    let gates = vec![GateCommand {
        name: "check".to_owned(),
        command: gate.to_owned(),
    }];
    let mut bench = Bench::with(BoardSettings {
        base: Some("work".to_owned()),
        gates,
        ..BoardSettings::default()
    });
    bench.release(draft("t-1", "kanban", None));
    bench
}

#[test]
fn a_gate_that_is_red_before_the_work_holds_the_task_once_and_costs_no_attempt() {
    for (gate, wanted) in [
        (
            "grep -q green README.md",
            "red before the work: gate check failed",
        ),
        (
            "no-such-tool --check",
            "red before the work: gate check could not run",
        ),
    ] {
        let mut bench = set_up_with(gate);
        bench.develop("t-1", "a.txt", "a\n");
        let task = bench.task("t-1");
        assert!(
            matches!(&task.state, TaskState::Held(HoldReason::Unverified(why)) if why.contains(wanted)),
            "{:?}",
            task.state
        );
        assert!(task.failures.is_empty(), "{:?}", task.failures);
        bench.ask(Command::Retry {
            task: TaskId::from("t-1"),
            stage: None,
            note: None,
        });
        bench.develop("t-1", "b.txt", "b\n");
        let found = bench.task("t-1").finding.clone().unwrap_or_default();
        assert!(found.contains(wanted), "{found}");
        assert_eq!(
            bench.stage("t-1"),
            ("development", "active"),
            "the retry accepts the red gate"
        );
    }
}

#[test]
fn a_gate_that_only_the_work_breaks_runs_once_on_the_base_and_costs_attempts() {
    let folder = tempfile::tempdir().unwrap();
    let runs = folder.path().join("runs");
    let mut bench = set_up_with(&format!("echo run >> '{}'; test ! -e broken", runs.display()));
    for (nth, text) in ["one\n", "two\n"].into_iter().enumerate() {
        bench.develop("t-1", "broken", text);
        let found = bench.task("t-1").finding.clone().unwrap_or_default();
        assert!(found.starts_with("gate check failed"), "{found}");
        assert_eq!(bench.stage("t-1"), ("development", "active"));
        let count = fs::read_to_string(&runs).unwrap().lines().count();
        assert_eq!(count, nth + 2, "the gate runs once per work and once on the base");
    }
}
