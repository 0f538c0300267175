//! Peers: one thread listens for them, and each has one that reads its requests and one that writes what it gets.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use interprocess::local_socket::{Listener, Stream};
use parking_lot::Mutex;

use super::hub::{Hub, Next, PeerId};
use super::pump::Input;
use super::terminal::Screen;
use super::{STOP_SLACK, thread};
use crate::adapters::holder::log::{Chunk, LogReader, LogWriter};
use crate::adapters::holder::process::{Target, terminate};
use crate::adapters::holder::protocol::{Misread, Reply, Request, Snapshot, VERSION};
use crate::adapters::holder::records::now;
use crate::adapters::holder::socket;
use crate::adapters::holder::wire::{self, Frames};
use crate::ports::holders::{EndedBy, PaneSize};

/// Bytes read from the log at once.
const PIECE: usize = 64 * 1024;
/// The least columns and rows: programs fail on less.
const LEAST: u16 = 2;

/// What peers may reach.
pub(super) struct Desk {
    pub(super) hub: Hub,
    pub(super) log: Mutex<LogWriter>,
    pub(super) input: Arc<Input>,
    pub(super) screen: Screen,
    pub(super) folder: PathBuf,
    pub(super) marker: String,
    /// Only one stop at a time; a second finds nothing left.
    pub(super) stopping: Mutex<()>,
}

impl Desk {
    /// Ends the program and everything it started; back when the end is on disk. Answers how many are left.
    pub(super) fn stop(&self, by: EndedBy, grace: Duration) -> u32 {
        self.hub.ask_to_end(by);
        let _one_at_a_time = self.stopping.lock();
        let mut target = Target::marked(&self.marker).below(std::process::id());
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
        self.screen.resize(size);
        self.hub.resized(size);
    }

    fn snapshot(&self) -> Snapshot {
        let oldest = self.log.lock().oldest();
        let (size, end, ended) = self.hub.standing();
        Snapshot {
            size,
            oldest: oldest.min(end),
            end,
            ended,
        }
    }
}

/// Takes in peers, for ever.
pub(super) fn listen(listener: &Listener, desk: &Arc<Desk>) {
    loop {
        match socket::accept(listener) {
            Ok(Some(stream)) => welcome(Arc::new(stream), desk),
            Ok(None) => {}
            // Out of file handles, most likely; a peer that waits is taken in when there is one again.
            Err(_) => std::thread::park_timeout(Duration::from_millis(100)),
        }
    }
}

/// A peer that finds no thread or no place is closed by dropping its stream.
fn welcome(stream: Arc<Stream>, desk: &Arc<Desk>) {
    let Some(id) = desk.hub.join() else { return };
    let (to, writing) = (Arc::clone(&stream), Arc::clone(desk));
    let writer = thread("peer-out", move || {
        write_to(&to, id, &writing);
        writing.hub.forget(id);
    });
    if writer.is_err() {
        return desk.hub.forget(id);
    }
    let reading = Arc::clone(desk);
    let reader = thread("peer-in", move || {
        read_from(&stream, id, &reading);
        reading.hub.leave(id);
    });
    if reader.is_err() {
        desk.hub.leave(id);
    }
}

fn read_from(stream: &Stream, id: PeerId, desk: &Desk) {
    let mut frames = Frames::new(stream, 4096);
    let Ok(Some(first)) = frames.next() else { return };
    if !greet(first, id, desk) {
        return;
    }
    while let Ok(Some(frame)) = frames.next() {
        match Request::decode(frame) {
            Ok(Request::Detach) => return,
            Ok(request) => serve(request, id, desk),
            Err(Misread::Kind(kind)) => {
                refuse(desk, id, 1, format!("understand a request of kind {kind:#04x}"));
            }
            Err(Misread::Malformed) => return refuse(desk, id, 3, "understand a request cut short".into()),
        }
    }
}

fn greet(first: Bytes, id: PeerId, desk: &Desk) -> bool {
    match Request::decode(first) {
        Ok(Request::Hello { version: VERSION }) => {
            desk.hub.reply(
                id,
                Reply::Welcome {
                    version: VERSION,
                    pid: std::process::id(),
                },
            );
            true
        }
        Ok(Request::Hello { version }) => {
            let text =
                format!("speak version {version}: this holder speaks {VERSION}; use the dbs that started it");
            refuse(desk, id, 2, text);
            false
        }
        _ => {
            refuse(desk, id, 3, "begin without a greeting".into());
            false
        }
    }
}

fn refuse(desk: &Desk, id: PeerId, code: u16, text: String) {
    desk.hub.reply(id, Reply::Refused { code, text });
}

fn serve(request: Request, id: PeerId, desk: &Desk) {
    match request {
        Request::Attach { from } => desk.hub.attach(id, from),
        Request::Input(bytes) => {
            let count = desk.input.push(&bytes);
            if count > 0 {
                desk.hub.reply(
                    id,
                    Reply::InputDropped {
                        count: u32::try_from(count).unwrap_or(u32::MAX),
                    },
                );
            }
        }
        Request::Resize(size) => desk.resize(size),
        Request::Stop { grace } => {
            let survivors = desk.stop(EndedBy::Stop, Duration::from_millis(grace.into()));
            desk.hub.reply(id, Reply::Stopped { survivors });
        }
        Request::Snapshot => desk.hub.reply(id, Reply::Snapshot(desk.snapshot())),
        Request::Hello { .. } => refuse(desk, id, 3, "greet twice".into()),
        Request::Detach => {}
    }
}

fn write_to(stream: &Stream, id: PeerId, desk: &Desk) {
    let mut stored = None;
    loop {
        let sent = match desk.hub.next(id) {
            Next::Nothing => return,
            Next::Reply(reply) => wire::send(stream, reply.encode()),
            Next::Live { offset, bytes } => {
                // The log is only needed for the past; its buffers and files are not kept.
                stored = None;
                let to = offset + bytes.len() as u64;
                let sent = wire::send(stream, Reply::Output { offset, bytes }.encode());
                desk.hub.advance(id, offset, to);
                sent
            }
            Next::Stored { from, until } => {
                let (reply, to) = past(&mut stored, desk, from, until);
                let sent = wire::send(stream, reply.encode());
                desk.hub.advance(id, from, to);
                sent
            }
        };
        if sent.is_err() {
            return;
        }
    }
}

/// What the log has at `from`, and the offset behind it. Whatever it does not have up to `until` is a gap.
fn past(stored: &mut Option<LogReader>, desk: &Desk, from: u64, until: u64) -> (Reply, u64) {
    if stored.is_none() {
        *stored = LogReader::open(&desk.folder).ok();
    }
    let most = usize::try_from(until - from).unwrap_or(PIECE).min(PIECE);
    let found = stored
        .as_mut()
        .and_then(|log| log.read_from(from, most).ok())
        .unwrap_or(Chunk::End);
    match found {
        Chunk::Bytes { offset, bytes } => {
            let to = offset + bytes.len() as u64;
            (
                Reply::Output {
                    offset,
                    bytes: bytes.into(),
                },
                to,
            )
        }
        Chunk::Gap { from, to } => (
            Reply::Gap {
                from,
                to: to.min(until),
            },
            to.min(until),
        ),
        Chunk::End => (Reply::Gap { from, to: until }, until),
    }
}
