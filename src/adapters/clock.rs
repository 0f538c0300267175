//! The only reading of the wall clock.
#![expect(clippy::disallowed_methods, reason = "this is the door to the wall clock")]

use std::time::{SystemTime, UNIX_EPOCH};

use crate::domain::Timestamp;
use crate::ports::clock::Clock;

/// Now, in milliseconds since 1970.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// Seconds that the person's time zone is ahead of UTC now.
pub fn utc_offset() -> i32 {
    jiff::Zoned::now().offset().seconds()
}

/// The wall clock as the engine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct WallClock;

impl Clock for WallClock {
    fn now(&self) -> Timestamp {
        now()
    }
}
