//! The only reading of the wall clock.
#![expect(clippy::disallowed_methods, reason = "this is the door to the wall clock")]

use std::sync::OnceLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use jiff::Zoned;
use jiff::tz::{AmbiguousOffset, TimeZone};

use crate::domain::{DailyHours, Span, Timestamp};
use crate::ports::clock::Clock;

/// Now, in milliseconds since 1970.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// Returns the time that the machine was awake since the first call. It cannot be set.
pub fn uptime() -> Span {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    let passed = FIRST.get_or_init(Instant::now).elapsed();
    Span(u64::try_from(passed.as_millis()).unwrap_or(u64::MAX))
}

/// Seconds that the person's time zone is ahead of UTC now.
pub fn utc_offset() -> i32 {
    Zoned::now().offset().seconds()
}

/// Returns the person's time zone.
pub fn time_zone() -> TimeZone {
    TimeZone::system()
}

/// The user's time zone with its daylight saving changes.
#[derive(Debug, Clone)]
pub struct Zone(TimeZone);

impl Zone {
    /// The person's.
    pub fn local() -> Zone {
        Zone(TimeZone::system())
    }

    /// Returns the time at which those hours of the day end there, if the present time is among them.
    pub fn end_of(&self, hours: &DailyHours, now: Timestamp) -> Option<Timestamp> {
        let here = on_calendar(now).to_zoned(self.0.clone());
        let minute =
            |hour: i8, minute: i8| u16::try_from(hour).unwrap_or(0) * 60 + u16::try_from(minute).unwrap_or(0);
        let shown = minute(here.hour(), here.minute());
        let end = hours.end_after(shown)?;
        // Whatever the calendar says, a caller that asks again in a minute misses nothing.
        let soon = Timestamp(now.0 + 60_000);
        Some(
            self.next(&here, end, end <= shown)
                .filter(|end| *end > now)
                .unwrap_or(soon),
        )
    }

    /// Returns the next time at which the clock on the wall shows that minute of the day: today or tomorrow.
    fn next(&self, here: &Zoned, minute: u16, is_tomorrow: bool) -> Option<Timestamp> {
        let date = if is_tomorrow {
            here.date().tomorrow().ok()?
        } else {
            here.date()
        };
        let (hour, minute) = (i8::try_from(minute / 60).ok()?, i8::try_from(minute % 60).ok()?);
        let shown = self.0.to_ambiguous_zoned(date.at(hour, minute, 0, 0));
        let found = match shown.offset() {
            // The clock is put on over it: it is past as soon as that is done.
            AmbiguousOffset::Gap { .. } => self.0.following(here.timestamp()).next()?.timestamp(),
            // Shown twice: the one that is still to come.
            AmbiguousOffset::Fold { .. } | AmbiguousOffset::Unambiguous { .. } => {
                let first = shown.clone().earlier().ok()?.timestamp();
                if first > here.timestamp() {
                    first
                } else {
                    shown.later().ok()?.timestamp()
                }
            }
        };
        u64::try_from(found.as_millisecond()).ok().map(Timestamp)
    }
}

/// The system's wall clock as an implementation of the engine's `Clock` port.
#[derive(Debug, Clone, Copy, Default)]
pub struct WallClock;

impl Clock for WallClock {
    fn now(&self) -> Timestamp {
        now()
    }

    fn uptime(&self) -> Span {
        uptime()
    }
}

/// The same time for the calendar; the beginning of 1970 where the calendar does not reach.
pub fn on_calendar(at: Timestamp) -> jiff::Timestamp {
    let milliseconds = i64::try_from(at.0).unwrap_or(i64::MAX);
    jiff::Timestamp::from_millisecond(milliseconds).unwrap_or_default()
}

/// The day in UTC, as 2026-01-31.
pub fn utc_date(at: Timestamp) -> String {
    on_calendar(at).strftime("%F").to_string()
}

/// The day and the time of day in UTC, as 2026-01-31 07:05:09.
pub fn utc_time(at: Timestamp) -> String {
    on_calendar(at).strftime("%F %T").to_string()
}

/// Hours, minutes, seconds of the person's own time zone.
pub fn time_of_day(at: Timestamp) -> String {
    on_calendar(at)
        .to_zoned(TimeZone::system())
        .strftime("%H:%M:%S")
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A zone of central Europe: an hour on at two on the last Sunday of March, back at three on that of October.
    fn berlin() -> Zone {
        Zone(TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap())
    }

    fn at(text: &str) -> Timestamp {
        let at: jiff::Timestamp = text.parse().unwrap();
        Timestamp(u64::try_from(at.as_millisecond()).unwrap())
    }

    fn ends(hours: &str, now: &str) -> Option<Timestamp> {
        berlin().end_of(&hours.parse().unwrap(), at(now))
    }

    #[test]
    fn hours_are_those_of_the_clock_on_the_wall_and_end_in_the_morning_after() {
        let night = "22:00-07:00";
        assert_eq!(ends(night, "2026-11-21T20:59:59Z"), None, "21:59:59 there");
        let morning = Some(at("2026-11-22T06:00:00Z"));
        assert_eq!(ends(night, "2026-11-21T21:00:00Z"), morning);
        assert_eq!(ends(night, "2026-11-22T05:59:59Z"), morning);
        assert_eq!(ends(night, "2026-11-22T06:00:00Z"), None);
        assert_eq!(ends("", "2026-11-22T03:00:00Z"), None);
    }

    #[test]
    fn a_night_in_which_the_clock_is_changed_ends_when_the_clock_says_so() {
        let night = "22:00-07:00";
        assert_eq!(
            ends(night, "2026-03-28T21:30:00Z"),
            Some(at("2026-03-29T05:00:00Z"))
        );
        assert_eq!(
            ends(night, "2026-10-24T21:30:00Z"),
            Some(at("2026-10-25T06:00:00Z"))
        );
    }

    #[test]
    fn an_end_that_the_clock_leaves_out_or_shows_twice_is_neither_missed_nor_asked_for_again_and_again() {
        let short = "01:00-02:30";
        assert_eq!(
            ends(short, "2026-03-29T00:30:00Z"),
            Some(at("2026-03-29T01:00:00Z")),
            "put on from 2 to 3"
        );
        assert_eq!(ends(short, "2026-03-29T01:00:00Z"), None);
        assert_eq!(
            ends(short, "2026-10-24T23:30:00Z"),
            Some(at("2026-10-25T00:30:00Z"))
        );
        assert_eq!(
            ends(short, "2026-10-25T00:30:00Z"),
            None,
            "2:30 for the first time"
        );
        assert_eq!(
            ends(short, "2026-10-25T01:10:00Z"),
            Some(at("2026-10-25T01:30:00Z")),
            "2:10 for the second time"
        );
    }
}
