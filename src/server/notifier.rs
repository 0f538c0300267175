//! Calls a person who is at no screen: by a program of theirs, by a POST. One call for the whole server, however many screens are
//! attached. What a way is told goes on a thread of its own, one at a time: whoever hangs holds up nobody, and nothing queues.

mod channel;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::adapters::clock::{self, Zone};
use crate::config::appearance;
use crate::config::channels::ChannelSettings;
use crate::config::{Config, schema};
use crate::domain::{DailyHours, Notice, NoticeLevel};
use crate::ports::notify::{CancelOutcome, Notification, Notifier, NotifyError};
use crate::server::delivered::{self, DeliveredMarks};
use crate::server::engine_handle::EngineHandle;
use crate::server::in_force::ActiveSettings;
pub(super) use channel::NOTICE_KIND;
use channel::{ChannelState, NotifyRules, NotifySituation};

/// How often is looked at least: a machine that slept, or whose clock was set, is noticed by it.
const MAX_SLEEP: Duration = Duration::from_mins(1);
/// Most results that wait to be heard; one way has one thread, so there are never more.
const RESULTS: usize = 8;
/// How long the end of a person's program is waited for when the server ends.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(500);

/// Parts of the server that notifications need.
pub(super) struct NotifierParts {
    /// The settings in force: which ways there are, and the project's name.
    pub(super) settings: Arc<ActiveSettings>,
    pub(super) engine: EngineHandle,
    pub(super) away: watch::Receiver<bool>,
    pub(super) stop: CancellationToken,
}

/// Server task that delivers notifications through all configured channels.
struct NotifierTask<'a> {
    parts: &'a NotifierParts,
    settings: ChannelSettings,
    channels: Vec<ChannelState>,
    rules: NotifyRules,
    quiet: DailyHours,
    delivered: DeliveredMarks,
    /// Counts changes of the ways: what an old one says does not count any more.
    generation: u64,
    results: (mpsc::Sender<DeliveryResult>, mpsc::Receiver<DeliveryResult>),
}

/// Result of delivering a notification through one channel.
struct DeliveryResult {
    generation: u64,
    name: &'static str,
    result: Result<(), NotifyError>,
}

impl NotifierParts {
    /// Sends notifications over the configured channels until the server ends.
    pub(super) async fn run(&self) {
        let mut settings = self.settings.changes();
        let mut read_models = self.engine.read_models.clone();
        let mut away = self.away.clone();
        let mut task = NotifierTask::new(self);
        task.take_settings(&settings.borrow_and_update().clone());
        loop {
            let wait = task.deliver_due(*away.borrow_and_update()).await;
            let may_change = !task.channels.is_empty();
            tokio::select! {
                () = self.stop.cancelled() => break,
                Ok(()) = settings.changed() => {
                    let config = Arc::clone(&settings.borrow_and_update());
                    task.take_settings(&config);
                }
                changed = read_models.changed(), if may_change => if changed.is_err() { break },
                Ok(()) = away.changed(), if may_change => {}
                Some(ended) = task.results.1.recv() => task.on_result(ended),
                () = tokio::time::sleep(wait), if may_change => {}
            }
        }
        task.cancel_all().await;
    }
}

impl NotifierTask<'_> {
    fn new(parts: &NotifierParts) -> NotifierTask<'_> {
        NotifierTask {
            delivered: delivered::load(&parts.settings.place.delivered()),
            parts,
            settings: ChannelSettings::default(),
            channels: Vec::new(),
            rules: NotifyRules {
                when: crate::ui::AlertWhen::Never,
                pause: crate::domain::Span(0),
            },
            quiet: DailyHours::default(),
            generation: 0,
            results: mpsc::channel(RESULTS),
        }
    }

    fn take_settings(&mut self, config: &Config) {
        self.rules = NotifyRules {
            when: config.choice(&schema::NOTIFY_WHEN),
            pause: config.value(&schema::NOTIFY_PAUSE),
        };
        self.quiet = appearance::quiet_hours(config);
        let ways = ChannelSettings::of(config);
        if ways == self.settings {
            return;
        }
        self.generation += 1;
        let (open, problems) = ways.open(&self.parts.settings.place);
        self.settings = ways;
        for problem in problems {
            self.publish_notice(channel::notice(NoticeLevel::Warning, problem));
        }
        let mut before = std::mem::take(&mut self.channels);
        for caller in &before {
            caller.notify().cancel();
        }
        let now = clock::now();
        for way in open {
            let old = before.iter().position(|caller| caller.name() == way.name);
            let caller = if let Some(place) = old {
                before.swap_remove(place).with_channel(way)
            } else {
                let marks = self.delivered.get(way.name).cloned();
                ChannelState::new(way, marks, now)
            };
            self.channels.push(caller);
        }
    }

    /// Tells what is to be told now; answers how long nothing more is, if nothing happens.
    async fn deliver_due(&mut self, away: bool) -> Duration {
        let model = self.parts.engine.read_model();
        let project = self.parts.settings.name();
        let at = clock::now();
        let quiet = Zone::local().end_of(&self.quiet, at);
        let now = NotifySituation { at, away, quiet };
        for place in 0..self.channels.len() {
            let Some(caller) = self.channels.get_mut(place) else {
                break;
            };
            if let Some(summons) = caller.next_notification(now, self.rules, (&project, &model)) {
                let (name, notify) = (caller.name(), caller.notify());
                self.deliver(name, notify, summons);
            }
        }
        self.save_delivered().await;
        let due = self
            .channels
            .iter()
            .filter_map(|caller| caller.due(self.rules, quiet))
            .min();
        let wait = due.map_or(MAX_SLEEP, |due| Duration::from_millis(due.since(at).0));
        wait.min(MAX_SLEEP)
    }

    fn deliver(&mut self, name: &'static str, notify: Arc<dyn Notifier>, summons: Notification) {
        let (turn, results) = (self.generation, self.results.0.clone());
        let tell = move || {
            let result = notify.send(&summons);
            // Nobody hears it any more when the server has ended.
            drop(results.blocking_send(DeliveryResult {
                generation: turn,
                name,
                result,
            }));
        };
        let thread = std::thread::Builder::new().name(format!("notify-{name}"));
        if let Err(error) = thread.spawn(tell) {
            let result = Err(NotifyError::Temporary(format!("start a thread: {error}")));
            self.on_result(DeliveryResult {
                generation: turn,
                name,
                result,
            });
        }
    }

    fn on_result(&mut self, ended: DeliveryResult) {
        if ended.generation != self.generation {
            return;
        }
        if let Err(why) = &ended.result {
            tracing::warn!("could not {why}");
        }
        let mut callers = self.channels.iter_mut();
        let caller = callers.find(|caller| caller.name() == ended.name);
        let told = caller.and_then(|caller| caller.on_result(clock::now(), ended.result));
        if let Some(notice) = told {
            self.publish_notice(notice);
        }
    }

    fn publish_notice(&self, notice: Notice) {
        self.parts.engine.journal.add(clock::now(), notice);
    }

    /// Keeps what was told, when that has changed.
    async fn save_delivered(&mut self) {
        let told: DeliveredMarks = self
            .channels
            .iter()
            .filter_map(|caller| Some((caller.name().to_owned(), caller.marks()?)))
            .collect();
        if told == self.delivered {
            return;
        }
        let file = self.parts.settings.place.delivered();
        self.delivered = told.clone();
        let kept = tokio::task::spawn_blocking(move || delivered::save(&file, &told)).await;
        if let Ok(Err(error)) = kept {
            tracing::warn!("could not keep what people were told: {error}");
        }
    }

    /// The server ends: no program of a person's outlives it.
    async fn cancel_all(&mut self) {
        while let Ok(ended) = self.results.1.try_recv() {
            self.on_result(ended);
        }
        let mut running = BTreeSet::new();
        for caller in &self.channels {
            if caller.notify().cancel() == CancelOutcome::Immediate && caller.is_delivering() {
                running.insert(caller.name());
            }
        }
        let ended = async {
            while !running.is_empty() {
                let Some(ended) = self.results.1.recv().await else {
                    break;
                };
                running.remove(ended.name);
                self.on_result(ended);
            }
        };
        // Whoever is slow is killed with this process's other threads.
        drop(tokio::time::timeout(SHUTDOWN_GRACE, ended).await);
        self.save_delivered().await;
    }
}
