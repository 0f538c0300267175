//! Kinds of agents: from a brief to a command line and an environment. Nothing is started here.
//!
//! Two kinds so far: `rehearsal`, the built-in scripted agent, and `custom`, a command of the person's own.

mod environment;
mod program;

pub use environment::InheritedEnv;
pub use program::find_program;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::RwLock;

use crate::domain::event::EndCause;
use crate::domain::{AttemptId, Cause, RoleId, Timestamp, TroubleKind};
use crate::formats::end_rules;
use crate::ports::agents::{Agents, Brief, LaunchCommand};

/// How the agents of one role are started: the built-in rehearsal or a command line of the user's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentConfig {
    /// The built-in scripted agent with that scenario: a file, or `demo`.
    Rehearsal {
        scenario: String,
        speed: NumberText,
        /// Seconds after which questions answer themselves; `None` as the scenario says.
        answer_after: Option<NumberText>,
    },
    /// A command of one's own: program and arguments, never a shell line. `{task}`, `{title}`, `{body}`, `{branch}`, `{base}`,
    /// `{role}`, `{finding}` inside an argument are replaced; an argument stays one argument whatever is put in.
    Custom(Vec<String>),
}

/// A number kept as the text in which it was configured, because it is only passed on to the rehearsal.
pub type NumberText = String;

/// Function that computes the secret token of an attempt.
pub type TokenFn = Arc<dyn Fn(AttemptId, Timestamp) -> String + Send + Sync>;

/// Function that says why these words may not be started in that folder, if so: a command line, or the name of a scenario.
pub type StartCheck = Arc<dyn Fn(&[String], &Path) -> Result<(), Cause> + Send + Sync>;

/// The agent configuration of each role, with one for all other roles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentsByRole {
    pub by_role: BTreeMap<RoleId, AgentConfig>,
    /// Kind of every other role, if any.
    pub default: Option<AgentConfig>,
}

impl AgentsByRole {
    fn of(&self, role: &RoleId) -> Option<AgentConfig> {
        self.by_role.get(role).or(self.default.as_ref()).cloned()
    }

    /// Programs that agents are started with, where their names are known beforehand.
    pub fn programs(&self) -> impl Iterator<Item = &str> {
        let all = self.by_role.values().chain(&self.default);
        all.filter_map(|kind| match kind {
            AgentConfig::Custom(words) => words.first().map(String::as_str),
            AgentConfig::Rehearsal { .. } => None,
        })
        .filter(|name| !name.contains('{'))
    }

    /// Whether any agent is a scripted one.
    pub fn has_rehearsal(&self) -> bool {
        let mut all = self.by_role.values().chain(&self.default);
        all.any(|kind| matches!(kind, AgentConfig::Rehearsal { .. }))
    }
}

/// Implementation of the `Agents` port that builds command lines and environments from the configuration.
pub struct LocalAgents {
    /// This program, for the built-in agent and for the agents' own calls.
    pub program: PathBuf,
    /// Kinds in force; may be replaced at any time, for those who start afterwards.
    pub kinds: RwLock<AgentsByRole>,
    pub inherited: InheritedEnv,
    pub socket: PathBuf,
    /// Folder for signals while no server listens.
    pub inbox: PathBuf,
    pub root: PathBuf,
    pub token: TokenFn,
    pub may_start: StartCheck,
}

impl std::fmt::Debug for LocalAgents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalAgents")
            .field("kinds", &self.kinds)
            .finish_non_exhaustive()
    }
}

impl Agents for LocalAgents {
    fn launch_command(&self, brief: &Brief) -> Result<LaunchCommand, Cause> {
        let kind = self.kind(&brief.role).ok_or_else(|| {
            TroubleKind::Agent.cause(format!(
                "could not start a {role}: no agent is configured for it; set one with `dbs config roles.{role}.command \
                 'PROGRAM ARGUMENT …'`",
                role = brief.role
            ))
        })?;
        (self.may_start)(kind.words(), &brief.folder)?;
        self.check_program(&kind, brief)?;
        let mut env = self.inherited.clone().into_pairs();
        env.extend(self.identity(brief));
        let argv = match kind {
            AgentConfig::Rehearsal {
                scenario,
                speed,
                answer_after,
            } => {
                env.push(("DBS_REHEARSAL_SPEED".to_owned(), speed));
                if let Some(seconds) = answer_after {
                    env.push(("DBS_REHEARSAL_ANSWER_AFTER".to_owned(), seconds));
                }
                vec![
                    self.program.to_string_lossy().into_owned(),
                    "rehearse".to_owned(),
                    scenario,
                ]
            }
            AgentConfig::Custom(words) => words.iter().map(|word| expand(word, brief)).collect(),
        };
        Ok(LaunchCommand { argv, env })
    }

    fn end_cause(&self, role: &RoleId, tail: &str, now: Timestamp) -> Option<EndCause> {
        end_rules::builtin().cause(self.kind(role)?.tool()?, tail, now)
    }
}

impl AgentConfig {
    /// Its command line as configured; of a scripted agent the name of its scenario.
    fn words(&self) -> &[String] {
        match self {
            AgentConfig::Rehearsal { scenario, .. } => std::slice::from_ref(scenario),
            AgentConfig::Custom(words) => words,
        }
    }

    /// Name of the program whose words it ends with.
    fn tool(&self) -> Option<&str> {
        match self {
            AgentConfig::Rehearsal { .. } => Some("rehearsal"),
            AgentConfig::Custom(words) => Path::new(words.first()?).file_stem()?.to_str(),
        }
    }
}

impl LocalAgents {
    fn kind(&self, role: &RoleId) -> Option<AgentConfig> {
        self.kinds.read().of(role)
    }

    /// Looks whether the program of a command is there.
    ///
    /// # Errors
    /// When it is not: what was looked for, where, and the way out.
    fn check_program(&self, kind: &AgentConfig, brief: &Brief) -> Result<(), Cause> {
        let (AgentConfig::Custom(words), Some(path)) = (kind, self.inherited.get("PATH")) else {
            return Ok(());
        };
        let name = words.first().map(|word| expand(word, brief)).unwrap_or_default();
        if find_program(&name, &brief.folder, path).is_some() {
            return Ok(());
        }
        Err(TroubleKind::Agent.cause(format!(
            "could not find the program {name} for a {role}: looked in {path}; install it, or name another with `dbs config \
             roles.{role}.command 'PROGRAM ARGUMENT …'`",
            role = brief.role
        )))
    }

    /// Who the agent is and how it sends signals to the engine (K51).
    fn identity(&self, brief: &Brief) -> Vec<(String, String)> {
        let text = |path: &PathBuf| path.to_string_lossy().into_owned();
        let tags: Vec<&str> = brief.tags.iter().map(String::as_str).collect();
        [
            ("DBS_ATTEMPT", brief.attempt.to_string()),
            ("DBS_TOKEN", (self.token)(brief.attempt, brief.created_at)),
            ("DBS_TASK", brief.task.to_string()),
            ("DBS_TITLE", brief.title.clone()),
            ("DBS_TAGS", tags.join(",")),
            ("DBS_STAGE", brief.stage.to_string()),
            ("DBS_ROLE", brief.role.to_string()),
            ("DBS_AGENT", brief.name.clone()),
            ("DBS_MODE", brief.mode.to_string()),
            ("DBS_ATTEMPT_NUMBER", brief.n.to_string()),
            ("DBS_BRANCH", brief.branch.clone()),
            ("DBS_BASE", brief.base.clone()),
            ("DBS_FINDING", brief.finding.clone().unwrap_or_default()),
            ("DBS_PROGRAM", text(&self.program)),
            ("DBS_SOCKET", text(&self.socket)),
            ("DBS_INBOX", text(&self.inbox)),
            ("DBS_ROOT", text(&self.root)),
            ("DBS_WORKTREE", text(&brief.folder)),
            ("DEBUSSY_ROLE", brief.role.to_string()),
            ("DEBUSSY_BEAD", brief.task.to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value.replace('\0', "")))
        .to_vec()
    }
}

/// Puts the brief into one argument. One pass, so that what is put in is never read again.
fn expand(word: &str, brief: &Brief) -> String {
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

fn value(name: &str, brief: &Brief) -> Option<String> {
    Some(match name {
        "task" => brief.task.to_string(),
        "title" => brief.title.clone(),
        "body" => brief.body.clone(),
        "branch" => brief.branch.clone(),
        "base" => brief.base.clone(),
        "role" => brief.role.to_string(),
        "finding" => brief.finding.clone().unwrap_or_default(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::AttemptMode;

    fn brief() -> Brief {
        Brief {
            attempt: AttemptId(7),
            created_at: Timestamp(1),
            task: "dbs-1".into(),
            title: "Add {branch}; rm -rf ~".into(),
            body: String::new(),
            tags: ["security".to_owned()].into(),
            stage: "development".into(),
            role: "developer".into(),
            name: "developer-ravel".into(),
            mode: AttemptMode::Fresh,
            n: 1,
            folder: "/w".into(),
            branch: "feature/dbs-1".into(),
            base: "main".into(),
            finding: None,
        }
    }

    fn configured(otherwise: Option<AgentConfig>) -> LocalAgents {
        LocalAgents {
            program: "/bin/dbs".into(),
            kinds: RwLock::new(AgentsByRole {
                default: otherwise,
                ..AgentsByRole::default()
            }),
            inherited: InheritedEnv::default(),
            socket: "/s".into(),
            inbox: "/i".into(),
            root: "/r".into(),
            token: Arc::new(|attempt, at| format!("{attempt}-{}", at.0)),
            may_start: Arc::new(|_, _| Ok(())),
        }
    }

    #[test]
    fn task_text_stays_one_argument_and_is_not_read_again() {
        let command = ["tool", "--say={title}", "{nothing}", "{"]
            .map(str::to_owned)
            .to_vec();
        let line = configured(Some(AgentConfig::Custom(command)))
            .launch_command(&brief())
            .unwrap();
        assert_eq!(
            line.argv,
            ["tool", "--say=Add {branch}; rm -rf ~", "{nothing}", "{"]
        );
    }

    #[test]
    fn an_agent_gets_its_own_token_and_the_seeds_names() {
        let line = configured(Some(AgentConfig::Custom(vec!["x".into()])))
            .launch_command(&brief())
            .unwrap();
        let get = |name: &str| {
            line.env
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.as_str())
        };
        assert_eq!(get("DBS_TOKEN"), Some("7-1"));
        assert_eq!(get("DBS_PROGRAM"), Some("/bin/dbs"));
        assert_eq!(get("DEBUSSY_ROLE"), Some("developer"));
        assert_eq!(get("ANTHROPIC_API_KEY"), None);
    }

    #[test]
    fn a_program_that_is_not_there_is_named_with_where_it_was_looked_for() {
        let mut configured = configured(Some(AgentConfig::Custom(vec!["no-such-tool".into()])));
        configured.inherited =
            InheritedEnv::from_environment([("PATH".to_owned(), "/nowhere:/neither".to_owned())]);
        let why = configured.launch_command(&brief()).unwrap_err();
        for part in [
            "no-such-tool",
            "/nowhere:/neither",
            "dbs config roles.developer.command",
        ] {
            assert!(why.text.contains(part), "{why}");
            assert_eq!(why.kind, TroubleKind::Agent);
        }
    }

    #[test]
    fn a_role_without_an_agent_is_an_error_with_the_way_out() {
        let why = configured(None).launch_command(&brief()).unwrap_err();
        assert!(why.text.contains("dbs config roles.developer.command"), "{why}");
        assert_eq!(why.kind, TroubleKind::Agent);
    }

    #[test]
    fn what_may_not_be_started_has_no_command_line() {
        let words = ["sh", "-c", "true"].map(str::to_owned).to_vec();
        let mut agents = configured(Some(AgentConfig::Custom(words)));
        agents.may_start = Arc::new(|words, folder| {
            assert_eq!(
                (words, folder),
                (&["sh", "-c", "true"].map(str::to_owned)[..], Path::new("/w"))
            );
            Err(TroubleKind::Untrusted.cause("not trusted"))
        });
        assert_eq!(
            agents.launch_command(&brief()),
            Err(TroubleKind::Untrusted.cause("not trusted"))
        );
    }
}
