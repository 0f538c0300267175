//! The live terminals: one thread per holder reads what its program writes and feeds the emulated screen; the end of a
//! program becomes an event. What a client looks at is read under the terminal's own lock.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, FairMutex, Mutex};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::adapters::clock;
use crate::adapters::holder::{LocalHolders, Requests};
use crate::domain::event::EndCause;
use crate::domain::{AttemptId, Event, Exit};
use crate::engine::inbox::Inbox;
use crate::ports::holders::{HeldState, HolderId, Holders, PaneSize};
use crate::ports::terminals::Terminals;
use crate::server::reading;
use crate::server::sizes::{Paced, Turn};
use crate::server::whole::Whole;
use crate::term::{EngineKind, Palette, Size, TermEvent, Terminal};

/// Screens of ended programs that are kept to be looked at; the oldest goes first, its log stays on disk.
const ENDED_KEPT: usize = 24;
/// Pause before a holder that does not answer is asked again.
const AGAIN_AFTER: Duration = Duration::from_millis(500);
/// Output from before a start of the server that is shown again, in bytes.
pub(super) const REPLAYED: u64 = 5 * 1024 * 1024;

/// Runs before the engine is told that a program has ended: what it said last counts, even where it had to be kept in a file.
pub type BeforeEnd = Box<dyn Fn() + Send + Sync>;

/// What the tool of an attempt names as the cause of its end, read from its last lines.
pub type Named = Box<dyn Fn(AttemptId, &str) -> Option<EndCause> + Send + Sync>;

/// All live terminals. Cheap to clone; all clones are the same.
#[derive(Clone)]
pub struct Hub(Arc<Inner>);

pub(super) struct Inner {
    pub(super) holders: Arc<LocalHolders>,
    pub(super) engine: EngineKind,
    pub(super) history: usize,
    pub(super) inbox: Inbox,
    before_end: BeforeEnd,
    named: Named,
    changed: watch::Sender<Changes>,
    panes: Mutex<BTreeMap<HolderId, Arc<Pane>>>,
    closing: (Mutex<bool>, Condvar),
    whole: Whole,
    /// The colours programs are told.
    palette: Mutex<Palette>,
}

/// How much has happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Changes {
    /// Output of terminals that somebody watches.
    pub output: u64,
    /// Terminals that came, went or got another size.
    pub terminals: u64,
}

/// One terminal.
pub struct Pane {
    /// The emulated screen. Hold it for the time of copying visible cells, no longer.
    pub terminal: FairMutex<Terminal>,
    /// Whether its program runs.
    pub alive: AtomicBool,
    /// Whether it shows the present. Before that it is shown the past once more, which nobody should take for the present.
    pub caught_up: AtomicBool,
    /// Where input goes, while connected.
    pub(super) requests: Mutex<Option<Requests>>,
    /// The size it has and the one it is to get.
    pub(super) size: Mutex<Paced>,
    /// How many clients have it on their screen; output nobody sees wakes nobody.
    watched: AtomicUsize,
    /// Changes with its output, for those who wait for that of this terminal alone.
    pub(super) wrote: watch::Sender<()>,
}

/// A client that has a terminal on its screen; until this is dropped it is told of output.
pub(super) struct Watch(Arc<Pane>);

impl Watch {
    /// Whether it is of that terminal.
    pub(super) fn is_of(&self, pane: &Arc<Pane>) -> bool {
        Arc::ptr_eq(&self.0, pane)
    }
}

impl Pane {
    /// Types what its terminal says to its program.
    fn reply(&self, told: Vec<TermEvent>) {
        let Some(requests) = self.requests.lock().clone() else {
            return;
        };
        for event in told {
            if let TermEvent::Reply(bytes) = event {
                // A holder that is gone is noticed by its reader.
                drop(requests.input(&bytes));
            }
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.watched.fetch_sub(1, Ordering::AcqRel);
    }
}

impl std::fmt::Debug for Hub {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hub")
            .field("panes", &self.0.panes.lock().len())
            .finish()
    }
}

impl Hub {
    /// No terminals yet. `history` is the number of lines each keeps above its screen.
    pub fn new(
        holders: Arc<LocalHolders>,
        (engine, history): (EngineKind, usize),
        inbox: Inbox,
        (before_end, named): (BeforeEnd, Named),
    ) -> Hub {
        Hub(Arc::new(Inner {
            holders,
            engine,
            history,
            inbox,
            before_end,
            named,
            changed: watch::Sender::default(),
            panes: Mutex::default(),
            closing: (Mutex::new(false), Condvar::new()),
            whole: Whole::default(),
            palette: Mutex::default(),
        }))
    }

    /// Changes whenever a terminal that somebody watches wrote something, and whenever one came, went or got another size.
    pub fn changes(&self) -> watch::Receiver<Changes> {
        self.0.changed.subscribe()
    }

    /// Whether the server is whole: a terminal that nobody reads any more ends it.
    pub fn whole(&self) -> &Whole {
        &self.0.whole
    }

    /// The terminal of that id.
    pub fn pane(&self, id: &HolderId) -> Option<Arc<Pane>> {
        self.0.panes.lock().get(id).cloned()
    }

    /// Begins to tell of a terminal's output.
    pub(super) fn watch(pane: Arc<Pane>) -> Watch {
        pane.watched.fetch_add(1, Ordering::AcqRel);
        Watch(pane)
    }

    /// Ids of terminals whose program runs.
    pub fn alive(&self) -> Vec<HolderId> {
        let panes = self.0.panes.lock();
        panes
            .iter()
            .filter(|(_, pane)| pane.alive.load(Ordering::Acquire))
            .map(|(id, _)| id.clone())
            .collect()
    }

    /// Types bytes; they are lost when nothing runs there, as in any terminal.
    pub fn input(&self, id: &HolderId, bytes: &[u8]) {
        let requests = self.pane(id).and_then(|pane| pane.requests.lock().clone());
        if let Some(requests) = requests
            && let Err(error) = requests.input(bytes)
        {
            tracing::debug!(%id, "could not {error}");
        }
    }

    /// Gives a terminal another size; the same size again does nothing. Answers when to call [`Hub::settle`], if it has to wait.
    pub(super) fn resize(&self, id: &HolderId, size: PaneSize, now: Instant) -> Option<Instant> {
        let pane = self.pane(id)?;
        let turn = pane.size.lock().wish(size, now);
        match turn {
            Turn::At(at) => return Some(at),
            Turn::Now(size) => self.0.change(&pane, size),
            Turn::None => {}
        }
        None
    }

    /// Gives a terminal the size that had to wait.
    pub(super) fn settle(&self, id: &HolderId, now: Instant) {
        let Some(pane) = self.pane(id) else { return };
        let turn = pane.size.lock().due(now);
        if let Turn::Now(size) = turn {
            self.0.change(&pane, size);
        }
    }

    /// Has all programs told these colours: when they ask, and those that wish to hear of dark and light at once.
    pub(super) fn dress(&self, palette: Palette) {
        *self.0.palette.lock() = palette;
        let panes: Vec<Arc<Pane>> = self.0.panes.lock().values().cloned().collect();
        for pane in panes {
            let told = pane.terminal.lock().set_palette(palette);
            // A terminal that is shown the past does not know yet what its program wishes.
            if pane.caught_up.load(Ordering::Acquire) {
                pane.reply(told);
            }
        }
    }

    /// Ends all readers. Programs and holders go on.
    pub fn close(&self) {
        *self.0.closing.0.lock() = true;
        self.0.closing.1.notify_all();
        let panes: Vec<Arc<Pane>> = self.0.panes.lock().values().cloned().collect();
        for pane in panes {
            if let Some(requests) = pane.requests.lock().take() {
                drop(requests.detach());
            }
        }
    }

    fn open(&self, id: &HolderId) -> Option<Arc<Pane>> {
        let mut panes = self.0.panes.lock();
        if panes
            .get(id)
            .is_some_and(|pane| pane.alive.load(Ordering::Acquire))
        {
            return None;
        }
        let pane = Arc::new(self.0.blank());
        panes.insert(id.clone(), Arc::clone(&pane));
        let ended: Vec<HolderId> = panes
            .iter()
            .filter(|(_, pane)| !pane.alive.load(Ordering::Acquire))
            .map(|(id, _)| id.clone())
            .collect();
        for old in ended.iter().take(ended.len().saturating_sub(ENDED_KEPT)) {
            panes.remove(old);
        }
        drop(panes);
        self.0.terminals_changed();
        Some(pane)
    }
}

impl Inner {
    fn blank(&self) -> Pane {
        let mut terminal = Terminal::new(self.engine, Size::default(), self.history);
        drop(terminal.set_palette(*self.palette.lock()));
        Pane {
            terminal: FairMutex::new(terminal),
            alive: AtomicBool::new(true),
            caught_up: AtomicBool::new(false),
            requests: Mutex::default(),
            size: Mutex::new(Paced::new(PaneSize::cells(
                Size::default().cols,
                Size::default().rows,
            ))),
            watched: AtomicUsize::new(0),
            wrote: watch::Sender::default(),
        }
    }

    /// A terminal shows the present, and its size is known: now it gets the one wished for.
    pub(super) fn found(&self, pane: &Pane, size: PaneSize) {
        pane.caught_up.store(true, Ordering::Release);
        let turn = pane.size.lock().found(size, Instant::now());
        match turn {
            Turn::Now(size) => self.change(pane, size),
            Turn::None | Turn::At(_) => self.terminals_changed(),
        }
    }

    fn change(&self, pane: &Pane, size: PaneSize) {
        let told = pane.terminal.lock().resize(Size::new(size.cols, size.rows));
        if let Some(requests) = pane.requests.lock().clone() {
            // A holder that is gone is noticed by its reader.
            drop(requests.resize(size));
        }
        pane.reply(told);
        self.terminals_changed();
    }

    /// A terminal wrote something.
    pub(super) fn wrote(&self, pane: &Pane) {
        if pane.watched.load(Ordering::Acquire) > 0 {
            pane.wrote.send_replace(());
            self.changed.send_modify(|changes| changes.output += 1);
        }
    }

    /// A terminal came, went, or got another size.
    pub(super) fn terminals_changed(&self) {
        self.changed.send_modify(|changes| changes.terminals += 1);
    }

    pub(super) fn is_closing(&self) -> bool {
        *self.closing.0.lock()
    }

    /// Waits a little; answers whether to go on.
    fn pause(&self) -> bool {
        let mut closing = self.closing.0.lock();
        if !*closing {
            self.closing.1.wait_for(&mut closing, AGAIN_AFTER);
        }
        !*closing
    }

    fn follow_to_the_end(&self, id: &HolderId, pane: &Pane) {
        let mut fed = reading::Fed::default();
        while !self.is_closing() {
            let read = reading::read(self, id, pane, &mut fed);
            pane.size.lock().lost();
            *pane.requests.lock() = None;
            if self.is_closing() {
                return;
            }
            let exit = match (read, self.holders.look(id).state) {
                (Some(exit), _) => exit,
                (None, HeldState::Exited(ended)) => {
                    reading::replay(self, id, pane, &mut fed);
                    ended.exit
                }
                (None, HeldState::Lost) if self.holders.sweep(id).is_ok() => Exit::Vanished,
                (None, HeldState::NotStarted) => Exit::Vanished,
                (None, HeldState::Lost | HeldState::Running(_) | HeldState::Unknown(_)) => {
                    if self.pause() {
                        continue;
                    }
                    return;
                }
            };
            pane.alive.store(false, Ordering::Release);
            let size = pane.terminal.lock().size();
            self.found(pane, PaneSize::cells(size.cols, size.rows));
            if let Some(attempt) = id.attempt() {
                let tail = reading::last_lines(&mut pane.terminal.lock());
                (self.before_end)();
                // An engine that has stopped finds the end in its next inventory.
                let cause = (self.named)(attempt, &tail);
                let _stopped = self.inbox.put(Event::AttemptEnded {
                    attempt,
                    exit,
                    tail,
                    cause,
                });
            }
            return;
        }
    }
}

impl Terminals for Hub {
    fn follow(&self, id: &HolderId) {
        let Some(pane) = self.open(id) else { return };
        let (inner, name) = (Arc::clone(&self.0), id.clone());
        let thread = std::thread::Builder::new().name(format!("pane-{id}"));
        let begun = thread.spawn(move || {
            let part = format!("the reader of terminal {name}");
            inner.whole.watch(&part, || inner.follow_to_the_end(&name, &pane));
        });
        if let Err(error) = begun {
            tracing::error!(%id, "could not start a thread to follow its terminal: {error}");
            self.0.panes.lock().remove(id);
        }
    }

    fn tell(&self, id: &HolderId, line: &str) -> Result<(), String> {
        let text: String = line.chars().filter(|c| !c.is_control() || *c == '\n').collect();
        self.0
            .holders
            .send(id, format!("{text}\r").as_bytes())
            .map_err(|error| error.to_string())
    }

    fn last_lines(&self, id: &HolderId) -> String {
        if let Some(pane) = self.pane(id) {
            return reading::last_lines(&mut pane.terminal.lock());
        }
        let mut terminal = Terminal::new(self.0.engine, Size::default(), 200);
        terminal.feed(clock::now().0, &self.0.holders.tail(id, 64 * 1024));
        reading::last_lines(&mut terminal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::holder::process::Identity;
    use crate::adapters::holder::{ExitRecord, Meta};
    use crate::domain::{Span, Timestamp};
    use crate::engine::inbox::{Next, inbox};
    use crate::ports::holders::EndedBy;

    /// The folder of a program that has ended.
    fn ended(attempts: &std::path::Path, id: &str) {
        let folder = attempts.join(id);
        let own = Identity::of(std::process::id()).unwrap();
        let meta = Meta {
            format: 1,
            marker: "dbs-test-7".to_owned(),
            holder: own.clone(),
            child: own,
            argv: vec!["agent".to_owned()],
            cwd: folder.clone(),
            socket: folder.join("nobody"),
            size: PaneSize::cells(80, 24),
            started_at: Timestamp(1),
        };
        let exit = ExitRecord {
            exit: Exit::Code(1),
            ended_at: Timestamp(2),
            by: EndedBy::Itself,
            output: 0,
        };
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("meta.json"), serde_json::to_vec(&meta).unwrap()).unwrap();
        std::fs::write(folder.join("exit.json"), serde_json::to_vec(&exit).unwrap()).unwrap();
    }

    #[test]
    fn what_a_program_said_last_is_heard_before_its_end_and_its_cause_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        ended(folder.path(), "7");
        let root = folder.path().to_owned();
        let holders = Arc::new(LocalHolders::new("dbs".into(), root.clone(), root));
        let (inlet, outlet) = inbox();
        let kept = inlet.clone();
        let before_end: BeforeEnd = Box::new(move || kept.put(Event::Ticked).unwrap());
        let named: Named = Box::new(|_, _| Some(EndCause::Infra("login".to_owned())));
        let hub = Hub::new(holders, (EngineKind::default(), 10), inlet, (before_end, named));
        hub.follow(&HolderId::new("7"));
        let next = || match outlet.next(Some(Span(60_000))) {
            Next::Envelope(envelope) => envelope.event,
            other => panic!("{other:?}"),
        };
        assert_eq!(next(), Event::Ticked, "the last word");
        let end = next();
        let wanted = matches!(
            &end,
            Event::AttemptEnded {
                attempt: AttemptId(7),
                cause: Some(_),
                ..
            }
        );
        assert!(wanted, "{end:?}");
    }
    #[test]
    fn a_reader_that_breaks_takes_the_server_with_it_instead_of_leaving_a_terminal_nobody_reads() {
        let folder = tempfile::tempdir().unwrap();
        ended(folder.path(), "7");
        let root = folder.path().to_owned();
        let holders = Arc::new(LocalHolders::new("dbs".into(), root.clone(), root));
        let (inlet, _outlet) = inbox();
        let named: Named = Box::new(|_, _| panic!("told by a test"));
        let hub = Hub::new(
            holders,
            (EngineKind::default(), 10),
            inlet,
            (Box::new(|| {}), named),
        );
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        assert!(!hub.whole().is_broken());
        hub.follow(&HolderId::new("7"));
        let broken = async { tokio::time::timeout(Duration::from_mins(1), hub.whole().broken()).await };
        assert!(runtime.block_on(broken).is_ok() && hub.whole().is_broken());
    }
}
