//! Agents that a command is about to start, told to a person, and agreed to at a terminal before any of them runs.

use super::asking;
use crate::adapters::agents::AgentTool;
use crate::adapters::output;
use crate::cli::command_error::CommandResult;
use crate::config::project_paths::ProjectPaths;
use crate::config::session_setup;
use crate::domain::workflow::{Actor, FileAccess, Stage};
use crate::domain::{AgentSettings, RoleChoice};
use crate::term::sanitize_command;

/// The workflow in which only the first agent is sure to be needed.
const DESIGN: &str = "design";

/// Agents of workflows whose tasks a command puts on the board.
pub(in crate::cli::commands) struct AgentStart<'a> {
    pub(in crate::cli::commands) paths: &'a ProjectPaths,
    /// The workflows, in the order in which their agents start.
    pub(in crate::cli::commands) workflows: &'a [&'static str],
    /// Agent and model that the command line names.
    pub(in crate::cli::commands) chosen: AgentSettings,
    /// Sentence on the use of the result.
    pub(in crate::cli::commands) result: String,
}

impl AgentStart<'_> {
    /// Prints which agents will run, and asks for a yes where a person at a terminal can give it and has not given it yet.
    ///
    /// # Errors
    /// When the settings cannot be read, or the person does not say yes; for people.
    pub(in crate::cli::commands) fn agree(&self, is_agreed: bool) -> CommandResult<()> {
        output::all(self.lines()?);
        if is_agreed || !asking::can_ask() {
            return Ok(());
        }
        output::lines("Start? y or n");
        asking::read_yes()
    }

    fn lines(&self) -> CommandResult<Vec<String>> {
        let (settings, flows) = session_setup::reread(self.paths)?;
        let mut lines = vec!["This starts:".to_owned()];
        for name in self.workflows {
            let Some(flow) = flows.iter().find(|flow| flow.id.as_str() == *name) else {
                continue;
            };
            for stage in &flow.stages {
                let Actor::Role(role) = &stage.actor else { continue };
                let most = stage.timeout.unwrap_or(settings.agent_timeout);
                let agent = self.agent(stage, role)?;
                let is_sure = stage.id == flow.entry || *name != DESIGN;
                let where_needed = if is_sure { "" } else { ", where the goal needs it" };
                lines.push(format!(
                    "  {role}{where_needed}: {agent}; {}, at most {most} for each try",
                    may(stage)
                ));
            }
        }
        lines.push(self.result.clone());
        Ok(lines)
    }

    /// Returns name, model and command line of the agent at a stage.
    fn agent(&self, stage: &Stage, role: &crate::domain::RoleId) -> CommandResult<String> {
        let agents = session_setup::agents(self.paths)?;
        let choice = agents.layers.choose(role, &stage.id, &self.chosen);
        let Some(agent) = agents.chosen(RoleChoice {
            role,
            choice: &choice,
        }) else {
            return Ok(format!(
                "no agent is set, `dbs config roles.{role}.agent NAME` sets one"
            ));
        };
        let command = shell_words::join(agent.tool.kind().words());
        let model = match &agent.options.model {
            Some(model) => format!("model {model}"),
            None => "its usual model".to_owned(),
        };
        let command = sanitize_command(&command);
        Ok(match &agent.tool {
            AgentTool::Rehearsal(_) => format!("rehearsal, scenario {command}"),
            tool => format!("{}, {model}, command `{command}`", tool.name()),
        })
    }
}

/// Returns what the agent at a stage may do with files.
fn may(stage: &Stage) -> &'static str {
    match stage.access {
        FileAccess::Write => "writes in a worktree of its own",
        FileAccess::Read => "reads the project's folder and may change nothing in it",
    }
}
