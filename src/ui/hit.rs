//! What can be clicked, or jumped to by a label. Data only.

use super::action::Action;
use super::chord::Chord;
use super::pane::PaneId;
use crate::domain::{AttemptId, TaskId};

/// What a click is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hit {
    /// A tab.
    Tab(usize),
    /// The strip of what needs a person.
    Strip,
    /// A pane.
    Pane(PaneId),
    /// A task's row or card.
    Task(PaneId, TaskId),
    /// An agent's row.
    Agent(PaneId, AttemptId),
    /// Another row of that pane's view, by the view's own number.
    Mark(PaneId, u64),
    /// A key that is offered, or hinted at.
    Act(Action),
    /// A row of a choice.
    Choice(usize),
    /// Keys that are named there: a click presses them.
    Keys(Vec<Chord>),
    /// Whatever lies over the panes.
    Overlay,
}
