//! Preparation of worktrees and gates' checkouts: copies of ignored files, shared folders, the setup and its templates, ports (P33).

use std::fs;
use std::path::Path;
use std::time::Duration;

use dbs::adapters::git::GitSetup;
use dbs::adapters::workspaces::WorkspaceRules;
use dbs::domain::task::GateCommand;
use dbs::domain::{AttemptId, BoardSettings, SignalKind, Span};

use crate::bench::{Bench, draft};
use crate::git_fixture::GitFixture;

/// Returns a bench with an ignored `.env` in the person's checkout, a lock file on the base, and one gate.
fn bench(gate: &str, rules: WorkspaceRules) -> Bench {
    let git = GitFixture::new();
    let project = git.project();
    git.commit(&project, ".gitignore", ".env\n/deps/\ncache\n", "Ignore");
    git.commit(&project, "deps.lock", "1\n", "Lock");
    fs::write(project.join(".env"), "DB=here\n").unwrap();
    let setup = GitSetup::new(project, git.environment());
    let gates = vec![GateCommand {
        name: "ready".to_owned(),
        command: gate.to_owned(),
    }];
    let settings = BoardSettings {
        base: Some("work".to_owned()),
        gates,
        ..BoardSettings::default()
    };
    let bench = Bench::over(git, &setup, settings);
    *bench.rules.lock() = rules;
    bench
}

fn rules() -> WorkspaceRules {
    WorkspaceRules {
        setup_timeout: Duration::from_mins(1),
        ..WorkspaceRules::default()
    }
}

/// Returns a setup that makes `deps` from the lock file, and writes a line into a file outside of all workspaces.
fn counted(count: &Path) -> Vec<String> {
    vec![
        format!("echo run >> '{}'", count.display()),
        "mkdir -p deps && cp deps.lock deps/one".to_owned(),
    ]
}

fn runs(count: &Path) -> usize {
    fs::read_to_string(count).unwrap_or_default().lines().count()
}

/// Brings a task through its stages to its merge.
fn finish(bench: &mut Bench, id: &str) {
    bench.develop(id, &format!("{id}.txt"), "work\n");
    assert_eq!(
        bench.stage(id),
        ("reviewing", "active"),
        "{:?}",
        bench.task(id).finding
    );
    bench.last_word(id, SignalKind::Done);
    assert_eq!(bench.task(id).state.word(), "done", "{:?}", bench.task(id));
}

#[test]
fn agents_and_gates_get_copies_of_ignored_files_and_what_the_setup_makes() {
    let count = tempfile::tempdir().unwrap();
    let count = count.path().join("count");
    let gate = ". ./.env && test \"$DB\" = here && test \"$(cat deps/one)\" = 1 && echo spoilt > deps/one";
    let mut bench = bench(
        gate,
        WorkspaceRules {
            copy: vec![".env*".to_owned(), "deps.lock".to_owned()],
            setup: counted(&count),
            ..rules()
        },
    );
    bench.release(draft("t-1", "kanban", None));
    let folder = bench.folder("t-1");
    assert_eq!(fs::read_to_string(folder.join(".env")).unwrap(), "DB=here\n");
    assert_eq!(fs::read_to_string(folder.join("deps/one")).unwrap(), "1\n");
    assert_eq!(bench.git.git(&folder, &["status", "--porcelain"]), "");
    assert_eq!(runs(&count), 1);
    finish(&mut bench, "t-1");
    assert!(runs(&count) > 1, "without a key the setup runs in each workspace");
    assert_eq!(
        fs::read_to_string(bench.git.project().join(".env")).unwrap(),
        "DB=here\n"
    );
}

#[test]
fn a_workspace_with_the_same_key_is_made_from_the_template_and_no_agent_changes_that() {
    let count = tempfile::tempdir().unwrap();
    let count = count.path().join("count");
    let mut bench = bench(
        "test \"$(cat deps/one)\" = \"$(cat deps.lock)\"",
        WorkspaceRules {
            setup: counted(&count),
            key: vec!["deps.lock".to_owned()],
            ..rules()
        },
    );
    bench.release(draft("t-1", "kanban", None));
    fs::write(bench.folder("t-1").join("deps/one"), "spoilt\n").unwrap();
    finish(&mut bench, "t-1");
    assert_eq!(runs(&count), 1);
    bench.release(draft("t-2", "kanban", None));
    let folder = bench.folder("t-2");
    assert_eq!(fs::read_to_string(folder.join("deps/one")).unwrap(), "1\n");
    // An agent changes the lock file: its gates get a new setup, but no template is made of it.
    bench.git.commit(&folder, "deps.lock", "2\n", "Other packages");
    bench.last_word("t-2", SignalKind::Done);
    assert_eq!(
        bench.stage("t-2"),
        ("reviewing", "active"),
        "{:?}",
        bench.task("t-2").finding
    );
    assert!(runs(&count) > 1);
    let templates = bench.git.root().join("project.dbs/.templates");
    assert_eq!(fs::read_dir(templates).unwrap().count(), 1);
}

#[test]
fn the_setup_runs_once_for_each_content_of_the_key_and_the_last_templates_are_kept() {
    let count = tempfile::tempdir().unwrap();
    let count = count.path().join("count");
    let mut bench = bench(
        "cmp deps/one deps.lock",
        WorkspaceRules {
            setup: counted(&count),
            key: vec!["deps.lock".to_owned()],
            ..rules()
        },
    );
    let templates = bench.git.root().join("project.dbs/.templates");
    for nth in 1..=6 {
        if nth > 1 {
            bench
                .git
                .commit_on_origin("work", "deps.lock", &format!("{nth}\n"));
        }
        let id = format!("t-{nth}");
        bench.release(draft(&id, "kanban", None));
        finish(&mut bench, &id);
        assert_eq!(runs(&count), nth, "the new template is kept and used");
        assert_eq!(fs::read_dir(&templates).unwrap().count(), nth.min(4));
    }
}

#[test]
fn a_template_that_names_its_own_place_is_not_copied() {
    let count = tempfile::tempdir().unwrap();
    let count = count.path().join("count");
    let mut bench = bench(
        "test \"$(cat deps/place)\" = \"$(pwd -P)\"",
        WorkspaceRules {
            setup: vec![
                format!("echo run >> '{}'", count.display()),
                "mkdir -p deps && pwd -P > deps/place".to_owned(),
            ],
            key: vec!["deps.lock".to_owned()],
            ..rules()
        },
    );
    bench.release(draft("t-1", "kanban", None));
    let folder = bench.folder("t-1");
    let named = fs::read_to_string(folder.join("deps/place")).unwrap();
    assert_eq!(Path::new(named.trim()), folder);
    finish(&mut bench, "t-1");
}

#[test]
fn a_setup_that_fails_costs_no_attempt_and_shows_its_last_lines() {
    let mut bench = bench(
        "true",
        WorkspaceRules {
            setup: vec![
                "echo 'error: registry is down'; exit 3".to_owned(),
                "touch late".to_owned(),
            ],
            ..rules()
        },
    );
    bench.release(draft("t-1", "kanban", None));
    assert_eq!(bench.launches().len(), 0);
    assert_eq!(bench.stage("t-1"), ("development", "released"));
    assert_eq!(bench.board.infra_failures, 1);
    assert_eq!(bench.worktrees(), Vec::<String>::new());
    let told = format!("{:?}", bench.board.attempts[&AttemptId(1)]);
    assert!(
        told.contains("registry is down") && told.contains("ended with code 3"),
        "{told}"
    );
    bench.rules.lock().setup = vec!["true".to_owned()];
    bench.wait(Span::minutes(1));
    assert!(bench.folder("t-1").is_dir());
}

#[test]
fn a_setup_that_only_the_work_breaks_is_a_finding_and_the_next_agent_mends_it() {
    let mut bench = bench(
        "true",
        WorkspaceRules {
            setup: vec!["grep -q 1 deps.lock || { echo 'error: no such package'; exit 3; }".to_owned()],
            ..rules()
        },
    );
    bench.release(draft("t-1", "kanban", None));
    bench.develop("t-1", "deps.lock", "broken\n");
    let found = bench.task("t-1").finding.clone().unwrap_or_default();
    assert!(
        found.contains("ended with code 3: error: no such package") && found.contains("works on work"),
        "{found}"
    );
    assert_eq!(bench.board.infra_failures, 0);
    assert_eq!(
        bench.stage("t-1"),
        ("development", "active"),
        "the task is tried again"
    );
    let told = format!("{:?}", bench.agent("t-1").gates_before);
    assert!(
        told.contains("setup") && told.contains("no such package"),
        "{told}"
    );
    bench.develop("t-1", "deps.lock", "1 again\n");
    assert_eq!(bench.stage("t-1"), ("reviewing", "active"));
}

#[test]
fn a_setup_that_changes_tracked_files_starts_no_agent() {
    let mut bench = bench(
        "true",
        WorkspaceRules {
            setup: vec!["echo 2 > deps.lock".to_owned()],
            ..rules()
        },
    );
    bench.release(draft("t-1", "kanban", None));
    assert_eq!(bench.launches().len(), 0);
    let told = format!("{:?}", bench.board.attempts[&AttemptId(1)]);
    assert!(told.contains("deps.lock") && told.contains("npm ci"), "{told}");
}

#[test]
fn nothing_that_git_does_not_ignore_is_brought_and_nothing_through_a_link() {
    let mut bench = bench(
        "true",
        WorkspaceRules {
            copy: vec!["notes.txt".to_owned(), "secret".to_owned(), ".env".to_owned()],
            clone: vec!["deps".into()],
            ..rules()
        },
    );
    let project = bench.git.project();
    fs::write(project.join("notes.txt"), "not ignored").unwrap();
    fs::create_dir(project.join("deps")).unwrap();
    fs::write(project.join("deps/one"), "cloned").unwrap();
    fs::remove_file(project.join(".env")).unwrap();
    fs::write(bench.git.root().join("outside"), "x").unwrap();
    std::os::unix::fs::symlink(bench.git.root().join("outside"), project.join(".env")).unwrap();
    bench.release(draft("t-1", "kanban", None));
    let folder = bench.folder("t-1");
    assert!(!folder.join("notes.txt").exists() && folder.join(".env").symlink_metadata().is_err());
    assert_eq!(fs::read_to_string(folder.join("deps/one")).unwrap(), "cloned");
    fs::write(folder.join("deps/one"), "changed").unwrap();
    assert_eq!(fs::read_to_string(project.join("deps/one")).unwrap(), "cloned");
}

#[test]
fn agents_share_a_linked_folder_that_gates_do_not_see() {
    let mut bench = bench(
        "test -d cache && test ! -e cache/one",
        WorkspaceRules {
            link: vec!["cache".into()],
            ..rules()
        },
    );
    bench.release(draft("t-1", "kanban", None));
    let folder = bench.folder("t-1");
    fs::write(folder.join("cache/one"), "1").unwrap();
    assert_eq!(bench.git.git(&folder, &["status", "--porcelain"]), "");
    finish(&mut bench, "t-1");
    bench.release(draft("t-2", "kanban", None));
    assert!(bench.folder("t-2").join("cache/one").exists());
    bench.rules.lock().link = vec!["deps".into()];
    bench.release(draft("t-3", "kanban", None));
    let last = bench.board.attempts.values().next_back().unwrap();
    assert!(format!("{last:?}").contains("without a slash"), "{last:?}");
}

#[test]
fn a_task_has_the_same_ports_for_its_agents_and_its_gates() {
    let seen = tempfile::tempdir().unwrap();
    let seen = seen.path().join("seen");
    let gate = format!("echo \"$DBS_PORT_1 $DBS_PORT_2\" >> '{}'", seen.display());
    let mut bench = bench(
        &gate,
        WorkspaceRules {
            n_ports: 2,
            ..rules()
        },
    );
    bench.release(draft("t-1", "kanban", None));
    let of_agent = |bench: &Bench| {
        let env = bench.launches().last().unwrap().env.clone();
        let port = |name: &str| env.iter().find(|(own, _)| own == name).unwrap().1.clone();
        format!("{} {}", port("DBS_PORT_1"), port("DBS_PORT_2"))
    };
    let developer = of_agent(&bench);
    bench.develop("t-1", "a.txt", "work\n");
    assert_eq!(of_agent(&bench), developer);
    bench.last_word("t-1", SignalKind::Done);
    let seen = fs::read_to_string(seen).unwrap();
    assert!(
        !seen.is_empty() && seen.lines().all(|line| line == developer),
        "{seen} {developer}"
    );
}
