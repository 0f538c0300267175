//! A gate's output: streamed to a file up to a limit, the end kept in memory. The gate never waits for a full file.

use std::fs::File;
use std::io::{PipeReader, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// Most bytes of the end kept in memory.
const TAIL: usize = 8 * 1024;

/// What was read so far.
#[derive(Default)]
struct Seen {
    tail: Vec<u8>,
    n_written: u64,
    truncated: bool,
    trouble: Option<String>,
    is_closed: bool,
}

/// What a gate wrote, when it has ended.
pub(super) struct Written {
    pub(super) tail: String,
    pub(super) truncated: bool,
    /// Why the file lacks something it should have.
    pub(super) trouble: Option<String>,
}

/// A thread that copies a pipe into a file; it ends when nobody holds the pipe's other end.
pub(super) struct Recorder {
    seen: Arc<(Mutex<Seen>, Condvar)>,
}

impl Recorder {
    /// Errors: the file or the thread could not be made.
    pub(super) fn start(mut from: PipeReader, path: &Path, limit: u64) -> std::io::Result<Self> {
        let mut file = File::create(path)?;
        let seen = Arc::new((Mutex::new(Seen::default()), Condvar::new()));
        let shared = Arc::clone(&seen);
        let copy = move || {
            let (state, changed) = &*shared;
            let mut chunk = [0; 16 * 1024];
            while let Ok(n_bytes) = from.read(&mut chunk) {
                let Some(bytes) = chunk.get(..n_bytes).filter(|bytes| !bytes.is_empty()) else {
                    break;
                };
                take(&mut file, bytes, limit, &mut state.lock());
            }
            state.lock().is_closed = true;
            changed.notify_all();
        };
        thread::Builder::new()
            .name("gate output".to_owned())
            .spawn(copy)?;
        Ok(Self { seen })
    }

    /// Waits at most this long for the output to close; true when it has.
    pub(super) fn wait_closed(&self, at_most: Duration) -> bool {
        let (state, changed) = &*self.seen;
        let mut state = state.lock();
        if !state.is_closed {
            changed.wait_for(&mut state, at_most);
        }
        state.is_closed
    }

    /// What has been written so far; somebody who escaped may still hold the output.
    pub(super) fn finish(&self) -> Written {
        let state = self.seen.0.lock();
        Written {
            tail: String::from_utf8_lossy(&state.tail).into_owned(),
            truncated: state.truncated,
            trouble: state.trouble.clone(),
        }
    }
}

fn take(file: &mut File, bytes: &[u8], limit: u64, seen: &mut Seen) {
    seen.tail.extend_from_slice(bytes);
    let excess = seen.tail.len().saturating_sub(TAIL);
    seen.tail.drain(..excess);
    let room = usize::try_from(limit - seen.n_written).unwrap_or(usize::MAX);
    let kept = bytes.get(..room).unwrap_or(bytes);
    seen.truncated |= kept.len() < bytes.len();
    if seen.trouble.is_some() {
        return;
    }
    match file.write_all(kept) {
        Ok(()) => seen.n_written += kept.len() as u64,
        Err(error) => seen.trouble = Some(error.to_string()),
    }
}
