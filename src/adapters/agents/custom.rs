//! A command of the person's own as an agent.

use std::path::Path;

use super::AgentTool;
use super::kind::{AgentKind, LaunchContext, RoleOptions};
use super::placeholders::{expand, of_brief};
use crate::agent_state::{AgentReport, Doing};
use crate::domain::event::EndCause;
use crate::domain::{Cause, RoleId, Timestamp};
use crate::formats::end_rules;
use crate::ports::agents::{Brief, LaunchCommand};

/// A command line: program and arguments, never a shell line. `{task}`, `{title}`, `{body}`, `{branch}`, `{base}`, `{role}`,
/// `{finding}`, `{prompt}` inside an argument are replaced; an argument stays one argument whatever is put in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomAgent(pub Vec<String>);

impl AgentKind for CustomAgent {
    fn name(&self) -> Option<&str> {
        Path::new(self.0.first()?).file_stem()?.to_str()
    }

    fn words(&self) -> Vec<String> {
        self.0.clone()
    }

    fn program(&self) -> Option<&str> {
        let name = self.0.first().map(String::as_str);
        name.filter(|name| !name.contains('{'))
    }

    fn program_for(&self, brief: &Brief) -> Option<String> {
        self.0.first().map(|word| fill(word, brief, ""))
    }

    fn way_to_get(&self, role: &RoleId) -> String {
        format!("install it, or name another with `dbs config roles.{role}.command 'PROGRAM ARGUMENT …'`")
    }

    fn own_variables(&self) -> Vec<String> {
        let tool = self.tool();
        tool.map(|tool| tool.kind().own_variables()).unwrap_or_default()
    }

    fn way_to_log_in(&self) -> Option<String> {
        self.tool()?.kind().way_to_log_in()
    }

    fn read_title(&self, title: &str) -> AgentReport {
        let tool = self.tool();
        tool.map(|tool| tool.kind().read_title(title)).unwrap_or_default()
    }

    fn read_screen(&self, screen: &str) -> Option<Doing> {
        self.tool()?.kind().read_screen(screen)
    }

    fn end_cause(&self, tail: &str, now: Timestamp) -> Option<EndCause> {
        match self.tool() {
            Some(tool) => tool.kind().end_cause(tail, now),
            None => end_rules::builtin().cause(self.name()?, tail, now),
        }
    }

    fn launch(
        &self,
        _: &LaunchContext,
        brief: &Brief,
        prompt: &str,
        _: &RoleOptions,
    ) -> Result<LaunchCommand, Cause> {
        Ok(LaunchCommand {
            argv: self.0.iter().map(|word| fill(word, brief, prompt)).collect(),
            ..LaunchCommand::default()
        })
    }
}

impl CustomAgent {
    /// Returns the tool it starts, if that comes with the program: its reports are understood then.
    fn tool(&self) -> Option<AgentTool> {
        AgentTool::builtin(self.name()?)
    }
}

fn fill(word: &str, brief: &Brief, prompt: &str) -> String {
    expand(word, |name| of_brief(name, brief, prompt))
}
