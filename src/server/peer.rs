//! What is said to a peer and heard from it, frame by frame, and why a conversation ended.

use std::io;
use std::time::Duration;

use bytes::BytesMut;

use crate::adapters::ipc::{Receiver, Sender};
use crate::protocol::wire::{self, Answer, FromClient, FromServer, Packet};

/// How long a peer may take to go after a goodbye.
const PARTING: Duration = Duration::from_secs(1);

/// Why a conversation ended.
#[derive(Debug, thiserror::Error)]
pub(super) enum TalkError {
    #[error("{0}")]
    Wire(#[from] wire::WireError),
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("the peer said nothing")]
    Silent,
}

/// Says goodbye, and listens until the peer has gone: one that is just sending something would otherwise find the line dead
/// before it has read why, and take it for a server that broke down.
pub(super) async fn bye(sender: &mut Sender, receiver: &mut Receiver, why: String) -> Result<(), TalkError> {
    say(sender, &FromServer::Bye(why)).await?;
    let gone = async { while let Ok(Some(_late)) = next(receiver).await {} };
    // A peer that stays has had its time.
    drop(tokio::time::timeout(PARTING, gone).await);
    Ok(())
}

/// Says something.
pub(super) async fn say(sender: &mut Sender, what: &FromServer) -> Result<(), TalkError> {
    Ok(sender.send(wire::said(what)?).await?)
}

/// Says what a command is to print.
pub(super) async fn tell(sender: &mut Sender, text: &str) -> Result<(), TalkError> {
    for piece in wire::text(text.as_bytes()) {
        sender.send(piece).await?;
    }
    say(sender, &FromServer::Answer(Answer::Told)).await
}

/// What the client says next; `None` when it has gone.
pub(super) async fn next(receiver: &mut Receiver) -> Result<Option<FromClient>, TalkError> {
    let Some(frame) = receiver.next().await else {
        return Ok(None);
    };
    match wire::read(BytesMut::freeze(frame?))? {
        Packet::Said(said) => Ok(Some(said)),
        Packet::Picture(..) | Packet::Text(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::ipc::{self, Listener};

    #[tokio::test]
    async fn who_is_still_talking_hears_the_goodbye_and_finds_no_dead_line() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        let listener = Listener::bind(&socket).unwrap();
        let (accepted, connected) = tokio::join!(listener.accept(), ipc::connect(&socket));
        let ((mut ours, mut heard), (mut theirs, mut words)) = (accepted.unwrap(), connected.unwrap());
        let (said, talked) = tokio::join!(bye(&mut ours, &mut heard, "enough".to_owned()), async move {
            let word = words.next().await.unwrap().unwrap();
            // The goodbye is on its way, and this client has not looked yet.
            for number in 0..100 {
                theirs.send(wire::said(&FromClient::Ack(number)).unwrap()).await?;
            }
            Ok::<_, io::Error>(word)
        });
        said.unwrap();
        let word = wire::read::<FromServer>(BytesMut::freeze(talked.unwrap())).unwrap();
        assert_eq!(word, Packet::Said(FromServer::Bye("enough".to_owned())));
    }
}
