//! Environment that agents inherit: an allow list. Everything else stays outside.

const ALLOWED: &str = "
    PATH HOME LANG LANGUAGE TZ SHELL USER LOGNAME TMPDIR TEMP TMP SYSTEMROOT SYSTEMDRIVE COMSPEC PATHEXT
    APPDATA LOCALAPPDATA USERPROFILE PROGRAMFILES GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM SSL_CERT_FILE
    SSL_CERT_DIR
";

const ALLOWED_BEGINS: &[&str] = &["LC_", "XDG_"];

/// Settings of git for agents. Git syncs the objects of their commits, once for each call: by default it leaves that to the system, and
/// after a power cut the commit that was reported and seen would be an empty file. It does not pack the repository that all of them share:
/// packing that dies with its agent leaves the lists of branches locked, and it is not known by which git.
const GIT_SETTINGS: [(&str, &str); 4] = [
    ("core.fsync", "committed"),
    ("core.fsyncMethod", "batch"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
];

/// Variables besides for the git of agents that judge work: no replacements, no grafts, no attributes of the system, no pager. The file
/// of grafts is one that cannot be there.
const READER_VARIABLES: [(&str, &str); 4] = [
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_GRAFT_FILE", "/dev/null/grafts"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_PAGER", "cat"),
];

/// Returns the variables that configure git for an agent; `reading` holds the additional ones of agents that judge work.
pub(super) fn git_variables(reading: &[(String, String)]) -> Vec<(String, String)> {
    let own = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
    let settings = GIT_SETTINGS.map(own).into_iter().chain(reading.iter().cloned());
    let mut variables: Vec<(String, String)> = settings
        .enumerate()
        .flat_map(|(nth, (key, value))| {
            [
                (format!("GIT_CONFIG_KEY_{nth}"), key),
                (format!("GIT_CONFIG_VALUE_{nth}"), value),
            ]
        })
        .collect();
    let count = (GIT_SETTINGS.len() + reading.len()).to_string();
    variables.push(("GIT_CONFIG_COUNT".to_owned(), count));
    if !reading.is_empty() {
        variables.extend(READER_VARIABLES.map(own));
    }
    variables
}

/// Environment variables that agents and gates inherit, filtered by an allow list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InheritedEnv(Vec<(String, String)>);

impl InheritedEnv {
    /// Keeps the allowed variables, and adds those that describe our terminals.
    pub fn from_environment(all: impl IntoIterator<Item = (String, String)>) -> InheritedEnv {
        let allowed = |name: &str| {
            ALLOWED
                .split_whitespace()
                .any(|known| known.eq_ignore_ascii_case(name))
                || ALLOWED_BEGINS.iter().any(|begin| name.starts_with(begin))
        };
        let mut kept: Vec<(String, String)> = all.into_iter().filter(|(name, _)| allowed(name)).collect();
        let ours = [
            ("TERM", "xterm-256color"),
            ("COLORTERM", "truecolor"),
            ("TERM_PROGRAM", "dbs"),
            ("TERM_PROGRAM_VERSION", env!("CARGO_PKG_VERSION")),
        ];
        kept.extend(ours.map(|(name, value)| (name.to_owned(), value.to_owned())));
        InheritedEnv(kept)
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the variables as pairs of name and value.
    pub fn into_pairs(self) -> Vec<(String, String)> {
        self.0
    }
}

/// Variables of the person's environment, all of them. Each is given out only by its name.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct PersonEnv(Vec<(String, String)>);

impl PersonEnv {
    /// Keeps all of them.
    pub fn new(all: impl IntoIterator<Item = (String, String)>) -> PersonEnv {
        PersonEnv(all.into_iter().collect())
    }

    /// The value of one variable.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the variables with these names. A `*` in a name matches any text.
    pub(super) fn named(&self, names: &[String]) -> Vec<(String, String)> {
        let wanted = |name: &str| names.iter().any(|known| covers(known, name));
        let found = self.0.iter().filter(|(name, _)| wanted(name));
        found.cloned().collect()
    }
}

/// Values may be secrets, so only their number is shown.
impl std::fmt::Debug for PersonEnv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PersonEnv({} variables)", self.0.len())
    }
}

/// Returns true if a name matches the pattern, which may have one `*`.
fn covers(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((begin, end)) => {
            name.len() >= begin.len() + end.len() && name.starts_with(begin) && name.ends_with(end)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_allowed_is_passed_on() {
        let all = [
            "PATH",
            "LC_ALL",
            "ANTHROPIC_API_KEY",
            "SSH_AUTH_SOCK",
            "TMUX",
            "CLAUDECODE",
            "TERM",
        ];
        let kept =
            InheritedEnv::from_environment(all.map(|name| (name.to_owned(), "x".to_owned()))).into_pairs();
        let names: Vec<&str> = kept.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "PATH",
                "LC_ALL",
                "TERM",
                "COLORTERM",
                "TERM_PROGRAM",
                "TERM_PROGRAM_VERSION"
            ]
        );
        assert!(kept.contains(&("TERM".to_owned(), "xterm-256color".to_owned())));
    }

    #[test]
    fn a_persons_variables_reach_only_the_agent_that_names_them() {
        let all = [
            "ANTHROPIC_API_KEY",
            "BASH_DEFAULT_TIMEOUT_MS",
            "OPENAI_API_KEY",
            "GITHUB_TOKEN",
        ];
        let person = PersonEnv::new(all.map(|name| (name.to_owned(), "secret".to_owned())));
        let names = |known: &[&str]| -> Vec<String> {
            let known: Vec<String> = known.iter().map(|name| (*name).to_owned()).collect();
            person.named(&known).into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(
            names(&["ANTHROPIC_*", "BASH_*_TIMEOUT_MS"]),
            ["ANTHROPIC_API_KEY", "BASH_DEFAULT_TIMEOUT_MS"]
        );
        assert_eq!(names(&["OPENAI_API_KEY"]), ["OPENAI_API_KEY"]);
        assert_eq!(names(&[]), Vec::<String>::new());
        assert!(!format!("{person:?}").contains("secret"));
    }
}
