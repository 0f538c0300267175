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

    /// All rules for a role at a stage; none when the roles cannot be read.
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
fn places(folder: &Path, wanted: &ToolUse) -> Vec<String> {
    let (ToolAction::Read(path) | ToolAction::Edit(path)) = &wanted.action else {
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

/// Resolves a path as the system would: links are followed in the part that exists. Nothing for a path that goes up from a part that does
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
mod tests {
    use super::*;
    use std::fs;

    use super::super::{AgentTool, AgentsByRole, ClaudeAgent, RoleAgent, RoleOptions, kind, prompt};
    use crate::domain::{AskChannel, Verdict, Workplace};
    use crate::formats::permissions::read_setting;
    use crate::formats::prompt::{PromptError, PromptLibrary};
    use crate::read_model::settled_attempt;
    use parking_lot::RwLock;
    use std::sync::Arc;

    /// Claude Code in every role, with that setting.
    fn agents(setting: &str) -> LocalAgents {
        let (rules, permissions) = read_setting(setting).unwrap_or_default();
        let options = RoleOptions {
            permissions,
            rules,
            ..RoleOptions::default()
        };
        let tool = AgentTool::Claude(ClaudeAgent);
        LocalAgents {
            kinds: RwLock::new(AgentsByRole {
                default: Some(RoleAgent { tool, options }),
                ..AgentsByRole::default()
            }),
            context: kind::tests::context(),
            may_start: Arc::new(|_, _| Ok(())),
            prompts: prompt::in_temporary_folder(),
        }
    }

    fn answered(agents: &LocalAgents, kind: AskKind, wanted: Option<&ToolUse>) -> Option<(String, AskReply)> {
        let ask = Ask {
            id: "k".into(),
            kind,
            text: "anything".to_owned(),
            options: Vec::new(),
            channel: AskChannel::Request,
        };
        let mut attempt = settled_attempt(1, "development", 0, 1, Verdict::Passed);
        attempt.workplace = Some(Workplace {
            path: "/w".to_owned(),
            branch: None,
            start: None,
            start_tree: None,
            git_overrides: None,
        });
        agents.answer_rule(&attempt, &ask, wanted)
    }

    fn run(command: &str) -> ToolUse {
        ToolUse {
            tool: "Bash".to_owned(),
            action: ToolAction::Run(command.to_owned()),
        }
    }

    #[test]
    fn rules_of_the_settings_stand_before_those_of_the_role_and_the_policy_behind() {
        let agents = agents("allow run git push origin HEAD; allow");
        let on = |command: &str| answered(&agents, AskKind::Permission, Some(&run(command)));
        let (by, reply) = on("git push origin HEAD").unwrap();
        assert_eq!(
            by,
            "roles.developer.permissions (`allow run git push origin HEAD`)"
        );
        assert_eq!(reply, AskReply::Allow);
        let (by, reply) = on("git push origin main").unwrap();
        assert_eq!(by, "role developer (`deny run git push*`)");
        assert!(matches!(reply, AskReply::Deny(why) if why.contains("does not allow it")));
        let by_policy = ("roles.developer.permissions".to_owned(), AskReply::Allow);
        assert_eq!(on("for i in 1 2; do make; done"), Some(by_policy));
    }

    #[test]
    fn questions_and_plans_are_never_answered_by_a_rule() {
        let agents = agents("allow * *; allow");
        for kind in [AskKind::Question, AskKind::Plan, AskKind::Dialog] {
            assert_eq!(answered(&agents, kind, Some(&run("make"))), None, "{kind:?}");
        }
        assert!(answered(&agents, AskKind::Permission, Some(&run("make"))).is_some());
    }

    #[test]
    fn without_roles_that_can_be_read_a_person_is_asked() {
        let mut agents = agents("allow * *; allow");
        agents.prompts.library = Arc::new(|| Err::<PromptLibrary, _>(PromptError::TooLong(1)));
        assert_eq!(answered(&agents, AskKind::Permission, Some(&run("make"))), None);
    }

    #[test]
    fn what_is_to_be_done_must_be_known_to_be_allowed() {
        assert_eq!(answered(&agents("allow"), AskKind::Permission, None), None);
        assert_eq!(
            answered(&agents("ask"), AskKind::Permission, Some(&run("make"))),
            None
        );
    }

    fn edit(path: &str) -> ToolUse {
        ToolUse {
            tool: "Edit".to_owned(),
            action: ToolAction::Edit(path.to_owned()),
        }
    }

    #[test]
    fn a_path_is_seen_from_the_folder_and_where_links_lead_it() {
        let outside = tempfile::tempdir().unwrap();
        let around = tempfile::tempdir().unwrap();
        let folder = around.path().join("tree");
        fs::create_dir_all(folder.join("src")).unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.join("out")).unwrap();
        std::os::unix::fs::symlink("/nowhere/at/all", folder.join("lost")).unwrap();
        let away = outside.path().canonicalize().unwrap().join("x");
        let away = away.to_string_lossy().into_owned();
        let whole = folder.join("src/new/x.rs");
        let inside = |path: &str| vec![path.to_owned(), path.to_owned()];
        for (path, expected) in [
            ("src/x.rs", inside("src/x.rs")),
            (whole.to_str().unwrap(), inside("src/new/x.rs")),
            ("src/../y", inside("y")),
            ("out/x", vec!["out/x".to_owned(), away]),
            ("lost/x", vec![]),
            ("none/../../x", vec![]),
            ("/etc/passwd", inside("/etc/passwd")),
        ] {
            assert_eq!(places(&folder, &edit(path)), expected, "{path}");
        }
        let up = places(&folder, &edit("../x"));
        assert!(up.iter().all(|path| path.starts_with('/')), "{up:?}");
    }
}
