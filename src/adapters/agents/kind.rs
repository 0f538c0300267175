//! Interface of every kind of agent, and the context from which it builds a command line.

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use super::TokenFn;
use super::environment::{LiveEnv, PersonEnv};
use super::prompt::program_word;
use crate::adapters::program::find_program;
use crate::adapters::program::own_names;
use crate::agent_state::{AgentReport, Doing};
pub use crate::domain::AgentDisplay;
use crate::domain::event::EndCause;
use crate::domain::{AttemptId, Cause, RoleId, SessionOrigin, Timestamp, TroubleKind};
use crate::formats::end_rules;
pub use crate::formats::permissions::PermissionPolicy;
use crate::formats::permissions::PermissionRule;
use crate::ports::agents::{Brief, LaunchCommand};

/// Function that reads the activity of a tool from the text of a screen.
pub type ReadScreen = fn(&str) -> AgentReport;

/// A tool that can play a role.
pub trait AgentKind: Debug {
    /// The tool's own name, by which its last lines and its variables are known; `None` if nothing is known about it.
    fn name(&self) -> Option<&str>;

    /// Returns the words that a person trusts for a start: the command line as configured, or the name of a scenario.
    fn words(&self) -> Vec<String> {
        self.program().map(str::to_owned).into_iter().collect()
    }

    /// The program to look for, where its name does not depend on the task: by default it is called as the tool is.
    fn program(&self) -> Option<&str> {
        self.name()
    }

    /// The program to look for before it is started for this brief.
    fn program_for(&self, _brief: &Brief) -> Option<String> {
        self.program().map(str::to_owned)
    }

    /// Returns the way to install the program when it is missing.
    fn way_to_get(&self, role: &RoleId) -> String;

    /// Returns the person's variables that reach it beside those every agent inherits. A name that ends with `*` means all names with that
    /// beginning.
    fn own_variables(&self) -> Vec<String>;

    /// Returns the person's variables that its own settings in their home name, such as that of a key.
    fn configured_variables(&self, _context: &LaunchContext) -> Vec<String> {
        Vec::new()
    }

    /// Returns the way to log in to it, if that is known.
    fn way_to_log_in(&self) -> Option<String> {
        None
    }

    /// Reads a title of its window; an empty report where the tool is not known to say anything by it.
    fn read_title(&self, _title: &str) -> AgentReport {
        AgentReport::default()
    }

    /// Reads the state of its tool from its screen; `None` where it has no rule for that screen.
    fn read_screen(&self, _screen: &str) -> Option<Doing> {
        None
    }

    /// Returns the reader of its screen, for as long as it has reported nothing in a better way; `None` if nothing is known of its
    /// dialogs.
    fn screen_reader(&self) -> Option<ReadScreen> {
        None
    }

    /// Returns true if its end with exit code 0 is its report.
    fn end_is_report(&self) -> bool {
        false
    }

    /// Returns the reason why it ended, if its last lines give one. `now` is the time of the end.
    fn end_cause(&self, tail: &str, now: Timestamp) -> Option<EndCause> {
        end_rules::builtin().cause(self.name()?, tail, now)
    }

    /// Patterns of the line of its screen that says that its prompt can be typed; `None` if the prompt is among its arguments.
    fn ready_lines(&self) -> Option<Vec<String>> {
        None
    }

    /// Returns true if its tool can continue a session after its process has ended.
    fn keeps_sessions(&self) -> bool {
        false
    }

    /// Returns the session that an attempt began in `folder`, by the tool's own name for it.
    ///
    /// # Errors
    /// When it cannot be continued.
    fn session(
        &self,
        context: &LaunchContext,
        origin: &SessionOrigin,
        folder: &Path,
    ) -> Result<String, Cause> {
        let (_, _, _) = (context, origin, folder);
        Err("its tool keeps no sessions".into())
    }

    /// Returns the file in which its tool records a session.
    fn record(&self, context: &LaunchContext, session: &str) -> Option<PathBuf> {
        let (_, _) = (context, session);
        None
    }

    /// Returns true if its tool shows its question only when the hook that it asks first has ended.
    fn asks_hook_first(&self) -> bool {
        false
    }

    /// Returns true if an error that its tool reports means that a turn failed, and another prompt continues the session.
    fn goes_on_after_errors(&self) -> bool {
        false
    }

    /// Returns true if its tool can run without its interface here.
    fn runs_headless(&self) -> bool {
        false
    }

    /// Builds its start for a brief with that prompt: arguments, variables it needs in its environment in addition, private files.
    ///
    /// # Errors
    /// When it cannot be started like that; the text says why and the way out.
    fn launch(
        &self,
        context: &LaunchContext,
        brief: &Brief,
        prompt: &str,
        options: &RoleOptions,
    ) -> Result<LaunchCommand, Cause>;
}

/// Maximum bytes of a tool's settings that are read.
pub(super) const MOST_SETTINGS: u64 = 4 * 1024 * 1024;

/// Options of a role for its agent, whatever the kind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RoleOptions {
    /// Policy if no rule decides.
    pub permissions: PermissionPolicy,
    /// Rules on the use of its tools; the first rule that fits decides.
    pub rules: Vec<PermissionRule>,
    /// The model, in the tool's own words.
    pub model: Option<String>,
    /// Effort of thinking, in the tool's own words.
    pub effort: Option<String>,
    /// Continuation of its session after an interruption.
    pub resume: SessionPolicy,
    /// Display of its tool: with its own interface or without.
    pub mode: AgentDisplay,
}

/// Policy for the session of an agent that was interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum SessionPolicy {
    /// Continuation by the next attempt, where its tool can.
    #[default]
    Continue,
    /// New session for the next attempt.
    BeginAfresh,
}

/// Context from which command lines are built, the same for all kinds.
#[derive(Clone)]
pub struct LaunchContext {
    /// Path of this program, for the built-in agent and for the agents' own calls.
    pub program: PathBuf,
    pub inherited: LiveEnv,
    /// Variables of the person, all of them; each kind gets its own.
    pub person: PersonEnv,
    pub socket: PathBuf,
    /// Folder for signals while no server listens.
    pub inbox: PathBuf,
    pub root: PathBuf,
    /// Folder with one folder for each attempt.
    pub attempts: PathBuf,
    pub token: TokenFn,
}

impl LaunchContext {
    /// Returns the environment of an agent: the variables that all inherit, its own variables of the person, and a `PATH` on which this
    /// program can be found by its name.
    pub(super) fn environment(&self, own: &[String]) -> Vec<(String, String)> {
        let mut env = self.inherited.now().with_declared(&self.person, own);
        if let Some(path) = self.path_with_program() {
            env.retain(|(name, _)| name != "PATH");
            env.push(("PATH".to_owned(), path));
        }
        env
    }

    /// Puts the links to this program, in the folder with the prompt of an attempt, in front of the `PATH` of its agent. Without them the agent
    /// can do its work as well, by the words of its prompt.
    pub(super) fn add_own_names(&self, env: &mut [(String, String)], prompt: &Path) {
        let Some((_, path)) = env.iter_mut().find(|(name, _)| name == "PATH") else {
            return;
        };
        let attempt = prompt.parent().unwrap_or(prompt);
        match own_names::put_in_front(&self.program, attempt, path) {
            Ok(with_names) => *path = with_names,
            Err(error) => tracing::warn!("could not make links to dbs in {}: {error}", attempt.display()),
        }
    }

    /// Returns the word by which an agent that works in `folder` calls this program.
    pub(super) fn program_word(&self, folder: &Path) -> String {
        let path = self.path_with_program();
        let inherited = self.inherited.now();
        let path = path.as_deref().or(inherited.get("PATH"));
        program_word(&self.program, folder, path.unwrap_or_default())
    }

    /// Returns the folder in which a tool of the person keeps its files: the value of the variable, else `name` in the person's home.
    pub(super) fn person_folder(&self, variable: &str, name: &str) -> Option<PathBuf> {
        let set = self.person.get(variable).filter(|path| !path.is_empty());
        let home = || Some(Path::new(self.inherited.now().get("HOME")?).join(name));
        set.map(PathBuf::from).or_else(home)
    }

    /// The words by which this program runs a tool without an interface; the command line of the tool follows.
    pub(super) fn headless_words(&self) -> Vec<String> {
        vec![self.program.to_string_lossy().into_owned(), "headless".to_owned()]
    }

    /// The private folder of an attempt, in which its files are put before it starts.
    pub(super) fn attempt_folder(&self, attempt: AttemptId) -> PathBuf {
        self.attempts.join(attempt.to_string())
    }

    /// `PATH` with the folder of this program in front, unless the name leads to it already.
    fn path_with_program(&self) -> Option<String> {
        let (name, folder) = (self.program.file_name()?.to_str()?, self.program.parent()?);
        let inherited = self.inherited.now();
        let path = inherited.get("PATH")?;
        if find_program(name, &self.root, path).as_deref() == Some(self.program.as_path()) {
            return None;
        }
        let all = std::iter::once(folder.to_owned()).chain(std::env::split_paths(path));
        std::env::join_paths(all).ok()?.into_string().ok()
    }
}

/// Returns the display of an agent: the choice of a person for the task, else that of its role.
///
/// # Errors
/// When its tool cannot do without its interface.
pub(super) fn display_of(
    kind: &dyn AgentKind,
    brief: &Brief,
    usual: AgentDisplay,
) -> Result<AgentDisplay, Cause> {
    let display = brief.choice.display().unwrap_or(usual);
    if display == AgentDisplay::Visible || kind.runs_headless() {
        return Ok(display);
    }
    Err(TroubleKind::Agent.cause(format!(
        "could not start a {} without the interface of its tool: {} has no other way to work here; let it show its interface with \
         `dbs mode {} visible`",
        brief.role,
        kind.name().unwrap_or("its agent"),
        brief.task
    )))
}

#[cfg(test)]
pub(super) mod tests;
