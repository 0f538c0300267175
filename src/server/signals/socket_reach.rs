//! Times at which agents could reach the socket: a report that came as a file at such a time, of an attempt that reports over the socket,
//! was written by something else that has found its token.

use std::fs::Metadata;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::adapters::clock;
use crate::domain::{Attempt, Span, Timestamp};

/// Time after the server began to listen from which the sender of a file could have known it.
const SLACK: Span = Span(2_000);
/// Time before and after a connection that was refused, or answered late, in which a sender may have turned to the inbox.
const AROUND_MISSED: Span = Span(15_000);
/// Agents whose own sandbox may keep their commands from the socket.
const MAY_REPORT_BY_FILE: &[&str] = &["claude", "codex", "custom"];

/// Time since which the server listens, and the last time it turned a connection away.
#[derive(Debug, Clone, Default)]
pub(in crate::server) struct SocketReach(Arc<Mutex<ReachTimes>>);

#[derive(Debug, Default)]
struct ReachTimes {
    listens_since: Option<Timestamp>,
    missed: Option<Timestamp>,
}

impl SocketReach {
    /// Notes that the server listens since that time.
    pub(in crate::server) fn listens_since(&self, begin: Timestamp) {
        self.0.lock().listens_since = Some(begin);
    }

    /// Notes that the server does not listen any more.
    pub(in crate::server) fn closed(&self) {
        self.0.lock().listens_since = None;
    }

    /// Notes that a connection was turned away just now, or answered late.
    pub(in crate::server) fn missed(&self) {
        self.missed_at(clock::now());
    }

    /// Notes that a connection was turned away at that time, or answered late.
    pub(in crate::server) fn missed_at(&self, time: Timestamp) {
        self.0.lock().missed = Some(time);
    }

    /// Returns true if a sender at that time could reach the socket.
    pub(in crate::server) fn was_open_at(&self, time: Timestamp) -> bool {
        let times = self.0.lock();
        let listened = times.listens_since.is_some_and(|since| time > since + SLACK);
        let near = |missed: Timestamp| missed.apart(time) <= AROUND_MISSED;
        listened && !times.missed.is_some_and(near)
    }

    /// Returns the reason why a report that came as a file does not count, if it does not.
    pub(in crate::server) fn refusal(&self, attempt: &Attempt, file: &Metadata) -> Option<String> {
        let written = changed_at(file)?;
        if reports_by_file(attempt) || !self.was_open_at(written) {
            return None;
        }
        let name = attempt.worker.name();
        Some(format!(
            "a report of {name} (attempt {}) lay in the inbox although the server was listening; it does not count",
            attempt.id
        ))
    }
}

/// Returns true if the agent may be kept from the socket, and has not used it.
fn reports_by_file(attempt: &Attempt) -> bool {
    let agent = attempt.choice.agent.as_ref().map(|agent| agent.value.as_str());
    agent.is_none_or(|agent| MAY_REPORT_BY_FILE.contains(&agent))
        && attempt.signals.iter().all(|signal| signal.by_file)
}

/// Returns the time at which the file was put there; the change time, which programs cannot set, where the system has it.
#[cfg(unix)]
fn changed_at(file: &Metadata) -> Option<Timestamp> {
    use std::os::unix::fs::MetadataExt as _;
    let milliseconds = file
        .ctime()
        .checked_mul(1_000)?
        .checked_add(file.ctime_nsec() / 1_000_000)?;
    u64::try_from(milliseconds).ok().map(Timestamp)
}

#[cfg(not(unix))]
fn changed_at(file: &Metadata) -> Option<Timestamp> {
    let since = file.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok().map(Timestamp)
}
