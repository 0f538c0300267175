//! The agents that are known by name: how each is found, where it keeps the login of a person, and what it can do here.

use std::path::{Path, PathBuf};

use serde::Serialize;

/// An agent that is known by name.
#[derive(Debug, Clone, Copy)]
pub struct KnownAgent {
    /// Its name here, and that of its program.
    pub name: &'static str,
    /// How a person gets it.
    pub install: &'static str,
    /// The setting with which it plays every role.
    pub setting: &'static str,
    pub support: AgentSupport,
    login: LoginPlaces,
}

/// What works with an agent here.
#[derive(Debug, Clone, Copy, Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, with a name in JSON"
)]
pub struct AgentSupport {
    /// Whether it shows its own interface in a pane.
    pub visible: bool,
    /// How what it asks reaches a person: `hook`, `keys` or `terminal`.
    pub asks: &'static str,
    /// Whether an attempt goes on with the session of an earlier one.
    pub resume: bool,
    /// Whether `roles.<role>.model` and `roles.<role>.effort` reach it.
    pub model_and_effort: bool,
}

/// Whether a login was found, without asking anybody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LoginState {
    /// It is there; where. Whether it still holds only the agent can find out.
    Found(String),
    Unknown,
}

/// Where an agent keeps a login, or is given one.
#[derive(Debug, Clone, Copy)]
struct LoginPlaces {
    /// Variables that reach it and hold a key.
    variables: &'static [&'static str],
    /// The variable that names its folder, and the folder in the person's home without it.
    folder: (&'static str, &'static str),
    files: &'static [&'static str],
}

/// What a command of one's own can do, whatever it starts.
pub const CUSTOM: AgentSupport = AgentSupport {
    visible: true,
    asks: "terminal",
    resume: false,
    model_and_effort: false,
};

/// All of them.
pub const KNOWN: &[KnownAgent] = &[
    KnownAgent {
        name: "claude",
        install: "npm install -g @anthropic-ai/claude-code",
        setting: "dbs config roles.default.agent claude",
        support: AgentSupport {
            asks: "hook",
            resume: true,
            model_and_effort: true,
            ..CUSTOM
        },
        login: LoginPlaces {
            variables: &[
                "ANTHROPIC_API_KEY",
                "ANTHROPIC_AUTH_TOKEN",
                "CLAUDE_CODE_OAUTH_TOKEN",
            ],
            folder: ("CLAUDE_CONFIG_DIR", ".claude"),
            files: &[".credentials.json"],
        },
    },
    KnownAgent {
        name: "codex",
        install: "npm install -g @openai/codex",
        setting: "dbs config roles.default.agent codex",
        support: AgentSupport {
            asks: "hook",
            resume: true,
            model_and_effort: true,
            ..CUSTOM
        },
        login: LoginPlaces {
            variables: &["CODEX_API_KEY"],
            folder: ("CODEX_HOME", ".codex"),
            files: &["auth.json"],
        },
    },
    KnownAgent {
        name: "opencode",
        install: "npm install -g opencode-ai",
        setting: "dbs config roles.default.command 'opencode run {prompt}'",
        support: CUSTOM,
        login: LoginPlaces {
            variables: &[],
            folder: ("", ".local/share/opencode"),
            files: &["auth.json"],
        },
    },
    KnownAgent {
        name: "gemini",
        install: "npm install -g @google/gemini-cli",
        setting: "dbs config roles.default.command 'gemini -p {prompt}'",
        support: CUSTOM,
        login: LoginPlaces {
            variables: &[],
            folder: ("", ".gemini"),
            files: &["oauth_creds.json"],
        },
    },
    KnownAgent {
        name: "aider",
        install: "pip install aider-chat",
        setting: "dbs config roles.default.command 'aider -m {prompt} --yes-always'",
        support: CUSTOM,
        login: LoginPlaces {
            variables: &[],
            folder: ("", ".aider"),
            files: &["oauth-keys.env"],
        },
    },
];

impl KnownAgent {
    /// Whether a person is logged in, as far as their variables and the names of files in their home say. No file is read.
    pub fn login(&self, variable: impl Fn(&str) -> Option<String>, home: Option<&Path>) -> LoginState {
        let is_set = |name: &&&str| variable(name).is_some_and(|value| !value.is_empty());
        if let Some(name) = self.login.variables.iter().find(is_set) {
            return LoginState::Found((*name).to_owned());
        }
        let (name, usual) = self.login.folder;
        let own = variable(name)
            .filter(|folder| !folder.is_empty())
            .map(PathBuf::from);
        let folder = own.or_else(|| home.map(|home| home.join(usual)));
        let files = folder
            .into_iter()
            .flat_map(|folder| self.login.files.iter().map(move |file| folder.join(file)));
        let found = files.into_iter().find(|file| file.is_file());
        found.map_or(LoginState::Unknown, |file| {
            LoginState::Found(file.display().to_string())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::agents::{AgentKind, ClaudeAgent, CodexAgent, CustomAgent};

    #[test]
    fn an_agent_is_said_to_resume_sessions_where_its_kind_does() {
        let kinds: [(&str, &dyn AgentKind); 2] = [("claude", &ClaudeAgent), ("codex", &CodexAgent)];
        for known in KNOWN {
            let kind = kinds.iter().find(|(name, _)| *name == known.name);
            let resumes = kind.is_some_and(|(_, kind)| kind.keeps_sessions());
            assert_eq!(known.support.resume, resumes, "{}", known.name);
        }
        let custom = CustomAgent(vec!["x".to_owned()]);
        assert_eq!(CUSTOM.resume, custom.keeps_sessions());
    }

    #[test]
    fn a_login_is_seen_by_a_variable_or_a_file_and_otherwise_unknown() {
        let home = tempfile::tempdir().unwrap();
        let claude = &KNOWN[0];
        let none = |_: &str| None;
        assert_eq!(claude.login(none, Some(home.path())), LoginState::Unknown);
        assert_eq!(claude.login(none, None), LoginState::Unknown);
        let key = |name: &str| (name == "ANTHROPIC_API_KEY").then(|| "secret".to_owned());
        assert_eq!(
            claude.login(key, Some(home.path())),
            LoginState::Found("ANTHROPIC_API_KEY".to_owned())
        );
        let file = home.path().join("own/.credentials.json");
        std::fs::create_dir(home.path().join("own")).unwrap();
        std::fs::write(&file, "secret").unwrap();
        let own = home.path().join("own").display().to_string();
        let moved = |name: &str| (name == "CLAUDE_CONFIG_DIR").then(|| own.clone());
        assert_eq!(
            claude.login(moved, None),
            LoginState::Found(file.display().to_string())
        );
    }
}
