//! Conversations: one task per connection. A connection that sends nothing sensible is closed with the reason; none can delay another or
//! the engine.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use crate::adapters::clock;
use crate::adapters::ipc::{FrameReceiver, FrameSender, IpcConnection};
use crate::config::schema;
use crate::domain::Refusal;
use crate::protocol::callers::Caller;
use crate::protocol::wire::{
    CallReply, FROM_NOW, FromClient, FromServer, Hello, LONGEST_FROM_AGENT, PROTOCOL, ServerCall,
};
use crate::read_model::ReadModel;
use crate::server::connections::attached_client;
use crate::server::connections::callers::CallerGuard;
use crate::server::connections::calls::{CallOutcome, answer_call};
use crate::server::connections::connection_places::ConnectionPlaces;
use crate::server::connections::idle_connections::IdleConnections;
use crate::server::connections::peer::{ConnectionError, bye, next, reply, say};
use crate::server::ending::StopOrder;
use crate::server::keeping::retention::{AtticExpiry, Retention};
use crate::server::services::Services;
use crate::server::signals::hooks::WaitingAsk;
use crate::server::signals::intake::SignalIntake;

/// Time for a peer to say hello, and for conversations to end when the server does.
const PEER_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of conversations at a time. One more closes the one that waits longest for its peer, or is refused when none waits.
const MOST: usize = 256;
/// Maximum number of goodbyes to closed or refused connections, on top of [`MOST`].
const MOST_GOODBYES: usize = 256;
/// Time that a connection waits for room when all are busy, and the interval of its checks.
const ROOM_TIMEOUT: Duration = Duration::from_secs(3);
const ROOM_RETRY: Duration = Duration::from_millis(20);
/// Duration from which a call is so slow that an agent may have given it up.
const SLOW_CALL: Duration = Duration::from_secs(4);
/// Time between two boards for a watching client.
const BOARD_EVERY: Duration = Duration::from_millis(100);

/// All connections of a server, and the services that answer them.
pub(in crate::server) struct Conversations {
    pub(in crate::server) services: Arc<Services>,
    pub(in crate::server) intake: SignalIntake,
    pub(in crate::server) guard: CallerGuard,
    pub(in crate::server) retention: Arc<Retention>,
    pub(in crate::server) attic: Arc<AtticExpiry>,
    pub(in crate::server) stop_order: Mutex<StopOrder>,
    /// Conversations under way, and the work done for them.
    pub(in crate::server) tasks: TaskTracker,
    /// Conversations that wait for their peer.
    pub(in crate::server) idle: IdleConnections,
    /// Places of agents and of each process, so that others keep some.
    pub(in crate::server) places: ConnectionPlaces,
}

impl Conversations {
    pub(in crate::server) fn begin(self: &Arc<Self>, connection: IpcConnection) {
        let own = Arc::clone(self);
        let open = self.tasks.len();
        if open >= MOST + MOST_GOODBYES {
            tracing::warn!("dropped a connection: {open} are open");
            self.intake.reach.missed();
            return;
        }
        let is_full = open >= MOST && !self.idle.close_longest(Instant::now());
        self.tasks.spawn(async move {
            if is_full && !own.wait_for_room().await {
                tracing::warn!("refused a connection: {open} are open");
                own.intake.reach.missed();
                return refuse(connection).await;
            }
            if let Err(error) = serve_connection(&own, connection).await {
                tracing::debug!("a conversation ended: {error}");
            }
        });
    }

    /// Waits until another connection makes room; returns false when none does. Connections that came a moment ago do not make room yet.
    async fn wait_for_room(&self) -> bool {
        let room = async {
            while self.tasks.len() > MOST && !self.idle.close_longest(Instant::now()) {
                tokio::time::sleep(ROOM_RETRY).await;
            }
        };
        tokio::time::timeout(ROOM_TIMEOUT, room).await.is_ok()
    }

    /// Removes logs and names of kept work that are older than the settings allow.
    pub(in crate::server) fn sweep_old(&self) {
        let (retention, services) = (Arc::clone(&self.retention), Arc::clone(&self.services));
        let attic = Arc::clone(&self.attic);
        self.tasks.spawn_blocking(move || {
            let (config, now) = (services.settings.config(), clock::now());
            let model = services.engine.read_model();
            retention.sweep(&model, config.value(&schema::TERMINAL_LOG_DAYS), now);
            attic.sweep(&model, config.value(&schema::ATTIC_DAYS), now);
        });
    }

    /// Waits until all have ended, for a while: a conversation that does not end has a peer that does not read; it is cut off when the
    /// process ends.
    pub(in crate::server) async fn end(&self) {
        self.tasks.close();
        drop(tokio::time::timeout(PEER_TIMEOUT, self.tasks.wait()).await);
    }
}

/// Sends the reason why the call is not answered.
async fn refuse((mut sender, mut receiver): IpcConnection) {
    let text = format!("the server is busy: {MOST} connections are open; try again in a moment");
    // A peer that does not read it is gone, or notices the end of the connection.
    drop(tokio::time::timeout(PEER_TIMEOUT, bye(&mut sender, &mut receiver, text)).await);
}

async fn serve_connection(
    own: &Arc<Conversations>,
    (mut sender, mut receiver): IpcConnection,
) -> Result<(), ConnectionError> {
    // At once: the number of a process that has ended means nothing.
    let process = receiver.peer_process();
    let caller = identify(own, process).await;
    let _place = match own.places.take(&caller, process) {
        Ok(place) => place,
        // A peer that opens more and more connections is not waited for.
        Err(refusal) => {
            own.intake.reach.missed();
            return say(&mut sender, &FromServer::Bye(refusal.why)).await;
        }
    };
    if !matches!(caller, Caller::Person | Caller::Hidden) {
        receiver.set_longest(LONGEST_FROM_AGENT);
    }
    match greet(own, &mut sender, &mut receiver).await? {
        Greeting::Done => converse(own, caller, (sender, receiver)).await,
        Greeting::Over => Ok(()),
    }
}

/// Answers calls until the peer leaves, attaches or is done.
async fn converse(
    own: &Arc<Conversations>,
    caller: Caller,
    (mut sender, mut receiver): IpcConnection,
) -> Result<(), ConnectionError> {
    loop {
        let idle = own.idle.wait(Instant::now());
        let message = tokio::select! {
            () = own.services.stop.cancelled() => return say_goodbye(own, &mut sender, &mut receiver).await,
            () = idle.closed.cancelled() => return make_room(&mut sender, &mut receiver).await,
            message = next(&mut receiver) => match message {
                Err(ConnectionError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                    return bye(&mut sender, &mut receiver, error.to_string()).await;
                }
                message => message?,
            },
        };
        drop(idle);
        match message {
            None => return Ok(()),
            Some(FromClient::Call(call)) => match judge_and_answer(own, &caller, call).await {
                CallOutcome::Answer(answer) => reply(&mut sender, answer).await?,
                CallOutcome::Stop(answer, order) => {
                    *own.stop_order.lock() = order;
                    reply(&mut sender, answer).await?;
                    own.services.stop.cancel();
                }
                CallOutcome::Hook(waiting) => {
                    return wait_for_person(own, &mut sender, &mut receiver, waiting).await;
                }
                CallOutcome::Follow(after) => return follow(&own.services, &mut sender, after).await,
                CallOutcome::Watch => return watch(&own.services, &mut sender).await,
            },
            Some(FromClient::Attach(attach)) => {
                if let Err(refusal) = judge_attach(own, caller).await {
                    return bye(&mut sender, &mut receiver, refusal.why).await;
                }
                return attached_client::serve_client(&own.services, &mut sender, &mut receiver, attach)
                    .await;
            }
            Some(_before_attaching) => {}
        }
    }
}

/// Answers a hook when its agent was answered. A hook that hangs up waits no longer; one whose server ends comes back to the next.
async fn wait_for_person(
    own: &Conversations,
    sender: &mut FrameSender,
    receiver: &mut FrameReceiver,
    waiting: WaitingAsk,
) -> Result<(), ConnectionError> {
    let engine = &own.services.engine;
    tokio::select! {
        () = own.services.stop.cancelled() => Ok(()),
        answered = waiting.reply(engine) => reply(sender, CallReply::Hook(answered)).await,
        _gone = next(receiver) => {
            waiting.withdraw(engine, own.services.hub.agents());
            Ok(())
        }
    }
}

/// Result of the first messages of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Greeting {
    Done,
    /// Conversation that ended: it had to make room, or speaks another version, and was told so.
    Over,
}

/// Reads the peer's hello and sends ours.
async fn greet(
    own: &Conversations,
    sender: &mut FrameSender,
    receiver: &mut FrameReceiver,
) -> Result<Greeting, ConnectionError> {
    let idle = own.idle.wait(Instant::now());
    let first = tokio::select! {
        () = idle.closed.cancelled() => {
            make_room(sender, receiver).await?;
            return Ok(Greeting::Over);
        }
        first = tokio::time::timeout(PEER_TIMEOUT, next(receiver)) => first.map_err(|_late| ConnectionError::Silent)??,
    };
    drop(idle);
    let Some(FromClient::Hello(hello)) = first else {
        return Err(ConnectionError::Silent);
    };
    let greeting = Hello {
        protocol: PROTOCOL,
        program: env!("CARGO_PKG_VERSION").to_owned(),
    };
    say(sender, &FromServer::Hello(greeting)).await?;
    if hello.protocol == PROTOCOL {
        return Ok(Greeting::Done);
    }
    let text = format!(
        "this server is dbs {} (protocol {PROTOCOL}), you are dbs {} (protocol {}); use the same version, or end the \
         server with `dbs stop` from its own version: agents keep running",
        env!("CARGO_PKG_VERSION"),
        hello.program,
        hello.protocol
    );
    bye(sender, receiver, text).await?;
    Ok(Greeting::Over)
}

/// Returns the caller at the other end.
async fn identify(own: &Arc<Conversations>, peer: Option<u32>) -> Caller {
    let guarding = Arc::clone(own);
    let known = tokio::task::spawn_blocking(move || guarding.guard.identify(peer)).await;
    known.unwrap_or_else(|_| {
        Caller::Unknown("look at the process that calls: it broke, see the log".to_owned())
    })
}

/// Returns the outcome of a call by this caller.
async fn judge_and_answer(own: &Arc<Conversations>, caller: &Caller, call: Box<ServerCall>) -> CallOutcome {
    let (answering, caller) = (Arc::clone(own), caller.clone());
    let answer = move || match answering.guard.admit(&caller, *call) {
        Ok(call) => answer_call(&answering.services, &answering.intake, call),
        Err(refused) => CallOutcome::Answer(*refused),
    };
    let begun = Instant::now();
    let answered = tokio::task::spawn_blocking(answer).await;
    if begun.elapsed() >= SLOW_CALL {
        own.intake.reach.missed();
    }
    answered
        .unwrap_or_else(|_| CallOutcome::Answer(CallReply::Failed("the call broke; see the log".to_owned())))
}

/// Checks that this caller may attach; the error is the reason why not.
async fn judge_attach(own: &Arc<Conversations>, caller: Caller) -> Result<(), Refusal> {
    let guarding = Arc::clone(own);
    let judged = tokio::task::spawn_blocking(move || guarding.guard.admit_attach(&caller)).await;
    judged.unwrap_or_else(|_| Err(Refusal::new("could not attach: the call broke; see the log")))
}

/// Ends a connection that waited longest when another needed its place.
async fn make_room(sender: &mut FrameSender, receiver: &mut FrameReceiver) -> Result<(), ConnectionError> {
    let text = "too many connections are open, and this one had nothing to ask for longest".to_owned();
    bye(sender, receiver, text).await
}

/// Sends lines of the watcher log until the peer leaves or the server ends. A position behind the last line is the last line.
async fn follow(services: &Services, sender: &mut FrameSender, after: u64) -> Result<(), ConnectionError> {
    let mut changes = services.engine.journal.changes();
    let last = *changes.borrow_and_update();
    let mut after = match after {
        FROM_NOW => last.saturating_sub(1),
        after => after.min(last),
    };
    loop {
        for line in services.engine.journal.after(after) {
            after = line.seq;
            say(sender, &FromServer::Line((*line).clone())).await?;
        }
        tokio::select! {
            () = services.stop.cancelled() => return say(sender, &FromServer::Bye("the server ends".to_owned())).await,
            more = changes.changed() => if more.is_err() { return Ok(()) },
        }
    }
}

/// Sends a message whenever the board has changed, and one at once, until the peer leaves or the server ends.
async fn watch(services: &Services, sender: &mut FrameSender) -> Result<(), ConnectionError> {
    let mut models = services.engine.read_models.clone();
    let mut last: Option<Arc<ReadModel>> = None;
    loop {
        let model = Arc::clone(&models.borrow_and_update());
        if !last.is_some_and(|last| is_same_board(&last, &model)) {
            say(sender, &FromServer::Answer(CallReply::Changed)).await?;
        }
        last = Some(model);
        let change = async {
            tokio::time::sleep(BOARD_EVERY).await;
            models.changed().await
        };
        tokio::select! {
            () = services.stop.cancelled() => return say(sender, &FromServer::Bye("the server ends".to_owned())).await,
            more = change => if more.is_err() { return Ok(()) },
        }
    }
}

/// Returns true if two read models show the same: a change by the clock alone does not count.
fn is_same_board(one: &ReadModel, other: &ReadModel) -> bool {
    one.tasks == other.tasks
        && one.attempts == other.attempts
        && one.batches == other.batches
        && one.workflows == other.workflows
        && (&one.pause, &one.limits) == (&other.pause, &other.limits)
        && (&one.base, one.max_agents) == (&other.base, other.max_agents)
}

/// Ends the connection when the server ends. A broken server sends nothing, so that the client starts another.
async fn say_goodbye(
    own: &Conversations,
    sender: &mut FrameSender,
    receiver: &mut FrameReceiver,
) -> Result<(), ConnectionError> {
    if own.services.hub.poison().is_poisoned() {
        return Ok(());
    }
    bye(sender, receiver, "the server ends".to_owned()).await
}
