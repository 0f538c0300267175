//! `dbs statusline`: called by the tool of an agent to fill its status line. Reads the figures from standard input, passes them on, and
//! prints one short line: task, role, fill of the context, cost. Missing figures are left out; nothing is ever an error.

use super::hook::{caller, input, tell};
use crate::adapters::agents::claude::status_line;
use crate::agent_state::Meter;
use crate::cli::commands::prelude::*;
use crate::domain::ContextFill;
use crate::protocol::hooks::{HookEvent, UsageFigures};

/// Print the status line of an agent's tool
#[derive(Debug, Args)]
#[command(add = facts(Attempts, ""))]
pub struct StatuslineArgs {}

impl RunCommand for StatuslineArgs {
    /// Takes figures of an agent's tool.
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let mut meter = Meter::default();
        for figures in status_line::read(&input().unwrap_or_default()).figures {
            meter.count(&figures);
        }
        let (usage, context) = (meter.usage(), meter.context());
        let names = ["DBS_TASK", "DBS_ROLE"].map(|name| env.get(name));
        let fill = context
            .and_then(ContextFill::percent)
            .map(|percent| format!("context {percent} %"));
        let cost = usage.cost.map(|cost| cost.to_string());
        let parts: Vec<String> = names.into_iter().chain([fill, cost]).flatten().collect();
        output::line(&parts.join(" · "));
        if let Some(caller) = caller(env) {
            let figures = UsageFigures {
                cost: usage.cost,
                used: context.map(|context| context.used),
                window: context.and_then(|context| context.window),
                tool_calls: None,
                model: meter.model().map(str::to_owned),
            };
            tell(&caller, &caller.call(HookEvent::Usage(figures)))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
