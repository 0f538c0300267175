//! The command line of `dbs signal`, `dbs done` and `dbs progress`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::de::DeserializeOwned;

use crate::cli::args::JsonFlag;
use crate::domain::SignalKind;

/// Arguments of `dbs signal`.
#[derive(Debug, Args)]
pub struct SignalArgs {
    /// Signal to send
    #[arg(value_parser = signal_kinds())]
    pub kind: SignalKind,
    #[command(flatten)]
    pub message: SignalText,
}

/// Text and report of a signal.
#[derive(Debug, Args)]
pub struct SignalText {
    /// Reason, finding, step or question
    pub text: Vec<String>,
    /// File with a report, usually JSON, at most 64 KiB; `-` reads standard input; or the JSON itself, starting with {
    #[arg(long, value_name = "FILE|JSON")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of `dbs done`.
#[derive(Debug, Args)]
pub struct DoneArgs {
    #[command(flatten)]
    pub message: SignalText,
    /// Phase the report is about; refused when the attempt works on another
    #[arg(long, short, value_name = "ID")]
    pub phase: Option<String>,
    /// Outcome of the attempt
    #[arg(long, short, default_value = "completed", value_parser = ["completed", "blocked", "failed"])]
    pub status: String,
    /// Reason for blocked or failed
    #[arg(long, short)]
    pub reason: Option<String>,
}

/// Arguments of `dbs progress`.
#[derive(Debug, Args)]
pub struct ProgressArgs {
    #[command(flatten)]
    pub message: SignalText,
    /// Phase the report is about; refused when the attempt works on another
    #[arg(long, short, value_name = "ID")]
    pub phase: Option<String>,
    /// Step of the process and its state, such as `pre_validation:completed`
    #[arg(long, short, value_name = "NAME:STATE", conflicts_with = "text")]
    pub step: Option<String>,
}

/// Kinds of signals, as they are written on the command line, and what each says.
pub(in crate::cli) const SIGNALS: [(&str, &str); 7] = [
    ("claim", "I begin"),
    ("done", "I am done"),
    ("reject", "What I looked at is not good enough"),
    ("block", "I cannot go on"),
    ("fail", "I failed"),
    ("progress", "A step of the way"),
    ("question", "I need an answer"),
];

fn signal_kinds() -> impl TypedValueParser<Value = SignalKind> {
    let words = SIGNALS.map(|(word, help)| PossibleValue::new(word).help(help));
    PossibleValuesParser::new(words).try_map(parse_word)
}

/// The value of an enum that is written as one word.
pub(in crate::cli) fn parse_word<T: DeserializeOwned>(word: String) -> Result<T, serde_json::Error> {
    serde_json::from_value(word.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_for_a_signal_is_the_word_of_its_kind() {
        for (word, _) in SIGNALS {
            let kind: SignalKind = parse_word(word.to_owned()).unwrap();
            assert_eq!(kind.to_string(), word);
        }
    }
}
