//! Whether a person who looks elsewhere is called, and with which words; what the window is named, and how far the work is.
//! Pure: it is told the time, where the person looks and what the board is; whoever sends it to the terminal is elsewhere.

use super::theme::Glyphs;
use crate::domain::{Span, Timestamp};
use crate::read_model::ReadModel;
use news::clean;

mod news;
mod progress;

pub use news::{Fact, News, plain_words, words};
pub use progress::Progress;

/// A share is told again that often while the work goes on: a terminal may take away one that nobody speaks of for a while.
const AGAIN: Span = Span::seconds(10);

/// When a person is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CallWhen {
    /// When the terminal has said that they look elsewhere.
    #[default]
    Away,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How a person wants to be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallRules {
    /// When.
    pub when: CallWhen,
    /// Least time between two calls; what happens meanwhile is told together.
    pub pause: Span,
    /// Whether the window gets a title.
    pub title: bool,
    /// Whether the terminal is told how far the work is.
    pub progress: bool,
    /// What the title may be written with.
    pub glyphs: Glyphs,
}

/// What the terminal is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// Name the window so.
    Title(String),
    /// Call the person with these words.
    Notice(String),
    /// Show that the work is so far.
    Progress(Progress),
}

/// What was told already, and what is still to be told.
#[derive(Debug, Clone)]
pub struct Herald {
    rules: CallRules,
    /// Whether the terminal has said that the person looks elsewhere; one that cannot say so is looked at.
    away: bool,
    news: News,
    /// Until when nobody is called, as it was said last.
    quiet: Option<Timestamp>,
    title: Option<String>,
    /// How far the work was, and when that was told.
    progress: (Progress, Timestamp),
}

impl Herald {
    /// Nothing was told yet.
    pub fn new(rules: CallRules) -> Herald {
        Herald {
            rules,
            away: false,
            news: News::default(),
            quiet: None,
            title: None,
            progress: (Progress::Idle, Timestamp::default()),
        }
    }

    /// The rules changed.
    pub fn set_rules(&mut self, rules: CallRules) {
        self.rules = rules;
        self.title = None;
    }

    /// The terminal says whether the person looks at it. What they can see they need not be told.
    pub fn looked_at(&mut self, here: bool) {
        self.away = !here;
        if here && self.rules.when != CallWhen::Always {
            self.news.seen();
        }
    }

    /// Takes in the board as it is; answers what the terminal is to do now. While it is `quiet`, until then, nobody is called; the
    /// title and how far the work is go on.
    pub fn look(
        &mut self,
        (now, quiet): (Timestamp, Option<Timestamp>),
        model: &ReadModel,
        project: &str,
    ) -> Vec<Call> {
        self.news.take_in(model, self.rules.when.is_now(self.away));
        self.quiet = quiet;
        let mut calls = Vec::new();
        if quiet.is_none()
            && let Some(news) = self.news.tell(now, self.rules.pause)
        {
            self.news.was_told();
            calls.push(Call::Notice(words(&news)));
        }
        let title = self.title_of(model, project);
        if self.rules.title && self.title.as_ref() != Some(&title) {
            calls.push(Call::Title(title.clone()));
            self.title = Some(title);
        }
        let progress = if self.rules.progress {
            Progress::of(model)
        } else {
            Progress::Idle
        };
        if progress != self.progress.0 || self.progress_again().is_some_and(|again| again <= now) {
            calls.push(Call::Progress(progress));
            self.progress = (progress, now);
        }
        calls
    }

    /// When there is something to tell even if nothing more happens.
    pub fn due(&self) -> Option<Timestamp> {
        self.news_due().into_iter().chain(self.progress_again()).min()
    }

    fn news_due(&self) -> Option<Timestamp> {
        let due = self.news.due(self.rules.pause)?;
        Some(self.quiet.map_or(due, |end| end.max(due)))
    }

    fn progress_again(&self) -> Option<Timestamp> {
        let (progress, told) = self.progress;
        (progress != Progress::Idle).then(|| told + AGAIN)
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

impl CallWhen {
    /// Whether a person is called who looks elsewhere, as far as that is known, or not.
    pub fn is_now(self, away: bool) -> bool {
        match self {
            CallWhen::Always => true,
            CallWhen::Away => away,
            CallWhen::Never => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::AttemptId;
    use crate::domain::run::RunState;
    use crate::read_model::{Attention, AttentionKind};

    const RULES: CallRules = CallRules {
        when: CallWhen::Away,
        pause: Span(5_000),
        title: true,
        progress: true,
        glyphs: Glyphs::Unicode,
    };

    fn board(items: &[(&str, &str)]) -> ReadModel {
        ReadModel {
            attention: items
                .iter()
                .map(|(task, text)| Attention {
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

    /// Only the calls, without titles.
    fn notices(herald: &mut Herald, at: u64, board: &ReadModel) -> Vec<String> {
        let calls = herald.look((Timestamp(at), None), board, "shop").into_iter();
        calls
            .filter_map(|call| match call {
                Call::Notice(text) => Some(text),
                Call::Title(_) | Call::Progress(_) => None,
            })
            .collect()
    }

    const NONE: [&str; 0] = [];

    #[test]
    fn only_who_looks_elsewhere_is_called_and_only_about_what_is_new() {
        let mut herald = Herald::new(RULES);
        assert_eq!(notices(&mut herald, 1, &board(&[("t-1", "a")])), NONE, "no news");
        assert_eq!(
            notices(&mut herald, 2, &board(&[("t-1", "a"), ("t-2", "b")])),
            NONE,
            "they see it"
        );
        herald.looked_at(false);
        let three = board(&[("t-1", "a"), ("t-2", "b"), ("t-3", "npm test")]);
        assert_eq!(
            notices(&mut herald, 3, &three),
            ["needs you: t-3 permission: npm test"]
        );
        assert_eq!(notices(&mut herald, 99_999, &three), NONE, "nothing twice");
        let mut never = Herald::new(CallRules {
            when: CallWhen::Never,
            ..RULES
        });
        never.looked_at(false);
        never.look((Timestamp(1), None), &board(&[]), "shop");
        assert_eq!(notices(&mut never, 2, &three), NONE);
    }

    #[test]
    fn what_happens_soon_after_a_call_is_told_together_and_what_was_settled_not_at_all() {
        let mut herald = Herald::new(RULES);
        herald.looked_at(false);
        herald.look((Timestamp(1), None), &board(&[]), "shop");
        assert_eq!(notices(&mut herald, 10, &board(&[("t-1", "a")])).len(), 1);
        let more = board(&[("t-1", "a"), ("t-2", "b"), ("t-3", "c"), ("t-4", "d")]);
        assert_eq!(notices(&mut herald, 20, &more), NONE, "too soon");
        assert_eq!(herald.due(), Some(Timestamp(5_010)));
        let left = board(&[("t-2", "b"), ("t-4", "d"), ("t-5", "e"), ("t-6", "f")]);
        assert_eq!(notices(&mut herald, 5_009, &left), NONE);
        assert_eq!(
            notices(&mut herald, 5_010, &left),
            ["4 need you: t-2 permission, t-4 permission, t-5 permission and 1 more"]
        );
        assert_eq!(herald.due(), None);
        herald.look((Timestamp(5_020), None), &more, "shop");
        herald.looked_at(true);
        assert_eq!(herald.due(), None, "they came and saw");
    }

    #[test]
    fn in_quiet_hours_nobody_is_called_and_what_still_waits_at_their_end_is_told_once_and_together() {
        let mut herald = Herald::new(RULES);
        herald.looked_at(false);
        herald.look((Timestamp(1), None), &board(&[]), "shop");
        let end = Timestamp(90_000);
        let quiet = |herald: &mut Herald, at: u64, board: &ReadModel| {
            herald.look((Timestamp(at), Some(end)), board, "shop")
        };
        let both = board(&[("t-1", "a"), ("t-2", "b")]);
        let title = vec![Call::Title("2 need you · shop – dbs".to_owned())];
        assert_eq!(quiet(&mut herald, 10_000, &both), title, "the title goes on");
        assert_eq!(herald.due(), Some(end));
        let left = board(&[("t-2", "b"), ("t-3", "c")]);
        assert_eq!(quiet(&mut herald, 89_999, &left), []);
        assert_eq!(
            notices(&mut herald, 90_000, &left),
            ["2 need you: t-2 permission, t-3 permission"]
        );
        assert_eq!(notices(&mut herald, 99_000, &left), NONE, "once");
        quiet(&mut herald, 200_000, &board(&[("t-4", "d")]));
        herald.looked_at(true);
        assert_eq!(herald.due(), None, "they came and saw");
    }

    #[test]
    fn the_end_of_a_run_is_told() {
        let run = |run| {
            let batch = crate::domain::run::Batch {
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
        let mut herald = Herald::new(RULES);
        herald.looked_at(false);
        assert_eq!(
            notices(&mut herald, 1, &run(RunState::Completed)),
            NONE,
            "no news"
        );
        assert_eq!(notices(&mut herald, 2, &run(RunState::Running)), NONE);
        let told = notices(&mut herald, 3, &run(RunState::Completed));
        assert_eq!(told, ["main completed"]);
        assert_eq!(notices(&mut herald, 9_000, &run(RunState::Running)), NONE);
        let stalled = run(RunState::Stalled);
        assert_eq!(notices(&mut herald, 10_000, &stalled), ["main stalled"]);
        assert_eq!(notices(&mut herald, 20_000, &run(RunState::Running)), NONE);
        let mut why = board(&[("t-1", "a")]);
        why.batches = stalled.batches;
        assert_eq!(
            notices(&mut herald, 21_000, &why),
            ["needs you: t-1 permission: a"],
            "what waits is why it stands still"
        );
    }

    #[test]
    fn the_title_counts_is_clean_and_is_sent_when_it_changes() {
        let mut herald = Herald::new(RULES);
        let title = |calls: Vec<Call>| match calls.as_slice() {
            [Call::Title(title)] => Some(title.clone()),
            _ => None,
        };
        let project = "sh\u{1b}]0;op\u{7}";
        let first = title(herald.look((Timestamp(1), None), &board(&[]), project));
        assert_eq!(first.as_deref(), Some("sh\\x1b]0;op\\x07 – dbs"));
        assert_eq!(herald.look((Timestamp(2), None), &board(&[]), project), []);
        let two = board(&[("t-1", "a"), ("t-2", "b")]);
        let second = title(herald.look((Timestamp(3), None), &two, "shop"));
        assert_eq!(second.as_deref(), Some("2 need you · shop – dbs"));
        herald.set_rules(CallRules {
            glyphs: Glyphs::Ascii,
            ..RULES
        });
        let third = title(herald.look((Timestamp(4), None), &two, "shop"));
        assert_eq!(third.as_deref(), Some("2 need you - shop - dbs"));
    }
}
