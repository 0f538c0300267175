//! Tasks of a project that works without a remote: they start and end on its own base branch.

use dbs::adapters::git::{GitSetup, RemoteChoice};
use dbs::domain::command::Command;
use dbs::domain::task::HoldReason;
use dbs::domain::{BoardSettings, SignalKind, TaskState};

use crate::bench::{Bench, draft};
use crate::git_fixture::GitFixture;

/// Returns a bench with a task whose developer works; the base is not checked out anywhere.
fn developing() -> Bench {
    let git = GitFixture::new();
    git.git(&git.project(), &["branch", "work"]);
    let setup = GitSetup {
        remote: RemoteChoice::Control,
        ..GitSetup::new(git.project(), git.environment())
    };
    let settings = BoardSettings {
        base: Some("work".to_owned()),
        ..BoardSettings::default()
    };
    let mut bench = Bench::over(git, &setup, settings);
    bench.release(draft("t-1", "kanban", None));
    bench
}

fn finish(bench: &mut Bench, id: &str, file: &str) -> String {
    let commit = bench.develop(id, file, "work\n");
    bench.last_word(id, SignalKind::Done);
    commit
}

fn on_base(bench: &Bench) -> String {
    bench.git.git(&bench.git.project(), &["rev-list", "work"])
}

#[test]
fn a_task_ends_on_the_persons_branch_with_the_commits_that_came_meanwhile_and_nothing_is_pushed() {
    let mut bench = developing();
    let pushed = bench.head(&bench.git.origin(), "work");
    let mine = bench.git.root().join("mine");
    let project = bench.git.project();
    bench.git.git(
        &project,
        &[
            "worktree",
            "add",
            "-q",
            "--detach",
            mine.to_str().unwrap(),
            "work",
        ],
    );
    let my_commit = bench.git.commit(&mine, "mine.txt", "mine\n", "Mine");
    bench
        .git
        .git(&project, &["update-ref", "refs/heads/work", &my_commit]);
    let work = finish(&mut bench, "t-1", "work.txt");
    assert_eq!(
        bench.task("t-1").state.word(),
        "done",
        "{}",
        bench.comments("t-1")
    );
    for commit in [&my_commit, &work] {
        assert!(on_base(&bench).contains(commit.as_str()));
    }
    assert_eq!(bench.head(&bench.git.origin(), "work"), pushed);
    assert_eq!(bench.branches(&bench.git.origin()), ["main", "work"]);
    let told = bench.board.batches[&"shop".into()].base_moves.as_deref().cloned();
    assert_eq!(told.map(|told| told.last.made_here), Some(None));
    // Kept work and leftovers of a task are treated as with a remote.
    bench.tidy();
    assert_eq!(bench.worktrees(), Vec::<String>::new());
    assert_eq!(bench.branches(&project), ["main", "work"]);
}

#[test]
fn agents_are_told_the_name_of_the_control_repository_and_can_reach_it() {
    let bench = developing();
    let briefs = bench.outside.briefs.lock().unwrap();
    let brief = briefs.last().unwrap();
    assert_eq!(brief.facts.place.remote, "dbs");
    let settings: Vec<&str> = brief.git_settings.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(settings, ["remote.dbs.url", "remote.dbs.fetch"]);
}

#[test]
fn a_rewritten_base_holds_the_next_task_with_the_ways_out_and_goes_on_after_one_of_them() {
    let mut bench = developing();
    finish(&mut bench, "t-1", "work.txt");
    let project = bench.git.project();
    bench.git.git(&project, &["branch", "-f", "work", "main"]);
    bench.release(draft("t-2", "kanban", None));
    let TaskState::Held(HoldReason::Refused(why)) = bench.task("t-2").state.clone() else {
        panic!("{:?}", bench.task("t-2").state);
    };
    for words in [
        "could not use branch work as it is now: it was rewritten, and merged work is no longer in it",
        "`git merge dbs/work`",
        "`git merge -s ours dbs/work`",
        "`dbs retry ID`",
    ] {
        assert!(why.contains(words), "{why}");
    }
    assert_eq!(bench.head(&project, "work"), bench.head(&project, "main"));
    bench.git.git(&project, &["branch", "-f", "work", "dbs/work"]);
    bench.ask(Command::Retry {
        task: "t-2".into(),
        stage: None,
        note: None,
    });
    finish(&mut bench, "t-2", "two.txt");
    assert_eq!(
        bench.task("t-2").state.word(),
        "done",
        "{}",
        bench.comments("t-2")
    );
}

#[test]
fn a_base_that_was_rewritten_while_an_agent_worked_holds_the_merge() {
    let mut bench = developing();
    bench.release(draft("t-2", "kanban", None));
    finish(&mut bench, "t-1", "work.txt");
    let project = bench.git.project();
    bench.git.git(&project, &["branch", "-f", "work", "main"]);
    finish(&mut bench, "t-2", "two.txt");
    let state = bench.task("t-2").state.clone();
    assert!(
        matches!(&state, TaskState::Held(HoldReason::Refused(why)) if why.contains("was rewritten")),
        "{state:?}"
    );
    assert!(!on_base(&bench).contains("two.txt"));
}

#[test]
fn an_agent_that_moved_the_persons_branch_itself_is_held() {
    let mut bench = developing();
    let folder = bench.folder("t-1");
    let commit = bench.git.commit(&folder, "EVIL", "evil\n", "Evil");
    bench
        .git
        .git(&folder, &["update-ref", "refs/heads/work", &commit]);
    bench.develop("t-1", "work.txt", "work\n");
    let state = bench.task("t-1").state.clone();
    assert!(
        matches!(&state, TaskState::Held(HoldReason::BasePushed(why)) if why.contains(&commit)),
        "{state:?}"
    );
}
