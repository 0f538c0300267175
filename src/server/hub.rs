//! The live terminals: one thread per holder reads what its program writes and feeds the emulated screen; the end of a
//! program becomes an event. What a client looks at is read under the terminal's own lock.

mod pane;
mod readers;
mod reading;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::adapters::clock;
use crate::adapters::holder::LocalHolders;
use crate::domain::event::EndCause;
use crate::domain::{AttemptId, Event, Exit};
use crate::engine::inbox::Inbox;
use crate::ports::holders::{HeldState, HolderId, Holders, PaneSize};
use crate::ports::terminals::Terminals;
use crate::server::sizes::Turn;
use crate::server::whole::Whole;
use crate::term::{EngineKind, Palette, Size, Terminal};
pub use pane::Pane;
pub(super) use pane::Watch;
pub use readers::Changes;
use readers::Readers;
use reading::Fed;

/// Screens of ended programs that are kept to be looked at; the oldest goes first, its log stays on disk.
const ENDED_KEPT: usize = 24;
/// Runs before the engine is told that a program has ended: what it said last counts, even where it had to be kept in a file.
pub type BeforeEnd = Box<dyn Fn() + Send + Sync>;

/// What the tool of an attempt names as the cause of its end, read from its last lines.
pub type Named = Box<dyn Fn(AttemptId, &str) -> Option<EndCause> + Send + Sync>;

/// All live terminals. Cheap to clone; all clones are the same.
#[derive(Clone)]
pub struct Hub(Arc<Inner>);

struct Inner {
    readers: Readers,
    engine: EngineKind,
    history: usize,
    before_end: BeforeEnd,
    named: Named,
    panes: Mutex<BTreeMap<HolderId, Arc<Pane>>>,
    whole: Whole,
    /// The colours programs are told.
    palette: Mutex<Palette>,
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
            readers: Readers::new(holders, inbox),
            engine,
            history,
            before_end,
            named,
            panes: Mutex::default(),
            whole: Whole::default(),
            palette: Mutex::default(),
        }))
    }

    /// Changes whenever a terminal that somebody watches wrote something, and whenever one came, went or got another size.
    pub fn changes(&self) -> watch::Receiver<Changes> {
        self.0.readers.changes()
    }

    /// Whether the server is whole: a terminal that nobody reads any more ends it.
    pub fn whole(&self) -> &Whole {
        &self.0.whole
    }

    /// The terminal of that id.
    pub fn pane(&self, id: &HolderId) -> Option<Arc<Pane>> {
        self.0.panes.lock().get(id).cloned()
    }

    /// The folder of a terminal's log, also of one that is not live.
    pub(super) fn folder(&self, id: &HolderId) -> PathBuf {
        self.0.readers.holders.folder(id)
    }

    /// Begins to tell of a terminal's output.
    pub(super) fn watch(pane: Arc<Pane>) -> Watch {
        Watch::begin(pane)
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
            Turn::Now(size) => self.0.readers.change(&pane, size),
            Turn::None => {}
        }
        None
    }

    /// Gives a terminal the size that had to wait.
    pub(super) fn settle(&self, id: &HolderId, now: Instant) {
        let Some(pane) = self.pane(id) else { return };
        let turn = pane.size.lock().due(now);
        if let Turn::Now(size) = turn {
            self.0.readers.change(&pane, size);
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
        self.0.readers.close();
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
        self.0.readers.terminals_changed();
        Some(pane)
    }
}

impl Inner {
    fn blank(&self) -> Pane {
        let mut terminal = Terminal::new(self.engine, Size::default(), self.history);
        drop(terminal.set_palette(*self.palette.lock()));
        Pane::new(terminal)
    }

    fn follow_to_the_end(&self, id: &HolderId, pane: &Pane) {
        let (readers, mut fed) = (&self.readers, Fed::default());
        while !readers.is_closing() {
            let read = reading::read(readers, id, pane, &mut fed);
            pane.size.lock().lost();
            *pane.requests.lock() = None;
            if readers.is_closing() {
                return;
            }
            let exit = match (read, readers.holders.look(id).state) {
                (Some(exit), _) => exit,
                (None, HeldState::Exited(ended)) => {
                    reading::replay(readers, id, pane, &mut fed);
                    ended.exit
                }
                (None, HeldState::Lost) if readers.holders.sweep(id).is_ok() => Exit::Vanished,
                (None, HeldState::NotStarted) => Exit::Vanished,
                (None, HeldState::Lost | HeldState::Running(_) | HeldState::Unknown(_)) => {
                    if readers.pause() {
                        continue;
                    }
                    return;
                }
            };
            pane.alive.store(false, Ordering::Release);
            let size = pane.terminal.lock().size();
            readers.found(pane, PaneSize::cells(size.cols, size.rows));
            if let Some(attempt) = id.attempt() {
                let tail = reading::last_lines(&mut pane.terminal.lock());
                (self.before_end)();
                // An engine that has stopped finds the end in its next inventory.
                let cause = (self.named)(attempt, &tail);
                let _stopped = readers.inbox.put(Event::AttemptEnded {
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
            .readers
            .holders
            .send(id, format!("{text}\r").as_bytes())
            .map_err(|error| error.to_string())
    }

    fn last_lines(&self, id: &HolderId) -> String {
        if let Some(pane) = self.pane(id) {
            return reading::last_lines(&mut pane.terminal.lock());
        }
        let mut terminal = Terminal::new(self.0.engine, Size::default(), 200);
        terminal.feed(clock::now().0, &self.0.readers.holders.tail(id, 64 * 1024));
        reading::last_lines(&mut terminal)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
