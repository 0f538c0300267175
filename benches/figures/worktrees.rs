//! Time until an agent has its worktree, beside `git worktree add` of the same commit in the same run: in a large repository, and in
//! projects with packages from a registry.
#![expect(clippy::unwrap_used, reason = "what cannot be set up is no measurement")]
#![expect(clippy::disallowed_methods, reason = "measures time")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::dbs::Project;
use crate::table::{Table, median};

/// Longest time for any step here.
const DEADLINE: Duration = Duration::from_mins(15);

/// An agent that notes the size of its worktree when it begins, and works once the file `go` exists.
fn script(folder: &Path) -> String {
    let body = format!(
        "du -sk . | cut -f1 > {0}/size; mv {0}/size {0}/begun-$DBS_TASK-$DBS_ROLE\n\
         while [ $DBS_ROLE = developer ] && [ ! -e {0}/go ]; do sleep 0.1; done\n{1} signal claim\n\
         if [ $DBS_ROLE = developer ]; then echo work > $DBS_TASK.txt; git add $DBS_TASK.txt; git commit -q -m Work; \
         git push -q origin HEAD; fi\n{1} signal done Worked\n",
        folder.display(),
        crate::dbs::program()
    );
    let script = folder.join("agent.sh");
    fs::write(&script, body).unwrap();
    script.display().to_string()
}

/// Releases a task, and waits until its first agent runs.
fn reach(project: &Project, folder: &Path, task: u32) -> Duration {
    let (title, id) = (format!("Task {task}"), format!("t-{task}"));
    let mark = folder.join(format!("begun-{id}-developer"));
    let began = Instant::now();
    project.dbs(&["task", "create", &title, "--id", &id, "--release"]);
    project.wait_until("an agent", DEADLINE, || mark.exists());
    began.elapsed()
}

fn until_done(project: &Project, tasks: u64) {
    project.wait_until("the end of the tasks", DEADLINE, || {
        project.count("done") == tasks
    });
}

/// Time of `git worktree add` of the checked-out commit, the median of three.
fn worktree_add(project: &Project) -> Duration {
    let place = project.root().join("alone");
    let place = place.to_str().unwrap();
    let times = (0..3).map(|_| {
        let began = Instant::now();
        project.git(&["worktree", "add", "-q", "--detach", place]);
        let taken = began.elapsed();
        project.git(&["worktree", "remove", "--force", place]);
        taken
    });
    median(times.collect())
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

/// A repository with very many files: the first task, a second one beside it, and one after both.
pub(crate) fn large(table: &mut Table) {
    let files = table.sizes.of(100_000, 2_000);
    let folder = tempfile::tempdir().unwrap();
    let project = Project::new(&format!(
        "max_total_agents = 2\n[limits]\nlinger = 1\n[disk]\nmin_free = 0\n[roles.default]\nagent = \"custom\"\ncommand = \"sh {}\"\n",
        script(folder.path())
    ));
    for number in 0..files {
        let place = project.path().join(format!("src/{}", number / 100));
        fs::create_dir_all(&place).unwrap();
        fs::write(
            place.join(format!("{number}.txt")),
            format!("file {number}\n").repeat(20),
        )
        .unwrap();
    }
    project.publish(&["src"]);
    let alone = worktree_add(&project);
    project.server();
    let (first, second) = (
        reach(&project, folder.path(), 1),
        reach(&project, folder.path(), 2),
    );
    fs::write(folder.path().join("go"), "").unwrap();
    until_done(&project, 2);
    let third = reach(&project, folder.path(), 3);
    let again = worktree_add(&project);
    table.row(
        format!("a release → the agent runs, {files} files: first task, a second beside it, one after both (`git worktree add` before and after)"),
        "1.5 times `git worktree add`, but for the first",
        format!(
            "{}, {}, {} ({}, {})",
            seconds(first),
            seconds(second),
            seconds(third),
            seconds(alone),
            seconds(again)
        ),
        "–",
    );
}

/// A typical project of one kind.
struct Kind {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// Command that writes the lock file.
    lock: &'static str,
    gate: &'static str,
}

const KINDS: [Kind; 3] = [
    Kind {
        name: "Node, package-lock.json",
        files: &[
            (".gitignore", "node_modules/\n"),
            (
                "package.json",
                r#"{ "name": "shop", "version": "1.0.0", "dependencies": { "express": "4.19.2" } }"#,
            ),
        ],
        lock: "npm install --package-lock-only",
        gate: "node -e \"require('express')\"",
    },
    Kind {
        name: "Python, requirements.txt",
        files: &[
            (".gitignore", ".venv/\n"),
            ("requirements.txt", "jinja2==3.1.4\nmarkupsafe==2.1.5\n"),
        ],
        lock: "true",
        gate: ".venv/bin/python -c 'import jinja2'",
    },
    Kind {
        name: "Rust workspace, Cargo.lock",
        files: &[
            (".gitignore", "target/\n"),
            (
                "Cargo.toml",
                "[workspace]\nmembers = [\"shop\", \"till\"]\nresolver = \"2\"\n",
            ),
            (
                "shop/Cargo.toml",
                "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\ntill = { path = \"../till\" }\n",
            ),
            (
                "shop/src/lib.rs",
                "pub fn sum() -> String {\n    till::text(3)\n}\n",
            ),
            (
                "till/Cargo.toml",
                "[package]\nname = \"till\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nitoa = \"1\"\nserde_json = \"1\"\n",
            ),
            (
                "till/src/lib.rs",
                "pub fn text(number: u32) -> String {\n    itoa::Buffer::new().format(number).to_owned()\n}\n",
            ),
        ],
        lock: "cargo generate-lockfile",
        gate: "cargo test -q --locked",
    },
];

/// Three projects whose gates need packages from a registry, prepared as `dbs init` proposes; measured only if named, because they need the
/// network.
pub(crate) fn projects(table: &mut Table) {
    for kind in KINDS {
        project(table, &kind);
    }
}

fn project(table: &mut Table, kind: &Kind) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("go"), "").unwrap();
    let project = Project::new(&format!(
        "max_total_agents = 1\n[limits]\nlinger = 1\n[disk]\nmin_free = 0\n[roles.default]\nagent = \"custom\"\ncommand = \"sh {}\"\n",
        script(folder.path())
    ));
    for (name, text) in kind.files {
        let path = project.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    project.sh(kind.lock);
    project.publish(&["."]);
    project.dbs(&["init", "--yes"]);
    project.dbs(&["config", "gates.test", kind.gate]);
    let alone = worktree_add(&project);
    project.server();
    let began = Instant::now();
    let first = reach(&project, folder.path(), 1);
    until_done(&project, 1);
    let done = began.elapsed();
    let tasks = table.sizes.of(10, 2);
    let mut last = first;
    for task in 2..=tasks {
        last = reach(&project, folder.path(), task);
        until_done(&project, u64::from(task));
    }
    let size = fs::read_to_string(folder.path().join(format!("begun-t-{tasks}-developer"))).unwrap();
    table.row(
        format!("{}: a release → the agent runs, first and {tasks}th task; first task done; disk of a worktree (`git worktree add`)", kind.name),
        "–",
        format!(
            "{}, {}; {}; {} KiB ({})",
            seconds(first),
            seconds(last),
            seconds(done),
            size.trim(),
            seconds(alone)
        ),
        "–",
    );
}
