//! Bench of a test: a folder of attempts of its own, and what tests need of holders.

use std::path::PathBuf;
use std::time::Duration;

use dbs::adapters::holder::process::{ProcessEntry, ProcessSelector, members};
use dbs::adapters::holder::protocol::HolderReply;
use dbs::adapters::holder::{HolderConnection, LocalHolders};
use dbs::domain::Span;
use dbs::ports::holders::{
    HolderId, HolderLiveness, HolderProcess, Holders, LaunchError, LaunchSpec, OrphanPolicy, PaneSize,
    ProgramExit,
};
use tempfile::TempDir;

use crate::polling::holds_within;

/// Holders that end with the test.
pub(crate) struct Bench {
    pub(crate) holders: LocalHolders,
    pub(crate) attempts: PathBuf,
    home: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let attempts = home.path().join("attempts");
        Self::at(home, attempts)
    }

    /// Makes a bench with its attempts in another folder.
    pub(crate) fn at(home: TempDir, attempts: PathBuf) -> Self {
        let runtime = home.path().join("run");
        let holders = LocalHolders::new(env!("CARGO_BIN_EXE_dbs").into(), attempts.clone(), runtime);
        Self {
            holders,
            attempts,
            home,
        }
    }

    /// Returns the launch of a shell script as an attempt.
    pub(crate) fn spec(&self, id: &str, script: &str) -> LaunchSpec {
        let path = std::env::var("PATH").expect("a path");
        LaunchSpec {
            id: HolderId::new(id),
            argv: vec!["sh".into(), "-c".into(), script.into()],
            cwd: self.home.path().into(),
            env: vec![("PATH".into(), path), ("LC_ALL".into(), "C".into())],
            size: PaneSize::cells(80, 24),
            marker: self.marker(id),
            log_limit: None,
            orphans: OrphanPolicy::Sweep,
            files: Vec::new(),
        }
    }

    pub(crate) fn marker(&self, id: &str) -> String {
        format!("{}/{id}", self.home.path().display())
    }

    pub(crate) fn start(&self, id: &str, script: &str) -> HolderProcess {
        self.launch(&self.spec(id, script)).expect("started")
    }

    pub(crate) fn launch(&self, spec: &LaunchSpec) -> Result<HolderProcess, LaunchError> {
        self.holders.launch(spec)
    }

    pub(crate) fn state(&self, id: &str) -> HolderLiveness {
        self.holders.status(&HolderId::new(id)).state
    }

    /// Waits for the end of the program.
    pub(crate) fn end(&self, id: &str) -> ProgramExit {
        let mut end = None;
        wait_for("the end", || {
            end = match self.state(id) {
                HolderLiveness::Exited(found) => Some(found),
                HolderLiveness::Running(_) => None,
                other => panic!("{id}: {other:?}"),
            };
            end.is_some()
        });
        end.expect("just found")
    }

    pub(crate) fn connect(&self, id: &str) -> HolderConnection {
        self.holders.connect(&HolderId::new(id)).expect("reachable")
    }

    pub(crate) fn tail(&self, id: &str, bytes: u64) -> String {
        String::from_utf8_lossy(&self.holders.tail(&HolderId::new(id), bytes)).into_owned()
    }

    /// Waits until the log holds this text.
    pub(crate) fn wait_for_output(&self, id: &str, text: &str) {
        wait_for(text, || self.tail(id, 1024 * 1024).contains(text));
    }

    /// Returns the living processes that carry the marker of this attempt.
    pub(crate) fn marked(&self, id: &str) -> Vec<ProcessEntry> {
        members(&mut ProcessSelector::marked(&self.marker(id))).expect("processes are listed")
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        for held in self.holders.inventory().unwrap_or_default() {
            let stopped = self.holders.stop(&held.id, Span(0));
            if let (Err(error), false) = (stopped, std::thread::panicking()) {
                panic!("{}: {error}", held.id);
            }
        }
    }
}

/// Waits for a condition, at most half a minute.
pub(crate) fn wait_for(what: &str, condition: impl FnMut() -> bool) {
    let is_so = holds_within(Duration::from_secs(30), condition);
    assert!(is_so, "waited in vain for: {what}");
}

/// Output of one terminal as the test has seen it, checked for overlaps and holes.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) bytes: Vec<u8>,
}

impl Seen {
    /// Takes a reply; returns true if it was the end.
    pub(crate) fn take(&mut self, reply: HolderReply) -> bool {
        match reply {
            HolderReply::Output { offset, bytes } => {
                let offset = usize::try_from(offset).expect("small");
                assert!(
                    offset <= self.bytes.len(),
                    "a hole before {offset}: only {} seen",
                    self.bytes.len()
                );
                let known = (self.bytes.len() - offset).min(bytes.len());
                assert!(
                    self.bytes[offset..offset + known] == bytes[..known],
                    "other bytes at {offset}"
                );
                self.bytes.extend_from_slice(&bytes[known..]);
                false
            }
            HolderReply::Exited(end) => {
                assert_eq!(usize::try_from(end.output).expect("small"), self.bytes.len());
                true
            }
            other => panic!("unexpected: {other:?}"),
        }
    }
}

/// Pseudo-random numbers for a test to vary with, the same every time.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % most
    }
}

/// Returns a figure of `/proc/PID/status`, in KiB.
#[cfg(target_os = "linux")]
pub(crate) fn memory(pid: u32, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it lives");
    let line = status
        .lines()
        .find(|line| line.starts_with(name))
        .expect("a known figure");
    line.split_ascii_whitespace()
        .nth(1)
        .and_then(|figure| figure.parse().ok())
        .expect("a number")
}
