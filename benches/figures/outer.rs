//! The terminal of a client: a pty of 200 by 50 that is always read, counts bytes, answers queries, and notes the moment at which awaited
//! bytes arrive. It does not emulate, so that its own cost is not measured.
#![expect(clippy::unwrap_used, reason = "what cannot be set up is no measurement")]
#![expect(
    clippy::disallowed_methods,
    reason = "measures time, reads on a thread of its own"
)]

use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use memchr::memmem;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize};

/// Columns and rows of every client.
pub(crate) const SIZE: (u16, u16) = (200, 50);

/// A client in a separate terminal. Killed when dropped.
pub(crate) struct Outer {
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    writer: Arc<Mutex<Box<dyn Write + Send>>>,
    seen: Arc<Seen>,
    /// Time of the client's start.
    pub(crate) started: Instant,
}

#[derive(Default)]
struct Seen {
    state: Mutex<State>,
    news: Condvar,
}

#[derive(Default)]
struct State {
    bytes: u64,
    awaited: Vec<u8>,
    tail: Vec<u8>,
    arrived: Option<Instant>,
    last: Vec<u8>,
}

impl Outer {
    /// Starts a program and looks for these bytes from its first byte on.
    pub(crate) fn start(argv: &[&str], folder: &Path, env: &[(String, String)], awaited: &[u8]) -> Self {
        let (cols, rows) = SIZE;
        let size = PtySize {
            rows,
            cols,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = portable_pty::native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::from_argv(argv.iter().map(|word| (*word).into()).collect());
        command.env_clear();
        command.cwd(folder);
        for (name, value) in env {
            command.env(name, value);
        }
        let started = Instant::now();
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let reader = pair.master.try_clone_reader().unwrap();
        let writer = Arc::new(Mutex::new(pair.master.take_writer().unwrap()));
        let seen = Arc::new(Seen::default());
        seen.state.lock().unwrap().awaited = awaited.to_vec();
        let (to, answers) = (Arc::clone(&seen), Arc::clone(&writer));
        std::thread::Builder::new()
            .name("outer".to_owned())
            .spawn(move || read_on(reader, &to, &answers))
            .unwrap();
        Self {
            child,
            _master: pair.master,
            writer,
            seen,
            started,
        }
    }

    /// Time from the start until the bytes awaited from the start arrived.
    pub(crate) fn first(&self) -> Duration {
        self.awaited(Duration::from_mins(1), "a first frame") - self.started
    }

    /// Types these bytes.
    pub(crate) fn type_in(&self, bytes: &[u8]) {
        let mut writer = self.writer.lock().unwrap();
        writer.write_all(bytes).and_then(|()| writer.flush()).unwrap();
    }

    /// Bytes received so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.seen.state.lock().unwrap().bytes
    }

    /// Looks for these bytes from now on.
    pub(crate) fn look_for(&self, bytes: &[u8]) {
        let mut state = self.seen.state.lock().unwrap();
        state.awaited = bytes.to_vec();
        state.tail.clear();
        state.arrived = None;
    }

    /// Time at which the awaited bytes arrived; nothing if they do not arrive within that time.
    pub(crate) fn arrival(&self, within: Duration) -> Option<Instant> {
        let state = self.seen.state.lock().unwrap();
        let waited = self
            .seen
            .news
            .wait_timeout_while(state, within, |state| state.arrived.is_none());
        waited.unwrap().0.arrived
    }

    /// The same for bytes that must arrive; fails with the bytes received instead.
    pub(crate) fn awaited(&self, within: Duration, what: &str) -> Instant {
        let arrived = self.arrival(within);
        assert!(arrived.is_some(), "{what} did not come; {}", self.last());
        arrived.unwrap()
    }

    /// Last bytes received, for the message of a failure.
    pub(crate) fn last(&self) -> String {
        let state = self.seen.state.lock().unwrap();
        let from = state.last.len().saturating_sub(2_000);
        let end = state.last.get(from..).unwrap_or_default();
        format!(
            "{} bytes came, the last {:?}",
            state.bytes,
            String::from_utf8_lossy(end)
        )
    }

    /// The process id of the client.
    pub(crate) fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }
}

impl Drop for Outer {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn read_on(mut from: Box<dyn Read + Send>, seen: &Seen, answers: &Mutex<Box<dyn Write + Send>>) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(count) = from.read(&mut buffer) {
        let Some(bytes) = buffer.get(..count).filter(|bytes| !bytes.is_empty()) else {
            return;
        };
        let now = Instant::now();
        if count < 4096 && memmem::find(bytes, b"\x1b[c").is_some() {
            let mut writer = answers.lock().unwrap();
            drop(writer.write_all(b"\x1b[?62;22c").and_then(|()| writer.flush()));
        }
        let mut state = seen.state.lock().unwrap();
        state.bytes += bytes.len() as u64;
        if state.last.len() > 8_000 {
            state.last.clear();
        }
        state
            .last
            .extend_from_slice(bytes.get(bytes.len().saturating_sub(2_000)..).unwrap_or_default());
        if state.arrived.is_none() && !state.awaited.is_empty() {
            state.tail.extend_from_slice(bytes);
            if memmem::find(&state.tail, &state.awaited).is_some() {
                state.arrived = Some(now);
                seen.news.notify_all();
            }
            let keep = state.awaited.len() - 1;
            let surplus = state.tail.len().saturating_sub(keep);
            state.tail.drain(..surplus);
        }
    }
}
