//! Values of arguments about tasks, as they are typed.

use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::cli::args::parse_word;
use crate::domain::Span;
use crate::domain::task::{GateCommand, TaskKind};
use crate::formats::span_text::parse_span;

/// Kinds of tasks.
pub(super) fn task_kinds() -> impl TypedValueParser<Value = TaskKind> {
    PossibleValuesParser::new(["bug", "feature", "task", "chore"]).try_map(parse_word)
}

/// `NAME=COMMAND`.
pub(super) fn gate(text: &str) -> Result<GateCommand, &'static str> {
    let parts = text
        .split_once('=')
        .map(|(name, command)| (name.trim(), command.trim()));
    match parts {
        Some((name, command)) if !name.is_empty() && !command.is_empty() => Ok(GateCommand {
            name: name.to_owned(),
            command: command.to_owned(),
        }),
        _ => Err("write a name, = and a command, such as test='cargo test'"),
    }
}

/// `yes` or `no`.
pub(super) fn yes_or_no() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["yes", "no"]).map(|word| word == "yes")
}

/// A limit; zero stands for `default`.
pub(super) fn time_limit(text: &str) -> Result<Span, &'static str> {
    if text == "default" {
        return Ok(Span::default());
    }
    parse_span(text)
        .filter(|limit| *limit != Span::default())
        .ok_or("write a time such as 90s, 30m or 2h, or default")
}
