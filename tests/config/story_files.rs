//! `state.json`, `history.md` and the standards of a project: reading, writing, and refusals.

use std::path::Path;

use dbs::formats::prd::{self, PrdDialect};
use dbs::formats::story_files::{
    BlockEntry, CompletionEntry, HISTORY_HEADER, OpenStory, RecordTexts, STORY_TEMPLATES, StoryState,
    append_block, append_completion, history_now, read_history, read_state, state_now, test_names,
    testing_sections, write_state,
};
use proptest::prelude::*;

const STATE: &str = r#"{
  "current_prd": "001-FEAT-user-auth.json",
  "current_story": "US-002",
  "completed_stories": ["US-001"],
  "remaining_stories": ["US-003", "US-004"],
  "last_updated": "2026-02-01T20:00:00Z",
  "session_count": 3
}
"#;

const HISTORY: &str = "# History

Stories that were finished or got stuck, the newest last.

## 2026-02-01 20:15 - Story US-002 Complete

- **PRD:** 001-FEAT-user-auth.json
- **Story:** US-002 - User Login
- **Duration:** 12 minutes
- **Tests:** 5/5 passed
- **Commit:** abc1234
- **Model:** Sonnet
- **Session:** 3

### Acceptance Criteria Met
- [x] POST /api/login accepts email and password
- [x] Returns 401 on invalid password

---
";

fn criteria() -> Vec<String> {
    [
        "POST /api/login accepts email and password",
        "Returns 401 on invalid password",
    ]
    .map(str::to_owned)
    .to_vec()
}

fn login(criteria: &[String]) -> CompletionEntry<'_> {
    CompletionEntry {
        at: "2026-02-01T20:15:31Z",
        prd: "001-FEAT-user-auth.json",
        story: "US-002",
        title: "User Login",
        minutes: 12,
        tests: (5, 5),
        commit: "abc1234",
        model: "Sonnet",
        session: 3,
        criteria,
    }
}

#[test]
fn a_state_file_is_written_as_it_was_read() {
    let state = read_state(STATE).unwrap();
    assert_eq!(state.remaining_stories, ["US-003", "US-004"]);
    assert_eq!(write_state(&state).unwrap(), STATE);
    let more = STATE.replace("3\n}", "3,\n  \"host\": {\"a\":[1]}\n}");
    assert_eq!(write_state(&read_state(&more).unwrap()).unwrap(), more);
    let empty = StoryState {
        last_updated: "2026-02-01T20:00:00Z".to_owned(),
        ..StoryState::default()
    };
    let text = write_state(&empty).unwrap();
    assert!(text.contains("\"current_prd\": null"), "{text}");
    assert_eq!(read_state(&text).unwrap(), empty);
}

#[test]
fn a_current_story_that_also_stands_first_among_the_remaining_is_read_once() {
    let both = STATE.replace("[\"US-003\"", "[\"US-002\", \"US-003\"");
    assert_eq!(read_state(&both), read_state(STATE));
    assert_eq!(write_state(&read_state(&both).unwrap()).unwrap(), STATE);
}

#[test]
fn a_state_file_that_is_broken_or_contradicts_itself_is_refused_with_words() {
    let refused = |from: &str, to: &str| read_state(&STATE.replace(from, to)).unwrap_err().to_string();
    for (from, to, wanted) in [
        ("3\n}", "3\n", "line 9: EOF while parsing an object"),
        ("3\n}", "-1\n}", "line 7: invalid value: integer `-1`"),
        (
            "  \"completed_stories\": [\"US-001\"],\n",
            "",
            "missing field `completed_stories`",
        ),
        ("\"US-004\"", "\"US-001\"", "it names story \"US-001\" twice"),
        ("\"US-003\"", "\"a\\u001b\"", "it names a story whose id"),
        ("001-FEAT", "../FEAT", "current_prd is not a plain file name"),
        (
            "\"001-FEAT-user-auth.json\"",
            "null",
            "a current story and no current PRD",
        ),
        ("20:00:00Z", "20:00", "last_updated is not a time"),
        ("20:00:00Z", "20:00:00+01:00", "last_updated is not a time"),
    ] {
        let told = refused(from, to);
        assert!(told.contains(wanted) && told.contains("fix the file"), "{told}");
    }
    assert!(read_state("[1]").is_err() && read_state("").is_err());
    let large = STATE.replace("US-003", &"x".repeat(300_000));
    assert!(read_state(&large).unwrap_err().to_string().contains("bytes"));
    let broken = StoryState::default();
    assert!(
        write_state(&broken).is_err(),
        "an entry without a time is refused"
    );
}

#[test]
fn an_entry_of_the_history_has_the_form_of_the_seed() {
    let criteria = criteria();
    assert_eq!(append_completion("", &login(&criteria)).unwrap(), HISTORY);
    let block = BlockEntry {
        at: "2026-02-01T21:00:00.123Z",
        prd: "001-FEAT-user-auth.json",
        story: "US-003",
        title: "Logout",
        reason: "Missing database\nconnection string",
        session: 4,
    };
    let both = append_block(HISTORY, &block).unwrap();
    let entry = both.strip_prefix(HISTORY).unwrap();
    assert_eq!(
        entry,
        "\n## 2026-02-01 21:00 - Story US-003 BLOCKED\n\n- **PRD:** 001-FEAT-user-auth.json\n- **Story:** US-003 - Logout\n\
         - **Reason:** Missing database connection string\n- **Session:** 4\n\n---\n"
    );
    let read = read_history(&both);
    let read: Vec<_> = read
        .iter()
        .map(|entry| {
            (
                entry.line,
                entry.story.as_str(),
                entry.commit.as_deref(),
                entry.is_blocked,
            )
        })
        .collect();
    assert_eq!(
        read,
        [(5, "US-002", Some("abc1234"), false), (21, "US-003", None, true)]
    );
}

#[test]
fn a_story_with_its_commit_stands_in_the_history_once() {
    let criteria = criteria();
    let once = append_completion("", &login(&criteria)).unwrap();
    assert_eq!(append_completion(&once, &login(&criteria)).unwrap(), once);
    let others = [
        CompletionEntry {
            commit: "def5678",
            ..login(&criteria)
        },
        CompletionEntry {
            prd: "002-FEAT-b.json",
            ..login(&criteria)
        },
        CompletionEntry {
            story: "US-001",
            ..login(&criteria)
        },
    ];
    for other in &others {
        let text = append_completion(&once, other).unwrap();
        assert_eq!(read_history(&text).len(), 2, "{text}");
    }
}

#[test]
fn what_stands_in_a_history_stays_whatever_its_end_looks_like() {
    let criteria = criteria();
    for own in [
        "# Ours",
        "# Ours\n",
        "# Ours\n\n",
        "# Ours\r\n\r\n## later\r\n- **Commit:** x",
    ] {
        let text = append_completion(own, &login(&criteria)).unwrap();
        assert!(text.starts_with(own) && !text.contains(HISTORY_HEADER), "{text}");
        assert!(text.contains("\n\n## 2026-02-01 20:15 - Story"), "{text}");
    }
    let wrong = CompletionEntry {
        at: "yesterday",
        ..login(&criteria)
    };
    assert!(append_completion("", &wrong).is_err());
}

#[test]
fn a_test_file_has_a_name_that_can_be_imported_and_one_prd_does_not_take_another_ones() {
    assert_eq!(
        test_names("001-FEAT-export.json", "US-001", true),
        ["test_US_001", "test_001_FEAT_export_US_001", "test_US-001"]
    );
    assert_eq!(
        test_names("002-BUG-a.json", "US-001", false),
        ["test_002_BUG_a_US_001"]
    );
}

#[test]
fn the_sections_about_tests_are_taken_from_the_standards_with_their_bodies() {
    let standards = "# Standards\n\nAll.\n\n## Code\n\nShort.\n\n## Testing Standards\n\nOne test per criterion.\n\n### Names\n\nSentences.\n\n\
        ```md\n## Style\n```\n\n## The latest style\n\nNo contest.\n\n### Unit `tests`\n\nFast.\n\nHow tests are named\n---\n\nPlainly.\n";
    assert_eq!(
        testing_sections(standards),
        "## Testing Standards\n\nOne test per criterion.\n\n### Names\n\nSentences.\n\n```md\n## Style\n```\n\n\
         ### Unit `tests`\n\nFast.\n\nHow tests are named\n---\n\nPlainly.\n"
    );
    assert_eq!(testing_sections("# Standards\n\ntest\n"), "");
}

#[test]
fn the_documents_of_a_new_project_pass_their_own_readers() {
    let text = |name: &str| {
        STORY_TEMPLATES
            .iter()
            .find(|(known, _)| *known == name)
            .unwrap()
            .1
    };
    let examples: Vec<&str> = text("prd-schema.md").split("```json\n").skip(1).collect();
    let dialects = examples.iter().map(|rest| {
        let example = rest.split("```").next().unwrap();
        let prd = prd::read(Path::new("prds/001-FEAT-export.json"), example);
        assert_eq!(prd.findings, Vec::new());
        prd.dialect.unwrap()
    });
    assert_eq!(
        dialects.collect::<Vec<_>>(),
        [PrdDialect::Strict, PrdDialect::Template]
    );
    let picked = testing_sections(text("standards.md"));
    assert!(
        picked.starts_with("## Testing\n") && picked.contains("acceptance criterion"),
        "{picked}"
    );
    assert!(!picked.contains("Commits"), "{picked}");
    for (name, document) in STORY_TEMPLATES {
        assert!(document.starts_with("# ") && document.is_ascii(), "{name}");
        assert!(
            text("context-map.md").contains(name) || name == "context-map.md",
            "{name}"
        );
    }
}

proptest! {
    #[test]
    fn a_value_never_begins_an_entry_of_its_own(
        title in any::<String>(),
        criterion in "(\n|\r|\u{2028}|## 2026-02-01 20:15 - Story US-9 Complete|- \\*\\*Commit:\\*\\* x| ){0,9}",
        old in any::<String>(),
    ) {
        let criteria = vec![criterion];
        let entry = CompletionEntry { title: &title, ..login(&criteria) };
        let before = read_history(&old).len();
        let text = append_completion(&old, &entry).unwrap();
        prop_assert!(old.trim().is_empty() || text.starts_with(&old));
        let entries = read_history(&text);
        prop_assert_eq!(entries.len(), before + 1);
        let last = entries.last().unwrap();
        prop_assert_eq!((last.story.as_str(), last.commit.as_deref()), ("US-002", Some("abc1234")));
        prop_assert_eq!(append_completion(&text, &entry).unwrap(), text);
    }

    #[test]
    fn no_text_breaks_the_readers_of_state_and_standards(text in any::<String>(), at in any::<prop::sample::Index>()) {
        let mut state = STATE.to_owned();
        let at = at.index(state.len());
        state.insert_str(at, &text);
        for text in [&text, &state] {
            if let Ok(read) = read_state(text) {
                prop_assert_eq!(read_state(&write_state(&read).unwrap()), Ok(read));
            }
            let picked = testing_sections(text);
            prop_assert!(picked.len() <= text.len() + 2);
        }
    }
}

const QUEUE: &str = r#"{"userStories":[{"id":"US-002","title":"Log in","description":"People log in.","acceptanceCriteria":["It works"]},
  {"id":"US-003","title":"Log out","description":"People log out.","acceptanceCriteria":["It works"]},
  {"id":"US-001","title":"Sign up","description":"People sign up.","acceptanceCriteria":["It works"]}]}"#;

fn open_story(id: &str, is_at_work: bool) -> OpenStory {
    OpenStory {
        prd: "001-FEAT-user-auth.json".to_owned(),
        id: id.to_owned(),
        title: "Log in".to_owned(),
        is_at_work,
        sessions: 2,
        blocks: Vec::new(),
    }
}

fn now(base: Option<&str>, own: Option<&str>, open: &[OpenStory]) -> StoryState {
    let text = state_now(
        RecordTexts { base, own },
        open,
        &|_| QUEUE.to_owned(),
        "2026-02-02T08:00:00Z",
    );
    read_state(&text.unwrap().unwrap()).unwrap()
}

#[test]
fn a_state_tells_of_stories_that_are_worked_on_with_their_sessions() {
    let open = [open_story("US-002", false), open_story("US-003", true)];
    let first = now(None, None, &open);
    assert_eq!(
        (first.current_story.as_deref(), first.session_count),
        (Some("US-003"), 4)
    );
    assert_eq!(first.remaining_stories, ["US-002", "US-001"]);
    assert_eq!(first.last_updated, "2026-02-02T08:00:00Z");
    let own = STATE.replace("\"session_count\": 3", "\"session_count\": 3, \"mine\": 1");
    let next = now(Some(STATE), Some(&own), &open);
    assert_eq!(
        (next.session_count, next.completed_stories.as_slice()),
        (7, &["US-001".to_owned()][..])
    );
    assert_eq!(next.other["mine"], 1, "a field added by a person stays");
    let state = |own: &str| {
        let texts = RecordTexts {
            base: Some(STATE),
            own: Some(own),
        };
        state_now(texts, &open, &|_| QUEUE.to_owned(), "2026-02-03T08:00:00Z")
    };
    let written = write_state(&next).unwrap();
    assert_eq!(
        state(&written).unwrap(),
        Some(written.clone()),
        "a new time alone changes nothing"
    );
    assert!(
        state("{").is_err(),
        "a file that is not understood is not overwritten"
    );
    let over = RecordTexts {
        base: Some(STATE),
        own: Some(&written),
    };
    let over = state_now(over, &[], &|_| String::new(), "2026-02-03T08:00:00Z").unwrap();
    assert_eq!(
        over.as_deref(),
        Some(STATE),
        "without open stories the file of the base is complete"
    );
}

#[test]
fn a_history_gets_the_blocks_of_open_stories_once_and_keeps_what_a_person_wrote() {
    let mut story = open_story("US-003", false);
    story.blocks = vec![
        ("2026-02-02T08:00:00Z".to_owned(), "no database".to_owned()),
        ("2026-02-02T09:00:00Z".to_owned(), "no database".to_owned()),
    ];
    let told = |own: Option<&str>, base: &str| {
        let texts = RecordTexts {
            base: Some(base),
            own,
        };
        history_now(texts, std::slice::from_ref(&story), 3).unwrap()
    };
    let first = told(None, HISTORY);
    assert!(first.starts_with(HISTORY), "{first}");
    assert_eq!(first.matches("Story US-003 BLOCKED").count(), 2, "{first}");
    assert!(
        first.contains("- **Reason:** no database\n- **Session:** 5\n"),
        "{first}"
    );
    let mine = format!("{first}## Note\n\nAsk Ada.\n");
    assert_eq!(told(Some(&mine), HISTORY), mine, "no entry is added twice");
    let renumbered = first.replace("Session:** 5", "Session:** 9");
    assert_eq!(
        told(Some(&mine), &renumbered),
        mine,
        "another session number is the same entry"
    );
    let done = HISTORY.replace("US-002", "US-004");
    let after = told(Some(&mine), &done);
    let entry = done.split_once("## ").unwrap().1;
    assert_eq!(
        after,
        format!("{mine}\n## {entry}"),
        "further entries of the base come last"
    );
    let none = RecordTexts::default();
    assert_eq!(history_now(none, &[], 0).unwrap(), "");
}
