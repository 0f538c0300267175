//! What there is to tell a person who is not there: what came up, without what they saw and what was settled meanwhile. Pure; whom
//! it is told and by which way is decided elsewhere.

use std::collections::BTreeSet;

use super::super::marker::kind_word;
use super::super::text::cut;
use crate::domain::run::RunState;
use crate::domain::{AttemptId, BatchId, Level, Span, TaskId, Timestamp};
use crate::read_model::{Attention, AttentionKind, ReadModel};
use crate::term::sanitize;

/// Things named one by one in a call; more are counted.
const MOST_NAMED: usize = 3;
/// Longest text of a call and longest title, in columns.
const LONGEST: usize = 160;
/// Most characters of a mark.
const MARKED: usize = 300;

/// What was told or seen, and what is still to be told.
#[derive(Debug, Clone, Default)]
pub struct News {
    /// What the board had to tell when it was last looked at; nothing before the first look.
    known: Option<BTreeSet<Fact>>,
    before: Before,
    /// Runs that had not come to their end.
    open: BTreeSet<BatchId>,
    /// Oldest first.
    pending: Vec<Fact>,
    /// Those that are just being told.
    underway: Vec<Fact>,
    told: Option<Timestamp>,
}

/// What is news at the first look.
#[derive(Debug, Clone, Default)]
enum Before {
    /// Nothing.
    #[default]
    Present,
    /// What waits; runs that ended long ago are not.
    Never,
    /// What has none of these marks.
    Told(BTreeSet<String>),
}

/// Something a person is called for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fact {
    /// It waits for them.
    Waits {
        /// The task.
        task: TaskId,
        /// The agent that waits, if one does.
        attempt: Option<AttemptId>,
        /// What kind of thing.
        kind: AttentionKind,
        /// One line; an agent may have written it.
        text: String,
    },
    /// A run came to its end, or stands still though nothing waits.
    Ended {
        /// Which.
        run: BatchId,
        /// How, for people.
        state: String,
        /// Whether all of it was done.
        is_done: bool,
    },
}

impl News {
    /// For one who may not be here now: at the first look is news to them what they were not told before, as far as it is known
    /// what they were told (`marks`). Nothing is told before `at` and a pause.
    pub fn since(marks: Option<BTreeSet<String>>, at: Timestamp) -> News {
        News {
            before: marks.map_or(Before::Never, Before::Told),
            told: Some(at),
            ..News::default()
        }
    }

    /// Takes in the board as it is. `is_news`: they do not see it. What was settled meanwhile is not told any more.
    pub fn take_in(&mut self, model: &ReadModel, is_news: bool) {
        let facts = facts(model);
        let fresh: Vec<Fact> = facts.iter().filter(|fact| self.is_fresh(fact)).cloned().collect();
        let now: BTreeSet<Fact> = facts.into_iter().collect();
        self.pending.retain(|fact| now.contains(fact));
        if is_news {
            self.pending.extend(fresh);
        }
        let over = |fact: &Fact| match fact {
            Fact::Ended { run, .. } => Some(run.clone()),
            Fact::Waits { .. } => None,
        };
        let over: BTreeSet<BatchId> = now.iter().filter_map(over).collect();
        self.open = model
            .batches
            .keys()
            .filter(|run| !over.contains(*run))
            .cloned()
            .collect();
        self.before = Before::Present;
        self.known = Some(now);
    }

    fn is_fresh(&self, fact: &Fact) -> bool {
        match (&self.known, &self.before, fact) {
            (Some(known), _, Fact::Waits { .. }) => !known.contains(fact),
            (Some(known), _, Fact::Ended { run, .. }) => self.open.contains(run) && !known.contains(fact),
            (None, Before::Told(marks), _) => !marks.contains(&fact.mark()),
            (None, Before::Never, Fact::Waits { .. }) => true,
            (None, Before::Never, Fact::Ended { .. }) | (None, Before::Present, _) => false,
        }
    }

    /// They came and saw.
    pub fn seen(&mut self) {
        self.pending.clear();
    }

    /// When there is something to tell even if nothing more happens.
    pub fn due(&self, pause: Span) -> Option<Timestamp> {
        let earliest = self.told.map_or(Timestamp::default(), |at| at + pause);
        (!self.pending.is_empty() && self.underway.is_empty()).then_some(earliest)
    }

    /// What is to be told now, all together.
    pub fn tell(&mut self, now: Timestamp, pause: Span) -> Option<Vec<Fact>> {
        self.due(pause).filter(|due| *due <= now)?;
        self.told = Some(now);
        self.underway = std::mem::take(&mut self.pending);
        Some(self.underway.clone())
    }

    /// Whether something is just being told.
    pub fn is_telling(&self) -> bool {
        !self.underway.is_empty()
    }

    /// It was told.
    pub fn was_told(&mut self) {
        self.underway.clear();
    }

    /// It could not be told: what of it still waits at the next look is to be told again.
    pub fn was_not_told(&mut self) {
        let mut again = std::mem::take(&mut self.underway);
        again.append(&mut self.pending);
        self.pending = again;
    }

    /// Whether the board was looked at.
    pub fn has_looked(&self) -> bool {
        self.known.is_some()
    }

    /// Marks of what was told or seen and is still so: what is kept for the time after a restart. `None`: nothing ever was.
    pub fn marks(&self) -> Option<BTreeSet<String>> {
        let untold = |fact: &&Fact| !self.pending.contains(fact) && !self.underway.contains(fact);
        match (&self.known, &self.before) {
            (Some(known), _) => Some(known.iter().filter(untold).map(Fact::mark).collect()),
            (None, Before::Told(marks)) => Some(marks.clone()),
            (None, Before::Never | Before::Present) => None,
        }
    }
}

impl Fact {
    /// The same for the same fact, also in another process.
    pub fn mark(&self) -> String {
        let mark = match self {
            Fact::Waits {
                task,
                attempt,
                kind,
                text,
            } => format!(
                "{} {task} {} {text}",
                kind_word(*kind),
                attempt.map(|attempt| attempt.to_string()).unwrap_or_default()
            ),
            Fact::Ended { run, state, .. } => format!("run {run} {state}"),
        };
        mark.chars().take(MARKED).collect()
    }

    /// What kind of thing, in one word.
    pub fn kind(&self) -> &'static str {
        match self {
            Fact::Waits { kind, .. } => kind_word(*kind),
            Fact::Ended { .. } => "run",
        }
    }

    /// How loud it is.
    pub fn level(&self) -> Level {
        match self {
            Fact::Waits {
                kind: AttentionKind::Failed,
                ..
            } => Level::Error,
            Fact::Waits { .. } => Level::Alert,
            Fact::Ended { is_done: true, .. } => Level::Success,
            Fact::Ended { .. } => Level::Warning,
        }
    }

    /// In a few words of ours, without any an agent wrote.
    fn name(&self) -> String {
        match self {
            Fact::Waits { task, kind, .. } => format!("{task} {}", kind_word(*kind)),
            Fact::Ended { run, state, .. } => format!("{run} {state}"),
        }
    }
}

fn facts(model: &ReadModel) -> Vec<Fact> {
    let waits = model.attention.iter().map(|item: &Attention| Fact::Waits {
        task: item.task.clone(),
        attempt: item.attempt,
        kind: item.kind,
        text: item.text.clone(),
    });
    let ended = model.batches.values().filter_map(|batch| {
        let over = match batch.run {
            RunState::Completed | RunState::CompletedWithFailures | RunState::Aborted(_) => true,
            // What waits is why; otherwise nobody would be told of that.
            RunState::Stalled => model.attention.is_empty(),
            RunState::Planning | RunState::Running | RunState::Paused => false,
        };
        over.then(|| Fact::Ended {
            run: batch.id.clone(),
            state: batch.run.to_string(),
            is_done: batch.run == RunState::Completed,
        })
    });
    waits.chain(ended).collect()
}

/// All of it in one line. What a single task wants is told in the words of who wants it.
pub fn words(news: &[Fact]) -> String {
    line(news, |fact, is_alone| match fact {
        Fact::Waits { text, .. } if is_alone => format!("{}: {text}", fact.name()),
        Fact::Waits { .. } | Fact::Ended { .. } => fact.name(),
    })
}

/// All of it in one line, without any word of an agent: for those outside.
pub fn plain_words(news: &[Fact]) -> String {
    line(news, |fact, _| fact.name())
}

fn line(news: &[Fact], one: impl Fn(&Fact, bool) -> String) -> String {
    let waits = news
        .iter()
        .filter(|fact| matches!(fact, Fact::Waits { .. }))
        .count();
    let named: Vec<String> = news
        .iter()
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

/// One line that does nothing to a terminal, of a sensible length.
pub(super) fn clean(text: &str) -> String {
    cut(&sanitize(text), LONGEST, "...")
}
