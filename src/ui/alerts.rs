//! Alerts for the person at a terminal: notifications while they look elsewhere, the window title, and the progress of the work.
//! Pure: takes the time, the focus and the board, and answers with what the terminal is to show; sending it is done elsewhere.

use super::theme::Glyphs;
use crate::domain::{Span, Timestamp};
use crate::read_model::ReadModel;
use queue::clean;

mod progress;
mod queue;

pub use progress::WorkProgress;
pub use queue::{Alert, AlertQueue, alert_text, redacted_alert_text};

/// How often progress is repeated while the work goes on: a terminal may remove one that is not repeated for a while.
const PROGRESS_REPEAT: Span = Span::seconds(10);

/// When a person is alerted: while they look elsewhere, always, or never.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AlertWhen {
    /// When the terminal has said that they look elsewhere.
    #[default]
    Away,
    Always,
    Never,
}

/// The settings that decide when and how a terminal alerts its person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlertRules {
    pub when: AlertWhen,
    /// Least time between two notifications; what happens meanwhile is sent together.
    pub min_interval: Span,
    /// Whether the window gets a title.
    pub title: bool,
    /// Whether the terminal shows the progress of the work.
    pub progress: bool,
    /// What the title may be written with.
    pub glyphs: Glyphs,
}

/// Something a client's terminal is to show: a window title, a notification, or the progress of the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TerminalUpdate {
    Title(String),
    /// Call the person with these words.
    Notification(String),
    /// Show that the work is so far.
    Progress(WorkProgress),
}

/// Decides what a client's terminal shows: its title, notifications and progress.
#[derive(Debug, Clone)]
pub struct TerminalAlerts {
    rules: AlertRules,
    /// Whether the terminal has said that the person looks elsewhere; one that cannot say so is looked at.
    away: bool,
    queue: AlertQueue,
    /// The end of the quiet hours, while they last.
    quiet_until: Option<Timestamp>,
    title: Option<String>,
    /// The progress that was sent last, and when.
    progress: (WorkProgress, Timestamp),
}

impl TerminalAlerts {
    /// Alerts of which none was sent yet.
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

    /// Takes other rules; the title is sent again.
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

    /// Takes in the board as it is; answers with what the terminal is to show now. In the `quiet` hours, until their end, there are
    /// no notifications; title and progress go on.
    pub fn update(
        &mut self,
        (now, quiet): (Timestamp, Option<Timestamp>),
        model: &ReadModel,
        project: &str,
    ) -> Vec<TerminalUpdate> {
        self.queue.update(model, self.rules.when.applies(self.away));
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
            WorkProgress::from_model(model)
        } else {
            WorkProgress::Idle
        };
        if progress != self.progress.0 || self.progress_again().is_some_and(|again| again <= now) {
            calls.push(TerminalUpdate::Progress(progress));
            self.progress = (progress, now);
        }
        calls
    }

    /// When there is something to send even if nothing more happens.
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
    /// Whether a person is alerted who looks elsewhere (`away`) or not.
    pub fn applies(self, away: bool) -> bool {
        match self {
            AlertWhen::Always => true,
            AlertWhen::Away => away,
            AlertWhen::Never => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::AttemptId;
    use crate::domain::batch::RunState;
    use crate::read_model::{AttentionItem, AttentionKind};

    const RULES: AlertRules = AlertRules {
        when: AlertWhen::Away,
        min_interval: Span(5_000),
        title: true,
        progress: true,
        glyphs: Glyphs::Unicode,
    };

    fn board(items: &[(&str, &str)]) -> ReadModel {
        ReadModel {
            attention: items
                .iter()
                .map(|(task, text)| AttentionItem {
                    task: (*task).into(),
                    attempt: Some(AttemptId(7)),
                    kind: AttentionKind::Permission,
                    text: (*text).to_owned(),
                    since: Timestamp(1),
                })
                .collect(),
            ..ReadModel::default()
        }
    }

    /// The notifications alone, without titles and progress.
    fn notices(alerts: &mut TerminalAlerts, at: u64, board: &ReadModel) -> Vec<String> {
        let calls = alerts.update((Timestamp(at), None), board, "shop").into_iter();
        calls
            .filter_map(|call| match call {
                TerminalUpdate::Notification(text) => Some(text),
                TerminalUpdate::Title(_) | TerminalUpdate::Progress(_) => None,
            })
            .collect()
    }

    const NONE: [&str; 0] = [];

    #[test]
    fn only_who_looks_elsewhere_is_called_and_only_about_what_is_new() {
        let mut alerts = TerminalAlerts::new(RULES);
        assert_eq!(notices(&mut alerts, 1, &board(&[("t-1", "a")])), NONE, "no news");
        assert_eq!(
            notices(&mut alerts, 2, &board(&[("t-1", "a"), ("t-2", "b")])),
            NONE,
            "they see it"
        );
        alerts.set_focused(false);
        let three = board(&[("t-1", "a"), ("t-2", "b"), ("t-3", "npm test")]);
        assert_eq!(
            notices(&mut alerts, 3, &three),
            ["needs you: t-3 permission: npm test"]
        );
        assert_eq!(notices(&mut alerts, 99_999, &three), NONE, "nothing twice");
        let mut never = TerminalAlerts::new(AlertRules {
            when: AlertWhen::Never,
            ..RULES
        });
        never.set_focused(false);
        never.update((Timestamp(1), None), &board(&[]), "shop");
        assert_eq!(notices(&mut never, 2, &three), NONE);
    }

    #[test]
    fn what_happens_soon_after_a_call_is_told_together_and_what_was_settled_not_at_all() {
        let mut alerts = TerminalAlerts::new(RULES);
        alerts.set_focused(false);
        alerts.update((Timestamp(1), None), &board(&[]), "shop");
        assert_eq!(notices(&mut alerts, 10, &board(&[("t-1", "a")])).len(), 1);
        let more = board(&[("t-1", "a"), ("t-2", "b"), ("t-3", "c"), ("t-4", "d")]);
        assert_eq!(notices(&mut alerts, 20, &more), NONE, "too soon");
        assert_eq!(alerts.next_due(), Some(Timestamp(5_010)));
        let left = board(&[("t-2", "b"), ("t-4", "d"), ("t-5", "e"), ("t-6", "f")]);
        assert_eq!(notices(&mut alerts, 5_009, &left), NONE);
        assert_eq!(
            notices(&mut alerts, 5_010, &left),
            ["4 need you: t-2 permission, t-4 permission, t-5 permission and 1 more"]
        );
        assert_eq!(alerts.next_due(), None);
        alerts.update((Timestamp(5_020), None), &more, "shop");
        alerts.set_focused(true);
        assert_eq!(alerts.next_due(), None, "they came and saw");
    }

    #[test]
    fn in_quiet_hours_nobody_is_called_and_what_still_waits_at_their_end_is_told_once_and_together() {
        let mut alerts = TerminalAlerts::new(RULES);
        alerts.set_focused(false);
        alerts.update((Timestamp(1), None), &board(&[]), "shop");
        let end = Timestamp(90_000);
        let quiet = |alerts: &mut TerminalAlerts, at: u64, board: &ReadModel| {
            alerts.update((Timestamp(at), Some(end)), board, "shop")
        };
        let both = board(&[("t-1", "a"), ("t-2", "b")]);
        let title = vec![TerminalUpdate::Title("2 need you · shop – dbs".to_owned())];
        assert_eq!(quiet(&mut alerts, 10_000, &both), title, "the title goes on");
        assert_eq!(alerts.next_due(), Some(end));
        let left = board(&[("t-2", "b"), ("t-3", "c")]);
        assert_eq!(quiet(&mut alerts, 89_999, &left), []);
        assert_eq!(
            notices(&mut alerts, 90_000, &left),
            ["2 need you: t-2 permission, t-3 permission"]
        );
        assert_eq!(notices(&mut alerts, 99_000, &left), NONE, "once");
        quiet(&mut alerts, 200_000, &board(&[("t-4", "d")]));
        alerts.set_focused(true);
        assert_eq!(alerts.next_due(), None, "they came and saw");
    }

    #[test]
    fn the_end_of_a_run_is_told() {
        let run = |run| {
            let batch = crate::domain::batch::Batch {
                id: "main".into(),
                title: String::new(),
                goal: String::new(),
                base: None,
                go_ahead: None,
                run,
                since: Timestamp(1),
            };
            ReadModel {
                batches: [(batch.id.clone(), Arc::new(batch))].into(),
                ..ReadModel::default()
            }
        };
        let mut alerts = TerminalAlerts::new(RULES);
        alerts.set_focused(false);
        assert_eq!(
            notices(&mut alerts, 1, &run(RunState::Completed)),
            NONE,
            "no news"
        );
        assert_eq!(notices(&mut alerts, 2, &run(RunState::Running)), NONE);
        let sent = notices(&mut alerts, 3, &run(RunState::Completed));
        assert_eq!(sent, ["main completed"]);
        assert_eq!(notices(&mut alerts, 9_000, &run(RunState::Running)), NONE);
        let stalled = run(RunState::Stalled);
        assert_eq!(notices(&mut alerts, 10_000, &stalled), ["main stalled"]);
        assert_eq!(notices(&mut alerts, 20_000, &run(RunState::Running)), NONE);
        let mut why = board(&[("t-1", "a")]);
        why.batches = stalled.batches;
        assert_eq!(
            notices(&mut alerts, 21_000, &why),
            ["needs you: t-1 permission: a"],
            "what waits is why it stands still"
        );
    }

    #[test]
    fn the_title_counts_is_clean_and_is_sent_when_it_changes() {
        let mut alerts = TerminalAlerts::new(RULES);
        let title = |calls: Vec<TerminalUpdate>| match calls.as_slice() {
            [TerminalUpdate::Title(title)] => Some(title.clone()),
            _ => None,
        };
        let project = "sh\u{1b}]0;op\u{7}";
        let first = title(alerts.update((Timestamp(1), None), &board(&[]), project));
        assert_eq!(first.as_deref(), Some("sh\\x1b]0;op\\x07 – dbs"));
        assert_eq!(alerts.update((Timestamp(2), None), &board(&[]), project), []);
        let two = board(&[("t-1", "a"), ("t-2", "b")]);
        let second = title(alerts.update((Timestamp(3), None), &two, "shop"));
        assert_eq!(second.as_deref(), Some("2 need you · shop – dbs"));
        alerts.set_rules(AlertRules {
            glyphs: Glyphs::Ascii,
            ..RULES
        });
        let third = title(alerts.update((Timestamp(4), None), &two, "shop"));
        assert_eq!(third.as_deref(), Some("2 need you - shop - dbs"));
    }
}
