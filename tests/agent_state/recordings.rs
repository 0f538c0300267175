//! Recordings as sequences of happenings.

use std::path::{Path, PathBuf};

use dbs::adapters::agents::{AgentKind as _, DescribedAgent, claude, codex, status_record};
use dbs::agent_state::{AgentReport, AgentState, Doing, Source, Work};
use dbs::domain::{AskKind, Timestamp};
use dbs::formats::agent_kind::AgentKinds;
use dbs::term::StatusRecord;
use serde_json::Value;

/// A step of a recording.
pub(crate) enum Happening {
    Bytes {
        reader: Reader,
        bytes: Vec<u8>,
    },
    /// A person typed a key.
    Key,
    /// The other side of a protocol answered an ask.
    Answer,
}

/// Reader of the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    Hook,
    StatusLine,
    Stream,
    Exec,
    Rollout,
    ClaudeTitle,
    CodexTitle,
    GeminiTitle,
    Record,
}

pub(crate) const READERS: [Reader; 9] = [
    Reader::Hook,
    Reader::StatusLine,
    Reader::Stream,
    Reader::Exec,
    Reader::Rollout,
    Reader::ClaudeTitle,
    Reader::CodexTitle,
    Reader::GeminiTitle,
    Reader::Record,
];

impl Reader {
    pub(crate) fn read(self, bytes: &[u8]) -> AgentReport {
        let text = String::from_utf8_lossy(bytes);
        match self {
            Reader::Hook => claude::hooks::read(bytes),
            Reader::StatusLine => claude::status_line::read(bytes),
            Reader::Stream => claude::stream::read(bytes),
            Reader::Exec => codex::exec::read(bytes),
            Reader::Rollout => codex::rollout::RecordReader::default().read(bytes).0,
            Reader::ClaudeTitle => claude::title::read(&text),
            Reader::CodexTitle => codex::title::read(&text),
            Reader::GeminiTitle => gemini_title(&text),
            Reader::Record => StatusRecord::parse(&text)
                .map(|record| status_record::read(&record))
                .unwrap_or_default(),
        }
    }

    pub(crate) fn source(self) -> Source {
        match self {
            Reader::Hook => Source::Hook,
            Reader::ClaudeTitle | Reader::CodexTitle | Reader::GeminiTitle => Source::Title,
            Reader::Record => Source::StatusRecord,
            Reader::StatusLine | Reader::Stream | Reader::Exec | Reader::Rollout => Source::Stream,
        }
    }
}

/// A recording: its name below the folder of recordings, and its happenings with their times.
pub(crate) struct Recording {
    pub(crate) name: String,
    pub(crate) steps: Vec<(Timestamp, Happening)>,
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/agent_state")
}

/// All recordings, by name.
pub(crate) fn all() -> Vec<Recording> {
    let mut names = Vec::new();
    for kind in [
        "claude",
        "claude-control",
        "claude-hooks",
        "claude-tty",
        "codex",
        "gemini",
    ] {
        let entries = std::fs::read_dir(folder().join(kind)).expect("the folder of recordings is there");
        for entry in entries {
            let file = entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("a name in ASCII");
            names.push(format!("{kind}/{file}"));
        }
    }
    names.sort();
    names.iter().map(|name| recording(name)).collect()
}

pub(crate) fn recording(name: &str) -> Recording {
    let text = std::fs::read_to_string(folder().join(name)).expect("the recording is there");
    let steps = text
        .lines()
        .enumerate()
        .flat_map(|(number, line)| steps(name, number, line));
    Recording {
        name: name.to_owned(),
        steps: steps.collect(),
    }
}

fn steps(name: &str, number: usize, line: &str) -> Vec<(Timestamp, Happening)> {
    let bytes = |reader, bytes: &[u8]| Happening::Bytes {
        reader,
        bytes: bytes.to_vec(),
    };
    // Lines without a time count as one second apart.
    let counted = Timestamp(number as u64 * 1000);
    if name.starts_with("claude/") {
        return vec![(counted, bytes(Reader::Stream, line.as_bytes()))];
    }
    if name.starts_with("codex/exec") {
        return vec![(counted, bytes(Reader::Exec, line.as_bytes()))];
    }
    let value: Value = serde_json::from_str(line).expect("the recorder wrote JSON");
    if let Some(event) = value.as_array() {
        return cast(name, event);
    }
    let Some(at) = value.get("t").and_then(Value::as_f64).map(millis) else {
        return Vec::new();
    };
    let message = |key: &str| value.get(key).expect("what the recorder writes").to_string();
    let way = value.get("dir").and_then(Value::as_str);
    let happened = match (name.split('/').next(), way) {
        (Some("claude-hooks"), _) if name.ends_with("statusline_input.jsonl") => {
            bytes(Reader::StatusLine, message("in").as_bytes())
        }
        (Some("claude-hooks"), _) => bytes(Reader::Hook, message("in").as_bytes()),
        (Some("claude-control"), Some("out")) => bytes(Reader::Stream, message("msg").as_bytes()),
        _ if message("msg").contains("control_response") || message("msg").contains("decision") => {
            Happening::Answer
        }
        _ => return Vec::new(),
    };
    vec![(at, happened)]
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "recorded times are small and positive"
)]
fn millis(seconds: f64) -> Timestamp {
    Timestamp((seconds * 1000.0) as u64)
}

/// Happenings in an event of a recorded terminal: titles and status records in its output, keys in its input.
fn cast(name: &str, event: &[Value]) -> Vec<(Timestamp, Happening)> {
    let [at, kind, text] = event else {
        return Vec::new();
    };
    let at = millis(at.as_f64().expect("a time"));
    let text = text.as_str().expect("a text");
    match kind.as_str() {
        // Replies of the recording terminal are not keys.
        Some("i")
            if !["\x1b[?", "\x1bP", "\x1b]"]
                .iter()
                .any(|start| text.starts_with(start)) =>
        {
            vec![(at, Happening::Key)]
        }
        Some("o") => {
            let commands = text.split("\x1b]").skip(1);
            let ends = |text: &str| text.split(['\x07', '\x1b']).next().unwrap_or_default().to_owned();
            let reports = commands.filter_map(|command| report(name, &ends(command)));
            reports.map(|happened| (at, happened)).collect()
        }
        _ => Vec::new(),
    }
}

fn report(name: &str, command: &str) -> Option<Happening> {
    let (number, text) = command.split_once(';')?;
    let reader = match number {
        "7501" => Reader::Record,
        "0" | "2" if name.starts_with("claude") => Reader::ClaudeTitle,
        "0" | "2" if name.starts_with("codex") => Reader::CodexTitle,
        "0" | "2" => Reader::GeminiTitle,
        _ => return None,
    };
    Some(Happening::Bytes {
        reader,
        bytes: text.as_bytes().to_vec(),
    })
}

/// Applies a happening to the state of an agent.
pub(crate) fn happen(state: &mut AgentState, at: Timestamp, happening: &Happening) {
    match happening {
        Happening::Bytes { reader, bytes } => {
            for observation in reader.read(bytes).observations(reader.source(), at) {
                state.observe(observation);
            }
        }
        Happening::Key => state.input(at),
        Happening::Answer => state.answered(at),
    }
}

/// Activity of an agent in a few words.
pub(crate) fn words(doing: &Doing) -> String {
    let name = doing.name();
    match doing {
        Doing::Working(Work::Thinking) => format!("{name} thinking"),
        Doing::Working(Work::Tool(tool)) => format!("{name} {tool}"),
        Doing::Working(Work::Compacting) => format!("{name} compacting"),
        Doing::Working(Work::Retry { attempt, most, .. }) => format!("{name} retry {attempt}/{most}"),
        Doing::Background(what) => format!("{name} {what}"),
        Doing::Blocked(wait) => {
            let kind = match wait.kind {
                AskKind::Permission => "permission",
                AskKind::Question => "question",
                AskKind::Plan => "plan",
                AskKind::Dialog => "dialog",
            };
            format!("{name} {kind}: {}", wait.text)
        }
        _ => name.to_owned(),
    }
}

/// Report of the rules in the file of Gemini CLI about a title.
fn gemini_title(title: &str) -> AgentReport {
    let kind = AgentKinds::default()
        .get("gemini")
        .expect("it comes with the program");
    DescribedAgent(kind.expect("it can be read")).read_title(title)
}
