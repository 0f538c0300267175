//! The file in which Claude Code keeps the state of a running session, `sessions/<pid>.json` in its folder. It is rewritten at each
//! change and removed at the end; after a kill it stays, so its process must be looked for.

use crate::adapters::agents::json_report::{filled, number, object, raw, text, time};
use crate::agent_state::{AgentReport, Doing, Wait};
use crate::domain::{AskKind, Timestamp};

/// Content of the file, with its process.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionFile {
    pub pid: u64,
    /// Start time of its process, in the system's own ticks; distinguishes it from another process with the same number.
    pub process_start: String,
    /// Time at which the state was written.
    pub at: Option<Timestamp>,
    pub report: AgentReport,
}

/// Reads the file; none when it is none or is just being written.
pub fn read(bytes: &[u8]) -> Option<SessionFile> {
    let file = object(bytes)?;
    let doing = match (raw(&file, "/status"), raw(&file, "/waitingFor")) {
        ("idle", _) => Some(Doing::Idle),
        ("busy", _) => Some(Doing::WORKING),
        ("waiting", "input needed") => Some(Doing::Blocked(Wait::new(AskKind::Question, ""))),
        ("waiting", _) => Some(Doing::Blocked(Wait::new(AskKind::Permission, ""))),
        _ => None,
    };
    Some(SessionFile {
        pid: number(&file, "/pid"),
        process_start: text(&file, "/procStart"),
        at: time(&file, "/statusUpdatedAt"),
        report: AgentReport {
            session: filled(&file, "/sessionId"),
            ..doing.map(AgentReport::doing).unwrap_or_default()
        },
    })
}
