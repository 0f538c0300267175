//! Answers to questions of agents that need no person: by the rules of the settings and of the role's file, else by the policy.

use std::path::{Component, Path, PathBuf};

use super::{LocalAgents, PermissionPolicy};
use crate::domain::{Ask, AskKind, AskReply, Attempt, RoleId, StageId, ToolAction, ToolUse};
use crate::formats::permissions::{PermissionDecision, PermissionRule, PermissionVerdict, decide};

/// Rules for one role: those of the settings come before those of its file.
#[derive(Debug, Clone, Default)]
pub(super) struct RoleRules {
    pub(super) rules: Vec<PermissionRule>,
    /// Number of these rules that come from the settings.
    own: usize,
    /// The role whose file the others are from.
    file: Option<RoleId>,
}

impl LocalAgents {
    /// The rule or setting that answers an ask of an attempt's agent without a person, and how. Questions and plans are a person's, and so
    /// is everything while the roles cannot be read.
    pub fn answer_rule(
        &self,
        attempt: &Attempt,
        ask: &Ask,
        wanted: Option<&ToolUse>,
    ) -> Option<(String, AskReply)> {
        let of = attempt.role_choice()?;
        let (agent, role) = (self.agent(of)?, of.role);
        if ask.kind != AskKind::Permission {
            return None;
        }
        let all = self.rules(role, &attempt.stage, agent.options.rules)?;
        let policy = agent.options.permissions;
        let Some(wanted) = wanted else {
            let nothing_says_no = all.rules.is_empty() && policy == PermissionPolicy::Allow;
            return nothing_says_no.then(|| (setting(role), AskReply::Allow));
        };
        let folder = attempt.workplace.as_ref().map(|place| Path::new(&place.path));
        let paths = folder.map(|folder| places(folder, wanted)).unwrap_or_default();
        let decided = decide(&all.rules, policy, wanted, &paths);
        let by = match decided {
            PermissionVerdict::By(found) => all.name(role, found),
            PermissionVerdict::ByPolicy(_) => setting(role),
        };
        let reply = match decided.decision() {
            PermissionDecision::Ask => return None,
            PermissionDecision::Allow => AskReply::Allow,
            PermissionDecision::Deny => AskReply::Deny(format!(
                "{by} does not allow it; do without, run what is allowed as a command of its own, or say why you need it with \
                 `dbs signal block TEXT`"
            )),
        };
        Some((by, reply))
    }

    /// All rules for a role at a stage; `None` if the roles cannot be read.
    pub(super) fn rules(
        &self,
        role: &RoleId,
        stage: &StageId,
        own: Vec<PermissionRule>,
    ) -> Option<RoleRules> {
        let library = (self.prompts.library)();
        let library = library
            .inspect_err(|why| tracing::warn!("could not {why}"))
            .ok()?;
        let file = library.role(role, stage);
        let mut all = RoleRules {
            own: own.len(),
            rules: own,
            file: file.map(|file| file.id.clone()),
        };
        all.rules
            .extend(file.into_iter().flat_map(|file| file.permissions.clone()));
        Some(all)
    }
}

impl RoleRules {
    /// Returns the name of a rule in the log, and for the agent.
    fn name(&self, role: &RoleId, found: &PermissionRule) -> String {
        let is_own = self.rules.iter().take(self.own).any(|own| own == found);
        match self.file.as_ref().filter(|_| !is_own) {
            Some(file) => format!("role {file} (`{found}`)"),
            None => format!("{} (`{found}`)", setting(role)),
        }
    }
}

fn setting(role: &RoleId) -> String {
    format!("roles.{role}.permissions")
}

/// The places that the path of a use leads to: as it is written, and where links lead it. From the folder if they are in it.
fn places(folder: &Path, tool_use: &ToolUse) -> Vec<String> {
    let (ToolAction::Read(path) | ToolAction::Edit(path)) = &tool_use.action else {
        return Vec::new();
    };
    let written = folder.join(path);
    let Some(followed) = followed(&written) else {
        return Vec::new();
    };
    let home = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    [(plain(&written), folder), (followed, &home)]
        .map(|(path, folder)| {
            let below = path.strip_prefix(folder).unwrap_or(&path);
            below.to_string_lossy().replace('\\', "/")
        })
        .into()
}

/// Without `.` and `..`, by the letters alone.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

/// Resolves a path as the system would: links are followed in the part that exists. `None` for a path that goes up from a part that does
/// not exist, or through a link that leads nowhere.
fn followed(path: &Path) -> Option<PathBuf> {
    let there = path.ancestors().find(|part| part.symlink_metadata().is_ok())?;
    let rest = path.strip_prefix(there).ok()?;
    let is_below = rest.components().all(|part| matches!(part, Component::Normal(_)));
    let there = there.canonicalize().ok()?;
    is_below.then(|| {
        if rest.as_os_str().is_empty() {
            there
        } else {
            there.join(rest)
        }
    })
}

#[cfg(all(test, unix))]
mod tests;
