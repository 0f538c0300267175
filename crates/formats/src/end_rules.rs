//! Rules that find the cause of a tool's end in its last lines (LK-35). The rules are data (`assets/agents/ends.toml`); nothing here knows
//! a tool.

use std::sync::OnceLock;

use serde::Deserialize;

use super::table::TableReader;
use dbs_domain::event::EndCause;
use dbs_domain::{Span, Timestamp, TroubleKind};

/// Lines from the end that may name the cause; lines further up are not the tool's last word.
const LAST_LINES: usize = 8;
/// A limit that ends later than this was misread.
const MAX_RESET: Span = Span::minutes(60 * 24 * 40);
/// A limit may have ended while its tool was answered; a time longer ago than this is not the end of a limit.
const RECENT_RESET: Span = Span::minutes(15);

/// Rules that find the cause of an agent's end in its last lines of output.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndRules {
    rule: Vec<EndRule>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct EndRule {
    tools: Vec<String>,
    begins: String,
    #[serde(default)]
    holds: Vec<String>,
    cause: EndClass,
    #[serde(default = "agent_trouble")]
    trouble: TroubleKind,
    until: Option<ResetFormat>,
    /// Step that a person takes to change it.
    way: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum EndClass {
    Quota,
    Infra,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ResetFormat {
    Epoch,
}

/// Returns the rules that come with the program; none when they cannot be read, which a test keeps from being shipped.
pub fn builtin() -> &'static EndRules {
    static RULES: OnceLock<EndRules> = OnceLock::new();
    RULES.get_or_init(|| {
        read(include_str!("../../../assets/agents/ends.toml")).unwrap_or(EndRules { rule: Vec::new() })
    })
}

/// Reads rules.
///
/// # Errors
/// When the text is wrong, with the place of the fault in it.
pub fn read(text: &str) -> Result<EndRules, toml_edit::de::Error> {
    toml_edit::de::from_str(text)
}

/// Returns the usual trouble of an agent, which is mostly its login or its command line.
fn agent_trouble() -> TroubleKind {
    TroubleKind::Agent
}

impl EndRules {
    /// Reads the rules of a tool's own file, one from each table.
    pub(super) fn of_tables(tables: Vec<TableReader<'_>>) -> EndRules {
        EndRules {
            rule: tables.into_iter().filter_map(EndRule::of_table).collect(),
        }
    }

    /// Returns the cause of the end of the tool of that name, if its last lines name it. `now` is the time of the end.
    pub fn cause(&self, tool: &str, tail: &str, now: Timestamp) -> Option<EndCause> {
        let lines = tail.lines().map(without_marks).filter(|line| !line.is_empty());
        let lines: Vec<&str> = lines.collect();
        lines.iter().rev().take(LAST_LINES).find_map(|line| {
            let rule = self.rule.iter().find(|rule| rule.matches(tool, line))?;
            Some(rule.end_cause(line, now))
        })
    }
}

impl EndRule {
    fn of_table(mut fields: TableReader<'_>) -> Option<EndRule> {
        let begins = fields.need_name("begins");
        if fields.item("cause").is_none() {
            fields.missing("cause", "\"infra\"");
        }
        let holds = fields.one_or_more("holds");
        let (cause, trouble, until) = (fields.word("cause"), fields.word("trouble"), fields.word("until"));
        let way = fields.text("way");
        fields.finish();
        Some(EndRule {
            tools: vec!["*".to_owned()],
            begins,
            holds,
            cause: cause?,
            trouble: trouble.unwrap_or_else(agent_trouble),
            until,
            way,
        })
    }

    fn matches(&self, tool: &str, line: &str) -> bool {
        let named = self.tools.iter().any(|name| name == "*" || name == tool);
        named && line.starts_with(&self.begins) && self.holds.iter().all(|part| line.contains(part.as_str()))
    }

    fn end_cause(&self, line: &str, now: Timestamp) -> EndCause {
        let why = line.trim_end().to_owned();
        match self.cause {
            EndClass::Infra => EndCause::Infra(self.trouble.cause(match &self.way {
                Some(way) => format!("{why}; {way}"),
                None => why,
            })),
            EndClass::Quota => {
                let until = match self.until {
                    Some(ResetFormat::Epoch) => reset_time(line),
                    None => None,
                };
                let sensible = |at: &Timestamp| now.since(*at) <= RECENT_RESET && at.since(now) <= MAX_RESET;
                EndCause::Quota {
                    until: until.filter(sensible),
                    why,
                }
            }
        }
    }
}

/// Returns a line without the marks that tools put in front of it.
fn without_marks(line: &str) -> &str {
    line.trim_start_matches(|sign: char| !sign.is_alphanumeric())
        .trim_end()
}

/// Reads seconds since 1970 behind a bar: `usage limit reached|1749924000`.
fn reset_time(line: &str) -> Option<Timestamp> {
    let digits: String = line
        .split_once('|')?
        .1
        .trim()
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    Some(Timestamp(digits.parse::<u64>().ok()?.checked_mul(1_000)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_749_920_000_000);

    fn class(tool: &str, tail: &str) -> &'static str {
        match builtin().cause(tool, tail, NOW) {
            Some(EndCause::Quota { .. }) => "quota",
            Some(EndCause::Infra(_)) => "infra",
            Some(EndCause::Reported | EndCause::Left) | None => "nothing",
        }
    }

    #[test]
    fn a_connection_that_broke_is_the_networks_matter_and_a_login_a_persons() {
        for (line, kind) in [
            ("API Error: Connection error.", TroubleKind::Network),
            ("Not logged in", TroubleKind::Refusal),
        ] {
            let Some(EndCause::Infra(cause)) = builtin().cause("claude", line, NOW) else {
                panic!("{line} names no cause");
            };
            assert!(cause.kind == kind && cause.text.starts_with(line), "{cause:?}");
        }
    }

    #[test]
    fn the_builtin_rules_can_be_read() {
        let rules = read(include_str!("../../../assets/agents/ends.toml")).unwrap();
        assert!(!rules.rule.is_empty());
    }

    /// Each line is a tool, the cause it names, and its own words as they were recorded.
    #[test]
    fn recorded_last_words_are_understood() {
        let recorded = include_str!("../../../tests/data/agents/ends.tsv");
        let mut read = 0;
        for line in recorded.lines().filter(|line| !line.starts_with('#')) {
            let [tool, wanted, words] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("not three columns: {line}");
            };
            assert_eq!(class(tool, &format!("working\n\n{words}\n")), wanted, "{line}");
            assert_eq!(
                class(tool, &format!("  ⎿  {words}")),
                wanted,
                "with a mark: {line}"
            );
            read += 1;
        }
        assert!(read >= 15, "{read} lines");
    }

    #[test]
    fn text_inside_a_line_or_far_up_or_of_another_tool_is_no_cause() {
        assert_eq!(
            class("claude", "the log says: Not logged in · Please run /login"),
            "nothing"
        );
        assert_eq!(class("codex", "Not logged in · Please run /login"), "nothing");
        let far = format!("Not logged in\n{}", "more\n".repeat(LAST_LINES));
        assert_eq!(class("claude", &far), "nothing");
        assert_eq!(class("claude", ""), "nothing");
    }

    #[test]
    fn seconds_behind_a_bar_are_the_end_of_a_limit_only_where_that_can_be_true() {
        let until = |tool: &str, line: &str| match builtin().cause(tool, line, NOW) {
            Some(EndCause::Quota { until, .. }) => until,
            other => panic!("{line}: {other:?}"),
        };
        let epoch = "Claude AI usage limit reached|1749924000";
        assert_eq!(until("claude", epoch), Some(Timestamp(1_749_924_000_000)));
        let just_over = "Claude AI usage limit reached|1749919999";
        assert_eq!(until("claude", just_over), Some(Timestamp(1_749_919_999_000)));
        assert_eq!(until("claude", "Claude AI usage limit reached|12"), None);
    }
}
