//! In which form a log is printed.

/// Format in which `dbs logs` prints an agent's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli::commands) enum LogFormat {
    /// Lines for people, up to now.
    Lines,
    /// Lines for people, and more as it comes.
    Following,
    Raw,
    /// Byte for byte, and more as it comes.
    FollowingRaw,
    /// A recording, up to now.
    Cast,
}

impl LogFormat {
    /// The form for whether a recording is wanted, else bytes, and whether it goes on as more comes.
    pub(in crate::cli::commands) fn of(cast: bool, raw_and_follow: (bool, bool)) -> LogFormat {
        match raw_and_follow {
            _ if cast => LogFormat::Cast,
            (true, true) => LogFormat::FollowingRaw,
            (true, false) => LogFormat::Raw,
            (false, true) => LogFormat::Following,
            (false, false) => LogFormat::Lines,
        }
    }
}
