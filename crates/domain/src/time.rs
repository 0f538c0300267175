//! Points in time and lengths of time as plain numbers. There is no clock here: `now` is always an argument.

use std::fmt;
use std::ops::{Add, Sub};

use serde::{Deserialize, Serialize};

/// Point in time, in milliseconds since 1970-01-01 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

/// Length of time in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Span(pub u64);

impl Timestamp {
    /// Returns the time since `earlier`; zero if it is in the future.
    pub fn since(self, earlier: Timestamp) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// Returns the distance of two points, in either order. On a clock that may be set back, a new thing is one that is close to now: one
    /// far in the future is an old one.
    #[must_use]
    pub fn apart(self, other: Timestamp) -> Span {
        Span(self.0.abs_diff(other.0))
    }

    /// Returns the same point on a clock that was moved forward, or back, by that number of milliseconds.
    #[must_use]
    pub fn moved(self, by: i64) -> Timestamp {
        Timestamp(self.0.saturating_add_signed(by))
    }
}

impl Span {
    /// Creates a length in whole seconds.
    pub const fn seconds(seconds: u64) -> Span {
        Span(seconds * 1000)
    }

    /// Creates a length in whole minutes.
    pub const fn minutes(minutes: u64) -> Span {
        Span(minutes * 60_000)
    }

    /// Returns this length multiplied by `times`, but at most `most`.
    #[must_use]
    pub fn scaled(self, times: u64, most: Span) -> Span {
        Span(self.0.saturating_mul(times).min(most.0))
    }
}

impl Add<Span> for Timestamp {
    type Output = Timestamp;
    fn add(self, span: Span) -> Timestamp {
        Timestamp(self.0.saturating_add(span.0))
    }
}

impl Sub<Span> for Timestamp {
    type Output = Timestamp;
    fn sub(self, span: Span) -> Timestamp {
        Timestamp(self.0.saturating_sub(span.0))
    }
}

impl fmt::Display for Span {
    /// Formats `<60 s` as seconds, `<1 h` as minutes, else hours with one decimal (K79), which is left out if it is zero.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0 / 1000;
        let (hours, tenths) = (seconds / 3600, (seconds % 3600) / 360);
        match seconds {
            0..60 => write!(f, "{seconds}s"),
            60..3600 => write!(f, "{}m", seconds / 60),
            _ if tenths == 0 => write!(f, "{hours}h"),
            _ => write!(f, "{hours}.{tenths}h"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_of_time_reads_as_people_say_it() {
        for (span, words) in [
            (Span(999), "0s"),
            (Span::seconds(59), "59s"),
            (Span::seconds(60), "1m"),
            (Span::seconds(3_599), "59m"),
            (Span::minutes(60), "1h"),
            (Span::minutes(65), "1h"),
            (Span::minutes(66), "1.1h"),
            (Span::minutes(90), "1.5h"),
            (Span::minutes(24 * 60), "24h"),
        ] {
            assert_eq!(span.to_string(), words);
        }
    }
}
