//! Scenario files of the rehearsal agent: TOML in, a [`Scenario`] and diagnostics with line numbers out. Reads text
//! only; playing a scenario is the rehearsal adapter's work. Reference for people: `docs/rehearsal.md`.

mod json;
mod model;
mod reader;
mod selector;
mod steps;
mod variables;

pub use model::{
    Animation, CommitAuthor, CrashKind, LineEdit, Resolution, Scenario, ScenarioAskKind, ScenarioColour,
    ScenarioPart, ScenarioScreen, ScenarioState, ScenarioStep, StepAction, TextStyle,
};
pub use reader::read;
pub use selector::{AttemptContext, AttemptRange, PartSelector};
pub use steps::verbs;
pub use variables::{VARIABLES, expand, unknown_variables};

/// The names of built-in scenarios, accepted where a file is asked for.
pub const BUILTIN_SCENARIOS: [&str; 3] = ["demo", "demo-plan", "demo-stories"];
