//! What a person presses, read on a thread of its own: the reader of a terminal that has gone may be kept busy for ever, and
//! everything else has to go on, and to end, all the same.

use std::io;

use crossterm::event::{Event, EventStream};
use futures::StreamExt as _;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Events that wait to be sent; when there are more, what is pressed waits in the terminal.
const WAITING: usize = 256;

/// The keys, the mouse and the sizes of this terminal.
pub(super) struct Input {
    events: mpsc::Receiver<io::Result<Event>>,
    stop: Option<DropGuard>,
}

impl Input {
    /// Begins to read.
    ///
    /// # Errors
    /// When there can be no thread for it.
    pub(super) fn open() -> io::Result<Input> {
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let (sender, events) = mpsc::channel(WAITING);
        let stop = CancellationToken::new();
        let told = stop.clone();
        // Nobody waits for its end: the process may end before it.
        std::thread::Builder::new()
            .name("input".to_owned())
            .spawn(move || runtime.block_on(read(&sender, &told)))?;
        Ok(Input {
            events,
            stop: Some(stop.drop_guard()),
        })
    }

    /// What comes next; nothing when the terminal has gone.
    pub(super) async fn next(&mut self) -> Option<io::Result<Event>> {
        self.events.recv().await
    }

    /// Leaves the terminal to somebody else; comes back when nothing reads it here any more.
    pub(super) async fn pause(&mut self) {
        self.stop = None;
        while self.events.recv().await.is_some() {}
    }

    /// Reads again.
    ///
    /// # Errors
    /// As for [`Input::open`].
    pub(super) fn resume(&mut self) -> io::Result<()> {
        *self = Input::open()?;
        Ok(())
    }
}

async fn read(sender: &mpsc::Sender<io::Result<Event>>, told: &CancellationToken) {
    let mut events = EventStream::new();
    loop {
        let event = tokio::select! {
            event = events.next() => event,
            () = told.cancelled() => return,
        };
        let Some(event) = event else { return };
        if sender.send(event).await.is_err() {
            return;
        }
    }
}
