//! Kinds of agents as TOML files: how a tool is started and continued, how its prompt reaches it, what its window and its last lines say.
//! Nothing here knows a tool, and nothing is started here.

mod builtin;
mod reading;

pub use builtin::builtin;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use super::diagnostic::Diagnostic;
use super::end_rules::EndRules;
use super::permissions::{PermissionPolicy, fits_pattern};

/// The kinds that are written in Rust, and the word for a command of one's own: no file may take their names.
pub const RESERVED: [&str; 4] = ["claude", "codex", "custom", "rehearsal"];

/// A kind of agent as its file describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribedKind {
    /// The name of its file, by which settings choose it.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// The program, looked for in `PATH`.
    pub program: String,
    /// Arguments for a new session.
    pub start: Vec<String>,
    /// Arguments for going on with a session, and which one that is; none where the tool keeps none.
    pub resume: Option<ResumeArguments>,
    pub delivery: PromptDelivery,
    /// How it runs without its interface; none where it cannot.
    pub headless: Option<HeadlessArguments>,
    /// Arguments for a model; none where the tool takes none.
    pub model: Vec<String>,
    /// Arguments for how hard it thinks.
    pub effort: Vec<String>,
    /// Arguments for each policy that the tool knows.
    pub permissions: BTreeMap<PermissionPolicy, Vec<String>>,
    /// Variables of the person that are meant for it; `*` at the end of a name stands for any text.
    pub variables: Vec<String>,
    /// How a person gets it.
    pub install: String,
    pub login: LoginPlaces,
    /// Whether `--version` is asked of it.
    pub tells_version: bool,
    /// What titles of its window mean, the first that fits.
    pub titles: Vec<TitleRule>,
    /// What its last lines mean, before what is known of every tool.
    pub ends: EndRules,
}

/// How a tool goes on with a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResumeArguments {
    pub arguments: Vec<String>,
    pub session: SessionChoice,
}

/// Who knows which session an attempt had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionChoice {
    /// Its id is a UUID that was chosen before the start and given as `{session}`.
    Chosen,
    /// The tool itself finds the last one of its folder.
    Folder,
    /// The tool chooses its id and tells it when it runs without its interface.
    Told,
}

/// How a tool runs without its interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadlessArguments {
    pub protocol: HeadlessProtocol,
    pub arguments: Vec<String>,
}

/// What a tool without its interface speaks over its standard streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeadlessProtocol {
    /// The Agent Client Protocol.
    Acp,
}

/// How the prompt reaches a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptDelivery {
    /// As the argument `{prompt}`.
    Argument,
    /// As the path `{file}` among its arguments.
    File,
    /// Typed, once a line of its screen fits one of these patterns.
    Typed { ready: Vec<String> },
}

/// Where a tool keeps the login of a person, or is given one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LoginPlaces {
    /// What a person does to log in.
    pub way: Option<String>,
    /// Variables that hold a key.
    pub variables: Vec<String>,
    /// Files below the person's home.
    pub files: Vec<String>,
}

/// What a title that fits a pattern means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TitleRule {
    pub pattern: String,
    pub state: TitleState,
}

/// What a title can mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TitleState {
    Working,
    Idle,
    /// It waits for a permission.
    Permission,
    /// It waits for an answer.
    Question,
}

/// Kinds described by files: those that come with the program, replaced and joined by those of a project.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentKinds {
    own: BTreeMap<String, Result<Arc<DescribedKind>, String>>,
}

/// Reads a kind of that name. With a single error there is no kind.
pub fn read(name: &str, file: &Path, text: &str) -> (Option<DescribedKind>, Vec<Diagnostic>) {
    reading::read(name, file, text)
}

impl DescribedKind {
    /// What a person trusts when it is started: its program with all arguments there can be.
    pub fn words(&self) -> Vec<String> {
        let resume = self.resume.iter().flat_map(|resume| &resume.arguments);
        let headless = self.headless.iter().flat_map(|headless| &headless.arguments);
        let all = std::iter::once(&self.program)
            .chain(&self.start)
            .chain(resume)
            .chain(headless);
        all.cloned().collect()
    }

    /// What a title of its window means, if a rule fits.
    pub fn title_state(&self, title: &str) -> Option<TitleState> {
        let title = title.trim();
        let rule = self.titles.iter().find(|rule| fits_pattern(&rule.pattern, title));
        rule.map(|rule| rule.state)
    }
}

/// Whether a line of a screen fits one of these patterns.
pub fn fits_a_line(patterns: &[String], screen: &str) -> bool {
    screen.lines().map(str::trim).any(|line| {
        let mut patterns = patterns.iter();
        patterns.any(|pattern| fits_pattern(pattern, line))
    })
}

impl AgentKinds {
    /// Reads the files of a project, each with its text.
    pub fn read(files: &[(PathBuf, String)]) -> AgentKinds {
        let mut own = BTreeMap::new();
        for (file, text) in files {
            let name = file
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let (kind, found) = read(&name, file, text);
            let found: Vec<String> = found.iter().map(ToString::to_string).collect();
            own.insert(name, kind.map(Arc::new).ok_or_else(|| found.join("; ")));
        }
        AgentKinds { own }
    }

    /// The kind of that name, if there is one.
    ///
    /// # Errors
    /// What is wrong in its file, with its line.
    pub fn get(&self, name: &str) -> Option<Result<Arc<DescribedKind>, String>> {
        self.own
            .get(name)
            .cloned()
            .or_else(|| builtin().iter().find(|kind| kind.name == name).cloned().map(Ok))
    }

    /// All that can be used: those of the program first, then those that a project adds.
    pub fn all(&self) -> Vec<Arc<DescribedKind>> {
        let known = builtin().iter().map(|kind| kind.name.as_str());
        let is_new = |name: &&str| builtin().iter().all(|kind| kind.name != *name);
        let names = known.chain(self.own.keys().map(String::as_str).filter(is_new));
        names.filter_map(|name| self.get(name)?.ok()).collect()
    }

    /// What is wrong in files of the project.
    pub fn problems(&self) -> impl Iterator<Item = &str> {
        self.own
            .values()
            .filter_map(|kind| kind.as_ref().err())
            .map(String::as_str)
    }
}

#[cfg(test)]
mod tests;
