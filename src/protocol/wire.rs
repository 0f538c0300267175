//! The messages of server, clients and agents over the socket. Every conversation begins with a [`Hello`]; a version
//! that does not match is answered with both versions and the way out.

use std::collections::BTreeMap;

use bytes::{BufMut, Bytes, BytesMut};
use serde::{Deserialize, Serialize};

use crate::adapters::ipc::LONGEST_FRAME;
use crate::display::NotifyStyle;
use crate::display::{DisplayCaps, WorkProgress};
use crate::domain::{Accepted, AttemptId, Command, Refusal, SignalKind, Timestamp};
use crate::protocol::hooks::{HookCall, HookReply};
use crate::protocol::query::{Answer, Query, QueryError};
use crate::read_model::LogLine;
use crate::term::Rgb;
use crate::term::keys::{KeyInput, MouseInput};

/// Version of this protocol. Server and clients of the same project must agree.
pub const PROTOCOL: u32 = 16;

/// Position before the last line of the watcher log, whatever it is: [`ServerCall::Follow`] continues from there.
pub const FROM_NOW: u64 = u64::MAX - 1;

/// First frame of a connection, with protocol and program version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    pub protocol: u32,
    /// Version of its program, for people.
    pub program: String,
}

/// Message from a client to the server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FromClient {
    Hello(Hello),
    Attach(AttachRequest),
    /// A key, a paste, the mouse or another size.
    Input(InputEvent),
    /// Text from the editor that was closed, or nothing when it failed.
    Edited(Option<String>),
    /// The client could not do something; why, for people.
    Failed(String),
    Colour(TerminalColour),
    /// Number of the frame that is on the screen now.
    Ack(u64),
    Call(Box<ServerCall>),
}

/// Input of the person at a client's terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InputEvent {
    Key(KeyInput),
    Mouse(MouseInput),
    Paste(String),
    /// Another size of the terminal: columns, rows.
    Resize(u16, u16),
    /// The terminal gained or lost the focus.
    Focus(bool),
}

/// Foreground or background colour that a terminal reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TerminalColour {
    Foreground(Rgb),
    Background(Rgb),
}

/// Terminal size and capabilities that a client reports when it attaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttachRequest {
    pub cols: u16,
    pub rows: u16,
    pub caps: DisplayCaps,
    /// True if the terminal is reached over a network.
    #[serde(default)]
    pub remote: bool,
    /// The program around it that has keys of its own: tmux, screen, zellij.
    #[serde(default)]
    pub outer: Option<String>,
    /// The theme asked for at the start (`--theme`).
    #[serde(default)]
    pub theme: Option<String>,
    /// True if the terminal sends Alt as Escape before the key, and so cannot tell it from Escape pressed just before.
    #[serde(default)]
    pub alt_is_escape: bool,
}

/// Call that a client makes to the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerCall {
    Ask {
        by: String,
        command: Command,
    },
    /// A signal of an attempt, proved by its token.
    Signal(SignalSent),
    /// Message of a hook of an agent's tool; the reply may take as long as a person does.
    Hook(HookCall),
    Query(Query),
    /// Lines of the watcher log after a position, then each new one, until the conversation ends. From [`FROM_NOW`] on the
    /// last line there is comes, too: who gets it knows that nothing is missed any more.
    Follow(u64),
    /// A reply at once, and again whenever the board has changed, a few times a second at most, until the conversation ends.
    Watch,
    /// Read settings and workflows again.
    Reload {
        /// Author of the change.
        by: String,
    },
    /// A command that needs no server was refused, because its caller may not use it: its name in the table of the file
    /// `callers.rs`. It is written down.
    Refused(String),
    /// End the server. Its running work gets some time to end.
    Stop(StopAgents),
    /// End the server without waiting for its running work.
    StopNow(StopAgents),
    Who,
}

/// Choice whether agents are stopped together with the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopAgents {
    Yes,
    /// Agents stay; the next server adopts them.
    No,
}

/// A signal as an agent sends it, by socket or as a file in the inbox folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignalSent {
    pub attempt: AttemptId,
    pub token: String,
    pub kind: SignalKind,
    /// Reason, finding, step or question.
    pub text: String,
    /// Report with the details: JSON as a rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// The same signal twice counts once.
    pub key: String,
    /// True for a comment on the attempt's own task, which comes in this form only as a file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_comment: bool,
}

/// Message from the server to a client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FromServer {
    Hello(Hello),
    /// The conversation ends; why, for people.
    Bye(String),
    /// Notice to a person who leaves: the place where the session continues, and the way back.
    Left(String),
    Answer(CallReply),
    Line(LogLine),
    /// Open this text in the editor; [`FromClient::Edited`] answers.
    Edit(String),
    Clipboard(String),
    Open(String),
    /// Switch to the session of the project with that root.
    Go(String),
    /// Run the demo, then come back.
    Demo,
    /// Request to switch the terminal's mouse reports on or off.
    Mouse(bool),
    Title(String),
    Notify(TerminalNotice),
    Progress(WorkProgress),
}

/// A notification that the client's terminal is to show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalNotice {
    pub heading: String,
    pub text: String,
    pub manner: NotifyStyle,
}

/// Reply of the server to a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallReply {
    Asked(Result<Accepted, Refusal>),
    Hook(HookReply),
    /// Answer to a query. The pieces of a text have come before.
    Query(Result<Answer, QueryError>),
    Changed,
    /// The call was carried out, in words for people.
    Done(String),
    /// The call could not be carried out; why, for people.
    Failed(String),
    Who(ServerStatus),
}

/// Name, process, version and load of a running server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerStatus {
    /// Name of the session: the project's folder.
    pub name: String,
    pub root: String,
    pub pid: u32,
    pub program: String,
    pub since: Timestamp,
    pub clients: usize,
    pub agents: usize,
    /// Tasks by the word of their state.
    #[serde(default)]
    pub counts: BTreeMap<String, usize>,
    #[serde(default)]
    pub needs: usize,
    /// Position of the last line of the watcher log; [`ServerCall::Follow`] continues from there.
    #[serde(default)]
    pub last_line: u64,
    /// Names of the variables that agents and gates get.
    #[serde(default)]
    pub variables: Vec<String>,
}

/// A frame of the server protocol: a JSON message, a screen frame or a piece of text.
#[derive(Debug, Clone, PartialEq)]
pub enum Packet<T> {
    Message(T),
    /// A screen frame: its number and the bytes for the terminal.
    Frame(u64, Bytes),
    /// Piece of the output of a command, in order; [`Answer::Text`] follows the last.
    Text(Bytes),
}

const KIND_JSON: u8 = b'J';
const KIND_FRAME: u8 = b'P';
const KIND_TEXT: u8 = b'T';
/// Maximum number of bytes of a text in one frame: it is printed while more is on its way, and no board is too long.
const MAX_TEXT_CHUNK: usize = 256 * 1024;

/// Prefixes of the frames of clients, and the maximum number of bytes of each. Only pasted, written and imported texts are long.
const LONGEST_FROM_CLIENT: &[(&str, usize)] = &[
    ("J{\"hello\"", 4 * 1024),
    ("J{\"input\":{\"paste\"", LONGEST_FRAME),
    ("J{\"edited\"", LONGEST_FRAME),
    ("J{\"call\":{\"ask\"", LONGEST_FRAME),
    ("J{\"call\":{\"signal\"", LONGEST_FROM_AGENT),
    ("J{\"call\":{\"hook\"", LONGEST_FROM_AGENT),
    // The names of branches go with some.
    ("J{\"call\":{\"query\"", 8 * 1024 * 1024),
];

/// Maximum number of bytes of any other frame of a client.
const LONGEST_OTHER: usize = 64 * 1024;

/// Maximum number of bytes of a frame of an agent. Longer texts than that are cut anyway.
pub const LONGEST_FROM_AGENT: usize = 4 * 1024 * 1024;

/// Bytes that long frames of clients may take at a time, all together: two of the longest.
pub const LONG_FRAMES_TOGETHER: usize = 2 * LONGEST_FRAME;

/// The most bytes of a frame of a client that begins like this.
pub fn longest_from_client(begin: &[u8]) -> usize {
    let row = LONGEST_FROM_CLIENT
        .iter()
        .find(|(known, _)| begin.starts_with(known.as_bytes()));
    row.map_or(LONGEST_OTHER, |(_, most)| *most)
}

/// Error of decoding a frame of the server protocol.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    #[error(
        "read a frame of kind {0}: this program does not know it; use the same version of dbs on both ends"
    )]
    Kind(u8),
    #[error("read a frame: it is cut off")]
    Short,
    #[error("read a frame: {0}; use the same version of dbs on both ends")]
    Json(#[from] serde_json::Error),
}

/// Encodes a message as a frame.
pub fn encode_message<T: Serialize>(what: &T) -> Result<Bytes, WireError> {
    let mut frame = BytesMut::new().writer();
    frame.get_mut().put_u8(KIND_JSON);
    serde_json::to_writer(&mut frame, what)?;
    Ok(frame.into_inner().freeze())
}

/// Encodes a screen frame.
pub fn encode_frame(number: u64, bytes: &[u8]) -> Bytes {
    let mut frame = BytesMut::with_capacity(bytes.len() + 9);
    frame.put_u8(KIND_FRAME);
    frame.put_u64(number);
    frame.put_slice(bytes);
    frame.freeze()
}

/// Encodes a text as frames.
pub fn encode_text(bytes: &[u8]) -> impl Iterator<Item = Bytes> + '_ {
    bytes.chunks(MAX_TEXT_CHUNK).map(|piece| {
        let mut frame = BytesMut::with_capacity(piece.len() + 1);
        frame.put_u8(KIND_TEXT);
        frame.put_slice(piece);
        frame.freeze()
    })
}

/// Decodes a frame.
pub fn decode<T: for<'a> Deserialize<'a>>(frame: Bytes) -> Result<Packet<T>, WireError> {
    let mut frame = frame;
    let Some((kind, rest)) = frame.split_first() else {
        return Err(WireError::Short);
    };
    match *kind {
        KIND_JSON => Ok(Packet::Message(serde_json::from_slice(rest)?)),
        KIND_FRAME => {
            let number = rest.first_chunk::<8>().ok_or(WireError::Short)?;
            let number = u64::from_be_bytes(*number);
            Ok(Packet::Frame(number, frame.split_off(9)))
        }
        KIND_TEXT => Ok(Packet::Text(frame.split_off(1))),
        kind => Err(WireError::Kind(kind)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_and_shown_arrives_as_it_was_sent() {
        let call = FromClient::Call(Box::new(ServerCall::Stop(StopAgents::No)));
        assert_eq!(
            decode::<FromClient>(encode_message(&call).unwrap()).unwrap(),
            Packet::Message(call)
        );
        let shown = decode::<FromServer>(encode_frame(7, b"\x1b[2J")).unwrap();
        assert_eq!(shown, Packet::Frame(7, Bytes::from_static(b"\x1b[2J")));
        let long: Vec<u8> = (0..=u8::MAX).cycle().take(2 * MAX_TEXT_CHUNK + 3).collect();
        let pieces: Vec<Bytes> = encode_text(&long)
            .map(|frame| match decode::<FromServer>(frame).unwrap() {
                Packet::Text(piece) => piece,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!((pieces.len(), pieces.concat()), (3, long));
    }

    #[test]
    fn only_what_people_paste_write_and_import_may_be_long() {
        let most = |message: FromClient| longest_from_client(&encode_message(&message).unwrap());
        let call = |call| FromClient::Call(Box::new(call));
        let hello = Hello {
            protocol: PROTOCOL,
            program: String::new(),
        };
        assert_eq!(most(FromClient::Hello(hello)), 4 * 1024);
        for short in [
            FromClient::Input(InputEvent::Focus(true)),
            FromClient::Ack(7),
            call(ServerCall::Who),
            call(ServerCall::Stop(StopAgents::No)),
        ] {
            assert_eq!(most(short), 64 * 1024);
        }
        assert_eq!(
            most(call(ServerCall::Query(Query::TaskIds(None)))),
            8 * 1024 * 1024
        );
        let signal = SignalSent {
            attempt: AttemptId(1),
            token: String::new(),
            kind: SignalKind::Done,
            text: String::new(),
            report: None,
            key: String::new(),
            is_comment: false,
        };
        assert_eq!(most(call(ServerCall::Signal(signal))), LONGEST_FROM_AGENT);
        let ask = ServerCall::Ask {
            by: "ada".to_owned(),
            command: Command::CreateAll(Vec::new()),
        };
        for long in [
            FromClient::Input(InputEvent::Paste("x".to_owned())),
            FromClient::Edited(None),
            call(ask),
        ] {
            assert_eq!(most(long), LONGEST_FRAME);
        }
    }

    #[test]
    fn frames_of_another_kind_are_refused_with_a_way_out() {
        let error = decode::<FromClient>(Bytes::from_static(b"x")).unwrap_err();
        assert!(error.to_string().contains("same version"));
        assert!(decode::<FromClient>(Bytes::new()).is_err());
        assert!(decode::<FromClient>(Bytes::from_static(b"P\0")).is_err());
    }
}
