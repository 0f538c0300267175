//! A conversation with a server over its socket: connect, say hello, say and hear; and the same for callers that block.

use std::ops::ControlFlow;
use std::path::Path;

use bytes::{Bytes, BytesMut};
use tokio::runtime::Runtime;

use super::wire::{self, Answer, Call, FromClient, FromServer, Hello, LogLine, PROTOCOL, Packet};
use crate::adapters::ipc::{self, Receiver, Sender};

/// A connection to the server of one project, for callers without a runtime of their own: every call blocks.
pub struct Connection {
    runtime: Runtime,
    sender: Sender,
    receiver: Receiver,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

impl Connection {
    /// Connects to the server that listens at `socket`; `None` when none does.
    ///
    /// # Errors
    /// When this process cannot work at all, or the server speaks another version.
    pub fn open(socket: &Path) -> Result<Option<Connection>, String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| format!("could not start: {error}"))?;
        match runtime.block_on(greet(socket)) {
            Ok((sender, receiver)) => Ok(Some(Connection {
                runtime,
                sender,
                receiver,
            })),
            Err(why) if why.contains("protocol") => Err(why),
            Err(_) => Ok(None),
        }
    }

    /// Asks the server; pieces of a text that come before its answer are added to `text`.
    ///
    /// # Errors
    /// When the server goes away before it answers.
    pub fn call(&mut self, call: Call, text: &mut Vec<Bytes>) -> Result<Answer, String> {
        self.runtime.block_on(async {
            say(&mut self.sender, &FromClient::Call(Box::new(call))).await?;
            loop {
                match hear(&mut self.receiver).await? {
                    Some(Packet::Said(FromServer::Answer(answer))) => return Ok(answer),
                    Some(Packet::Said(FromServer::Bye(why))) => return Err(why),
                    Some(Packet::Text(piece)) => text.push(piece),
                    Some(_) => {}
                    None => return Err("could not get an answer: the server went away".to_owned()),
                }
            }
        })
    }

    /// Hands every new line of the watcher log to `show`, from position `after` on, until the server ends or `show` breaks.
    ///
    /// # Errors
    /// When the server cannot be understood.
    pub fn follow(
        &mut self,
        after: u64,
        show: &mut dyn FnMut(&LogLine) -> ControlFlow<()>,
    ) -> Result<(), String> {
        self.hear_all(Call::Follow(after), &mut |said| match said {
            FromServer::Line(line) => show(&line),
            _ => ControlFlow::Continue(()),
        })
    }

    /// Calls `show` at once, and again whenever the board has changed, until the server ends or `show` breaks.
    ///
    /// # Errors
    /// When the server cannot be understood.
    pub fn watch(&mut self, show: &mut dyn FnMut() -> ControlFlow<()>) -> Result<(), String> {
        self.hear_all(Call::Watch, &mut |said| match said {
            FromServer::Answer(Answer::Changed) => show(),
            _ => ControlFlow::Continue(()),
        })
    }

    fn hear_all(
        &mut self,
        call: Call,
        take: &mut dyn FnMut(FromServer) -> ControlFlow<()>,
    ) -> Result<(), String> {
        let call = FromClient::Call(Box::new(call));
        self.runtime.block_on(say(&mut self.sender, &call))?;
        loop {
            // What is heard is taken outside of the runtime, so that it may ask for more on a connection of its own.
            match self.runtime.block_on(hear(&mut self.receiver))? {
                Some(Packet::Said(FromServer::Bye(_))) | None => return Ok(()),
                Some(Packet::Said(said)) => {
                    if take(said).is_break() {
                        return Ok(());
                    }
                }
                Some(Packet::Picture(..) | Packet::Text(_)) => {}
            }
        }
    }
}

/// Connects and says hello.
///
/// # Errors
/// When nobody listens, or another version does; for people.
pub async fn greet(socket: &Path) -> Result<(Sender, Receiver), String> {
    let failed =
        |why: &dyn std::fmt::Display| format!("could not reach a server at {}: {why}", socket.display());
    let (mut sender, mut receiver) = ipc::connect(socket).await.map_err(|error| failed(&error))?;
    let hello = Hello {
        protocol: PROTOCOL,
        program: env!("CARGO_PKG_VERSION").to_owned(),
    };
    say(&mut sender, &FromClient::Hello(hello))
        .await
        .map_err(|why| failed(&why))?;
    match hear(&mut receiver).await.map_err(|why| failed(&why))? {
        Some(Packet::Said(FromServer::Hello(hello))) if hello.protocol == PROTOCOL => Ok((sender, receiver)),
        Some(Packet::Said(FromServer::Hello(_))) => match hear(&mut receiver).await {
            Ok(Some(Packet::Said(FromServer::Bye(why)))) => Err(why),
            _ => Err(failed(
                &"it speaks another version; use the same dbs on both ends",
            )),
        },
        _ => Err(failed(&"it did not say hello")),
    }
}

/// Says something to the server.
pub async fn say(sender: &mut Sender, what: &FromClient) -> Result<(), String> {
    let frame = wire::said(what).map_err(|error| error.to_string())?;
    sender.send(frame).await.map_err(|error| error.to_string())
}

/// What the server says next; `None` when it has gone.
pub async fn hear(receiver: &mut Receiver) -> Result<Option<Packet<FromServer>>, String> {
    match receiver.next().await {
        None => Ok(None),
        Some(Err(error)) => Err(error.to_string()),
        Some(Ok(frame)) => wire::read(BytesMut::freeze(frame))
            .map(Some)
            .map_err(|error| error.to_string()),
    }
}
