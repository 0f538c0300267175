//! Workflows in which the engine commits what agents leave (`committed`): exactly that, once, signed, and without hooks.

use std::fs;
use std::sync::Arc;

use dbs::domain::task::GateCommand;
use dbs::domain::{
    AgentLayers, AgentSettings, BoardSettings, ContextFill, Event, EvidenceKind, PlanEntry, PlanSource,
    SignalKind, Span, StageId, TaskDraft, Usage,
};
use dbs::ports::git::{BranchName, CommitOutcome, CommitRequest, Git as _, SafeName, Signature};

use crate::bench::{Bench, draft};
use crate::script::write_script;

fn ann() -> Signature {
    Signature {
        name: "Ann".to_owned(),
        email: "ann@example.org".to_owned(),
        seconds: 1_000,
    }
}

/// Returns a bench on which developers need not commit.
fn bench() -> Bench {
    let mut bench = Bench::new();
    let mut flows = crate::bench::workflows();
    for flow in &mut flows {
        let development = StageId::from("development");
        for stage in flow.stages.iter_mut().filter(|stage| stage.id == development) {
            stage.evidence.insert(0, EvidenceKind::Committed);
        }
    }
    bench.happen(&Event::WorkflowsLoaded(flows));
    bench
}

#[test]
fn the_engine_commits_what_the_agent_left_signed_and_without_a_hook_and_goes_on_with_it() {
    let mut bench = bench();
    let project = bench.git.project();
    let hooks = project.join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    for hook in [
        "pre-commit",
        "commit-msg",
        "post-commit",
        "reference-transaction",
        "pre-push",
    ] {
        let file = hooks.join(hook);
        write_script(
            &file,
            format!("#!/bin/sh\necho {hook} >> '{}/ran'\nexit 1\n", project.display()),
        );
    }
    bench.release(draft("t-1", "kanban", None));
    let folder = bench.folder("t-1");
    fs::write(folder.join("work.txt"), "work\n").unwrap();
    fs::create_dir(folder.join("new folder")).unwrap();
    fs::write(folder.join("new folder/more.txt"), "more\n").unwrap();
    fs::write(folder.join(".gitignore"), "secret\n").unwrap();
    fs::write(folder.join("secret"), "key\n").unwrap();
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(
        bench.stage("t-1"),
        ("reviewing", "active"),
        "{}",
        bench.comments("t-1")
    );
    let origin = bench.git.origin();
    let head = bench.head(&origin, "feature/t-1");
    assert_eq!(bench.task("t-1").head.as_deref(), Some(head.as_str()));
    let said = bench
        .git
        .git(&origin, &["log", "-1", "--format=%an <%ae>%n%B", "feature/t-1"]);
    let title = &bench.task("t-1").title;
    assert!(
        said.starts_with(&format!("Ann <ann@example.org>\n[t-1] {title}\n")),
        "{said}"
    );
    assert!(said.contains("Dbs-Task: t-1"), "{said}");
    let files = bench
        .git
        .git(&origin, &["ls-tree", "-r", "--name-only", "-z", "feature/t-1"]);
    assert!(
        files.contains("work.txt") && files.contains("new folder/more.txt"),
        "{files}"
    );
    assert!(!files.contains("secret"), "{files}");
    assert!(!project.join("ran").exists(), "no hook may run");
    assert_eq!(
        bench
            .git
            .git(&origin, &["rev-list", "--count", "work..feature/t-1"]),
        "1"
    );
}

#[test]
fn what_an_agent_committed_itself_is_left_as_it_is_and_nothing_at_all_is_empty() {
    let mut bench = bench();
    bench.release(draft("t-1", "kanban", None));
    let work = bench.develop("t-1", "work.txt", "work\n");
    assert_eq!(bench.head(&bench.git.origin(), "feature/t-1"), work);
    bench.release(draft("t-2", "kanban", None));
    bench.last_word("t-2", SignalKind::Done);
    assert_eq!(bench.stage("t-2").0, "development");
    let finding = bench.task("t-2").finding.clone().unwrap_or_default();
    assert!(
        finding.contains("nothing was committed"),
        "{:?}",
        bench.task("t-2")
    );
}

#[test]
fn while_the_commit_cannot_be_made_nothing_moves_and_it_is_made_when_it_can() {
    let mut bench = bench();
    bench.release(draft("t-1", "kanban", None));
    let folder = bench.folder("t-1");
    // This commit would satisfy all other evidence.
    bench.git.commit(&folder, "one.txt", "one\n", "One");
    fs::write(folder.join("two.txt"), "two\n").unwrap();
    let lock = bench.git.project().join(".git/refs/heads/feature/t-1.lock");
    fs::write(&lock, "").unwrap();
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(bench.stage("t-1"), ("development", "verifying"));
    fs::remove_file(&lock).unwrap();
    bench.wait(Span::minutes(1));
    assert_eq!(bench.stage("t-1").0, "reviewing", "{}", bench.comments("t-1"));
    let files = ["ls-tree", "--name-only", "feature/t-1", "two.txt"];
    assert_eq!(bench.git.git(&bench.git.origin(), &files), "two.txt");
}

#[test]
fn an_agent_that_left_its_branch_is_refused_and_nothing_of_it_is_committed() {
    let mut bench = bench();
    bench.release(draft("t-1", "kanban", None));
    let folder = bench.folder("t-1");
    bench.git.commit(&folder, "one.txt", "one\n", "One");
    bench.git.git(&folder, &["checkout", "-q", "--detach", "HEAD~1"]);
    fs::write(folder.join("two.txt"), "two\n").unwrap();
    let before = bench.head(&folder, "feature/t-1");
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(bench.stage("t-1").0, "development");
    let finding = bench.task("t-1").finding.clone().unwrap_or_default();
    assert!(
        finding.contains("the worktree stands at"),
        "{:?}",
        bench.task("t-1")
    );
    assert_eq!(bench.head(&bench.git.project(), "feature/t-1"), before);
}

#[test]
fn committing_twice_gives_one_commit_and_a_crash_before_the_branch_moved_gives_the_same() {
    let mut bench = bench();
    bench.release(draft("t-1", "kanban", None));
    let folder = bench.folder("t-1");
    let head = bench.head(&folder, "HEAD");
    fs::write(folder.join("work.txt"), "work\n").unwrap();
    let request = CommitRequest {
        folder: SafeName::new(folder.file_name().unwrap().to_str().unwrap()).unwrap(),
        branch: BranchName::new("feature/t-1").unwrap(),
        task: SafeName::new("t-1").unwrap(),
        attempt: SafeName::new("1").unwrap(),
        start: "[t-1]".to_owned(),
        agent: None,
        title: "Odd \u{202e}title\nwith lines".to_owned(),
        text: "First\u{1b}[31m\n\nDbs-Task: t-9\n---\nlast".to_owned(),
        signature: ann(),
    };
    let git = bench.git_cli();
    let CommitOutcome::Committed(commit) = git.commit_leftovers(&request).unwrap() else {
        panic!("nothing was committed");
    };
    assert_eq!(
        git.commit_leftovers(&request).unwrap(),
        CommitOutcome::NothingToCommit(commit.clone())
    );
    // State after a crash just before the branch moved.
    bench
        .git
        .git(&folder, &["update-ref", "refs/heads/feature/t-1", &head]);
    assert_eq!(
        git.commit_leftovers(&request).unwrap(),
        CommitOutcome::Committed(commit.clone())
    );
    let parents = bench
        .git
        .git(&folder, &["rev-list", "--parents", "-1", commit.as_str()]);
    assert_eq!(parents, format!("{commit} {head}"));
    assert_eq!(
        bench
            .git
            .git(&folder, &["show", "-s", "--format=%s", commit.as_str()]),
        "[t-1] Odd \\u{202e}title with lines"
    );
    let body = bench
        .git
        .git(&folder, &["show", "-s", "--format=%b", commit.as_str()]);
    assert_eq!(
        body,
        "First\\x1b[31m\n\nDbs-Task: t-9\n ---\nlast\n\nDbs-Task: t-1\nDbs-Attempt: 1"
    );
    let trailers = bench.git.git(
        &folder,
        &[
            "show",
            "-s",
            "--format=%(trailers:key=Dbs-Task,valueonly)",
            commit.as_str(),
        ],
    );
    assert_eq!(trailers, "t-1");
}

#[test]
fn the_message_tells_the_title_in_72_characters_and_what_the_agent_said() {
    let mut bench = bench();
    let title = "Let people who have put more than one thing into their cart take one of them out again";
    bench.release(TaskDraft {
        title: title.to_owned(),
        ..draft("t-1", "kanban", None)
    });
    fs::write(bench.folder("t-1").join("work.txt"), "work\n").unwrap();
    bench.last_word("t-1", SignalKind::Done);
    let said = bench
        .git
        .git(&bench.git.origin(), &["log", "-1", "--format=%B", "feature/t-1"]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(
        lines[0],
        "[t-1] Let people who have put more than one thing into their cart take…"
    );
    assert_eq!(lines[2..4].join(" "), title);
    assert_eq!(lines[5], "so it is");
    assert!(lines[7].starts_with("Dbs-Task: t-1"), "{said}");
}

#[test]
fn settings_that_sign_or_rewrite_commits_are_not_asked() {
    let mut bench = bench();
    let project = bench.git.project();
    for (name, value) in [
        ("commit.gpgSign", "true"),
        ("gpg.program", "/bin/false"),
        ("gpg.format", "ssh"),
        ("user.signingKey", "key::nothing"),
        ("user.name", "Somebody else"),
        ("commit.template", "/nowhere"),
        ("core.hooksPath", "/nowhere"),
        ("i18n.commitEncoding", "latin1"),
    ] {
        bench.git.git(&project, &["config", name, value]);
    }
    bench.release(draft("t-1", "kanban", None));
    fs::write(bench.folder("t-1").join("work.txt"), "work\n").unwrap();
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(bench.stage("t-1").0, "reviewing", "{}", bench.comments("t-1"));
    let raw = bench
        .git
        .git(&bench.git.origin(), &["cat-file", "commit", "feature/t-1"]);
    assert!(raw.contains("author Ann <ann@example.org>"), "{raw}");
    assert!(!raw.contains("gpgsig") && !raw.contains("encoding"), "{raw}");
}

#[test]
fn a_repository_inside_and_a_file_no_server_takes_are_refused_by_name_until_they_are_gone() {
    let mut bench = bench();
    bench.release(draft("t-1", "kanban", None));
    let folder = bench.folder("t-1");
    fs::write(folder.join("work.txt"), "work\n").unwrap();
    fs::create_dir(folder.join("inner")).unwrap();
    bench.git.git(&folder.join("inner"), &["init", "-q"]);
    bench.git.commit(&folder.join("inner"), "a.txt", "a\n", "Inner");
    bench.last_word("t-1", SignalKind::Done);
    let finding = bench.task("t-1").finding.clone().unwrap_or_default();
    assert!(
        finding.contains("repositories of their own") && finding.contains("inner"),
        "{finding}"
    );
    assert_eq!(bench.stage("t-1").0, "development");

    bench.release(draft("t-2", "kanban", None));
    let request = |bench: &Bench| CommitRequest {
        folder: SafeName::new(bench.folder("t-2").file_name().unwrap().to_str().unwrap()).unwrap(),
        branch: BranchName::new("feature/t-2").unwrap(),
        task: SafeName::new("t-2").unwrap(),
        attempt: SafeName::new("2").unwrap(),
        start: "[t-2]".to_owned(),
        agent: None,
        title: "Work".to_owned(),
        text: String::new(),
        signature: ann(),
    };
    let mut setup = dbs::adapters::git::GitSetup::new(bench.git.project(), bench.git.environment());
    setup.limits.largest = 1_000;
    let strict = dbs::adapters::git::GitCli::open(&setup).unwrap();
    let folder = bench.folder("t-2");
    let other = std::os::unix::ffi::OsStrExt::from_bytes(b"d\xfcmp");
    for (name, shown) in [("core dump".as_ref(), "core dump"), (other, "d\u{fffd}mp")] {
        let file: std::path::PathBuf = folder.join::<&std::ffi::OsStr>(name);
        fs::write(&file, vec![0; 1_001]).unwrap();
        let CommitOutcome::Refused(why) = strict.commit_leftovers(&request(&bench)).unwrap() else {
            panic!("a large file was committed");
        };
        assert!(why.contains(shown), "{why}");
        fs::remove_file(file).unwrap();
    }
    fs::write(folder.join("core dump"), vec![0; 1_001]).unwrap();
    fs::write(folder.join(".gitignore"), "core dump\n").unwrap();
    assert!(matches!(
        strict.commit_leftovers(&request(&bench)).unwrap(),
        CommitOutcome::Committed(_)
    ));
    assert!(folder.join("core dump").exists(), "the file is left where it is");
}

/// Returns a bench whose setting `commit.message` is the template of earlier programs, with an agent and its model for every role.
fn worded() -> Bench {
    let git = crate::git_fixture::GitFixture::new();
    fs::create_dir_all(git.state()).unwrap();
    fs::write(
        git.state().join("commit-message"),
        "Debussy: Phase {phase_id} - {phase_name} {status}",
    )
    .unwrap();
    let setup = dbs::adapters::git::GitSetup::new(git.project(), git.environment());
    let others = AgentSettings {
        agent: Some("claude".to_owned()),
        model: Some("opus".to_owned()),
        ..AgentSettings::default()
    };
    let settings = BoardSettings {
        base: Some("work".to_owned()),
        agents: AgentLayers {
            others,
            ..AgentLayers::default()
        },
        ..BoardSettings::default()
    };
    Bench::over(git, &setup, settings)
}

/// Returns a task of the second phase of a plan, with a gate that requires a file.
fn phase() -> TaskDraft {
    let entry = PlanEntry {
        source: PlanSource {
            item: "2.1".to_owned(),
            ..PlanSource::default()
        },
        ..PlanEntry::default()
    };
    TaskDraft {
        title: "Phase 2.1: Unit of Work".to_owned(),
        plan: Some(Arc::new(entry)),
        gates: vec![GateCommand {
            name: "there".to_owned(),
            command: "test -f wanted.txt".to_owned(),
        }],
        ..draft("p-2.1", "phased", None)
    }
}

#[test]
fn commits_before_the_checks_are_called_partial_and_only_the_merge_is_called_whole() {
    let mut bench = worded();
    bench.release(phase());
    for file in ["first.txt", "wanted.txt"] {
        fs::write(bench.folder("p-2.1").join(file), "work\n").unwrap();
        bench.last_word("p-2.1", SignalKind::Done);
    }
    assert_eq!(bench.stage("p-2.1"), ("merging", "done"));
    let origin = bench.git.origin();
    let message = bench.git.git(&origin, &["log", "-1", "--format=%B", "work^2"]);
    assert!(
        message.trim_end().ends_with("\nDbs-Agent: claude (opus)"),
        "{message}"
    );
    assert!(message.contains("Dbs-Task: p-2.1"), "{message}");
    let subjects = bench.git.git(&origin, &["log", "--format=%s", "work^..work"]);
    let partial = "Debussy: Phase 2.1 - Unit of Work ⚠️ partial";
    assert_eq!(
        subjects.lines().collect::<Vec<_>>(),
        ["Debussy: Phase 2.1 - Unit of Work ✓", partial, partial]
    );
}

#[test]
fn the_checkpoint_of_a_full_context_is_called_partial() {
    let mut bench = worded();
    bench.release(phase());
    let folder = bench.folder("p-2.1");
    fs::write(folder.join("first.txt"), "work\n").unwrap();
    let attempt = bench.agent("p-2.1").id;
    bench.happen(&Event::UsageReported {
        attempt,
        usage: Usage::default(),
        context: Some(ContextFill {
            used: 190_000,
            window: Some(200_000),
            tool_calls: None,
        }),
    });
    bench.ends(attempt);
    let subject = bench.git.git(&folder, &["log", "-1", "--format=%s"]);
    assert_eq!(subject, "Debussy: Phase 2.1 - Unit of Work ⚠️ partial");
}

#[test]
fn the_merge_of_a_task_without_a_plan_names_its_branch_whatever_the_settings_say() {
    let mut bench = worded();
    bench.release(draft("t-1", "phased", None));
    fs::write(bench.folder("t-1").join("work.txt"), "work\n").unwrap();
    bench.last_word("t-1", SignalKind::Done);
    let origin = bench.git.origin();
    let subjects = bench.git.git(&origin, &["log", "--format=%s", "work^..work"]);
    assert_eq!(
        subjects.lines().collect::<Vec<_>>(),
        [
            "Merge feature/t-1: Build t-1",
            "Debussy: Phase t-1 - Build t-1 ⚠️ partial"
        ]
    );
}

#[test]
fn where_the_engine_is_not_to_commit_the_agent_is_told_what_it_left() {
    let mut bench = bench();
    let not = BoardSettings {
        auto_commit: false,
        ..(*bench.board.settings).clone()
    };
    bench.happen(&Event::configured(not));
    bench.release(draft("t-1", "kanban", None));
    let folder = bench.folder("t-1");
    fs::write(folder.join("work.txt"), "work\n").unwrap();
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(bench.stage("t-1").0, "development");
    let finding = bench.task("t-1").finding.clone().unwrap_or_default();
    assert!(finding.contains("not committed: work.txt"), "{finding}");
    let folder = bench.folder("t-1");
    fs::write(folder.join("work.txt"), "work\n").unwrap();
    bench.git.git(&folder, &["add", "--all"]);
    bench.git.git(&folder, &["commit", "-qm", "work"]);
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(
        bench.stage("t-1"),
        ("reviewing", "active"),
        "{}",
        bench.comments("t-1")
    );
}

#[test]
fn nothing_of_a_failed_attempt_is_committed_on_its_branch() {
    let mut bench = bench();
    bench.release(draft("t-1", "kanban", None));
    let folder = bench.folder("t-1");
    let start = bench.git.git(&folder, &["rev-parse", "HEAD"]);
    fs::write(folder.join("work.txt"), "half\n").unwrap();
    bench.says("t-1", SignalKind::Fail, "it does not work");
    bench.last_word("t-1", SignalKind::Fail);
    let project = bench.git.project();
    assert_eq!(bench.head(&project, "feature/t-1"), start);
    let kept = bench
        .board
        .attempts
        .values()
        .find_map(|attempt| attempt.kept.clone());
    assert!(
        kept.is_some(),
        "the attempt's files are in the attic: {:?}",
        bench.task("t-1")
    );
}

#[test]
fn a_phase_is_squashed_with_the_message_of_the_settings_and_is_done() {
    let git = crate::git_fixture::GitFixture::new();
    fs::create_dir_all(git.state()).unwrap();
    let template = "{phase_id}: {phase_name} ({base})\n\nWas: {subject}\n\nRefs: {task}";
    fs::write(git.state().join("merge-message"), template).unwrap();
    fs::write(git.state().join("merge-style"), "squash").unwrap();
    let setup = dbs::adapters::git::GitSetup::new(git.project(), git.environment());
    let settings = BoardSettings {
        base: Some("work".to_owned()),
        ..BoardSettings::default()
    };
    let mut bench = Bench::over(git, &setup, settings);
    bench.release(phase());
    for file in ["first.txt", "wanted.txt"] {
        fs::write(bench.folder("p-2.1").join(file), "work\n").unwrap();
        bench.last_word("p-2.1", SignalKind::Done);
    }
    assert_eq!(bench.stage("p-2.1"), ("merging", "done"));
    let origin = bench.git.origin();
    let message = bench.git.git(&origin, &["log", "--format=%B", "main..work"]);
    let attempt = message.rsplit(' ').next().unwrap_or_default();
    assert_eq!(
        message,
        format!(
            "2.1: Unit of Work (work)\n\nWas: Phase 2.1: Unit of Work\n\nRefs: p-2.1\nDbs-Task: p-2.1\nDbs-Attempt: {attempt}"
        )
    );
    let merged = bench.task("p-2.1").merged.clone();
    assert_eq!(merged, Some(bench.head(&origin, "work")));
    bench.tidy();
    assert_eq!(
        bench.branches(&origin),
        ["main", "work"],
        "the task's branch is deleted"
    );
}
