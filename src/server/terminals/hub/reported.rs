//! Reports of programs in terminals beside their screens: kept with the terminal, and calls for the person also in a short list that every
//! attached client reads.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use super::TerminalHub;
use super::pane::LiveTerminal;
use super::readers::Readers;
use crate::adapters::clock;
use crate::ports::holders::HolderId;
use crate::term::{DesktopNotification, ProgressReport};
use crate::ui::{ProgramCall, ProgramReport};

impl Readers {
    /// Notes that a program rang its bell.
    pub(super) fn rang(&self, id: &HolderId, pane: &LiveTerminal) {
        self.called(id, pane, ProgramCall::Bell);
    }

    /// Notes that a program sent a notification to its terminal.
    pub(super) fn notified(&self, id: &HolderId, pane: &LiveTerminal, notification: &DesktopNotification) {
        if let Some(call) = ProgramCall::of(notification) {
            self.called(id, pane, call);
        }
    }

    fn called(&self, id: &HolderId, pane: &LiveTerminal, call: ProgramCall) {
        if pane.reports.lock().call(call.clone(), clock::now()) {
            self.calls.lock().push(id, call);
            self.terminals_changed();
        }
    }

    /// Notes the folder that a program reported. A folder of another host, or one without a full path, is not on this machine.
    pub(super) fn moved(&self, pane: &LiveTerminal, host: &str, folder: PathBuf) {
        let is_here = host.is_empty() || host == "localhost" || Some(host) == own_host();
        if is_here && folder.is_absolute() && pane.reports.lock().folder(folder, clock::now()) {
            self.terminals_changed();
        }
    }

    /// Notes that a program offers a text for the person's clipboard; invalid text is dropped.
    pub(super) fn offered(&self, pane: &LiveTerminal, bytes: Vec<u8>) {
        if let Some(text) = String::from_utf8(bytes).ok().filter(|text| !text.is_empty()) {
            pane.reports.lock().offer(text, clock::now());
            self.terminals_changed();
        }
    }

    /// Notes the progress that a program reported.
    pub(super) fn progressed(&self, pane: &LiveTerminal, progress: ProgressReport) {
        if pane.reports.lock().progress(progress, clock::now()) {
            self.terminals_changed();
        }
    }
}

impl TerminalHub {
    /// Returns the reports of the program in a terminal beside its screen.
    pub(in crate::server) fn report(&self, id: &HolderId) -> ProgramReport {
        let Some(pane) = self.terminal(id) else {
            return ProgramReport::default();
        };
        let mut reports = pane.reports.lock();
        if !pane.alive.load(Ordering::Acquire) {
            reports.end();
        }
        reports.report().clone()
    }

    /// Notes that a person looks at a terminal: the call of its program is over.
    pub(in crate::server) fn attend(&self, id: &HolderId) {
        if self.terminal(id).is_some_and(|pane| pane.reports.lock().attend()) {
            self.0.readers.terminals_changed();
        }
    }

    /// Takes the text that the program of the terminal in focus has just offered for the clipboard.
    pub(in crate::server) fn take_offer(&self, id: &HolderId) -> Option<String> {
        self.terminal(id)?.reports.lock().take_offer(clock::now())
    }

    /// Returns the calls of programs after that number, oldest first, and the number for the next call.
    pub(in crate::server) fn calls_after(&self, seen: u64) -> (u64, Vec<(HolderId, ProgramCall)>) {
        self.0.readers.calls.lock().after(seen)
    }
}

/// Returns the name of this machine as shells write it, where the system has it in a file.
fn own_host() -> Option<&'static str> {
    static HOST: OnceLock<Option<String>> = OnceLock::new();
    let read = || std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let host = HOST.get_or_init(|| read().map(|name| name.trim().to_owned()));
    host.as_deref().filter(|name| !name.is_empty())
}
