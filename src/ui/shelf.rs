//! What views show that must be fetched first: differences, outputs of checks, other sessions. A view says what it wants;
//! whoever owns the shelf fetches it beside the drawing and puts it here. Bounded; the papers read longest ago go first.

use std::collections::BTreeMap;
use std::sync::Arc;

use ratatui::style::Style;
use serde::{Deserialize, Serialize};

use super::past::Occurrences;
use crate::domain::{AttemptId, Span, TaskId, Timestamp};
use crate::read_model::{Check, Diff, Figures, Graph, Machine, SessionRow};

/// Something that can be fetched.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Paper {
    /// What a task changed.
    Diff(TaskId, Against),
    /// The checks the engine ran, of that task or of all.
    Checks(Option<TaskId>),
    /// The output of one of them.
    Output(AttemptId, u16),
    /// What waits for what.
    Graph,
    /// Figures about the work.
    Figures,
    /// What the machine has left.
    Machine,
    /// The servers of this person's projects.
    Sessions,
    /// What the terminal of an attempt showed at that moment.
    Moment(AttemptId, Timestamp),
    /// Where those words occur in what terminals have shown.
    Past(String),
}

/// What a task's work is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Against {
    /// The base branch.
    Base,
    /// What the last review saw.
    Review,
}

/// Something that was fetched.
#[derive(Debug, Clone, PartialEq)]
pub enum Sheet {
    /// Differences.
    Diff(Arc<Diff>),
    /// Checks, the worst first.
    Checks(Arc<Vec<Check>>),
    /// What waits for what.
    Graph(Arc<Graph>),
    /// Figures about the work.
    Figures(Arc<Figures>),
    /// What the machine has left.
    Machine(Machine),
    /// The servers of this person's projects.
    Sessions(Arc<[SessionRow]>),
    /// What a terminal showed.
    Moment(Arc<Moment>),
    /// Where words occur, as far as was searched.
    Past(Arc<Occurrences>),
    /// Lines of text; the last ones, where there were too many.
    Text(Arc<Vec<String>>),
    /// It could not be fetched; the sentence says why and reads after "could not".
    Failed(String),
}

/// What a terminal showed at some moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Moment {
    /// The moment: what it showed from then on, for up to a second.
    pub at: Timestamp,
    /// The first and the last moment there is something of.
    pub range: (Timestamp, Timestamp),
    /// Columns and rows.
    pub size: (u16, u16),
    /// Column, row, grapheme and style of what was not empty.
    pub cells: Vec<(u16, u16, String, Style)>,
}

/// Something wanted, and for how long what was fetched is good enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Want {
    /// What.
    pub paper: Paper,
    /// How old it may be.
    pub fresh_for: Span,
}

/// Papers kept at a time.
const MOST: usize = 64;
/// Papers fetched at a time.
const MOST_COMING: usize = 2;

/// A paper that has not come by then never will.
const LOST_AFTER: Span = Span::minutes(2);

/// All that was fetched for one client.
#[derive(Debug, Clone, Default)]
pub struct Shelf {
    papers: BTreeMap<Paper, Kept>,
}

#[derive(Debug, Clone, Default)]
struct Kept {
    sheet: Option<Sheet>,
    /// When it was asked for, or put here.
    at: Timestamp,
    is_coming: bool,
}

impl Kept {
    /// Whether it is being fetched. What does not come in that time is lost, and asked for again.
    fn comes(&self, now: Timestamp) -> bool {
        self.is_coming && now.since(self.at) < LOST_AFTER
    }
}

impl Shelf {
    /// What was fetched last.
    pub fn sheet(&self, paper: &Paper) -> Option<&Sheet> {
        self.papers.get(paper)?.sheet.as_ref()
    }

    /// Takes note that a paper is being fetched; `false` when it need not be: what is here is fresh, or it is coming, or enough
    /// others are.
    pub fn begin(&mut self, want: &Want, now: Timestamp) -> bool {
        let coming = self.papers.values().filter(|kept| kept.comes(now)).count();
        let known = self.papers.get(&want.paper);
        let is_due = known.is_none_or(|kept| {
            !kept.comes(now) && (kept.sheet.is_none() || now.since(kept.at) >= want.fresh_for)
        });
        if !is_due || coming >= MOST_COMING {
            return false;
        }
        self.make_room();
        let kept = self.papers.entry(want.paper.clone()).or_default();
        (kept.at, kept.is_coming) = (now, true);
        true
    }

    /// Puts a paper here.
    pub fn put(&mut self, paper: Paper, sheet: Sheet, now: Timestamp) {
        let kept = Kept {
            sheet: Some(sheet),
            at: now,
            is_coming: false,
        };
        self.papers.insert(paper, kept);
    }

    /// Puts the part of a paper here that there is; the rest is still coming.
    pub fn put_part(&mut self, paper: &Paper, sheet: Sheet, now: Timestamp) {
        self.put(paper.clone(), sheet, now);
        if let Some(kept) = self.papers.get_mut(paper) {
            kept.is_coming = true;
        }
    }

    /// Forgets a paper that nobody waits for any more: it is fetched from its beginning when it is wanted again.
    pub fn forget(&mut self, paper: &Paper) {
        self.papers.remove(paper);
    }

    fn make_room(&mut self) {
        while self.papers.len() >= MOST {
            let idle = self.papers.iter().filter(|(_, kept)| !kept.is_coming);
            let Some(oldest) = idle
                .min_by_key(|(_, kept)| kept.at)
                .map(|(paper, _)| paper.clone())
            else {
                return;
            };
            self.papers.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn want(task: &str) -> Want {
        Want {
            paper: Paper::Diff(task.into(), Against::Base),
            fresh_for: Span::seconds(10),
        }
    }

    #[test]
    fn a_paper_is_fetched_once_and_again_when_it_is_old() {
        let mut shelf = Shelf::default();
        assert!(shelf.begin(&want("a"), Timestamp(0)));
        assert!(!shelf.begin(&want("a"), Timestamp(1)));
        shelf.put(want("a").paper, Sheet::Failed("x".to_owned()), Timestamp(5));
        assert!(!shelf.begin(&want("a"), Timestamp(10_004)));
        assert!(shelf.begin(&want("a"), Timestamp(10_005)));
        assert!(
            shelf.sheet(&want("a").paper).is_some(),
            "what was here stays to be seen"
        );
    }

    #[test]
    fn few_are_fetched_at_a_time_and_the_oldest_make_room() {
        let mut shelf = Shelf::default();
        assert!(shelf.begin(&want("a"), Timestamp(0)) && shelf.begin(&want("b"), Timestamp(0)));
        assert!(!shelf.begin(&want("c"), Timestamp(0)));
        for n in 0..200_u64 {
            let paper = want(&n.to_string()).paper;
            shelf.put(paper, Sheet::Failed(String::new()), Timestamp(n));
        }
        for task in ["a", "b"] {
            shelf.put(want(task).paper, Sheet::Failed(String::new()), Timestamp(300));
        }
        assert!(shelf.begin(&want("c"), Timestamp(400)));
        assert!(shelf.papers.len() <= MOST);
        assert!(shelf.sheet(&want("a").paper).is_some());
    }
}
