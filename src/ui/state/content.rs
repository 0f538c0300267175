//! What a pane can show, and what each of those is called in layout files, in choices and in titles.

use serde::{Deserialize, Serialize};

use crate::domain::{AttemptId, TaskId, Timestamp};
use crate::ui::action::Page;
use crate::ui::scene::ScreenId;
use crate::ui::shelf::Against;

/// What a pane shows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// The board.
    Board,
    /// The list of agents at work.
    Agents,
    /// The terminal of an attempt.
    Attempt(AttemptId),
    /// A shell; no number while the server has not opened it.
    Shell(Option<u64>),
    /// The conductor's terminal.
    Conductor,
    /// What happened.
    Log,
    /// A task: that one, or the selected one.
    Detail(Option<TaskId>),
    /// What needs a person.
    Inbox,
    /// The checks the engine ran: of that task, or of all.
    Gates(Option<TaskId>),
    /// What the terminal of an attempt showed at that moment.
    Moment(AttemptId, Timestamp),
    /// Where those words occur in what all terminals have shown.
    Past(String),
    /// The servers of this person's projects.
    Sessions,
    /// Figures about the work.
    Metrics,
    /// What waits for what.
    Graph,
    /// What a task changed, that one or the selected one, compared with something.
    Diff(Option<TaskId>, Against),
}

/// Contents that have a name: what layout files call them, what choices and titles call them, and what they are.
static NAMED: [(&str, &str, Content); 13] = [
    ("board", "Board", Content::Board),
    ("agents", "Agents", Content::Agents),
    ("shell", "Shell", Content::Shell(None)),
    ("conductor", "Conductor", Content::Conductor),
    ("log", "Watcher", Content::Log),
    ("task", "Task", Content::Detail(None)),
    ("inbox", "Inbox", Content::Inbox),
    ("metrics", "Metrics", Content::Metrics),
    ("sessions", "Sessions", Content::Sessions),
    ("history", "History", Content::Past(String::new())),
    ("graph", "Dependencies", Content::Graph),
    ("gates", "Gates", Content::Gates(None)),
    ("diff", "Diff", Content::Diff(None, Against::Base)),
];

impl Content {
    /// The content of that name.
    pub(crate) fn named(name: &str) -> Option<Content> {
        let found = NAMED.iter().find(|(known, ..)| *known == name);
        found.map(|(_, _, content)| content.clone())
    }

    /// All names, for people who misspelled one.
    pub(crate) fn names() -> String {
        NAMED.each_ref().map(|(name, ..)| *name).join(", ")
    }

    /// Title and content of everything that has a name.
    pub(crate) fn all() -> impl Iterator<Item = (&'static str, Content)> {
        NAMED.iter().map(|(_, title, content)| (*title, content.clone()))
    }

    /// Its title, for contents that have a name.
    pub(crate) fn title(&self) -> Option<&'static str> {
        let found = NAMED.iter().find(|(_, _, content)| content == self);
        found.map(|(_, title, _)| *title)
    }

    /// Where a key leads.
    pub(crate) fn of(page: Page, task: Option<TaskId>) -> Content {
        match page {
            Page::Inbox => Content::Inbox,
            Page::Log => Content::Log,
            Page::Metrics => Content::Metrics,
            Page::Sessions => Content::Sessions,
            Page::Graph => Content::Graph,
            Page::Gates => Content::Gates(None),
            Page::Diff => Content::Diff(task, Against::Base),
        }
    }

    /// Whether its view has parts to go through: files, checks.
    pub(crate) fn has_parts(&self) -> bool {
        matches!(self, Content::Diff(..) | Content::Gates(_))
    }

    /// The terminal it shows, if it is one.
    pub fn screen(&self) -> Option<ScreenId> {
        match self {
            Content::Attempt(id) => Some(ScreenId::Attempt(*id)),
            Content::Shell(Some(number)) => Some(ScreenId::Shell(*number)),
            Content::Conductor => Some(ScreenId::Conductor),
            _ => None,
        }
    }
}
