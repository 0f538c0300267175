//! Peers: one thread listens for them, and each peer has a thread that reads its requests and one that writes its replies and output.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use interprocess::local_socket::{Listener, Stream};
use parking_lot::Mutex;

use super::platform;
use super::pty::PtyMaster;
use super::pump::InputQueue;
use super::shared::{PeerId, PeerUpdate, SharedState};
use super::{STOP_SLACK, thread};
use crate::files::now;
use crate::frames::{self, FrameReader};
use crate::log::{LogChunk, LogReader, LogWriter};
use crate::process::{Origin, ProcessSelector, origin, terminate};
use crate::protocol::{DecodeError, HolderReply, HolderRequest, HolderStatus, VERSION};
use crate::socket;
use dbs_ports::holders::{ExitedBy, PaneSize};

/// Bytes read from the log at once.
const PIECE: usize = 64 * 1024;
/// Minimum number of columns and rows: programs fail on less.
const LEAST: u16 = 2;

/// Log, input, terminal and shared state that serve the peers of a holder.
pub(super) struct PeerContext {
    pub(super) hub: SharedState,
    pub(super) log: Mutex<LogWriter>,
    pub(super) input: Arc<InputQueue>,
    pub(super) pty: PtyMaster,
    pub(super) folder: PathBuf,
    pub(super) marker: String,
    /// Process id of the program.
    pub(super) program: Option<u32>,
    /// Only one stop at a time; a second finds nothing left.
    pub(super) stopping: Mutex<()>,
}

impl PeerContext {
    /// Ends the program and everything it started; returns when the end is on disk. The result is the number of processes left.
    pub(super) fn stop(&self, by: ExitedBy, grace: Duration) -> u32 {
        self.hub.ask_to_end(by);
        let _one_at_a_time = self.stopping.lock();
        let mut target = ProcessSelector::marked(&self.marker).below(std::process::id());
        let survivors = terminate(&mut target, grace).unwrap_or(u32::MAX);
        self.hub.wait_ended(STOP_SLACK / 2);
        survivors
    }

    fn resize(&self, size: PaneSize) {
        let size = PaneSize {
            cols: size.cols.max(LEAST),
            rows: size.rows.max(LEAST),
            ..size
        };
        self.log.lock().resized(size, now());
        self.pty.resize(size);
        self.hub.resized(size);
    }

    fn snapshot(&self) -> HolderStatus {
        let oldest = self.log.lock().oldest();
        let (size, end, ended) = self.hub.status();
        HolderStatus {
            size,
            oldest: oldest.min(end),
            end,
            ended,
        }
    }
}

/// Accepts peers, for ever.
pub(super) fn listen(listener: &Listener, context: &Arc<PeerContext>) {
    let mut own = origin(std::process::id()).unwrap_or_default();
    // The program below this holder has its marker too, and is not a peer.
    own.markers.retain(|marker| *marker != context.marker);
    loop {
        match socket::accept(listener) {
            Ok(Some(stream)) if is_program(&stream, &own) => {}
            Ok(Some(stream)) => accept_peer(Arc::new(stream), context),
            Ok(None) => {}
            // Most likely out of file handles; a waiting peer is accepted when there is one again.
            Err(_) => std::thread::park_timeout(Duration::from_millis(100)),
        }
    }
}

/// Returns true if the other end was started by an agent, a gate or git: its typing would pass for a person's. Where the system does not
/// say which process it is, the other end is taken for the server.
fn is_program(stream: &Stream, own: &Origin) -> bool {
    let Some(pid) = dbs_socket::peer_process(stream) else {
        return false;
    };
    // A process that has ended may have handed its connection on.
    origin(pid).map_or(true, |found| !found.starters(own).is_empty())
}

/// Starts the two threads of a peer. A peer that finds no thread or no place is closed by dropping its stream.
fn accept_peer(stream: Arc<Stream>, context: &Arc<PeerContext>) {
    let Some(id) = context.hub.add_peer() else { return };
    let (to, writing) = (Arc::clone(&stream), Arc::clone(context));
    let writer = thread("peer-out", move || {
        write_to(&to, id, &writing);
        writing.hub.remove_peer(id);
    });
    if writer.is_err() {
        return context.hub.remove_peer(id);
    }
    let reading = Arc::clone(context);
    let reader = thread("peer-in", move || {
        read_from(&stream, id, &reading);
        reading.hub.close_peer(id);
    });
    if reader.is_err() {
        context.hub.close_peer(id);
    }
}

fn read_from(stream: &Stream, id: PeerId, context: &PeerContext) {
    let mut frames = FrameReader::new(stream, 4096);
    let Ok(Some(first)) = frames.next() else { return };
    if !greet(first, id, context) {
        return;
    }
    while let Ok(Some(frame)) = frames.next() {
        match HolderRequest::decode(frame) {
            Ok(HolderRequest::Detach) => return,
            Ok(request) => serve(request, id, context),
            Err(DecodeError::Kind(kind)) => {
                refuse(
                    context,
                    id,
                    1,
                    format!("understand a request of kind {kind:#04x}"),
                );
            }
            Err(DecodeError::Malformed) => {
                return refuse(context, id, 3, "understand a request cut short".into());
            }
        }
    }
}

fn greet(first: Bytes, id: PeerId, context: &PeerContext) -> bool {
    match HolderRequest::decode(first) {
        Ok(HolderRequest::Hello { version: VERSION }) => {
            context.hub.reply(
                id,
                HolderReply::Welcome {
                    version: VERSION,
                    pid: std::process::id(),
                },
            );
            true
        }
        Ok(HolderRequest::Hello { version }) => {
            let text =
                format!("speak version {version}: this holder speaks {VERSION}; use the dbs that started it");
            refuse(context, id, 2, text);
            false
        }
        _ => {
            refuse(context, id, 3, "begin without a greeting".into());
            false
        }
    }
}

fn refuse(context: &PeerContext, id: PeerId, code: u16, text: String) {
    context.hub.reply(id, HolderReply::Refused { code, text });
}

fn serve(request: HolderRequest, id: PeerId, context: &PeerContext) {
    match request {
        HolderRequest::Attach { from } => context.hub.attach(id, from),
        HolderRequest::Input(bytes) => {
            context.hub.typed();
            let count = context.input.push(&bytes);
            if count > 0 {
                context.hub.reply(
                    id,
                    HolderReply::InputDropped {
                        count: u32::try_from(count).unwrap_or(u32::MAX),
                    },
                );
            }
        }
        HolderRequest::Resize(size) => context.resize(size),
        HolderRequest::Stop { grace } => {
            let survivors = context.stop(ExitedBy::Stop, Duration::from_millis(grace.into()));
            context.hub.reply(id, HolderReply::Stopped { survivors });
        }
        HolderRequest::Status => context.hub.reply(id, HolderReply::Status(context.snapshot())),
        HolderRequest::Hello { .. } => refuse(context, id, 3, "greet twice".into()),
        HolderRequest::Pace { longest } => context.hub.set_pace(id, Duration::from_millis(longest.into())),
        HolderRequest::Resume => {
            // The id of a program that has ended may be another's.
            if let Some(pid) = context.program.filter(|_| context.hub.is_suspended()) {
                platform::resume(pid);
            }
        }
        HolderRequest::Detach => {}
    }
}

fn write_to(stream: &Stream, id: PeerId, context: &PeerContext) {
    let mut stored = None;
    loop {
        let sent = match context.hub.next_update(id) {
            PeerUpdate::Nothing => return,
            PeerUpdate::Reply(reply) => frames::send(stream, reply.encode()),
            PeerUpdate::Live { offset, bytes } => {
                // The log is only needed for the past; its buffers and files are not kept.
                stored = None;
                let to = offset + bytes.len() as u64;
                let sent = frames::send(stream, HolderReply::Output { offset, bytes }.encode());
                context.hub.advance(id, offset, to);
                sent
            }
            PeerUpdate::Stored { from, until } => {
                let (reply, to) = past(&mut stored, context, from, until);
                let sent = frames::send(stream, reply.encode());
                context.hub.advance(id, from, to);
                sent
            }
        };
        if sent.is_err() {
            return;
        }
    }
}

/// Returns the content of the log at `from`, and the offset behind it. Everything up to `until` that the log lacks is a gap.
fn past(stored: &mut Option<LogReader>, context: &PeerContext, from: u64, until: u64) -> (HolderReply, u64) {
    if stored.is_none() {
        *stored = LogReader::open(&context.folder).ok();
    }
    let most = usize::try_from(until - from).unwrap_or(PIECE).min(PIECE);
    let found = stored
        .as_mut()
        .and_then(|log| log.read_from(from, most).ok())
        .unwrap_or(LogChunk::End);
    match found {
        LogChunk::Bytes { offset, bytes } => {
            let to = offset + bytes.len() as u64;
            (
                HolderReply::Output {
                    offset,
                    bytes: bytes.into(),
                },
                to,
            )
        }
        LogChunk::Gap { from, to } => (
            HolderReply::Gap {
                from,
                to: to.min(until),
            },
            to.min(until),
        ),
        LogChunk::End => (HolderReply::Gap { from, to: until }, until),
    }
}
