//! Conversations: one task per connection. A connection that says nothing sensible is closed with the reason; none can hold up
//! another or the engine.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::BytesMut;
use parking_lot::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::adapters::ipc::{Connection, Listener, Receiver, Sender};
use crate::adapters::load::LOOKED_FOR;
use crate::domain::Timestamp;
use crate::ports::holders::{HolderId, PaneSize};
use crate::protocol::snapshot::Snapshot;
use crate::protocol::telling::Form;
use crate::protocol::wire::{
    self, Answer, FROM_NOW, FromClient, FromServer, Hello, LogLine, PROTOCOL, Packet, StopAgents,
};
use crate::server::calls::{self, Outcome};
use crate::server::colours::Colours;
use crate::server::copies::Copies;
use crate::server::presence::Presence;
use crate::server::reloading::{self, Look};
use crate::server::session::Session;
use crate::server::shells::Shells;
use crate::server::sizes::Sizes;
use crate::server::{drawing, inbox_folder};
use crate::term::Palette;

/// How long a peer may take to say hello.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a peer may take to go after a goodbye.
const PARTING: Duration = Duration::from_secs(1);
/// Most conversations at a time; more are refused.
const MOST: usize = 256;
/// Time between two boards for one who watches.
const BOARD_EVERY: Duration = Duration::from_millis(100);
/// How often the inbox folder is looked at; a signal is there only when its sender could not reach the socket.
const INBOX_EVERY: Duration = Duration::from_secs(2);

/// How often the files of the settings are looked at; what changed is read when it has stayed so for as long.
const SETTINGS_EVERY: Duration = Duration::from_millis(700);

/// A session that listens.
#[derive(Debug)]
pub struct Server {
    /// What it serves.
    pub session: Session,
    /// Ends the server.
    pub stop: CancellationToken,
    /// Whether agents end with it.
    pub stop_agents: Mutex<StopAgents>,
    /// Which client decides how large a terminal is.
    pub(super) sizes: Sizes,
    pub(super) colours: Colours,
    pub(super) presence: Presence,
    pub(super) shells: Shells,
    /// Clients that draw.
    pub clients: AtomicUsize,
    conversations: TaskTracker,
}

impl Server {
    /// A server that does not listen yet.
    pub fn new(session: Session) -> Server {
        let shells = Shells::default();
        shells.adopt(&session);
        Server {
            session,
            stop: CancellationToken::new(),
            stop_agents: Mutex::new(StopAgents::No),
            sizes: Sizes::default(),
            colours: Colours::default(),
            presence: Presence::default(),
            shells,
            clients: AtomicUsize::new(0),
            conversations: TaskTracker::new(),
        }
    }

    /// Serves until it is told to stop, or the engine has ended by itself.
    ///
    /// # Errors
    /// When nothing can be accepted any more.
    pub async fn serve(self: &Arc<Self>, listener: &Listener) -> io::Result<()> {
        let mut inbox = tokio::time::interval(INBOX_EVERY);
        let whole = self.session.hub.whole().clone();
        let mut copies = Copies::new(self.session.journal.clone());
        loop {
            tokio::select! {
                () = self.stop.cancelled() => break,
                () = whole.broken() => break,
                accepted = listener.accept() => match accepted {
                    Ok(connection) => self.converse(connection),
                    Err(error) => tracing::warn!("could not take a connection: {error}"),
                },
                () = copies.due() => {
                    let files = self.session.place.store.clone();
                    self.conversations.spawn_blocking(move || crate::server::copies::make(&files));
                }
                _ = inbox.tick() => {
                    if self.session.has_ended() {
                        tracing::error!("the engine has ended; the server ends with it, agents go on");
                        break;
                    }
                    let server = Arc::clone(self);
                    let part = whole.clone();
                    self.conversations.spawn_blocking(move || {
                        part.watch("the intake of signals", || inbox_folder::take_all(&server.session.intake))
                    });
                }
            }
        }
        self.stop.cancel();
        self.conversations.close();
        // A conversation that does not end is a peer that does not read; it is cut off when the process ends.
        drop(tokio::time::timeout(PATIENCE, self.conversations.wait()).await);
        Ok(())
    }

    /// Lets what is written into the files of the settings come into force, until the server ends.
    pub async fn watch_settings(self: &Arc<Self>) {
        let look = || {
            let server = Arc::clone(self);
            tokio::task::spawn_blocking(move || Look::at(&server.session.place))
        };
        let mut every = tokio::time::interval(SETTINGS_EVERY);
        every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut read = look().await.unwrap_or_default();
        let mut seen = read.clone();
        loop {
            every.tick().await;
            let Ok(now) = look().await else { return };
            let is_settled = now == seen;
            seen = now;
            if !is_settled || seen == read {
                continue;
            }
            read = seen.clone();
            let server = Arc::clone(self);
            // What is wrong is told to people where they look.
            let reading = move || drop(reloading::reload(&server.session));
            if tokio::task::spawn_blocking(reading).await.is_err() {
                return;
            }
        }
    }

    /// Has programs told these colours, if there are other ones than before.
    pub(super) fn dress(&self, palette: Option<Palette>) {
        if let Some(palette) = palette {
            self.session.hub.dress(palette);
        }
    }

    /// Gives terminals their sizes, each at its pace.
    pub(super) fn resize(self: &Arc<Self>, sizes: Vec<(HolderId, PaneSize)>) {
        for (id, size) in sizes {
            let Some(at) = self.session.hub.resize(&id, size, Instant::now()) else {
                continue;
            };
            let server = Arc::clone(self);
            self.conversations.spawn(async move {
                tokio::time::sleep_until(at).await;
                server.session.hub.settle(&id, Instant::now());
            });
        }
    }

    fn converse(self: &Arc<Self>, connection: Connection) {
        let server = Arc::clone(self);
        if self.conversations.len() >= MOST {
            tracing::warn!("refused a connection: {MOST} are open");
            return;
        }
        self.conversations.spawn(async move {
            if let Err(error) = talk(&server, connection).await {
                tracing::debug!("a conversation ended: {error}");
            }
        });
    }
}

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

async fn talk(server: &Arc<Server>, (mut sender, mut receiver): Connection) -> Result<(), TalkError> {
    let first = tokio::time::timeout(PATIENCE, next(&mut receiver))
        .await
        .map_err(|_late| TalkError::Silent)??;
    let Some(FromClient::Hello(hello)) = first else {
        return Err(TalkError::Silent);
    };
    let own = Hello {
        protocol: PROTOCOL,
        program: env!("CARGO_PKG_VERSION").to_owned(),
    };
    say(&mut sender, &FromServer::Hello(own)).await?;
    if hello.protocol != PROTOCOL {
        let text = format!(
            "this server is dbs {} (protocol {PROTOCOL}), you are dbs {} (protocol {}); use the same version, or end the \
             server with `dbs stop` from its own version: agents go on",
            env!("CARGO_PKG_VERSION"),
            hello.program,
            hello.protocol
        );
        return bye(&mut sender, &mut receiver, text).await;
    }
    loop {
        let said = tokio::select! {
            () = server.stop.cancelled() => return part(server, &mut sender, &mut receiver).await,
            said = next(&mut receiver) => said?,
        };
        match said {
            None => return Ok(()),
            Some(FromClient::Call(call)) => {
                let asked = Arc::clone(server);
                let clients = server.clients.load(Ordering::Relaxed);
                let outcome =
                    tokio::task::spawn_blocking(move || calls::answer(&asked.session, clients, *call)).await;
                match outcome.unwrap_or_else(|_| {
                    Outcome::Answer(Answer::Failed("the call broke; see the log".to_owned()))
                }) {
                    Outcome::Answer(answer) => say(&mut sender, &FromServer::Answer(answer)).await?,
                    Outcome::Text(text) => tell(&mut sender, &text).await?,
                    Outcome::Stop(answer, agents) => {
                        *server.stop_agents.lock() = agents;
                        say(&mut sender, &FromServer::Answer(answer)).await?;
                        server.stop.cancel();
                    }
                    Outcome::Follow(after) => return follow(server, &mut sender, after).await,
                    Outcome::Watch => return watch(server, &mut sender).await,
                    Outcome::Figures(form) => figures(server, &mut sender, form).await?,
                }
            }
            Some(FromClient::Attach(attach)) => {
                server.clients.fetch_add(1, Ordering::Relaxed);
                let drawn = drawing::draw(server, &mut sender, &mut receiver, attach).await;
                server.clients.fetch_sub(1, Ordering::Relaxed);
                return drawn;
            }
            Some(_before_attaching) => {}
        }
    }
}

/// Sends lines of the watcher log until the peer goes or the server ends. A position behind the last line is the last line.
async fn follow(server: &Server, sender: &mut Sender, after: u64) -> Result<(), TalkError> {
    let mut changes = server.session.journal.changes();
    let last = *changes.borrow_and_update();
    let mut after = match after {
        FROM_NOW => last.saturating_sub(1),
        after => after.min(last),
    };
    loop {
        for line in server.session.journal.after(after) {
            after = line.seq;
            let line = LogLine {
                seq: line.seq,
                at: line.at,
                notice: line.notice.clone(),
            };
            say(sender, &FromServer::Line(line)).await?;
        }
        tokio::select! {
            () = server.stop.cancelled() => return say(sender, &FromServer::Bye("the server ends".to_owned())).await,
            more = changes.changed() => if more.is_err() { return Ok(()) },
        }
    }
}

/// Sends the figures. What agents use is what they use between two looks.
async fn figures(server: &Arc<Server>, sender: &mut Sender, form: Form) -> Result<(), TalkError> {
    let mut told = Err("the call broke; see the log".to_owned());
    for look in 0..2 {
        if look > 0 {
            tokio::time::sleep(LOOKED_FOR).await;
        }
        let asked = Arc::clone(server);
        let figures = tokio::task::spawn_blocking(move || calls::figures(&asked.session, form)).await;
        told = figures.unwrap_or_else(|_| Err("the call broke; see the log".to_owned()));
        if told.is_err() || server.session.pictures.borrow().agents().next().is_none() {
            break;
        }
    }
    match told {
        Ok(text) => tell(sender, &text).await,
        Err(why) => say(sender, &FromServer::Answer(Answer::Failed(why))).await,
    }
}

/// Says whenever the board has changed, and at once that there is one, until the peer goes or the server ends.
async fn watch(server: &Server, sender: &mut Sender) -> Result<(), TalkError> {
    let mut pictures = server.session.pictures.clone();
    let mut last: Option<Snapshot> = None;
    loop {
        // What only a clock changed is no change.
        let board = Snapshot {
            at: Timestamp::default(),
            ..Snapshot::served(&pictures.borrow_and_update())
        };
        if last.as_ref() != Some(&board) {
            say(sender, &FromServer::Answer(Answer::Changed)).await?;
            last = Some(board);
        }
        let change = async {
            tokio::time::sleep(BOARD_EVERY).await;
            pictures.changed().await
        };
        tokio::select! {
            () = server.stop.cancelled() => return say(sender, &FromServer::Bye("the server ends".to_owned())).await,
            more = change => if more.is_err() { return Ok(()) },
        }
    }
}

/// The server ends. A broken one says nothing: who hears nothing starts another.
async fn part(server: &Server, sender: &mut Sender, receiver: &mut Receiver) -> Result<(), TalkError> {
    if server.session.hub.whole().is_broken() {
        return Ok(());
    }
    bye(sender, receiver, "the server ends".to_owned()).await
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
async fn tell(sender: &mut Sender, text: &str) -> Result<(), TalkError> {
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
    use crate::adapters::ipc;

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
