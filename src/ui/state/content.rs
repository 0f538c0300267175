//! What a pane can show. Views that their names tell are one of these together; the others are told by a task, an agent, a moment.

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
    /// A task: that one, or the selected one.
    Detail(Option<TaskId>),
    /// The checks the engine ran: of that task, or of all.
    Gates(Option<TaskId>),
    /// What the terminal of an attempt showed at that moment.
    Moment(AttemptId, Timestamp),
    /// Where those words occur in what all terminals have shown.
    Past(String),
    /// What a task changed, that one or the selected one, compared with something.
    Diff(Option<TaskId>, Against),
    /// A view that its name alone tells.
    #[serde(untagged)]
    Page(Page),
}

impl Content {
    /// The content of that name.
    pub(crate) fn named(name: &str) -> Option<Content> {
        Page::named(name).map(|page| Content::of(page, None))
    }

    /// All names, for people who misspelled one.
    pub(crate) fn names() -> String {
        let names: Vec<&str> = Page::all().map(Page::name).collect();
        names.join(", ")
    }

    /// Title and content of everything that has a name.
    pub(crate) fn all() -> impl Iterator<Item = (&'static str, Content)> {
        Page::all().map(|page| (page.title(), Content::of(page, None)))
    }

    /// Its title, for contents that have a name.
    pub(crate) fn title(&self) -> Option<&'static str> {
        let found = Content::all().find(|(_, content)| content == self);
        found.map(|(title, _)| title)
    }

    /// What a pane shows for a name, where a person was at that task.
    pub(crate) fn of(page: Page, task: Option<TaskId>) -> Content {
        match page.name() {
            "board" => Content::Board,
            "agents" => Content::Agents,
            "shell" => Content::Shell(None),
            "conductor" => Content::Conductor,
            "task" => Content::Detail(task),
            "history" => Content::Past(String::new()),
            "gates" => Content::Gates(None),
            "diff" => Content::Diff(task, Against::Base),
            _ => Content::Page(page),
        }
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
