//! Outputs of test runners, made by the runners themselves (`tests/data/test_runners/README.md`), and the report read from each.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use dbs::domain::{FirstRun, TestOutcome, TestReport, first_run};
use dbs::formats::test_report::{self, ExitCodes, TestRunner};
use proptest::prelude::*;

fn runner(name: &str) -> TestRunner {
    match name {
        "pytest" => TestRunner::Pytest,
        "cargo" => TestRunner::Cargo,
        "vitest" => TestRunner::Vitest,
        "jest" => TestRunner::Jest,
        "go" => TestRunner::Go,
        _ => TestRunner::Other(ExitCodes::default()),
    }
}

/// Name of the case, runner, exit code and output of every file.
fn cases() -> BTreeMap<String, (TestRunner, i32, String)> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/test_runners"));
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let texts = files.filter(|path| path.extension().is_some_and(|ending| ending == "txt"));
    texts
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let (case, exit) = name.split_once('.').unwrap();
            let runner = runner(case.split_once('-').unwrap().0);
            (
                case.to_owned(),
                (runner, exit.parse().unwrap(), fs::read_to_string(path).unwrap()),
            )
        })
        .collect()
}

fn shown(report: &TestReport) -> String {
    let counts = report.counts.map_or_else(
        || "-".to_owned(),
        |counts| {
            format!(
                "{}/{}/{}/{}",
                counts.passed, counts.failed, counts.errors, counts.skipped
            )
        },
    );
    let mut line = format!("{:?} {counts}", report.outcome);
    if !report.failing.is_empty() {
        write!(line, " failing {}", report.failing.join(", ")).unwrap();
    }
    if !report.missing.is_empty() {
        write!(line, " missing {}", report.missing.join(", ")).unwrap();
    }
    line
}

/// For each case: outcome; passed/failed/errors/skipped; names that failed; names that are missing.
const READ: &[(&str, &str)] = &[
    ("cargo-abort", "Internal -"),
    ("cargo-colour", "FailedByAssertion 1/1/0/0 failing tests::sums"),
    ("cargo-dep", "FailedToLoad - missing reqwest, shop::health"),
    (
        "cargo-fail",
        "FailedByAssertion 1/3/0/0 failing tests::sums, status_is_200, unfinished",
    ),
    ("cargo-filtered", "NothingCollected 0/0/0/0"),
    ("cargo-firstfail", "FailedByAssertion 1/1/0/0 failing tests::sums"),
    ("cargo-import", "FailedToLoad - missing shop::health"),
    ("cargo-name", "FailedToLoad - missing shop::health"),
    ("cargo-none", "NothingCollected 0/0/0/0"),
    ("cargo-option", "Usage -"),
    ("cargo-pass", "Passed 3/0/0/1"),
    ("cargo-syntax", "FailedToLoad -"),
    ("cargo-types", "FailedToLoad -"),
    ("cargo-usage", "Usage -"),
    (
        "go-dep",
        "FailedToLoad - failing shop missing github.com/acme/health",
    ),
    (
        "go-fail",
        "FailedByAssertion - failing TestStatusIs200, TestBody, TestBody/says_healthy",
    ),
    (
        "go-failverbose",
        "FailedByAssertion 0/2/0/0 failing TestStatusIs200, TestBody, TestBody/says_healthy",
    ),
    ("go-filtered", "NothingCollected -"),
    ("go-import", "FailedToLoad - failing shop missing shop/health"),
    ("go-name", "FailedToLoad - failing shop missing Health"),
    ("go-nofiles", "NothingCollected -"),
    ("go-nofolder", "Usage - failing ./nosuch"),
    ("go-none", "NothingCollected -"),
    ("go-option", "Usage -"),
    ("go-panic", "FailedByAssertion - failing TestPanics"),
    ("go-pass", "Passed -"),
    ("go-syntax", "FailedToLoad - failing shop"),
    ("go-verbose", "Passed 1/0/0/1"),
    (
        "jest-fail",
        "FailedByAssertion 1/3/0/0 failing health › status is 200, health › body says healthy, health › missing function missing undefinedName",
    ),
    (
        "jest-import",
        "FailedToLoad 0/0/1/0 failing import/health.test.js missing ../health",
    ),
    (
        "jest-importname",
        "FailedToLoad 0/1/0/0 failing status is 200 missing health",
    ),
    ("jest-nofiles", "NothingCollected -"),
    (
        "jest-none",
        "NothingCollected 0/0/1/0 failing none/health.test.js",
    ),
    ("jest-option", "Usage -"),
    ("jest-pass", "Passed 1/0/0/2"),
    (
        "jest-syntax",
        "FailedToLoad 0/0/1/0 failing syntax/health.test.js",
    ),
    ("pytest-absent", "Internal -"),
    (
        "pytest-attr",
        "FailedToLoad 0/2/0/0 failing test_health.py::test_it, test_health.py::test_undefined missing shop.total, total",
    ),
    (
        "pytest-colour",
        "FailedByAssertion 1/3/1/0 failing test_health.py::TestHealth::test_status_is_200, test_health.py::TestHealth::test_body_says_healthy, test_health.py::test_number[2], test_health.py::test_server",
    ),
    ("pytest-conftest", "FailedToLoad - missing health"),
    (
        "pytest-fail",
        "FailedByAssertion 1/3/1/0 failing test_health.py::TestHealth::test_status_is_200, test_health.py::TestHealth::test_body_says_healthy, test_health.py::test_number[2], test_health.py::test_server",
    ),
    (
        "pytest-import",
        "FailedToLoad 0/0/1/0 failing test_health.py missing health",
    ),
    (
        "pytest-importinside",
        "FailedByAssertion 0/2/0/0 failing test_health.py::test_status_is_200, test_health.py::test_other missing health",
    ),
    (
        "pytest-importname",
        "FailedToLoad 0/0/1/0 failing test_health.py missing shop.invoice",
    ),
    ("pytest-internal", "Internal 0/0/0/0"),
    ("pytest-interrupted", "Interrupted 0/0/0/0"),
    ("pytest-none", "NothingCollected 0/0/0/0"),
    ("pytest-option", "Usage -"),
    ("pytest-pass", "Passed 1/0/0/2"),
    ("pytest-passquiet", "Passed 1/0/0/2"),
    (
        "pytest-quiet",
        "FailedByAssertion 1/3/1/0 failing test_health.py::TestHealth::test_status_is_200, test_health.py::TestHealth::test_body_says_healthy, test_health.py::test_number[2], test_health.py::test_server",
    ),
    (
        "pytest-quieter",
        "FailedByAssertion 1/3/1/0 failing test_health.py::TestHealth::test_status_is_200, test_health.py::TestHealth::test_body_says_healthy, test_health.py::test_number[2], test_health.py::test_server",
    ),
    ("pytest-skips", "NothingCollected 0/0/0/1"),
    ("pytest-syntax", "FailedToLoad 0/0/1/0 failing test_health.py"),
    ("pytest-usage", "Usage 0/0/0/0"),
    (
        "vitest-colour",
        "FailedByAssertion 1/3/0/0 failing fail/health.test.js > health > status is 200, fail/health.test.js > health > body says healthy, fail/health.test.js > health > missing function missing undefinedName",
    ),
    (
        "vitest-fail",
        "FailedByAssertion 1/3/0/0 failing fail/health.test.js > health > status is 200, fail/health.test.js > health > body says healthy, fail/health.test.js > health > missing function missing undefinedName",
    ),
    (
        "vitest-import",
        "FailedToLoad 0/0/1/0 failing import/health.test.js missing ../health.js",
    ),
    (
        "vitest-importname",
        "FailedToLoad 0/1/0/0 failing importname/health.test.js > status is 200 missing health",
    ),
    ("vitest-nofiles", "NothingCollected -"),
    (
        "vitest-none",
        "NothingCollected 0/0/1/0 failing none/health.test.js",
    ),
    ("vitest-option", "Usage -"),
    ("vitest-pass", "Passed 1/0/0/2"),
    (
        "vitest-syntax",
        "FailedToLoad 0/0/1/0 failing syntax/health.test.js",
    ),
];

#[test]
fn outputs_of_real_runners_are_read_by_outcome_counts_and_names() {
    let read: Vec<(String, String)> = cases()
        .iter()
        .map(|(case, (runner, exit, output))| {
            (
                case.clone(),
                shown(&test_report::read(runner, Some(*exit), output)),
            )
        })
        .collect();
    let wanted: Vec<(String, String)> = READ
        .iter()
        .map(|(case, line)| ((*case).to_owned(), (*line).to_owned()))
        .collect();
    assert_eq!(read, wanted);
}

#[test]
fn an_exit_code_that_is_not_known_or_a_signal_never_passes() {
    let read = |runner: &TestRunner, exit| test_report::read(runner, exit, "").outcome;
    for name in ["pytest", "cargo", "vitest", "jest", "go"] {
        let runner = runner(name);
        assert_eq!(read(&runner, None), TestOutcome::Interrupted);
        assert_eq!(read(&runner, Some(130)), TestOutcome::Interrupted);
        assert_eq!(read(&runner, Some(127)), TestOutcome::Internal);
        for exit in 1..256 {
            assert_ne!(read(&runner, Some(exit)), TestOutcome::Passed, "{name} {exit}");
        }
    }
    assert_eq!(read(&TestRunner::Cargo, Some(0)), TestOutcome::NothingCollected);
    assert_eq!(read(&TestRunner::Go, Some(0)), TestOutcome::NothingCollected);
    let outcomes = [0, 1, 2, 3, 4, 5, 6].map(|exit| read(&TestRunner::Pytest, Some(exit)));
    assert_eq!(
        outcomes,
        [
            TestOutcome::Passed,
            TestOutcome::Failed,
            TestOutcome::Interrupted,
            TestOutcome::Internal,
            TestOutcome::Usage,
            TestOutcome::NothingCollected,
            TestOutcome::Failed
        ]
    );
}

/// Result of the first run of tests for a health check where `health` is to be created.
fn first(case: &str) -> FirstRun {
    let all = cases();
    let (runner, exit, output) = all.get(case).unwrap();
    let report = test_report::read(runner, Some(*exit), output);
    first_run(&report, &|name| {
        name.split(['.', ':', '/']).any(|part| part == "health")
    })
}

#[test]
fn tests_without_a_feature_fail_for_the_right_reason_or_it_is_said_why_not() {
    for case in [
        "pytest-fail",
        "cargo-fail",
        "go-fail",
        "pytest-import",
        "cargo-import",
        "vitest-import",
        "jest-import",
        "go-import",
        "pytest-importinside",
    ] {
        assert_eq!(first(case), FirstRun::FailsAsWanted, "{case}");
    }
    for (case, names) in [
        ("pytest-importname", vec!["shop.invoice"]),
        ("cargo-dep", vec!["reqwest"]),
        ("jest-fail", vec!["undefinedName"]),
        ("pytest-attr", vec!["shop.total", "total"]),
        ("pytest-syntax", vec![]),
        ("cargo-types", vec![]),
    ] {
        let names = names.into_iter().map(str::to_owned).collect();
        assert_eq!(first(case), FirstRun::Defect(names), "{case}");
    }
    for case in ["pytest-pass", "cargo-pass", "go-verbose", "jest-pass"] {
        assert_eq!(first(case), FirstRun::AlreadyPasses, "{case}");
    }
    for case in [
        "pytest-none",
        "pytest-usage",
        "cargo-none",
        "go-nofiles",
        "jest-nofiles",
        "pytest-interrupted",
        "pytest-absent",
    ] {
        assert!(matches!(first(case), FirstRun::NotRun(_)), "{case}");
    }
    let unknown = test_report::read(&TestRunner::Other(ExitCodes::default()), Some(1), "");
    assert_eq!(first_run(&unknown, &|_| false), FirstRun::FailsSomehow);
}

#[test]
fn any_other_runner_is_read_by_the_exit_codes_of_its_settings() {
    let codes = ExitCodes::new([(0, TestOutcome::NothingCollected), (7, TestOutcome::Passed)]);
    let runner = TestRunner::Other(codes);
    let outcomes =
        [0, 1, 7, 127].map(|exit| test_report::read(&runner, Some(exit), "1 passed in 0.1s").outcome);
    assert_eq!(
        outcomes,
        [
            TestOutcome::NothingCollected,
            TestOutcome::Failed,
            TestOutcome::Passed,
            TestOutcome::Internal
        ]
    );
}

#[test]
fn a_runner_is_known_by_the_words_of_its_command() {
    for (command, wanted) in [
        ("pytest -q tests/test_US_001.py", Some(TestRunner::Pytest)),
        ("uv run python -m pytest", Some(TestRunner::Pytest)),
        (".venv\\Scripts\\pytest.exe tests", Some(TestRunner::Pytest)),
        ("cargo +nightly test --test health", Some(TestRunner::Cargo)),
        ("npx vitest run", Some(TestRunner::Vitest)),
        ("./node_modules/.bin/jest", Some(TestRunner::Jest)),
        ("go test ./...", Some(TestRunner::Go)),
        ("go vet ./test", None),
        ("cargo build", None),
        ("npm test", None),
        ("pytest && cargo test", None),
        ("", None),
    ] {
        assert_eq!(TestRunner::of_command(command), wanted, "{command}");
    }
}

#[test]
fn names_in_a_report_are_bounded_and_hold_no_control_characters() {
    let mut many = String::new();
    for n in 0..500 {
        let name = "x".repeat(500);
        writeln!(many, "FAILED a.py::test_{n}\u{7}{name} - \u{1b}[31mE\u{1b}[0m\r").unwrap();
    }
    let output = format!("=== short test summary info ===\n{many}=== 500 failed in 0.1s ===\n");
    let report = test_report::read(&TestRunner::Pytest, Some(1), &output);
    assert_eq!(report.outcome, TestOutcome::FailedByAssertion);
    assert_eq!((report.counts.unwrap().failed, report.failing.len()), (500, 50));
    for name in &report.failing {
        assert!(
            name.chars().count() <= 200 && !name.chars().any(char::is_control),
            "{name:?}"
        );
    }
    let long = format!(
        "{}é{}",
        "x".repeat(10),
        "\u{e9}".repeat(test_report::MOST_OUTPUT_BYTES)
    );
    assert_eq!(
        test_report::read(&TestRunner::Cargo, Some(101), &long).outcome,
        TestOutcome::Internal
    );
}

proptest! {
    #[test]
    fn no_output_breaks_the_reader_of_test_runs_or_turns_a_failure_into_a_pass(
        case in any::<prop::sample::Index>(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0..200_usize, any::<String>()), 0..6),
        exit in prop_oneof![Just(None), (1..256).prop_map(Some)],
    ) {
        let all: Vec<_> = cases().into_values().collect();
        let (runner, _, output) = &all[case.index(all.len())];
        let mut letters: Vec<char> = output.chars().collect();
        for (at, n, text) in cuts {
            let at = at.index(letters.len() + 1);
            let end = (at + n).min(letters.len());
            letters.splice(at..end, text.chars());
        }
        let output: String = letters.into_iter().collect();
        prop_assert_ne!(test_report::read(runner, exit, &output).outcome, TestOutcome::Passed);
    }
}
