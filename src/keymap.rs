//! The actions of the interface, their keys, and the mapping of keys to them per key table.

mod action;
mod bindings;
mod chord;

pub use action::{
    Action, ActionEntry, ActionGroup, Availability, Axis, Direction, SelectionMode, TextMove, ViewName,
    entries,
};
pub use bindings::{KeyTable, Keymap, KeymapError};
pub use chord::{Chord, KeyParseError};
