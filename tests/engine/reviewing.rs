//! Reviews: the reviewer is shown what is merged, whatever an agent left in the repository that all of them share.
#![expect(
    clippy::disallowed_methods,
    reason = "runs the commands that a reviewer and a person would run"
)]

use std::fs;
use std::path::Path;
use std::process::Command as Process;

use dbs::domain::task::HoldReason;
use dbs::domain::{Command, SignalKind, TaskState};
use dbs::ports::agents::Brief;

use crate::bench::{Bench, draft};
use crate::script::write_script;

/// Outcome for a task whose developer left something in the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// A person decides, and is told which command reverts it.
    Held,
    /// The reviewer is shown what would be merged.
    Shown,
    /// Nothing is decided; the check is repeated.
    Unknown,
}

struct Way {
    name: &'static str,
    outcome: Outcome,
    /// Function that leaves something and commits the work in the folder.
    leave: fn(&Bench, &Path),
}

const WAYS: &[Way] = &[
    Way {
        name: "a replacement of the commit",
        outcome: Outcome::Held,
        leave: |bench, folder| {
            let harmless = bench.git.git(
                folder,
                &["commit-tree", "HEAD~^{tree}", "-p", "HEAD~", "-m", "harmless"],
            );
            bench.git.git(folder, &["replace", "HEAD", &harmless]);
        },
    },
    Way {
        name: "a replacement of the file",
        outcome: Outcome::Held,
        leave: |bench, folder| {
            bench
                .git
                .git(folder, &["replace", "HEAD:backdoor.txt", "HEAD:README.md"]);
        },
    },
    Way {
        name: "the base's tracking branch moved to the work",
        outcome: Outcome::Held,
        leave: |bench, folder| {
            bench
                .git
                .git(folder, &["update-ref", "refs/remotes/origin/work", "HEAD"]);
        },
    },
    Way {
        name: "an external difference that says nothing",
        outcome: Outcome::Held,
        leave: |bench, folder| {
            bench.git.git(folder, &["config", "diff.external", "true"]);
        },
    },
    Way {
        name: "an external difference that acts as the reviewer",
        outcome: Outcome::Held,
        leave: |bench, folder| {
            let trap = trap(bench);
            bench.git.git(folder, &["config", "diff.external", &trap]);
        },
    },
    Way {
        name: "private attributes that call the file binary",
        outcome: Outcome::Held,
        leave: |bench, _| {
            fs::write(
                bench.git.project().join(".git/info/attributes"),
                "backdoor.txt -diff\n",
            )
            .unwrap();
        },
    },
    Way {
        name: "a conversion of the text",
        outcome: Outcome::Held,
        leave: |bench, folder| {
            bench
                .git
                .commit(folder, ".gitattributes", "*.txt diff=x\n", "Attributes");
            bench
                .git
                .git(folder, &["config", "diff.x.textconv", "echo harmless"]);
        },
    },
    Way {
        name: "a setting that no git can read",
        outcome: Outcome::Shown,
        leave: |bench, folder| {
            bench.git.git(folder, &["config", "diff.relative", "broken"]);
        },
    },
    Way {
        name: "attributes in the tree",
        outcome: Outcome::Shown,
        leave: |bench, folder| {
            bench
                .git
                .commit(folder, ".gitattributes", "backdoor.txt -diff\n", "Attributes");
        },
    },
    Way {
        name: "a monitor of files",
        outcome: Outcome::Held,
        leave: |bench, folder| {
            let trap = trap(bench);
            bench.git.git(folder, &["config", "core.fsmonitor", &trap]);
        },
    },
    Way {
        name: "an alias",
        outcome: Outcome::Held,
        leave: |bench, folder| {
            bench.git.git(folder, &["config", "alias.diff", "!true"]);
        },
    },
    Way {
        name: "an object that holds something else than its name says",
        outcome: Outcome::Unknown,
        leave: |bench, folder| {
            let file = |of: &str| {
                let id = bench.git.git(folder, &["rev-parse", of]);
                let (begin, rest) = id.split_at(2);
                bench.git.project().join(".git/objects").join(begin).join(rest)
            };
            let harmless = fs::read(file("HEAD:README.md")).unwrap();
            fs::remove_file(file("HEAD:backdoor.txt")).unwrap();
            fs::write(file("HEAD:backdoor.txt"), harmless).unwrap();
        },
    },
    Way {
        name: "a graft",
        outcome: Outcome::Held,
        leave: |bench, folder| {
            let head = bench.git.git(folder, &["rev-parse", "HEAD"]);
            fs::write(bench.git.project().join(".git/info/grafts"), format!("{head}\n")).unwrap();
        },
    },
];

/// Writes a program that records its calls; returns its path.
fn trap(bench: &Bench) -> String {
    let (program, marks) = (bench.git.root().join("trap"), bench.git.root().join("marks"));
    write_script(
        &program,
        format!("#!/bin/sh\necho \"$@\" >> '{}'\n", marks.display()),
    );
    program.to_str().unwrap().to_owned()
}

fn has_sprung(bench: &Bench) -> bool {
    bench.git.root().join("marks").exists()
}

/// Returns a bench with a task whose developer committed a backdoor.
fn with_backdoor() -> (Bench, std::path::PathBuf) {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    let folder = bench.folder("t-1");
    bench.git.commit(&folder, "backdoor.txt", "evil\n", "Work");
    (bench, folder)
}

fn brief(bench: &Bench) -> Brief {
    bench.outside.briefs.lock().unwrap().last().unwrap().clone()
}

/// Returns what the reviewer's own git shows for a command.
fn shown(bench: &Bench, args: &[&str]) -> String {
    let brief = brief(bench);
    let mut git = Process::new("git");
    git.args(args)
        .current_dir(&brief.folder)
        .env_clear()
        .envs(bench.git.environment());
    git.env("GIT_CONFIG_COUNT", brief.git_settings.len().to_string());
    for (nth, (key, value)) in brief.git_settings.iter().enumerate() {
        git.env(format!("GIT_CONFIG_KEY_{nth}"), key);
        git.env(format!("GIT_CONFIG_VALUE_{nth}"), value);
    }
    git.env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_GRAFT_FILE", "/dev/null/grafts");
    let output = git.output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Asserts that the reviewer is told the difference that is then merged.
fn assert_shown(bench: &mut Bench, way: &str) {
    assert_eq!(
        bench.stage("t-1"),
        ("reviewing", "active"),
        "{way}: {}",
        bench.comments("t-1")
    );
    let told = brief(bench);
    let difference = told.difference.unwrap();
    assert!(difference.contains("+evil"), "{way}: {difference}");
    let place = told.facts.place;
    let (base, head) = (place.base_commit.unwrap(), place.head.unwrap());
    bench.last_word("t-1", SignalKind::Done);
    let origin = bench.git.origin();
    let merged = bench.git.git(&origin, &["diff", &base, "work"]);
    assert!(
        merged.contains("+evil"),
        "{way}: the work was not merged: {}",
        bench.comments("t-1")
    );
    let same = bench.git.git(&origin, &["diff", "--stat", &head, "work"]);
    assert_eq!(same, "", "{way}");
}

/// Returns the command that a hold names.
fn command(why: &str) -> &str {
    let (_, rest) = why.split_once("(`").unwrap();
    rest.split_once("` takes it back)").unwrap().0
}

#[test]
fn a_reviewer_sees_what_is_merged_or_the_task_is_held() {
    for way in WAYS {
        let (mut bench, folder) = with_backdoor();
        (way.leave)(&bench, &folder);
        bench.last_word("t-1", SignalKind::Done);
        let state = bench.task("t-1").state.clone();
        match (way.outcome, &state) {
            (Outcome::Shown, _) => assert_shown(&mut bench, way.name),
            (Outcome::Unknown, TaskState::Verifying) => {}
            (Outcome::Held, TaskState::Held(HoldReason::GitChanged(why))) => {
                let mut undo = Process::new("sh");
                undo.args(["-c", command(why)]).current_dir(bench.git.project());
                let done = undo.env_clear().envs(bench.git.environment()).output().unwrap();
                assert!(done.status.success(), "{}: {why}: {done:?}", way.name);
                bench.ask(Command::Retry {
                    task: "t-1".into(),
                    note: None,
                    stage: None,
                });
                bench.last_word("t-1", SignalKind::Done);
                assert_shown(&mut bench, way.name);
            }
            other => panic!("{}: {other:?}: {}", way.name, bench.comments("t-1")),
        }
        assert!(!has_sprung(&bench), "{}", way.name);
    }
}

#[test]
fn what_a_person_has_in_the_repository_holds_no_task_and_does_not_deceive_a_reviewer() {
    let mut bench = Bench::new();
    let project = bench.git.project();
    let trap = trap(&bench);
    for (key, value) in [
        ("diff.external", trap.as_str()),
        ("diff.x.textconv", "echo harmless"),
        ("diff.y.command", trap.as_str()),
        ("core.fsmonitor", trap.as_str()),
        ("core.hooksPath", ".husky"),
    ] {
        bench.git.git(&project, &["config", key, value]);
    }
    let kept = bench.git.commit(&project, "kept.txt", "kept\n", "Kept");
    bench.git.git(
        &project,
        &["-c", "core.fsmonitor=false", "replace", &kept, "HEAD~"],
    );
    fs::write(project.join(".git/info/attributes"), "*.none -diff\n").unwrap();
    bench.release(draft("t-1", "kanban", None));
    let folder = bench.folder("t-1");
    let plain = ["-c", "core.fsmonitor=false"];
    fs::write(folder.join(".gitattributes"), "*.txt diff=x\n*.sh diff=y\n").unwrap();
    fs::write(folder.join("backdoor.txt"), "evil\n").unwrap();
    fs::write(folder.join("backdoor.sh"), "evil too\n").unwrap();
    bench.git.git(&folder, &[&plain[..], &["add", "-A"]].concat());
    bench
        .git
        .git(&folder, &[&plain[..], &["commit", "-q", "-m", "Work"]].concat());
    drop(fs::remove_file(bench.git.root().join("marks")));

    bench.last_word("t-1", SignalKind::Done);

    assert_eq!(
        bench.stage("t-1"),
        ("reviewing", "active"),
        "{}",
        bench.comments("t-1")
    );
    let place = brief(&bench).facts.place;
    let range = format!("{}...{}", place.base_commit.unwrap(), place.head.unwrap());
    for args in [
        &["diff", range.as_str()][..],
        &["log", "-p", "--ext-diff"],
        &["show", "HEAD"],
    ] {
        let text = shown(&bench, args);
        assert!(
            text.contains("+evil\n") && text.contains("+evil too"),
            "{args:?}: {text}"
        );
    }
    shown(&bench, &["status"]);
    assert!(!has_sprung(&bench));
    let difference = brief(&bench).difference.unwrap();
    assert!(
        difference.contains("+evil\n") && difference.contains("+evil too"),
        "{difference}"
    );
}

#[test]
fn a_developer_whose_commit_gits_own_check_refuses_is_told_why() {
    let (mut bench, folder) = with_backdoor();
    let first = bench.agent("t-1").id;
    let text = bench.git.git(&folder, &["cat-file", "commit", "HEAD"]);
    let without: Vec<&str> = text.lines().filter(|line| !line.starts_with("author ")).collect();
    let file = bench.git.root().join("commit");
    fs::write(&file, without.join("\n") + "\n").unwrap();
    let odd = [
        "hash-object",
        "-t",
        "commit",
        "-w",
        "--literally",
        file.to_str().unwrap(),
    ];
    let odd = bench.git.git(&folder, &odd);
    bench
        .git
        .git(&folder, &["update-ref", "refs/heads/feature/t-1", &odd]);
    bench.last_word("t-1", SignalKind::Done);
    bench.wait(dbs::domain::Span::minutes(10));
    assert_eq!(
        bench.stage("t-1"),
        ("development", "active"),
        "{}",
        bench.comments("t-1")
    );
    assert_ne!(bench.agent("t-1").id, first);
    let finding = bench.task("t-1").finding.clone().unwrap();
    assert!(
        finding.contains("missingAuthor") && finding.contains(&odd),
        "{finding}"
    );
    assert_eq!(finding.matches("missingAuthor").count(), 1, "{finding}");
}

#[test]
fn an_agent_that_fetches_what_origin_has_is_not_held_for_it() {
    let (mut bench, folder) = with_backdoor();
    bench.git.commit_on_origin("work", "theirs.txt", "theirs\n");
    bench.git.git(&folder, &["fetch", "-q", "origin"]);
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(
        bench.stage("t-1"),
        ("reviewing", "active"),
        "{}",
        bench.comments("t-1")
    );
}

#[test]
fn a_reviewer_that_leaves_a_replacement_holds_its_task_and_one_who_writes_has_its_own_settings() {
    let (mut bench, folder) = with_backdoor();
    assert_eq!(brief(&bench).git_settings, Vec::new());
    bench.last_word("t-1", SignalKind::Done);
    assert!(!brief(&bench).git_settings.is_empty());
    assert!(!folder.exists() || bench.folder("t-1") != folder);
    let review = bench.folder("t-1");
    bench
        .git
        .git(&review, &["replace", "HEAD:backdoor.txt", "HEAD:README.md"]);
    bench.last_word("t-1", SignalKind::Done);
    let state = &bench.task("t-1").state;
    assert!(
        matches!(state, TaskState::Held(HoldReason::GitChanged(_))),
        "{state:?}"
    );
}
