//! Phases of a plan against real git and real gates: the engine checks notes, files, protected paths and tests that must fail first in the
//! commit an agent left.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use dbs::domain::task::GateCommand;
use dbs::domain::{
    BoardSettings, Command, Event, PathRules, PlanEntry, SignalKind, TaskDraft, TaskPatch, Tri,
};

use crate::bench::{Bench, draft, workflows};

fn phase(plan: PlanEntry) -> TaskDraft {
    TaskDraft {
        plan: Some(Arc::new(plan)),
        ..draft("p-1", "phased", None)
    }
}

fn notes_at(path: &str) -> PlanEntry {
    PlanEntry {
        notes: Some(path.to_owned()),
        ..PlanEntry::default()
    }
}

fn texts(paths: &[&str]) -> Vec<String> {
    paths.iter().map(ToString::to_string).collect()
}

/// Writes these files as the agent of the phase and leaves them uncommitted; the agent is then done.
fn leave(bench: &mut Bench, files: &[(&str, &str)]) {
    let folder = bench.folder("p-1");
    for (file, text) in files {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    bench.last_word("p-1", SignalKind::Done);
}

fn finding(bench: &Bench) -> String {
    let finding = bench.task("p-1").finding.clone().unwrap_or_default();
    format!("{finding}\n{}", bench.comments("p-1"))
}

const NOTES: &str = "# Notes\n## Summary\nDone.\n## Key Decisions\nNone.\n## Files Modified\n- a.txt\n";

#[test]
fn a_phase_with_its_notes_is_merged_and_what_it_left_is_committed_for_it() {
    let mut bench = Bench::new();
    bench.release(phase(notes_at("notes/n.md")));
    leave(&mut bench, &[("a.txt", "a"), ("notes/n.md", NOTES)]);
    assert_eq!(bench.stage("p-1"), ("merging", "done"), "{}", finding(&bench));
    let origin = bench.git.origin();
    assert_eq!(
        bench.git.git(&origin, &["show", "work:notes/n.md"]).trim(),
        NOTES.trim()
    );
    assert!(
        !bench.comments("p-1").contains("warnings"),
        "{}",
        bench.comments("p-1")
    );
}

#[test]
fn notes_that_are_missing_incomplete_ignored_or_a_link_are_said_so() {
    let looked = |files: &[(&str, &str)]| {
        let mut bench = Bench::new();
        bench.release(phase(notes_at("notes/n.md")));
        leave(&mut bench, files);
        finding(&bench)
    };
    let work = ("a.txt", "a");
    assert!(looked(&[work]).contains("high: the notes notes/n.md are not in the commit"));
    let part = looked(&[work, ("notes/n.md", "# Notes\n## Summary\nx\n")]);
    assert!(
        part.contains("low: the notes notes/n.md lack the sections Key Decisions, Files Modified"),
        "{part}"
    );
    let ignored = looked(&[work, (".gitignore", "notes/\n"), ("notes/n.md", NOTES)]);
    assert!(ignored.contains("files that git ignores are not"), "{ignored}");
    assert!(looked(&[work, ("notes/n.md", " \n")]).contains("are empty"));
    assert!(looked(&[work, ("notes/n.md/x", "")]).contains("are not a file"));
}

#[test]
fn notes_that_were_lost_on_the_way_to_the_merge_are_asked_for_before_it_is_pushed() {
    let mut bench = Bench::new();
    bench.release(phase(notes_at("notes/n.md")));
    bench.git.commit_on_origin("work", "a.txt", "theirs\n");
    leave(&mut bench, &[("a.txt", "ours\n"), ("notes/n.md", NOTES)]);
    assert_eq!(
        bench.stage("p-1"),
        ("merging", "active"),
        "a conflict: {}",
        finding(&bench)
    );
    let folder = bench.folder("p-1");
    bench.git.git(&folder, &["fetch", "-q", "origin", "work"]);
    let who = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
    let merge = ["merge", "-q", "-X", "ours", "-m", "Take up work", "FETCH_HEAD"];
    bench.git.git(&folder, &[&who[..], &merge].concat());
    fs::remove_file(folder.join("notes/n.md")).unwrap();
    bench.git.commit(&folder, "a.txt", "both\n", "Solve the conflict");
    bench.last_word("p-1", SignalKind::Done);
    let origin = bench.git.origin();
    assert_eq!(
        bench.git.git(&origin, &["show", "work:a.txt"]),
        "theirs",
        "nothing may be pushed"
    );
    assert_eq!(bench.stage("p-1"), ("merging", "active"));
    let found = finding(&bench);
    assert!(
        found.contains("the notes notes/n.md are not in the commit"),
        "{found}"
    );
    let folder = bench.folder("p-1");
    bench
        .git
        .commit(&folder, "notes/n.md", NOTES, "Put the notes back");
    bench.last_word("p-1", SignalKind::Done);
    assert_eq!(bench.stage("p-1"), ("merging", "done"), "{}", finding(&bench));
    assert_eq!(
        bench.git.git(&origin, &["show", "work:notes/n.md"]).trim(),
        NOTES.trim()
    );
}

#[test]
fn a_phase_that_was_accepted_with_a_warning_about_its_notes_is_merged() {
    for notes in [&[][..], &[("notes/n.md", "# Notes\n## Summary\n")]] {
        let mut bench = Bench::with(BoardSettings {
            base: Some("work".to_owned()),
            accepts_missing_notes: true,
            ..BoardSettings::default()
        });
        bench.release(phase(notes_at("notes/n.md")));
        leave(&mut bench, &[&[("a.txt", "a")], notes].concat());
        assert!(
            finding(&bench).contains("passed with warnings"),
            "{}",
            finding(&bench)
        );
        assert_eq!(bench.stage("p-1"), ("merging", "done"), "{}", finding(&bench));
    }
}

/// P66.
#[test]
fn files_that_a_report_names_and_the_commit_did_not_change_are_a_warning() {
    let mut bench = Bench::new();
    bench.release(phase(PlanEntry::default()));
    fs::write(bench.folder("p-1").join("a.txt"), "a").unwrap();
    let attempt = bench.agent("p-1").id;
    bench.happen(&Event::Signalled {
        attempt,
        kind: SignalKind::Done,
        text: "done".to_owned(),
        key: "done".to_owned(),
        report: None,
        claims: dbs::domain::Claims {
            files: texts(&["./a.txt", "src/never.rs"]),
            ..dbs::domain::Claims::default()
        },
        by_file: false,
    });
    bench.ends(attempt);
    let found = finding(&bench);
    let wanted = "low: files are reported as changed, and the commit has no change of them: src/never.rs";
    assert!(found.contains(wanted) && !found.contains("a.txt"), "{found}");
    assert_eq!(bench.stage("p-1"), ("merging", "done"), "{found}");
}

#[test]
#[cfg(unix)]
fn notes_that_are_a_link_to_somewhere_else_are_not_followed() {
    let mut bench = Bench::new();
    bench.release(phase(notes_at("n.md")));
    std::os::unix::fs::symlink(Path::new("/etc/passwd"), bench.folder("p-1").join("n.md")).unwrap();
    leave(&mut bench, &[("a.txt", "a")]);
    assert!(
        finding(&bench).contains("the notes n.md are not a file"),
        "{}",
        finding(&bench)
    );
}

#[test]
fn what_a_plan_protects_is_compared_over_all_attempts() {
    let mut bench = Bench::new();
    let paths = PathRules {
        protected: texts(&["tests/"]),
        ..PathRules::default()
    };
    bench.release(phase(PlanEntry {
        paths,
        ..PlanEntry::default()
    }));
    leave(&mut bench, &[("a.txt", "a"), ("tests/t.sh", "exit 0")]);
    let found = finding(&bench);
    assert!(
        found.contains("critical: protected files were changed: tests/t.sh"),
        "{found}"
    );
    assert!(
        found.contains("to do: put these files back as they were"),
        "{found}"
    );
    bench.tidy();
    leave(&mut bench, &[("b.txt", "b")]);
    assert_eq!(
        bench.stage("p-1").0,
        "work",
        "the change is still on the branch: {}",
        finding(&bench)
    );
    bench.tidy();
    let folder = bench.folder("p-1");
    fs::remove_file(folder.join("tests/t.sh")).unwrap();
    leave(&mut bench, &[]);
    assert_eq!(bench.stage("p-1"), ("merging", "done"), "{}", finding(&bench));
}

#[test]
fn the_files_of_a_plan_are_made_and_changed_and_no_others() {
    let mut bench = Bench::new();
    let paths = PathRules {
        create: texts(&["new.txt"]),
        modify: texts(&["README.md"]),
        ..PathRules::default()
    };
    bench.release(phase(PlanEntry {
        paths,
        ..PlanEntry::default()
    }));
    leave(&mut bench, &[("new.txt", "n"), ("other.txt", "o")]);
    let found = finding(&bench);
    assert!(
        found.contains("low: files were changed that are not listed: other.txt"),
        "{found}"
    );
    assert!(
        found.contains("critical: listed files were neither made nor changed: README.md"),
        "{found}"
    );
}

#[test]
fn a_file_that_no_list_names_is_a_warning_unless_work_is_checked_by_it() {
    let worked = |workflow: &str, other: &str| {
        let mut bench = Bench::new();
        let plan = PlanEntry {
            paths: PathRules {
                create: texts(&["new.txt"]),
                ..PathRules::default()
            },
            ..PlanEntry::default()
        };
        bench.release(TaskDraft {
            plan: Some(Arc::new(plan)),
            gates: vec![GateCommand {
                name: "check".to_owned(),
                command: "test ! -e check.sh || sh check.sh".to_owned(),
            }],
            ..draft("p-1", workflow, None)
        });
        leave(&mut bench, &[("new.txt", "n"), (other, "\n")]);
        (bench.stage("p-1").0.to_owned(), finding(&bench))
    };
    for workflow in ["graph", "phased"] {
        let (stage, found) = worked(workflow, "Cargo.lock");
        assert_eq!(stage, "merging", "{workflow}: {found}");
        assert!(found.contains("passed with warnings"), "{found}");
        let wanted = "low: files were changed that are not listed: Cargo.lock";
        assert!(found.contains(wanted), "{found}");
        for guarded in [
            "check.sh",
            ".gitattributes",
            ".husky/pre-commit",
            ".github/workflows/ci.yml",
        ] {
            let (stage, found) = worked(workflow, guarded);
            assert_eq!(stage, "work", "{workflow}: {found}");
            let wanted = format!("checked were changed and are not listed: {guarded}");
            assert!(found.contains(&wanted), "{found}");
        }
    }
}

#[test]
fn two_gates_of_one_name_are_told_apart_by_their_origin_and_command() {
    let mut bench = Bench::new();
    let gate = |command: &str| GateCommand {
        name: "tests".to_owned(),
        command: command.to_owned(),
    };
    let mut settings = (*bench.board.settings).clone();
    settings.gates = vec![gate("test ! -e a.txt || exit 4")];
    bench.happen(&Event::configured(settings));
    bench.release(TaskDraft {
        gates: vec![gate("exit 3")],
        ..phase(PlanEntry::default())
    });
    leave(&mut bench, &[("a.txt", "a")]);
    let found = finding(&bench);
    for wanted in [
        "critical: gate tests failed (of the plan: `exit 3`): ended with code 3",
        "critical: gate tests failed (of the settings: `test ! -e a.txt || exit 4`): ended with code 4",
    ] {
        assert!(found.contains(wanted), "{wanted}: {found}");
    }
}

#[test]
fn each_gate_that_fails_is_a_finding_of_its_own_and_two_of_them_begin_the_stage_again() {
    let mut bench = Bench::new();
    let gate = |name: &str, command: &str| GateCommand {
        name: name.to_owned(),
        command: command.to_owned(),
    };
    let gates = vec![
        gate("first", "exit 3"),
        gate("second", "exit 4"),
        gate("third", "exit 0"),
    ];
    bench.release(TaskDraft {
        gates,
        ..phase(PlanEntry::default())
    });
    let before = bench.agent("p-1").id;
    leave(&mut bench, &[("a.txt", "a")]);
    let found = finding(&bench);
    for wanted in [
        "critical: gate first failed: ended with code 3",
        "critical: gate second failed: ended with code 4",
    ] {
        assert!(found.contains(wanted), "{wanted}: {found}");
    }
    assert!(!found.contains("third"), "{found}");
    assert_ne!(bench.agent("p-1").id, before);
    assert_eq!(bench.agent("p-1").mode, dbs::domain::AttemptMode::Fresh);
}

#[test]
fn a_phase_that_begins_anew_has_a_clean_branch_and_what_was_on_it_is_kept() {
    let mut bench = Bench::new();
    let gate = |name: &str| GateCommand {
        name: name.to_owned(),
        command: "test ! -e wrong.txt".to_owned(),
    };
    bench.release(TaskDraft {
        gates: vec![gate("one"), gate("two")],
        ..phase(PlanEntry::default())
    });
    leave(&mut bench, &[("wrong.txt", "wrong")]);
    bench.tidy();
    let folder = bench.folder("p-1");
    assert!(!folder.join("wrong.txt").exists(), "{}", finding(&bench));
    let comments = bench.comments("p-1");
    let kept = comments
        .split("kept as ")
        .nth(1)
        .unwrap_or_else(|| panic!("{comments}"));
    let kept = kept.split_whitespace().next().unwrap();
    let control = bench.git.state().join("control.git");
    let text = bench.git.git(&control, &["show", &format!("{kept}:wrong.txt")]);
    assert_eq!(text.trim(), "wrong");
    let branches = bench.git.git(&bench.git.origin(), &["branch", "--list", "*p-1*"]);
    assert_eq!(branches.trim(), "", "the remote branch is gone");
    // The right work is pushed and merged, although another head stood on the branch before.
    leave(&mut bench, &[("right.txt", "right")]);
    assert_eq!(bench.stage("p-1"), ("merging", "done"), "{}", finding(&bench));
    let files = bench
        .git
        .git(&bench.git.origin(), &["ls-tree", "-r", "--name-only", "work"]);
    assert!(
        files.contains("right.txt") && !files.contains("wrong.txt"),
        "{files}"
    );
}

#[test]
fn a_person_sends_a_phase_back_to_a_clean_branch_although_its_head_was_recorded() {
    let mut bench = Bench::new();
    bench.release(TaskDraft {
        needs_approval: true,
        ..phase(PlanEntry::default())
    });
    leave(&mut bench, &[("wrong.txt", "wrong")]);
    assert_eq!(bench.stage("p-1"), ("merging", "held"), "{}", finding(&bench));
    assert!(bench.task("p-1").head.is_some());
    let patch = TaskPatch {
        stage: Some("work".into()),
        begins_anew: Some(true),
        ..TaskPatch::default()
    };
    bench.ask(Command::Update("p-1".into(), patch));
    bench.tidy();
    assert!(!bench.folder("p-1").join("wrong.txt").exists());
    assert!(bench.task("p-1").head.is_none());
}

#[test]
fn only_the_gates_that_a_stage_names_are_run_there() {
    let mut bench = Bench::new();
    let mut flows = workflows();
    for stage in flows.iter_mut().flat_map(|flow| &mut flow.stages) {
        stage.gate_names = vec!["first".to_owned()];
    }
    bench.happen(&Event::WorkflowsLoaded(flows));
    let gate = |name: &str, command: &str| GateCommand {
        name: name.to_owned(),
        command: command.to_owned(),
    };
    let gates = vec![gate("first", "exit 0"), gate("second", "exit 4")];
    bench.release(TaskDraft {
        gates,
        ..phase(PlanEntry::default())
    });
    leave(&mut bench, &[("a.txt", "a")]);
    assert_eq!(bench.stage("p-1"), ("merging", "done"), "{}", finding(&bench));
}

/// Returns a bench on which work passes when the gate `tests` fails, and only commits are checked besides.
fn red_first() -> Bench {
    let mut bench = Bench::new();
    let text = "id = \"phased\"\ntitle = \"Red first\"\nentry = \"work\"\nscan = [\"work\"]\n[limits]\nspawns = 9\n\
        [[stage]]\nid = \"work\"\nrole = \"phase-worker\"\nworkspace = \"branch\"\naccess = \"write\"\nsignals = [\"done\"]\n\
        gates = \"all\"\ngate_names = [\"tests\"]\nevidence = [\"committed\", \"commits_ahead\", { gate_fails = \"tests\" }]\n";
    let (flow, found) = dbs::formats::workflow::read(Path::new("red.toml"), text);
    let flow = flow.unwrap_or_else(|| panic!("{found:?}"));
    let mut flows = workflows();
    flows.retain(|known| known.id != flow.id);
    flows.push(flow);
    bench.happen(&Event::WorkflowsLoaded(flows));
    bench
}

#[test]
fn tests_that_must_fail_first_fail_by_a_verdict_of_their_own() {
    let looked = |command: &str| {
        let mut bench = red_first();
        let gates = vec![
            GateCommand {
                name: "tests".to_owned(),
                command: command.to_owned(),
            },
            GateCommand {
                name: "lint".to_owned(),
                command: "exit 9".to_owned(),
            },
        ];
        bench.release(TaskDraft {
            gates,
            ..phase(PlanEntry::default())
        });
        leave(&mut bench, &[("a.txt", "a")]);
        (bench.stage("p-1").1.to_owned(), finding(&bench))
    };
    assert_eq!(looked("test \"$DBS_STAGE\" = work || exit 0; exit 1").0, "done");
    for (command, why) in [
        ("exit 0", "must fail here, by its own verdict, and passes already"),
        ("no-such-program-anywhere", "so it was not run at all"),
        ("kill -9 $$", "was ended by signal 9"),
    ] {
        let (word, found) = looked(command);
        assert_eq!(word, "active", "{command}");
        assert!(found.contains(why), "{command}: {found}");
    }
}

#[test]
fn what_passes_before_the_work_is_found_out_once_and_told_to_its_first_agent() {
    let mut bench = Bench::new();
    let gate = |name: &str, command: &str| GateCommand {
        name: name.to_owned(),
        command: command.to_owned(),
    };
    bench.release(TaskDraft {
        gates: vec![gate("fine", "exit 0"), gate("made", "test -f made.txt")],
        ..phase(PlanEntry::default())
    });
    leave(&mut bench, &[("wrong.txt", "a")]);
    assert_eq!(bench.stage("p-1"), ("work", "active"), "{}", finding(&bench));
    let briefs = bench.outside.briefs.lock().unwrap().clone();
    let [first, second] = briefs.as_slice() else {
        panic!("expected two agents, got {}", briefs.len())
    };
    let told = &first.facts.gates_before;
    let names: Vec<(&str, bool)> = told
        .iter()
        .map(|gate| (gate.name.as_str(), gate.outcome == Tri::Yes))
        .collect();
    assert_eq!(names, [("fine", true), ("made", false)]);
    assert_eq!(second.facts.gates_before, []);
    assert_eq!(bench.board.attempts[&first.attempt].gates_before, *told);
}
