//! State guarded by the lock of the hub, with its rules. Nothing here waits.

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use bytes::Bytes;

use super::pace::OutputPace;
use super::{PeerId, PeerUpdate};
use crate::files::ExitRecord;
use crate::protocol::HolderReply;
use dbs_domain::{ProcessExit, Timestamp};
use dbs_ports::holders::{ExitedBy, PaneSize};

/// Bytes that the attached peer may fall behind before the program is slowed.
const MAX_PEER_LAG: u64 = 256 * 1024;
/// Bytes kept in memory: the lag and more than one read on top, so that a peer within it never needs the disk.
const RECENT: usize = 320 * 1024;
/// Maximum number of bytes in one Output.
const PIECE: usize = 64 * 1024;

/// All values that the threads of a holder share.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct HolderState {
    /// The last bytes of output.
    recent: VecDeque<u8>,
    /// Bytes of output in all.
    pub(super) end: u64,
    pub(super) size: PaneSize,
    pub(super) peers: BTreeMap<PeerId, Peer>,
    pub(super) next_peer: PeerId,
    /// Peer that gets output and may slow the program.
    pub(super) attached: Option<PeerId>,
    pub(super) end_requested_by: ExitedBy,
    pub(super) program: ProgramState,
    pub(super) is_suspended: bool,
    pub(super) is_drained: bool,
    pub(super) end_phase: EndPhase,
    /// Time at which the first byte was written that may not be safe yet.
    pub(super) written_at: Option<Instant>,
    pub(super) has_closed_segment: bool,
}

/// State of the held program: running or ended.
pub(super) enum ProgramState {
    Running,
    Ended(ProcessExit, Timestamp),
}

/// Progress of recording and announcing the end of the held program.
pub(super) enum EndPhase {
    Pending,
    /// Output does not count any more; no peer knows yet.
    Recorded(ExitRecord),
    /// Peers may learn of the end; `was_heard` is set once one has.
    Announced {
        record: ExitRecord,
        was_heard: bool,
    },
}

/// Queued replies and output position of one connected peer.
#[derive(Default)]
pub(super) struct Peer {
    pub(super) replies: VecDeque<HolderReply>,
    /// Offset of the peer's next byte, while it gets output.
    pub(super) cursor: Option<u64>,
    pub(super) pace: OutputPace,
    pub(super) knows_end: bool,
    pub(super) is_leaving: bool,
}

impl HolderState {
    pub(super) fn new(size: PaneSize) -> Self {
        Self {
            recent: VecDeque::new(),
            end: 0,
            size,
            peers: BTreeMap::new(),
            next_peer: 1,
            attached: None,
            end_requested_by: ExitedBy::Itself,
            program: ProgramState::Running,
            is_suspended: false,
            is_drained: false,
            end_phase: EndPhase::Pending,
            written_at: None,
            has_closed_segment: false,
        }
    }

    pub(super) fn remember(&mut self, bytes: &[u8]) {
        self.end += bytes.len() as u64;
        self.recent.extend(bytes);
        let surplus = self.recent.len().saturating_sub(RECENT);
        self.recent.drain(..surplus);
    }

    /// Returns the end, once it is recorded.
    pub(super) fn record(&self) -> Option<&ExitRecord> {
        match &self.end_phase {
            EndPhase::Pending => None,
            EndPhase::Recorded(record) | EndPhase::Announced { record, .. } => Some(record),
        }
    }

    /// Returns the attached peer and the number of bytes it has not got yet, while the program may wait for it: never once the program has
    /// ended or is being stopped.
    fn awaited(&self) -> Option<(&Peer, u64)> {
        let may_wait =
            matches!(self.program, ProgramState::Running) && self.end_requested_by == ExitedBy::Itself;
        let peer = self.peers.get(&self.attached?).filter(|_| may_wait)?;
        Some((peer, self.end - peer.cursor?))
    }

    /// Returns true if the program waits for the attached peer.
    pub(super) fn is_peer_behind(&self) -> bool {
        self.awaited().is_some_and(|(_, pending)| pending >= MAX_PEER_LAG)
    }

    /// Returns the time until which the terminal is not read, because its output would be held back. `since` is the time at which this was
    /// first asked.
    pub(super) fn unread_until(&self, since: Instant, now: Instant) -> Option<Instant> {
        let (peer, pending) = self.awaited()?;
        peer.pace.unread_until(since, now, pending)
    }

    /// Returns the time until which output for a peer is held back, if there is any and it is. Nothing is held back once the end is
    /// announced.
    pub(super) fn held_until(&self, id: PeerId, now: Instant) -> Option<Instant> {
        let peer = self.peers.get(&id)?;
        let pending = self.end - peer.cursor?;
        let has_ended = matches!(self.end_phase, EndPhase::Announced { .. });
        peer.pace
            .held_until(now, pending)
            .filter(|_| pending > 0 && !has_ended)
    }

    /// Returns true if the attached peer is to be woken for this many new bytes. A peer that waits with output held back wakes by itself.
    pub(super) fn wants_output(&self, new: usize, now: Instant) -> bool {
        let attached = self.attached.and_then(|id| self.peers.get(&id));
        let before = self.end.saturating_sub(new as u64);
        let is_first = attached.is_some_and(|peer| peer.cursor.is_some_and(|cursor| cursor >= before));
        is_first || self.attached.is_none_or(|id| self.held_until(id, now).is_none())
    }

    /// Returns the next update of this peer, if there is one.
    pub(super) fn next(&mut self, id: PeerId, now: Instant) -> Option<PeerUpdate> {
        let (end, memory) = (self.end, self.end - self.recent.len() as u64);
        let is_held = self.held_until(id, now).is_some();
        let Some(peer) = self.peers.get_mut(&id) else {
            return Some(PeerUpdate::Nothing);
        };
        if let Some(reply) = peer.replies.pop_front() {
            return Some(PeerUpdate::Reply(reply));
        }
        if peer.is_leaving {
            return Some(PeerUpdate::Nothing);
        }
        match peer.cursor {
            Some(from) if from < memory => Some(PeerUpdate::Stored { from, until: memory }),
            Some(_) if is_held => None,
            Some(offset) if offset < end => {
                peer.pace.sent(now);
                Some(PeerUpdate::Live {
                    offset,
                    bytes: self.piece(offset - memory),
                })
            }
            Some(_) if !peer.knows_end => {
                let EndPhase::Announced { record, was_heard } = &mut self.end_phase else {
                    return None;
                };
                (peer.knows_end, *was_heard) = (true, true);
                Some(PeerUpdate::Reply(HolderReply::Exited(record.clone())))
            }
            _ => None,
        }
    }

    fn piece(&self, skip: u64) -> Bytes {
        let stored = self.recent.len();
        let skip = usize::try_from(skip).unwrap_or(stored).min(stored);
        let until = skip.saturating_add(PIECE).min(stored);
        self.recent.range(skip..until).copied().collect()
    }
}
