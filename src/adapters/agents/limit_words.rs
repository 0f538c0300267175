//! Words of tools about usage limits: the time at which a limit ends, as it is written for people (`resets 3:15am (UTC)`).

use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{ToSpan as _, Zoned};

use crate::adapters::clock::{self, on_calendar};
use crate::domain::event::EndCause;
use crate::domain::{Cause, RoleId, Span, Timestamp};

/// Words that stand before the end of a limit, in lower case.
const BEGINNINGS: [&str; 4] = ["reset", "try again", "retry after", "retry-after"];
/// Words that may stand between them and the time.
const FILLERS: [&str; 5] = ["at", "on", "in", "after", "and"];
/// Words that are read after each beginning.
const MOST_WORDS: usize = 12;
/// Longest limit: monthly ones, and some days.
const LONGEST: Span = Span::minutes(40 * 24 * 60);
/// A time of day that passed this recently is that of a limit that has just ended, not of one that ends tomorrow.
const JUST_ENDED: Span = Span::minutes(2);
/// Wait after a limit that has just ended: the clock of its service may be behind this one.
const AFTER_END: Span = Span::seconds(30);

/// Returns true if the words of a failed request name a usage limit. Too many requests at once are none.
pub(super) fn names_limit(words: &str) -> bool {
    let words = words.to_lowercase();
    let named = [
        "usage limit",
        "limit reached",
        "hour limit",
        "weekly limit",
        "daily limit",
        "daily quota",
    ];
    named.iter().any(|name| words.contains(name)) || (words.contains("hit your") && words.contains("limit"))
}

/// Returns the cause of an end with what its words say besides: the end of a limit, and the role whose setting a person changes.
pub(super) fn completed(cause: EndCause, role: &RoleId, now: Timestamp) -> EndCause {
    match cause {
        EndCause::Quota { until: None, why } => EndCause::Quota {
            until: limit_end(&why, now, &clock::time_zone()),
            why,
        },
        EndCause::Infra(cause) => EndCause::Infra(Cause {
            text: cause.text.replace("{role}", role.as_str()),
            ..cause
        }),
        known => known,
    }
}

/// Returns the time at which a limit ends by these words, if they say it: always after `now`, and not later than limits last. A time
/// without the name of a zone is one of `zone`.
pub fn limit_end(words: &str, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    // The same length, so that places in one are places in the other.
    let lower = words.to_ascii_lowercase();
    let found = BEGINNINGS.iter().flat_map(|begin| lower.match_indices(begin));
    let mut ends = found.filter_map(|(at, begin)| {
        let rest = lower.get(at + begin.len()..)?.trim_start_matches('s');
        let name = words.get(words.len().checked_sub(rest.len())?..)?;
        let zone = zone_of(name, zone)?;
        // The header of that name has seconds.
        let seconds = begin.starts_with("retry").then(|| seconds(rest)).flatten();
        seconds
            .map(|span| now + span)
            .or_else(|| read_end(rest, now, &zone))
    });
    ends.find(|end| *end > now && end.since(now) <= LONGEST)
}

/// Returns the zone in parentheses, if it is known, or the other one if none stands there.
fn zone_of(text: &str, other: &TimeZone) -> Option<TimeZone> {
    let line = text.lines().next().unwrap_or_default();
    let name = line.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
    match name {
        Some((name, _)) => TimeZone::get(name.trim()).ok(),
        None => Some(other.clone()),
    }
}

fn read_end(text: &str, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let text = text.split(['(', '\n']).next()?;
    let text = text.trim_start_matches(|sign: char| sign == ':' || sign.is_whitespace());
    let words = text.split(|sign: char| sign.is_whitespace() || sign == ',');
    let words = words
        .map(|word| word.trim_end_matches(['.', ';', '·']))
        .filter(|word| !word.is_empty());
    let words: Vec<&str> = words
        .take(MOST_WORDS)
        .filter(|word| !FILLERS.contains(word))
        .collect();
    let first = words.first()?;
    if let Ok(instant) = first.to_uppercase().parse::<jiff::Timestamp>() {
        return u64::try_from(instant.as_millisecond()).ok().map(Timestamp);
    }
    duration(&words)
        .map(|span| now + span)
        .or_else(|| next_moment(&words, now, zone))
}

/// Reads a number without a unit.
fn seconds(text: &str) -> Option<Span> {
    let word = text.trim_start_matches(|sign: char| sign == ':' || sign.is_whitespace());
    let word = word.split_whitespace().next()?.trim_end_matches(['.', ',']);
    Some(Span(word.parse::<u64>().ok()?.checked_mul(1_000)?))
}

/// Reads a length of time: `3 days 2 hours`, `1h30m`, `3h20m5.6s`.
fn duration(words: &[&str]) -> Option<Span> {
    let joined = words.concat();
    let mut rest = joined.as_str();
    let mut seconds: u64 = 0;
    while rest.starts_with(|sign: char| sign.is_ascii_digit()) {
        let end = rest
            .find(|sign: char| !sign.is_ascii_digit())
            .unwrap_or(rest.len());
        let number: u64 = rest.get(..end)?.parse().ok()?;
        let after = rest.get(end..)?;
        let after = after.strip_prefix('.').map_or(after, |part| {
            part.trim_start_matches(|c: char| c.is_ascii_digit())
        });
        let end = after
            .find(|sign: char| !sign.is_ascii_alphabetic())
            .unwrap_or(after.len());
        let unit = match after.get(..end)? {
            "d" | "day" | "days" => 86_400,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3_600,
            "m" | "min" | "mins" | "minute" | "minutes" => 60,
            "s" | "sec" | "secs" | "second" | "seconds" => 1,
            // What follows is not part of it, as in `in 5 minutes or upgrade`.
            unit => prefixed_unit(unit)?,
        };
        seconds = seconds.checked_add(number.checked_mul(unit)?)?;
        rest = after.get(end..)?;
    }
    (seconds > 0).then_some(Span(seconds.checked_mul(1_000)?))
}

/// Returns the length of a unit that other words follow without a space between.
fn prefixed_unit(word: &str) -> Option<u64> {
    let units = [("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1)];
    units
        .iter()
        .find(|(unit, _)| word.starts_with(unit))
        .map(|(_, seconds)| *seconds)
}

/// Returns the next moment that a day, if one is named, and a time of day mean: `3:15am`, `Mon 10am`, `Dec 3 15:00`.
fn next_moment(words: &[&str], now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let here = on_calendar(now).to_zoned(zone.clone());
    let (day, words) = read_day(words, here.date());
    let time = read_time(words)?;
    let moment = |date: Date| timestamp(&date.to_datetime(time).to_zoned(zone.clone()).ok()?);
    match day {
        Day::On(date) => moment(date),
        Day::Weekday(weekday) => {
            let today = here.date();
            let at = moment(if today.weekday() == weekday {
                today
            } else {
                today.nth_weekday(1, weekday).ok()?
            })?;
            upcoming(at, now).or_else(|| moment(today.nth_weekday(1, weekday).ok()?))
        }
        Day::Any => upcoming(moment(here.date())?, now).or_else(|| moment(here.date().tomorrow().ok()?)),
    }
}

/// Returns that time if it is still to come, or a moment from now if it has just passed.
fn upcoming(at: Timestamp, now: Timestamp) -> Option<Timestamp> {
    if at > now {
        return Some(at);
    }
    (now.since(at) <= JUST_ENDED).then_some(now + AFTER_END)
}

/// Day on which a limit ends.
enum Day {
    Any,
    Weekday(Weekday),
    On(Date),
}

/// Reads the name of a day or a date, and returns the words after it.
fn read_day<'a, 'b>(words: &'a [&'b str], today: Date) -> (Day, &'a [&'b str]) {
    if let [word, rest @ ..] = words
        && let Some(day) = named_day(word, today)
    {
        return (day, rest);
    }
    if let [one, other, rest @ ..] = words
        && let Some(date) = date(one, other, today).or_else(|| date(other, one, today))
    {
        return (Day::On(date), rest);
    }
    (Day::Any, words)
}

fn named_day(word: &str, today: Date) -> Option<Day> {
    const DAYS: [(&str, Weekday); 7] = [
        ("monday", Weekday::Monday),
        ("tuesday", Weekday::Tuesday),
        ("wednesday", Weekday::Wednesday),
        ("thursday", Weekday::Thursday),
        ("friday", Weekday::Friday),
        ("saturday", Weekday::Saturday),
        ("sunday", Weekday::Sunday),
    ];
    match word {
        "today" => Some(Day::On(today)),
        "tomorrow" => today.tomorrow().ok().map(Day::On),
        word if word.len() >= 3 => DAYS
            .iter()
            .find(|(name, _)| name.starts_with(word))
            .map(|(_, day)| Day::Weekday(*day)),
        _ => None,
    }
}

/// Returns the date of a month and a day that is nearest to today: no limit lasts a year.
fn date(month: &str, day: &str, today: Date) -> Option<Date> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let place = MONTHS
        .iter()
        .position(|name| month.len() >= 3 && name.starts_with(month))?;
    let month = i8::try_from(place + 1).ok()?;
    let day = day
        .trim_end_matches(|sign: char| sign.is_ascii_alphabetic())
        .parse()
        .ok()?;
    let this_year = Date::new(today.year(), month, day).ok()?;
    if this_year >= today {
        return Some(this_year);
    }
    this_year.checked_add(1.year()).ok()
}

/// Reads a time of day: `3:15am`, `10 pm`, `15:00`.
fn read_time(words: &[&str]) -> Option<Time> {
    let word = words.first()?;
    let end = word
        .find(|sign: char| sign.is_ascii_alphabetic())
        .unwrap_or(word.len());
    let half = match word.get(end..)? {
        "" => words.get(1).copied().unwrap_or_default(),
        half => half,
    };
    let mut numbers = word
        .get(..end)?
        .split(':')
        .map(|number| number.parse::<i8>().ok());
    let hour = numbers.next()??;
    let minute = numbers.next();
    let hour = match half {
        "am" | "a.m" | "pm" | "p.m" if !(1..=12).contains(&hour) => return None,
        "am" | "a.m" => hour % 12,
        "pm" | "p.m" => hour % 12 + 12,
        // A number alone is no time of day.
        _ if minute.is_none() => return None,
        _ => hour,
    };
    Time::new(hour, minute.unwrap_or(Some(0))?, 0, 0).ok()
}

fn timestamp(at: &Zoned) -> Option<Timestamp> {
    u64::try_from(at.timestamp().as_millisecond()).ok().map(Timestamp)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A Monday, at three in the afternoon in UTC.
    const NOW: &str = "2026-11-30T15:00:00Z";

    fn at(text: &str) -> Timestamp {
        let at: jiff::Timestamp = text.parse().unwrap();
        Timestamp(u64::try_from(at.as_millisecond()).unwrap())
    }

    fn end(words: &str) -> Option<Timestamp> {
        let five_hours_behind = TimeZone::posix("EST5").unwrap();
        limit_end(words, at(NOW), &five_hours_behind)
    }

    #[test]
    fn the_end_of_a_limit_is_read_in_the_words_of_each_tool() {
        for (words, wanted) in [
            (
                "You've hit your 5-hour limit · resets 3:15am (UTC)",
                "2026-12-01T03:15:00Z",
            ),
            (
                "You've hit your session limit ∙ resets 4pm (UTC)",
                "2026-11-30T16:00:00Z",
            ),
            (
                "You've hit your weekly limit · resets Mon 10am (UTC)",
                "2026-12-07T10:00:00Z",
            ),
            (
                "You've hit your weekly limit · resets Mon 10am",
                "2026-11-30T15:00:30Z",
            ),
            (
                "You've hit your weekly limit · resets Thursday, 10 am (UTC)",
                "2026-12-03T10:00:00Z",
            ),
            (
                "You've hit your limit · resets Dec 3 at 15:30 (UTC)",
                "2026-12-03T15:30:00Z",
            ),
            ("You've hit your limit · resets 3:15am", "2026-12-01T08:15:00Z"),
            ("limit reached · resets 14:59 (UTC)", "2026-11-30T15:00:30Z"),
            ("limit reached · resets 12am (UTC)", "2026-12-01T00:00:00Z"),
            ("limit reached · resets 12pm (UTC)", "2026-12-01T12:00:00Z"),
            (
                "limit reached · resets tomorrow at 9:00 (UTC)",
                "2026-12-01T09:00:00Z",
            ),
            (
                "limit reached, resets at 2026-11-30T18:00:00Z",
                "2026-11-30T18:00:00Z",
            ),
            ("Your quota will reset after 3h20m5s.", "2026-11-30T18:20:05Z"),
            (
                "Usage limit. Try again in 1 day 2 hours 5 minutes.",
                "2026-12-01T17:05:00Z",
            ),
            ("Usage limit. Try again in 28 days.", "2026-12-28T15:00:00Z"),
            (
                "rehearsal: usage limit reached, try again in 4 seconds",
                "2026-11-30T15:00:04Z",
            ),
            (
                "Usage limit. Try again in 5 minutes or upgrade",
                "2026-11-30T15:05:00Z",
            ),
            ("429 Too Many Requests, retry-after: 60", "2026-11-30T15:01:00Z"),
            ("Please retry after 20.5s", "2026-11-30T15:00:20Z"),
        ] {
            assert_eq!(end(words), Some(at(wanted)), "{words}");
        }
    }

    #[test]
    fn words_without_a_sensible_time_say_no_end() {
        for words in [
            "",
            "You've hit your limit",
            "resets",
            "resets soon",
            "resets 3",
            "resets 13am (UTC)",
            "resets 25:00",
            "resets 3:15am (Nowhere/Special)",
            "resets Feb 30 10am",
            "resets Jul 1 10am (UTC)",
            "resets at 2020-01-01T00:00:00Z",
            "try again in 400 days",
            "try again in 99999999999999999999 days",
            "try again in 0 seconds",
            "try again later",
        ] {
            assert_eq!(end(words), None, "{words}");
        }
    }

    #[test]
    fn a_zone_by_its_name_has_the_time_of_its_place() {
        assert_eq!(
            end("resets 9pm (Europe/Berlin)"),
            Some(at("2026-11-30T20:00:00Z"))
        );
    }

    #[test]
    fn only_words_about_a_limit_name_one() {
        for words in [
            "You've hit your 5-hour limit",
            "Claude AI usage limit reached|1",
            "You've hit your limit",
        ] {
            assert!(names_limit(words), "{words}");
        }
        for words in [
            "This request would exceed your account's rate limit. Please try again later.",
            "Overloaded",
            "",
        ] {
            assert!(!names_limit(words), "{words}");
        }
    }

    proptest! {
        #[test]
        fn the_end_of_a_limit_is_never_past_nor_far_away(
            words in prop_oneof![
                any::<String>(),
                "(resets|try again|retry after) (in |at |on )?((Mon|Sun|tue|Dec 3|29 Feb|today) )?[0-9]{1,3}(:[0-9]{1,2})?( ?(am|pm|h|days|s|))( \\((UTC|Europe/Berlin|X)\\))?",
                "resets? [a-zäß0-9:.()· ]{0,30}",
            ],
            now in 0_u64..5_000_000_000_000,
        ) {
            let now = Timestamp(now);
            if let Some(end) = limit_end(&words, now, &TimeZone::UTC) {
                prop_assert!(end > now && end.since(now) <= LONGEST, "{words}: {end:?}");
            }
        }
    }
}
