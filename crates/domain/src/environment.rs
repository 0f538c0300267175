//! Environment of agents, checks, setup commands and shells: the variables of the person's shell that they get, and those that are kept
//! from them.

use crate::glob::fits;
use crate::secret_variable::{has_secret_name, holds_secret};

/// Variables that every program gets, in both modes.
const ALWAYS: &[&str] = &[
    "PATH",
    "HOME",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TZ",
    "SHELL",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "TEMP",
    "TMP",
    "XDG_*",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "COMSPEC",
    "PATHEXT",
    "APPDATA",
    "LOCALAPPDATA",
    "USERPROFILE",
    "PROGRAMFILES",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];

/// Variables by which programs know this program's agents. Their values are always its own.
const OWN: &[&str] = &["DBS_*", "DEBUSSY_*"];

/// Variables that describe the person's terminal and shell themselves, or record what a tool has loaded for their folder. They would be
/// wrong elsewhere, so they are left out without a word.
const OF_THE_SHELL: &[&str] = &[
    "_",
    "PWD",
    "OLDPWD",
    "SHLVL",
    "SHELLOPTS",
    "BASHOPTS",
    "COLUMNS",
    "LINES",
    "TERM",
    "COLORTERM",
    "TERMCAP",
    "TERM_*",
    "LC_TERMINAL*",
    "TMUX*",
    "STY",
    "WINDOW",
    "WINDOWID",
    "ZELLIJ*",
    "KITTY_*",
    "WEZTERM_*",
    "ITERM_*",
    "ALACRITTY_*",
    "GHOSTTY_*",
    "KONSOLE_*",
    "GNOME_TERMINAL_*",
    "VTE_VERSION",
    "WT_SESSION",
    "WT_PROFILE_ID",
    "INSIDE_EMACS",
    "VSCODE_*",
    "SSH_TTY",
    "SSH_CLIENT",
    "SSH_CONNECTION",
    "DIRENV_*",
    "__MISE_*",
    "MISE_SHELL",
];

/// Variables that load code into every program, or point git at another repository.
const STEERING: &[&str] = &[
    "GIT_*",
    "BASH_ENV",
    "ENV",
    "BASH_FUNC_*",
    "LD_PRELOAD",
    "LD_AUDIT",
    "DYLD_*",
];

/// Variables with which a coding agent configures itself and marks the programs below it.
const OF_AGENTS: &[&str] = &[
    "CLAUDECODE",
    "CLAUDE_*",
    "CODEX_*",
    "GEMINI_CLI*",
    "OPENCODE*",
    "CURSOR_*",
    "AIDER_*",
    "AI_AGENT",
];

/// Variables with which a running agent marks the programs below it; an agent that is started anew never gets them.
const MARKERS: &[&str] = &[
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SSE_PORT",
    "CLAUDE_CODE_SESSION_ID",
    "CODEX_SANDBOX*",
    "GEMINI_CLI",
    "OPENCODE",
    "AI_AGENT",
];

/// Choice of the variables that pass unless a rule says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EnvironmentMode {
    /// All variables of the shell, without those that look like secrets or steer programs.
    #[default]
    Shell,
    /// The few that every program needs.
    Minimal,
}

/// Settings about the environment of agents, checks, setup commands and shells.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EnvironmentRules {
    pub mode: EnvironmentMode,
    /// Names that pass although they would be hidden; `*` matches any text.
    pub pass: Vec<String>,
    /// Names that never pass, whatever else says so; `*` matches any text.
    pub hide: Vec<String>,
    /// Variables with values of their own.
    pub set: Vec<(String, String)>,
}

/// Reason why a variable of the shell is not passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HiddenReason {
    /// Name or value that looks like a secret.
    Secret,
    /// Access to the keys of the person.
    Keys,
    /// Value that leads into the person's checkout, which is never the folder that is worked in.
    Checkout,
    /// Code that it loads into programs, or another repository that it points git at.
    Steers,
    /// Configuration or mark of a coding agent.
    Agent,
    /// The setting `environment.hide`.
    Setting,
    /// The mode `minimal`.
    Minimal,
}

impl HiddenReason {
    /// Returns the reason in words, for a list of names behind it.
    pub fn word(self) -> &'static str {
        match self {
            HiddenReason::Secret => "look like secrets",
            HiddenReason::Keys => "give access to your keys",
            HiddenReason::Checkout => "lead into your checkout",
            HiddenReason::Steers => "steer git or load code",
            HiddenReason::Agent => "belong to coding agents",
            HiddenReason::Setting => "environment.hide",
            HiddenReason::Minimal => "environment.mode is minimal",
        }
    }
}

/// Variable of the shell that is not passed on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct HiddenVariable {
    pub reason: HiddenReason,
    pub name: String,
}

/// Variables that programs get, with the names of those that they do not.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct FilteredEnvironment {
    /// Names and values, each name once.
    pub variables: Vec<(String, String)>,
    /// Hidden variables, by reason and name.
    pub hidden: Vec<HiddenVariable>,
}

/// Values may be private, so only names are shown.
impl std::fmt::Debug for FilteredEnvironment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.variables.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("FilteredEnvironment")
            .field("names", &names)
            .field("hidden", &self.hidden)
            .finish()
    }
}

/// Fate of one variable.
enum Fate {
    Passes,
    Hidden(HiddenReason),
    /// Variable that is left out without a word, because it would be wrong elsewhere.
    LeftOut,
}

impl EnvironmentRules {
    /// Returns the variables of a shell that pass, with those that are set here; `root` is the person's checkout, as text.
    pub fn filter(
        &self,
        all: impl IntoIterator<Item = (String, String)>,
        root: Option<&str>,
    ) -> FilteredEnvironment {
        let mut found = FilteredEnvironment::default();
        for (name, value) in all {
            if self.set.iter().any(|(set, _)| *set == name) {
                continue;
            }
            match self.fate(&name, &value, root) {
                Fate::Passes => found.variables.push((name, value)),
                Fate::Hidden(reason) => found.hidden.push(HiddenVariable { reason, name }),
                Fate::LeftOut => {}
            }
        }
        found.variables.extend(self.set.iter().cloned());
        found.hidden.sort();
        found
    }

    /// Returns true if a variable reaches the tool that declares it: not one that the settings hide, and no mark of a running agent.
    pub fn reaches_its_tool(&self, name: &str) -> bool {
        !is_among(name, &self.hide) && !is_among(name, MARKERS) && !is_among(name, OWN)
    }

    fn fate(&self, name: &str, value: &str, root: Option<&str>) -> Fate {
        if is_among(name, OWN) {
            return Fate::LeftOut;
        }
        if is_among(name, &self.hide) {
            return Fate::Hidden(HiddenReason::Setting);
        }
        if is_among(name, &self.pass) {
            return Fate::Passes;
        }
        if is_among(name, OF_THE_SHELL) {
            return Fate::LeftOut;
        }
        if is_among(name, ALWAYS) {
            return Fate::Passes;
        }
        let reasons = [
            (self.mode == EnvironmentMode::Minimal, HiddenReason::Minimal),
            (is_among(name, STEERING), HiddenReason::Steers),
            (is_among(name, OF_AGENTS), HiddenReason::Agent),
            (is_among(name, KEYS), HiddenReason::Keys),
            (has_secret_name(name) || holds_secret(value), HiddenReason::Secret),
            (
                root.is_some_and(|root| leads_into(value, root)),
                HiddenReason::Checkout,
            ),
        ];
        let hidden = reasons.into_iter().find(|(applies, _)| *applies);
        hidden.map_or(Fate::Passes, |(_, reason)| Fate::Hidden(reason))
    }
}

/// Sockets of programs that use the person's keys for any caller.
const KEYS: &[&str] = &["SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "SSH_ASKPASS"];

/// Returns true if a name fits one of the patterns. Windows does not tell capitals apart.
fn is_among(name: &str, patterns: &[impl AsRef<str>]) -> bool {
    let mut patterns = patterns.iter().map(AsRef::as_ref);
    if cfg!(windows) {
        let name = name.to_uppercase();
        return patterns.any(|pattern| fits(&pattern.to_uppercase(), &name));
    }
    patterns.any(|pattern| fits(pattern, name))
}

/// Returns true if a value holds the path of that folder, or of something in it.
fn leads_into(value: &str, folder: &str) -> bool {
    value.match_indices(folder).any(|(at, _)| {
        let before = value.get(..at).and_then(|text| text.chars().next_back());
        let after = value
            .get(at + folder.len()..)
            .and_then(|text| text.chars().next());
        let is_inside_a_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
        !before.is_some_and(is_inside_a_name) && !after.is_some_and(is_inside_a_name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "/srv/me/shop";

    fn names(rules: &EnvironmentRules, all: &[(&str, &str)]) -> Vec<String> {
        let all = all
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let found = rules.filter(all, Some(ROOT));
        found.variables.into_iter().map(|(name, _)| name).collect()
    }

    fn reason(name: &str, value: &str) -> Option<HiddenReason> {
        let one = [(name.to_owned(), value.to_owned())];
        let found = EnvironmentRules::default().filter(one, Some(ROOT));
        found.hidden.first().map(|hidden| hidden.reason)
    }

    #[test]
    fn a_shells_variables_pass_and_what_steers_programs_or_is_a_secret_is_hidden_with_its_reason() {
        for (name, value) in [
            ("PATH", "/bin"),
            ("JAVA_HOME", "/opt/java"),
            ("DATABASE_URL", "postgres://localhost/x"),
            ("CARGO_HOME", "/srv/me/.cargo"),
            ("LD_LIBRARY_PATH", "/opt/lib"),
            ("GIT_CONFIG_GLOBAL", "/srv/me/gitconfig"),
        ] {
            assert_eq!(names(&EnvironmentRules::default(), &[(name, value)]), [name]);
        }
        for (name, value, why) in [
            ("GITHUB_TOKEN", "x", HiddenReason::Secret),
            ("DATABASE_URL", "postgres://me:pw@db/x", HiddenReason::Secret),
            ("SSH_AUTH_SOCK", "/run/agent", HiddenReason::Keys),
            ("GIT_DIR", "/else/.git", HiddenReason::Steers),
            ("LD_PRELOAD", "/x.so", HiddenReason::Steers),
            ("BASH_ENV", "/x", HiddenReason::Steers),
            ("ENV", "/x", HiddenReason::Steers),
            ("DYLD_INSERT_LIBRARIES", "/x", HiddenReason::Steers),
            ("CLAUDECODE", "1", HiddenReason::Agent),
            ("VIRTUAL_ENV", "/srv/me/shop/.venv", HiddenReason::Checkout),
            ("PYTHONPATH", "/opt/x:/srv/me/shop", HiddenReason::Checkout),
        ] {
            assert_eq!(reason(name, value), Some(why), "{name}");
        }
    }

    #[test]
    fn what_describes_the_persons_own_terminal_is_left_out_without_a_word() {
        for name in [
            "TMUX",
            "TERM",
            "PWD",
            "SHLVL",
            "DBS_TOKEN",
            "DIRENV_DIFF",
            "__MISE_DIFF",
        ] {
            let one = [(name.to_owned(), "x".to_owned())];
            assert_eq!(
                EnvironmentRules::default().filter(one, None),
                FilteredEnvironment::default()
            );
        }
    }

    #[test]
    fn a_folder_whose_name_only_begins_like_the_checkout_is_another_one() {
        for value in ["/srv/me/shop.dbs/t-1", "/srv/me/shop2", "/mnt/srv/me/shop"] {
            assert_eq!(reason("DATA", value), None, "{value}");
        }
        assert_eq!(
            reason("NODE_OPTIONS", "--require=/srv/me/shop/x.js"),
            Some(HiddenReason::Checkout)
        );
    }

    #[test]
    fn settings_pass_hide_and_set_variables_by_name_and_hiding_wins() {
        let rules = EnvironmentRules {
            pass: [
                "NPM_*".to_owned(),
                "GIT_EDITOR".to_owned(),
                "DBS_TOKEN".to_owned(),
            ]
            .into(),
            hide: ["JAVA_*".to_owned(), "NPM_PASSWORD".to_owned()].into(),
            set: vec![("PORT".to_owned(), "1".to_owned())],
            ..EnvironmentRules::default()
        };
        let all = [
            "JAVA_HOME",
            "NPM_TOKEN",
            "NPM_PASSWORD",
            "GIT_EDITOR",
            "PORT",
            "DBS_TOKEN",
        ];
        assert_eq!(
            names(&rules, &all.map(|name| (name, "x"))),
            ["NPM_TOKEN", "GIT_EDITOR", "PORT"]
        );
    }

    #[test]
    fn the_minimal_mode_passes_the_few_names_and_those_that_are_named() {
        let rules = EnvironmentRules {
            mode: EnvironmentMode::Minimal,
            pass: vec!["JAVA_HOME".to_owned()],
            ..EnvironmentRules::default()
        };
        let all = ["PATH", "LC_ALL", "JAVA_HOME", "EDITOR", "NODE_ENV"].map(|name| (name, "x"));
        assert_eq!(names(&rules, &all), ["PATH", "LC_ALL", "JAVA_HOME"]);
    }

    #[test]
    fn a_tool_gets_what_it_declares_unless_that_is_hidden_or_marks_a_running_agent() {
        let rules = EnvironmentRules {
            hide: vec!["AWS_*".to_owned()],
            ..EnvironmentRules::default()
        };
        let reaches = ["ANTHROPIC_API_KEY", "AWS_PROFILE", "CODEX_SANDBOX", "CODEX_HOME"];
        assert_eq!(
            reaches.map(|name| rules.reaches_its_tool(name)),
            [true, false, false, true]
        );
    }

    #[test]
    fn no_value_is_shown() {
        let one = [("A".to_owned(), "hush".to_owned())];
        let shown = format!("{:?}", EnvironmentRules::default().filter(one, None));
        assert!(shown.contains("\"A\"") && !shown.contains("hush"), "{shown}");
    }
}
