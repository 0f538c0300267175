//! What can be clicked, or jumped to by a label. Data only.

use super::action::Action;
use super::chord::Chord;
use super::pane::PaneId;
use crate::domain::{AttemptId, TaskId};

/// What a click or a jump label at a place on the screen refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClickTarget {
    Tab(usize),
    /// The strip of what needs a person.
    AttentionBar,
    Pane(PaneId),
    /// A task's row or card.
    Task(PaneId, TaskId),
    Agent(PaneId, AttemptId),
    /// Another row of that pane's view, by the view's own number.
    Row(PaneId, u64),
    /// A key that is offered, or hinted at.
    Action(Action),
    /// A row of a choice.
    MenuItem(usize),
    /// Keys that are named there: a click presses them.
    Keys(Vec<Chord>),
    /// Whatever lies over the panes.
    Overlay,
}
