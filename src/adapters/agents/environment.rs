//! Environment of agents, checks and shells: the part of the person's environment that the settings let pass, as it is now.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::RwLock;

use crate::domain::glob::fits;
use crate::domain::{EnvironmentRules, FilteredEnvironment, HiddenVariable};

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

/// Environment variables that agents, checks and shells inherit, with those that describe our terminals.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InheritedEnv {
    rules: EnvironmentRules,
    variables: FilteredEnvironment,
}

impl InheritedEnv {
    /// Keeps the variables that the rules let pass; `root` is the person's checkout.
    pub fn new(
        rules: &EnvironmentRules,
        all: impl IntoIterator<Item = (String, String)>,
        root: Option<&Path>,
    ) -> InheritedEnv {
        let mut variables = rules.filter(all, root.and_then(Path::to_str));
        let ours = [
            ("TERM", "xterm-256color"),
            ("COLORTERM", "truecolor"),
            ("TERM_PROGRAM", "dbs"),
            ("TERM_PROGRAM_VERSION", env!("CARGO_PKG_VERSION")),
        ];
        let is_there = |name: &str| variables.variables.iter().any(|(known, _)| known == name);
        let missing: Vec<_> = ours.into_iter().filter(|(name, _)| !is_there(name)).collect();
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        variables.variables.extend(missing.into_iter().map(owned));
        InheritedEnv {
            rules: rules.clone(),
            variables,
        }
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut all = self.variables.variables.iter();
        let found = all.find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the variables as pairs of name and value.
    pub fn pairs(&self) -> &[(String, String)] {
        &self.variables.variables
    }

    /// Returns the variables of the person that do not pass, by reason and name.
    pub fn hidden(&self) -> &[HiddenVariable] {
        &self.variables.hidden
    }

    /// Returns the variables that an agent gets whose tool declares those names, each name once.
    pub(super) fn with_declared(&self, person: &PersonEnv, names: &[String]) -> Vec<(String, String)> {
        let mut all = self.variables.variables.clone();
        for (name, value) in person.named(names) {
            let is_new = !all.iter().any(|(known, _)| *known == name);
            if is_new && self.rules.reaches_its_tool(&name) {
                all.push((name, value));
            }
        }
        all
    }
}

/// Environment that changes with the settings while the server runs. The person's own is kept in memory only.
#[derive(Clone)]
pub struct LiveEnv(Arc<LiveParts>);

struct LiveParts {
    person: PersonEnv,
    /// The person's checkout, where there is one.
    root: Option<PathBuf>,
    now: RwLock<Arc<InheritedEnv>>,
}

impl LiveEnv {
    /// Filters the variables of the person by the rules. In a checkout that holds their home every value would lead into it, so none does.
    pub fn new(rules: &EnvironmentRules, person: PersonEnv, root: Option<&Path>) -> LiveEnv {
        let home = person.get("HOME").map(PathBuf::from);
        let root = root.filter(|root| home.is_none_or(|home| !home.starts_with(root)));
        let parts = LiveParts {
            person,
            root: root.map(Path::to_owned),
            now: RwLock::default(),
        };
        let live = LiveEnv(Arc::new(parts));
        live.apply(rules);
        live
    }

    /// Returns the environment for what is started now.
    pub fn now(&self) -> Arc<InheritedEnv> {
        Arc::clone(&self.0.now.read())
    }

    /// Lets other rules come into force, for what is started from now on.
    pub fn apply(&self, rules: &EnvironmentRules) {
        let all = self.0.person.0.iter().cloned();
        let next = InheritedEnv::new(rules, all, self.0.root.as_deref());
        *self.0.now.write() = Arc::new(next);
    }
}

impl Default for LiveEnv {
    fn default() -> LiveEnv {
        LiveEnv::new(&EnvironmentRules::default(), PersonEnv::default(), None)
    }
}

impl std::fmt::Debug for LiveEnv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("LiveEnv").field(&self.now()).finish()
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
        let wanted = |name: &str| names.iter().any(|known| fits(known, name));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(all: &[&str]) -> Vec<(String, String)> {
        all.iter()
            .map(|name| ((*name).to_owned(), "secret".to_owned()))
            .collect()
    }

    #[test]
    fn programs_get_what_the_rules_let_pass_and_the_names_of_our_terminals() {
        let rules = EnvironmentRules {
            set: vec![("TERM".to_owned(), "dumb".to_owned())],
            ..EnvironmentRules::default()
        };
        let env = InheritedEnv::new(&rules, owned(&["PATH", "TERM", "TMUX", "GITHUB_TOKEN"]), None);
        let names: Vec<&str> = env.pairs().iter().map(|(name, _)| name.as_str()).collect();
        let wanted = [
            "PATH",
            "TERM",
            "COLORTERM",
            "TERM_PROGRAM",
            "TERM_PROGRAM_VERSION",
        ];
        assert_eq!(names, wanted);
        assert_eq!(env.get("TERM"), Some("dumb"), "a setting is stronger");
    }

    #[test]
    fn other_rules_count_for_what_is_started_from_then_on() {
        let person = PersonEnv::new(owned(&["HOME", "NPM_TOKEN"]));
        let live = LiveEnv::new(&EnvironmentRules::default(), person, Some(Path::new("/r")));
        assert_eq!(live.now().get("NPM_TOKEN"), None);
        assert_eq!(
            live.now().hidden().first().map(|hidden| &*hidden.name),
            Some("NPM_TOKEN")
        );
        live.apply(&EnvironmentRules {
            pass: vec!["NPM_TOKEN".to_owned()],
            ..EnvironmentRules::default()
        });
        assert_eq!(live.now().get("NPM_TOKEN"), Some("secret"));
        assert!(!format!("{live:?}").contains("secret"));
    }

    #[test]
    fn a_tool_gets_each_variable_that_it_declares_once() {
        let person = PersonEnv::new(owned(&["ANTHROPIC_API_KEY", "HTTP_PROXY"]));
        let env = InheritedEnv::new(&EnvironmentRules::default(), person.0.clone(), None);
        let declared = env.with_declared(&person, &["ANTHROPIC_*".to_owned(), "HTTP_PROXY".to_owned()]);
        let times = |wanted: &str| declared.iter().filter(|(name, _)| name == wanted).count();
        assert_eq!((times("ANTHROPIC_API_KEY"), times("HTTP_PROXY")), (1, 1));
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
