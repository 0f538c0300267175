//! Start of an agent: the engine's facts about an attempt are turned into a command line and an environment.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use dbs_domain::event::EndCause;
use dbs_domain::{
    AgentChoice, AttemptId, AttemptMode, Cause, PromptFacts, RoleChoice, RoleId, SessionOrigin, StageId,
    TaskId, Timestamp,
};

/// Everything an agent gets when it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brief {
    pub attempt: AttemptId,
    /// Time at which the attempt was decided; the attempt's token is derived from it, among other things.
    pub created_at: Timestamp,
    pub task: TaskId,
    pub title: String,
    pub body: String,
    pub tags: BTreeSet<String>,
    pub stage: StageId,
    pub role: RoleId,
    pub name: String,
    pub mode: AttemptMode,
    /// Number of attempts of the task at this stage, including this one.
    pub n: u32,
    pub folder: PathBuf,
    /// The branch checked out there, or the task's branch for agents that only read it.
    pub branch: String,
    pub base: String,
    pub finding: Option<String>,
    /// The session of its tool that the agent continues, as [`Agents::session`] named it; `None` for a new one.
    pub session: Option<String>,
    /// Kind and settings of the agent; anything not chosen is as its role says.
    pub choice: AgentChoice,
    /// Facts that its prompt may name.
    pub facts: PromptFacts,
    /// The difference that the work makes, as it would be merged; written to a file beside the prompt, and the prompt names that file.
    pub difference: Option<String>,
    /// Settings for its git besides those of every agent; some are only for agents that judge work.
    pub git_settings: Vec<(String, String)>,
}

/// The command line, environment and private files that start an agent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LaunchCommand {
    pub argv: Vec<String>,
    pub env: Vec<(String, String)>,
    /// Files that are put into the attempt's folder before it starts.
    pub files: Vec<PrivateFile>,
}

/// A file in an attempt's folder that only the user may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateFile {
    /// A plain file name.
    pub name: String,
    pub text: String,
}

/// Builds the command lines that start agents, and reads why they ended.
pub trait Agents: Send + Sync {
    /// Builds the command line and environment for this brief.
    ///
    /// # Errors
    /// When no agent of the configured kind can be started; the text says why and the way out.
    fn launch_command(&self, brief: &Brief) -> Result<LaunchCommand, Cause>;

    /// Returns the session that an attempt in that role left, so that another can continue it. `folder` is where the attempt worked.
    ///
    /// # Errors
    /// When the session cannot be continued: its tool keeps none, a setting forbids it, or it is not there.
    fn session(&self, of: RoleChoice<'_>, origin: &SessionOrigin, folder: &Path) -> Result<String, Cause> {
        let (_, _) = (origin, folder);
        let role = of.role;
        Err(format!("the tool of a {role} keeps no sessions").into())
    }

    /// Returns the cause of the end of an agent in that role, if the last lines of its tool name it. `now` is when the agent ended.
    fn end_cause(&self, of: RoleChoice<'_>, tail: &str, now: Timestamp) -> Option<EndCause>;
}
