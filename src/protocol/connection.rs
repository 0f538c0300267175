//! A conversation with a server over its socket: connect, say hello, say and hear; and the same for callers that block.

use std::ops::ControlFlow;
use std::path::Path;

use bytes::{Bytes, BytesMut};
use tokio::runtime::Runtime;

use super::wire::{self, CallReply, FromClient, FromServer, Hello, NoticeLine, PROTOCOL, Packet, ServerCall};
use crate::adapters::ipc::{self, FrameReceiver, FrameSender};

/// A connection to the server of one project, for callers without a runtime of their own: every call blocks.
pub struct Connection {
    runtime: Runtime,
    sender: FrameSender,
    receiver: FrameReceiver,
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
    pub fn call(&mut self, call: ServerCall, text: &mut Vec<Bytes>) -> Result<CallReply, String> {
        self.runtime.block_on(async {
            say(&mut self.sender, &FromClient::Call(Box::new(call))).await?;
            loop {
                match hear(&mut self.receiver).await? {
                    Some(Packet::Message(FromServer::Answer(answer))) => return Ok(answer),
                    Some(Packet::Message(FromServer::Bye(why))) => return Err(why),
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
        show: &mut dyn FnMut(&NoticeLine) -> ControlFlow<()>,
    ) -> Result<(), String> {
        self.hear_all(ServerCall::Follow(after), &mut |said| match said {
            FromServer::Line(line) => show(&line),
            _ => ControlFlow::Continue(()),
        })
    }

    /// Calls `show` at once, and again whenever the board has changed, until the server ends or `show` breaks.
    ///
    /// # Errors
    /// When the server cannot be understood.
    pub fn watch(&mut self, show: &mut dyn FnMut() -> ControlFlow<()>) -> Result<(), String> {
        self.hear_all(ServerCall::Watch, &mut |said| match said {
            FromServer::Answer(CallReply::Changed) => show(),
            _ => ControlFlow::Continue(()),
        })
    }

    fn hear_all(
        &mut self,
        call: ServerCall,
        take: &mut dyn FnMut(FromServer) -> ControlFlow<()>,
    ) -> Result<(), String> {
        let call = FromClient::Call(Box::new(call));
        self.runtime.block_on(say(&mut self.sender, &call))?;
        loop {
            // What is heard is taken outside of the runtime, so that it may ask for more on a connection of its own.
            match self.runtime.block_on(hear(&mut self.receiver))? {
                Some(Packet::Message(FromServer::Bye(_))) | None => return Ok(()),
                Some(Packet::Message(said)) => {
                    if take(said).is_break() {
                        return Ok(());
                    }
                }
                Some(Packet::Frame(..) | Packet::Text(_)) => {}
            }
        }
    }
}

/// Connects and says hello.
///
/// # Errors
/// When nobody listens, or another version does; for people.
pub async fn greet(socket: &Path) -> Result<(FrameSender, FrameReceiver), String> {
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
        Some(Packet::Message(FromServer::Hello(hello))) if hello.protocol == PROTOCOL => {
            Ok((sender, receiver))
        }
        Some(Packet::Message(FromServer::Hello(_))) => match hear(&mut receiver).await {
            Ok(Some(Packet::Message(FromServer::Bye(why)))) => Err(why),
            _ => Err(failed(
                &"it speaks another version; use the same dbs on both ends",
            )),
        },
        _ => Err(failed(&"it did not say hello")),
    }
}

/// Says something to the server.
pub async fn say(sender: &mut FrameSender, what: &FromClient) -> Result<(), String> {
    let frame = wire::encode_message(what).map_err(|error| error.to_string())?;
    sender.send(frame).await.map_err(|error| error.to_string())
}

/// What the server says next; `None` when it has gone.
pub async fn hear(receiver: &mut FrameReceiver) -> Result<Option<Packet<FromServer>>, String> {
    match receiver.next().await {
        None => Ok(None),
        Some(Err(error)) => Err(error.to_string()),
        Some(Ok(frame)) => wire::decode(BytesMut::freeze(frame))
            .map(Some)
            .map_err(|error| error.to_string()),
    }
}
