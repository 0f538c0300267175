//! Hours of the day as a person writes them: `22:00-07:00`. The caller supplies the current time.

use std::fmt;
use std::str::FromStr;

/// Minutes of a day.
const MINUTES_PER_DAY: u16 = 24 * 60;

/// Time ranges that repeat every day, such as `22:00-07:00`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DailyHours(Vec<(u16, u16)>);

/// Error of reading a text as daily time ranges; reads after "could not".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HoursError {
    part: String,
    why: &'static str,
}

impl fmt::Display for HoursError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "read `{}` as hours: {}; write them as 22:00-07:00, several with commas between",
            self.part, self.why
        )
    }
}

impl std::error::Error for HoursError {}

impl DailyHours {
    /// Returns the end of the range that contains `minute`, as a minute of the day, if there is one.
    pub fn end_after(&self, minute: u16) -> Option<u16> {
        let within = |(from, to): &&(u16, u16)| {
            if from < to {
                (*from..*to).contains(&minute)
            } else {
                minute >= *from || minute < *to
            }
        };
        self.0.iter().find(within).map(|(_, to)| *to % MINUTES_PER_DAY)
    }
}

impl FromStr for DailyHours {
    type Err = HoursError;

    fn from_str(text: &str) -> Result<DailyHours, HoursError> {
        if text.trim().is_empty() {
            return Ok(DailyHours::default());
        }
        text.split(',')
            .map(|part| {
                parse_range(part.trim()).map_err(|why| HoursError {
                    part: part.trim().to_owned(),
                    why,
                })
            })
            .collect::<Result<_, _>>()
            .map(DailyHours)
    }
}

impl fmt::Display for DailyHours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (from, to)) in self.0.iter().enumerate() {
            let comma = if place > 0 { "," } else { "" };
            write!(
                f,
                "{comma}{:02}:{:02}-{:02}:{:02}",
                from / 60,
                from % 60,
                to / 60,
                to % 60
            )?;
        }
        Ok(())
    }
}

fn parse_range(part: &str) -> Result<(u16, u16), &'static str> {
    let (from, to) = part.split_once('-').ok_or("there is no `-` in it")?;
    let (from, to) = (parse_minute(from)?, parse_minute(to)?);
    if from == MINUTES_PER_DAY {
        return Err("a day begins at 00:00");
    }
    if from == to {
        return Err("it ends when it begins");
    }
    Ok((from, to))
}

/// Parses a time of day; the end of a day may be written as 24:00.
fn parse_minute(text: &str) -> Result<u16, &'static str> {
    let digits = |text: &str| text.len() <= 2 && text.chars().all(|c| c.is_ascii_digit());
    let (hour, minute) = text.trim().split_once(':').ok_or("a time has a `:` in it")?;
    if !digits(hour) || minute.len() != 2 || !digits(minute) {
        return Err("a time is hours and two digits of minutes");
    }
    let number = |text: &str| {
        text.parse::<u16>()
            .map_err(|_empty| "a time begins with its hour")
    };
    let (hour, minute) = (number(hour)?, number(minute)?);
    let whole = hour * 60 + minute;
    if minute > 59 || whole > MINUTES_PER_DAY {
        return Err("there is no such time of day");
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours(text: &str) -> DailyHours {
        text.parse().unwrap()
    }

    const fn at(hour: u16, minute: u16) -> u16 {
        hour * 60 + minute
    }

    #[test]
    fn hours_may_go_over_midnight_and_their_end_is_not_among_them() {
        let night = hours("22:00-07:00");
        for inside in [at(22, 0), at(23, 59), 0, at(6, 59)] {
            assert_eq!(night.end_after(inside), Some(at(7, 0)), "{inside}");
        }
        for outside in [at(7, 0), at(12, 0), at(21, 59)] {
            assert_eq!(night.end_after(outside), None, "{outside}");
        }
        let lunch = hours("12:30-13:30");
        assert_eq!(lunch.end_after(at(12, 30)), Some(at(13, 30)));
        assert_eq!(lunch.end_after(at(13, 30)), None);
        assert_eq!(hours("22:00-24:00").end_after(at(23, 0)), Some(0));
        assert_eq!(hours("").end_after(0), None);
    }

    #[test]
    fn several_stretches_are_separated_by_commas_and_written_as_they_were_read() {
        let both = hours(" 22:00-7:00 , 12:30-13:30");
        assert_eq!(both.end_after(at(13, 0)), Some(at(13, 30)));
        assert_eq!(both.end_after(at(1, 0)), Some(at(7, 0)));
        assert_eq!(both.to_string(), "22:00-07:00,12:30-13:30");
        assert_eq!(hours(&both.to_string()), both);
    }

    #[test]
    fn what_are_no_hours_is_told_with_its_part_and_what_is_wrong() {
        for (text, wrong) in [
            ("22-07", "`:`"),
            ("22:00", "`-`"),
            ("22:00-25:00", "no such time"),
            ("22:60-23:00", "no such time"),
            ("24:00-07:00", "begins at 00:00"),
            ("08:00-08:00", "ends when it begins"),
            ("22:0-07:00", "two digits"),
            ("+1:00-07:00", "two digits"),
            (":00-07:00", "its hour"),
            ("22:00-07:00,", "`-`"),
        ] {
            let why = text.parse::<DailyHours>().unwrap_err().to_string();
            assert!(why.contains(wrong), "{text}: {why}");
        }
    }
}
