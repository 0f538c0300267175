//! A live terminal: its emulated screen, the state of its program, and the number of clients that look at it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{FairMutex, Mutex};
use tokio::sync::watch;

use crate::adapters::holder::RequestSender;
use crate::ports::holders::PaneSize;
use crate::server::terminals::hub::screen_text;
use crate::server::terminals::sizes::ResizeThrottle;
use crate::term::{Size, TermEvent, Terminal};
use crate::ui::{LastOutputCache, ProgramReports};

/// Time for which the output of a terminal that is not looked at is collected. Reports of its agent are shown that much later, but the
/// wake-ups of holder and server that it spares are most of the cost of a hidden agent (`docs/performance.md`).
const HIDDEN_PACE: Duration = Duration::from_millis(175);

/// A live terminal: its emulator, its connection to the holder and its size.
pub struct LiveTerminal {
    /// The emulated screen. Hold it for the time of copying visible cells, no longer.
    pub terminal: FairMutex<Terminal>,
    /// Cache of its last output. Locked while the terminal is.
    pub(in crate::server) last_output: Mutex<LastOutputCache>,
    pub alive: AtomicBool,
    /// Set when it shows the present. Before that it replays the past, which must not be taken for the present.
    pub caught_up: AtomicBool,
    /// Sender of input, while connected.
    pub(in crate::server) requests: Mutex<Option<RequestSender>>,
    /// The present size and the pending one.
    pub(in crate::server) size: Mutex<ResizeThrottle>,
    /// Number of clients that have it on their screen; output that is on no screen wakes no client.
    watched: AtomicUsize,
    /// The number of pieces of output that it was fed.
    pub(super) shown: AtomicU64,
    /// Reports of its program beside its screen.
    pub(super) reports: Mutex<ProgramReports>,
    /// Changes with its output, for waiters on this terminal alone.
    pub(in crate::server) wrote: watch::Sender<()>,
}

/// Guard that keeps a client informed of one terminal's output.
pub(in crate::server) struct OutputWatch(Arc<LiveTerminal>);

impl OutputWatch {
    /// Watches a terminal's output as long as the guard lives.
    pub(in crate::server) fn begin(pane: Arc<LiveTerminal>) -> OutputWatch {
        if pane.watched.fetch_add(1, Ordering::AcqRel) == 0 {
            pane.look_changed();
        }
        OutputWatch(pane)
    }

    pub(in crate::server) fn is_of(&self, pane: &Arc<LiveTerminal>) -> bool {
        Arc::ptr_eq(&self.0, pane)
    }
}

impl LiveTerminal {
    /// Returns the text of the screen, with a sign before an entry that only its colour marks.
    pub(super) fn screen_text(&self) -> String {
        screen_text::read(&mut self.terminal.lock())
    }

    /// Creates a terminal that nothing was written to yet.
    pub(super) fn new(terminal: Terminal) -> LiveTerminal {
        let size = Size::default();
        LiveTerminal {
            terminal: FairMutex::new(terminal),
            last_output: Mutex::default(),
            alive: AtomicBool::new(true),
            caught_up: AtomicBool::new(false),
            requests: Mutex::default(),
            size: Mutex::new(ResizeThrottle::new(PaneSize::cells(size.cols, size.rows))),
            watched: AtomicUsize::new(0),
            shown: AtomicU64::new(0),
            reports: Mutex::default(),
            wrote: watch::Sender::default(),
        }
    }

    pub(super) fn is_watched(&self) -> bool {
        self.watched.load(Ordering::Acquire) > 0
    }

    /// Sets the connection to its holder: input goes there from now on, and its output comes at the pace of its use.
    pub(super) fn connect(&self, connected: &RequestSender) {
        let mut requests = self.requests.lock();
        self.ask_for_pace(connected);
        *requests = Some(connected.clone());
    }

    /// Handles the first client that begins to look at it, or the last one that ends. The lock is held while the holder is told, so that
    /// the last message is the present state.
    fn look_changed(&self) {
        if let Some(requests) = &*self.requests.lock() {
            self.ask_for_pace(requests);
        }
    }

    fn ask_for_pace(&self, requests: &RequestSender) {
        let longest = if self.is_watched() {
            Duration::ZERO
        } else {
            HIDDEN_PACE
        };
        // A holder that is gone is noticed by its reader.
        drop(requests.pace(longest));
    }

    /// Types the answers of the terminal into its program.
    pub(super) fn reply(&self, events: Vec<TermEvent>) {
        let Some(requests) = self.requests.lock().clone() else {
            return;
        };
        for event in events {
            if let TermEvent::Reply(bytes) = event {
                // A holder that is gone is noticed by its reader.
                drop(requests.input(&bytes));
            }
        }
    }
}

impl Drop for OutputWatch {
    fn drop(&mut self) {
        if self.0.watched.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.look_changed();
        }
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::{UnixListener, UnixStream};

    use super::*;
    use crate::adapters::holder::HolderConnection;
    use crate::adapters::holder::protocol::{HolderReply, HolderRequest, VERSION};
    use crate::term::EmulatorKind;

    fn next_request(stream: &mut UnixStream) -> HolderRequest {
        let mut length = [0; 4];
        stream.read_exact(&mut length).unwrap();
        let mut frame = vec![0; usize::try_from(u32::from_be_bytes(length)).unwrap()];
        stream.read_exact(&mut frame).unwrap();
        HolderRequest::decode(frame.into()).unwrap()
    }

    /// A connection to a holder that greets and says nothing more, and the end of it at which its requests arrive.
    fn connected(folder: &std::path::Path) -> (HolderConnection, UnixStream) {
        let socket = folder.join("holder");
        let listener = UnixListener::bind(&socket).unwrap();
        std::thread::scope(|scope| {
            let holder = scope.spawn(|| {
                let (mut stream, _) = listener.accept().unwrap();
                stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
                assert_eq!(
                    next_request(&mut stream),
                    HolderRequest::Hello { version: VERSION }
                );
                let welcome = HolderReply::Welcome {
                    version: VERSION,
                    pid: 1,
                }
                .encode();
                let length = u32::try_from(welcome.len()).unwrap().to_be_bytes();
                stream.write_all(&[&length, welcome.as_ref()].concat()).unwrap();
                stream
            });
            let connection = HolderConnection::open(&socket).unwrap();
            (connection, holder.join().unwrap())
        })
    }

    #[test]
    fn a_holder_is_asked_to_collect_what_nobody_looks_at_and_to_send_at_once_what_somebody_does() {
        let folder = tempfile::tempdir().unwrap();
        let terminal = || {
            Arc::new(LiveTerminal::new(Terminal::new(
                EmulatorKind::default(),
                Size::default(),
                10,
            )))
        };
        let (collect, at_once) = (
            HolderRequest::Pace { longest: 175 },
            HolderRequest::Pace { longest: 0 },
        );

        let (connection, mut holder) = connected(folder.path());
        let pane = terminal();
        pane.connect(&connection.requests);
        assert_eq!(next_request(&mut holder), collect);
        let first = OutputWatch::begin(Arc::clone(&pane));
        assert_eq!(next_request(&mut holder), at_once);
        let second = OutputWatch::begin(Arc::clone(&pane));
        drop(first);
        pane.requests.lock().as_ref().unwrap().status().unwrap();
        assert_eq!(
            next_request(&mut holder),
            HolderRequest::Status,
            "one of two still looks"
        );
        drop(second);
        assert_eq!(next_request(&mut holder), collect);

        std::fs::remove_file(folder.path().join("holder")).unwrap();
        let (connection, mut holder) = connected(folder.path());
        let pane = terminal();
        let _watch = OutputWatch::begin(Arc::clone(&pane));
        pane.connect(&connection.requests);
        assert_eq!(next_request(&mut holder), at_once, "it was looked at before");
    }
}
