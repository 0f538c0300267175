//! One way out, and what is to be told by it: when, and when again after it failed. Knows no thread and no clock.

use std::collections::BTreeSet;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::config::reaching::Way;
use crate::domain::{Level, Notice, Span, Timestamp};
use crate::ports::notify::{Item, Notify, Summons, Unreached};
use crate::read_model::ReadModel;
use crate::ui::{CallWhen, Fact, News, plain_words, words};

/// Waits after failures in a row; the last one again and again.
const WAITS: [Span; 4] = [
    Span::seconds(2),
    Span::seconds(10),
    Span::minutes(1),
    Span::minutes(10),
];
/// After a start nothing is looked at for a moment: who has started the server, or lost it, is about to be there, and agents that
/// went on meanwhile say again what they wait for.
pub(super) const GRACE: Span = Span::seconds(5);
/// The kind of notice by which people are told that a way does not work.
pub(in crate::server) const KIND: &str = "notify";

/// When a person is called from outside of any screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rules {
    pub(super) when: CallWhen,
    pub(super) pause: Span,
}

/// The situation in which is decided.
#[derive(Debug, Clone, Copy)]
pub(super) struct Now {
    pub(super) at: Timestamp,
    /// Whether nobody is known to look at a screen.
    pub(super) away: bool,
    /// Until when nobody is called, if so.
    pub(super) quiet: Option<Timestamp>,
}

/// One way out.
pub(super) struct Caller {
    way: Way,
    news: News,
    not_before: Timestamp,
    /// Failures in a row.
    failures: usize,
    /// The failure people were told of.
    said: Option<String>,
    /// What was tried last, and when first.
    tried: Option<(Vec<Fact>, Timestamp)>,
}

impl Caller {
    /// A way that was told these things before, as far as that is known.
    pub(super) fn new(way: Way, marks: Option<BTreeSet<String>>, at: Timestamp) -> Caller {
        Caller {
            way,
            news: News::since(marks, at),
            not_before: at + GRACE,
            failures: 0,
            said: None,
            tried: None,
        }
    }

    /// The same with another program or address; what is under way by the old one counts as not told.
    pub(super) fn changed(mut self, way: Way) -> Caller {
        self.news.was_not_told();
        Caller {
            news: self.news,
            ..Caller::new(way, None, Timestamp::default())
        }
    }

    pub(super) fn name(&self) -> &'static str {
        self.way.name
    }

    pub(super) fn notify(&self) -> Arc<dyn Notify> {
        Arc::clone(&self.way.notify)
    }

    /// Whether something is just being told.
    pub(super) fn is_telling(&self) -> bool {
        self.news.is_telling()
    }

    /// Marks of what was told or seen; `None`: nothing ever was.
    pub(super) fn marks(&self) -> Option<BTreeSet<String>> {
        self.news.marks()
    }

    /// Takes in the board; answers what is to be told now. Nothing while something is being told: what comes meanwhile is told
    /// together afterwards, so that nothing ever queues.
    pub(super) fn look(
        &mut self,
        now: Now,
        rules: Rules,
        (project, model): (&str, &ReadModel),
    ) -> Option<Summons> {
        if !self.news.has_looked() && self.not_before > now.at {
            return None;
        }
        self.news.take_in(model, rules.when.is_now(now.away));
        if rules.when == CallWhen::Never || (rules.when == CallWhen::Away && !now.away) {
            self.news.seen();
        }
        if now.quiet.is_some() || self.not_before > now.at {
            return None;
        }
        let facts = self.news.tell(now.at, rules.pause)?;
        Some(self.summons(facts, project, now.at))
    }

    /// When to look again even if nothing happens.
    pub(super) fn due(&self, rules: Rules, quiet: Option<Timestamp>) -> Option<Timestamp> {
        if !self.news.has_looked() {
            return Some(self.not_before);
        }
        let due = self.news.due(rules.pause)?.max(self.not_before);
        Some(quiet.map_or(due, |end| end.max(due)))
    }

    /// How it went; answers what people are to be told of that.
    pub(super) fn ended(&mut self, at: Timestamp, result: Result<(), Unreached>) -> Option<Notice> {
        let by = &self.way.by;
        match result {
            Ok(()) => {
                self.news.was_told();
                (self.failures, self.tried) = (0, None);
                let said = self.said.take();
                said.map(|_failure| notice(Level::Info, format!("you can be reached again by {by}")))
            }
            Err(why) => {
                self.news.was_not_told();
                self.failures = match why {
                    Unreached::ForNow(_) => self.failures + 1,
                    Unreached::Refused(_) => WAITS.len(),
                };
                let step = self.failures.saturating_sub(1).min(WAITS.len() - 1);
                self.not_before = at + WAITS.get(step).copied().unwrap_or_default();
                let why = why.to_string();
                if self.failures < WAITS.len() || self.said.as_ref() == Some(&why) {
                    return None;
                }
                let text = format!("you cannot be reached by {by}: could not {why}");
                self.said = Some(why);
                Some(notice(Level::Warning, text))
            }
        }
    }

    /// The same again, with the same id, when it is tried again.
    fn summons(&mut self, facts: Vec<Fact>, project: &str, now: Timestamp) -> Summons {
        let at = match &self.tried {
            Some((before, at)) if *before == facts => *at,
            _ => now,
        };
        let summons = Summons {
            id: id(project, &facts, at),
            project: project.to_owned(),
            at,
            level: facts.iter().map(Fact::level).max().unwrap_or(Level::Info),
            words: words(&facts),
            plain: plain_words(&facts),
            items: facts.iter().map(item).collect(),
        };
        self.tried = Some((facts, at));
        summons
    }
}

fn item(fact: &Fact) -> Item {
    let (task, attempt, run) = match fact {
        Fact::Waits { task, attempt, .. } => (Some(task.clone()), *attempt, None),
        Fact::Ended { run, state, .. } => (None, None, Some((run.clone(), state.clone()))),
    };
    Item {
        kind: fact.kind(),
        task,
        attempt,
        run,
    }
}

fn id(project: &str, facts: &[Fact], at: Timestamp) -> String {
    let mut sum = Sha256::new()
        .chain_update(project)
        .chain_update(at.0.to_be_bytes());
    for fact in facts {
        sum = sum.chain_update(fact.mark()).chain_update([0]);
    }
    let digits = |byte: &u8| format!("{byte:02x}");
    let digits: Vec<String> = sum.finalize().iter().take(8).map(digits).collect();
    digits.concat()
}

fn notice(level: Level, text: String) -> Notice {
    Notice {
        level,
        kind: KIND.to_owned(),
        task: None,
        attempt: None,
        text,
    }
}

#[cfg(test)]
mod tests;
