//! The output of one process, read on threads of its own, and when it is whole: also on a machine so busy that a thread gets
//! its turn long after the process has ended. Knows nothing of processes.
#![expect(
    clippy::disallowed_methods,
    reason = "part of the door that starts git: reads its output on threads, against its time limit"
)]

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::adapters::pipe::{PipeProbe, PollablePipe};

/// How long an output whose bytes were all taken may stay open in the hands of a grandchild.
const DRAIN: Duration = Duration::from_millis(500);

/// Counter of the output pipes of a process that are still open.
#[derive(Default)]
pub(super) struct OpenOutputs {
    open: Mutex<usize>,
    closed: Condvar,
}

impl OpenOutputs {
    /// Waits at most this long; true when an output closed meanwhile.
    pub(super) fn pause(&self, at_most: Duration) -> bool {
        let mut open = self.open.lock();
        !self.closed.wait_for(&mut open, at_most).timed_out()
    }

    /// Waits until all outputs are closed.
    pub(super) fn wait_closed(&self, deadline: Instant) {
        let mut open = self.open.lock();
        while *open > 0 && !self.closed.wait_until(&mut open, deadline).timed_out() {}
    }

    /// Waits until everything was taken that an ended process wrote, however late the threads get to it; who else may still
    /// hold an output is not waited for. False at the deadline.
    pub(super) fn wait_drained(&self, collectors: &[&OutputCollector], deadline: Instant) -> bool {
        let mut open = self.open.lock();
        while *open > 0 {
            let is_still = self.closed.wait_for(&mut open, DRAIN).timed_out();
            if is_still && collectors.iter().all(|collector| collector.has_all()) {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
        }
        true
    }
}

/// Which bytes of an output are kept: so many from the beginning or so many before the end.
#[derive(Clone, Copy)]
pub(super) enum OutputLimit {
    /// So many from the beginning; then the pipe is closed.
    First(usize),
    /// So many before the end.
    Last(usize),
}

/// Bytes kept of an output, and whether some were dropped.
#[derive(Default)]
pub(super) struct CapturedOutput {
    pub(super) bytes: Vec<u8>,
    pub(super) truncated: bool,
}

/// Thread that reads one output pipe of a process into memory.
pub(super) struct OutputCollector {
    kept: Arc<Mutex<CapturedOutput>>,
    /// Whether the thread has bytes in its hands, or is about to take some.
    is_taking: Arc<AtomicBool>,
    /// Goes with the thread, so that the pipe is closed then.
    probe: Weak<PipeProbe>,
}

impl OutputCollector {
    /// Errors: the output cannot be looked at, or there can be no thread.
    pub(super) fn start<P>(pipe: P, keep: OutputLimit, ends: &Arc<OpenOutputs>) -> io::Result<Self>
    where
        P: Read + PollablePipe,
    {
        let probe = Arc::new(PipeProbe::of(&pipe)?);
        let collector = Self {
            kept: Arc::default(),
            is_taking: Arc::default(),
            probe: Arc::downgrade(&probe),
        };
        let (into, is_taking) = (Arc::clone(&collector.kept), Arc::clone(&collector.is_taking));
        let reading = Arc::clone(ends);
        *ends.open.lock() += 1;
        let work = move || {
            let mut pipe = pipe;
            read_all(&mut pipe, keep, (&into, &is_taking, &probe));
            drop((pipe, probe));
            *reading.open.lock() -= 1;
            reading.closed.notify_all();
        };
        thread::Builder::new().name("git output".to_owned()).spawn(work)?;
        Ok(collector)
    }

    /// Whether nothing that was written before is still to be taken.
    fn has_all(&self) -> bool {
        // In this order: what is no longer in the pipe is in the hands of the thread until it is kept.
        !self.probe.upgrade().is_some_and(|probe| probe.is_readable())
            && !self.is_taking.load(Ordering::SeqCst)
    }

    /// What was taken.
    pub(super) fn take(&self) -> CapturedOutput {
        std::mem::take(&mut *self.kept.lock())
    }
}

fn read_all(
    pipe: &mut impl Read,
    keep: OutputLimit,
    (into, is_taking, probe): (&Mutex<CapturedOutput>, &AtomicBool, &PipeProbe),
) {
    let mut chunk = [0; 16 * 1024];
    loop {
        is_taking.store(probe.wait(), Ordering::SeqCst);
        let Ok(n_bytes) = pipe.read(&mut chunk) else {
            return;
        };
        let Some(bytes) = chunk.get(..n_bytes).filter(|bytes| !bytes.is_empty()) else {
            return;
        };
        let is_enough = into.lock().take(bytes, keep);
        is_taking.store(false, Ordering::SeqCst);
        if is_enough {
            return;
        }
    }
}

impl CapturedOutput {
    /// Takes bytes in; true when there need be no more.
    fn take(&mut self, bytes: &[u8], keep: OutputLimit) -> bool {
        self.bytes.extend_from_slice(bytes);
        match keep {
            OutputLimit::First(limit) if self.bytes.len() > limit => {
                self.bytes.truncate(limit);
                self.truncated = true;
                return true;
            }
            OutputLimit::Last(limit) if self.bytes.len() > limit => {
                let excess = self.bytes.len() - limit;
                self.bytes.drain(..excess);
            }
            OutputLimit::First(_) | OutputLimit::Last(_) => {}
        }
        false
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::{PipeReader, Write as _};
    use std::os::fd::{AsFd, BorrowedFd};
    use std::sync::mpsc::{Receiver, sync_channel};

    use super::*;

    /// Test pipe whose reader gets its bytes late, as on a busy machine.
    struct DelayedPipe(PipeReader, Receiver<()>);

    impl Read for DelayedPipe {
        fn read(&mut self, chunk: &mut [u8]) -> io::Result<usize> {
            self.1.recv().map_err(io::Error::other)?;
            self.0.read(chunk)
        }
    }

    impl AsFd for DelayedPipe {
        fn as_fd(&self) -> BorrowedFd<'_> {
            self.0.as_fd()
        }
    }

    #[test]
    fn what_an_ended_process_wrote_is_waited_for_however_late_it_is_read() {
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"all of it").unwrap();
        let (turn, late) = sync_channel(1);
        let ends = Arc::new(OpenOutputs::default());
        let output =
            OutputCollector::start(DelayedPipe(reader, late), OutputLimit::First(100), &ends).unwrap();
        let soon = Instant::now() + 2 * DRAIN;
        assert!(!ends.wait_drained(&[&output], soon), "it was given up");
        turn.send(()).unwrap();
        // Somebody else still holds the output open.
        assert!(ends.wait_drained(&[&output], Instant::now() + Duration::from_mins(1)));
        assert_eq!(output.take().bytes, b"all of it");
        drop(writer);
    }
}
