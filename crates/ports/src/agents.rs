//! How an agent of a kind is started: from what the engine knows to a command line and an environment.

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
    /// When it was decided; part of what its token is derived from.
    pub created_at: Timestamp,
    pub task: TaskId,
    pub title: String,
    pub body: String,
    pub tags: BTreeSet<String>,
    pub stage: StageId,
    pub role: RoleId,
    pub name: String,
    pub mode: AttemptMode,
    /// How many attempts the task had at this stage, this one included.
    pub n: u32,
    pub folder: PathBuf,
    /// The branch checked out there, or the task's branch for those who read it.
    pub branch: String,
    pub base: String,
    pub finding: Option<String>,
    /// The session of its tool with which it goes on, as [`Agents::session`] named it; none for a new one.
    pub session: Option<String>,
    /// Which agent it is, and how it works; what was not chosen is as its role says.
    pub choice: AgentChoice,
    /// What its prompt may name.
    pub facts: PromptFacts,
    /// The difference that the work makes, as it would be merged: put into a file beside the prompt, which names it.
    pub difference: Option<String>,
    /// Settings for its git besides those of every agent; some only for those who judge work.
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

/// A file in an attempt's folder that only this person may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateFile {
    /// A plain file name.
    pub name: String,
    pub text: String,
}

/// Builds the command lines that start agents, and reads why they ended.
pub trait Agents: Send + Sync {
    /// The command line and environment for this brief.
    ///
    /// # Errors
    /// When no agent of the configured kind can be started; the text says why and the way out.
    fn launch_command(&self, brief: &Brief) -> Result<LaunchCommand, Cause>;

    /// The session that an attempt in that role left, so that another can go on with it. `folder` is where it worked.
    ///
    /// # Errors
    /// Why nobody can go on with it: its tool keeps none, a setting forbids it, or it is not there.
    fn session(&self, of: RoleChoice<'_>, origin: &SessionOrigin, folder: &Path) -> Result<String, String> {
        let (_, _) = (origin, folder);
        let role = of.role;
        Err(format!("the tool of a {role} keeps no sessions"))
    }

    /// Why an agent in that role ended, if its tool's own last lines name the cause. `now` is when it ended.
    fn end_cause(&self, of: RoleChoice<'_>, tail: &str, now: Timestamp) -> Option<EndCause>;
}
