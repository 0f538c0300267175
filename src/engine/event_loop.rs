//! Main loop of the engine, on one plain thread: wait for an event or the deadline, take a turn, hand on the effects. It waits for nothing
//! else, so full queues cannot close a ring.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use tokio::sync::watch;

use super::clock_jumps::{ClockJumps, set_back_since};
use super::inbox::{CommandReply, Envelope, InboxReceiver, Received};
use super::journal::Journal;
use super::turn::{DurableBoard, TurnOutcome};
use crate::domain::{
    Accepted, AttemptId, AttemptState, Board, Effect, Event, Refusal, Span, Timestamp, TroubleKind,
};
use crate::ports::clock::Clock;
use crate::ports::store::StoreError;
use crate::read_model::{ReadModel, Trouble};

/// Maximum time without a turn, so that a deadline missed by a clock that jumped is caught.
const MAX_WAIT: Span = Span(30_000);
/// Minimum time between two published read models while events wait; a person cannot see more.
const PUBLISH_INTERVAL: Span = Span(16);

/// Time to wait before a turn that found no room on the disk is written again.
const ROOM_RETRY: Span = Span(1_000);
/// Maximum number of events that are kept in memory until there is room on the disk.
const MAX_HELD: usize = 1_024;

/// Carries out effects without blocking the engine's loop. Never waits: it hands work to others.
pub trait Perform: Send {
    /// Carries out one effect that was committed; the board is the one after that commit.
    fn perform(&mut self, effect: Effect, board: &Board);

    /// Carries out all effects of one event. Effects that only put away what is over come last.
    fn perform_all(&mut self, mut effects: Vec<Effect>, board: &Board) {
        effects.sort_by_key(Effect::is_cleanup);
        for effect in effects {
            self.perform(effect, board);
        }
    }

    /// Puts away leftovers of earlier lives, beside the work; the board is the one after the inventory.
    fn clean_up(&mut self, board: &Board);
}

/// The engine's main loop: receives events, takes turns and hands effects to the performer.
pub struct EngineLoop<P> {
    pub durable: DurableBoard,
    pub clock: Arc<dyn Clock>,
    pub inbox: InboxReceiver,
    pub performer: P,
    pub read_models: watch::Sender<Arc<ReadModel>>,
    pub journal: Journal,
    /// Events that came while the disk had no room, oldest first.
    pub held: VecDeque<Box<Envelope>>,
}

impl<P: Perform> EngineLoop<P> {
    /// Runs until the inbox is closed. `first` are the events to begin with: settings, workflows, inventory.
    ///
    /// # Errors
    /// When a turn could not be made durable; nothing was performed for it, and agents are untouched.
    pub fn run(mut self, first: Vec<Event>) -> Result<(), StoreError> {
        self.check_clock_since_last_turn()?;
        for event in first {
            self.turn(&event, None)?;
        }
        for effect in self.durable.unfinished_effects()? {
            self.performer.perform(effect, self.durable.board());
        }
        self.performer.clean_up(self.durable.board());
        self.publish();
        let mut jumps = ClockJumps::default();
        jumps.check(self.clock.as_ref());
        let (mut is_published, mut published_at) = (true, self.clock.now());
        loop {
            let wait = if is_published {
                self.time_to_deadline()
            } else {
                Span(0)
            };
            let received = self.next(wait);
            // Before anything is judged by a clock that jumped.
            if let Some(by) = jumps.check(self.clock.as_ref()) {
                self.turn(&Event::ClockJumped { by }, None)?;
                is_published = false;
            }
            let is_quiet = matches!(received, Received::Deadline) && !is_published;
            match received {
                Received::Envelope(envelope) => {
                    is_published = self.turn(&envelope.event, envelope.answer.as_ref())?;
                    if is_published {
                        published_at = self.clock.now();
                    }
                    // However many events wait, a deadline does not wait for them.
                    if self.time_to_deadline() == Span(0) {
                        is_published = self.turn(&Event::Ticked, None)?;
                    }
                }
                Received::Deadline if is_quiet => {}
                Received::Deadline => is_published = self.turn(&Event::Ticked, None)?,
                Received::Closed => return Ok(()),
            }
            let now = self.clock.now();
            if is_quiet || !is_published && now.since(published_at) >= PUBLISH_INTERVAL {
                self.publish();
                (is_published, published_at) = (true, now);
            }
        }
    }

    /// Checks the clock since the last turn, before anything is judged by a clock that was set back while no server ran.
    fn check_clock_since_last_turn(&mut self) -> Result<(), StoreError> {
        let last_turn = self.durable.last_turn_at()?;
        let by = last_turn.and_then(|last_turn| set_back_since(last_turn, self.clock.as_ref()));
        by.map_or(Ok(()), |by| self.turn(&Event::ClockJumped { by }, None).map(drop))
    }

    fn time_to_deadline(&self) -> Span {
        let due = self.durable.board().next_deadline();
        due.map_or(MAX_WAIT, |due| due.since(self.clock.now()).min(MAX_WAIT))
    }

    fn publish(&self) {
        self.read_models
            .send_replace(Arc::new(self.durable.read_model(self.clock.now())));
    }

    /// Takes a turn. Returns true if its outcome was published, too.
    fn turn(&mut self, event: &Event, answer: Option<&SyncSender<CommandReply>>) -> Result<bool, StoreError> {
        let taken = self.commit(event, answer)?;
        Ok(self.carry_out(taken, event, answer))
    }

    fn next(&mut self, wait: Span) -> Received {
        match self.held.pop_front() {
            Some(envelope) => Received::Envelope(envelope),
            None => self.inbox.next(Some(wait)),
        }
    }

    /// Makes a turn durable. On a full disk it is written again until there is room: agents continue to work meanwhile, and no person has
    /// to be there to start anything again.
    fn commit(
        &mut self,
        event: &Event,
        answer: Option<&SyncSender<CommandReply>>,
    ) -> Result<TurnOutcome, StoreError> {
        let mut taken = self.durable.take_turn(self.clock.now(), event);
        while let Err(StoreError::Full { .. }) = &taken {
            let why = taken.as_ref().err().map(ToString::to_string).unwrap_or_default();
            tracing::error!("could not {why}; tried again every second");
            self.publish_trouble(format!("could not {why}; work continues when there is room"));
            if let Some(answer) = answer {
                let text = format!("could not {why}; what you asked for is done as soon as there is room");
                drop(answer.try_send(Err(Refusal::new(text))));
            }
            if !self.wait_for_room(&why) {
                break;
            }
            taken = self.durable.write_again(event);
        }
        taken.inspect_err(|error| self.inbox.fail(error.to_string()))
    }

    /// Waits a moment. Commands are refused with the reason meanwhile, other events are kept. False when the engine has to end: the inbox
    /// is closed, or too much is kept.
    fn wait_for_room(&mut self, why: &str) -> bool {
        match self.inbox.next(Some(ROOM_RETRY)) {
            Received::Envelope(envelope) => match &envelope.answer {
                Some(answer) => drop(answer.try_send(Err(Refusal::new(format!("could not {why}"))))),
                None => self.held.push_back(envelope),
            },
            Received::Deadline => {}
            Received::Closed => return false,
        }
        self.held.len() < MAX_HELD
    }

    /// Publishes the last published model again, with the trouble: the board itself is ahead of the durable state.
    fn publish_trouble(&self, text: String) {
        let mut model = ReadModel::clone(&self.read_models.borrow());
        model.troubles = vec![Trouble::of_store(TroubleKind::Disk.cause(text))];
        self.read_models.send_replace(Arc::new(model));
    }

    /// Reports and performs the outcome of an event that is durable. Returns true if it was published before the reply.
    fn carry_out(
        &mut self,
        taken: TurnOutcome,
        event: &Event,
        answer: Option<&SyncSender<CommandReply>>,
    ) -> bool {
        let now: Timestamp = self.clock.now();
        for notice in taken.notices {
            tracing::info!(
                kind = notice.kind,
                task = notice.task.as_ref().map(tracing::field::display),
                "{}",
                notice.text
            );
            self.journal.add(now, notice);
        }
        // The receiver of the answer may look at once.
        let is_published = answer.is_some() && is_read_after(event);
        if is_published {
            self.publish();
        }
        let mut effects = Vec::new();
        for effect in taken.effects {
            match (effect, answer) {
                // Who asked may have gone away; the board has changed all the same.
                (Effect::Reply(_, reply), Some(answer)) => drop(answer.try_send(reply)),
                (Effect::Reply(..) | Effect::Notify(_), _) => {}
                (effect, _) => effects.push(effect),
            }
        }
        self.performer.perform_all(effects, self.durable.board());
        if let Some(answer) = answer {
            // A command has its answer by now, and its place is taken.
            drop(answer.try_send(reply_to(self.durable.board(), event)));
        }
        is_published
    }
}

/// Returns true if the receiver of the reply reads the board afterwards: a person, or a program that shows it to people.
fn is_read_after(event: &Event) -> bool {
    matches!(
        event,
        Event::Asked { .. } | Event::Configured(_) | Event::WorkflowsLoaded(_)
    )
}

/// Returns the reply to the reporter of an event, once the event is durable.
fn reply_to(board: &Board, event: &Event) -> CommandReply {
    match event {
        Event::Signalled {
            attempt, kind, key, ..
        } => board.signal_reply(*attempt, *kind, key),
        Event::WorkplaceMade { attempt, .. } => start_reply(board, *attempt),
        _ => Ok(Accepted("recorded".to_owned())),
    }
}

/// Returns the reply to a workspace that is ready: accepted if the attempt is still to be started, refused otherwise.
fn start_reply(board: &Board, attempt: AttemptId) -> CommandReply {
    match board.attempts.get(&attempt).map(|row| &row.state) {
        Some(AttemptState::Starting) => Ok(Accepted("it is to be started".to_owned())),
        Some(_) | None => Err(Refusal::new(format!("attempt {attempt} is not wanted any more"))),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicU64, Ordering};

    use parking_lot::Mutex;

    use super::*;
    use crate::domain::{
        BoardSettings, Command, Inventory, RequestId, SignalKind, TaskDraft, TaskId, TaskState, Workflow,
        Workplace,
    };
    use crate::engine::inbox::{Inbox, inbox};
    use crate::ports::store::{Store, StoredEvent, Turn};

    /// What happened, in its order.
    type EventLog = Arc<Mutex<Vec<String>>>;

    /// A store in memory that refuses the turn of that number, and looks at what people are shown while a turn is committed.
    struct Memory {
        board: Board,
        intents: Vec<Effect>,
        refuses: Option<u64>,
        /// The turn that finds no room, and how often.
        full: Option<(u64, u32)>,
        seq: u64,
        /// When the last turn of an earlier server was written.
        last_turn_at: Option<Timestamp>,
        log: EventLog,
        shown: watch::Receiver<Arc<ReadModel>>,
        /// How many tasks were shown when each turn was committed.
        shown_tasks: Arc<Mutex<Vec<usize>>>,
    }

    impl Store for Memory {
        fn load(&mut self) -> Result<Board, StoreError> {
            Ok(self.board.clone())
        }

        fn commit(&mut self, turn: &Turn<'_>) -> Result<u64, StoreError> {
            if let Some((turn, times)) = &mut self.full
                && *turn == self.seq + 1
                && *times > 0
            {
                *times -= 1;
                let shown = self.shown.borrow().troubles.len();
                self.log.lock().push(format!("no room, {shown} shown"));
                return Err(StoreError::Full {
                    what: "write".to_owned(),
                    why: "the disk is full".to_owned(),
                });
            }
            self.seq += 1;
            if self.refuses == Some(self.seq) {
                return Err(StoreError::Failed {
                    what: "write".to_owned(),
                    why: "the disk is full".to_owned(),
                });
            }
            self.shown_tasks.lock().push(self.shown.borrow().tasks.len());
            let is_ahead = self.shown.borrow().tasks.len() > self.board.tasks.len();
            assert!(!is_ahead, "something was shown that is not durable");
            self.board = turn.board.clone();
            for effect in turn.effects.iter().filter_map(Effect::key) {
                self.log.lock().push(format!("committed {effect}"));
            }
            Ok(self.seq)
        }

        fn open_intents(&mut self) -> Result<Vec<Effect>, StoreError> {
            Ok(self.intents.clone())
        }

        fn recent_events(&mut self, _: usize) -> Result<Vec<StoredEvent>, StoreError> {
            let last = self.last_turn_at.map(|at| StoredEvent {
                seq: self.seq,
                session: 1,
                at,
                event: Event::Ticked,
                notices: Vec::new(),
            });
            Ok(last.into_iter().collect())
        }

        fn backup(&mut self, _: Timestamp) -> Result<PathBuf, StoreError> {
            Ok(PathBuf::new())
        }
    }

    struct Recorder(EventLog);

    impl Perform for Recorder {
        fn perform(&mut self, effect: Effect, _: &Board) {
            self.0
                .lock()
                .push(format!("performed {}", effect.key().unwrap_or_default()));
        }

        fn clean_up(&mut self, _: &Board) {}
    }

    /// A clock that goes on by so many milliseconds each time it is read.
    struct SteppingClock(AtomicU64, u64);

    impl Clock for SteppingClock {
        fn now(&self) -> Timestamp {
            Timestamp(self.0.fetch_add(self.1, Ordering::Relaxed))
        }

        fn uptime(&self) -> Span {
            Span(self.0.load(Ordering::Relaxed))
        }
    }

    /// An engine over that board, and what it writes down.
    fn engine(
        board: Board,
        intents: Vec<Effect>,
        refuses: Option<u64>,
    ) -> (EngineLoop<Recorder>, Inbox, EventLog) {
        engine_on(board, intents, |store| store.refuses = refuses)
    }

    /// Creates an engine over a store that was changed.
    fn engine_on(
        board: Board,
        intents: Vec<Effect>,
        change: impl FnOnce(&mut Memory),
    ) -> (EngineLoop<Recorder>, Inbox, EventLog) {
        let (log, (inbox, receiver)) = (EventLog::default(), inbox());
        let (models, shown) = watch::channel(Arc::new(ReadModel::default()));
        let mut store = Memory {
            board,
            intents,
            refuses: None,
            full: None,
            seq: 0,
            last_turn_at: None,
            log: Arc::clone(&log),
            shown,
            shown_tasks: Arc::default(),
        };
        change(&mut store);
        let running = EngineLoop {
            durable: DurableBoard::open(Box::new(store)).expect("in memory"),
            clock: Arc::new(SteppingClock(AtomicU64::new(1_000), 0)),
            inbox: receiver,
            performer: Recorder(Arc::clone(&log)),
            read_models: models,
            journal: Journal::default(),
            held: VecDeque::new(),
        };
        (running, inbox, log)
    }

    fn asked(command: Command) -> Event {
        Event::Asked {
            request: RequestId(1),
            by: "ada".to_owned(),
            command,
        }
    }

    fn planned(id: &str) -> Command {
        Command::Create(TaskDraft {
            batch: "shop".into(),
            ..TaskDraft::new(id, "Build")
        })
    }

    /// Settings, workflows, a released task, and the inventory that lets the board begin.
    fn beginning() -> Vec<Event> {
        let texts = crate::formats::workflow::builtin();
        let read =
            |(name, text): (&str, &str)| crate::formats::workflow::read(std::path::Path::new(name), text).0;
        let flows: Vec<Workflow> = texts.into_iter().filter_map(read).collect();
        let settings = BoardSettings {
            base: Some("work".to_owned()),
            ..BoardSettings::default()
        };
        vec![
            Event::configured(settings),
            Event::WorkflowsLoaded(flows),
            asked(planned("t")),
            asked(Command::Release(vec!["t".into()])),
            Event::Woke(Inventory::default()),
        ]
    }

    #[test]
    fn nothing_is_performed_or_shown_before_it_is_durable() {
        let (running, inbox, log) = engine(Board::default(), Vec::new(), None);
        let models = running.read_models.subscribe();
        inbox.close();
        running.run(beginning()).expect("nothing fails");
        assert_eq!(*log.lock(), ["committed start/1", "performed start/1"]);
        assert_eq!(models.borrow().tasks.len(), 1);
    }

    #[test]
    fn who_is_answered_sees_what_came_of_it_and_other_events_are_shown_together() {
        let shown = Arc::default();
        let (running, inbox, _log) = engine_on(Board::default(), Vec::new(), |store| {
            store.shown_tasks = Arc::clone(&shown);
        });
        for id in ["unasked", "unasked-too"] {
            inbox.send(asked(planned(id))).unwrap();
        }
        let asked_for = inbox.ask(asked(planned("asked-for"))).unwrap();
        inbox.send(asked(planned("after"))).unwrap();
        inbox.send(asked(planned("last"))).unwrap();
        inbox.close();
        running.run(beginning()).expect("nothing fails");
        assert!(asked_for.recv().unwrap().is_ok());
        // The clock stands still, so nothing is shown because time has passed.
        let after_the_begin = shown.lock().split_off(5);
        assert_eq!(after_the_begin, [1, 1, 1, 4, 4]);
    }

    #[test]
    fn a_deadline_comes_in_time_however_many_events_wait() {
        let (mut running, inbox, log) = engine(Board::default(), Vec::new(), None);
        running.clock = Arc::new(SteppingClock(AtomicU64::new(1_000), 500));
        let attempt = AttemptId(1);
        inbox
            .send(Event::AttemptStarted {
                attempt,
                workplace: Workplace {
                    path: "tree".to_owned(),
                    branch: None,
                    start: None,
                    start_tree: None,
                    git_overrides: None,
                },
            })
            .unwrap();
        for n in 0..100 {
            let flood = Event::Signalled {
                attempt,
                kind: SignalKind::Progress,
                text: String::new(),
                report: None,
                key: n.to_string(),
                by_file: false,
                claims: crate::domain::Claims::default(),
            };
            inbox.send(flood).unwrap();
        }
        inbox.close();
        let mut first = beginning();
        first[0] = Event::configured(BoardSettings {
            base: Some("work".to_owned()),
            agent_timeout: Span::seconds(20),
            ..BoardSettings::default()
        });
        running.run(first).expect("nothing fails");
        assert!(
            log.lock().contains(&"performed stop/1".to_owned()),
            "{:?}",
            log.lock()
        );
    }

    #[test]
    fn a_machine_that_slept_makes_no_agent_late() {
        /// Sleeps eight hours before every look at how long it was awake.
        struct Laptop(AtomicU64);
        impl Clock for Laptop {
            fn now(&self) -> Timestamp {
                Timestamp(self.0.load(Ordering::Relaxed))
            }

            fn uptime(&self) -> Span {
                self.0.fetch_add(8 * 3_600_000, Ordering::Relaxed);
                Span(0)
            }
        }
        let (mut running, inbox, log) = engine(Board::default(), Vec::new(), None);
        running.clock = Arc::new(Laptop(AtomicU64::new(1_000)));
        let models = running.read_models.subscribe();
        let started = Event::AttemptStarted {
            attempt: AttemptId(1),
            workplace: Workplace {
                path: "tree".to_owned(),
                branch: None,
                start: None,
                start_tree: None,
                git_overrides: None,
            },
        };
        inbox.send(started).unwrap();
        inbox.send(asked(planned("u"))).unwrap();
        inbox.close();
        running.run(beginning()).expect("nothing fails");
        assert!(
            !log.lock().contains(&"performed stop/1".to_owned()),
            "{:?}",
            log.lock()
        );
        assert_eq!(models.borrow().tasks.len(), 2);
    }

    #[test]
    fn a_clock_that_was_set_back_while_no_server_ran_is_noticed_before_anything_else() {
        let first_line = |last_turn_at: u64| {
            let (running, inbox, _log) = engine_on(Board::default(), Vec::new(), |store| {
                store.last_turn_at = Some(Timestamp(last_turn_at));
            });
            let journal = running.journal.clone();
            inbox.close();
            running.run(beginning()).expect("nothing fails");
            journal
                .after(0)
                .first()
                .map(|line| line.notice.text.clone())
                .unwrap()
        };
        let noticed = first_line(7_201_000);
        assert!(noticed.starts_with("the clock jumped back by 2h 0m"), "{noticed}");
        let unnoticed = first_line(1_000);
        assert!(!unnoticed.contains("clock"), "{unnoticed}");
    }

    #[test]
    fn of_a_turn_that_cannot_be_made_durable_nothing_is_performed_and_the_engine_ends() {
        let (running, inbox, log) = engine(Board::default(), Vec::new(), Some(5));
        let models = running.read_models.subscribe();
        let failed = running.run(beginning()).expect_err("the disk is full");
        assert!(failed.to_string().contains("the disk is full"), "{failed}");
        assert_eq!(*log.lock(), Vec::<String>::new());
        assert!(models.borrow().tasks.is_empty());
        assert!(inbox.stopped().unwrap().contains("the disk is full"));
        assert!(inbox.send(Event::Ticked).is_err());
    }

    #[test]
    fn a_turn_that_finds_no_room_is_written_when_there_is_some_and_nothing_is_lost_meanwhile() {
        let (running, inbox, log) =
            engine_on(Board::default(), Vec::new(), |store| store.full = Some((5, 2)));
        let (models, journal) = (running.read_models.subscribe(), running.journal.clone());
        let asker = inbox.ask(asked(planned("refused"))).unwrap();
        inbox.send(asked(planned("late"))).unwrap();
        inbox.close();
        running.run(beginning()).expect("there is room at last");
        assert_eq!(
            *log.lock(),
            [
                "no room, 0 shown",
                "no room, 1 shown",
                "committed start/1",
                "performed start/1"
            ]
        );
        let answer = asker.recv().unwrap().unwrap_err();
        assert!(answer.why.contains("the disk is full"), "{}", answer.why);
        let named = journal
            .after(0)
            .iter()
            .filter_map(|line| line.notice.task.clone())
            .collect::<Vec<_>>();
        assert!(named.contains(&TaskId::from("late")), "{named:?}");
        assert!(!named.contains(&TaskId::from("refused")), "{named:?}");
        assert!(
            models.borrow().troubles.is_empty(),
            "{:?}",
            models.borrow().troubles
        );
    }

    #[test]
    fn who_asked_for_the_turn_that_finds_no_room_is_told_that_it_is_done_later() {
        let (running, inbox, _log) =
            engine_on(Board::default(), Vec::new(), |store| store.full = Some((6, 1)));
        let asker = inbox.ask(asked(planned("late"))).unwrap();
        inbox.send(Event::Ticked).unwrap();
        inbox.close();
        running.run(beginning()).expect("there is room at last");
        let answer = asker.recv().unwrap().unwrap_err();
        assert!(
            answer.why.contains("is done as soon as there is room"),
            "{}",
            answer.why
        );
    }

    #[test]
    fn an_engine_that_is_to_end_does_not_wait_for_room() {
        let (running, inbox, _log) =
            engine_on(Board::default(), Vec::new(), |store| store.full = Some((5, 9)));
        inbox.close();
        let failed = running.run(beginning()).expect_err("there is no room");
        assert!(failed.to_string().contains("the disk is full"), "{failed}");
    }

    #[test]
    fn an_effect_on_a_task_that_was_never_seen_done_is_performed_again_where_it_still_holds() {
        let mut board = Board::default();
        for event in beginning().into_iter().take(3) {
            board.apply(Timestamp(0), &event);
        }
        board.apply(Timestamp(0), &asked(planned("over")));
        let close = Command::Close("over".into(), "no".to_owned());
        board.apply(Timestamp(0), &asked(close));
        board.take_changed_rows();
        assert_eq!(board.tasks[&TaskId::from("over")].state, TaskState::Cancelled);
        let intents = vec![Effect::Retire("over".into()), Effect::Retire("t".into())];
        let (running, inbox, log) = engine(board, intents, None);
        inbox.close();
        running
            .run(vec![Event::Woke(Inventory::default())])
            .expect("nothing fails");
        assert_eq!(*log.lock(), ["performed retire/over"]);
    }
}
