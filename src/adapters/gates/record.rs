//! Record of each gate run, beside its output: a small file that says how a run ended, for people who look later. The engine does not read
//! it back; a record that cannot be written is left out, the run counts all the same.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::adapters::text_file;
use crate::domain::{Cause, Span, TestCounts, TestReport, Timestamp, Tri};
use crate::formats::test_report::{self, MOST_OUTPUT_BYTES, TestRunner};
use crate::ports::gates::{GateExit, GateReport, GateRun, Gates};

const VERSION: u32 = 1;
/// Maximum size of a record that is read: its command is the only long part.
const LARGEST_RECORD: u64 = 1024 * 1024;

/// Record of one gate run, stored as JSON beside the gate's output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateRecord {
    pub version: u32,
    pub name: String,
    pub command: String,
    pub commit: String,
    pub began: Timestamp,
    /// Names of variables of the person's shell that it does not get.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<String>,
    /// Result; `None` while the gate runs, or when the engine ended first.
    pub end: Option<GateResult>,
}

/// Result and duration of an ended gate run, as its record file stores them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateResult {
    pub outcome: Tri,
    /// Results of tests, where their runner is known and reports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestCounts>,
    pub took: Span,
    /// True if some of its output was not kept.
    pub is_cut: bool,
}

/// Wrapper around a `Gates` implementation that writes a record file for each run.
#[derive(Debug, Default, Clone, Copy)]
pub struct RecordedGates<G>(pub G);

impl<G: Gates> Gates for RecordedGates<G> {
    fn withheld(&self) -> Option<Cause> {
        self.0.withheld()
    }

    fn run(&self, run: &GateRun) -> GateReport {
        let mut record = GateRecord {
            version: VERSION,
            name: run.name.clone(),
            command: run.command.clone(),
            commit: run.commit.clone(),
            began: run.began,
            hidden: run.env.hidden.iter().map(|hidden| hidden.name.clone()).collect(),
            end: None,
        };
        let file = record_of(&run.output);
        text_file::keep_json(&file, &record);
        let mut report = self.0.run(run);
        report.tests = tests_of(run, &report);
        record.end = Some(GateResult {
            outcome: report.outcome.clone(),
            tests: report.tests.as_ref().and_then(|tests| tests.counts),
            took: Span(report.duration_ms),
            is_cut: report.truncated,
        });
        text_file::keep_json(&file, &record);
        report
    }
}

/// Returns the test report in the output of a gate, if its command starts a runner that is known and it ended by itself.
fn tests_of(run: &GateRun, report: &GateReport) -> Option<TestReport> {
    let GateExit::Code(code) = report.exit else {
        return None;
    };
    let runner = TestRunner::of_command(&run.command)?;
    let most = u64::try_from(MOST_OUTPUT_BYTES).ok()?;
    let (output, _) = text_file::tail(&run.output, most).ok()?;
    Some(test_report::read(
        &runner,
        Some(code),
        &String::from_utf8_lossy(&output),
    ))
}

fn record_of(output: &Path) -> PathBuf {
    output.with_extension("json")
}

/// Returns number, record and output file of each gate run of a folder, in order. Unreadable records are left out.
pub fn records(folder: &Path) -> Vec<(u16, GateRecord, PathBuf)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries.filter_map(|entry| record(&entry.path())).collect();
    found.sort_by_key(|(nth, ..)| *nth);
    found
}

fn record(path: &Path) -> Option<(u16, GateRecord, PathBuf)> {
    let nth = path.file_stem()?.to_str()?.parse().ok()?;
    if path.extension()? != "json" {
        return None;
    }
    let record: GateRecord = serde_json::from_slice(&text_file::read(path, LARGEST_RECORD).ok()?).ok()?;
    (record.version <= VERSION).then(|| (nth, record, path.with_extension("log")))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::domain::{HiddenReason, HiddenVariable};
    use crate::ports::gates::{GateEnv, GateExit};

    struct Said(Tri);

    impl Gates for Said {
        fn run(&self, run: &GateRun) -> GateReport {
            let under_way = records(run.output.parent().unwrap());
            assert!(under_way.iter().all(|(_, record, _)| record.end.is_none()));
            assert_eq!(under_way.len(), 1);
            GateReport {
                exit: GateExit::Code(0),
                outcome: self.0.clone(),
                duration_ms: 1_234,
                tail: String::new(),
                truncated: true,
                tests: None,
            }
        }
    }

    #[test]
    fn a_run_leaves_a_record_while_it_runs_and_when_it_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let run = GateRun {
            name: "tests".to_owned(),
            command: "cargo test".to_owned(),
            commit: "abc".to_owned(),
            began: Timestamp(7),
            cwd: folder.path().to_owned(),
            env: GateEnv {
                variables: Vec::new(),
                hidden: vec![HiddenVariable {
                    reason: HiddenReason::Secret,
                    name: "NPM_TOKEN".to_owned(),
                }],
            },
            timeout: Duration::from_secs(1),
            output: folder.path().join("00.log"),
            output_limit: 10,
        };
        let no = Tri::No("ended with code 1".to_owned());
        RecordedGates(Said(no.clone())).run(&run);
        std::fs::write(folder.path().join("01.json"), "no record").unwrap();
        let found = records(folder.path());
        let [(nth, record, output)] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!((*nth, output), (0, &run.output));
        assert_eq!(record.command, "cargo test");
        assert_eq!(record.hidden, ["NPM_TOKEN"]);
        let end = record.end.clone().unwrap();
        assert_eq!((end.outcome, end.took, end.is_cut), (no, Span(1_234), true));
        assert!(records(&folder.path().join("none")).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_in_the_place_of_a_record_is_left_out_and_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        nix::unistd::mkfifo(&folder.path().join("00.json"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert!(records(folder.path()).is_empty());
    }
}
