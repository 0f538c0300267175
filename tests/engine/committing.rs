//! Workflows in which the engine commits what agents leave (`committed`): exactly that, once, signed, and without hooks.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use dbs::domain::{EvidenceKind, SignalKind, StageId};
use dbs::ports::git::{BranchName, Git as _, Rest, RestRequest, SafeName, Signature};

use crate::bench::{Bench, draft};

/// A bench on which developers need not commit.
fn bench() -> Bench {
    let mut bench = Bench::new();
    let mut flows = crate::bench::workflows();
    for flow in &mut flows {
        let development = StageId::from("development");
        for stage in flow.stages.iter_mut().filter(|stage| stage.id == development) {
            stage.evidence.insert(0, EvidenceKind::Committed);
        }
    }
    bench.happen(&dbs::domain::Event::WorkflowsLoaded(flows));
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
        fs::write(
            &file,
            format!("#!/bin/sh\necho {hook} >> '{}/ran'\nexit 1\n", project.display()),
        )
        .unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
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
    assert!(!project.join("ran").exists(), "a hook ran");
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
    let name = folder.file_name().unwrap().to_str().unwrap();
    let request = RestRequest {
        folder: SafeName::new(name).unwrap(),
        branch: BranchName::new("feature/t-1").unwrap(),
        task: SafeName::new("t-1").unwrap(),
        attempt: SafeName::new("1").unwrap(),
        title: "Odd \u{202e}title\nwith lines".to_owned(),
        signature: Signature {
            name: "Ann".to_owned(),
            email: "ann@example.org".to_owned(),
            seconds: 1_000,
        },
    };
    let git = bench.git_cli();
    let Rest::Committed(commit) = git.commit_rest(&request).unwrap() else {
        panic!("nothing was committed");
    };
    assert_eq!(git.commit_rest(&request).unwrap(), Rest::Nothing(commit.clone()));
    // As after a crash in the instant before the branch moved.
    bench
        .git
        .git(&folder, &["update-ref", "refs/heads/feature/t-1", &head]);
    assert_eq!(
        git.commit_rest(&request).unwrap(),
        Rest::Committed(commit.clone())
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
}
