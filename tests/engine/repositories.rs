//! Repositories of unusual shapes: in each, a task, a phase, a task of a graph that meets a conflict, and a story are merged with the right
//! bytes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dbs::adapters::gates::{RecordedGates, ShellGates};
use dbs::adapters::git::{GitSetup, RemoteChoice};
use dbs::domain::task::GateCommand;
use dbs::domain::{BoardSettings, Command, HoldReason, SignalKind, Span, TaskId, TaskState};

use crate::bench::{Bench, draft};
use crate::git_fixture::GitFixture;
use crate::script::write_script;
use crate::shapes::{clone_anew, name_author, with_nested_submodule, with_submodule};
use crate::stories::{STORY_FILES, add_story, leave, story};

/// File name that needs care wherever names are passed on.
const NAME: &str = "-n \"\u{fc} u\u{308} \u{5d0}' $(x).txt";

/// Returns a project with some history: two folders, and a file of the base that a task will change.
fn usual() -> GitFixture {
    grown(GitFixture::new())
}

fn grown(fixture: GitFixture) -> GitFixture {
    let project = fixture.project();
    for file in ["in/a.txt", "out/b.txt", "same.txt"] {
        fixture.commit(&project, file, "text\n", "More");
    }
    add_story(&fixture);
    fixture.git(&project, &["push", "-q", "origin", "main"]);
    fixture
}

/// Returns a project and its origin, made with those options of `git init`, with one commit.
fn made_with(options: &[&str]) -> GitFixture {
    let fixture = GitFixture::unborn_with(options);
    fixture.commit(&fixture.project(), "README.md", "hello\n", "First");
    fixture.git(&fixture.project(), &["push", "-q", "origin", "main"]);
    fixture
}

/// Recreates the project as a worktree of a bare clone.
fn lay_out_bare(fixture: &GitFixture) {
    let (project, bare) = (fixture.project(), fixture.root().join("bare.git"));
    fs::remove_dir_all(&project).unwrap();
    let clone = ["clone", "-q", "--bare", "origin.git", "bare.git"];
    fixture.git(&fixture.root(), &clone);
    let fetch = "+refs/heads/*:refs/remotes/origin/*";
    fixture.git(&bare, &["config", "remote.origin.fetch", fetch]);
    fixture.git(
        &bare,
        &["worktree", "add", "-q", project.to_str().unwrap(), "main"],
    );
    name_author(fixture);
}

struct Works {
    bench: Bench,
    has_remote: bool,
}

impl Works {
    fn new(fixture: GitFixture, remote: RemoteChoice) -> Works {
        Works::checked(fixture, remote, None)
    }

    /// Returns the works with a gate.
    fn checked(fixture: GitFixture, remote: RemoteChoice, gate: Option<&str>) -> Works {
        let has_remote = remote != RemoteChoice::Control;
        fixture.git(&fixture.project(), &["branch", "-f", "work"]);
        let setup = GitSetup {
            remote,
            ..GitSetup::new(fixture.project(), fixture.environment())
        };
        let gate = gate.map(|command| GateCommand {
            name: "check".to_owned(),
            command: command.to_owned(),
        });
        let settings = BoardSettings {
            base: Some("work".to_owned()),
            gates: gate.into_iter().collect(),
            ..BoardSettings::default()
        };
        let gates = Arc::new(RecordedGates(ShellGates::default()));
        Works {
            bench: Bench::judged((fixture, &setup), settings, gates),
            has_remote,
        }
    }

    /// Returns the text of a file of the base.
    fn on_base(&self, file: &str) -> String {
        let folder = self.merged_repository();
        self.bench.git.git(&folder, &["show", &format!("work:{file}")])
    }

    /// Returns the repository whose base branch has the merged work.
    fn merged_repository(&self) -> PathBuf {
        let git = &self.bench.git;
        if self.has_remote {
            git.origin()
        } else {
            git.state().join("control.git")
        }
    }

    fn assert_done(&self, id: &str) {
        let bench = &self.bench;
        let (state, attempts) = (bench.task(id).state.word(), &bench.board.attempts);
        assert_eq!(state, "done", "{id}: {} {attempts:?}", bench.comments(id));
    }

    /// Develops, reviews and merges a task.
    fn do_task(&mut self) {
        self.bench.release(draft("t-1", "kanban", None));
        self.bench.develop("t-1", NAME, "task\n");
        self.bench.last_word("t-1", SignalKind::Done);
        self.assert_done("t-1");
        assert_eq!(self.on_base(NAME), "task");
    }

    /// Does a phase whose agent leaves its files to the engine to commit.
    fn do_phase(&mut self) {
        self.bench.release(draft("p-1", "phased", None));
        let file = self.bench.folder("p-1").join("in/phase.txt");
        fs::write(file, "phase\n").unwrap();
        self.bench.last_word("p-1", SignalKind::Done);
        self.assert_done("p-1");
        assert_eq!(self.on_base("in/phase.txt"), "phase");
    }

    /// Does two tasks of a graph that change the same line; the second one meets the first at its merge.
    fn do_graph(&mut self) {
        for id in ["g-1", "g-2"] {
            self.bench.release(draft(id, "graph", None));
        }
        for id in ["g-1", "g-2"] {
            let file = self.bench.folder(id).join("same.txt");
            fs::write(file, format!("{id}\n")).unwrap();
        }
        self.bench.last_word("g-1", SignalKind::Done);
        self.assert_done("g-1");
        self.bench.last_word("g-2", SignalKind::Done);
        assert_eq!(
            self.bench.stage("g-2"),
            ("merging", "active"),
            "{}",
            self.bench.comments("g-2")
        );
        let (git, folder) = (&self.bench.git, self.bench.folder("g-2"));
        let merged = self.merged_repository();
        git.git(&folder, &["fetch", "-q", merged.to_str().unwrap(), "work"]);
        assert!(
            !git.try_git(&folder, &["merge", "-q", "FETCH_HEAD"])
                .status
                .success()
        );
        git.commit(&folder, "same.txt", "g-1\ng-2\n", "Resolve");
        self.bench.last_word("g-2", SignalKind::Done);
        self.assert_done("g-2");
        assert_eq!(self.on_base("same.txt"), "g-1\ng-2");
    }

    /// Does a story whose tests are written first.
    fn do_story(&mut self) {
        self.bench.release(story());
        for (file, text) in STORY_FILES {
            leave(&mut self.bench, &[(file, Some(text))]);
        }
        self.assert_done("US-001");
        for (file, text) in STORY_FILES {
            assert_eq!(self.on_base(file), text.trim());
        }
        let listed = ["ls-tree", "-r", "--name-only", "work", "prds/"];
        let listed = self.bench.git.git(&self.merged_repository(), &listed);
        assert_eq!(listed, "prds/archive/001-FEAT-health.json");
    }

    /// Asserts that no earlier file is lost and that the person's checkout is unchanged.
    fn assert_whole(&self) {
        for file in ["README.md", "in/a.txt", "out/b.txt"] {
            assert!(!self.on_base(file).is_empty(), "{file}");
        }
        let git = &self.bench.git;
        assert_eq!(git.git(&git.project(), &["status", "--porcelain"]), "");
        git.git(&git.state().join("control.git"), &["fsck", "--connectivity-only"]);
    }
}

fn all_works_are_done(fixture: GitFixture, remote: RemoteChoice) {
    do_all(&mut Works::new(fixture, remote));
}

fn do_all(works: &mut Works) {
    works.do_task();
    works.do_phase();
    works.do_graph();
    works.do_story();
    works.assert_whole();
    works.bench.tidy();
    assert_eq!(works.bench.worktrees(), Vec::<String>::new());
}

#[test]
fn a_sparse_checkout() {
    for remote in [RemoteChoice::default(), RemoteChoice::Control] {
        let fixture = usual();
        fixture.git(&fixture.project(), &["sparse-checkout", "set", "in"]);
        all_works_are_done(fixture, remote);
    }
}

#[test]
fn a_partial_clone() {
    for filter in ["--filter=blob:none", "--filter=tree:0"] {
        let fixture = usual();
        clone_anew(&fixture, &[filter]);
        all_works_are_done(fixture, RemoteChoice::default());
    }
}

#[test]
fn a_shallow_clone() {
    let fixture = usual();
    clone_anew(&fixture, &["--depth=1"]);
    all_works_are_done(fixture, RemoteChoice::default());
}

#[test]
fn a_worktree_of_a_bare_repository() {
    for remote in [RemoteChoice::default(), RemoteChoice::Control] {
        let fixture = usual();
        lay_out_bare(&fixture);
        all_works_are_done(fixture, remote);
    }
}

#[test]
fn long_object_ids() {
    all_works_are_done(
        grown(made_with(&["--object-format=sha256"])),
        RemoteChoice::default(),
    );
}

#[test]
fn refs_in_tables() {
    for remote in [RemoteChoice::default(), RemoteChoice::Control] {
        all_works_are_done(grown(made_with(&["--ref-format=reftable"])), remote);
    }
}

/// Uses a repository as jj leaves it when it shares one with git.
#[test]
fn a_detached_head_beside_a_folder_of_another_tool() {
    for remote in [RemoteChoice::default(), RemoteChoice::Control] {
        let fixture = usual();
        let project = fixture.project();
        fixture.git(&project, &["checkout", "-q", "--detach"]);
        fs::create_dir(project.join(".jj")).unwrap();
        fs::write(project.join(".jj/.gitignore"), "/*\n").unwrap();
        all_works_are_done(fixture, remote);
    }
}

#[test]
fn worktrees_with_relative_paths() {
    let fixture = usual();
    fixture.git(
        &fixture.project(),
        &["config", "worktree.useRelativePaths", "true"],
    );
    all_works_are_done(fixture, RemoteChoice::default());
}

#[test]
fn no_remote() {
    all_works_are_done(usual(), RemoteChoice::Control);
}

#[test]
fn a_protected_base_holds_each_kind_of_work_in_its_turn_until_it_opens() {
    type Work = fn(&mut Works);
    let works: [(&str, &str, Work); 2] = [
        ("p-1", "phased", Works::do_phase),
        ("t-1", "kanban", Works::do_task),
    ];
    for (id, flow, others) in works {
        let mut works = Works::new(usual(), RemoteChoice::default());
        let hook = works.bench.git.origin().join("hooks/pre-receive");
        let text = "#!/bin/sh\nif grep -q 'refs/heads/work$'; then echo 'work takes pull requests only' >&2; exit 1; fi\n";
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        write_script(&hook, text);
        works.bench.release(draft("first", flow, None));
        works.bench.develop("first", "first.txt", "first\n");
        if flow == "kanban" {
            works.bench.last_word("first", SignalKind::Done);
        }
        let state = works.bench.task("first").state.clone();
        assert!(
            matches!(&state, TaskState::Held(HoldReason::BaseClosed(why)) if why.starts_with("work takes pull requests only")),
            "{id}: {state:?}"
        );
        fs::remove_file(hook).unwrap();
        works.bench.ask(Command::Retry {
            task: TaskId::from("first"),
            stage: None,
            note: None,
        });
        works.assert_done("first");
        others(&mut works);
        works.do_story();
        works.assert_whole();
    }
}

#[test]
#[cfg_attr(not(has_ssh_keygen), ignore = "there is no ssh-keygen")]
fn a_base_whose_merges_are_signed() {
    let fixture = usual();
    let project = fixture.project();
    let (key, allowed) = (fixture.root().join("key"), fixture.root().join("allowed"));
    let make = format!("alias.key=!ssh-keygen -q -t ed25519 -N '' -f '{}'", key.display());
    fixture.git(&project, &["-c", &make, "key"]);
    let public = fs::read_to_string(key.with_extension("pub")).unwrap();
    fs::write(&allowed, format!("* {public}")).unwrap();
    for (name, value) in [
        ("commit.gpgSign", "true"),
        ("gpg.format", "ssh"),
        ("user.signingKey", key.to_str().unwrap()),
        ("gpg.ssh.allowedSignersFile", allowed.to_str().unwrap()),
    ] {
        fixture.git(&project, &["config", "--global", name, value]);
    }
    let mut works = Works::new(fixture, RemoteChoice::default());
    do_all(&mut works);
    let log = ["log", "--first-parent", "--merges", "--format=%G?", "work"];
    let signed = works.bench.git.git(&works.merged_repository(), &log);
    assert_eq!(signed.lines().collect::<Vec<_>>(), ["G"; 5]);
}

#[test]
#[cfg_attr(not(has_git_lfs), ignore = "there is no git-lfs")]
fn large_files_of_each_kind_of_work_are_whole_in_a_fresh_clone() {
    let fixture = usual();
    let project = fixture.project();
    fixture.git(&project, &["lfs", "install", "--skip-repo"]);
    fixture.commit(
        &project,
        ".gitattributes",
        "*.bin filter=lfs diff=lfs merge=lfs -text\n",
        "Track",
    );
    fixture.commit(&project, "old.bin", &"old ".repeat(5_000), "Old");
    fixture.git(&project, &["lfs", "push", "origin", "main"]);
    let mut works = Works::checked(
        fixture,
        RemoteChoice::default(),
        Some("test $(wc -c < old.bin) = 20000"),
    );
    for (id, flow) in [("big-1", "kanban"), ("big-2", "phased"), ("big-3", "graph")] {
        works.bench.release(draft(id, flow, None));
        works.bench.develop(id, &format!("{id}.bin"), &id.repeat(9_000));
        if flow == "kanban" {
            works.bench.last_word(id, SignalKind::Done);
        }
        works.assert_done(id);
    }
    do_all(&mut works);
    let git = &works.bench.git;
    let origin = format!("file://{}", git.origin().display());
    git.git(&git.root(), &["clone", "-q", "-b", "work", &origin, "fresh"]);
    for id in ["big-1", "big-2", "big-3"] {
        let text = fs::read_to_string(git.root().join("fresh").join(format!("{id}.bin"))).unwrap();
        assert_eq!(text, id.repeat(9_000));
    }
}

/// Returns a gate that passes if both submodules are at their pinned commits with nothing else in them, and that counts its runs.
fn needs_submodules(count: &Path) -> String {
    format!(
        "echo run >> '{}' && test \"$(cat lib/lib.txt lib/in/deep/deep.txt)\" = \"$(printf 'lib\\ndeep')\" && \
         test ! -e lib/newer.txt && test ! -e lib/in/deep/newer.txt && test ! -e lib/junk && \
         git -C lib rev-parse HEAD && git -C lib/in/deep log -1 && echo x > lib/lib.txt && echo x > lib/junk",
        count.display()
    )
}

#[test]
fn submodules_are_filled_at_their_pins_for_agents_and_for_gates() {
    for remote in [RemoteChoice::default(), RemoteChoice::Control] {
        let fixture = grown(with_nested_submodule());
        let count = fixture.root().join("count");
        let mut works = Works::checked(fixture, remote, Some(&needs_submodules(&count)));
        works.bench.release(draft("t-0", "kanban", None));
        let folder = works.bench.folder("t-0");
        for (file, text) in [("lib/lib.txt", "lib\n"), ("lib/in/deep/deep.txt", "deep\n")] {
            assert_eq!(fs::read_to_string(folder.join(file)).unwrap(), text);
        }
        let git = &works.bench.git;
        let status = ["submodule", "status", "--recursive"];
        let pinned = |folder: &Path| git.git(folder, &status).replace(" (heads/main)", "");
        let (here, there) = (pinned(&folder), pinned(&git.project()));
        let split = |text: &str| {
            text.split_whitespace()
                .filter(|word| !word.starts_with('('))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(split(&here), split(&there));
        assert_eq!(git.git(&folder, &["status", "--porcelain"]), "");
        works.bench.develop("t-0", "done.txt", "done\n");
        works.bench.last_word("t-0", SignalKind::Done);
        works.assert_done("t-0");
        do_all(&mut works);
        let runs = fs::read_to_string(count).unwrap().lines().count();
        assert!(runs >= 6, "the gate ran only {runs} times");
        let control = works.bench.git.state().join("control.git");
        let kept = works
            .bench
            .git
            .git(&control, &["for-each-ref", "refs/dbs/nested", "refs/dbs/attic"]);
        assert_eq!(kept, "", "an unchanged submodule needs no copy");
    }
}

/// Commits a file in the submodule of a task's worktree, and then the new pin with more work; returns the commit in the submodule.
fn move_pin(works: &mut Works, id: &str) -> String {
    let lib = works.bench.folder(id).join("lib");
    let commit = works.bench.git.commit(&lib, "new.txt", "new\n", "In the library");
    works.bench.develop(id, "uses-new.txt", "work\n");
    commit
}

#[test]
fn a_pin_of_a_commit_that_nobody_can_fetch_is_a_finding_until_it_is_pushed() {
    let gate = Some("test -f lib/lib.txt");
    let mut works = Works::checked(grown(with_submodule()), RemoteChoice::default(), gate);
    works.bench.release(draft("t-1", "kanban", None));
    let commit = move_pin(&mut works, "t-1");
    let found = works.bench.task("t-1").finding.clone().unwrap_or_default();
    assert!(
        found.contains(&format!("lib links to commit {commit}")) && found.contains("push it there first"),
        "{found}"
    );
    assert_eq!(works.bench.stage("t-1"), ("development", "active"));
    let lib = works.bench.folder("t-1").join("lib");
    works
        .bench
        .git
        .git(&lib, &["push", "-q", "origin", "HEAD:refs/heads/new"]);
    works.bench.develop("t-1", "again.txt", "work\n");
    works.bench.last_word("t-1", SignalKind::Done);
    works.assert_done("t-1");
    let pinned = works
        .bench
        .git
        .git(&works.merged_repository(), &["rev-parse", "work:lib"]);
    assert_eq!(pinned, commit);
}

#[test]
fn a_commit_in_a_submodule_is_kept_when_its_task_is_skipped() {
    let mut works = Works::new(grown(with_submodule()), RemoteChoice::default());
    works.bench.release(draft("t-1", "kanban", None));
    let lib = works.bench.folder("t-1").join("lib");
    let commit = works.bench.git.commit(&lib, "new.txt", "new\n", "In the library");
    let attempt = works.bench.agent("t-1").id;
    works.bench.ask(Command::Skip(TaskId::from("t-1")));
    works.bench.ends(attempt);
    works.bench.tidy();
    assert_eq!(works.bench.worktrees(), Vec::<String>::new());
    let control = works.bench.git.state().join("control.git");
    let kept = works.bench.git.git(&control, &["rev-list", "--all"]);
    assert!(kept.contains(&commit), "{kept}");
}

#[test]
fn a_submodule_that_the_person_does_not_fill_stays_empty() {
    let fixture = grown(with_submodule());
    fixture.git(&fixture.project(), &["submodule", "--quiet", "deinit", "lib"]);
    let mut works = Works::checked(fixture, RemoteChoice::default(), Some("test ! -e lib/lib.txt"));
    works.do_task();
}

#[test]
fn a_submodule_that_cannot_be_fetched_starts_no_agent_and_costs_no_attempt() {
    let fixture = grown(with_submodule());
    let project = fixture.project();
    fs::remove_dir_all(project.join(".git/modules/lib")).unwrap();
    fs::remove_dir_all(project.join("lib")).unwrap();
    let (there, gone) = (fixture.root().join("lib.git"), fixture.root().join("gone.git"));
    fs::rename(&there, &gone).unwrap();
    let mut works = Works::new(fixture, RemoteChoice::default());
    works.bench.release(draft("t-1", "kanban", None));
    assert_eq!(works.bench.launches().len(), 0);
    assert_eq!(works.bench.stage("t-1"), ("development", "released"));
    let told = format!("{:?}", works.bench.board.attempts);
    assert!(
        told.contains("fill the submodule lib") && told.contains("git submodule update --init"),
        "{told}"
    );
    fs::rename(&gone, &there).unwrap();
    works.bench.wait(Span::minutes(1));
    let file = works.bench.folder("t-1").join("lib/lib.txt");
    assert_eq!(fs::read_to_string(file).unwrap(), "lib\n");
}
