//! Notifies a person who is at no screen, by a program of theirs or by a POST; once for the whole server, however many screens
//! are attached. Each channel delivers on a thread of its own, one at a time: one that hangs delays no other, and nothing queues.

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
use crate::server::engine_handle::EngineHandle;
use crate::server::keeping::delivered::{self, DeliveredMarks};
use crate::server::settings::in_force::ActiveSettings;
pub(super) use channel::NOTICE_KIND;
use channel::{ChannelState, NotifyRules, NotifySituation};

/// Maximum time between two checks: they notice a machine that slept, or whose clock was set.
const MAX_SLEEP: Duration = Duration::from_mins(1);
/// Maximum number of results that wait to be taken; one channel has one thread, so there are never more.
const RESULTS: usize = 8;
/// Time to wait for the end of a person's program when the server ends.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(500);

/// Server task that delivers notifications over all configured channels.
struct NotifierTask<'a> {
    /// The settings in force: the channels, and the project's name.
    settings: &'a ActiveSettings,
    engine: &'a EngineHandle,
    configured: ChannelSettings,
    channels: Vec<ChannelState>,
    rules: NotifyRules,
    quiet: DailyHours,
    delivered: DeliveredMarks,
    /// Counter of changes of the channels: results of replaced ones do not count any more.
    generation: u64,
    results: (mpsc::Sender<DeliveryResult>, mpsc::Receiver<DeliveryResult>),
}

/// Result of delivering a notification through one channel.
struct DeliveryResult {
    generation: u64,
    name: &'static str,
    result: Result<(), NotifyError>,
}

/// Sends notifications over the configured channels until the server ends.
pub(super) async fn run(
    settings: &ActiveSettings,
    engine: &EngineHandle,
    mut away: watch::Receiver<bool>,
    stop: &CancellationToken,
) {
    let (mut configs, mut read_models) = (settings.changes(), engine.read_models.clone());
    let mut task = NotifierTask::new(settings, engine);
    task.take_settings(&configs.borrow_and_update().clone());
    loop {
        let wait = task.deliver_due(*away.borrow_and_update()).await;
        let may_change = !task.channels.is_empty();
        tokio::select! {
            () = stop.cancelled() => break,
            Ok(()) = configs.changed() => {
                let config = Arc::clone(&configs.borrow_and_update());
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

impl<'a> NotifierTask<'a> {
    fn new(settings: &'a ActiveSettings, engine: &'a EngineHandle) -> NotifierTask<'a> {
        NotifierTask {
            delivered: delivered::load(&settings.paths.delivered()),
            settings,
            engine,
            configured: ChannelSettings::default(),
            channels: Vec::new(),
            rules: NotifyRules {
                when: crate::display::AlertWhen::Never,
                events: crate::display::AlertEvents::Needs,
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
            events: appearance::alert_events(config),
            pause: config.value(&schema::NOTIFY_PAUSE),
        };
        self.quiet = appearance::quiet_hours(config);
        let configured = ChannelSettings::of(config);
        if configured == self.configured {
            return;
        }
        self.generation += 1;
        let (open, problems) = configured.open(&self.settings.paths);
        self.configured = configured;
        for problem in problems {
            self.publish_notice(channel::notice(NoticeLevel::Warning, problem));
        }
        let mut before = std::mem::take(&mut self.channels);
        for channel in &before {
            channel.notify().cancel();
        }
        let now = clock::now();
        for opened in open {
            let old = before.iter().position(|channel| channel.name() == opened.name);
            let channel = if let Some(place) = old {
                before.swap_remove(place).with_channel(opened)
            } else {
                let marks = self.delivered.get(opened.name).cloned();
                ChannelState::new(opened, marks, now)
            };
            self.channels.push(channel);
        }
    }

    /// Delivers everything that is due; returns the time until the next delivery, if nothing happens.
    async fn deliver_due(&mut self, away: bool) -> Duration {
        let model = self.engine.read_model();
        let project = self.settings.name();
        let at = clock::now();
        let quiet = Zone::local().end_of(&self.quiet, at);
        let now = NotifySituation { at, away, quiet };
        for place in 0..self.channels.len() {
            let Some(channel) = self.channels.get_mut(place) else {
                break;
            };
            if let Some(notification) = channel.next_notification(now, self.rules, &project, &model) {
                let (name, notify) = (channel.name(), channel.notify());
                self.deliver(name, notify, notification);
            }
        }
        self.save_delivered().await;
        let due = self
            .channels
            .iter()
            .filter_map(|channel| channel.due(self.rules, quiet))
            .min();
        let wait = due.map_or(MAX_SLEEP, |due| Duration::from_millis(due.since(at).0));
        wait.min(MAX_SLEEP)
    }

    fn deliver(&mut self, name: &'static str, notify: Arc<dyn Notifier>, notification: Notification) {
        let (turn, results) = (self.generation, self.results.0.clone());
        let send = move || {
            let result = notify.send(&notification);
            // The result is not taken any more when the server has ended.
            drop(results.blocking_send(DeliveryResult {
                generation: turn,
                name,
                result,
            }));
        };
        let thread = std::thread::Builder::new().name(format!("notify-{name}"));
        if let Err(error) = thread.spawn(send) {
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
        let mut channels = self.channels.iter_mut();
        let Some(channel) = channels.find(|channel| channel.name() == ended.name) else {
            return;
        };
        if let Err(why) = &ended.result {
            tracing::warn!("could not {why}; it was to say: {}", channel.last_text());
        }
        let notice = channel.on_result(clock::now(), ended.result);
        if let Some(notice) = notice {
            self.publish_notice(notice);
        }
    }

    fn publish_notice(&self, notice: Notice) {
        self.engine.journal.add(clock::now(), notice);
    }

    /// Saves the delivered marks, when they have changed.
    async fn save_delivered(&mut self) {
        let marks: DeliveredMarks = self
            .channels
            .iter()
            .filter_map(|channel| Some((channel.name().to_owned(), channel.marks()?)))
            .collect();
        if marks == self.delivered {
            return;
        }
        let file = self.settings.paths.delivered();
        self.delivered = marks.clone();
        let kept = tokio::task::spawn_blocking(move || delivered::save(&file, &marks)).await;
        if let Ok(Err(error)) = kept {
            tracing::warn!("could not save which notifications were delivered: {error}");
        }
    }

    /// Cancels all deliveries as the server ends: no program of a person's outlives it.
    async fn cancel_all(&mut self) {
        while let Ok(ended) = self.results.1.try_recv() {
            self.on_result(ended);
        }
        let mut running = BTreeSet::new();
        for channel in &self.channels {
            if channel.notify().cancel() == CancelOutcome::Immediate && channel.is_delivering() {
                running.insert(channel.name());
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
        // A slow one is killed with this process's other threads.
        drop(tokio::time::timeout(SHUTDOWN_GRACE, ended).await);
        self.save_delivered().await;
    }
}
