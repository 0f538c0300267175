//! Kinds of agents as TOML files: start and continuation of a tool, delivery of its prompt, meaning of its window titles, its screen and its last lines.
//! Nothing here knows a tool, and nothing is started here.

mod builtin;
mod reading;

pub use builtin::builtin;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use super::end_rules::EndRules;
use super::finding::Finding;
use super::permissions::{PermissionPolicy, fits_pattern};
use dbs_domain::Cause;

/// The kinds that are written in Rust, and the word for a command of one's own: no file may take their names.
pub const RESERVED: [&str; 4] = ["claude", "codex", "custom", "rehearsal"];

/// A kind of agent as its file describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribedKind {
    /// Name of the file, by which settings choose the kind.
    pub name: String,
    /// Name that people use.
    pub title: String,
    /// The program, looked for in `PATH`.
    pub program: String,
    /// Arguments for a new session.
    pub start: Vec<String>,
    /// Arguments for continuing a session, and the choice of that session; `None` if the tool keeps none.
    pub resume: Option<ResumeArguments>,
    pub delivery: PromptDelivery,
    /// Protocol and arguments for running without an interface; `None` if the tool cannot.
    pub headless: Option<HeadlessArguments>,
    /// Arguments for a model; empty if the tool takes none.
    pub model: Vec<String>,
    /// Arguments for the effort of its thinking.
    pub effort: Vec<String>,
    /// Arguments for each policy that the tool knows.
    pub permissions: BTreeMap<PermissionPolicy, Vec<String>>,
    /// Variables of the person that are meant for the tool; `*` at the end of a name means any text.
    pub variables: Vec<String>,
    /// Way for a person to install the tool.
    pub install: String,
    pub login: LoginPlaces,
    /// True if the tool is asked for its version with `--version`.
    pub tells_version: bool,
    /// Files below the person's home with settings of the tool that name variables of theirs.
    pub settings: Vec<String>,
    /// True if its end with exit code 0 is its report: it cannot call this program.
    pub end_is_report: bool,
    /// Plugin by which it reports its activity and asks; `None` if it is known by its window and its screen only.
    pub plugin: Option<ToolPlugin>,
    /// Meaning of the titles of its window; the first rule that fits counts.
    pub titles: Vec<TitleRule>,
    /// Meaning of its screen; the first rule that fits counts.
    pub screens: Vec<ScreenRule>,
    /// Meaning of its last lines, before the rules known for every tool.
    pub ends: EndRules,
}

/// Arguments and session with which a tool continues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResumeArguments {
    pub arguments: Vec<String>,
    pub session: SessionChoice,
}

/// Source of the session that an attempt had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionChoice {
    /// Session id that is a UUID, chosen before the start and given as `{session}`.
    Chosen,
    /// The tool itself finds the last one of its folder.
    Folder,
    /// The tool chooses the id and reports it: by its plugin, or when it runs without its interface.
    Told,
}

/// Protocol and arguments of a tool that runs without its interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadlessArguments {
    pub protocol: HeadlessProtocol,
    pub arguments: Vec<String>,
}

/// Protocol that a tool without its interface speaks over its standard streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeadlessProtocol {
    /// The Agent Client Protocol.
    Acp,
}

/// Delivery of the prompt to a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptDelivery {
    /// Prompt as the argument `{prompt}`.
    Argument,
    /// Prompt as the path `{file}` among the arguments.
    File,
    /// Typed, once a line of its screen fits one of these patterns.
    Typed { ready: Vec<String> },
}

/// Places where a tool keeps the login of a person, or is given one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LoginPlaces {
    /// Step that a person takes to log in.
    pub way: Option<String>,
    /// Variables that hold a key.
    pub variables: Vec<String>,
    /// Files below the person's home.
    pub files: Vec<String>,
}

/// Plugin of this program for a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolPlugin {
    Opencode,
}

/// Meaning of a title that fits a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TitleRule {
    pub pattern: String,
    pub state: TitleState,
}

/// State that a title can mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TitleState {
    Working,
    Idle,
    /// Tool that waits for a permission.
    Permission,
    /// Tool that waits for an answer.
    Question,
}

/// Meaning of a screen whose last line fits a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenRule {
    /// Patterns of lines from the top. The last one is that of the last line that says something; the others are of lines above it, in the
    /// same frame if it stands in one.
    pub lines: Vec<String>,
    /// Number of lines that say something and may stand below the last of those, where a narrow window breaks it.
    pub below: usize,
    /// Patterns that no other line between the first and the last of those may fit.
    pub without: Vec<String>,
    /// Pattern of the line with which the text begins; `*` is the first part of the text. Without it the text is everything below the first
    /// of `lines`.
    pub text: Option<String>,
    pub state: ScreenState,
}

/// State that a screen can mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScreenState {
    Working,
    Idle,
    /// Tool that waits for a permission.
    Permission,
    /// Tool that waits for an answer.
    Question,
    /// Tool that waits for a person for another reason.
    Dialog,
    /// Turn that failed.
    Error,
    /// Tool without a login.
    Login,
}

/// Kinds described by files: those that come with the program, replaced and joined by those of a project.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentKinds {
    own: BTreeMap<String, Result<Arc<DescribedKind>, Cause>>,
}

/// Reads a kind of that name. A single error means that there is no kind.
pub fn read(name: &str, file: &Path, text: &str) -> (Option<DescribedKind>, Vec<Finding>) {
    reading::read(name, file, text)
}

impl DescribedKind {
    /// Returns the words a person trusts when the kind is started: its program with the arguments to start, to resume and to run headless.
    pub fn words(&self) -> Vec<String> {
        let resume = self.resume.iter().flat_map(|resume| &resume.arguments);
        let headless = self.headless.iter().flat_map(|headless| &headless.arguments);
        let all = std::iter::once(&self.program)
            .chain(&self.start)
            .chain(resume)
            .chain(headless);
        all.cloned().collect()
    }

    /// Returns the meaning of a title of its window, if a rule fits.
    pub fn title_state(&self, title: &str) -> Option<TitleState> {
        let title = title.trim();
        let rule = self.titles.iter().find(|rule| fits_pattern(&rule.pattern, title));
        rule.map(|rule| rule.state)
    }
}

/// Returns true if a line of a screen fits one of these patterns.
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
            own.insert(name, kind.map(Arc::new).ok_or_else(|| found.join("; ").into()));
        }
        AgentKinds { own }
    }

    /// Returns the kind of that name, if there is one.
    ///
    /// # Errors
    /// The fault in its file, with its line.
    pub fn get(&self, name: &str) -> Option<Result<Arc<DescribedKind>, Cause>> {
        self.own
            .get(name)
            .cloned()
            .or_else(|| builtin().iter().find(|kind| kind.name == name).cloned().map(Ok))
    }

    /// Returns all kinds that can be used: those of the program first, then those that a project adds.
    pub fn all(&self) -> Vec<Arc<DescribedKind>> {
        let known = builtin().iter().map(|kind| kind.name.as_str());
        let is_new = |name: &&str| builtin().iter().all(|kind| kind.name != *name);
        let names = known.chain(self.own.keys().map(String::as_str).filter(is_new));
        names.filter_map(|name| self.get(name)?.ok()).collect()
    }

    /// Returns the faults in files of the project.
    pub fn problems(&self) -> impl Iterator<Item = &str> {
        self.own
            .values()
            .filter_map(|kind| kind.as_ref().err())
            .map(|fault| fault.text.as_str())
    }
}

#[cfg(test)]
mod tests;
