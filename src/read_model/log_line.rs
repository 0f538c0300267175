//! A line of the log that people read.

use serde::{Deserialize, Serialize};

use crate::domain::{Notice, NoticeLevel, Timestamp};

/// A notice with its time and position in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    /// Position in the log; grows.
    pub seq: u64,
    pub at: Timestamp,
    pub notice: Notice,
}

/// A notice that is about no task.
pub fn general_notice(level: NoticeLevel, kind: &str, text: String) -> Notice {
    Notice {
        level,
        kind: kind.to_owned(),
        task: None,
        attempt: None,
        text,
    }
}
