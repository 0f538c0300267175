//! In which form a log is printed.

/// What form of a log is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli::commands) enum Form {
    /// Lines for people, up to now.
    Lines,
    /// Lines for people, and more as it comes.
    Following,
    /// Byte for byte.
    Raw,
    /// Byte for byte, and more as it comes.
    FollowingRaw,
    /// A recording, up to now.
    Cast,
}

impl Form {
    /// The form for whether it is wanted byte for byte, and whether it goes on as more comes.
    pub(in crate::cli::commands) fn of(raw_and_follow: (bool, bool)) -> Form {
        match raw_and_follow {
            (true, true) => Form::FollowingRaw,
            (true, false) => Form::Raw,
            (false, true) => Form::Following,
            (false, false) => Form::Lines,
        }
    }
}
