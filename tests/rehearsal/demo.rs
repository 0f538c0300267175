//! The demo played on a real repository, without an engine, in several orders of merging.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use dbs::adapters::rehearsal::{DemoPlan, DemoScript, DemoTask, TreeCheck, check};
use dbs::domain::SignalKind;
use dbs::formats::scenario::{AttemptContext, read};

use crate::git_fixture::GitFixture;
use crate::program::{self, Attempt, Ended, rehearse};

/// Plays the demo as an engine would: one worktree per task, and one merge after the other.
struct Play {
    fixture: GitFixture,
    /// Tasks whose merge needed the integrator.
    integrated: Vec<String>,
    /// Every end other than `done`: task, role, attempt, verdict.
    mishaps: Vec<(String, &'static str, u32, Option<SignalKind>)>,
}

impl Play {
    fn new(sheet: &DemoPlan) -> Self {
        let fixture = GitFixture::unborn();
        let project = fixture.project();
        for file in &sheet.files {
            fs::write(project.join(&file.path), &file.text).unwrap();
        }
        fixture.git(&project, &["add", "-A"]);
        fixture.git(&project, &["commit", "-q", "-m", "Begin the handbook"]);
        fixture.git(&project, &["push", "-q", "origin", "main"]);
        Self {
            fixture,
            integrated: Vec::new(),
            mishaps: Vec::new(),
        }
    }

    fn worktree(&self, task: &str) -> PathBuf {
        let path = self.fixture.root().join(format!("work-{task}"));
        if !path.exists() {
            let (project, branch) = (self.fixture.project(), format!("feature/{task}"));
            self.fixture.git(&project, &["fetch", "-q", "origin"]);
            let folder = path.to_str().unwrap();
            self.fixture.git(
                &project,
                &[
                    "worktree",
                    "add",
                    "-q",
                    "--no-track",
                    "-b",
                    &branch,
                    folder,
                    "origin/main",
                ],
            );
        }
        path
    }

    fn attempt(&mut self, task: &DemoTask, stage: &str, role: &'static str, number: u32) -> Ended {
        let mode = if stage == "merging" { "fallback" } else { "fresh" };
        let worktree = self.worktree(&task.id);
        let attempt = Attempt {
            task: &task.id,
            stage,
            role,
            mode,
            number,
            tags: &task.tags,
        };
        let ended = rehearse(&self.fixture, "demo", &worktree, &attempt);
        if ended.verdict() != Some(SignalKind::Done) {
            self.mishaps
                .push((task.id.clone(), role, number, ended.verdict()));
        }
        ended
    }

    /// Number of commits that the task's branch on the origin is ahead of the base.
    fn ahead(&self, task: &str) -> usize {
        let project = self.fixture.project();
        self.fixture.git(&project, &["fetch", "-q", "origin"]);
        let range = format!("origin/main..origin/feature/{task}");
        let said = self.fixture.try_git(&project, &["rev-list", "--count", &range]);
        String::from_utf8_lossy(&said.stdout).trim().parse().unwrap_or(0)
    }

    /// Develops and reviews until both succeed.
    fn develop(&mut self, task: &DemoTask) {
        let (mut develop, mut review) = (0, 0);
        loop {
            assert!(
                develop < 4,
                "{} does not get anywhere: {:?}",
                task.id,
                self.mishaps
            );
            develop += 1;
            let ended = self.attempt(task, "development", "developer", develop);
            if ended.verdict() != Some(SignalKind::Done) {
                continue;
            }
            if self.ahead(&task.id) == 0 {
                self.mishaps.push((task.id.clone(), "empty", develop, None));
                continue;
            }
            assert_eq!(
                program::check(&self.worktree(&task.id), false),
                (Some(0), String::new())
            );
            review += 1;
            let reviewed = self.attempt(task, "reviewing", "reviewer", review);
            if reviewed.verdict() == Some(SignalKind::Done) {
                break;
            }
        }
        if task.tags.iter().any(|tag| tag == "security") {
            let ended = self.attempt(task, "security-review", "security-reviewer", 1);
            assert_eq!(ended.verdict(), Some(SignalKind::Done), "{}", ended.said);
        }
    }

    fn merge(&mut self, task: &DemoTask) {
        if !self.merged(&task.id) {
            let ended = self.attempt(task, "merging", "integrator", 1);
            assert_eq!(ended.verdict(), Some(SignalKind::Done), "{}", ended.said);
            self.integrated.push(task.id.clone());
            assert!(self.merged(&task.id), "{}", ended.said);
        }
    }

    /// Merges in a separate clone, as the engine does away from every worktree.
    fn merged(&self, task: &str) -> bool {
        let place = tempfile::tempdir_in(self.fixture.root()).unwrap();
        let (folder, origin) = (place.path(), self.fixture.origin());
        self.fixture.git(
            &self.fixture.root(),
            &["clone", "-q", origin.to_str().unwrap(), folder.to_str().unwrap()],
        );
        let identity = ["-c", "user.name=E", "-c", "user.email=e@localhost"];
        let branch = format!("origin/feature/{task}");
        let merge = [&identity[..], &["merge", "-q", "--no-ff", "-m", "Merge", &branch]].concat();
        let merged = self.fixture.try_git(folder, &merge).status.success();
        if merged {
            self.fixture.git(folder, &["push", "-q", "origin", "HEAD:main"]);
        }
        merged
    }

    fn tree(&self) -> BTreeMap<String, String> {
        let origin = self.fixture.origin();
        let names = self
            .fixture
            .git(&origin, &["ls-tree", "-r", "--name-only", "main"]);
        let read = |name: &str| {
            let output = self.fixture.try_git(&origin, &["show", &format!("main:{name}")]);
            (name.to_owned(), String::from_utf8(output.stdout).unwrap())
        };
        names.lines().map(read).collect()
    }

    fn accept(&mut self, task: &DemoTask) {
        let ended = self.attempt(task, "acceptance", "tester", 1);
        assert_eq!(ended.verdict(), Some(SignalKind::Done), "{}", ended.said);
    }
}

/// Order in which ready tasks are merged.
#[derive(Clone, Copy)]
enum Order {
    First,
    Last,
}

fn play_all(order: Order, all_start_early: bool) -> Play {
    let sheet = DemoScript::Tasks.sheet().unwrap();
    let mut play = Play::new(&sheet);
    let (accept, mut open): (Vec<DemoTask>, Vec<DemoTask>) = sheet
        .tasks
        .into_iter()
        .partition(|task| task.stage.as_deref() == Some("acceptance"));
    if all_start_early {
        for task in open.iter().filter(|task| task.deps.is_empty()) {
            play.worktree(&task.id);
        }
    }
    let mut done: Vec<String> = Vec::new();
    while !open.is_empty() {
        let mut ready = open
            .iter()
            .enumerate()
            .filter(|(_, task)| task.deps.iter().all(|dep| done.contains(dep)));
        let next = match order {
            Order::First => ready.next(),
            Order::Last => ready.next_back(),
        };
        let next = next.unwrap().0;
        let task = open.remove(next);
        play.develop(&task);
        play.merge(&task);
        done.push(task.id);
    }
    for task in accept {
        assert!(task.deps.iter().all(|dep| done.contains(dep)) && task.deps.len() == done.len());
        play.accept(&task);
    }
    play
}

/// Plays everything and asserts that the tree and the mishaps are the scripted ones, and that these tasks need the integrator.
fn ends_as_expected(order: Order, all_start_early: bool, integrated: &[&str]) {
    let play = play_all(order, all_start_early);
    assert_eq!(play.tree(), DemoScript::Tasks.expected_tree().unwrap());
    assert_eq!(play.integrated, integrated);
    let seen: BTreeSet<_> = play.mishaps.into_iter().collect();
    let scripted = [
        ("knot-4".to_owned(), "reviewer", 1, Some(SignalKind::Reject)),
        ("knot-5".to_owned(), "developer", 1, None),
        ("knot-6".to_owned(), "empty", 1, None),
    ];
    assert_eq!(seen, scripted.into());
}

#[test]
fn the_second_motto_is_merged_by_the_integrator() {
    ends_as_expected(Order::First, true, &["knot-2"]);
}

#[test]
fn merged_the_other_way_round_the_demo_ends_in_the_same_tree() {
    ends_as_expected(Order::Last, true, &["knot-1"]);
}

#[test]
fn begun_one_after_the_other_the_demo_ends_in_the_same_tree_without_an_integrator() {
    ends_as_expected(Order::Last, false, &[]);
}

#[test]
fn the_crash_of_the_demo_is_a_death_and_not_an_exit() {
    let sheet = DemoScript::Tasks.sheet().unwrap();
    let mut play = Play::new(&sheet);
    let task = sheet.tasks.iter().find(|task| task.id == "knot-5").unwrap();
    let ended = play.attempt(task, "development", "developer", 1);
    assert_eq!(ended.code, if cfg!(unix) { None } else { ended.code });
    assert_ne!(ended.code, Some(0));
    assert_eq!(ended.verdict(), None);
}

#[test]
fn the_gate_accepts_the_expected_tree_and_refuses_every_tree_that_lacks_something() {
    let expected = DemoScript::Tasks.expected_tree().unwrap();
    let lay = |tree: &BTreeMap<String, String>| {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("pages")).unwrap();
        for (path, text) in tree {
            fs::write(folder.path().join(path), text).unwrap();
        }
        folder
    };
    assert_eq!(
        program::check(lay(&expected).path(), true),
        (Some(0), String::new())
    );
    for path in expected.keys() {
        let mut without = expected.clone();
        without.remove(path);
        let (code, said) = program::check(lay(&without).path(), true);
        assert!(
            code == Some(1) && said.contains(path.as_str()),
            "{path}: {code:?} {said}"
        );
        let mut emptied = expected.clone();
        emptied.insert(path.clone(), String::new());
        assert!(
            path == "check.toml" || !check(lay(&emptied).path(), TreeCheck::Present).is_empty(),
            "{path}"
        );
    }
    let mut undecided = expected.clone();
    undecided.insert(
        "cover.toml".into(),
        expected["cover.toml"].replace("Tie it right, check it twice", "Tie it right"),
    );
    assert_eq!(program::check(lay(&undecided).path(), false).0, Some(0));
    assert_eq!(program::check(lay(&undecided).path(), true).0, Some(1));
}

#[test]
fn every_part_of_the_demo_is_played_by_some_attempt() {
    let (scenario, sheet) = (
        DemoScript::Tasks.scenario().unwrap(),
        DemoScript::Tasks.sheet().unwrap(),
    );
    let (_, diagnostics) = read("demo.toml".as_ref(), DemoScript::Tasks.scenario_text());
    assert_eq!(diagnostics, []);
    let unknown = DemoTask {
        id: "other-1".into(),
        title: String::new(),
        body: String::new(),
        deps: Vec::new(),
        tags: Vec::new(),
        stage: None,
    };
    let mut played = BTreeSet::new();
    for task in sheet.tasks.iter().chain([&unknown]) {
        let roles = [
            ("development", "developer", "fresh"),
            ("reviewing", "reviewer", "fresh"),
            ("security-review", "security-reviewer", "fresh"),
            ("merging", "integrator", "fallback"),
            ("acceptance", "tester", "fresh"),
            ("investigating", "investigator", "fresh"),
            ("consolidating", "investigator", "fresh"),
            ("planning", "conductor", "fresh"),
        ];
        for ((stage, role, mode), number) in roles.into_iter().flat_map(|role| [(role, 1), (role, 2)]) {
            let now = AttemptContext {
                stage,
                role,
                task: &task.id,
                title: &task.title,
                tags: &task.tags,
                number,
                mode,
            };
            played.extend(scenario.part(&now).map(|part| part.line));
        }
    }
    let all: BTreeSet<usize> = scenario.parts.iter().map(|part| part.line).collect();
    assert_eq!(played, all);
}

#[test]
fn a_task_that_a_person_adds_to_the_demo_is_played_in_every_stage_of_its_way() {
    let scenario = DemoScript::Tasks.scenario().unwrap();
    for (stage, role, mode) in [
        ("development", "developer", "fresh"),
        ("reviewing", "reviewer", "fresh"),
        ("security-review", "security-reviewer", "fresh"),
        ("merging", "integrator", "fallback"),
        ("acceptance", "tester", "fresh"),
        ("investigating", "investigator", "fresh"),
        ("consolidating", "investigator", "fresh"),
        ("work", "phase-worker", "fresh"),
    ] {
        let now = AttemptContext {
            stage,
            role,
            task: "dbs-1",
            title: "Mine",
            tags: &[],
            number: 1,
            mode,
        };
        let part = scenario.part(&now).unwrap();
        assert_ne!(
            part.name, "any other task",
            "{role} only says that it has no part"
        );
    }
}

#[test]
fn the_stories_of_the_demo_have_a_scenario_without_mistakes() {
    let script = DemoScript::Stories;
    let (_, diagnostics) = read("demo-stories.toml".as_ref(), script.scenario_text());
    assert_eq!(diagnostics, []);
}

#[test]
fn the_plan_of_the_demo_has_a_scenario_without_mistakes_and_a_tree_its_gate_accepts() {
    let script = DemoScript::Plan;
    let (_, diagnostics) = read("demo-plan.toml".as_ref(), script.scenario_text());
    assert_eq!(diagnostics, []);
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in script.expected_tree().unwrap() {
        let file = folder.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    assert_eq!(check(folder.path(), TreeCheck::Complete), Vec::<String>::new());
}

#[test]
fn every_task_of_the_demo_has_a_developer_part_of_its_own_and_depends_on_tasks_there_are() {
    let (scenario, sheet) = (
        DemoScript::Tasks.scenario().unwrap(),
        DemoScript::Tasks.sheet().unwrap(),
    );
    let ids: BTreeSet<&str> = sheet.tasks.iter().map(|task| task.id.as_str()).collect();
    assert!(ids.len() == sheet.tasks.len() && ids.len() >= 10);
    for task in &sheet.tasks {
        assert!(
            task.deps.iter().all(|dep| ids.contains(dep.as_str())),
            "{}",
            task.id
        );
        let select = |part: &&dbs::formats::scenario::ScenarioPart| part.select.tasks.contains(&task.id);
        assert!(
            task.stage.is_some() || scenario.parts.iter().any(|part| select(&part)),
            "{}",
            task.id
        );
    }
    assert!(
        sheet
            .tasks
            .iter()
            .any(|task| task.tags.iter().any(|tag| tag == "security"))
    );
}
