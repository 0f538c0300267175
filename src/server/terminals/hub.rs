//! The live terminals: one thread per holder reads the output of its program and feeds the emulated screen; the end of a program becomes an
//! event. Screens are read under the terminal's own lock.

mod agent_watch;
mod agents;
mod board_word;
mod live_activity;
mod pane;
mod readers;
mod reading;
mod recent_calls;
mod reported;
mod screen_text;
mod terminal_agents;
mod typing;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::adapters::clock;
use crate::adapters::holder::LocalHolders;
use crate::domain::{Ask, AskAnswer, AskChannel, AskReply, AttemptId, Cause, Event, ProcessExit};
use crate::engine::inbox::Inbox;
use crate::ports::holders::{HolderId, HolderLiveness, Holders, PaneSize};
use crate::ports::terminals::Terminals;
use crate::server::poison::PoisonFlag;
use crate::server::terminals::sizes::ResizeAction;
use crate::term::{ColorPalette, EmulatorKind, Size, Terminal};
pub(in crate::server) use agents::AgentStates;
pub use pane::LiveTerminal;
pub(in crate::server) use pane::OutputWatch;
use readers::Readers;
pub use readers::TerminalChanges;
use reading::OutputOffset;
pub use terminal_agents::TerminalAgents;
use typing::TypingTerminal;

/// Maximum number of screens of ended programs that are kept to be looked at; the oldest is dropped first, its log stays on disk.
const MAX_ENDED_SCREENS: usize = 24;

/// Size of the terminals of agents before a client has shown one; none starts with fewer rows.
const UNSEEN_SIZE: PaneSize = PaneSize::cells(120, 40);

/// Minimum number of columns with which an agent starts.
const NARROWEST_START: u16 = 60;

/// All live terminals of a server, shared between its threads. Cheap to clone; all clones are the same.
#[derive(Clone)]
pub struct TerminalHub(Arc<HubInner>);

struct HubInner {
    readers: Readers,
    engine: EmulatorKind,
    history: usize,
    terminals: Mutex<BTreeMap<HolderId, Arc<LiveTerminal>>>,
    /// Attempts whose program is followed, or was. Each has one program, whose end is reported once.
    followed: Mutex<BTreeSet<AttemptId>>,
    poison: PoisonFlag,
    palette: Mutex<ColorPalette>,
    /// Size with which the next agent starts: as wide as the terminal of one was shown last.
    agent_size: Mutex<PaneSize>,
}

impl TerminalHub {
    /// Creates a hub without terminals. `history` is the number of lines each keeps above its screen.
    pub fn new(
        holders: Arc<LocalHolders>,
        engine: EmulatorKind,
        history: usize,
        inbox: Inbox,
        facts: Box<dyn TerminalAgents>,
    ) -> TerminalHub {
        TerminalHub(Arc::new(HubInner {
            readers: Readers::new(holders, inbox, facts),
            engine,
            history,
            terminals: Mutex::default(),
            followed: Mutex::default(),
            poison: PoisonFlag::default(),
            palette: Mutex::default(),
            agent_size: Mutex::new(UNSEEN_SIZE),
        }))
    }

    /// Returns a receiver that changes whenever a watched terminal wrote something, and whenever one came, went or got another size.
    pub fn changes(&self) -> watch::Receiver<TerminalChanges> {
        self.0.readers.changed.subscribe()
    }

    /// Returns the flag that ends the server when a terminal is no longer read.
    pub fn poison(&self) -> &PoisonFlag {
        &self.0.poison
    }

    /// Returns the terminal of that id.
    pub fn terminal(&self, id: &HolderId) -> Option<Arc<LiveTerminal>> {
        self.0.terminals.lock().get(id).cloned()
    }

    /// Returns the folder of a terminal's log, also of one that is not live.
    pub(in crate::server) fn folder(&self, id: &HolderId) -> PathBuf {
        self.0.readers.holders.folder(id)
    }

    /// Returns the states of the agents in the terminals.
    pub(in crate::server) fn agents(&self) -> &AgentStates {
        &self.0.readers.agents
    }

    /// Notes that a person is about to type into a terminal.
    pub(in crate::server) fn typed(&self, id: &HolderId) {
        if let Some(attempt) = id.attempt() {
            self.agents().input(attempt);
        }
    }

    /// Returns the ids of terminals whose program runs.
    pub fn running(&self) -> Vec<HolderId> {
        let panes = self.0.terminals.lock();
        panes
            .iter()
            .filter(|(_, pane)| pane.alive.load(Ordering::Acquire))
            .map(|(id, _)| id.clone())
            .collect()
    }

    /// Types bytes; they are lost when nothing runs there, as in any terminal.
    pub fn input(&self, id: &HolderId, bytes: &[u8]) {
        let requests = self.terminal(id).and_then(|pane| pane.requests.lock().clone());
        if let Some(requests) = requests
            && let Err(error) = requests.input(bytes)
        {
            tracing::debug!(%id, "could not {error}");
        }
    }

    /// Resizes a terminal; the same size again does nothing. Returns the time to call [`apply_pending_size`](Self::apply_pending_size), if
    /// it has to wait.
    pub(in crate::server) fn resize(&self, id: &HolderId, size: PaneSize, now: Instant) -> Option<Instant> {
        let pane = self.terminal(id)?;
        if id.attempt().is_some() {
            // Dialogs of a terminal that no client shows are read best in one piece. A change of height alone wraps no line.
            let (cols, rows) = (size.cols.max(NARROWEST_START), size.rows.max(UNSEEN_SIZE.rows));
            *self.0.agent_size.lock() = PaneSize::cells(cols, rows);
        }
        let turn = pane.size.lock().request(size, now);
        match turn {
            ResizeAction::At(at) => return Some(at),
            ResizeAction::Now(size) => self.0.readers.change(&pane, size),
            ResizeAction::None => {}
        }
        None
    }

    /// Gives a terminal the size that had to wait.
    pub(in crate::server) fn apply_pending_size(&self, id: &HolderId, now: Instant) {
        let Some(pane) = self.terminal(id) else { return };
        let turn = pane.size.lock().due(now);
        if let ResizeAction::Now(size) = turn {
            self.0.readers.change(&pane, size);
        }
    }

    /// Sets the colours that programs are answered with, and informs programs that follow dark and light at once.
    pub(in crate::server) fn set_palette(&self, palette: ColorPalette) {
        *self.0.palette.lock() = palette;
        let panes: Vec<Arc<LiveTerminal>> = self.0.terminals.lock().values().cloned().collect();
        for pane in panes {
            let events = pane.terminal.lock().set_palette(palette);
            // A terminal that is still replaying its log does not know yet the modes of its program.
            if pane.caught_up.load(Ordering::Acquire) {
                pane.reply(events);
            }
        }
    }

    /// Ends all readers. Programs and holders continue.
    pub fn close(&self) {
        self.0.readers.close();
        let panes: Vec<Arc<LiveTerminal>> = self.0.terminals.lock().values().cloned().collect();
        for pane in panes {
            if let Some(requests) = pane.requests.lock().take() {
                drop(requests.detach());
            }
        }
    }

    /// Begins to watch the agent of a terminal, and with the first one to report all of them to the board.
    fn watch_agent(&self, attempt: AttemptId) {
        let agents = self.agents();
        agents.begin(attempt);
        if !agents.needs_thread() {
            return;
        }
        let inner = Arc::clone(&self.0);
        let begun = std::thread::Builder::new()
            .name("agents".to_owned())
            .spawn(move || {
                let (part, readers) = ("what tells the board of agents", &inner.readers);
                let screen = |attempt| inner.screen_text(&HolderId::from(attempt));
                inner.poison.guard(part, || {
                    readers.agents.run(&readers.inbox, &*readers.facts, &screen);
                });
            });
        if let Err(error) = begun {
            tracing::error!("could not start a thread to tell the board of agents: {error}");
        }
    }

    /// Continues a suspended program.
    fn continue_program(&self, id: &HolderId) -> Result<(), Cause> {
        let requests = self.terminal(id).and_then(|pane| pane.requests.lock().clone());
        let requests = requests.ok_or("its terminal is not here")?;
        requests.resume().map_err(|error| Cause::from(error.to_string()))
    }

    /// Adds the terminal of a program that is to be followed. None: a reader is at work there, or has reported the end of the attempt.
    fn add_terminal(&self, id: &HolderId) -> Option<Arc<LiveTerminal>> {
        let is_new = |attempt| self.0.followed.lock().insert(attempt);
        if !id.attempt().is_none_or(is_new) {
            return None;
        }
        let mut panes = self.0.terminals.lock();
        if panes
            .get(id)
            .is_some_and(|pane| pane.alive.load(Ordering::Acquire))
        {
            return None;
        }
        let pane = Arc::new(self.0.new_terminal());
        panes.insert(id.clone(), Arc::clone(&pane));
        let mut ended: Vec<HolderId> = panes
            .iter()
            .filter(|(_, pane)| !pane.alive.load(Ordering::Acquire))
            .map(|(id, _)| id.clone())
            .collect();
        // The map has them in the order of their text, in which attempt 100 comes before attempt 99.
        ended.sort_by_key(|id| (id.attempt().is_none(), id.attempt()));
        for old in ended.iter().take(ended.len().saturating_sub(MAX_ENDED_SCREENS)) {
            panes.remove(old);
        }
        drop(panes);
        self.0.readers.terminals_changed();
        Some(pane)
    }
}

impl HubInner {
    /// Returns the text of a terminal's screen.
    fn screen_text(&self, id: &HolderId) -> Option<String> {
        let pane = self.terminals.lock().get(id).cloned();
        pane.map(|pane| pane.screen_text())
    }

    fn new_terminal(&self) -> LiveTerminal {
        let mut terminal = Terminal::new(self.engine, Size::default(), self.history);
        drop(terminal.set_palette(*self.palette.lock()));
        LiveTerminal::new(terminal)
    }

    fn follow_to_the_end(&self, id: &HolderId, pane: &LiveTerminal) {
        let (readers, mut fed) = (&self.readers, OutputOffset::default());
        while !readers.is_closing() {
            let read = reading::read(readers, id, pane, &mut fed);
            pane.size.lock().forget();
            *pane.requests.lock() = None;
            if readers.is_closing() {
                return;
            }
            let exit = match (read, readers.holders.status(id).state) {
                (Some(exit), _) => exit,
                (None, HolderLiveness::Exited(ended)) => {
                    reading::replay(readers, id, pane, &mut fed);
                    reading::exit_of(ended.exit, ended.by)
                }
                (None, HolderLiveness::GoneWithMachine) => ProcessExit::MachineStopped,
                (None, HolderLiveness::Lost) if readers.holders.sweep_orphans(id).is_ok() => {
                    ProcessExit::Vanished
                }
                (None, HolderLiveness::NotStarted) => ProcessExit::Vanished,
                (None, HolderLiveness::Lost | HolderLiveness::Running(_) | HolderLiveness::Unknown(_)) => {
                    if readers.pause() {
                        continue;
                    }
                    return;
                }
            };
            pane.alive.store(false, Ordering::Release);
            let (size, tail) = {
                let mut terminal = pane.terminal.lock();
                let tail = reading::last_lines(&mut terminal);
                // A person who comes later wants to see the agent's work; a shell had many programs.
                if id.attempt().is_some() {
                    terminal.show_last_full_screen();
                }
                (terminal.size(), tail)
            };
            readers.found(pane, PaneSize::cells(size.cols, size.rows));
            if let Some(attempt) = id.attempt() {
                readers.facts.before_end();
                // An engine that has stopped finds the end in its next inventory.
                let cause = readers.end_cause(attempt, &exit, &tail);
                readers.agents.ended(attempt, exit.clone());
                let _stopped = readers.inbox.send(Event::AttemptEnded {
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

impl Terminals for TerminalHub {
    fn follow(&self, id: &HolderId) {
        let Some(pane) = self.add_terminal(id) else { return };
        if let Some(attempt) = id.attempt() {
            self.watch_agent(attempt);
        }
        let (inner, name) = (Arc::clone(&self.0), id.clone());
        let thread = std::thread::Builder::new().name(format!("pane-{id}"));
        let begun = thread.spawn(move || {
            let part = format!("the reader of terminal {name}");
            inner
                .poison
                .guard(&part, || inner.follow_to_the_end(&name, &pane));
        });
        if let Err(error) = begun {
            tracing::error!(%id, "could not start a thread to follow its terminal: {error}");
            self.0.terminals.lock().remove(id);
            if let Some(attempt) = id.attempt() {
                self.0.followed.lock().remove(&attempt);
            }
        }
    }

    fn first_size(&self) -> PaneSize {
        *self.0.agent_size.lock()
    }

    fn type_line(&self, id: &HolderId, line: &str) -> Result<(), Cause> {
        typing::type_text(&TypingTerminal::open(self, id)?, line)
    }

    fn interrupt(&self, id: &HolderId) -> Result<(), Cause> {
        let terminal = TypingTerminal::open(self, id)?;
        typing::interrupt(&terminal, |key| self.input(id, key));
        Ok(())
    }

    fn answer(&self, attempt: AttemptId, ask: &Ask, answer: &AskAnswer) -> Result<(), Cause> {
        let id = HolderId::from(attempt);
        let done = match ask.channel {
            // The waiting hook reads it from the board.
            AskChannel::Request => Ok(()),
            AskChannel::Terminal if !ask.was_seen() => Ok(()),
            AskChannel::Terminal if ask.is_suspension() => self.continue_program(&id),
            AskChannel::Line => match &answer.reply {
                AskReply::Text(text) => self.type_line(&id, text),
                _ => Err("it wants an answer in words".into()),
            },
            AskChannel::Keys | AskChannel::Terminal => TypingTerminal::open(self, &id)
                .and_then(|terminal| typing::give_reply(&terminal, ask, &answer.reply)),
        };
        // Not now: the agent may have continued already, and ask something else.
        match (&done, ask.channel) {
            (Ok(()), AskChannel::Keys) => self.agents().answered_by_keys(attempt, answer.at),
            (Ok(()), _) => self.agents().answered(attempt, answer.at),
            (Err(_), _) => {}
        }
        done
    }

    fn last_lines(&self, id: &HolderId) -> String {
        if let Some(pane) = self.terminal(id) {
            return reading::last_lines(&mut pane.terminal.lock());
        }
        let mut terminal = Terminal::new(self.0.engine, Size::default(), 200);
        terminal.feed(clock::now().0, &self.0.readers.holders.tail(id, 64 * 1024));
        reading::last_lines(&mut terminal)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
    use std::time::Duration;

    use super::terminal_agents::NoAgents;
    use super::*;
    use crate::adapters::holder::process::ProcessIdentity;
    use crate::adapters::holder::{ExitRecord, HolderMeta, IndexEntry};
    use crate::agent_state::{AgentReport, Doing, Source, Wait};
    use crate::domain::AskKind;
    use crate::domain::event::EndCause;
    use crate::domain::{Span, Timestamp};
    use crate::engine::inbox::{Received, inbox};
    use crate::ports::holders::ExitedBy;

    /// The folder of a program that has ended.
    fn ended(attempts: &std::path::Path, id: &str, by: ExitedBy) {
        let folder = attempts.join(id);
        let own = ProcessIdentity::of(std::process::id()).unwrap();
        let meta = HolderMeta {
            format: 1,
            marker: "dbs-test-7".to_owned(),
            holder: own.clone(),
            child: own,
            argv: vec!["agent".to_owned()],
            cwd: folder.clone(),
            socket: folder.join("unused"),
            size: PaneSize::cells(80, 24),
            started_at: Timestamp(1),
        };
        let exit = ExitRecord {
            exit: ProcessExit::Code(1),
            ended_at: Timestamp(2),
            by,
            output: 0,
        };
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("meta.json"), serde_json::to_vec(&meta).unwrap()).unwrap();
        std::fs::write(folder.join("exit.json"), serde_json::to_vec(&exit).unwrap()).unwrap();
    }

    /// Facts about a program that sends a last signal and ends for want of a login.
    struct LastSignal(Inbox);

    impl TerminalAgents for LastSignal {
        fn before_end(&self) {
            self.0.send(Event::Ticked).unwrap();
        }

        fn end_cause(&self, _attempt: AttemptId, _tail: &str) -> Option<EndCause> {
            Some(EndCause::Infra("login".into()))
        }
    }

    struct Broken;

    impl TerminalAgents for Broken {
        fn end_cause(&self, _attempt: AttemptId, _tail: &str) -> Option<EndCause> {
            panic!("on purpose")
        }
    }

    /// A hub of no terminals yet, over that folder of attempts.
    fn hub_over(folder: &std::path::Path, inbox: Inbox, facts: impl TerminalAgents + 'static) -> TerminalHub {
        let holders = LocalHolders::new("dbs".into(), folder.to_owned(), folder.to_owned());
        TerminalHub::new(
            Arc::new(holders),
            EmulatorKind::default(),
            10,
            inbox,
            Box::new(facts),
        )
    }

    #[test]
    fn the_last_signals_of_a_program_are_taken_in_before_its_end_and_its_cause_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        ended(folder.path(), "7", ExitedBy::Shutdown);
        let (inlet, outlet) = inbox();
        let hub = hub_over(folder.path(), inlet.clone(), LastSignal(inlet));
        hub.follow(&HolderId::new("7"));
        let next = || match outlet.next(Some(Span(60_000))) {
            Received::Envelope(envelope) => envelope.event,
            other => panic!("{other:?}"),
        };
        assert_eq!(next(), Event::Ticked, "the last signal");
        let end = next();
        let wanted = matches!(
            &end,
            Event::AttemptEnded {
                attempt: AttemptId(7),
                exit: ProcessExit::MachineStopped,
                cause: Some(_),
                ..
            }
        );
        assert!(wanted, "{end:?}");
    }

    /// Facts of programs whose end is looked into until the test allows it to be reported.
    struct HeldBack {
        begun: SyncSender<()>,
        allowed: Mutex<Receiver<()>>,
    }

    impl TerminalAgents for HeldBack {
        fn before_end(&self) {
            self.begun.send(()).unwrap();
            self.allowed.lock().recv().unwrap();
        }
    }

    #[test]
    fn the_end_of_an_attempt_is_reported_once_however_often_its_terminal_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let ids: Vec<String> = (99..=99 + MAX_ENDED_SCREENS).map(|n| n.to_string()).collect();
        for id in &ids {
            ended(folder.path(), id, ExitedBy::Itself);
        }
        let (inlet, outlet) = inbox();
        let (begun, has_begun) = sync_channel(0);
        let (allow, allowed) = sync_channel(0);
        let allowed = Mutex::new(allowed);
        let hub = hub_over(folder.path(), inlet, HeldBack { begun, allowed });
        let next = || match outlet.next(Some(Span(60_000))) {
            Received::Envelope(envelope) => envelope.event,
            other => panic!("{other:?}"),
        };
        let first = HolderId::new("99");
        hub.follow(&first);
        let followed = hub.terminal(&first).unwrap();
        let is_same = || Arc::ptr_eq(&followed, &hub.terminal(&first).unwrap());
        has_begun.recv().unwrap();
        hub.follow(&first);
        assert!(is_same(), "its end is about to be reported");
        allow.send(()).unwrap();
        assert!(matches!(
            next(),
            Event::AttemptEnded {
                attempt: AttemptId(99),
                ..
            }
        ));
        hub.follow(&first);
        assert!(is_same(), "its end was reported");
        // The screens of many later ones take the place of the first.
        for id in &ids[1..] {
            hub.follow(&HolderId::new(id));
            has_begun.recv().unwrap();
            allow.send(()).unwrap();
            assert!(matches!(next(), Event::AttemptEnded { .. }));
        }
        ended(folder.path(), "shell-1", ExitedBy::Itself);
        hub.follow(&HolderId::new("shell-1"));
        assert!(hub.terminal(&first).is_none());
        hub.follow(&first);
        assert!(hub.terminal(&first).is_none(), "its end was reported");
    }

    /// Returns the known state of an agent in words, once it has asked for a permission by a hook.
    fn asking(hub: &TerminalHub) -> impl Fn() -> String + '_ {
        let attempt = AttemptId(7);
        hub.agents().begin(attempt);
        let wait = Wait::new(AskKind::Permission, "make");
        let report = AgentReport::doing(Doing::Blocked(wait));
        hub.agents().observe(attempt, Source::Hook, &report);
        move || hub.agents().live(attempt).unwrap().words
    }

    fn quiet(folder: &std::path::Path) -> TerminalHub {
        let (inlet, _) = inbox();
        hub_over(folder, inlet, NoAgents)
    }

    #[test]
    fn a_key_of_a_person_and_an_answer_end_what_a_hook_reported() {
        let folder = tempfile::tempdir().unwrap();
        let hub = quiet(folder.path());
        let words = asking(&hub);
        assert_eq!(words(), "asks: make?");
        hub.typed(&HolderId::new("8"));
        hub.typed(&HolderId::new("shell-7"));
        assert_eq!(words(), "asks: make?", "keys for others");
        hub.typed(&HolderId::new("7"));
        assert_eq!(words(), "working");
        let words = asking(&hub);
        let ask = Ask {
            id: "screen-1".into(),
            kind: AskKind::Permission,
            text: "make".to_owned(),
            options: Vec::new(),
            channel: AskChannel::Terminal,
        };
        let given = |at| AskAnswer {
            by: "you".to_owned(),
            reply: AskReply::Allow,
            at,
            problem: None,
        };
        assert!(hub.answer(AttemptId(7), &ask, &given(clock::now())).is_err());
        assert_eq!(words(), "asks: make?", "it was not handed over");
        let channel = AskChannel::Request;
        let ask = Ask { channel, ..ask };
        let at = clock::now();
        let sent = hub.answer(AttemptId(7), &ask, &given(at));
        assert_eq!((sent, words().as_str()), (Ok(()), "working"));
        while clock::now() <= at {
            std::thread::yield_now();
        }
        let next = AgentReport::doing(Doing::Blocked(Wait::new(AskKind::Permission, "test")));
        (hub.agents()).observe(AttemptId(7), Source::StatusRecord, &next);
        let sent = hub.answer(AttemptId(7), &ask, &given(at));
        assert_eq!(
            (sent, words().as_str()),
            (Ok(()), "asks: test?"),
            "it was asked after that answer"
        );
    }

    #[test]
    fn an_agent_whose_process_has_ended_is_known_to_have_ended() {
        let folder = tempfile::tempdir().unwrap();
        ended(folder.path(), "7", ExitedBy::Itself);
        let (inlet, outlet) = inbox();
        let hub = hub_over(folder.path(), inlet, NoAgents);
        hub.follow(&HolderId::new("7"));
        assert!(matches!(outlet.next(Some(Span(60_000))), Received::Envelope(_)));
        assert_eq!(hub.agents().live(AttemptId(7)).unwrap().words, "ended");
    }

    #[test]
    fn the_last_screen_of_an_agent_stays_and_the_words_of_its_end_are_what_it_wrote_last() {
        let folder = tempfile::tempdir().unwrap();
        ended(folder.path(), "7", ExitedBy::Itself);
        ended(folder.path(), "shell-1", ExitedBy::Itself);
        let output = "$ agent\r\n\x1b[?1049h\x1b[Hworked on it\x1b[?1049lgoodbye\r\n";
        let begun = serde_json::to_string(&IndexEntry::Segment {
            number: 1,
            start: 0,
            at: Timestamp(1),
        });
        for id in ["7", "shell-1"] {
            let log = folder.path().join(id).join("tty");
            std::fs::create_dir_all(&log).unwrap();
            std::fs::write(log.join("index.jsonl"), begun.as_ref().unwrap()).unwrap();
            std::fs::write(log.join("000001.log"), output).unwrap();
        }
        let (inlet, outlet) = inbox();
        let hub = hub_over(folder.path(), inlet, NoAgents);
        hub.follow(&HolderId::new("shell-1"));
        hub.follow(&HolderId::new("7"));
        let Received::Envelope(envelope) = outlet.next(Some(Span(60_000))) else {
            panic!("it has not ended");
        };
        let Event::AttemptEnded { tail, .. } = envelope.event else {
            panic!("{:?}", envelope.event);
        };
        assert_eq!(tail, "$ agent\ngoodbye");
        let shown = |id: &str| {
            let pane = hub.terminal(&HolderId::new(id)).unwrap();
            while !pane.caught_up.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            reading::last_lines(&mut pane.terminal.lock())
        };
        assert_eq!(shown("7"), "$ agent\nworked on it\ngoodbye");
        assert_eq!(shown("shell-1"), "$ agent\ngoodbye", "a shell had many programs");
    }

    #[tokio::test]
    async fn a_reader_that_breaks_takes_the_server_with_it_instead_of_leaving_a_terminal_nobody_reads() {
        let folder = tempfile::tempdir().unwrap();
        ended(folder.path(), "7", ExitedBy::Itself);
        let (inlet, _outlet) = inbox();
        let hub = hub_over(folder.path(), inlet, Broken);
        assert!(!hub.poison().is_poisoned());
        hub.follow(&HolderId::new("7"));
        let poisoned = tokio::time::timeout(Duration::from_mins(1), hub.poison().poisoned());
        assert!(poisoned.await.is_ok() && hub.poison().is_poisoned());
    }
}
