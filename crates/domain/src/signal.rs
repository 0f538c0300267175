//! Reports of an attempt about itself. A signal is bound to one attempt; alone it never moves a task.

use serde::{Deserialize, Serialize};

use super::time::Timestamp;

/// Kind of message that an attempt sends to the engine.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::Display,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum SignalKind {
    /// The agent has read the task and begins (K14).
    Claim,
    /// The agent is done (K15, K16).
    Done,
    /// The work that the agent reviewed is not good enough (K17).
    Reject,
    /// The agent cannot continue; a person must act (K18).
    Block,
    Fail,
    Progress,
    Question,
}

impl SignalKind {
    /// Returns true if the signal ends the attempt's work.
    pub fn is_terminal(self) -> bool {
        matches!(
            self,
            SignalKind::Done | SignalKind::Reject | SignalKind::Block | SignalKind::Fail
        )
    }
}

/// Maximum length of a report of a signal in bytes; a signal with a longer one is refused by its receiver.
pub const LONGEST_REPORT: usize = 64 * 1024;

/// Maximum number of signals of one kind that are accepted from an attempt.
pub(super) const MOST_SIGNALS: usize = 200;

/// Bytes of text and reports in the signals of one kind after which no more of that kind are accepted from an attempt.
pub(super) const MOST_SIGNAL_BYTES: usize = 256 * 1024;

/// Message of an attempt to the engine, such as done, block or progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signal {
    pub kind: SignalKind,
    /// Reason, finding, step or question; bounded by the receiver.
    pub text: String,
    /// Attachment of the signal: JSON as a rule, at most [`LONGEST_REPORT`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// Key chosen by the sender, so that the same signal arriving twice (socket and inbox) counts once.
    pub key: String,
    /// True if the signal came as a file, so that only its token says which process sent it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_file: bool,
    pub at: Timestamp,
}
