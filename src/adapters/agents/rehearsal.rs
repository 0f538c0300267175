//! The built-in scripted agent.

use std::path::PathBuf;

use super::kind::{AgentKind, LaunchContext, RoleOptions};
use crate::domain::{Cause, RoleId};
use crate::formats::scenario::BUILTIN_SCENARIOS;
use crate::ports::agents::{Brief, LaunchCommand};

/// A number kept as the text in which it was configured, because it is only passed on to the rehearsal.
pub type NumberText = String;

/// The built-in scripted agent with a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RehearsalAgent {
    /// A file, as a path from the project's folder, or the name of a built-in one.
    pub scenario: String,
    pub speed: NumberText,
    /// Seconds after which questions answer themselves; `None` as the scenario says.
    pub answer_after: Option<NumberText>,
    /// A file that is there from the moment a person uses the program: questions wait for them then.
    pub person_file: Option<PathBuf>,
}

impl AgentKind for RehearsalAgent {
    fn name(&self) -> Option<&str> {
        Some("rehearsal")
    }

    fn words(&self) -> Vec<String> {
        vec![self.scenario.clone()]
    }

    fn program(&self) -> Option<&str> {
        None
    }

    fn way_to_get(&self, _: &RoleId) -> String {
        "it is part of this program".to_owned()
    }

    fn own_variables(&self) -> Vec<String> {
        Vec::new()
    }

    fn launch(
        &self,
        context: &LaunchContext,
        _: &Brief,
        _: &str,
        _: &RoleOptions,
    ) -> Result<LaunchCommand, Cause> {
        let mut env = vec![("DBS_REHEARSAL_SPEED".to_owned(), self.speed.clone())];
        if let Some(seconds) = &self.answer_after {
            env.push(("DBS_REHEARSAL_ANSWER_AFTER".to_owned(), seconds.clone()));
        }
        if let Some(file) = &self.person_file {
            let file = file.to_string_lossy().into_owned();
            env.push(("DBS_REHEARSAL_PERSON".to_owned(), file));
        }
        let program = context.program.to_string_lossy().into_owned();
        let scenario = match self.scenario.as_str() {
            name if BUILTIN_SCENARIOS.contains(&name) => name.to_owned(),
            // It is played in a worktree, and may be meant for none of its commits.
            file => context.root.join(file).to_string_lossy().into_owned(),
        };
        Ok(LaunchCommand {
            argv: vec![program, "rehearse".to_owned(), scenario],
            env,
            ..LaunchCommand::default()
        })
    }
}
