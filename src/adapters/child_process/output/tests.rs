//! Tests of `src/adapters/child_process/output.rs`.

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
    let sink = CapturedOutput::new(OutputLimit::First(100));
    let output = OutputCollector::start(DelayedPipe(reader, late), sink, &ends).unwrap();
    let soon = Instant::now() + 2 * DRAIN;
    assert!(!ends.wait_drained(|| output.has_all(), soon), "it was given up");
    turn.send(()).unwrap();
    // Another process still holds the output open.
    assert!(ends.wait_drained(|| output.has_all(), Instant::now() + Duration::from_mins(1)));
    assert_eq!(output.kept().bytes, b"all of it");
    drop(writer);
}
