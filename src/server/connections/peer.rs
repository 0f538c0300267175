//! Messages to a peer and from it, frame by frame, and the reasons for the end of a connection.

use std::io;
use std::time::Duration;

use bytes::BytesMut;

use crate::adapters::ipc::{FrameReceiver, FrameSender};
use crate::protocol::query::Answer;
use crate::protocol::wire::{self, CallReply, FromClient, FromServer, Packet};

/// Time in which a peer may close the connection after a goodbye.
const GOODBYE_TIMEOUT: Duration = Duration::from_secs(1);

/// Error that ended a connection to the server.
#[derive(Debug, thiserror::Error)]
pub(in crate::server) enum ConnectionError {
    #[error("{0}")]
    Wire(#[from] wire::WireError),
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("the peer sent nothing")]
    Silent,
}

/// Says goodbye, as [`say_last`] does.
pub(in crate::server) async fn bye(
    sender: &mut FrameSender,
    receiver: &mut FrameReceiver,
    why: String,
) -> Result<(), ConnectionError> {
    say_last(sender, receiver, &FromServer::Bye(why)).await
}

/// Sends the last message, and reads until the peer has left: a peer that is just sending would otherwise find the connection broken before
/// it has read the reason, and take it for a server that broke down.
pub(in crate::server) async fn say_last(
    sender: &mut FrameSender,
    receiver: &mut FrameReceiver,
    last: &FromServer,
) -> Result<(), ConnectionError> {
    say(sender, last).await?;
    let gone = async { while let Ok(Some(_late)) = next(receiver).await {} };
    // A peer that stays has had its time.
    drop(tokio::time::timeout(GOODBYE_TIMEOUT, gone).await);
    Ok(())
}

pub(in crate::server) async fn say(
    sender: &mut FrameSender,
    what: &FromServer,
) -> Result<(), ConnectionError> {
    Ok(sender.send(wire::encode_message(what)?).await?)
}

/// Answers a call; a text is sent ahead in frames of its own.
pub(in crate::server) async fn reply(
    sender: &mut FrameSender,
    reply: CallReply,
) -> Result<(), ConnectionError> {
    if let CallReply::Query(Ok(Answer::Text(pieces))) = &reply {
        for frame in pieces.iter().flat_map(|piece| wire::encode_text(piece)) {
            sender.send(frame).await?;
        }
    }
    say(sender, &FromServer::Answer(reply)).await
}

/// Reads the next message of the client; `None` when it has left.
pub(in crate::server) async fn next(
    receiver: &mut FrameReceiver,
) -> Result<Option<FromClient>, ConnectionError> {
    let Some(frame) = receiver.next().await else {
        return Ok(None);
    };
    match wire::decode(BytesMut::freeze(frame?))? {
        Packet::Message(message) => Ok(Some(message)),
        Packet::Frame(..) | Packet::Text(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::ipc::{self, IpcListener};

    #[tokio::test]
    async fn a_client_that_is_still_sending_gets_the_goodbye_and_no_broken_connection() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        let listener = IpcListener::bind(&socket).unwrap();
        let (accepted, connected) = tokio::join!(listener.accept(), ipc::connect(&socket));
        let ((mut ours, mut from_client), (mut theirs, mut from_server)) =
            (accepted.unwrap(), connected.unwrap());
        let (ended, received) = tokio::join!(
            bye(&mut ours, &mut from_client, "enough".to_owned()),
            async move {
                let frame = from_server.next().await.unwrap().unwrap();
                // The goodbye is on its way, and this client has not looked yet.
                for number in 0..100 {
                    theirs
                        .send(wire::encode_message(&FromClient::Ack(number)).unwrap())
                        .await?;
                }
                Ok::<_, io::Error>(frame)
            }
        );
        ended.unwrap();
        let message = wire::decode::<FromServer>(BytesMut::freeze(received.unwrap())).unwrap();
        assert_eq!(message, Packet::Message(FromServer::Bye("enough".to_owned())));
    }
}
