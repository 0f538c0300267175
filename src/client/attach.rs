//! Shows a session on the whole screen of this terminal: sends what is pressed, writes what arrives. It knows nothing of tasks.

use std::path::Path;
use std::time::Duration;

use crate::adapters::crash::{self, Threads};
use crate::adapters::ipc::{Receiver, Sender};
use crate::config::edge::Edge;
use crate::config::looks;
use crate::config::place::Place;
use crate::protocol::connection::{hear, say};
use crate::protocol::wire::{Attach, FromClient, FromServer, Packet};
use crate::ui::Looks;

use super::bar::Bar;
use super::colours::Heard;
use super::input::{Input, told};
use super::lost::{Frozen, Losses, Restart};
use super::signs::Signs;
use super::tty::{RawTerminal, give_back};
use super::voice::Voice;

/// How an attachment ended.
enum End {
    /// The server said goodbye, and why.
    Bye(String),
    /// The person goes on elsewhere.
    Go(Onward),
    /// The server is gone without a word.
    Lost,
}

/// Where a person goes on who leaves a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Onward {
    /// Nowhere.
    Nowhere,
    /// In the project with that root.
    Project(String),
    /// In the demo, and then back here.
    Demo,
}

/// Shows the session that listens at `socket` until the person leaves or the server says goodbye. A server that vanishes is
/// started again by `restart`, if there is one; the screen says so and comes back. Answers where the person goes on.
///
/// # Errors
/// When there is no terminal, or no server; for people.
pub async fn attach(place: &Place, edge: &Edge, restart: Option<Restart>) -> Result<Onward, String> {
    let socket = place.socket.as_path();
    let mut connection = super::lost::reach(socket, Duration::from_secs(5)).await?;
    let looks = looks::of(edge);
    let terminal = RawTerminal::open().map_err(|error| {
        format!("could not use this terminal: {error}; run `dbs demo --headless` or `dbs watch` without one")
    })?;
    let looked = match restart {
        Some(_) => crash::look_after(place.logs.clone(), Threads::Client, give_back),
        // The project of a demo goes with it, and its report should not.
        None => crash::look_after(std::env::temp_dir(), Threads::Both, give_back),
    };
    let ended = tokio::select! {
        ended = show((socket, edge), &mut connection, (looks, restart)) => ended,
        // The window was closed, or somebody ends us from outside: everything else goes on.
        () = looked.broken.cancelled() => Err(String::new()),
        () = crate::adapters::ending::told_to_end() => Ok(Left::Gone(String::new())),
    };
    drop(terminal);
    drop(looked);
    match ended? {
        Left::For(onward) => Ok(onward),
        Left::Gone(why) => {
            if !why.is_empty() {
                crate::adapters::out::line(&why);
            }
            Ok(Onward::Nowhere)
        }
    }
}

/// How a person left.
enum Left {
    /// For good, with these words.
    Gone(String),
    /// To go on elsewhere.
    For(Onward),
}

/// Shows the session until it says goodbye; answers with which words.
async fn show(
    (socket, edge): (&Path, &Edge),
    connection: &mut (Sender, Receiver),
    (looks, restart): (Looks, Option<Restart>),
) -> Result<Left, String> {
    let mut losses = Losses::default();
    let mut input = Input::open(super::colours::may_ask(edge))
        .map_err(|error| format!("could not read this terminal: {error}"))?;
    let mut frozen = Frozen::default();
    loop {
        match converse(connection, (&mut input, &mut frozen), (looks, edge)).await? {
            End::Bye(why) => return Ok(Left::Gone(why)),
            End::Go(onward) => {
                // Whoever reads keys must not take them from what comes next.
                input.pause().await;
                return Ok(Left::For(onward));
            }
            End::Lost => {
                // Nobody knows how far the work is.
                RawTerminal::hide_bar();
                losses.one_more(tokio::time::Instant::now())?;
                let Some(back) =
                    super::lost::wait(socket, restart.clone(), (&mut input, &mut frozen)).await?
                else {
                    return Ok(Left::Gone(
                        "left while the server did not answer; agents go on, and `dbs` comes back to them"
                            .to_owned(),
                    ));
                };
                *connection = back;
            }
        }
    }
}

async fn converse(
    (sender, receiver): &mut (Sender, Receiver),
    (input, frozen): (&mut Input, &mut Frozen),
    (looks, edge): (Looks, &Edge),
) -> Result<End, String> {
    if say(sender, &FromClient::Attach(terminal(looks, edge)))
        .await
        .is_err()
    {
        return Ok(End::Lost);
    }
    let voice = Voice::of(edge);
    let mut signs = Signs::new(voice, Bar::of(edge));
    // The last link that is being opened; whether an earlier one could be is told no more.
    let mut opening: Option<tokio::task::JoinHandle<Result<(), String>>> = None;
    loop {
        tokio::select! {
            Some(opened) = ended(&mut opening) => {
                opening = None;
                if let Ok(Err(why)) = opened
                    && say(sender, &FromClient::Failed(why)).await.is_err()
                {
                    return Ok(End::Lost);
                }
            }
            event = input.next() => match event {
                Some(Ok(heard)) => {
                    if !pass_on(sender, frozen, heard).await {
                        return Ok(End::Lost);
                    }
                }
                // The terminal is gone: leave quietly, everything goes on.
                Some(Err(_)) | None => return Ok(End::Bye(String::new())),
            },
            heard = hear(receiver) => match heard {
                Ok(Some(Packet::Picture(number, bytes))) => {
                    if !show_picture(sender, frozen, (number, &bytes)).await? {
                        return Ok(End::Lost);
                    }
                }
                Ok(Some(Packet::Said(FromServer::Bye(why)))) => return Ok(End::Bye(why)),
                Ok(Some(Packet::Said(FromServer::Edit(text)))) => {
                    let written = edited(edge, text, input).await?;
                    signs.again();
                    if say(sender, &FromClient::Edited(written)).await.is_err() {
                        return Ok(End::Lost);
                    }
                }
                Ok(Some(Packet::Said(FromServer::Go(root)))) => return Ok(End::Go(Onward::Project(root))),
                Ok(Some(Packet::Said(FromServer::Demo))) => return Ok(End::Go(Onward::Demo)),
                Ok(Some(Packet::Said(FromServer::Clipboard(text)))) => copy(edge, text),
                Ok(Some(Packet::Said(FromServer::Mouse(is_ours)))) => RawTerminal::watch_mouse(is_ours),
                Ok(Some(Packet::Said(FromServer::Title(text)))) => signs.name(text),
                Ok(Some(Packet::Said(FromServer::Progress(progress)))) => signs.progress(progress),
                Ok(Some(Packet::Said(FromServer::Notify(call)))) => RawTerminal::call(&voice.notify(&call)),
                Ok(Some(Packet::Said(FromServer::Open(target)))) => {
                    opening = Some(tokio::task::spawn_blocking(move || crate::adapters::desktop::opening::open(&target)));
                }
                Ok(Some(Packet::Said(FromServer::Hello(_) | FromServer::Answer(_) | FromServer::Line(_)) | Packet::Text(_))) => {}
                Ok(None) | Err(_) => return Ok(End::Lost),
            },
        }
    }
}

/// Passes on what a person did; answers whether somebody hears it.
async fn pass_on(sender: &mut Sender, frozen: &mut Frozen, heard: Heard) -> bool {
    if matches!(heard, Heard::Event(crossterm::event::Event::Resize(..))) {
        frozen.resize();
    }
    say(sender, &told(heard)).await.is_ok()
}

/// Shows a picture and says so; answers whether somebody hears it.
async fn show_picture(
    sender: &mut Sender,
    frozen: &mut Frozen,
    (number, bytes): (u64, &[u8]),
) -> Result<bool, String> {
    RawTerminal::write(bytes).map_err(|error| format!("could not write to this terminal: {error}"))?;
    let heard = say(sender, &FromClient::Ack(number)).await.is_ok();
    frozen.feed(bytes);
    Ok(heard)
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

/// Gives the terminal to the person's editor for a while; answers what it wrote, nothing when it failed.
async fn edited(edge: &Edge, text: String, input: &mut Input) -> Result<Option<String>, String> {
    // Whoever reads keys must not take them from the editor.
    input.pause().await;
    RawTerminal::lend();
    let edge = edge.clone();
    let written =
        tokio::task::spawn_blocking(move || crate::adapters::desktop::editing::edit(edge.editor(), &text))
            .await;
    RawTerminal::take_again()
        .and_then(|()| input.resume())
        .map_err(|error| format!("could not use this terminal again: {error}"))?;
    Ok(match written {
        Ok(Ok(text)) => Some(text),
        Ok(Err(why)) => {
            tracing::warn!("{why}");
            None
        }
        Err(_broken) => None,
    })
}

/// What this terminal is like.
fn terminal(looks: Looks, edge: &Edge) -> Attach {
    let (cols, rows) = crossterm::terminal::size().unwrap_or((80, 24));
    Attach {
        cols,
        rows,
        looks,
        remote: is_remote(edge),
        outer: outer(edge).map(str::to_owned),
        theme: edge.theme.clone(),
    }
}

/// Whether the terminal is at the other end of a connection.
fn is_remote(edge: &Edge) -> bool {
    ["SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"]
        .iter()
        .any(|name| edge.get(name).is_some())
}

/// Gives what was copied to the terminal first, and then to this machine's clipboard, unless the person sits at another one: a tool
/// here would serve nobody (A12).
fn copy(edge: &Edge, text: String) {
    RawTerminal::copy(&text);
    if is_remote(edge) {
        return;
    }
    let tools = crate::adapters::desktop::copying::tools(&|name| edge.get(name));
    if !tools.is_empty() {
        // Whether there is one is nobody's business: the terminal has it already.
        drop(tokio::task::spawn_blocking(move || {
            crate::adapters::desktop::copying::copy(&tools, &text)
        }));
    }
}

/// The program this terminal is in, if that has keys of its own.
fn outer(edge: &Edge) -> Option<&'static str> {
    let known = [("TMUX", "tmux"), ("STY", "screen"), ("ZELLIJ", "zellij")];
    let found = known.into_iter().find(|(name, _)| edge.get(name).is_some());
    found.map(|(_, outer)| outer)
}

/// Refuses a screen inside one of our own panes: both would want the same keys.
///
/// # Errors
/// When it is one; says the ways out.
pub fn refuse_to_nest(edge: &Edge) -> Result<(), String> {
    if edge.get("DBS_MARKER").is_none() {
        return Ok(());
    }
    Err(
        "could not show a screen here: this terminal is itself a pane of dbs, and both would want the same keys; \
         the prefix and s go to another project, `dbs board` and `dbs watch` work here, `env -u DBS_MARKER dbs` does it anyway"
            .to_owned(),
    )
}
