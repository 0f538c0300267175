//! Bytes to and from the terminal. Output goes to the log before any peer sees it; input is queued, never logged.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Instant;

use parking_lot::{Condvar, Mutex};

use super::platform::TERMINAL_ROOM;
use super::shared::{ReadPace, SharedState};
use crate::files::now;
use crate::log::LogWriter;

/// Bytes read at once; the system rarely gives more than 4 KiB.
const READ: usize = 16 * 1024;
/// Bytes typed at once.
const WRITTEN: usize = 64 * 1024;
/// Bytes of input that wait for a program that does not read. Bytes beyond it are dropped and reported.
const WAITING: usize = 8 * 1024 * 1024;

/// Reads until the end: terminal to log, then to the attached peer.
pub(super) fn pump_output(mut output: impl Read, log: &Mutex<LogWriter>, hub: &SharedState) {
    let mut buffer = vec![0; READ];
    let mut reads = ReadPace::new(TERMINAL_ROOM);
    loop {
        hub.wait_to_read(&reads);
        let read = match output.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => &[],
            Ok(count) => buffer.get(..count).unwrap_or_default(),
        };
        if read.is_empty() {
            return hub.drained();
        }
        reads.read(read.len(), Instant::now());
        let closed_segment = log.lock().append(read, now());
        hub.publish(read, closed_segment);
    }
}

/// Queue of input bytes on their way to the held program.
#[derive(Default)]
pub(super) struct InputQueue {
    waiting: Mutex<VecDeque<u8>>,
    news: Condvar,
}

impl InputQueue {
    /// Queues input; returns the number of bytes dropped: all or none.
    pub(super) fn push(&self, bytes: &[u8]) -> usize {
        let mut waiting = self.waiting.lock();
        if waiting.len() + bytes.len() > WAITING {
            return bytes.len();
        }
        waiting.extend(bytes);
        self.news.notify_one();
        0
    }

    /// Types queued input, for ever; ends when the terminal takes no more. Gives the terminal back, because dropping it would type an end
    /// of file.
    pub(super) fn pump<W: Write>(self: &Arc<Self>, mut terminal: W) -> W {
        loop {
            let bytes: Vec<u8> = {
                let mut waiting = self.waiting.lock();
                while waiting.is_empty() {
                    self.news.wait(&mut waiting);
                }
                let some = waiting.len().min(WRITTEN);
                waiting.drain(..some).collect()
            };
            if terminal
                .write_all(&bytes)
                .and_then(|()| terminal.flush())
                .is_err()
            {
                return terminal;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::time::Duration;

    use super::super::shared::PeerUpdate;
    use super::*;
    use dbs_ports::holders::PaneSize;

    #[test]
    fn a_long_paste_waits_whole_and_what_has_no_room_is_dropped_and_counted() {
        let input = InputQueue::default();
        let piece = vec![b'x'; 64 * 1024];
        let dropped: usize = (0..WAITING / piece.len()).map(|_| input.push(&piece)).sum();
        assert_eq!(dropped, 0);
        assert_eq!(input.push(b"y"), 1);
        assert_eq!(input.waiting.lock().len(), WAITING);
    }

    /// A program that always has one more byte to say; counts how often it was read.
    struct Talker<'a> {
        reads: &'a AtomicUsize,
        is_over: &'a AtomicBool,
    }

    impl Read for Talker<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.is_over.load(Ordering::SeqCst) {
                return Ok(0);
            }
            self.reads.fetch_add(1, Ordering::SeqCst);
            buffer.fill(b'x');
            Ok(1)
        }
    }

    #[test]
    fn a_terminal_whose_output_is_collected_is_read_about_once_for_what_is_sent() {
        let (folder, size) = (tempfile::tempdir().unwrap(), PaneSize::cells(80, 24));
        let log = Mutex::new(LogWriter::create(folder.path(), 0, size, now()).unwrap());
        let hub = SharedState::new(size);
        let peer = hub.add_peer().unwrap();
        hub.attach(peer, 0);
        hub.set_pace(peer, Duration::from_millis(20));
        let (reads, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (mut pieces, mut bytes_sent) = (0, 0);
        std::thread::scope(|scope| {
            let talker = Talker {
                reads: &reads,
                is_over: &is_over,
            };
            scope.spawn(|| pump_output(talker, &log, &hub));
            while pieces < 20 {
                if let PeerUpdate::Live { offset, bytes } = hub.next_update(peer) {
                    assert_eq!(offset, bytes_sent);
                    bytes_sent += bytes.len() as u64;
                    pieces += 1;
                    hub.advance(peer, offset, bytes_sent);
                }
            }
            is_over.store(true, Ordering::SeqCst);
            hub.close_peer(peer);
        });
        // One more where the reader's clock was quicker than that of the peer.
        let reads = reads.load(Ordering::SeqCst);
        let is_bounded = reads <= 2 * pieces + 2;
        assert!(
            is_bounded || TERMINAL_ROOM == 0,
            "{reads} reads for {pieces} pieces"
        );
    }
}
