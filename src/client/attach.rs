//! Shows a session on the whole screen of this terminal: sends keys, writes frames.

use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use crate::adapters::crash::{self, CrashScope};
use crate::adapters::desktop::browser::BrowserError;
use crate::adapters::desktop::{browser, clipboard, editor};
use crate::adapters::ipc::{FrameReceiver, FrameSender};
use crate::client::error::ClientError;
use crate::config::capabilities;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::display::DisplayCaps;
use crate::protocol::connection::{ProtocolError, receive, send};
use crate::protocol::wire::{AttachRequest, FromClient, FromServer, Packet};

use super::colours::TerminalInput;
use super::features::TerminalFeatures;
use super::frame_check::is_drawing;
use super::input::{InputReader, message_of};
use super::progress::ProgressSupport;
use super::reconnect::{DisconnectLog, LastFrame, RestartFn, STOPPED, WaitOutcome};
use super::tty::{TerminalGuard, is_enhanced, restore};
use super::window::WindowStatus;

/// The error where a server sends something that is not a screen.
const NO_SCREEN: &str = "could not show the session: the data from its server is not a screen and was not written to this terminal; \
                         `dbs doctor` says which server runs";

/// Session, if any, that the client shows after this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SwitchTarget {
    None,
    Project(String),
    /// The demo, and then this session again.
    Demo,
}

/// Shows the session that listens at `socket` until the person leaves or the server says goodbye. A server that vanishes is started again
/// by `restart`, if there is one; the screen shows it and comes back. Returns the session to show next.
pub async fn attach(
    paths: &ProjectPaths,
    env: &ProcessEnv,
    restart: Option<RestartFn>,
) -> Result<SwitchTarget, ClientError> {
    let socket = paths.socket.as_path();
    let mut connection =
        super::reconnect::connect(socket, Duration::from_secs(5), &AtomicU32::new(0)).await?;
    let looks = capabilities::detect(env);
    let terminal = TerminalGuard::open().map_err(ClientError::Terminal)?;
    let is_demo = restart.is_none();
    let looked = match restart {
        Some(_) => crash::guard_screen(paths.logs.clone(), CrashScope::Client, restore),
        // The project of a demo is removed with it, and its crash report should not be.
        None => crash::guard_screen(std::env::temp_dir(), CrashScope::Both, restore),
    };
    let ended = tokio::select! {
        ended = show(socket, env, &mut connection, looks, restart) => ended,
        // The window was closed, or this process is ended from outside: everything else continues.
        () = looked.panicked.cancelled() => Err(ClientError::Crashed),
        () = crate::adapters::termination::termination_signal() => Ok(DetachReason::Ended(String::new())),
    };
    drop(terminal);
    drop(looked);
    match ended? {
        DetachReason::Switch(onward) => Ok(onward),
        // A demo that is left is over, and reports that itself.
        DetachReason::Left(_) if is_demo => Ok(SwitchTarget::None),
        DetachReason::Ended(why) | DetachReason::Left(why) => {
            if !why.is_empty() {
                crate::adapters::output::line(&why);
            }
            Ok(SwitchTarget::None)
        }
    }
}

/// Reason why an attached client stops: the session ended or the user switches to another one.
enum DetachReason {
    /// End for good, with these words.
    Ended(String),
    /// Leave of the person, with the place where the session continues.
    Left(String),
    Switch(SwitchTarget),
}

/// Error that keeps the session from being shown any more.
enum ShowError {
    /// Loss of the server.
    Lost,
    /// Terminal that cannot be used.
    Terminal(ClientError),
}

impl From<ProtocolError> for ShowError {
    fn from(_lost: ProtocolError) -> ShowError {
        ShowError::Lost
    }
}

/// Shows the session until it says goodbye; returns the reason.
async fn show(
    socket: &Path,
    env: &ProcessEnv,
    connection: &mut (FrameSender, FrameReceiver),
    looks: DisplayCaps,
    restart: Option<RestartFn>,
) -> Result<DetachReason, ClientError> {
    let mut losses = DisconnectLog::default();
    let mut input = InputReader::open(super::colours::can_query(env)).map_err(ClientError::Keys)?;
    let mut frozen = LastFrame::default();
    loop {
        match run_connection(connection, &mut input, &mut frozen, looks, env).await {
            Ok(reason) => {
                if matches!(reason, DetachReason::Switch(_)) {
                    // The reader of keys must not take them from the next program.
                    input.pause().await;
                }
                return Ok(reason);
            }
            Err(ShowError::Terminal(why)) => return Err(why),
            Err(ShowError::Lost) => {
                // The progress of the work is not known.
                TerminalGuard::clear_progress();
                losses.record(tokio::time::Instant::now())?;
                let waited = super::reconnect::wait(socket, restart.clone(), &mut input, &mut frozen).await?;
                match waited {
                    WaitOutcome::Connected(back) => *connection = back,
                    WaitOutcome::Stopped => return Ok(DetachReason::Ended(STOPPED.to_owned())),
                    WaitOutcome::Left => {
                        return Ok(DetachReason::Ended(
                            "left while the server did not answer; agents keep running, and `dbs` returns to them"
                                .to_owned(),
                        ));
                    }
                }
            }
        }
    }
}

async fn run_connection(
    (sender, receiver): &mut (FrameSender, FrameReceiver),
    input: &mut InputReader,
    frozen: &mut LastFrame,
    looks: DisplayCaps,
    env: &ProcessEnv,
) -> Result<DetachReason, ShowError> {
    send(sender, &FromClient::Attach(attach_request(looks, env))).await?;
    let features = TerminalFeatures::detect(env);
    let mut signs = WindowStatus::new(features, ProgressSupport::of(env));
    // The last link that is being opened; a failure of an earlier one is not reported any more.
    let mut opening: Option<tokio::task::JoinHandle<Result<(), BrowserError>>> = None;
    loop {
        tokio::select! {
            Some(opened) = ended(&mut opening) => {
                opening = None;
                if let Ok(Err(why)) = opened {
                    send(sender, &FromClient::Failed(why.to_string())).await?;
                }
            }
            event = input.next() => match event {
                Some(Ok(heard)) => {
                    if matches!(heard, TerminalInput::Event(crossterm::event::Event::Resize(..))) {
                        frozen.resize();
                    }
                    if let Some(message) = message_of(heard) {
                        send(sender, &message).await?;
                    }
                }
                // The terminal is gone: leave quietly, everything continues.
                Some(Err(_)) | None => return Ok(DetachReason::Ended(String::new())),
            },
            heard = receive(receiver) => match heard? {
                Some(Packet::Frame(number, bytes)) => draw(sender, number, &bytes, frozen).await?,
                Some(Packet::Message(FromServer::Bye(why))) => return Ok(DetachReason::Ended(why)),
                Some(Packet::Message(FromServer::Left(text))) => return Ok(DetachReason::Left(text)),
                Some(Packet::Message(FromServer::Edit(text))) => {
                    let written = edit_text(env, text, input).await?;
                    signs.repeat();
                    send(sender, &FromClient::Edited(written)).await?;
                }
                Some(Packet::Message(FromServer::Go(root))) => {
                    return Ok(DetachReason::Switch(SwitchTarget::Project(root)));
                }
                Some(Packet::Message(FromServer::Demo)) => return Ok(DetachReason::Switch(SwitchTarget::Demo)),
                Some(Packet::Message(FromServer::Clipboard(text))) => copy(env, text),
                Some(Packet::Message(FromServer::Mouse(is_ours))) => TerminalGuard::capture_mouse(is_ours),
                Some(Packet::Message(FromServer::Title(text))) => signs.set_title(text),
                Some(Packet::Message(FromServer::Progress(progress))) => signs.set_progress(progress),
                Some(Packet::Message(FromServer::Notify(call))) => TerminalGuard::notify(&features.notify(&call)),
                Some(Packet::Message(FromServer::Open(target))) => {
                    opening = Some(tokio::task::spawn_blocking(move || browser::open(&target)));
                }
                Some(Packet::Message(FromServer::Hello(_) | FromServer::Answer(_) | FromServer::Line(_)) | Packet::Text(_)) => {}
                None => return Err(ShowError::Lost),
            },
        }
    }
}

/// Draws a frame, and tells the server so.
async fn draw(
    sender: &mut FrameSender,
    number: u64,
    bytes: &[u8],
    frozen: &mut LastFrame,
) -> Result<(), ShowError> {
    if !is_drawing(bytes) {
        return Err(ShowError::Terminal(ClientError::Refused(NO_SCREEN.to_owned())));
    }
    TerminalGuard::write(bytes).map_err(|error| ShowError::Terminal(ClientError::Output(error)))?;
    let acknowledged = send(sender, &FromClient::Ack(number)).await;
    frozen.feed(bytes);
    Ok(acknowledged?)
}

/// Waits for work that was begun; for ever when none was.
async fn ended<T>(
    work: &mut Option<tokio::task::JoinHandle<T>>,
) -> Option<Result<T, tokio::task::JoinError>> {
    match work {
        Some(work) => Some(work.await),
        None => std::future::pending().await,
    }
}

/// Gives the terminal to the person's editor for a while; returns the text it wrote, `None` if it failed.
async fn edit_text(
    env: &ProcessEnv,
    text: String,
    input: &mut InputReader,
) -> Result<Option<String>, ShowError> {
    // The reader of keys must not take them from the editor.
    input.pause().await;
    TerminalGuard::suspend();
    let env = env.clone();
    let written = tokio::task::spawn_blocking(move || editor::edit(env.editor(), &text)).await;
    TerminalGuard::resume()
        .and_then(|()| input.resume())
        .map_err(|error| ShowError::Terminal(ClientError::TerminalAgain(error)))?;
    Ok(written
        .ok()
        .and_then(|text| text.inspect_err(|why| tracing::warn!("{why}")).ok()))
}

fn attach_request(caps: DisplayCaps, env: &ProcessEnv) -> AttachRequest {
    let (cols, rows) = crossterm::terminal::size().unwrap_or((80, 24));
    AttachRequest {
        cols,
        rows,
        caps,
        remote: is_remote(env),
        outer: multiplexer(env).map(str::to_owned),
        theme: env.theme.clone(),
        alt_is_escape: !is_enhanced(),
    }
}

/// Returns true if the terminal is at the other end of a connection.
fn is_remote(env: &ProcessEnv) -> bool {
    ["SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"]
        .iter()
        .any(|name| env.get(name).is_some())
}

/// Gives copied text to the terminal first, and then to this machine's clipboard, unless the person sits at another one: a tool here would
/// be of no use.
fn copy(env: &ProcessEnv, text: String) {
    TerminalGuard::copy(&text);
    if is_remote(env) {
        return;
    }
    let tools = clipboard::tools(&|name| env.get(name));
    if !tools.is_empty() {
        // A missing tool is not an error: the terminal has the text already.
        drop(tokio::task::spawn_blocking(move || {
            clipboard::copy(&tools, &text)
        }));
    }
}

/// Returns the program this terminal is in, if that has keys of its own.
fn multiplexer(env: &ProcessEnv) -> Option<&'static str> {
    let known = [("TMUX", "tmux"), ("STY", "screen"), ("ZELLIJ", "zellij")];
    let found = known.into_iter().find(|(name, _)| env.get(name).is_some());
    found.map(|(_, outer)| outer)
}

/// Refuses a screen inside one of our own panes: both would want the same keys.
pub fn refuse_nesting(env: &ProcessEnv) -> Result<(), ClientError> {
    if env.get("DBS_MARKER").is_none() {
        return Ok(());
    }
    Err(ClientError::Nested)
}

/// Refuses a screen that cannot be drawn: in one of our own panes, or without a terminal.
pub fn refuse_without_terminal(env: &ProcessEnv) -> Result<(), ClientError> {
    refuse_nesting(env)?;
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        return Ok(());
    }
    Err(ClientError::NoTerminal)
}
