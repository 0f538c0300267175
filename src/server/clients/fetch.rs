//! Fetches data that views need and the board does not hold: differences from git, records of checks from their folders. Each on a blocking
//! thread beside the drawing; a failure becomes a sentence.

use std::sync::Arc;

use crate::adapters::gates::{self, GateRecord};
use crate::adapters::store::attempts_at;
use crate::adapters::text_file;
use crate::config::project_paths::ProjectPaths;
use crate::domain::{Attempt, AttemptId, TaskId, Tri};
use crate::engine::task_diff::diff_range;
use crate::ports::git::Git;
use crate::ports::holders::HolderId;
use crate::protocol::session_list;
use crate::read_model::{CheckResult, CheckRun, DependencyGraph, Diff, ReadModel, TaskChanges, worst_first};
use crate::ui::{CacheEntry, CacheKey};

use crate::server::engine_handle::EngineHandle;
use crate::server::fetch_error::FetchError;
use crate::server::figures::disk::DiskMonitor;
use crate::server::figures::machine::MachineMonitor;
use crate::server::figures::metrics::MetricsCollector;
use crate::server::settings::trust_overview::overview;
use crate::server::terminals::past_screen;
use crate::server::terminals::records::Records;

/// Maximum number of attempts whose checks are read when no task is named.
const MAX_ATTEMPTS: usize = 200;
/// Maximum bytes of a check's output that are read, from its end.
const MAX_OUTPUT: u64 = 512 * 1024;
/// Maximum bytes of differences that are read.
const MAX_DIFF: usize = 2 * 1024 * 1024;

/// The sources of data that views show and the board does not hold.
pub(in crate::server) struct Fetcher {
    pub(in crate::server) paths: ProjectPaths,
    pub(in crate::server) engine: EngineHandle,
    pub(in crate::server) git: Arc<dyn Git>,
    pub(in crate::server) records: Records,
    pub(in crate::server) metrics: MetricsCollector,
    pub(in crate::server) machine: MachineMonitor,
    pub(in crate::server) disk: DiskMonitor,
}

impl Fetcher {
    pub(in crate::server) fn fetch(&self, key: &CacheKey) -> CacheEntry {
        let (model, records) = (self.engine.read_model(), &self.records);
        let fetched = match key {
            CacheKey::Diff(changes) => diff(self.git.as_ref(), changes),
            CacheKey::Attempts(task, _) => attempts_at(&self.paths.store, task)
                .map(|found| CacheEntry::Attempts(found.into()))
                .map_err(FetchError::from),
            CacheKey::Checks(task) => Ok(CacheEntry::Checks(checks(records, &model, task.as_ref()).into())),
            CacheKey::Figures => self
                .metrics
                .report(&model)
                .map(CacheEntry::Figures)
                .map_err(FetchError::from),
            CacheKey::Machine => self.machine.measure().map(CacheEntry::Machine),
            CacheKey::Disk => self.disk.measure().map(|found| CacheEntry::Disk(found.into())),
            CacheKey::Replay(attempt, at) => {
                let folder = records.folder(&HolderId::from(*attempt));
                past_screen::screen_at(&folder, *at).map(|moment| CacheEntry::Replay(moment.into()))
            }
            CacheKey::Sessions => Ok(CacheEntry::Sessions(session_list::rows(&self.paths).into())),
            CacheKey::Trust(_) => {
                let report = self.paths.trust.look();
                Ok(CacheEntry::Trust(overview(&report, &self.paths.root).into()))
            }
            // Searched step by step, never fetched as a whole.
            CacheKey::Search(_) => Err(FetchError::WholeSearch),
            CacheKey::Graph => Ok(CacheEntry::Graph(DependencyGraph::of(&model).into())),
            CacheKey::Output(attempt, nth, _) => output(records, *attempt, *nth),
        };
        fetched.unwrap_or_else(|error: FetchError| CacheEntry::Failed(error.to_string()))
    }
}

fn diff(git: &dyn Git, changes: &TaskChanges) -> Result<CacheEntry, FetchError> {
    let range = diff_range(changes)?;
    let text = git.diff_text(&range, MAX_DIFF)?;
    Ok(CacheEntry::Diff(Diff::parse(&text.text, text.truncated).into()))
}

/// Returns the checks of a task's attempts, or of the latest attempts of all.
fn checks(records: &Records, model: &ReadModel, task: Option<&TaskId>) -> Vec<CheckRun> {
    let attempts = model.attempts.values().rev();
    let wanted = attempts.filter(|attempt| task.is_none_or(|task| attempt.task == *task));
    let mut checks: Vec<CheckRun> = wanted
        .take(MAX_ATTEMPTS)
        .flat_map(|attempt| {
            let found = gates::records(&records.gates(attempt.id));
            found
                .into_iter()
                .map(|(nth, record, _)| check(attempt, nth, record))
        })
        .collect();
    worst_first(&mut checks);
    checks
}

fn check(attempt: &Attempt, nth: u16, record: GateRecord) -> CheckRun {
    let took = record.end.as_ref().map(|end| end.took);
    let tests = record.end.as_ref().and_then(|end| end.tests);
    let is_cut = record.end.as_ref().is_some_and(|end| end.is_cut);
    let result = match record.end.map(|end| end.outcome) {
        Some(Tri::Yes) => CheckResult::Passed,
        Some(Tri::No(why)) => CheckResult::Failed(why),
        Some(Tri::Unknown(why)) => CheckResult::Unknown(why.text),
        None if attempt.state.is_open() => CheckResult::Running,
        None => CheckResult::Unknown("the server ended before it did".to_owned()),
    };
    CheckRun {
        attempt: attempt.id,
        index: nth,
        task: attempt.task.clone(),
        stage: attempt.stage.clone(),
        name: record.name,
        command: record.command,
        commit: record.commit,
        began: record.began,
        result,
        tests,
        took,
        is_cut,
        hidden: record.hidden,
    }
}

/// Returns the end of a check's output, as lines.
fn output(records: &Records, attempt: AttemptId, nth: u16) -> Result<CacheEntry, FetchError> {
    let file = records.gates(attempt).join(format!("{nth:02}.log"));
    let (bytes, is_cut) =
        text_file::tail(&file, MAX_OUTPUT).map_err(|error| FetchError::Output { file, error })?;
    let text = String::from_utf8_lossy(&bytes);
    let plain = without_styles(&text);
    // The first line is cut off when something was left out.
    let lines = plain.lines().skip(usize::from(is_cut));
    Ok(CacheEntry::Text(
        lines.map(str::to_owned).collect::<Vec<_>>().into(),
    ))
}

/// Returns a program's output as text: without colours and titles, and only the last state of a line that was overwritten.
fn without_styles(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('\u{1b}', Some('[')) => {
                rest.next();
                while rest.next().is_some_and(|c| !('@'..='~').contains(&c)) {}
            }
            ('\u{1b}', Some(']')) => while rest.next().is_some_and(|c| c != '\u{7}' && c != '\\') {},
            ('\u{1b}', _) => drop(rest.next()),
            ('\r', Some('\n')) => {}
            ('\r', _) => plain.truncate(plain.rfind('\n').map_or(0, |at| at + 1)),
            _ => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_shown_without_what_steers_a_terminal() {
        let output = "\u{1b}[1;32mok\u{1b}[0m one\r\n 10%\r 20%\rdone\n\u{1b}]0;title\u{7}end";
        assert_eq!(without_styles(output), "ok one\ndone\nend");
        assert_eq!(without_styles("\u{1b}["), "");
    }
}
