//! Whether a person who looks elsewhere is called, and with which words; what the window is named, and how far the work is.
//! Pure: it is told the time, where the person looks and what the board is; whoever sends it to the terminal is elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use super::marker::kind_word;
use super::text::cut;
use super::theme::Glyphs;
use crate::domain::run::RunState;
use crate::domain::{AttemptId, BatchId, Span, TaskId, Timestamp};
use crate::read_model::{Attention, AttentionKind, ReadModel};
use crate::term::sanitize;

mod progress;

pub use progress::Progress;

/// Things named one by one in a call; more are counted.
const MOST_NAMED: usize = 3;
/// Longest text of a call and longest title, in columns.
const LONGEST: usize = 160;
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
    /// What waited when the board was last looked at; nothing before the first look, which is no news.
    known: Option<BTreeSet<Key>>,
    runs: BTreeMap<BatchId, RunState>,
    news: Vec<News>,
    called: Option<Timestamp>,
    title: Option<String>,
    /// How far the work was, and when that was told.
    progress: (Progress, Timestamp),
}

type Key = (TaskId, Option<AttemptId>, AttentionKind, String);

#[derive(Debug, Clone, PartialEq, Eq)]
enum News {
    /// Something waits for the person.
    Waits(Key),
    /// A run came to its end.
    Ended(String),
}

impl Herald {
    /// Nothing was told yet.
    pub fn new(rules: CallRules) -> Herald {
        Herald {
            rules,
            away: false,
            known: None,
            runs: BTreeMap::new(),
            news: Vec::new(),
            called: None,
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
            self.news.clear();
        }
    }

    /// Takes in the board as it is; answers what the terminal is to do now.
    pub fn look(&mut self, now: Timestamp, model: &ReadModel, project: &str) -> Vec<Call> {
        self.take_in(model);
        let mut calls = Vec::new();
        if self.news_due().is_some_and(|due| due <= now) {
            calls.push(Call::Notice(words(&self.news)));
            self.news.clear();
            self.called = Some(now);
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
        let earliest = self
            .called
            .map_or(Timestamp::default(), |at| at + self.rules.pause);
        (!self.news.is_empty()).then_some(earliest)
    }

    fn progress_again(&self) -> Option<Timestamp> {
        let (progress, told) = self.progress;
        (progress != Progress::Idle).then(|| told + AGAIN)
    }

    fn take_in(&mut self, model: &ReadModel) {
        let now_waits: BTreeSet<Key> = model.attention.iter().map(key).collect();
        let is_news = match self.rules.when {
            CallWhen::Always => true,
            CallWhen::Away => self.away,
            CallWhen::Never => false,
        };
        let ended = self.ended(model);
        if let (Some(known), true) = (&self.known, is_news) {
            let fresh = model.attention.iter().map(key).filter(|key| !known.contains(key));
            self.news.extend(fresh.map(News::Waits));
            self.news.extend(ended.into_iter().map(News::Ended));
        }
        self.news.retain(|news| match news {
            News::Waits(key) => now_waits.contains(key),
            News::Ended(_) => true,
        });
        self.known = Some(now_waits);
    }

    /// Runs that came to their end since the last look.
    fn ended(&mut self, model: &ReadModel) -> Vec<String> {
        let over = |run: &RunState| {
            matches!(
                run,
                RunState::Completed | RunState::CompletedWithFailures | RunState::Aborted(_)
            )
        };
        let mut ended = Vec::new();
        for batch in model.batches.values() {
            let before = self.runs.insert(batch.id.clone(), batch.run.clone());
            if over(&batch.run) && before.is_some_and(|before| !over(&before)) {
                ended.push(format!("{} {}", batch.id, batch.run));
            }
        }
        ended
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

fn key(item: &Attention) -> Key {
    (item.task.clone(), item.attempt, item.kind, item.text.clone())
}

fn words(news: &[News]) -> String {
    let waits = news.iter().filter(|news| matches!(news, News::Waits(_))).count();
    let named: Vec<String> = news
        .iter()
        .take(MOST_NAMED)
        .map(|news| match news {
            News::Waits((task, _, kind, text)) if news_is_alone(waits) => {
                format!("{task} {}: {text}", kind_word(*kind))
            }
            News::Waits((task, _, kind, _)) => format!("{task} {}", kind_word(*kind)),
            News::Ended(text) => text.clone(),
        })
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

fn news_is_alone(waits: usize) -> bool {
    waits == 1
}

/// One line that does nothing to a terminal, of a sensible length.
fn clean(text: &str) -> String {
    cut(&sanitize(text), LONGEST, "...")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

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
        let calls = herald.look(Timestamp(at), board, "shop").into_iter();
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
        never.look(Timestamp(1), &board(&[]), "shop");
        assert_eq!(notices(&mut never, 2, &three), NONE);
    }

    #[test]
    fn what_happens_soon_after_a_call_is_told_together_and_what_was_settled_not_at_all() {
        let mut herald = Herald::new(RULES);
        herald.looked_at(false);
        herald.look(Timestamp(1), &board(&[]), "shop");
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
        herald.look(Timestamp(5_020), &more, "shop");
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
        assert!(told.len() == 1 && told[0].starts_with("main "), "{told:?}");
    }

    #[test]
    fn the_title_counts_is_clean_and_is_sent_when_it_changes() {
        let mut herald = Herald::new(RULES);
        let title = |calls: Vec<Call>| match calls.as_slice() {
            [Call::Title(title)] => Some(title.clone()),
            _ => None,
        };
        let project = "sh\u{1b}]0;op\u{7}";
        let first = title(herald.look(Timestamp(1), &board(&[]), project));
        assert_eq!(first.as_deref(), Some("sh\\x1b]0;op\\x07 – dbs"));
        assert_eq!(herald.look(Timestamp(2), &board(&[]), project), []);
        let two = board(&[("t-1", "a"), ("t-2", "b")]);
        let second = title(herald.look(Timestamp(3), &two, "shop"));
        assert_eq!(second.as_deref(), Some("2 need you · shop – dbs"));
        herald.set_rules(CallRules {
            glyphs: Glyphs::Ascii,
            ..RULES
        });
        let third = title(herald.look(Timestamp(4), &two, "shop"));
        assert_eq!(third.as_deref(), Some("2 need you - shop - dbs"));
    }
}
