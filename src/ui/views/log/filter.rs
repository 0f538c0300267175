//! What a log's filter lets through: words that must occur, and `t:`, `level:`, `agent:`, `kind:` with what they must be.

use crate::domain::{Level, Worker};
use crate::read_model::ReadModel;
use crate::ui::scene::LogLine;

/// All of these must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Filter(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    /// The task's id contains this.
    Task(String),
    /// At least that loud.
    Level(Level),
    /// The agent's name contains this.
    Agent(String),
    /// The kind contains this.
    Kind(String),
    /// Task, kind or sentence contain this.
    Word(String),
}

impl Filter {
    /// Reads a filter. A level that does not exist is taken as a word.
    pub(super) fn parse(text: &str) -> Filter {
        Filter(text.split_whitespace().map(part).collect())
    }

    /// Whether a line is shown.
    pub(super) fn lets(&self, line: &LogLine, model: &ReadModel) -> bool {
        self.0.iter().all(|part| part.lets(line, model))
    }
}

fn part(text: &str) -> Part {
    let lower = text.to_lowercase();
    let word = || Part::Word(lower.clone());
    match lower.split_once(':') {
        Some(("t" | "task", task)) => Part::Task(task.to_owned()),
        Some(("agent" | "a", agent)) => Part::Agent(agent.to_owned()),
        Some(("kind" | "k", kind)) => Part::Kind(kind.to_owned()),
        Some(("level" | "l", name)) => level(name).map_or_else(word, Part::Level),
        _ => word(),
    }
}

fn level(name: &str) -> Option<Level> {
    let names = [
        ("info", Level::Info),
        ("success", Level::Success),
        ("warning", Level::Warning),
        ("error", Level::Error),
        ("alert", Level::Alert),
    ];
    let begins = |known: &str| !name.is_empty() && known.starts_with(name);
    names
        .into_iter()
        .find(|(known, _)| begins(known))
        .map(|(_, level)| level)
}

impl Part {
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
            Part::Task(wanted) => task().contains(wanted),
            Part::Level(least) => notice.level >= *least,
            Part::Kind(wanted) => notice.kind.contains(wanted),
            Part::Agent(wanted) => {
                let attempt = notice.attempt.and_then(|id| model.attempts.get(&id));
                let named = attempt.is_some_and(|attempt| match &attempt.worker {
                    Worker::Agent { name, .. } => name.to_lowercase().contains(wanted),
                    Worker::Engine(_) => false,
                });
                named || notice.text.to_lowercase().contains(wanted)
            }
            Part::Word(wanted) => {
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

    fn line(level: Level, task: &str, text: &str) -> LogLine {
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
        Filter::parse(filter).lets(line, &ReadModel::default())
    }

    #[test]
    fn every_part_of_a_filter_must_hold() {
        let line = line(Level::Warning, "dbs-4", "sent back by reviewer-fauré");
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
