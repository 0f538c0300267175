//! The one runner of processes with limits of time and output. Output is read on threads of its own, all of it also on a machine so busy
//! that a thread gets its turn long after the process has ended. Knows nothing of what a process is for.
#![expect(
    clippy::disallowed_methods,
    reason = "part of the doors that start processes: reads their output against their time limit"
)]

use std::io::{self, Read};
use std::process::{Child, ChildStdin, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::{kill, terminate};
use crate::adapters::pipe::{PipeProbe, PollablePipe};

/// Time that an output whose bytes were all taken may stay open in the hands of a grandchild.
const DRAIN: Duration = Duration::from_millis(500);
/// Pause between two looks at a process whose outputs just closed: the end follows at once, and a caller waits for it.
const SHORTEST_STEP: Duration = Duration::from_micros(50);
/// Maximum pause between two looks at a process whose outputs stay open.
const LONGEST_STEP: Duration = Duration::from_millis(16);

/// Counter of the output pipes of a process that are still open.
#[derive(Default)]
struct OpenOutputs {
    open: Mutex<usize>,
    closed: Condvar,
}

impl OpenOutputs {
    /// Waits at most this long; true when an output closed meanwhile.
    fn pause(&self, at_most: Duration) -> bool {
        let mut open = self.open.lock();
        !self.closed.wait_for(&mut open, at_most).timed_out()
    }

    /// Waits until all outputs are closed.
    fn wait_closed(&self, deadline: Instant) {
        let mut open = self.open.lock();
        while *open > 0 && !self.closed.wait_until(&mut open, deadline).timed_out() {}
    }

    /// See [`RunningProcess::wait_drained`].
    fn wait_drained(&self, has_all: impl Fn() -> bool, deadline: Instant) -> bool {
        let mut open = self.open.lock();
        while *open > 0 {
            if self.closed.wait_for(&mut open, DRAIN).timed_out() && has_all() {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
        }
        true
    }
}

/// A process that was started, and the outputs of it that are read. To be ended with all it started it must lead a group.
pub(in crate::adapters) struct RunningProcess {
    child: Child,
    outputs: Arc<OpenOutputs>,
}

impl RunningProcess {
    pub(in crate::adapters) fn start(command: &mut Command) -> io::Result<RunningProcess> {
        let child = command.spawn()?;
        let outputs = Arc::default();
        Ok(RunningProcess { child, outputs })
    }

    pub(in crate::adapters) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns its input, which is closed when that is dropped.
    pub(in crate::adapters) fn take_input(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// Reads its standard output from here on.
    pub(in crate::adapters) fn collect_output<S: OutputSink>(
        &mut self,
        sink: S,
    ) -> io::Result<OutputCollector<S>> {
        let pipe = self.child.stdout.take();
        self.collect(pipe, sink)
    }

    /// Reads its error output from here on.
    pub(in crate::adapters) fn collect_errors<S: OutputSink>(
        &mut self,
        sink: S,
    ) -> io::Result<OutputCollector<S>> {
        let pipe = self.child.stderr.take();
        self.collect(pipe, sink)
    }

    /// Reads a pipe that it writes to; kills it if that is impossible.
    pub(in crate::adapters) fn collect<S: OutputSink>(
        &mut self,
        pipe: Option<impl Read + PollablePipe>,
        sink: S,
    ) -> io::Result<OutputCollector<S>> {
        let pipe = pipe.ok_or_else(|| io::Error::other("it has no output"));
        let collector = pipe.and_then(|pipe| OutputCollector::start(pipe, sink, &self.outputs));
        collector.inspect_err(|_| self.kill())
    }

    /// Waits for its end; wakes early when an output closes, because the end then follows at once. None at the deadline.
    pub(in crate::adapters) fn wait(&mut self, deadline: Instant) -> io::Result<Option<ExitStatus>> {
        self.wait_unless(deadline, || false)
    }

    /// Waits for its end. None at the deadline, or when `is_given_up` says so.
    pub(in crate::adapters) fn wait_unless(
        &mut self,
        deadline: Instant,
        mut is_given_up: impl FnMut() -> bool,
    ) -> io::Result<Option<ExitStatus>> {
        let mut step = SHORTEST_STEP;
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(Some(status));
            }
            let left = deadline.checked_duration_since(Instant::now());
            let Some(left) = left.filter(|_| !is_given_up()) else {
                return Ok(None);
            };
            step = if self.outputs.pause(step.min(left)) {
                SHORTEST_STEP
            } else {
                (step * 2).min(LONGEST_STEP)
            };
        }
    }

    /// Waits until everything was read that it wrote before its end, however late the threads get to it; `has_all` says when
    /// nothing is left to be read, and who else may still hold an output is not waited for. False at the deadline.
    pub(in crate::adapters) fn wait_drained(&self, has_all: impl Fn() -> bool, deadline: Instant) -> bool {
        self.outputs.wait_drained(has_all, deadline)
    }

    /// Asks its group to end, and kills what is left at the deadline.
    pub(in crate::adapters) fn end(&mut self, deadline: Instant) {
        terminate(&mut self.child);
        // Only a closed output says that also the programs that it started have cleaned up.
        self.wait(deadline).ok();
        self.outputs.wait_closed(deadline);
        self.kill();
    }

    /// Kills its group, also when it has ended itself.
    pub(in crate::adapters) fn kill(&mut self) {
        kill(&mut self.child);
        drop(self.child.wait());
    }
}

/// Receiver of the bytes of an output.
pub(in crate::adapters) trait OutputSink: Send + 'static {
    /// Takes bytes in; true when there need be no more.
    fn take(&mut self, bytes: &[u8]) -> bool;
}

/// Bytes of an output that are kept: a number of bytes from the beginning or before the end.
#[derive(Clone, Copy)]
pub(in crate::adapters) enum OutputLimit {
    /// Number of bytes from the beginning; then the pipe is closed.
    First(usize),
    Last(usize),
}

/// Bytes kept of an output, and whether some were dropped.
pub(in crate::adapters) struct CapturedOutput {
    limit: OutputLimit,
    pub(in crate::adapters) bytes: Vec<u8>,
    pub(in crate::adapters) truncated: bool,
}

impl CapturedOutput {
    pub(in crate::adapters) fn new(limit: OutputLimit) -> CapturedOutput {
        CapturedOutput {
            limit,
            bytes: Vec::new(),
            truncated: false,
        }
    }
}

impl OutputSink for CapturedOutput {
    fn take(&mut self, bytes: &[u8]) -> bool {
        self.bytes.extend_from_slice(bytes);
        match self.limit {
            OutputLimit::First(limit) if self.bytes.len() > limit => {
                self.bytes.truncate(limit);
                self.truncated = true;
            }
            OutputLimit::Last(limit) if self.bytes.len() > limit => {
                let excess = self.bytes.len() - limit;
                self.bytes.drain(..excess);
            }
            OutputLimit::First(_) | OutputLimit::Last(_) => {}
        }
        self.truncated
    }
}

/// Thread that reads one output pipe of a process into a sink.
pub(in crate::adapters) struct OutputCollector<S> {
    sink: Arc<Mutex<S>>,
    /// True while the thread has bytes that are not in the sink yet, or is about to read some.
    is_taking: Arc<AtomicBool>,
    /// Ends with the thread, so that the pipe is closed then.
    probe: Weak<PipeProbe>,
}

impl<S: OutputSink> OutputCollector<S> {
    /// Errors: the output cannot be looked at, or there can be no thread.
    fn start(mut pipe: impl Read + PollablePipe, sink: S, ends: &Arc<OpenOutputs>) -> io::Result<Self> {
        let probe = Arc::new(PipeProbe::of(&pipe)?);
        let collector = Self {
            sink: Arc::new(Mutex::new(sink)),
            is_taking: Arc::default(),
            probe: Arc::downgrade(&probe),
        };
        let (into, is_taking) = (Arc::clone(&collector.sink), Arc::clone(&collector.is_taking));
        let reading = Arc::clone(ends);
        *ends.open.lock() += 1;
        let work = move || {
            read_all(&mut pipe, &into, &is_taking, &probe);
            drop((pipe, probe));
            *reading.open.lock() -= 1;
            reading.closed.notify_all();
        };
        thread::Builder::new()
            .name("process output".to_owned())
            .spawn(work)?;
        Ok(collector)
    }

    /// Returns true if all bytes that were written before have been read.
    pub(in crate::adapters) fn has_all(&self) -> bool {
        // In this order: bytes that are no longer in the pipe are with the thread until they are in the sink.
        !self.probe.upgrade().is_some_and(|probe| probe.is_readable())
            && !self.is_taking.load(Ordering::SeqCst)
    }

    pub(in crate::adapters) fn kept(&self) -> MutexGuard<'_, S> {
        self.sink.lock()
    }
}

fn read_all(pipe: &mut impl Read, into: &Mutex<impl OutputSink>, is_taking: &AtomicBool, probe: &PipeProbe) {
    let mut chunk = [0; 16 * 1024];
    loop {
        is_taking.store(probe.wait(), Ordering::SeqCst);
        let n_bytes = pipe.read(&mut chunk).unwrap_or_default();
        let Some(bytes) = chunk.get(..n_bytes).filter(|bytes| !bytes.is_empty()) else {
            return;
        };
        let is_enough = into.lock().take(bytes);
        is_taking.store(false, Ordering::SeqCst);
        if is_enough {
            return;
        }
    }
}

#[cfg(all(test, unix))]
mod tests;
