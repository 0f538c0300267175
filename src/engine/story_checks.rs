//! Checks of stories that are tested first: their tests exist and assert, and they fail because the tested code is missing.

use super::context::EngineContext;
use super::job::Job;
use crate::domain::{ComplianceIssue, FirstRun, Severity, StoryTests, Tri, Worker, first_run as judge};
use crate::ports::gates::GateReport;
use crate::ports::git::{CommitFile, CommitId};
use crate::ports::holders::HolderId;
use crate::ports::stories::TestFile;

/// Maximum number of bytes of a file of tests that are looked at.
const TESTS_LIMIT: usize = 1024 * 1024;
/// Maximum number of names that a finding lists.
const MOST_NAMES: usize = 10;

/// The tests are in the commit, none is plainly a stub, and there is one for each criterion at least (A5, A15).
pub(super) fn tests(
    context: &EngineContext,
    job: &Job,
    head: &CommitId,
) -> Result<Vec<ComplianceIssue>, Tri> {
    let Some(plan) = job.task.plan.as_deref() else {
        return Ok(Vec::new());
    };
    let Some(tests) = &plan.tests else {
        return Ok(Vec::new());
    };
    let critical = |text: String| {
        let text = text + &last_output(context, job);
        Ok(vec![ComplianceIssue::new(Severity::Critical, text)])
    };
    let path = &tests.file;
    let Some(found) = read(context, tests, head)? else {
        return critical(format!(
            "the tests {path} are not in the commit, or are not a file"
        ));
    };
    if let Some((name, line)) = found.stubs.first() {
        let more = found.stubs.len() - 1;
        let more = if more == 0 {
            String::new()
        } else {
            format!(", and {more} more like it")
        };
        return critical(format!(
            "the test {name} in line {line} of {path} asserts nothing, or is never run{more}"
        ));
    }
    let wanted = plan.criteria.len();
    if found.n_asserting < wanted.max(1) {
        return critical(format!(
            "{path} has {} tests that assert something for {wanted} criteria; write one for each at least",
            found.n_asserting
        ));
    }
    Ok(Vec::new())
}

/// Returns the last lines of the agent that was to write the tests, which say why there are none (A22); empty for tests of the base.
fn last_output(context: &EngineContext, job: &Job) -> String {
    let attempt = job.attempt.as_deref();
    let agents = attempt.filter(|attempt| matches!(attempt.worker, Worker::Agent { .. }));
    let lines = agents.map(|attempt| context.terminals.last_lines(&HolderId::from(attempt.id)));
    let lines = lines.filter(|lines| !lines.is_empty());
    lines.map_or_else(String::new, |lines| {
        format!("\nthe last lines of its agent:\n{lines}")
    })
}

fn read(context: &EngineContext, tests: &StoryTests, head: &CommitId) -> Result<Option<TestFile>, Tri> {
    match context.git.file_at(head, &tests.file, TESTS_LIMIT) {
        Err(error) => Err(Tri::Unknown(error.cause().after("could not "))),
        Ok(CommitFile::Absent | CommitFile::NoFile) => Ok(None),
        Ok(CommitFile::Text(text)) if text.truncated => Err(Tri::No(format!(
            "the tests {} are too large to be read; split the story",
            tests.file
        ))),
        Ok(CommitFile::Text(text)) => {
            let found = context.stories.read_tests(tests, &text.text);
            found.map(Some).map_err(|why| Tri::No(format!("could not {why}")))
        }
    }
}

/// Returns the reason why the first run of new tests is not the wanted one; `None` if it is (LA-5).
pub(super) fn first_run(
    context: &EngineContext,
    job: &Job,
    head: &CommitId,
    run: &GateReport,
) -> Result<Option<String>, Tri> {
    let Some(report) = &run.tests else {
        return Ok(None);
    };
    let tests = job.task.plan.as_ref().and_then(|plan| plan.tests.as_ref());
    let file = match tests {
        Some(tests) => read(context, tests, head)?.unwrap_or_default(),
        None => TestFile::default(),
    };
    // For a gate of no story, no file lists what is to be created.
    let is_to_be_created = |name: &str| tests.is_none() || file.is_to_be_created(name);
    Ok(match judge(report, &is_to_be_created) {
        FirstRun::FailsAsWanted | FirstRun::FailsSomehow => None,
        FirstRun::AlreadyPasses if tests.is_some_and(|tests| tests.may_pass) => None,
        FirstRun::AlreadyPasses => Some(match tests {
            Some(tests) => format!(
                "passes already: tests must fail first; {} begins:\n{}\n",
                tests.file, file.head
            ),
            None => "passes already".to_owned(),
        }),
        FirstRun::Defect(names) if names.is_empty() => "cannot be loaded or run as it is".to_owned().into(),
        FirstRun::Defect(names) => {
            let shown: Vec<&str> = names.iter().take(MOST_NAMES).map(String::as_str).collect();
            Some(format!(
                "lacks {}, which nothing says is to be created; a line `Creates: NAME` in a comment of the tests says so",
                shown.join(", ")
            ))
        }
        FirstRun::NotRun(outcome) => Some(format!("did not run: {}", outcome.word())),
    })
}
