//! A command of the person's own as an agent.

use std::path::Path;

use super::kind::{AgentKind, LaunchContext, RoleOptions};
use super::{claude, codex};
use crate::domain::{Cause, RoleId};
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
        self.0.first().map(|word| expand(word, (brief, "")))
    }

    fn way_to_get(&self, role: &RoleId) -> String {
        format!("install it, or name another with `dbs config roles.{role}.command 'PROGRAM ARGUMENT …'`")
    }

    fn own_variables(&self) -> &'static [&'static str] {
        match self.name() {
            Some("claude") => claude::OWN_VARIABLES,
            Some("codex") => codex::OWN_VARIABLES,
            _ => &[],
        }
    }

    fn launch(
        &self,
        _: &LaunchContext,
        brief: (&Brief, &str),
        _: &RoleOptions,
    ) -> Result<LaunchCommand, Cause> {
        Ok(LaunchCommand {
            argv: self.0.iter().map(|word| expand(word, brief)).collect(),
            ..LaunchCommand::default()
        })
    }
}

/// Puts the brief into one argument. One pass, so that what is put in is never read again.
fn expand(word: &str, brief: (&Brief, &str)) -> String {
    let mut out = String::new();
    let mut rest = word;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let known = after
            .split_once('}')
            .and_then(|(name, tail)| value(name, brief).map(|value| (value, tail)));
        rest = if let Some((value, tail)) = known {
            out.push_str(&value);
            tail
        } else {
            out.push('{');
            after
        };
    }
    out.push_str(rest);
    out.replace('\0', "")
}

fn value(name: &str, (brief, prompt): (&Brief, &str)) -> Option<String> {
    Some(match name {
        "task" => brief.task.to_string(),
        "title" => brief.title.clone(),
        "body" => brief.body.clone(),
        "branch" => brief.branch.clone(),
        "base" => brief.base.clone(),
        "role" => brief.role.to_string(),
        "finding" => brief.finding.clone().unwrap_or_default(),
        "prompt" => prompt.to_owned(),
        _ => return None,
    })
}
