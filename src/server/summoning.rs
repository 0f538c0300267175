//! Calls a person who is at no screen: by a program of theirs, by a POST. One call for the whole server, however many screens are
//! attached. What a way is told goes on a thread of its own, one at a time: whoever hangs holds up nobody, and nothing queues.

mod caller;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::adapters::clock::{self, Zone};
use crate::config::Config;
use crate::config::reaching::Ways;
use crate::config::taste;
use crate::domain::{Hours, Level, Notice};
use crate::engine::journal::Journal;
use crate::ports::notify::{Notify, Parting, Summons, Unreached};
use crate::server::engine_handle::EngineHandle;
use crate::server::in_force::InForce;
use crate::server::told::{self, Told};
pub(super) use caller::KIND;
use caller::{Caller, Now, Rules};

/// How often is looked at least: a machine that slept, or whose clock was set, is noticed by it.
const AT_LEAST: Duration = Duration::from_mins(1);
/// Most results that wait to be heard; one way has one thread, so there are never more.
const RESULTS: usize = 8;
/// How long the end of a person's program is waited for when the server ends.
const PARTING: Duration = Duration::from_millis(500);

/// What calling people takes of a server.
pub(super) struct Notifier {
    /// The settings in force: which ways there are, and the project's name.
    pub(super) settings: Arc<InForce>,
    /// The board.
    pub(super) engine: EngineHandle,
    /// Where people are told of ways that do not work.
    pub(super) journal: Journal,
    /// Whether nobody looks at any screen.
    pub(super) away: watch::Receiver<bool>,
    /// Ends it.
    pub(super) stop: CancellationToken,
}

/// The ways out of one server.
struct Office<'a> {
    parts: &'a Notifier,
    ways: Ways,
    callers: Vec<Caller>,
    rules: Rules,
    quiet: Hours,
    told: Told,
    /// Counts changes of the ways: what an old one says does not count any more.
    turn: u64,
    results: (mpsc::Sender<Ended>, mpsc::Receiver<Ended>),
}

/// A way has been told something.
struct Ended {
    turn: u64,
    name: &'static str,
    result: Result<(), Unreached>,
}

impl Notifier {
    /// Calls people by the ways that are set, until the server ends.
    pub(super) async fn run(&self) {
        let mut settings = self.settings.changes();
        let mut read_models = self.engine.read_models.clone();
        let mut away = self.away.clone();
        let mut office = Office::new(self);
        office.take_settings(&settings.borrow_and_update().clone());
        loop {
            let wait = office.look(*away.borrow_and_update()).await;
            let may_change = !office.callers.is_empty();
            tokio::select! {
                () = self.stop.cancelled() => break,
                Ok(()) = settings.changed() => {
                    let config = Arc::clone(&settings.borrow_and_update());
                    office.take_settings(&config);
                }
                changed = read_models.changed(), if may_change => if changed.is_err() { break },
                Ok(()) = away.changed(), if may_change => {}
                Some(ended) = office.results.1.recv() => office.ended(ended),
                () = tokio::time::sleep(wait), if may_change => {}
            }
        }
        office.part().await;
    }
}

impl Office<'_> {
    fn new(parts: &Notifier) -> Office<'_> {
        Office {
            told: told::kept(&parts.settings.place.told()),
            parts,
            ways: Ways::default(),
            callers: Vec::new(),
            rules: Rules {
                when: crate::ui::CallWhen::Never,
                pause: crate::domain::Span(0),
            },
            quiet: Hours::default(),
            turn: 0,
            results: mpsc::channel(RESULTS),
        }
    }

    fn take_settings(&mut self, config: &Config) {
        self.rules = Rules {
            when: taste::call_when(config),
            pause: taste::pause(config),
        };
        self.quiet = taste::quiet(config);
        let ways = Ways::of(config);
        if ways == self.ways {
            return;
        }
        self.turn += 1;
        let (open, problems) = ways.open(&self.parts.settings.place);
        self.ways = ways;
        for problem in problems {
            self.tell(Notice {
                level: Level::Warning,
                kind: KIND.to_owned(),
                task: None,
                attempt: None,
                text: problem,
            });
        }
        let mut before = std::mem::take(&mut self.callers);
        for caller in &before {
            caller.notify().give_up();
        }
        let now = clock::now();
        for way in open {
            let old = before.iter().position(|caller| caller.name() == way.name);
            let caller = if let Some(place) = old {
                before.swap_remove(place).changed(way)
            } else {
                let marks = self.told.get(way.name).cloned();
                Caller::new(way, marks, now)
            };
            self.callers.push(caller);
        }
    }

    /// Tells what is to be told now; answers how long nothing more is, if nothing happens.
    async fn look(&mut self, away: bool) -> Duration {
        let model = self.parts.engine.read_model();
        let project = self.parts.settings.name();
        let at = clock::now();
        let quiet = Zone::local().end_of(&self.quiet, at);
        let now = Now { at, away, quiet };
        for place in 0..self.callers.len() {
            let Some(caller) = self.callers.get_mut(place) else {
                break;
            };
            if let Some(summons) = caller.look(now, self.rules, (&project, &model)) {
                let (name, notify) = (caller.name(), caller.notify());
                self.begin(name, notify, summons);
            }
        }
        self.keep().await;
        let due = self
            .callers
            .iter()
            .filter_map(|caller| caller.due(self.rules, quiet))
            .min();
        let wait = due.map_or(AT_LEAST, |due| Duration::from_millis(due.since(at).0));
        wait.min(AT_LEAST)
    }

    fn begin(&mut self, name: &'static str, notify: Arc<dyn Notify>, summons: Summons) {
        let (turn, results) = (self.turn, self.results.0.clone());
        let tell = move || {
            let result = notify.tell(&summons);
            // Nobody hears it any more when the server has ended.
            drop(results.blocking_send(Ended { turn, name, result }));
        };
        let thread = std::thread::Builder::new().name(format!("notify-{name}"));
        if let Err(error) = thread.spawn(tell) {
            let result = Err(Unreached::ForNow(format!("start a thread: {error}")));
            self.ended(Ended { turn, name, result });
        }
    }

    fn ended(&mut self, ended: Ended) {
        if ended.turn != self.turn {
            return;
        }
        if let Err(why) = &ended.result {
            tracing::warn!("could not {why}");
        }
        let mut callers = self.callers.iter_mut();
        let caller = callers.find(|caller| caller.name() == ended.name);
        let told = caller.and_then(|caller| caller.ended(clock::now(), ended.result));
        if let Some(notice) = told {
            self.tell(notice);
        }
    }

    fn tell(&self, notice: Notice) {
        self.parts.journal.add(clock::now(), notice);
    }

    /// Keeps what was told, when that has changed.
    async fn keep(&mut self) {
        let told: Told = self
            .callers
            .iter()
            .filter_map(|caller| Some((caller.name().to_owned(), caller.marks()?)))
            .collect();
        if told == self.told {
            return;
        }
        let file = self.parts.settings.place.told();
        self.told = told.clone();
        let kept = tokio::task::spawn_blocking(move || told::keep(&file, &told)).await;
        if let Ok(Err(error)) = kept {
            tracing::warn!("could not keep what people were told: {error}");
        }
    }

    /// The server ends: no program of a person's outlives it.
    async fn part(&mut self) {
        while let Ok(ended) = self.results.1.try_recv() {
            self.ended(ended);
        }
        let mut running = BTreeSet::new();
        for caller in &self.callers {
            if caller.notify().give_up() == Parting::AtOnce && caller.is_telling() {
                running.insert(caller.name());
            }
        }
        let ended = async {
            while !running.is_empty() {
                let Some(ended) = self.results.1.recv().await else {
                    break;
                };
                running.remove(ended.name);
                self.ended(ended);
            }
        };
        // Whoever is slow is killed with this process's other threads.
        drop(tokio::time::timeout(PARTING, ended).await);
        self.keep().await;
    }
}
