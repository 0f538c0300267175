//! The documents of a design as they are read: the rules for each field, and the text for the next agent.

use std::path::Path;

use dbs::formats::design::{self, Complexity, CritiqueVerdict, DesignDocument, ExpertKind};
use serde_json::{Value, json};

const ANALYSIS: &str = include_str!("../../assets/plans/goal-analysis.json");
const REPORT: &str = include_str!("../../assets/plans/expert.json");
const CRITIQUE: &str = include_str!("../../assets/plans/critic.json");

/// Codes and paths of the findings.
fn found(kind: DesignDocument, document: &Value) -> Vec<(&'static str, String)> {
    let text = serde_json::to_string_pretty(document).unwrap();
    let findings = design::findings(kind, Path::new("it.json"), &text).into_iter();
    findings.map(|found| (found.code, found.path)).collect()
}

/// Findings after a change of a document; null removes the field.
fn found_with(kind: DesignDocument, text: &str, pointer: &str, value: Value) -> Vec<(&'static str, String)> {
    let mut document: Value = serde_json::from_str(text).unwrap();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = document.pointer_mut(parent).unwrap();
    match (parent, value) {
        (Value::Object(fields), Value::Null) => {
            fields.remove(key).unwrap();
        }
        (Value::Array(entries), Value::Null) => {
            entries.remove(key.parse().unwrap());
        }
        (parent, value) => match key.parse::<usize>() {
            Ok(at) if parent.is_array() => parent[at] = value,
            _ => parent[key] = value,
        },
    }
    found(kind, &document)
}

#[test]
fn a_document_is_known_by_the_name_of_its_file() {
    let of = |name: &str| DesignDocument::of(Path::new(name));
    assert_eq!(of("plans/x/goal-analysis.json"), Some(DesignDocument::Analysis));
    assert_eq!(of("expert-data.json"), Some(DesignDocument::Report));
    assert_eq!(of(&design::report_file("data")), Some(DesignDocument::Report));
    assert_eq!(of("critic.json"), Some(DesignDocument::Critique));
    for other in [
        "plan.json",
        "expert-data.md",
        "my-critic.json",
        "goal-analysis.json/plan.json",
        "",
    ] {
        assert_eq!(of(other), None, "{other}");
    }
}

#[test]
fn the_examples_are_sound_and_are_read_whole() {
    let file = Path::new("it.json");
    let analysis = design::read_analysis(file, ANALYSIS);
    assert_eq!(analysis.findings, []);
    let analysis = analysis.document;
    assert_eq!(analysis.complexity, Some(Complexity::Standard));
    let team = analysis.recommended_team.iter();
    let team: Vec<_> = team.map(|one| (one.name.as_str(), one.kind, one.model)).collect();
    let wanted = [
        ("data", ExpertKind::Scanner, Some("sonnet")),
        ("writer", ExpertKind::Architect, Some("opus")),
    ];
    assert_eq!(team, wanted);
    let report = design::read_report(file, REPORT);
    assert_eq!(report.findings, []);
    assert_eq!(report.document.tasks[0].create, ["src/csv.rs"]);
    let critique = design::read_critique(file, CRITIQUE);
    assert_eq!(critique.findings, []);
    assert_eq!(
        critique.document.verdict,
        Some(CritiqueVerdict::ProceedWithChanges)
    );
    // The text for the next agent holds everything that is in the examples.
    for (text, told) in [
        (ANALYSIS, design::told(&analysis)),
        (REPORT, design::told(&report.document)),
        (CRITIQUE, design::told(&critique.document)),
    ] {
        let mut told: Value = serde_json::from_str(&told).unwrap();
        if let Some(first) = told.pointer_mut("/challenges/0") {
            assert_eq!(first.as_object_mut().unwrap().remove("id"), Some(json!("C1")));
        }
        assert_eq!(told, serde_json::from_str::<Value>(text).unwrap());
    }
}

/// Changes of an analysis: the place, the new value, the expected code, and its place if that is another. Null removes a field.
const WRONG_ANALYSES: &str = r#"
/refinedGoal | null | MISSING_FIELD
/refinedGoal | " " | EMPTY
/codebaseContext | null | MISSING_FIELD
/codebaseContext/stack | 1 | WRONG_KIND
/codebaseContext/testCommand | "a\nb" | CONTROL_CHARACTER
/complexity | null | MISSING_FIELD
/complexity | "huge" | UNKNOWN_WORD
/complexityRationale | null | MISSING_FIELD
/approaches/1 | null | FEW_APPROACHES | /approaches
/approaches/0/recommended | false | BAD_RECOMMENDATION | /approaches
/approaches/1/recommended | true | BAD_RECOMMENDATION | /approaches
/approaches/1/recommended | "no" | WRONG_KIND
/approaches/0/risk | "none" | UNKNOWN_WORD
/approaches/0/name | null | MISSING_FIELD
/approaches/0/pros | [""] | EMPTY | /approaches/0/pros/0
/recommendedTeam/1 | null | FEW_EXPERTS | /recommendedTeam
/recommendedTeam | [1, 2, 3, 4, 5, 6] | TOO_MANY
/recommendedTeam/1/name | "data" | DUPLICATE_NAME
/recommendedTeam/1/name | "../up" | BAD_NAME
/recommendedTeam/1/name | "-up" | BAD_NAME
/recommendedTeam/1/name | "a-name-of-more-than-twenty" | TOO_LONG
/recommendedTeam/1/type | "guru" | UNKNOWN_WORD
/recommendedTeam/1/type | null | MISSING_FIELD
/recommendedTeam/1/model | "gpt" | UNKNOWN_WORD
/recommendedTeam/1/mandate | null | MISSING_FIELD
"#;

/// The same for the report of an architect and for a critique.
const WRONG_REPORTS: &str = r#"
/expert | null | MISSING_FIELD
/type | null | MISSING_FIELD
/findings | [] | NO_FINDINGS
/findings | null | NO_FINDINGS
/approaches/1 | null | FEW_APPROACHES | /approaches
/tasks/0/subject | null | MISSING_FIELD
/tasks/0/chosenApproach | null | MISSING_FIELD
/tasks/0/model | "gpt" | UNKNOWN_WORD
/tasks/0/create | "a" | WRONG_KIND
"#;
const WRONG_CRITIQUES: &str = r#"
/verdict | null | MISSING_FIELD
/verdict | "fine" | UNKNOWN_WORD
/verdict | "major-rework-needed" | BAD_VERDICT
/challenges/0/severity | "bad" | UNKNOWN_WORD
/challenges/0/issue | null | MISSING_FIELD
/challenges | [1] | WRONG_KIND | /challenges/0
"#;

/// Makes each change of a table and checks the findings.
fn holds(kind: DesignDocument, text: &str, table: &str) {
    for row in table.lines().filter(|row| !row.is_empty()) {
        let mut cells = row.split(" | ");
        let mut cell = || cells.next().unwrap();
        let (pointer, value, code) = (cell(), serde_json::from_str(cell()).unwrap(), cell());
        let place = cells.next().unwrap_or(pointer);
        let step = |step: &str| match step.parse::<usize>() {
            Ok(index) => format!("[{index}]"),
            Err(_) => format!(".{step}"),
        };
        let path = format!("${}", place.split('/').skip(1).map(step).collect::<String>());
        let found = found_with(kind, text, pointer, value);
        assert_eq!(found, [(code, path)], "{row}");
    }
}

#[test]
fn each_wrong_field_of_an_analysis_is_found_with_its_path() {
    holds(DesignDocument::Analysis, ANALYSIS, WRONG_ANALYSES);
}

#[test]
fn a_small_goal_needs_one_way_and_no_experts() {
    let mut small: Value = serde_json::from_str(ANALYSIS).unwrap();
    small["complexity"] = json!("minimal");
    small["recommendedTeam"] = json!([]);
    small["approaches"].as_array_mut().unwrap().pop();
    assert_eq!(found(DesignDocument::Analysis, &small), []);
    small["approaches"] = json!([]);
    assert_eq!(
        found(DesignDocument::Analysis, &small),
        [("FEW_APPROACHES", "$.approaches".to_owned())]
    );
}

#[test]
fn each_wrong_field_of_a_report_or_a_critique_is_found_with_its_path() {
    holds(DesignDocument::Report, REPORT, WRONG_REPORTS);
    holds(DesignDocument::Critique, CRITIQUE, WRONG_CRITIQUES);
}

#[test]
fn a_scanner_weighs_nothing_and_what_is_blocking_blocks() {
    use DesignDocument::{Critique, Report};
    let mut scanner: Value = serde_json::from_str(REPORT).unwrap();
    scanner["type"] = json!("scanner");
    scanner["approaches"] = json!([]);
    scanner["tasks"][0]
        .as_object_mut()
        .unwrap()
        .remove("chosenApproach");
    assert_eq!(found(Report, &scanner), []);
    let mut mild: Value = serde_json::from_str(CRITIQUE).unwrap();
    mild["verdict"] = json!("proceed");
    assert_eq!(found(Critique, &mild), []);
    mild["challenges"][0]["severity"] = json!("blocking");
    assert_eq!(found(Critique, &mild), [("BAD_VERDICT", "$.verdict".to_owned())]);
}

#[test]
fn challenges_are_numbered_and_those_that_weigh_must_be_answered() {
    let mut critique: Value = serde_json::from_str(CRITIQUE).unwrap();
    let challenge =
        |severity: &str| json!({ "expert": "e", "issue": "i", "severity": severity, "recommendation": "r" });
    critique["challenges"] = json!([challenge("minor"), challenge("blocking"), challenge("major")]);
    let read = design::read_critique(Path::new("critic.json"), &critique.to_string());
    let ids: Vec<&str> = read.document.to_answer().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["C2", "C3"]);
}

#[test]
fn a_document_that_would_fill_the_prompts_of_others_is_refused() {
    let mut long: Value = serde_json::from_str(REPORT).unwrap();
    let finding = "f".repeat(1_000);
    long["findings"] = json!(vec![finding.clone(); 10]);
    assert_eq!(found(DesignDocument::Report, &long), []);
    long["findings"] = json!(vec![finding; 13]);
    assert_eq!(
        found(DesignDocument::Report, &long),
        [("TOO_LONG", "$".to_owned())]
    );
}

#[test]
fn a_plan_answers_a_challenge_by_a_decision_that_names_it() {
    use dbs::formats::graph_plan::undecided;
    let plan =
        json!({ "progress": { "decisions": ["C1: totals are the last row", "of C12 and c2"] } }).to_string();
    let open = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let found = undecided(Path::new("plan.json"), &plan, &names).into_iter();
        found.map(|found| (found.code, found.text)).collect::<Vec<_>>()
    };
    assert_eq!(open(&["C1", "C12"]), []);
    let said = open(&["C1", "C2"]);
    assert_eq!(said.len(), 1);
    assert_eq!(said[0].0, "UNDECIDED");
    assert!(
        said[0].1.contains("no decision says what became of C2"),
        "{said:?}"
    );
    let other = json!({ "progress": { "decisions": ["C12: taken"] } }).to_string();
    assert_eq!(
        undecided(Path::new("plan.json"), &other, &["C1".to_owned()]).len(),
        1
    );
    assert_eq!(
        undecided(Path::new("plan.json"), "{}", &["C1".to_owned()]).len(),
        1
    );
}
