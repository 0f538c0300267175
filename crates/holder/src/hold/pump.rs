//! Bytes to and from the terminal. Output goes to the log before anybody else sees it; input is queued, never logged.

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
/// Bytes of input that wait for a program that does not read. What exceeds it is dropped and reported.
const WAITING: usize = 8 * 1024 * 1024;

/// Reads until the end: terminal to log, then to whoever listens.
pub(super) fn pump_output(mut output: impl Read, log: &Mutex<LogWriter>, hub: &SharedState) {
    let mut buffer = vec![0; READ];
    let mut reads = ReadPace::new(TERMINAL_ROOM);
    loop {
        hub.wait_to_read(&mut reads);
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
    /// Queues input; answers how many bytes were dropped: all or none.
    pub(super) fn push(&self, bytes: &[u8]) -> usize {
        let mut waiting = self.waiting.lock();
        if waiting.len() + bytes.len() > WAITING {
            return bytes.len();
        }
        waiting.extend(bytes);
        self.news.notify_one();
        0
    }

    /// Types what is queued, for ever; ends when the terminal takes no more. Gives the terminal back, because dropping
    /// it would type an end of file.
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
    use super::*;

    #[test]
    fn a_long_paste_waits_whole_and_what_has_no_room_is_dropped_and_counted() {
        let input = InputQueue::default();
        let piece = vec![b'x'; 64 * 1024];
        let dropped: usize = (0..WAITING / piece.len()).map(|_| input.push(&piece)).sum();
        assert_eq!(dropped, 0);
        assert_eq!(input.push(b"y"), 1);
        assert_eq!(input.waiting.lock().len(), WAITING);
    }
}
