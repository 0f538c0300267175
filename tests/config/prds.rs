//! PRDs of both dialects, sound and broken: the result of reading each, the findings, and the one edit that is made.

use std::path::Path;

use dbs::formats::finding::FindingLevel;
use dbs::formats::prd::{self, PrdDialect, PrdDocument, SetPassesError, StorySize};
use proptest::prelude::*;

const STRICT: &str = r#"{
  "type": "feature",
  "name": "Export",
  "description": "Users download invoices as CSV.",
  "owner": {"team": "billing"},
  "userStories": [
    {
      "id": "US-001",
      "title": "Download one invoice",
      "description": "A button returns one CSV file.",
      "acceptanceCriteria": ["GET /invoices/1.csv returns 200", "It has a header line"],
      "nonFunctionalRequirements": ["It answers within 100 ms"],
      "notes": ["The table is wide.", "It may be empty."],
      "priority": 1, "complexity": "medium", "passes" : false, "estimate": 3
    },
    {"id": "US-002", "title": "All", "description": "All of them.", "acceptanceCriteria": ["A zip"],
     "priority": 2, "complexity": "simple", "passes": true}
  ]
}
"#;

const TEMPLATE: &str = r#"{"userStories": [
  {"id": "BUG-007", "title": "Keep the header", "description": "The header line is lost for empty lists.",
   "acceptanceCriteria": ["An empty list has a header"], "complexity": "moderate"}
]}"#;

fn read(text: &str) -> PrdDocument {
    prd::read(Path::new("prds/001-FEAT-export.json"), text)
}

/// Codes with line and path; errors are marked.
fn found(prd: &PrdDocument) -> Vec<String> {
    let all = prd.findings.iter().map(|found| {
        let is_error = found.severity == FindingLevel::Error;
        let mark = if is_error { "!" } else { "" };
        format!("{mark}{} {} {}", found.code, found.line, found.path)
    });
    all.collect()
}

/// A PRD of the strict dialect with one story, in which `from` is replaced.
fn with(from: &str, to: &str) -> PrdDocument {
    let changed = STRICT.replacen(from, to, 1);
    assert_ne!(changed, STRICT, "{from}");
    read(&changed)
}

#[test]
fn a_prd_of_the_strict_dialect_is_read_with_all_it_says() {
    for text in [
        STRICT.to_owned(),
        format!("\u{feff}{STRICT}"),
        STRICT.replace('\n', "\r\n"),
    ] {
        let prd = read(&text);
        assert_eq!(found(&prd), Vec::<String>::new());
        assert_eq!(prd.dialect, Some(PrdDialect::Strict));
        assert_eq!(
            (prd.kind.as_deref(), prd.name.as_str()),
            (Some("feature"), "Export")
        );
        assert_eq!(prd.other["owner"]["team"], "billing");
        let [first, second] = prd.stories.as_slice() else {
            panic!("{:?}", prd.stories)
        };
        assert_eq!((first.id.as_str(), first.line), ("US-001", 7));
        assert_eq!(
            first.criteria,
            ["GET /invoices/1.csv returns 200", "It has a header line"]
        );
        assert_eq!(first.non_functional, ["It answers within 100 ms"]);
        assert_eq!(first.notes, "The table is wide.\nIt may be empty.");
        assert_eq!((first.priority, first.size), (1, StorySize::Medium));
        assert_eq!(first.other["estimate"], 3);
        assert_eq!((first.passes, second.passes), (Some(false), Some(true)));
        assert_eq!(second.size, StorySize::Simple);
    }
}

#[test]
fn a_prd_of_the_template_dialect_is_read_with_its_defaults() {
    let prd = read(TEMPLATE);
    assert_eq!(found(&prd), Vec::<String>::new());
    assert_eq!(prd.dialect, Some(PrdDialect::Template));
    let story = &prd.stories[0];
    assert_eq!((story.priority, story.size), (3, StorySize::Medium));
    assert_eq!((story.passes, prd.kind), (None, None));
}

#[test]
fn words_of_the_other_dialect_are_read_and_said() {
    let prd = with("\"medium\"", "\"moderate\"");
    assert_eq!(found(&prd), ["OTHER_DIALECT 14 $.userStories[0].complexity"]);
    assert_eq!(prd.stories[0].size, StorySize::Medium);
    assert_eq!(
        found(&with("US-001", "BUG-001")),
        ["ID_FORM 8 $.userStories[0].id"]
    );
    let text = TEMPLATE.replace("moderate\"", "medium\", \"passes\": false, \"priority\": 9");
    assert_eq!(
        found(&read(&text)),
        [
            "PRIORITY_RANGE 3 $.userStories[0].priority",
            "OTHER_DIALECT 3 $.userStories[0].complexity",
            "OTHER_DIALECT 3 $.userStories[0].passes"
        ]
    );
    assert!(read(&text).is_sound());
    let short = TEMPLATE.replace("Keep the header", "Keep");
    assert_eq!(found(&read(&short)), ["LENGTH 2 $.userStories[0].title"]);
}

/// A text, its replacement, and the finding that follows.
const VIOLATIONS: &str = r#"
"feature" => "epic" => !BAD_TYPE 2 $.type
"name": "Export", => => !MISSING_FIELD 1 $.name
"Export" => "  " => !EMPTY 3 $.name
"Export" => 7 => !WRONG_KIND 3 $.name
"owner" => "nmae" => UNKNOWN_FIELD 5 $.nmae
"estimate" => "passed" => UNKNOWN_FIELD 14 $.userStories[0].passed
"estimate" => "id" => !DUPLICATE_KEY 14 $.userStories[0].id
"id": "US-001", => => !MISSING_FIELD 7 $.userStories[0].id
"US-001" => "../US-001" => !BAD_ID 8 $.userStories[0].id
"US-001" => "-rf" => !BAD_ID 8 $.userStories[0].id
"US-001" => "US/../001" => !BAD_ID 8 $.userStories[0].id
"US-001" => "a\u0000" => !CONTROL_CHARACTER 8 $.userStories[0].id
Download one => Download\none => !CONTROL_CHARACTER 9 $.userStories[0].title
A button => A \u001b[2J => !CONTROL_CHARACTER 10 $.userStories[0].description
CRITERIA => [] => !NO_CRITERIA 11 $.userStories[0].acceptanceCriteria
CRITERIA => "it works" => !WRONG_KIND 11 $.userStories[0].acceptanceCriteria
CRITERIA => ["a", 3] => !WRONG_KIND 11 $.userStories[0].acceptanceCriteria[1]
CRITERIA => ["a", ""] => !EMPTY 11 $.userStories[0].acceptanceCriteria[1]
CRITERIA => EIGHT => MANY_CRITERIA 11 $.userStories[0].acceptanceCriteria
CRITERIA => MANY => !TOO_MANY 11 $.userStories[0].acceptanceCriteria
"priority": 1 => "priority": "high" => !BAD_PRIORITY 14 $.userStories[0].priority
"priority": 1 => "priority": 0 => !BAD_PRIORITY 14 $.userStories[0].priority
"medium" => "complicated" => !BAD_COMPLEXITY 14 $.userStories[0].complexity
false => "no" => !WRONG_KIND 14 $.userStories[0].passes
"US-002" => "us_001" => ID_FORM 16 $.userStories[1].id
"US-002" => "us_001" => !DUPLICATE_ID 16 $.userStories[1].id
"#;

#[test]
fn each_violation_is_named_by_its_path_and_line() {
    let list = |n: usize| format!("[{}\"i\"]", "\"c\",".repeat(n - 1));
    for line in VIOLATIONS.lines().filter(|line| !line.is_empty()) {
        let mut parts = line.split("=>").map(str::trim);
        let (from, to, wanted) = (
            parts.next().unwrap(),
            parts.next().unwrap(),
            parts.next().unwrap(),
        );
        let criteria = "[\"GET /invoices/1.csv returns 200\", \"It has a header line\"]";
        let from = from.replace("CRITERIA", criteria);
        let to = to.replace("EIGHT", &list(8)).replace("MANY", &list(101));
        let told = found(&with(&from, &to));
        assert!(told.iter().any(|told| told == wanted), "{line}: {told:?}");
    }
    let shown = with("\"feature\"", "\"epic\"").findings[0].to_string();
    assert_eq!(
        shown,
        "prds/001-FEAT-export.json:2: error: $.type: \"epic\" is not a type of PRD; write feature, bug, enhancement, spike, chore, tech-debt"
    );
}

#[test]
fn what_is_no_prd_gives_one_finding() {
    let deep = format!("{{\"userStories\": {}1{}}}", "[".repeat(5000), "]".repeat(5000));
    let large = format!("{{\"userStories\": [\"{}\"]}}", "x".repeat(prd::MOST_PRD_BYTES));
    let many = format!("{{\"userStories\": [{}{{}}]}}", "{},".repeat(500));
    for (text, wanted) in [
        ("", "!BAD_JSON 1 $"),
        ("[]", "!WRONG_KIND 1 $"),
        ("{}", "!MISSING_FIELD 1 $.userStories"),
        ("{\"userStories\": []}", "!NO_STORIES 1 $.userStories"),
        ("{\"userStories\": {}}", "!WRONG_KIND 1 $.userStories"),
        ("{\n\"userStories\": [\n{]}", "!BAD_JSON 3 $"),
        ("{\n\n\"userStories\": [{\"id\": \"\\ud800\"}]}", "!BAD_JSON 3 $"),
        (&deep, "!BAD_JSON 1 $"),
        (&large, "!TOO_LARGE 1 $"),
        (&many, "!TOO_MANY 1 $.userStories"),
    ] {
        assert_eq!(found(&read(text)), [wanted], "{}", text.get(..60).unwrap_or(text));
    }
}

#[test]
fn a_prd_is_known_by_its_content() {
    for text in [
        STRICT,
        TEMPLATE,
        "\u{feff}{\"userStories\": []}",
        "{\"userStories\": [}",
    ] {
        assert!(prd::is_prd(text), "{text}");
    }
    for text in [
        "",
        "[]",
        "# userStories",
        "{\"tasks\": [\"userStories\"]}",
        "{\"a\": \"\\\"userStories\\\"\"}",
    ] {
        assert!(!prd::is_prd(text), "{text}");
    }
}

#[test]
fn a_story_is_marked_as_passing_and_nothing_else_in_the_file_changes() {
    for text in [
        STRICT.to_owned(),
        format!("\u{feff}{}", STRICT.replace('\n', "\r\n")),
    ] {
        let edited = prd::set_passes(&text, "US-001").unwrap();
        assert_eq!(
            edited,
            text.replacen("\"passes\" : false", "\"passes\" : true", 1)
        );
        assert_eq!(prd::set_passes(&edited, "US-001").unwrap(), edited);
    }
    assert_eq!(prd::set_passes(STRICT, "US-002").unwrap(), STRICT);
    let refused = |text: &str, id: &str| prd::set_passes(text, id).unwrap_err();
    assert_eq!(
        refused(STRICT, "US-003"),
        SetPassesError::NotOneStory(0, "US-003".to_owned())
    );
    assert_eq!(
        refused(TEMPLATE, "BUG-007"),
        SetPassesError::NoField("BUG-007".to_owned())
    );
    let odd = STRICT.replace("\"estimate\": 3", "\"passes\": false");
    assert_eq!(
        refused(&odd, "US-001"),
        SetPassesError::NotASwitch("US-001".to_owned())
    );
    let word = STRICT.replace("false", "\"false\"");
    assert_eq!(
        refused(&word, "US-001"),
        SetPassesError::NotASwitch("US-001".to_owned())
    );
    assert!(
        refused("{", "US-001")
            .to_string()
            .starts_with("the PRD is not readable any more: ")
    );
}

/// Damaged PRDs: sound ones with pieces cut out and inserted.
fn damaged() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "\"", "{", "}", "[", "]", ",", ":", "true", "null", "1e999", "-0.5", "\\ud800", "é", "\u{202e}",
        "\n", "\u{0}",
    ]);
    let base = prop::sample::select(vec![STRICT, TEMPLATE]);
    let cuts = prop::collection::vec((any::<prop::sample::Index>(), 0..40_usize, pieces), 0..4);
    (base, cuts).prop_map(|(base, cuts)| {
        let mut letters: Vec<char> = base.chars().collect();
        for (at, n, piece) in cuts {
            let at = at.index(letters.len() + 1);
            let end = (at + n).min(letters.len());
            letters.splice(at..end, piece.chars());
        }
        letters.into_iter().collect()
    })
}

proptest! {
    #[test]
    fn no_text_breaks_the_reader_of_prds(text in prop_oneof![any::<String>(), damaged()]) {
        let prd = read(&text);
        let n_lines = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
        for found in &prd.findings {
            prop_assert!((1..=n_lines).contains(&found.line));
            let shown = found.to_string();
            prop_assert!(!shown.chars().any(char::is_control), "{shown:?}");
        }
        if prd::set_passes(&text, "US-001").is_ok() {
            prop_assert!(prd::is_prd(&text));
        }
    }

    #[test]
    fn an_edit_of_a_prd_changes_only_the_value(
        before in prop::collection::vec((any::<bool>(), "[ \n\t]{0,3}", "[a-zé\"\\\\{}:,]{0,12}"), 1..8),
        at in any::<prop::sample::Index>(),
    ) {
        let story = |(index, (passes, space, note)): (usize, &(bool, String, String))| {
            let note = serde_json::to_string(note).unwrap();
            format!("{{{space}\"id\"{space}:\"US-{index:03}\",\"passes\":{space}{passes}{space},\"note\":{note}}}")
        };
        let stories: Vec<String> = before.iter().enumerate().map(story).collect();
        let text = format!("{{\"userStories\":[{}]}}", stories.join(",\n"));
        let at = at.index(stories.len());
        let edited = prd::set_passes(&text, &format!("US-{at:03}")).unwrap();
        let mut wanted = before;
        wanted[at].0 = true;
        let stories: Vec<String> = wanted.iter().enumerate().map(story).collect();
        prop_assert_eq!(edited, format!("{{\"userStories\":[{}]}}", stories.join(",\n")));
    }
}

#[test]
fn a_prd_without_a_type_is_read_and_its_kind_is_not_known() {
    let prd = with("\"type\": \"feature\",", "");
    assert_eq!((found(&prd), prd.kind), (Vec::new(), None));
}

#[test]
fn a_story_comes_behind_those_it_depends_on_whatever_their_priority() {
    let prd = with(
        "\"priority\": 1,",
        "\"priority\": 1, \"dependsOn\": [\"US-002\"],",
    );
    assert_eq!(found(&prd), Vec::<String>::new());
    let order: Vec<&str> = prd.in_order().iter().map(|story| story.id.as_str()).collect();
    assert_eq!(order, ["US-002", "US-001"]);
    let prd = with("\"priority\": 2,", "\"priority\": 2, \"depends_on\": \"US-009\",");
    assert_eq!(found(&prd), ["UNKNOWN_DEPENDENCY 6 $.userStories"]);
    let prd = with(
        "\"priority\": 2,",
        "\"priority\": 2, \"dependsOn\": [\"US-002\"],",
    );
    assert_eq!(found(&prd), ["!CIRCULAR_DEPENDENCY 6 $.userStories"]);
}
