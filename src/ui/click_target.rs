//! Places on the screen that can be clicked, or jumped to by a label. Data only.

use super::pane::PaneId;
use crate::domain::{AttemptId, TaskId};
use crate::keymap::Action;
use crate::keymap::Chord;

/// Target of a click or a jump label at a place on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClickTarget {
    Tab(usize),
    /// The strip of tasks that need a person.
    AttentionBar,
    Pane(PaneId),
    /// A task's row or card.
    Task(PaneId, TaskId),
    Agent(PaneId, AttemptId),
    /// Another row of that pane's view, by the view's own number.
    Row(PaneId, u64),
    /// A key that is offered, or shown in a hint.
    Action(Action),
    /// A row of a choice.
    MenuItem(usize),
    /// Named keys: a click presses them.
    Keys(Vec<Chord>),
    /// The overlay above the panes.
    Overlay,
}
