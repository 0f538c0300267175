//! The alerts that a person who is away has not received yet: everything that came up, without the alerts they saw and those settled
//! meanwhile. Pure; recipients and channels are decided elsewhere.

use crate::domain::cut::cut_chars;
use std::collections::BTreeSet;

use super::task_news::{TaskEvent, TaskNews};
use crate::display::AlertEvents;
use crate::display::text::cut;
use crate::domain::batch::RunState;
use crate::domain::{AttemptId, BatchId, NoticeLevel, Span, TaskId, Timestamp};
use crate::read_model::{AttentionItem, AttentionKind, ReadModel};
use crate::term::sanitize;

/// Maximum number of alerts named one by one in a notification; more are counted.
const MOST_NAMED: usize = 3;
/// Maximum length of a notification and of a title, in columns.
const LONGEST: usize = 160;
/// Maximum number of panes whose calls wait to be delivered.
const MOST_CALLS: usize = 16;
/// Maximum number of news of tasks that wait to be delivered; of more the oldest are left out.
const MOST_NEWS: usize = 64;
/// Maximum length of a key of an alert, in characters.
const MARKED: usize = 300;

/// The alerts that one channel has delivered and those it still has to deliver.
#[derive(Debug, Clone, Default)]
pub struct AlertQueue {
    /// The alerts of the board at the last update; `None` before the first.
    known: Option<BTreeSet<Alert>>,
    baseline: AlertBaseline,
    /// Runs that had not ended.
    open_runs: BTreeSet<BatchId>,
    news: TaskNews,
    /// Oldest first.
    pending: Vec<Alert>,
    /// Alerts whose delivery is under way.
    in_delivery: Vec<Alert>,
    last_delivery: Option<Timestamp>,
}

/// Alerts that count as already delivered when the board is read for the first time.
#[derive(Debug, Clone, Default)]
enum AlertBaseline {
    #[default]
    Present,
    /// Runs that ended long ago, but no waiting task.
    Never,
    /// Alerts with one of these keys.
    Delivered(BTreeSet<String>),
}

/// Something a person is alerted to: a task that needs them, or a run that ended.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Alert {
    NeedsPerson {
        task: TaskId,
        /// The waiting agent, if an agent waits.
        attempt: Option<AttemptId>,
        kind: AttentionKind,
        /// Text in one line; an agent may have written it.
        text: String,
    },
    /// A run ended, or has stalled though nothing waits.
    RunEnded {
        run: BatchId,
        state: String,
        /// True if all of the run was done.
        is_done: bool,
    },
    /// A task is done or tried again; nothing settles that.
    News { task: TaskId, event: TaskEvent },
    /// The program in a pane called. Always with the name of the pane, so that it cannot pass for anything else.
    Program {
        pane: String,
        /// Text in one line; the program wrote it.
        text: String,
    },
}

impl AlertQueue {
    /// Creates a queue that continues after a restart: at the first update everything is new except the alerts delivered before, as far as
    /// these are known (`marks`). Nothing is delivered before `at` and a pause.
    pub fn resume(marks: Option<BTreeSet<String>>, at: Timestamp) -> AlertQueue {
        AlertQueue {
            baseline: marks.map_or(AlertBaseline::Never, AlertBaseline::Delivered),
            last_delivery: Some(at),
            ..AlertQueue::default()
        }
    }

    /// Takes the news of tasks so far as known, while nothing is checked after a start: what happens meanwhile is told afterwards.
    pub fn begin(&mut self, model: &ReadModel, events: AlertEvents) {
        self.news.begin(model, events);
    }

    /// Takes in the current board. With `is_news` the person does not see it. Alerts that were settled meanwhile are dropped.
    pub fn update(&mut self, model: &ReadModel, events: AlertEvents, is_news: bool) {
        let news = self.news.update(model, events);
        let facts = alerts(model);
        let fresh: Vec<Alert> = facts.iter().filter(|fact| self.is_fresh(fact)).cloned().collect();
        let now: BTreeSet<Alert> = facts.into_iter().collect();
        self.pending
            .retain(|fact| now.contains(fact) || matches!(fact, Alert::Program { .. } | Alert::News { .. }));
        if is_news {
            self.pending.extend(fresh);
            self.add_news(news);
        }
        let over = |fact: &Alert| match fact {
            Alert::RunEnded { run, .. } => Some(run.clone()),
            Alert::NeedsPerson { .. } | Alert::News { .. } | Alert::Program { .. } => None,
        };
        let over: BTreeSet<BatchId> = now.iter().filter_map(over).collect();
        self.open_runs = model
            .batches
            .keys()
            .filter(|run| !over.contains(*run))
            .cloned()
            .collect();
        self.baseline = AlertBaseline::Present;
        self.known = Some(now);
    }

    fn is_fresh(&self, fact: &Alert) -> bool {
        match (&self.known, &self.baseline, fact) {
            (Some(known), _, Alert::NeedsPerson { .. } | Alert::Program { .. }) => !known.contains(fact),
            (Some(known), _, Alert::RunEnded { run, .. }) => {
                self.open_runs.contains(run) && !known.contains(fact)
            }
            (None, AlertBaseline::Delivered(marks), _) => !marks.contains(&fact.key()),
            (None, AlertBaseline::Never, Alert::NeedsPerson { .. }) => true,
            (None, AlertBaseline::Never, Alert::RunEnded { .. } | Alert::Program { .. })
            | (None, AlertBaseline::Present, _)
            | (_, _, Alert::News { .. }) => false,
        }
    }

    fn add_news(&mut self, news: Vec<(TaskId, TaskEvent)>) {
        let news = news.into_iter();
        self.pending
            .extend(news.map(|(task, event)| Alert::News { task, event }));
        let is_news = |fact: &&Alert| matches!(fact, Alert::News { .. });
        let mut surplus = self
            .pending
            .iter()
            .filter(is_news)
            .count()
            .saturating_sub(MOST_NEWS);
        self.pending.retain(|fact| {
            let is_surplus = surplus > 0 && is_news(&fact);
            surplus -= usize::from(is_surplus);
            !is_surplus
        });
    }

    /// Takes the call of a program in a pane. It is not a fact of the board, so nothing settles it; only the last call of a pane is kept.
    pub fn add_call(&mut self, pane: String, text: String) {
        let is_of_pane = |fact: &Alert| matches!(fact, Alert::Program { pane: other, .. } if *other == pane);
        self.pending.retain(|fact| !is_of_pane(fact));
        let calls = self
            .pending
            .iter()
            .filter(|fact| matches!(fact, Alert::Program { .. }));
        if calls.count() < MOST_CALLS {
            self.pending.push(Alert::Program { pane, text });
        }
    }

    /// Drops the pending alerts: the person came and saw them.
    pub fn mark_seen(&mut self) {
        self.pending.clear();
    }

    /// Sets the time to `now`: a pause that seems to have begun later began before the clock was set back.
    pub fn set_time(&mut self, now: Timestamp) {
        self.last_delivery = self.last_delivery.map(|at| at.min(now));
    }

    /// Returns the time at which the next delivery is due even if nothing more happens.
    pub fn next_due(&self, pause: Span) -> Option<Timestamp> {
        let earliest = self.last_delivery.map_or(Timestamp::default(), |at| at + pause);
        (!self.pending.is_empty() && self.in_delivery.is_empty()).then_some(earliest)
    }

    /// Begins to deliver all that is pending, if it is due.
    pub fn begin_delivery(&mut self, now: Timestamp, pause: Span) -> Option<Vec<Alert>> {
        self.next_due(pause).filter(|due| *due <= now)?;
        self.last_delivery = Some(now);
        self.in_delivery = std::mem::take(&mut self.pending);
        Some(self.in_delivery.clone())
    }

    /// Returns true if a delivery is under way.
    pub fn is_delivering(&self) -> bool {
        !self.in_delivery.is_empty()
    }

    /// Notes that the delivery succeeded.
    pub fn confirm_delivery(&mut self) {
        self.in_delivery.clear();
    }

    /// Notes that the delivery failed: alerts that still wait at the next update are delivered again.
    pub fn retry_delivery(&mut self) {
        let mut again = std::mem::take(&mut self.in_delivery);
        again.append(&mut self.pending);
        self.pending = again;
    }

    /// Returns true if the board was taken in at least once.
    pub fn is_initialized(&self) -> bool {
        self.known.is_some()
    }

    /// Returns the keys of the alerts that were delivered or seen and still hold, to be kept for the time after a restart. `None`: there
    /// never were any.
    pub fn delivered_keys(&self) -> Option<BTreeSet<String>> {
        let is_delivered = |fact: &&Alert| !self.pending.contains(fact) && !self.in_delivery.contains(fact);
        match (&self.known, &self.baseline) {
            (Some(known), _) => Some(known.iter().filter(is_delivered).map(Alert::key).collect()),
            (None, AlertBaseline::Delivered(marks)) => Some(marks.clone()),
            (None, AlertBaseline::Never | AlertBaseline::Present) => None,
        }
    }
}

impl Alert {
    /// Returns a key that is the same for the same alert, also in another process.
    pub fn key(&self) -> String {
        let mark = match self {
            Alert::NeedsPerson {
                task,
                attempt,
                kind,
                text,
            } => format!(
                "{} {task} {} {text}",
                kind,
                attempt.map(|attempt| attempt.to_string()).unwrap_or_default()
            ),
            Alert::RunEnded { run, state, .. } => format!("run {run} {state}"),
            Alert::News { .. } => self.name(),
            Alert::Program { pane, text } => format!("program {pane} {text}"),
        };
        cut_chars(&mark, MARKED).to_owned()
    }

    /// Returns the kind of the alert, in one word.
    pub fn kind(&self) -> &'static str {
        match self {
            Alert::NeedsPerson { kind, .. } => kind.into(),
            Alert::RunEnded { .. } => "run",
            Alert::News {
                event: TaskEvent::Done,
                ..
            } => "done",
            Alert::News { .. } => "retry",
            Alert::Program { .. } => "program",
        }
    }

    /// Returns the level with which the alert is shown.
    pub fn level(&self) -> NoticeLevel {
        match self {
            Alert::NeedsPerson {
                kind: AttentionKind::Failed,
                ..
            } => NoticeLevel::Error,
            Alert::NeedsPerson { .. } | Alert::Program { .. } => NoticeLevel::Alert,
            Alert::RunEnded { is_done: true, .. }
            | Alert::News {
                event: TaskEvent::Done,
                ..
            } => NoticeLevel::Success,
            Alert::RunEnded { .. } | Alert::News { .. } => NoticeLevel::Warning,
        }
    }

    /// Returns a short name of the alert, without any words of an agent.
    fn name(&self) -> String {
        match self {
            Alert::NeedsPerson { task, kind, .. } => format!("{task} {kind}"),
            Alert::RunEnded { run, state, .. } => format!("batch {run}: {state}"),
            Alert::News { task, event } => match event {
                TaskEvent::Done => format!("{task} is done"),
                TaskEvent::TriedAgain(number) => format!("{task} is tried again, try {number}"),
            },
            Alert::Program { pane, .. } => format!("{pane} called"),
        }
    }
}

fn alerts(model: &ReadModel) -> Vec<Alert> {
    let waits = model
        .attention
        .iter()
        .map(|item: &AttentionItem| Alert::NeedsPerson {
            task: item.task.clone(),
            attempt: item.attempt,
            kind: item.kind,
            text: item.text.clone(),
        });
    let ended = model.batches.values().filter_map(|batch| {
        let over = match batch.run {
            RunState::Completed
            | RunState::CompletedWithSkips(_)
            | RunState::CompletedWithFailures
            | RunState::Aborted(_) => true,
            // The waiting tasks are the reason, and are alerts of their own.
            RunState::Stalled => model.attention.is_empty(),
            RunState::Planning | RunState::Running | RunState::Paused => false,
        };
        over.then(|| Alert::RunEnded {
            run: batch.id.clone(),
            state: batch.run.to_string(),
            is_done: matches!(batch.run, RunState::Completed | RunState::CompletedWithSkips(_)),
        })
    });
    waits.chain(ended).collect()
}

/// Returns all alerts in one line. A single waiting task is given with the words of its agent.
pub fn alert_text(news: &[Alert]) -> String {
    line(news, |fact, is_alone| match fact {
        Alert::NeedsPerson { text, .. } if is_alone => format!("{}: {text}", fact.name()),
        Alert::Program { pane, text } => format!("{pane} {text}"),
        Alert::NeedsPerson { .. } | Alert::RunEnded { .. } | Alert::News { .. } => fact.name(),
    })
}

/// Returns all alerts in one line without any word of an agent, for receivers outside.
pub fn redacted_alert_text(news: &[Alert]) -> String {
    line(news, |fact, _| fact.name())
}

fn line(news: &[Alert], one: impl Fn(&Alert, bool) -> String) -> String {
    let waits = news
        .iter()
        .filter(|fact| matches!(fact, Alert::NeedsPerson { .. }))
        .count();
    // Words of a program are never put in the place of those about a task.
    let (calls, facts): (Vec<&Alert>, Vec<&Alert>) = news
        .iter()
        .partition(|fact| matches!(fact, Alert::Program { .. }));
    let named: Vec<String> = { facts.into_iter().chain(calls) }
        .take(MOST_NAMED)
        .map(|fact| one(fact, waits == 1))
        .collect();
    let more = news.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let head = match waits {
        0 => String::new(),
        1 => "needs you: ".to_owned(),
        many => format!("{many} need you: "),
    };
    clean(&format!("{head}{}{more}", named.join(", ")))
}

/// Returns the text as one line without control characters, cut to `LONGEST` columns.
pub(super) fn clean(text: &str) -> String {
    cut(&sanitize(text), LONGEST, "...")
}
