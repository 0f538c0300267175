//! Scenario files of the rehearsal agent: TOML in, a [`Scenario`] and diagnostics with line numbers out. Reads text
//! only; playing a scenario is the rehearsal adapter's work. Reference for people: `docs/rehearsal.md`.

mod expand;
mod fields;
mod json;
mod model;
mod read;
mod select;
mod steps;

pub use expand::{VARIABLES, expand, unknown_variables};
pub use model::{
    AskKind, Author, Colour, Crash, Deed, Edit, Look, Part, Picture, ReportedState, Resolution, Scenario,
    Screen, Step,
};
pub use read::read;
pub use select::{Attempts, Circumstances, Select};
pub use steps::verbs;
