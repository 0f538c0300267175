//! Alerts for the person at a terminal: notifications while they look elsewhere, the window title, and the progress of the work. Pure:
//! takes the time, the focus and the board, and returns what the terminal has to show; sending it is done elsewhere.

use super::program_report::ProgramCall;
use crate::display::{AlertEvents, AlertWhen, Appearance, DisplayCaps, Glyphs, ProgramCalls, WorkProgress};
use crate::domain::{Span, Timestamp};
use crate::read_model::ReadModel;
use queue::clean;

mod progress;
mod queue;
mod task_news;

use progress::progress_of;
pub use queue::{Alert, AlertQueue, alert_text, redacted_alert_text};
pub use task_news::TaskEvent;

/// Interval at which progress is repeated while the work continues: a terminal may remove a progress that is not repeated for a while.
const PROGRESS_REPEAT: Span = Span::seconds(10);

/// The settings that decide when and how a terminal alerts its person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlertRules {
    pub when: AlertWhen,
    pub events: AlertEvents,
    /// Calls of programs in panes that are reported to the person.
    pub programs: ProgramCalls,
    /// Minimum time between two notifications; everything that happens meanwhile is sent together.
    pub min_interval: Span,
    /// True if the window gets a title.
    pub title: bool,
    /// True if the terminal shows the progress of the work.
    pub progress: bool,
    /// Characters that the title may be written with.
    pub glyphs: Glyphs,
}

impl AlertRules {
    /// Creates the rules for calling a person at a terminal with these capabilities; without words or a bell, a person is never called.
    pub fn of(appearance: &Appearance, caps: DisplayCaps) -> AlertRules {
        AlertRules {
            when: match appearance.notify_style {
                Some(_) => appearance.alert_when,
                None => AlertWhen::Never,
            },
            events: appearance.alert_events,
            programs: appearance.program_calls,
            min_interval: appearance.min_call_interval,
            title: appearance.title,
            progress: appearance.progress,
            glyphs: appearance.effective_caps(caps).glyphs,
        }
    }
}

/// Update for a client's terminal: a window title, a notification, or the progress of the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TerminalUpdate {
    Title(String),
    /// Call to the person in these words.
    Notification(String),
    /// Progress of the work to show.
    Progress(WorkProgress),
}

/// Decides what a client's terminal shows: its title, notifications and progress.
#[derive(Debug, Clone)]
pub struct TerminalAlerts {
    rules: AlertRules,
    /// Set when the terminal reported that the person looks elsewhere; a terminal that cannot report it counts as looked at.
    away: bool,
    queue: AlertQueue,
    /// The end of the quiet hours, while they last.
    quiet_until: Option<Timestamp>,
    title: Option<String>,
    /// The progress that was sent last, and the time of sending.
    progress: (WorkProgress, Timestamp),
}

impl TerminalAlerts {
    /// Creates alerts of which none was sent yet.
    pub fn new(rules: AlertRules) -> TerminalAlerts {
        TerminalAlerts {
            rules,
            away: false,
            queue: AlertQueue::default(),
            quiet_until: None,
            title: None,
            progress: (WorkProgress::Idle, Timestamp::default()),
        }
    }

    /// Replaces the rules; the title is sent again.
    pub fn set_rules(&mut self, rules: AlertRules) {
        self.rules = rules;
        self.title = None;
    }

    /// Notes whether the terminal has the focus. What a person can see is not sent to them.
    pub fn set_focused(&mut self, here: bool) {
        self.away = !here;
        if here && self.rules.when != AlertWhen::Always {
            self.queue.mark_seen();
        }
    }

    /// Returns true if the person is known to look elsewhere.
    pub fn is_away(&self) -> bool {
        self.away
    }

    /// Takes the call of a program in the pane of that name, unless the person sees it or wants no calls.
    pub fn add_call(&mut self, pane: &str, call: &ProgramCall) {
        let is_wanted = match (self.rules.programs, call) {
            (ProgramCalls::All, _) | (ProgramCalls::Words, ProgramCall::Words(_)) => true,
            (ProgramCalls::Words, ProgramCall::Bell) | (ProgramCalls::None, _) => false,
        };
        if is_wanted && self.rules.when.applies(self.away) {
            self.queue.add_call(pane.to_owned(), call.text());
        }
    }

    /// Takes in the current board; returns what the terminal has to show now. In the `quiet` hours, until their end, there are no
    /// notifications; title and progress continue.
    pub fn update(
        &mut self,
        now: Timestamp,
        quiet: Option<Timestamp>,
        model: &ReadModel,
        project: &str,
    ) -> Vec<TerminalUpdate> {
        self.set_time(now);
        let is_news = self.rules.when.applies(self.away);
        self.queue.update(model, self.rules.events, is_news);
        self.quiet_until = quiet;
        let mut calls = Vec::new();
        if quiet.is_none()
            && let Some(news) = self.queue.begin_delivery(now, self.rules.min_interval)
        {
            self.queue.confirm_delivery();
            calls.push(TerminalUpdate::Notification(alert_text(&news)));
        }
        let title = self.title_of(model, project);
        if self.rules.title && self.title.as_ref() != Some(&title) {
            calls.push(TerminalUpdate::Title(title.clone()));
            self.title = Some(title);
        }
        let progress = if self.rules.progress {
            progress_of(model)
        } else {
            WorkProgress::Idle
        };
        if progress != self.progress.0 || self.progress_again().is_some_and(|again| again <= now) {
            calls.push(TerminalUpdate::Progress(progress));
            self.progress = (progress, now);
        }
        calls
    }

    /// Sets the time to `now`: a send that seems to have happened later happened before the clock was set back.
    pub fn set_time(&mut self, now: Timestamp) {
        self.queue.set_time(now);
        self.progress.1 = self.progress.1.min(now);
    }

    /// Returns the time at which something has to be sent even if nothing more happens.
    pub fn next_due(&self) -> Option<Timestamp> {
        self.news_due().into_iter().chain(self.progress_again()).min()
    }

    fn news_due(&self) -> Option<Timestamp> {
        let due = self.queue.next_due(self.rules.min_interval)?;
        Some(self.quiet_until.map_or(due, |end| end.max(due)))
    }

    fn progress_again(&self) -> Option<Timestamp> {
        let (progress, sent_at) = self.progress;
        (progress != WorkProgress::Idle).then(|| sent_at + PROGRESS_REPEAT)
    }

    /// `2 need you · project – dbs`.
    fn title_of(&self, model: &ReadModel, project: &str) -> String {
        let (dot, dash) = match self.rules.glyphs {
            Glyphs::Unicode => ("·", "–"),
            Glyphs::Ascii => ("-", "-"),
        };
        let needs = match model.attention.len() {
            0 => String::new(),
            1 => format!("1 needs you {dot} "),
            many => format!("{many} need you {dot} "),
        };
        clean(&format!("{needs}{project} {dash} dbs"))
    }
}

impl AlertWhen {
    /// Returns true if a person is alerted who looks elsewhere (`away`) or does not.
    pub fn applies(self, away: bool) -> bool {
        match self {
            AlertWhen::Always => true,
            AlertWhen::Away => away,
            AlertWhen::Never => false,
        }
    }
}
