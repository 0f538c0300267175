//! A conversation with a server over its socket: connect, say hello, send and receive; and the same for callers that block.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::BytesMut;
use tokio::runtime::Runtime;

use super::query::{Answer, Query, QueryError};
use super::wire::{self, CallReply, FromClient, FromServer, Hello, PROTOCOL, Packet, ServerCall, WireError};
use crate::adapters::holder::process::{Starter, origin};
use crate::adapters::ipc::{self, FrameReceiver, FrameSender};
use crate::read_model::LogLine;

/// Error of a server that could not be reached, did not answer, or refused.
#[derive(Debug, thiserror::Error)]
pub enum ProtocolError {
    #[error("could not start: {0}")]
    Runtime(io::Error),
    #[error("could not reach a server at {}: {source}", socket.display())]
    Unreachable { socket: PathBuf, source: io::Error },
    #[error("could not reach a server at {}: it did not say hello", .0.display())]
    NoHello(PathBuf),
    /// Server that took the connection and said nothing.
    #[error("could not reach a server at {}: what listens there says nothing; end it, then start a server with `dbs`", .0.display())]
    Silent(PathBuf),
    /// Listener that was started by an agent or a gate, and is not a server of a person.
    #[error("could not use the server at {}: {why}; end it, then start a server with `dbs`", socket.display())]
    NotOfPerson { socket: PathBuf, why: String },
    /// The server speaks another version of the protocol; the text names both.
    #[error("{0}")]
    OtherVersion(String),
    #[error("could not get an answer: the server went away")]
    WentAway,
    /// The server said goodbye, in its words.
    #[error("{0}")]
    Bye(String),
    #[error("could not talk to the server: {0}")]
    Io(#[from] io::Error),
    #[error("could not talk to the server: {0}")]
    Wire(#[from] WireError),
    /// The server could not do it, in its words.
    #[error("{0}")]
    Failed(String),
    #[error(transparent)]
    Query(#[from] QueryError),
    #[error("could not understand the server: {0:?}")]
    Unexpected(Box<CallReply>),
}

impl From<ProtocolError> for String {
    fn from(error: ProtocolError) -> String {
        error.to_string()
    }
}

impl From<CallReply> for ProtocolError {
    /// The error behind a reply that is not the expected one.
    fn from(reply: CallReply) -> ProtocolError {
        match reply {
            CallReply::Failed(why) => ProtocolError::Failed(why),
            other => ProtocolError::Unexpected(Box::new(other)),
        }
    }
}

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
    pub fn open(socket: &Path) -> Result<Option<Connection>, ProtocolError> {
        let runtime = blocking_runtime()?;
        match runtime.block_on(greet(socket)) {
            Ok((sender, receiver)) => Ok(Some(Connection {
                runtime,
                sender,
                receiver,
            })),
            Err(
                error @ (ProtocolError::OtherVersion(_)
                | ProtocolError::Bye(_)
                | ProtocolError::Silent(_)
                | ProtocolError::NotOfPerson { .. }),
            ) => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// The process of the server; `None` where the system does not say.
    pub fn process(&self) -> Option<u32> {
        self.receiver.peer_process()
    }

    /// Makes a call and waits for its reply.
    pub fn call(&mut self, call: ServerCall) -> Result<CallReply, ProtocolError> {
        self.runtime
            .block_on(reply(&mut self.sender, &mut self.receiver, call))
    }

    /// Asks a question about the board.
    pub fn query(&mut self, query: Query) -> Result<Answer, ProtocolError> {
        match self.call(ServerCall::Query(query))? {
            CallReply::Query(answer) => Ok(answer?),
            other => Err(other.into()),
        }
    }

    /// Hands every new line of the watcher log to `show`, from position `after` on, until the server ends or `show` breaks.
    pub fn follow(
        &mut self,
        after: u64,
        show: &mut dyn FnMut(&LogLine) -> ControlFlow<()>,
    ) -> Result<(), ProtocolError> {
        self.receive_all(ServerCall::Follow(after), &mut |message| match message {
            FromServer::Line(line) => show(&line),
            _ => ControlFlow::Continue(()),
        })
    }

    /// Calls `show` at once, and again whenever the board has changed, until the server ends or `show` breaks.
    pub fn watch(&mut self, show: &mut dyn FnMut() -> ControlFlow<()>) -> Result<(), ProtocolError> {
        self.receive_all(ServerCall::Watch, &mut |message| match message {
            FromServer::Answer(CallReply::Changed) => show(),
            _ => ControlFlow::Continue(()),
        })
    }

    fn receive_all(
        &mut self,
        call: ServerCall,
        take: &mut dyn FnMut(FromServer) -> ControlFlow<()>,
    ) -> Result<(), ProtocolError> {
        let call = FromClient::Call(Box::new(call));
        self.runtime.block_on(send(&mut self.sender, &call))?;
        loop {
            // A message is taken outside of the runtime, so that the taker may use a connection of its own.
            match self.runtime.block_on(receive(&mut self.receiver))? {
                Some(Packet::Message(FromServer::Bye(_))) | None => return Ok(()),
                Some(Packet::Message(message)) => {
                    if take(message).is_break() {
                        return Ok(());
                    }
                }
                Some(Packet::Frame(..) | Packet::Text(_)) => {}
            }
        }
    }
}

/// A runtime on the calling thread, for callers that block.
///
/// # Errors
/// When the system has no resources for it.
pub fn blocking_runtime() -> Result<Runtime, ProtocolError> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().map_err(ProtocolError::Runtime)
}

/// Time that a server may take to say hello; longer than it needs to find room for a connection.
const GREETING_LIMIT: Duration = Duration::from_secs(8);

/// Connects and says hello, to a server of a person alone.
pub async fn greet(socket: &Path) -> Result<(FrameSender, FrameReceiver), ProtocolError> {
    greet_within(socket, GREETING_LIMIT).await
}

async fn greet_within(socket: &Path, limit: Duration) -> Result<(FrameSender, FrameReceiver), ProtocolError> {
    match tokio::time::timeout(limit, exchange_hello(socket)).await {
        Ok(greeted) => greeted,
        Err(_late) => Err(ProtocolError::Silent(socket.to_owned())),
    }
}

/// Refuses a listener that an agent, a gate or git has started, unless it is this process. Where the system does not report the process,
/// that cannot be seen.
fn check_server(socket: &Path, process: Option<u32>) -> Result<(), ProtocolError> {
    let own = std::process::id();
    let Some(pid) = process.filter(|pid| *pid != own) else {
        return Ok(());
    };
    let (Ok(server), Ok(ours)) = (origin(pid), origin(own)) else {
        return Err(ProtocolError::NoHello(socket.to_owned()));
    };
    let Some((project, starter)) = server.starters(&ours).first().copied() else {
        return Ok(());
    };
    let by = match starter {
        Starter::Attempt(attempt) => format!("the agent of attempt {attempt}"),
        Starter::Gate => "a gate".to_owned(),
        Starter::Git => "a program that git started".to_owned(),
    };
    Err(ProtocolError::NotOfPerson {
        socket: socket.to_owned(),
        why: format!("process {pid} listens there, and {by} has started it (project {project})"),
    })
}

async fn exchange_hello(socket: &Path) -> Result<(FrameSender, FrameReceiver), ProtocolError> {
    let (mut sender, mut receiver) =
        ipc::connect(socket)
            .await
            .map_err(|source| ProtocolError::Unreachable {
                socket: socket.to_owned(),
                source,
            })?;
    check_server(socket, receiver.peer_process())?;
    let hello = Hello {
        protocol: PROTOCOL,
        program: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let sent = send(&mut sender, &FromClient::Hello(hello)).await;
    // Who refuses says why and hangs up, perhaps before anything was read.
    let answer = match (receive(&mut receiver).await, sent) {
        (Ok(Some(packet)), _) => Some(packet),
        (_, Err(error)) => return Err(error),
        (answer, Ok(())) => answer?,
    };
    match answer {
        Some(Packet::Message(FromServer::Hello(hello))) if hello.protocol == PROTOCOL => {
            Ok((sender, receiver))
        }
        Some(Packet::Message(FromServer::Hello(hello))) => {
            let why = match receive(&mut receiver).await {
                Ok(Some(Packet::Message(FromServer::Bye(why)))) => why,
                _ => format!(
                    "could not talk to the server at {}: it speaks protocol {}, this program {PROTOCOL}; use the same dbs on \
                     both ends",
                    socket.display(),
                    hello.protocol
                ),
            };
            Err(ProtocolError::OtherVersion(why))
        }
        Some(Packet::Message(FromServer::Bye(why))) => Err(ProtocolError::Bye(why)),
        _ => Err(ProtocolError::NoHello(socket.to_owned())),
    }
}

/// Makes one call on a connection of its own.
pub async fn call_once(socket: &Path, call: ServerCall) -> Result<CallReply, ProtocolError> {
    let (mut sender, mut receiver) = greet(socket).await?;
    reply(&mut sender, &mut receiver, call).await
}

/// Makes a call and waits for its reply.
pub async fn reply(
    sender: &mut FrameSender,
    receiver: &mut FrameReceiver,
    call: ServerCall,
) -> Result<CallReply, ProtocolError> {
    let mut pieces = Vec::new();
    if let Err(error) = send(sender, &FromClient::Call(Box::new(call))).await {
        // A server that does not take the call has said why before it left.
        return match receive(receiver).await {
            Ok(Some(Packet::Message(FromServer::Bye(why)))) => Err(ProtocolError::Bye(why)),
            _ => Err(error),
        };
    }
    loop {
        match receive(receiver).await? {
            Some(Packet::Message(FromServer::Answer(CallReply::Query(Ok(Answer::Text(_)))))) => {
                return Ok(CallReply::Query(Ok(Answer::Text(pieces))));
            }
            Some(Packet::Message(FromServer::Answer(reply))) => return Ok(reply),
            Some(Packet::Message(FromServer::Bye(why))) => return Err(ProtocolError::Bye(why)),
            Some(Packet::Text(piece)) => pieces.push(piece),
            Some(_) => {}
            None => return Err(ProtocolError::WentAway),
        }
    }
}

/// Sends a message to the server.
pub async fn send(sender: &mut FrameSender, message: &FromClient) -> Result<(), ProtocolError> {
    Ok(sender.send(wire::encode_message(message)?).await?)
}

/// The next packet of the server; `None` when it has gone.
pub async fn receive(receiver: &mut FrameReceiver) -> Result<Option<Packet<FromServer>>, ProtocolError> {
    match receiver.next().await {
        None => Ok(None),
        Some(frame) => Ok(Some(wire::decode(BytesMut::freeze(frame?))?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::ipc::IpcListener;

    #[test]
    fn a_socket_that_nobody_listens_at_is_no_error_whatever_its_path_is_called() {
        let folder = tempfile::tempdir().unwrap();
        let found = Connection::open(&folder.path().join("protocol")).unwrap();
        assert!(found.is_none());
    }

    #[tokio::test]
    async fn what_listens_and_says_nothing_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        let listener = IpcListener::bind(&socket).unwrap();
        let limit = Duration::from_millis(50);
        let (held, greeted) = tokio::join!(listener.accept(), greet_within(&socket, limit));
        let error = greeted.unwrap_err();
        assert!(matches!(error, ProtocolError::Silent(_)), "{error}");
        assert!(error.to_string().contains("says nothing"), "{error}");
        drop(held);
    }

    #[test]
    fn who_is_refused_at_once_hears_why_whatever_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(async { IpcListener::bind(&socket).unwrap() });
        let refusing = async move {
            loop {
                let (mut sender, receiver) = listener.accept().await.unwrap();
                let bye = FromServer::Bye("too many".to_owned());
                drop(sender.send(wire::encode_message(&bye).unwrap()).await);
                drop((sender, receiver));
            }
        };
        let server = runtime.spawn(refusing);
        for _ in 0..500 {
            let refused = runtime.block_on(greet(&socket)).err();
            assert!(
                matches!(&refused, Some(ProtocolError::Bye(why)) if why == "too many"),
                "{refused:?}"
            );
        }
        server.abort();
    }

    #[test]
    fn a_server_of_another_version_is_an_error_also_when_it_does_not_say_why() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(async { IpcListener::bind(&socket).unwrap() });
        let server = runtime.spawn(async move {
            let (mut sender, mut receiver) = listener.accept().await.unwrap();
            // Read first: a client whose server is gone while it sends finds no server at all.
            receiver.next().await.unwrap().unwrap();
            let hello = Hello {
                protocol: PROTOCOL + 1,
                program: "9.9.9".to_owned(),
            };
            let hello = wire::encode_message(&FromServer::Hello(hello)).unwrap();
            sender.send(hello).await.unwrap();
        });
        let error = Connection::open(&socket).unwrap_err();
        assert!(matches!(error, ProtocolError::OtherVersion(_)), "{error}");
        runtime.block_on(server).unwrap();
    }
}
