//! The filter of a log: words that must occur, and `t:`, `level:`, `agent:`, `kind:` with the required values.

use crate::domain::{NoticeLevel, Worker};
use crate::read_model::ReadModel;
use crate::ui::scene::LogLine;
use strum::VariantArray as _;

/// The conditions a log line must meet to be shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct LogFilter(Vec<FilterTerm>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum FilterTerm {
    Task(String),
    Level(NoticeLevel),
    Agent(String),
    Kind(String),
    Word(String),
}

impl LogFilter {
    /// Parses a filter. A level that does not exist is taken as a word.
    pub(super) fn parse(text: &str) -> LogFilter {
        LogFilter(text.split_whitespace().map(part).collect())
    }

    /// Returns true if a line is shown.
    pub(super) fn matches(&self, line: &LogLine, model: &ReadModel) -> bool {
        self.0.iter().all(|part| part.lets(line, model))
    }
}

fn part(text: &str) -> FilterTerm {
    let lower = text.to_lowercase();
    let word = || FilterTerm::Word(lower.clone());
    match lower.split_once(':') {
        Some(("t" | "task", task)) => FilterTerm::Task(task.to_owned()),
        Some(("agent" | "a", agent)) => FilterTerm::Agent(agent.to_owned()),
        Some(("kind" | "k", kind)) => FilterTerm::Kind(kind.to_owned()),
        Some(("level" | "l", name)) => level(name).map_or_else(word, FilterTerm::Level),
        _ => word(),
    }
}

fn level(name: &str) -> Option<NoticeLevel> {
    let begins = |level: &&NoticeLevel| <&str>::from(*level).starts_with(name);
    let levels = NoticeLevel::VARIANTS.iter().filter(|_| !name.is_empty());
    levels.copied().find(|level| begins(&level))
}

impl FilterTerm {
    fn lets(&self, line: &LogLine, model: &ReadModel) -> bool {
        let notice = &line.notice;
        let task = || {
            notice
                .task
                .as_ref()
                .map(|task| task.as_str().to_lowercase())
                .unwrap_or_default()
        };
        match self {
            FilterTerm::Task(wanted) => task().contains(wanted),
            FilterTerm::Level(least) => notice.level >= *least,
            FilterTerm::Kind(wanted) => notice.kind.contains(wanted),
            FilterTerm::Agent(wanted) => {
                let attempt = notice.attempt.and_then(|id| model.attempts.get(&id));
                let named = attempt.is_some_and(|attempt| match &attempt.worker {
                    Worker::Agent { name, .. } => name.to_lowercase().contains(wanted),
                    Worker::Engine(_) => false,
                });
                named || notice.text.to_lowercase().contains(wanted)
            }
            FilterTerm::Word(wanted) => {
                notice.text.to_lowercase().contains(wanted)
                    || notice.kind.contains(wanted)
                    || task().contains(wanted)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Notice, Timestamp};

    fn line(level: NoticeLevel, task: &str, text: &str) -> LogLine {
        LogLine {
            seq: 1,
            at: Timestamp(0),
            notice: Notice {
                level,
                kind: "merge".to_owned(),
                task: Some(task.into()),
                attempt: None,
                text: text.to_owned(),
            },
        }
    }

    fn lets(filter: &str, line: &LogLine) -> bool {
        LogFilter::parse(filter).matches(line, &ReadModel::default())
    }

    #[test]
    fn every_part_of_a_filter_must_hold() {
        let line = line(NoticeLevel::Warning, "dbs-4", "sent back by reviewer-fauré");
        for yes in [
            "",
            "t:dbs-4",
            "level:warn",
            "l:info",
            "agent:fauré",
            "k:merge BACK",
            "DBS-4",
        ] {
            assert!(lets(yes, &line), "{yes}");
        }
        for no in [
            "t:dbs-5",
            "level:error",
            "agent:ravel",
            "kind:spawn",
            "back nowhere",
            "level:x",
        ] {
            assert!(!lets(no, &line), "{no}");
        }
    }
}
