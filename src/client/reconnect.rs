//! Screen and keys of a person while no server draws for them: the last frame, dimmed, and below it the time since, and the number of
//! tries. Keys are not kept; after a while one of them leaves.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers};
use tokio::time::Instant;

use crate::adapters::ipc::{FrameReceiver, FrameSender};
use crate::client::colours::TerminalInput;
use crate::client::error::ClientError;
use crate::client::input::InputReader;
use crate::client::tty::TerminalGuard;
use crate::protocol::connection::greet;
use crate::term::{CellWidth, EmulatorKind, Size, Terminal};

/// Fate of a server that was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestartOutcome {
    /// Server that runs again.
    Running,
    /// Server that had been stopped, so it was not started.
    Stopped,
}

/// Function that starts the server again after it was lost, unless it was stopped.
pub type RestartFn = Arc<dyn Fn() -> Result<RestartOutcome, ClientError> + Send + Sync>;

/// The last words where the server was stopped and its goodbye did not arrive.
pub(super) const STOPPED: &str = "the server was stopped meanwhile; `dbs` starts it again";

/// Time for a vanished server to come back before the client gives up.
const RECONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// Number of times it is started again before its refusal is believed.
const MAX_RESTARTS: u32 = 5;
/// Pause between two tries to reach it.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// Number of losses of the server, and the time they fall in, after which the client gives up.
const MAX_LOSSES: usize = 10;
const LOSS_WINDOW: Duration = Duration::from_mins(1);

/// Interval at which the status line is written again.
const STATUS_INTERVAL: Duration = Duration::from_millis(250);
/// Time after which a key leaves: before that it was meant for the session.
const KEY_QUITS_AFTER: Duration = Duration::from_secs(3);

/// The last drawn frame, kept to be shown dimmed while the server is gone.
#[derive(Default)]
pub(super) struct LastFrame(Option<Terminal>);

impl LastFrame {
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        let terminal = self
            .0
            .get_or_insert_with(|| Terminal::new(EmulatorKind::default(), size(), 0));
        // Its answers are dropped: it is not connected to a program.
        drop(terminal.feed(0, bytes));
    }

    pub(super) fn resize(&mut self) {
        if let Some(terminal) = &mut self.0 {
            drop(terminal.resize(size()));
        }
    }

    /// Returns the frame without colours, faint.
    fn dimmed(&mut self) -> String {
        let mut out = String::from("\x1b[?2026h\x1b[?25l\x1b[0;2m");
        if let Some(terminal) = &mut self.0 {
            let mut cells = Vec::new();
            for row in 0..terminal.size().rows {
                terminal.visible_row(row, 0, &mut cells);
                let place = format!("\x1b[{};1H", row + 1);
                out.push_str(&place);
                let shown = cells.iter().filter(|cell| cell.width != CellWidth::Continuation);
                shown.for_each(|cell| out.push_str(&cell.text));
            }
        }
        out.push_str("\x1b[0m\x1b[?2026l");
        out
    }
}

fn size() -> Size {
    let (columns, rows) = crossterm::terminal::size().unwrap_or((80, 24));
    Size::new(columns, rows)
}

/// Outcome of the wait for a lost server.
pub(super) enum WaitOutcome {
    Connected((FrameSender, FrameReceiver)),
    /// Leave of the person, who did not want to wait.
    Left,
    /// Server that had been stopped.
    Stopped,
}

/// Waits until the server is there again, and shows that meanwhile.
pub(super) async fn wait(
    socket: &Path,
    restart: Option<RestartFn>,
    input: &mut InputReader,
    frozen: &mut LastFrame,
) -> Result<WaitOutcome, ClientError> {
    let (tries, began) = (AtomicU32::new(0), Instant::now());
    let coming = reconnect(socket, restart, &tries);
    tokio::pin!(coming);
    // A terminal that is gone is noticed by the next read.
    drop(TerminalGuard::write(frozen.dimmed().as_bytes()));
    loop {
        TerminalGuard::status_line(&status_line(began.elapsed(), tries.load(Ordering::Relaxed)));
        tokio::select! {
            came = &mut coming => return Ok(came?.map_or(WaitOutcome::Stopped, WaitOutcome::Connected)),
            heard = input.next() => match heard {
                Some(Ok(TerminalInput::Event(Event::Resize(..)))) => {
                    frozen.resize();
                    drop(TerminalGuard::write(frozen.dimmed().as_bytes()));
                }
                Some(Ok(heard)) if began.elapsed() >= KEY_QUITS_AFTER && is_quit_key(&heard) => return Ok(WaitOutcome::Left),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Ok(WaitOutcome::Left),
            },
            () = tokio::time::sleep(STATUS_INTERVAL) => {}
        }
    }
}

fn status_line(since: Duration, tries: u32) -> String {
    let leave = if since >= KEY_QUITS_AFTER {
        "; q leaves"
    } else {
        ""
    };
    format!(
        " server not answering {}s, agents keep running, reconnecting ({tries}){leave} ",
        since.as_secs()
    )
}

fn is_quit_key(heard: &TerminalInput) -> bool {
    let TerminalInput::Event(Event::Key(key)) = heard else {
        return false;
    };
    let interrupts = key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
    key.kind != KeyEventKind::Release && (key.code == KeyCode::Char('q') || interrupts)
}

/// Times at which the server was lost lately, to give up when there are too many. A server that breaks whenever it is used is not started
/// for ever.
#[derive(Default)]
pub(super) struct DisconnectLog(VecDeque<Instant>);

impl DisconnectLog {
    pub(super) fn record(&mut self, now: Instant) -> Result<(), ClientError> {
        self.0.push_back(now);
        self.0.retain(|at| now.duration_since(*at) < LOSS_WINDOW);
        if self.0.len() <= MAX_LOSSES {
            return Ok(());
        }
        Err(ClientError::Losses(self.0.len()))
    }
}

/// Connects again to a server that has gone; `restart` starts it, if there is one. Counts the tries in `tried`. None: it was stopped.
///
/// # Errors
/// The message of the server when it could not be started, or that no server listens; for people.
pub(super) async fn reconnect(
    socket: &Path,
    restart: Option<RestartFn>,
    tried: &AtomicU32,
) -> Result<Option<(FrameSender, FrameReceiver)>, ClientError> {
    for tries in 1.. {
        let Some(restart) = restart.clone() else { break };
        tried.fetch_add(1, Ordering::Relaxed);
        let started = tokio::task::spawn_blocking(move || restart())
            .await
            .map_err(ClientError::Restart)?;
        match started {
            Ok(RestartOutcome::Running) => break,
            Ok(RestartOutcome::Stopped) => return Ok(None),
            Err(why) if tries >= MAX_RESTARTS => return Err(why),
            // The started one may have been killed, too, or another one has the project and does not listen yet.
            Err(_) => tokio::time::sleep(RETRY_INTERVAL * tries).await,
        }
    }
    connect(socket, RECONNECT_TIMEOUT, tried).await.map(Some)
}

/// Connects as soon as a server listens. Counts the tries in `tried`.
pub(super) async fn connect(
    socket: &Path,
    timeout: Duration,
    tried: &AtomicU32,
) -> Result<(FrameSender, FrameReceiver), ClientError> {
    let deadline = Instant::now() + timeout;
    loop {
        tried.fetch_add(1, Ordering::Relaxed);
        match greet(socket).await {
            Ok(connection) => return Ok(connection),
            Err(error) if Instant::now() >= deadline => return Err(error.into()),
            Err(_) => tokio::time::sleep(RETRY_INTERVAL).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_breaks_again_and_again_is_not_started_for_ever_and_one_lost_now_and_then_is() {
        let begin = Instant::now();
        let mut losses = DisconnectLog::default();
        for number in 0..100 {
            assert!(losses.record(begin + Duration::from_secs(number * 10)).is_ok());
        }
        let mut losses = DisconnectLog::default();
        let lost = |losses: &mut DisconnectLog, number| losses.record(begin + Duration::from_secs(number));
        assert!((0..10).all(|number| lost(&mut losses, number).is_ok()));
        let why = lost(&mut losses, 10).unwrap_err().to_string();
        assert!(
            why.contains("agents keep running") && why.contains("`dbs`"),
            "{why}"
        );
    }
}
