//! Sends the signals of an agent: to the server's socket, else as a file in the inbox folder, else a clear error. No signal is lost.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::adapters::state_folder::sync_folder_of;
use crate::adapters::text_file;
use crate::cli::args::parse_word;
use crate::cli::commands::prelude::*;
use crate::cli::text_input;
use crate::domain::signal::LONGEST_REPORT;
use crate::domain::{Accepted, AttemptId, SignalKind};
use crate::engine::inbox::CommandReply;
use crate::protocol::connection::{ProtocolError, blocking_runtime, call_once};
use crate::protocol::wire::{CallReply, ServerCall, SignalSent};

/// Kinds of signals, as they are written on the command line, and what each says.
pub(super) const SIGNALS: [(&str, &str); 7] = [
    ("claim", "Work begins"),
    ("done", "The work is done"),
    ("reject", "The reviewed work is not good enough"),
    ("block", "A person must decide or help first"),
    ("fail", "The work failed"),
    ("progress", "A step is done"),
    ("question", "A person must answer"),
];

fn signal_kinds() -> impl TypedValueParser<Value = SignalKind> {
    let words = SIGNALS.map(|(word, help)| PossibleValue::new(word).help(help));
    PossibleValuesParser::new(words).try_map(parse_word)
}

/// Socket and inbox folder through which signals are sent.
#[derive(Debug, Clone)]
pub struct SignalRoute {
    pub socket: Option<PathBuf>,
    /// The folder for signals if no server can be reached.
    pub inbox: Option<PathBuf>,
}

/// Report the state of an attempt (for agents)
///
/// A report is stored with the signal and added to the task as a comment.
#[derive(Debug, Args)]
#[command(add = facts(Attempts, "dbs signal claim\ndbs signal done \"all tests pass\"\ndbs signal reject \"src/lib.rs:12: panics on empty input\"\ndbs signal block \"needs a key I do not have\""))]
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

impl RunCommand for SignalArgs {
    /// Sends a signal of the attempt this process belongs to.
    fn run(self, env: &ProcessEnv) -> CommandResult {
        attempt_and_token(env)?;
        say(env, self.kind, self.message.text.join(" "), &self.message)
    }
}

/// Sends a signal and prints the answer.
pub(super) fn say(env: &ProcessEnv, kind: SignalKind, text: String, message: &SignalText) -> CommandResult {
    let report = message.report.as_deref().map(report).transpose()?;
    let answer = of_this_attempt(env, kind, text, report)?;
    Ok(print_reply(&answer, "the signal was refused: ", message.json))
}

/// Refuses a report about another phase than that of the attempt.
pub(super) fn is_of_phase(env: &ProcessEnv, phase: Option<&str>) -> CommandResult<()> {
    let (Some(phase), Some(task)) = (phase, env.get("DBS_TASK")) else {
        return Ok(());
    };
    let is_own = task == phase
        || task
            .strip_suffix(phase)
            .is_some_and(|before| before.ends_with('-'));
    if is_own {
        return Ok(());
    }
    Err(CommandError::user(format!(
        "could not signal: this attempt works on {task}, not on phase {phase}"
    )))
}

/// Sends a signal with that text and report for the attempt this process belongs to.
pub(super) fn of_this_attempt(
    env: &ProcessEnv,
    kind: SignalKind,
    text: String,
    report: Option<String>,
) -> CommandResult<CommandReply> {
    let (attempt, token) = attempt_and_token(env)?;
    let ways = SignalRoute {
        socket: env.get("DBS_SOCKET").map(Into::into),
        inbox: env.get("DBS_INBOX").map(Into::into),
    };
    let sent = SignalSent {
        attempt,
        token,
        kind,
        text,
        report,
        key: new_key()?,
        is_comment: false,
    };
    send(&ways, &sent)
}

/// Leaves a comment on the task of the attempt this process belongs to as a file, for an agent in a sandbox.
pub(super) fn comment_by_file(env: &ProcessEnv, text: String) -> CommandResult<String> {
    let (attempt, token) = attempt_and_token(env)?;
    let sent = SignalSent {
        attempt,
        token,
        kind: SignalKind::Progress,
        text,
        report: None,
        key: new_key()?,
        is_comment: true,
    };
    send_by_file(env.get("DBS_INBOX").as_deref().map(Path::new), &sent)
}

/// Returns the attempt this process belongs to, and the proof of it.
pub(super) fn attempt_and_token(env: &ProcessEnv) -> CommandResult<(AttemptId, String)> {
    let outside = "this is for agents: DBS_ATTEMPT and DBS_TOKEN say which attempt speaks, and they are not set here; \
                   people use `dbs task`, `dbs approve` and `dbs reject`";
    let attempt = env
        .get("DBS_ATTEMPT")
        .and_then(|text| text.parse().ok())
        .map(AttemptId);
    let both = attempt.zip(env.get("DBS_TOKEN"));
    both.ok_or_else(|| CommandError::user(format!("could not signal: {outside}")))
}

/// Returns the report: the text of a file, of standard input (`-`), or the JSON that was written in the place of a name.
fn report(from: &Path) -> CommandResult<String> {
    if let Some(text) = from.to_str().filter(|text| text.trim_start().starts_with('{')) {
        return match serde_json::from_str::<serde::de::IgnoredAny>(text) {
            Ok(_sound) => Ok(text.trim().to_owned()),
            Err(error) => Err(CommandError::project(format!(
                "could not read the report: it is not JSON: {error}"
            ))),
        };
    }
    let text = text_input::text(from, LONGEST_REPORT)
        .map_err(failed(format!("could not read the report {}", from.display())))?;
    Ok(text.trim().to_owned())
}

/// Returns a key that no other signal has.
pub fn new_key() -> CommandResult<String> {
    let mut bytes = [0_u8; 12];
    getrandom::fill(&mut bytes).map_err(failed("could not make a key"))?;
    let number = bytes
        .iter()
        .fold(0_u128, |all, byte| (all << 8) | u128::from(*byte));
    let at = crate::adapters::clock::now().0;
    Ok(format!("{at:013}-{number:024x}"))
}

/// Sends a signal by socket, else by file. Returns when it is safe.
pub fn send(ways: &SignalRoute, signal: &SignalSent) -> CommandResult<CommandReply> {
    let by_file = || send_by_file(ways.inbox.as_deref(), signal);
    let text = match &ways.socket {
        Some(socket) => match send_by_socket(socket, signal) {
            Ok(reply) => return Ok(reply),
            Err(why) => by_file().map_err(|also| CommandError::user(format!("{why}; {also}")))?,
        },
        None => by_file()?,
    };
    Ok(Ok(Accepted(text)))
}

fn send_by_socket(socket: &Path, signal: &SignalSent) -> CommandResult<CommandReply> {
    let runtime = blocking_runtime()?;
    let call = call_once(socket, ServerCall::Signal(signal.clone()));
    let bounded = async { tokio::time::timeout(std::time::Duration::from_secs(10), call).await };
    match runtime.block_on(bounded) {
        Ok(Ok(CallReply::Asked(reply))) => Ok(reply),
        Ok(Ok(other)) => Err(ProtocolError::from(other).into()),
        Ok(Err(error)) => Err(error.into()),
        Err(_late) => Err(CommandError::server("the server does not answer")),
    }
}

/// Writes one file, whole or not at all, also after a power loss.
fn send_by_file(folder: Option<&Path>, signal: &SignalSent) -> CommandResult<String> {
    let folder = folder
        .ok_or_else(|| CommandError::user("DBS_INBOX is not set, so the signal cannot be kept either"))?;
    let tried = format!("could not keep the signal in {}", folder.display());
    let text = serde_json::to_vec(signal).map_err(failed(&tried))?;
    let kept = folder.join(format!("{}.json", signal.key));
    let written = text_file::replace_private(&kept, &text).and_then(|()| sync_folder_of(&kept));
    written.map_err(failed(&tried))?;
    Ok("the server was not reached; it is kept as a file, and a server will read it".to_owned())
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

    #[test]
    fn without_a_server_a_signal_becomes_one_whole_file() {
        let folder = tempfile::tempdir().unwrap();
        let signal = SignalSent {
            attempt: AttemptId(3),
            token: "t".into(),
            kind: SignalKind::Done,
            text: "x".into(),
            report: Some("{}".into()),
            key: new_key().unwrap(),
            is_comment: false,
        };
        let ways = SignalRoute {
            socket: Some(folder.path().join("unused")),
            inbox: Some(folder.path().to_owned()),
        };
        send(&ways, &signal).unwrap().unwrap();
        let text = std::fs::read(folder.path().join(format!("{}.json", signal.key))).unwrap();
        assert_eq!(serde_json::from_slice::<SignalSent>(&text).unwrap(), signal);
    }

    #[test]
    fn a_report_is_read_from_its_file_and_refused_when_it_is_too_long() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("report.json");
        std::fs::write(&file, "{\"tests\": 12}\n").unwrap();
        assert_eq!(report(&file).unwrap(), "{\"tests\": 12}");
        std::fs::write(&file, "x".repeat(LONGEST_REPORT)).unwrap();
        assert_eq!(report(&file).unwrap().len(), LONGEST_REPORT);
        std::fs::write(&file, "x".repeat(LONGEST_REPORT + 1)).unwrap();
        let why = report(&file).unwrap_err().to_string();
        assert!(why.contains("more than 65536 bytes"), "{why}");
        let why = report(&folder.path().join("none")).unwrap_err().to_string();
        assert!(why.contains("report"), "{why}");
    }

    #[test]
    fn without_any_way_the_error_names_both() {
        let signal = SignalSent {
            attempt: AttemptId(3),
            token: "t".into(),
            kind: SignalKind::Done,
            text: String::new(),
            report: None,
            key: "k".into(),
            is_comment: false,
        };
        let why = send(
            &SignalRoute {
                socket: None,
                inbox: None,
            },
            &signal,
        )
        .unwrap_err()
        .to_string();
        assert!(why.contains("DBS_INBOX"), "{why}");
    }
}
