//! Work lists of other tools: the result of reading each, the findings for unknown forms, and the one edit that is made.
#![expect(clippy::panic, reason = "what cannot be read is a failed test")]

use std::collections::BTreeSet;
use std::path::Path;

use dbs::domain::WorkSource;
use dbs::domain::task::TaskKind;
use dbs::formats::work_list::{self, TextShape, WorkItem, WorkList, shape_of};
use proptest::prelude::*;

const BEADS: &str = concat!(
    "{\"id\":\"d-2h2\",\"title\":\"Spawn\",\"status\":\"closed\",\"priority\":0,\"issue_type\":\"task\"}\n",
    "{\"_type\":\"issue\",\"id\":\"d-798\",\"title\":\"Flaky\\u001b[31m screen\\nrule\",\"description\":\"What.\",\"acceptance_criteria\":\"It holds.\",",
    "\"status\":\"in_progress\",\"priority\":1,\"issue_type\":\"bug\",\"labels\":[\"ui\",\"stage:review\"],\"unknown\":{\"kept\": 1},",
    "\"dependencies\":[{\"issue_id\":\"d-798\",\"depends_on_id\":\"d-mxh\",\"type\":\"discovered-from\"},{\"depends_on_id\":\"d-e\",\"type\":\"blocks\"}],",
    "\"comments\":[{\"author\":\"ann\",\"text\":\"Look here.\"}]}\n",
    "\n",
    "{\"id\":\"d-gdn\",\"title\":\"Gone\",\"status\":\"tombstone\",\"issue_type\":\"task\"}\n",
    "{\"id\":\"d-e\",\"title\":\"Epic\",\"status\":\"open\",\"issue_type\":\"epic\"}\n",
    "{\"id\":\"d-e.1\",\"title\":\"Part\",\"status\":\"open\",\"priority\":9,\"issue_type\":\"story\",\"dependencies\":[{\"depends_on_id\":\"d-e\",\"type\":\"parent-child\"}]}\r\n",
);

const TASK_MASTER: &str = r#"{
  "master": {"tasks": [
    {"id": 1, "title": "Model", "status": "done", "dependencies": [], "priority": "high", "subtasks": []},
    {"id": 2, "title": "Server", "description": "D", "details": "X", "testStrategy": "T", "status": "pending",
     "dependencies": [1], "priority": "high", "subtasks": [
       {"id": 1, "title": "Routes", "status": "pending", "dependencies": []},
       {"id": "2", "title": "Errors", "status": "pending", "dependencies": [1]}]},
    {"id": 3, "title": "Export", "status": "pending", "dependencies": [2], "priority": "low", "subtasks": []}
  ], "metadata": {"created": "x"}},
  "v2": {"tasks": [{"id": 1, "title": "Later", "status": "deferred", "dependencies": [], "subtasks": []}]}
}
"#;

const CHECKLIST: &str = "# To do\n\n## Server\n- [x] routes\n- [ ] errors\n  - [ ] 404\n  - [ ] 500\n- [ ] tests\n\n## Client\n- [ ] tests\n";

fn read(text: &str) -> WorkList {
    let TextShape::List(source) = shape_of(text) else {
        panic!("{:?}: {text}", shape_of(text));
    };
    work_list::read(source, Path::new("list"), text)
}

fn item<'a>(list: &'a WorkList, id: &str) -> &'a WorkItem {
    let found = list.items.iter().find(|item| item.id == id);
    found.unwrap_or_else(|| panic!("{id}: {:?}", list.items))
}

fn codes(list: &WorkList) -> Vec<(&str, usize)> {
    list.findings
        .iter()
        .map(|found| (found.code, found.line))
        .collect()
}

#[test]
fn each_kind_is_known_by_its_content() {
    let cases = [
        (BEADS, TextShape::List(WorkSource::Beads)),
        (TASK_MASTER, TextShape::List(WorkSource::TaskMaster)),
        (
            "{\"tasks\":[{\"id\":1,\"title\":\"T\",\"status\":\"pending\"}],\"meta\":{}}",
            TextShape::List(WorkSource::TaskMaster),
        ),
        (CHECKLIST, TextShape::List(WorkSource::Checklist)),
        (
            "[ ] no list mark\n- [ ] one\n",
            TextShape::List(WorkSource::Checklist),
        ),
        (
            "[{\"id\":\"D-1\",\"title\":\"T\",\"priority\":1,\"passes\":true}]",
            TextShape::List(WorkSource::Stories),
        ),
        (
            "[{\"category\":\"ui\",\"description\":\"D\",\"steps\":[\"a\"],\"complete\":false}]",
            TextShape::List(WorkSource::Stories),
        ),
        (
            "{\"project\":\"p\",\"features\":[{\"title\":\"T\",\"passes\":false}]}",
            TextShape::List(WorkSource::Stories),
        ),
        (
            "[{\"number\":1,\"title\":\"T\",\"url\":\"https://x/issues/1\"}]",
            TextShape::List(WorkSource::Github),
        ),
        (
            "[{\"iid\":1,\"title\":\"T\",\"web_url\":\"https://x/-/issues/1\"}]",
            TextShape::List(WorkSource::Gitlab),
        ),
        ("{\"title\":\"T\"}\n{\"title\":\"U\"}\n", TextShape::Tasks),
        ("{\"userStories\":[]}", TextShape::Prd),
        ("{\"schemaVersion\":3,\"tasks\":[]}", TextShape::GraphPlan),
        (
            "{\"goal\":\"g\",\"tasks\":[{\"id\":\"T-1\",\"title\":\"x\"}]}",
            TextShape::OtherJson,
        ),
        ("# P\n\n## Phase 1: A\n- [ ] b\n", TextShape::PhasedPlan),
        ("\u{feff} \n", TextShape::Empty),
        ("just text\n", TextShape::OtherText),
        ("{\"a\":", TextShape::OtherJson),
    ];
    for (text, wanted) in cases {
        assert_eq!(shape_of(text), wanted, "{text}");
    }
}

#[test]
fn an_issue_of_beads_is_read_with_what_it_waits_for() {
    let list = read(BEADS);
    assert_eq!(codes(&list), [("EPIC", 5)]);
    let ids: Vec<&str> = list.items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids, ["d-2h2", "d-798", "d-e.1"]);
    let flaky = item(&list, "d-798");
    assert_eq!(flaky.title, "Flaky[31m screen rule");
    assert_eq!(
        flaky.body,
        "What.\n\nAcceptance criteria:\nIt holds.\n\nComments:\n- ann: Look here."
    );
    assert_eq!((flaky.priority, flaky.kind, flaky.line), (1, TaskKind::Bug, 2));
    assert_eq!(
        (&flaky.tags[..], &flaky.needs[..]),
        (&["ui".to_owned()][..], &["d-e.1".to_owned()][..])
    );
    assert_eq!(
        (item(&list, "d-e.1").priority, item(&list, "d-2h2").is_done),
        (4, true)
    );
}

#[test]
fn a_shape_that_is_not_understood_is_one_finding_however_many_lines_have_it() {
    let broken = "{\"id\":\"x-1\",\"title\":\"T\",\"issue_type\":\"task\",\"status\":\"odd\"}\n".repeat(40)
        + &"nonsense\n".repeat(40);
    let list = work_list::read(WorkSource::Beads, Path::new("list"), &broken);
    assert_eq!(codes(&list), [("UNKNOWN_STATUS", 1), ("BAD_LINE", 41)]);
    assert!(
        list.findings[1].text.ends_with("(39 more like it)"),
        "{:?}",
        list.findings
    );
}

#[test]
fn subtasks_stand_for_their_task_and_wait_for_what_it_waits_for() {
    let list = read(TASK_MASTER);
    assert_eq!(codes(&list), []);
    let needs = |id: &str| item(&list, id).needs.join(" ");
    assert_eq!(
        (needs("2.1"), needs("2.2"), needs("3")),
        ("1".to_owned(), "2.1 1".to_owned(), "2.1 2.2".to_owned())
    );
    assert_eq!(item(&list, "2.1").priority, 1);
    assert!(
        item(&list, "2.1").body.contains("Part of:\nServer"),
        "{:?}",
        item(&list, "2.1")
    );
    assert_eq!(
        (item(&list, "v2/1").is_done, item(&list, "1").is_done),
        (false, true)
    );
    assert!(!list.items.iter().any(|item| item.id == "2"), "{:?}", list.items);
}

#[test]
fn boxes_below_a_box_are_its_parts_and_groups_keep_equal_texts_apart() {
    let list = read(CHECKLIST);
    let ids: Vec<&str> = list.items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "Server / routes",
            "Server / errors",
            "Server / tests",
            "Client / tests"
        ]
    );
    assert_eq!(
        item(&list, "Server / errors").body,
        "- [ ] errors\n  - [ ] 404\n  - [ ] 500"
    );
    assert_eq!(item(&list, "Client / tests").line, 11);
}

#[test]
fn a_box_is_a_part_of_the_box_whose_item_it_is_in_and_of_no_other() {
    let text = "- [ ] one\n  - note\n    - [ ] deep\n- plain\n  - [ ] two\n\nText.\n\n  - [ ] three\n";
    let list = read(text);
    let ids: Vec<&str> = list.items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids, ["one", "two", "three"]);
    let done: BTreeSet<&str> = ["one"].into();
    let written = work_list::with_done(WorkSource::Checklist, text, &done, "");
    assert_eq!(
        written,
        text.replace("[ ] one", "[x] one").replace("[ ] deep", "[x] deep")
    );
}

#[test]
fn boxes_of_one_text_have_names_of_their_own_and_know_each_other() {
    let list = read("- [ ] fix\n  - [ ] a\n- [ ] fix (2)\n- [x] fix\n- [ ] other\n");
    let found: Vec<(&str, Option<&str>)> = list
        .items
        .iter()
        .map(|item| {
            (
                item.id.as_str(),
                item.alike.as_ref().map(|alike| alike.texts.as_str()),
            )
        })
        .collect();
    let alike = Some("\nfix\na\n\nfix\n");
    assert_eq!(
        found,
        [
            ("fix", alike),
            ("fix (2)", None),
            ("fix (3)", alike),
            ("other", None)
        ]
    );
}

#[test]
fn closing_changes_the_fields_of_that_issue_alone() {
    let at = "2026-02-01T20:00:00Z";
    let done: BTreeSet<&str> = ["d-798", "d-2h2", "nope"].into();
    let written = work_list::with_done(WorkSource::Beads, BEADS, &done, at);
    let wanted = BEADS.replace("in_progress", "closed").replace(
        "\"text\":\"Look here.\"}]}",
        "\"text\":\"Look here.\"}],\"updated_at\":\"2026-02-01T20:00:00Z\",\"closed_at\":\"2026-02-01T20:00:00Z\"}",
    );
    assert_eq!(written, wanted);
    assert_eq!(
        work_list::with_done(WorkSource::Beads, &written, &done, "later"),
        written
    );
}

#[test]
fn a_task_is_closed_with_the_last_of_its_subtasks() {
    let close = |ids: &[&str]| {
        let done: BTreeSet<&str> = ids.iter().copied().collect();
        work_list::with_done(WorkSource::TaskMaster, TASK_MASTER, &done, "")
    };
    let one = close(&["2.1"]);
    assert_eq!(
        one,
        TASK_MASTER.replace(
            "\"Routes\", \"status\": \"pending\"",
            "\"Routes\", \"status\": \"done\""
        )
    );
    let both = close(&["2.1", "2.2", "v2/1"]);
    assert_eq!(both.matches("\"done\"").count(), 5, "{both}");
    assert!(both.contains("\"Export\", \"status\": \"pending\""), "{both}");
    let reopened = both.replace(
        "\"description\": \"D\", \"details\": \"X\", \"testStrategy\": \"T\", \"status\": \"done\"",
        "\"status\": \"pending\"",
    );
    assert_ne!(reopened, both);
    let done: BTreeSet<&str> = ["3"].into();
    let after = work_list::with_done(WorkSource::TaskMaster, &reopened, &done, "");
    assert_eq!(
        after,
        reopened.replace(
            "\"Export\", \"status\": \"pending\"",
            "\"Export\", \"status\": \"done\""
        ),
        "a task that is reopened after its subtasks stays open"
    );
}

#[test]
fn ticks_and_passes_are_set_and_nothing_else_changes() {
    let done: BTreeSet<&str> = ["Server / errors", "Client / tests"].into();
    let written = work_list::with_done(WorkSource::Checklist, CHECKLIST, &done, "");
    let wanted = "# To do\n\n## Server\n- [x] routes\n- [x] errors\n  - [x] 404\n  - [x] 500\n- [ ] tests\n\n## Client\n- [x] tests\n";
    assert_eq!(written, wanted);
    let stories =
        "\u{feff}[{\"id\":\"D-1\",\"title\":\"T\",\"passes\": false},{\"title\":\"U\",\"complete\":false}]";
    let done: BTreeSet<&str> = ["D-1", "U"].into();
    let written = work_list::with_done(WorkSource::Stories, stories, &done, "");
    assert_eq!(written, stories.replace("false", "true"));
}

#[test]
fn an_issue_of_a_forge_has_a_number_and_an_address() {
    let text = "[{\"number\":12,\"title\":\"T\",\"body\":\"B\",\"labels\":[{\"name\":\"bug\"}],\"state\":\"OPEN\",\"url\":\"https://github.com/o/r/issues/12\"},\
        {\"number\":\"1 --web\",\"title\":\"T\",\"url\":\"https://github.com/o/r/issues/1\"}]";
    let list = read(text);
    assert_eq!(codes(&list), [("NO_NAME", 1)]);
    let issue = item(&list, "12");
    assert_eq!(
        (issue.kind, &issue.tags[..]),
        (TaskKind::Bug, &["bug".to_owned()][..])
    );
    assert!(
        issue.body.ends_with("https://github.com/o/r/issues/12"),
        "{issue:?}"
    );
    assert_eq!(
        work_list::address_of(text).as_deref(),
        Some("https://github.com/o/r/issues")
    );
    assert_eq!(work_list::address_of("[{\"url\":\"javascript:x/1\"}]"), None);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// For any text, reading and closing end, and closing twice equals closing once.
    #[test]
    fn no_text_breaks_a_reader(cuts in proptest::collection::vec((0_usize..4000, "[ -~\u{202e}\n\\[\\]{}\":,x-]{0,6}"), 0..4), kind in 0_usize..4) {
        let (source, text) = [
            (WorkSource::Beads, BEADS), (WorkSource::TaskMaster, TASK_MASTER), (WorkSource::Checklist, CHECKLIST),
            (WorkSource::Stories, "[{\"id\":\"D-1\",\"title\":\"T\",\"passes\": false}]"),
        ][kind];
        let mut text = text.to_owned();
        for (at, new) in cuts {
            let at = text.floor_char_boundary(at % (text.len() + 1));
            text.insert_str(at, &new);
        }
        shape_of(&text);
        let list = work_list::read(source, Path::new("list"), &text);
        let ids: BTreeSet<&str> = list.items.iter().map(|item| item.id.as_str()).collect();
        for item in &list.items {
            let is_shown_as_it_is = !item.title.contains(['\n', '\u{1b}', '\u{202e}']);
            prop_assert!(is_shown_as_it_is && !item.title.is_empty());
        }
        let once = work_list::with_done(source, &text, &ids, "2026-02-01T20:00:00Z");
        prop_assert_eq!(work_list::with_done(source, &once, &ids, "later"), once);
    }
}
