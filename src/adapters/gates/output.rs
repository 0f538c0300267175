//! A gate's output: streamed to a file up to a limit, the end kept in memory. The gate never waits for a full file.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::adapters::pipe::{PipeProbe, PollablePipe};

/// Most bytes of the end kept in memory.
const TAIL: usize = 8 * 1024;
/// How often it is looked whether the rest was read: a thread of a busy machine may get its turn late, but not for ever.
const LOOKS: u32 = 120;

/// Output of a running gate that was read so far.
#[derive(Default)]
struct RecordedOutput {
    tail: Vec<u8>,
    n_written: u64,
    truncated: bool,
    write_error: Option<String>,
    reading: ReaderState,
}

/// What the thread that reads a gate's output is doing: waiting, taking bytes, or finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum ReaderState {
    /// It waits for bytes.
    #[default]
    Waiting,
    /// It has bytes in its hands, or is about to take some.
    Taking,
    /// Nobody can write any more.
    Closed,
}

/// Tail of a gate's output, and whether the file beside it is complete.
pub(super) struct GateOutput {
    pub(super) tail: String,
    pub(super) truncated: bool,
    /// Why the file lacks something it should have.
    pub(super) write_error: Option<String>,
}

/// Thread that copies the output of a gate from a pipe into a file.
pub(super) struct OutputRecorder {
    seen: Arc<(Mutex<RecordedOutput>, Condvar)>,
    /// Goes with the thread.
    probe: Weak<PipeProbe>,
}

impl OutputRecorder {
    /// Errors: the file or the thread could not be made.
    pub(super) fn start(
        mut from: impl Read + PollablePipe,
        path: &Path,
        limit: u64,
    ) -> std::io::Result<Self> {
        let mut file = File::create(path)?;
        let seen = Arc::new((Mutex::new(RecordedOutput::default()), Condvar::new()));
        let shared = Arc::clone(&seen);
        let own = Arc::new(PipeProbe::of(&from)?);
        let probe = Arc::downgrade(&own);
        let copy = move || {
            let (state, changed) = &*shared;
            let mut chunk = [0; 16 * 1024];
            loop {
                if own.wait() {
                    state.lock().reading = ReaderState::Taking;
                }
                let n_bytes = from.read(&mut chunk).unwrap_or_default();
                let Some(bytes) = chunk.get(..n_bytes).filter(|bytes| !bytes.is_empty()) else {
                    break;
                };
                take(&mut file, bytes, limit, &mut state.lock());
            }
            state.lock().reading = ReaderState::Closed;
            changed.notify_all();
        };
        thread::Builder::new()
            .name("gate output".to_owned())
            .spawn(copy)?;
        Ok(Self { seen, probe })
    }

    /// Waits at most this long for the output to close; true when it has.
    pub(super) fn wait_closed(&self, at_most: Duration) -> bool {
        let (state, changed) = &*self.seen;
        let mut state = state.lock();
        if state.reading != ReaderState::Closed {
            changed.wait_for(&mut state, at_most);
        }
        state.reading == ReaderState::Closed
    }

    /// Waits until all was read that is written already; who still holds the output open is waited for no longer than this.
    pub(super) fn wait_read(&self, at_most: Duration) {
        let (state, changed) = &*self.seen;
        let mut state = state.lock();
        for _ in 0..LOOKS {
            if state.reading == ReaderState::Closed {
                return;
            }
            let is_still = changed.wait_for(&mut state, at_most).timed_out();
            // While this holds the lock, the thread can begin to take nothing.
            if is_still
                && state.reading == ReaderState::Waiting
                && !self.probe.upgrade().is_some_and(|probe| probe.is_readable())
            {
                return;
            }
        }
    }

    /// What has been written so far; somebody who escaped may still hold the output.
    pub(super) fn finish(&self) -> GateOutput {
        let state = self.seen.0.lock();
        GateOutput {
            tail: String::from_utf8_lossy(&state.tail).into_owned(),
            truncated: state.truncated,
            write_error: state.write_error.clone(),
        }
    }
}

fn take(file: &mut File, bytes: &[u8], limit: u64, seen: &mut RecordedOutput) {
    seen.reading = ReaderState::Waiting;
    seen.tail.extend_from_slice(bytes);
    let excess = seen.tail.len().saturating_sub(TAIL);
    seen.tail.drain(..excess);
    let room = usize::try_from(limit - seen.n_written).unwrap_or(usize::MAX);
    let kept = bytes.get(..room).unwrap_or(bytes);
    seen.truncated |= kept.len() < bytes.len();
    if seen.write_error.is_some() {
        return;
    }
    match file.write_all(kept) {
        Ok(()) => seen.n_written += kept.len() as u64,
        Err(error) => seen.write_error = Some(error.to_string()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::{self, PipeReader};
    use std::os::fd::{AsFd, BorrowedFd};
    use std::sync::mpsc::{Receiver, sync_channel};

    use super::*;

    /// How long an output may stay open, and how late its reader gets its turn.
    const PATIENCE: Duration = Duration::from_millis(5);
    const LATE: Duration = Duration::from_millis(200);

    /// Test pipe whose reader gets its bytes late, as on a busy machine.
    struct DelayedOutput(PipeReader, Receiver<()>);

    impl Read for DelayedOutput {
        fn read(&mut self, chunk: &mut [u8]) -> io::Result<usize> {
            assert!(self.1.recv_timeout(LATE).is_err());
            self.0.read(chunk)
        }
    }

    impl AsFd for DelayedOutput {
        fn as_fd(&self) -> BorrowedFd<'_> {
            self.0.as_fd()
        }
    }

    #[test]
    fn what_was_written_is_waited_for_however_late_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"all of it").unwrap();
        let (_turn, late) = sync_channel(1);
        let output = folder.path().join("output");
        let recorder = OutputRecorder::start(DelayedOutput(reader, late), &output, 1_000).unwrap();
        recorder.wait_read(PATIENCE);
        assert_eq!(recorder.finish().tail, "all of it");
        // Somebody else has held it open all the time.
        drop(writer);
    }
}
