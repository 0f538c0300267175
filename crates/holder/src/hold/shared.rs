//! State shared by the threads of a holder: the last bytes of output, the peers and their positions, the requests, the end. One lock, never
//! held while reading, writing or waiting for a disk.

use std::time::{Duration, Instant};

use bytes::Bytes;
use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::files::ExitRecord;
use crate::protocol::HolderReply;
use dbs_domain::{ProcessExit, Timestamp};
use dbs_ports::holders::{ExitedBy, PaneSize};

mod pace;
mod state;

pub(super) use pace::ReadPace;
use state::{EndPhase, HolderState, Peer, ProgramState};

/// Maximum number of replies that wait for one peer; a peer that keeps asking and does not read is closed.
const REPLIES: usize = 64;
/// Maximum number of peers at once; more are turned away.
const PEERS: usize = 8;
/// Time after which written bytes are made safe from a power cut.
const SYNC_AFTER: Duration = Duration::from_secs(2);
/// Interval of checks whether a peer can still come for the end.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// The holder's state shared by its threads, behind one lock with condition variables.
pub(super) struct SharedState {
    state: Mutex<HolderState>,
    /// Signalled when there is something for a peer, or the end has come.
    peer_ready: Condvar,
    has_room: Condvar,
    /// Signalled when there is something for the main thread.
    job_ready: Condvar,
}

pub(super) type PeerId = u64;

/// Next thing to send to a connected peer: a reply, live output, logged output or nothing more.
pub(super) enum PeerUpdate {
    Reply(HolderReply),
    /// Output bytes from memory.
    Live {
        offset: u64,
        /// At least one.
        bytes: Bytes,
    },
    /// Output in the log from here on, up to where memory begins.
    Stored {
        from: u64,
        until: u64,
    },
    Nothing,
}

/// Work for the holder's main thread: sync the log, compress a segment, or handle the program's end.
pub(super) enum MaintenanceJob {
    Sync,
    Pack,
    End(ProcessExit, Timestamp),
}

impl SharedState {
    pub(super) fn new(size: PaneSize) -> Self {
        Self {
            state: Mutex::new(HolderState::new(size)),
            peer_ready: Condvar::new(),
            has_room: Condvar::new(),
            job_ready: Condvar::new(),
        }
    }

    // ---- output ----

    /// Waits while the attached peer is too far behind, and, if the terminal has room, while its output would be held back: one read takes
    /// all of it then. Never waits once the program has ended or is being stopped.
    pub(super) fn wait_to_read(&self, reads: &ReadPace) {
        let mut state = self.state.lock();
        while state.is_peer_behind() {
            self.has_room.wait(&mut state);
        }
        let since = Instant::now();
        if !reads.may_pause(since) {
            return;
        }
        while let Some(until) = state.unread_until(since, Instant::now()) {
            self.has_room.wait_until(&mut state, until);
        }
    }

    /// Takes output that is in the log. Output after the end was recorded does not count.
    pub(super) fn publish(&self, bytes: &[u8], closed_segment: bool) {
        let mut state = self.state.lock();
        if state.record().is_some() {
            return;
        }
        state.remember(bytes);
        let is_first = state.written_at.is_none();
        state.written_at.get_or_insert_with(Instant::now);
        state.has_closed_segment |= closed_segment;
        if is_first || closed_segment {
            self.job_ready.notify_one();
        }
        if state.wants_output(bytes.len(), Instant::now()) {
            self.peer_ready.notify_all();
        }
    }

    /// Notes that there will be no more output.
    pub(super) fn drained(&self) {
        self.state.lock().is_drained = true;
        self.job_ready.notify_all();
    }

    pub(super) fn resized(&self, size: PaneSize) {
        self.state.lock().size = size;
    }

    /// Returns the size of the terminal, the bytes of output, and the end if there is one.
    pub(super) fn status(&self) -> (PaneSize, u64, Option<ExitRecord>) {
        let state = self.state.lock();
        (state.size, state.end, state.record().cloned())
    }

    // ---- the end ----

    /// Notes that the end was requested. A program that ended before that ended by itself.
    pub(super) fn ask_to_end(&self, by: ExitedBy) {
        let mut state = self.state.lock();
        if matches!(state.program, ProgramState::Running) && state.end_requested_by == ExitedBy::Itself {
            state.end_requested_by = by;
        }
        self.has_room.notify_all();
    }

    pub(super) fn program_ended(&self, exit: ProcessExit, at: Timestamp) {
        let mut state = self.state.lock();
        (state.program, state.is_suspended) = (ProgramState::Ended(exit, at), false);
        drop(state);
        self.has_room.notify_all();
        self.job_ready.notify_all();
    }

    /// Returns true if the program runs and is suspended.
    pub(super) fn is_suspended(&self) -> bool {
        self.state.lock().is_suspended
    }

    /// Informs the attached peer that the program is suspended, or continues. A program that has to end is suspended by the holder itself,
    /// just before it is killed.
    pub(super) fn suspended(&self, is_suspended: bool) {
        let mut state = self.state.lock();
        if is_suspended && state.end_requested_by != ExitedBy::Itself {
            return;
        }
        state.is_suspended = is_suspended;
        let attached = state.attached;
        if let Some(peer) = attached.and_then(|id| state.peers.get_mut(&id)) {
            peer.replies.push_back(HolderReply::Suspended(is_suspended));
        }
        self.wake_all(state);
    }

    /// Waits until all output was read, at most `within`.
    pub(super) fn wait_drained(&self, within: Duration) {
        let mut state = self.state.lock();
        let deadline = Instant::now() + within;
        while !state.is_drained {
            if self.job_ready.wait_until(&mut state, deadline).timed_out() {
                return;
            }
        }
    }

    /// Fixes the end: from here on output does not count. Peers do not know yet.
    pub(super) fn record_end(&self, exit: ProcessExit, at: Timestamp) -> ExitRecord {
        let mut state = self.state.lock();
        let record = ExitRecord {
            exit,
            ended_at: at,
            by: state.end_requested_by,
            output: state.end,
        };
        state.end_phase = EndPhase::Recorded(record.clone());
        record
    }

    /// Informs peers that the end is on disk (or never will be), and lets stops answer.
    pub(super) fn announce_end(&self) {
        let mut state = self.state.lock();
        if let Some(record) = state.record().cloned() {
            state.end_phase = EndPhase::Announced {
                record,
                was_heard: false,
            };
        }
        self.wake_all(state);
    }

    /// Waits until the end was announced, at most `within`.
    pub(super) fn wait_ended(&self, within: Duration) {
        let mut state = self.state.lock();
        let deadline = Instant::now() + within;
        while !matches!(state.end_phase, EndPhase::Announced { .. }) {
            if self.peer_ready.wait_until(&mut state, deadline).timed_out() {
                return;
            }
        }
    }

    /// Waits until the peers that listened have received the end and left; `alone` limits the wait while there is no peer, `most` limits
    /// all of it. A peer that cannot come is not waited for.
    pub(super) fn linger(&self, alone: Duration, most: Duration, can_come: &dyn Fn() -> bool) {
        let start = Instant::now();
        loop {
            let is_forgotten = !can_come();
            let mut state = self.state.lock();
            let is_alone = state.peers.is_empty();
            let was_heard = matches!(state.end_phase, EndPhase::Announced { was_heard: true, .. });
            let limit = if is_alone { alone } else { most };
            if is_alone && (was_heard || is_forgotten) || start.elapsed() >= limit {
                return;
            }
            let look_again = Instant::now() + LOOK_AGAIN;
            self.job_ready
                .wait_until(&mut state, look_again.min(start + limit));
        }
    }

    // ---- chores ----

    /// Waits for something to do.
    pub(super) fn next_job(&self) -> MaintenanceJob {
        let mut state = self.state.lock();
        loop {
            if let ProgramState::Ended(exit, at) = &state.program {
                return MaintenanceJob::End(exit.clone(), *at);
            }
            if std::mem::take(&mut state.has_closed_segment) {
                return MaintenanceJob::Pack;
            }
            match state.written_at.map(|written| written + SYNC_AFTER) {
                None => self.job_ready.wait(&mut state),
                Some(due) if Instant::now() >= due => {
                    state.written_at = None;
                    return MaintenanceJob::Sync;
                }
                Some(due) => {
                    self.job_ready.wait_until(&mut state, due);
                }
            }
        }
    }

    // ---- peers ----

    pub(super) fn add_peer(&self) -> Option<PeerId> {
        let mut state = self.state.lock();
        if state.peers.len() >= PEERS {
            return None;
        }
        let id = state.next_peer;
        state.next_peer += 1;
        state.peers.insert(id, Peer::default());
        Some(id)
    }

    /// Ends the output of a peer; the thread that writes to it ends.
    pub(super) fn close_peer(&self, id: PeerId) {
        let mut state = self.state.lock();
        if let Some(peer) = state.peers.get_mut(&id) {
            peer.is_leaving = true;
            peer.cursor = None;
        }
        state.attached.take_if(|attached| *attached == id);
        self.wake_all(state);
    }

    pub(super) fn remove_peer(&self, id: PeerId) {
        let mut state = self.state.lock();
        state.attached.take_if(|attached| *attached == id);
        state.peers.remove(&id);
        self.wake_all(state);
    }

    /// Sends output to a peer from here on; the peer that got it before is informed.
    pub(super) fn attach(&self, id: PeerId, from: u64) {
        let mut state = self.state.lock();
        let before = state.attached.replace(id).filter(|before| *before != id);
        if let Some(older) = before.and_then(|before| state.peers.get_mut(&before)) {
            older.cursor = None;
            older.replies.push_back(HolderReply::Replaced);
        }
        let (from, is_suspended) = (from.min(state.end), state.is_suspended);
        if let Some(peer) = state.peers.get_mut(&id) {
            peer.cursor = Some(from);
            peer.knows_end = false;
            if is_suspended {
                peer.replies.push_back(HolderReply::Suspended(true));
            }
        }
        self.wake_all(state);
    }

    /// Notes that input was typed into the program: its next output is not held back.
    pub(super) fn typed(&self) {
        let mut state = self.state.lock();
        let attached = state.attached;
        let Some(peer) = attached.and_then(|id| state.peers.get_mut(&id)) else {
            return;
        };
        peer.pace.typed();
        drop(state);
        self.peer_ready.notify_all();
        self.has_room.notify_all();
    }

    /// Sets the longest time for which output for a peer is collected.
    pub(super) fn set_pace(&self, id: PeerId, longest: Duration) {
        let mut state = self.state.lock();
        if let Some(peer) = state.peers.get_mut(&id) {
            peer.pace.set(longest);
        }
        drop(state);
        self.peer_ready.notify_all();
        self.has_room.notify_all();
    }

    /// Queues an answer; a peer that does not read its answers is closed.
    pub(super) fn reply(&self, id: PeerId, reply: HolderReply) {
        let mut state = self.state.lock();
        if let Some(peer) = state.peers.get_mut(&id) {
            if peer.replies.len() >= REPLIES {
                peer.is_leaving = true;
            } else {
                peer.replies.push_back(reply);
            }
        }
        self.wake_all(state);
    }

    /// Waits for the next update of this peer.
    pub(super) fn next_update(&self, id: PeerId) -> PeerUpdate {
        let mut state = self.state.lock();
        loop {
            // One moment for both questions: output whose time comes between them would wait for ever.
            let now = Instant::now();
            if let Some(next) = state.next(id, now) {
                return next;
            }
            match state.held_until(id, now) {
                Some(until) => drop(self.peer_ready.wait_until(&mut state, until)),
                None => self.peer_ready.wait(&mut state),
            }
        }
    }

    /// Notes that a peer has got everything from `from` to `to`. Has no effect if the peer asked for another place meanwhile.
    pub(super) fn advance(&self, id: PeerId, from: u64, to: u64) {
        let mut state = self.state.lock();
        let was_behind = state.is_peer_behind();
        let cursor = state.peers.get_mut(&id).and_then(|peer| peer.cursor.as_mut());
        if let Some(cursor) = cursor.filter(|cursor| **cursor == from) {
            *cursor = to;
        }
        let now = Instant::now();
        if was_behind || state.unread_until(now, now).is_none() {
            self.has_room.notify_all();
        }
    }

    fn wake_all(&self, state: MutexGuard<'_, HolderState>) {
        drop(state);
        self.peer_ready.notify_all();
        self.has_room.notify_all();
        self.job_ready.notify_all();
    }
}

#[cfg(test)]
mod tests;
