//! A folder of PRDs as a plan of stories, and the files of a project once a story is done.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use dbs::domain::{Cause, STORY_GATE, StoryTests, TaskDraft};
use dbs::formats::plan::{self, Plan, PlanChoices, StoryRules};
use dbs::formats::prd::{self, PrdDocument};
use dbs::formats::story_files::{CompletionEntry, DoneStory, record_story};

fn prd(name: &str, kind: &str, stories: &[(&str, u32)]) -> PrdDocument {
    prd::read(Path::new(name), &text(kind, stories))
}

fn text(kind: &str, stories: &[(&str, u32)]) -> String {
    let stories: Vec<String> = stories
        .iter()
        .map(|(id, priority)| format!("{{\"id\":\"{id}\",\"title\":\"Story {id}\",\"description\":\"What is wanted.\",\"acceptanceCriteria\":[\"It works\"],\"priority\":{priority},\"passes\":false}}"))
        .collect();
    format!(
        "{{\"type\":\"{kind}\",\"name\":\"Shop\",\"description\":\"A shop.\",\"userStories\":[{}]}}",
        stories.join(",")
    )
}

fn queue(prds: &[PrdDocument], written: &[&str]) -> Plan {
    queue_after(&[], prds, written)
}

/// The queue when the archive contains PRDs with these stories.
fn queue_after(archived: &[&str], prds: &[PrdDocument], written: &[&str]) -> Plan {
    let archived = archived.iter().map(|id| (*id).to_owned()).collect();
    let rules = StoryRules {
        folder: "prds".to_owned(),
        test_command: &|name| format!("pytest tests/{name}.py"),
        suite_command: Some("pytest".to_owned()),
        test_file: &|name| format!("tests/{name}.py"),
        on_base: &|path| written.contains(&path),
        protected: vec!["src/loop.py".to_owned()],
        archived: &archived,
        tests: StoryTests::default(),
        passes_over: false,
    };
    plan::queue(prds, &rules)
}

fn drafts(plan: &Plan) -> Vec<TaskDraft> {
    let body = |_: &plan::PlanItem| String::new();
    let path = |path: &Path| path.display().to_string();
    plan::drafts(plan, &PlanChoices::default(), &body, &path).unwrap()
}

#[test]
fn the_stories_of_a_queue_wait_for_each_other_by_the_names_of_prds_and_then_by_priority() {
    let prds = [
        prd("prds/001-FEAT-a.json", "feature", &[("US-002", 2), ("US-001", 1)]),
        prd("prds/002-BUG-b.json", "bug", &[("BUG-001", 1)]),
    ];
    let made = drafts(&queue(&prds, &[]));
    let order: Vec<&str> = made.iter().map(|draft| draft.id.as_str()).collect();
    assert_eq!(order, ["US-001", "US-002", "BUG-001"]);
    assert_eq!(made[2].deps, ["US-002".into()].into());
    let first = &made[0];
    let gates: Vec<(&str, &str)> = first
        .gates
        .iter()
        .map(|gate| (gate.name.as_str(), gate.command.as_str()))
        .collect();
    assert_eq!(
        gates,
        [(STORY_GATE, "pytest tests/test_US_001.py"), ("suite", "pytest")]
    );
    let plan = first.plan.as_ref().unwrap();
    assert_eq!(plan.paths.create, ["tests/test_US_001.py"]);
    for path in ["prds/", "state.json", "history.md", ".swanson/", "src/loop.py"] {
        assert!(
            plan.paths.protected.iter().any(|own| own == path),
            "{path}: {plan:?}"
        );
    }
    assert_eq!((first.workflow.as_str(), first.stage.as_ref()), ("atdd", None));
    assert!(first.body.contains("- It works"), "{}", first.body);
}

#[test]
fn a_commit_is_worded_by_the_kind_of_prd_and_the_id_of_the_story() {
    let word = |kind: &str, id: &str| {
        let made = drafts(&queue(&[prd("prds/1.json", kind, &[(id, 1)])], &[]));
        made[0].plan.as_ref().unwrap().commit.clone().unwrap()
    };
    assert_eq!(word("feature", "US-001"), "feat: story US-001 (US-001)");
    assert_eq!(word("bug", "US-001"), "fix: story US-001 (US-001)");
    assert_eq!(word("tech-debt", "US-001"), "refactor: story US-001 (US-001)");
    assert_eq!(word("chore", "US-001"), "chore: story US-001 (US-001)");
}

#[test]
fn a_story_whose_tests_are_written_begins_with_the_look_at_them_and_one_that_passes_is_left_out() {
    let made = drafts(&queue(
        &[prd("prds/1.json", "feature", &[("US-001", 1)])],
        &["tests/test_US-001.py"],
    ));
    assert_eq!(
        made[0].stage.as_ref().map(dbs::domain::StageId::as_str),
        Some("given")
    );
    let plan = made[0].plan.as_ref().unwrap();
    assert!(plan.paths.create.is_empty(), "{plan:?}");
    assert_eq!(
        plan.tests.as_ref().unwrap().file,
        "tests/test_US-001.py",
        "the file has the name used by the seed"
    );
    let over =
        text("feature", &[("US-001", 1), ("US-002", 2)]).replacen("\"passes\":false", "\"passes\":true", 1);
    let made = drafts(&queue(&[prd::read(Path::new("prds/1.json"), &over)], &[]));
    assert_eq!(made.len(), 1);
    assert!(made[0].deps.is_empty());
}

#[test]
fn two_prds_with_a_story_of_one_id_share_neither_task_nor_tests() {
    let prds = [
        prd("prds/001-a.json", "feature", &[("US-001", 1)]),
        prd("prds/002-b.json", "feature", &[("US-001", 1)]),
    ];
    let made = drafts(&queue(&prds, &["tests/test_US_001.py"]));
    let found: Vec<(&str, &str)> = made
        .iter()
        .map(|draft| {
            let tests = draft.plan.as_ref().unwrap().tests.as_ref().unwrap();
            assert_eq!(tests.id, "US-001");
            (draft.id.as_str(), tests.file.as_str())
        })
        .collect();
    assert_eq!(
        found,
        [
            ("001-a-US-001", "tests/test_001_a_US_001.py"),
            ("002-b-US-001", "tests/test_002_b_US_001.py")
        ]
    );
}

#[test]
fn a_story_with_the_id_of_an_archived_one_does_not_take_its_tests() {
    let prds = [prd("prds/002-b.json", "feature", &[("US-001", 1), ("US-002", 2)])];
    let made = drafts(&queue_after(&["US-001"], &prds, &["tests/test_US_001.py"]));
    let first = made[0].plan.as_ref().unwrap().tests.as_ref().unwrap();
    assert_eq!(
        (made[0].id.as_str(), made[0].stage.as_ref(), first.file.as_str()),
        ("002-b-US-001", None, "tests/test_002_b_US_001.py"),
        "the tests of the story are written first"
    );
    assert_eq!(made[1].id.as_str(), "US-002");
}

/// Records a story of the first PRD as done in a project's files.
fn record(files: &RefCell<BTreeMap<String, String>>, story: &str, commit: &str) -> Result<usize, Cause> {
    let entry = CompletionEntry {
        at: "2026-02-01T20:15:00Z",
        prd: "001-a.json",
        story,
        title: "A story",
        minutes: 3,
        tests: (2, 2),
        commit,
        model: "opus",
        session: 0,
        criteria: &[],
    };
    let blocks = [("2026-02-01T20:00:00Z".to_owned(), "no database".to_owned())];
    let done = DoneStory {
        folder: "prds",
        entry: &entry,
        blocks: &blocks,
        sessions: 2,
    };
    let names: Vec<String> = files
        .borrow()
        .keys()
        .filter_map(|path| path.strip_prefix("prds/"))
        .filter(|name| !name.contains('/'))
        .map(str::to_owned)
        .collect();
    let written = record_story(&done, &names, &|path| Ok(files.borrow().get(path).cloned()))?;
    let count = written.len();
    for (path, text) in written {
        match text {
            Some(text) => files.borrow_mut().insert(path, text),
            None => files.borrow_mut().remove(&path),
        };
    }
    Ok(count)
}

fn project() -> RefCell<BTreeMap<String, String>> {
    RefCell::new(BTreeMap::from([
        (
            "prds/001-a.json".to_owned(),
            text("feature", &[("US-001", 1), ("US-002", 2)]),
        ),
        ("prds/002-b.json".to_owned(), text("feature", &[("US-003", 1)])),
    ]))
}

#[test]
fn a_story_that_is_done_is_written_into_state_history_and_prd_once() {
    let files = project();
    assert_eq!(record(&files, "US-001", "abc1234"), Ok(3));
    let before = files.borrow().clone();
    assert!(
        before["state.json"].contains("\"current_story\": \"US-002\""),
        "{}",
        before["state.json"]
    );
    assert!(before["state.json"].contains("\"session_count\": 2"));
    assert!(before["prds/001-a.json"].contains("\"passes\":true"));
    assert_eq!(before["history.md"].matches("BLOCKED").count(), 1);
    assert_eq!(
        record(&files, "US-001", "abc1234"),
        Ok(0),
        "a second record changes nothing"
    );
    assert_eq!(*files.borrow(), before);
}

#[test]
fn a_prd_goes_to_the_archive_when_all_of_its_stories_pass_and_the_next_one_is_at_hand() {
    let files = project();
    record(&files, "US-001", "abc1234").unwrap();
    assert!(
        !files.borrow().contains_key("prds/archive/001-a.json"),
        "one story is open"
    );
    record(&files, "US-002", "def5678").unwrap();
    let now = files.borrow().clone();
    assert!(!now.contains_key("prds/001-a.json"));
    assert_eq!(
        now["prds/archive/001-a.json"].matches("\"passes\":true").count(),
        2
    );
    assert!(
        now["state.json"].contains("\"current_prd\": \"002-b.json\""),
        "{}",
        now["state.json"]
    );
    assert!(now["state.json"].contains("\"session_count\": 4"));
    assert!(now["history.md"].starts_with("# History"), "only appended");
    assert_eq!(
        record(&files, "US-002", "def5678"),
        Ok(0),
        "a missing PRD is no error"
    );
}

#[test]
fn a_story_of_a_prd_that_is_not_there_or_beside_a_broken_state_is_not_recorded() {
    let files = project();
    files.borrow_mut().remove("prds/001-a.json");
    let why = record(&files, "US-001", "abc1234").unwrap_err().text;
    assert!(
        why.contains("prds/001-a.json is not in the base any more"),
        "{why}"
    );
    let files = project();
    files.borrow_mut().insert("state.json".to_owned(), "{".to_owned());
    let why = record(&files, "US-001", "abc1234").unwrap_err().text;
    assert!(why.contains("could not read state.json"), "{why}");
    assert!(!files.borrow().contains_key("history.md"), "no file is written");
}

#[test]
fn in_the_dialect_without_passes_the_state_alone_knows_what_is_done() {
    let files = project();
    let plain = text("feature", &[("US-001", 1), ("US-002", 2)]).replace(",\"passes\":false", "");
    files
        .borrow_mut()
        .insert("prds/001-a.json".to_owned(), plain.clone());
    record(&files, "US-001", "abc1234").unwrap();
    assert_eq!(files.borrow()["prds/001-a.json"], plain);
    assert!(files.borrow()["state.json"].contains("\"completed_stories\": [\"US-001\"]"));
    record(&files, "US-002", "def5678").unwrap();
    assert!(files.borrow().contains_key("prds/archive/001-a.json"));
}
