//! Agents that are known by name: the way to find each, the place of a person's login, and its features here.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{AgentTool, ClaudeAgent, CodexAgent, DescribedAgent};
use crate::formats::agent_kind::{AgentKinds, DescribedKind, ScreenRule, ScreenState};
use crate::formats::permissions::PermissionPolicy;

/// An agent that is known by name.
#[derive(Debug, Clone)]
pub struct KnownAgent {
    /// Name of the agent here.
    pub name: String,
    /// Program that it is found by.
    pub program: String,
    /// Way to install it.
    pub install: String,
    /// The setting with which it plays every role.
    pub setting: String,
    pub support: AgentSupport,
    /// True if its program reports its version when it is asked.
    pub tells_version: bool,
    login: LoginSigns,
    way_to_log_in: Option<String>,
}

/// Features of an agent that work here.
#[derive(Debug, Clone, Copy, Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, with a name in JSON"
)]
pub struct AgentSupport {
    /// True if it shows its own interface in a pane.
    pub visible: bool,
    /// True if it can run without its own interface.
    pub headless: bool,
    /// True if its activity is known: by its reports or by the title of its window.
    pub states: bool,
    /// Way of its questions to a person: `hook`, `keys` or `terminal`.
    pub asks: &'static str,
    /// True if an attempt can continue the session of an earlier one.
    pub resume: bool,
    /// True if `roles.<role>.model` reaches it.
    pub model: bool,
    /// True if `roles.<role>.effort` reaches it.
    pub effort: bool,
    /// True if `roles.<role>.permissions` can let it work without a person.
    pub allow: bool,
    /// True if `roles.<role>.permissions` can let it change files without a person, and nothing else.
    pub edits: bool,
    /// True if its cost is counted.
    pub reports_cost: bool,
}

/// State of a login, found without asking the agent or its service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LoginState {
    /// Login that was found; the text is its place. Only the agent can find out whether it is still valid.
    Found(String),
    Unknown,
}

/// Signs that a person is logged in.
#[derive(Debug, Clone)]
struct LoginSigns {
    /// Variables that reach it and hold a key.
    variables: Vec<String>,
    /// The variable that names its folder, and the folder in the person's home without it.
    folder: (&'static str, &'static str),
    /// Files in that folder.
    files: Vec<String>,
}

/// Versions that the tests run, by the name of the agent.
const TESTED: [(&str, &str); 3] = [
    ("claude", "2.1.332"),
    ("codex", "0.171.0"),
    ("opencode", "1.18.33"),
];

/// Returns the names of the tools that work with and without an interface: of those that settings name, and of those that come with the
/// program, because a task may name an agent that no setting names.
pub(super) fn both_ways<'a>(set: impl Iterator<Item = &'a AgentTool>) -> BTreeSet<String> {
    let set: Vec<&AgentTool> = set.collect();
    let builtins = builtins();
    let is_set = |tool: &&AgentTool| set.iter().any(|named| named.name() == tool.name());
    let others = builtins.iter().filter(|tool| !is_set(tool));
    let both = others
        .chain(set.iter().copied())
        .filter(|tool| tool.kind().runs_headless());
    both.map(|tool| tool.name().to_owned()).collect()
}

/// Returns the tools that come with the program, except the scripted one.
fn builtins() -> Vec<AgentTool> {
    let described = AgentKinds::default().all().into_iter();
    let described = described.map(|kind| AgentTool::Described(DescribedAgent(kind)));
    let own = [AgentTool::Claude(ClaudeAgent), AgentTool::Codex(CodexAgent)];
    own.into_iter().chain(described).collect()
}

/// Returns the version that the tests run, if that of the agent is newer.
pub fn tested_before(agent: &str, version: &str) -> Option<&'static str> {
    let (_, tested) = TESTED.iter().find(|(name, _)| *name == agent)?;
    (numbers(version) > numbers(tested)).then_some(tested)
}

fn numbers(version: &str) -> Vec<u64> {
    let parts = version.split(|sign: char| !sign.is_ascii_digit());
    parts.filter_map(|part| part.parse().ok()).collect()
}

/// Features of a custom command, whatever it starts.
pub const CUSTOM: AgentSupport = AgentSupport {
    visible: true,
    headless: false,
    states: false,
    asks: "terminal",
    resume: false,
    model: false,
    effort: false,
    allow: false,
    edits: false,
    reports_cost: false,
};

/// Returns all known agents: those that are written in Rust, then those that files describe.
pub fn known_agents(kinds: &AgentKinds) -> Vec<KnownAgent> {
    let described = kinds.all();
    let described = described.iter().map(|kind| of_file(kind));
    [claude(), codex()].into_iter().chain(described).collect()
}

fn claude() -> KnownAgent {
    let keys = [
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "CLAUDE_CODE_OAUTH_TOKEN",
    ];
    KnownAgent {
        support: AgentSupport {
            reports_cost: true,
            ..FULL
        },
        login: LoginSigns {
            variables: keys.map(str::to_owned).into(),
            folder: ("CLAUDE_CONFIG_DIR", ".claude"),
            files: vec![".credentials.json".to_owned()],
        },
        way_to_log_in: Some("run `claude` in a terminal and log in with `/login`".to_owned()),
        ..named("claude", "npm install -g @anthropic-ai/claude-code")
    }
}

fn codex() -> KnownAgent {
    KnownAgent {
        support: FULL,
        login: LoginSigns {
            variables: vec!["CODEX_API_KEY".to_owned()],
            folder: ("CODEX_HOME", ".codex"),
            files: vec!["auth.json".to_owned()],
        },
        way_to_log_in: Some("log in with `codex login`".to_owned()),
        ..named("codex", "npm install -g @openai/codex")
    }
}

/// Features of an agent that is written in Rust.
const FULL: AgentSupport = AgentSupport {
    visible: true,
    headless: true,
    states: true,
    asks: "hook",
    resume: true,
    model: true,
    effort: true,
    allow: true,
    edits: true,
    reports_cost: false,
};

fn named(name: &str, install: &str) -> KnownAgent {
    KnownAgent {
        name: name.to_owned(),
        program: name.to_owned(),
        install: install.to_owned(),
        setting: format!("dbs config roles.default.agent {name}"),
        support: CUSTOM,
        tells_version: true,
        login: LoginSigns {
            variables: Vec::new(),
            folder: ("", ""),
            files: Vec::new(),
        },
        way_to_log_in: None,
    }
}

fn of_file(kind: &DescribedKind) -> KnownAgent {
    KnownAgent {
        program: kind.program.clone(),
        support: AgentSupport {
            headless: kind.headless.is_some(),
            states: !kind.titles.is_empty() || !kind.screens.is_empty(),
            asks: way_of_asks(kind),
            resume: kind.resume.is_some(),
            model: !kind.model.is_empty(),
            effort: !kind.effort.is_empty(),
            allow: kind.permissions.contains_key(&PermissionPolicy::Allow),
            edits: kind.permissions.contains_key(&PermissionPolicy::Edits),
            ..CUSTOM
        },
        tells_version: kind.tells_version,
        login: LoginSigns {
            variables: kind.login.variables.clone(),
            folder: ("", ""),
            files: kind.login.files.clone(),
        },
        way_to_log_in: kind.login.way.clone(),
        ..named(&kind.name, &kind.install)
    }
}

/// Returns the way of the questions of a tool: by its plugin, else by keys where its screen shows what it asks.
fn way_of_asks(kind: &DescribedKind) -> &'static str {
    let is_shown = |rule: &ScreenRule| rule.state == ScreenState::Permission;
    match kind.plugin {
        Some(_) => "hook",
        None if kind.screens.iter().any(is_shown) => "keys",
        None => "terminal",
    }
}

impl KnownAgent {
    /// Returns whether a person is logged in, according to their variables and the names of files in their home. No file is read.
    pub fn login(&self, variable: impl Fn(&str) -> Option<String>, home: Option<&Path>) -> LoginState {
        let found = self
            .variable(&variable)
            .cloned()
            .or_else(|| self.login_file(&variable, home));
        found.map_or(LoginState::Unknown, LoginState::Found)
    }

    /// The login of a person that is not used because a variable with a key comes before it (LA-2).
    pub fn unused_login(
        &self,
        variable: impl Fn(&str) -> Option<String>,
        home: Option<&Path>,
    ) -> Option<String> {
        self.variable(&variable)?;
        self.login_file(&variable, home)
    }

    /// The variable with a key that is set.
    fn variable(&self, variable: impl Fn(&str) -> Option<String>) -> Option<&String> {
        let is_set = |name: &&String| variable(name).is_some_and(|value| !value.is_empty());
        self.login.variables.iter().find(is_set)
    }

    fn login_file(&self, variable: impl Fn(&str) -> Option<String>, home: Option<&Path>) -> Option<String> {
        let (name, usual) = self.login.folder;
        let own = variable(name)
            .filter(|folder| !folder.is_empty())
            .map(PathBuf::from);
        let folder = own.or_else(|| home.map(|home| home.join(usual)))?;
        let mut files = self.login.files.iter().map(|file| folder.join(file));
        files
            .find(|file| file.is_file())
            .map(|file| file.display().to_string())
    }

    /// Returns the way to log in, if that is known.
    pub fn way_to_log_in(&self) -> Option<&str> {
        self.way_to_log_in.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::agents::{AgentKind as _, AgentTool, CustomAgent};

    #[test]
    fn an_agent_is_said_to_resume_sessions_where_its_kind_does() {
        for known in known_agents(&AgentKinds::default()) {
            let tool = AgentTool::builtin(&known.name).unwrap();
            let kind = tool.kind();
            assert_eq!(known.support.resume, kind.keeps_sessions(), "{}", known.name);
            assert_eq!(known.way_to_log_in(), kind.way_to_log_in().as_deref());
            assert_eq!(Some(known.program.as_str()), kind.program());
        }
        let custom = CustomAgent(vec!["x".to_owned()]);
        assert_eq!(CUSTOM.resume, custom.keeps_sessions());
    }

    #[test]
    fn a_version_newer_than_those_the_tests_run_is_named() {
        let installed = include_str!("../../../.ci/agents/package.json");
        for (_, tested) in TESTED {
            assert!(installed.contains(&format!("\"{tested}\"")), "{tested}");
        }
        assert_eq!(tested_before("claude", "2.1.1000"), Some("2.1.332"));
        assert_eq!(tested_before("codex", "0.171.0"), None);
        assert_eq!(tested_before("codex", "0.99.5"), None);
        assert_eq!(tested_before("aider", "9"), None);
    }

    #[test]
    fn a_login_is_seen_by_a_variable_or_a_file_and_otherwise_unknown() {
        let home = tempfile::tempdir().unwrap();
        let claude = claude();
        let none = |_: &str| None;
        assert_eq!(claude.login(none, Some(home.path())), LoginState::Unknown);
        assert_eq!(claude.login(none, None), LoginState::Unknown);
        let key = |name: &str| (name == "ANTHROPIC_API_KEY").then(|| "secret".to_owned());
        assert_eq!(
            claude.login(key, Some(home.path())),
            LoginState::Found("ANTHROPIC_API_KEY".to_owned())
        );
        assert_eq!(claude.unused_login(key, Some(home.path())), None);
        let file = home.path().join("own/.credentials.json");
        std::fs::create_dir(home.path().join("own")).unwrap();
        std::fs::write(&file, "secret").unwrap();
        let own = home.path().join("own").display().to_string();
        let moved = |name: &str| (name == "CLAUDE_CONFIG_DIR").then(|| own.clone());
        assert_eq!(
            claude.login(moved, None),
            LoginState::Found(file.display().to_string())
        );
        assert_eq!(claude.unused_login(moved, None), None);
        let both = |name: &str| moved(name).or_else(|| key(name));
        assert_eq!(claude.unused_login(both, None), Some(file.display().to_string()));
    }
}
