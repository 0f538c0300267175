//! Options with which the adapter is opened: everything it would otherwise have to ask the environment for.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::adapters::holder::process::Keeper;

/// Program, project, environment and limits with which the git adapter is opened.
#[derive(Debug, Clone)]
pub struct GitSetup {
    /// The git program, a name or a path.
    pub program: OsString,
    /// Any folder of the project's main checkout.
    pub project: PathBuf,
    /// The environment of the person; only names on an allow list are passed on.
    pub environment: Vec<(OsString, OsString)>,
    pub limits: GitLimits,
    /// Marks that identify every process that git starts.
    pub marking: ProgramMarking,
    pub control: ControlPlace,
    pub remote: RemoteChoice,
    pub roots: WorktreeRoots,
    /// True if commits for a base are signed where the person's git signs.
    pub signs_merges: bool,
}

/// Folders that contain worktrees of the engine.
#[derive(Debug, Clone, Default)]
pub struct WorktreeRoots {
    /// Folder in which new ones are made; none: `.debussy-worktrees` in the project.
    pub new: Option<PathBuf>,
    /// Folders in which there may be others.
    pub former: Vec<PathBuf>,
}

/// Remote that work comes from and goes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemoteChoice {
    /// Remote of the project, by its name.
    Named(String),
    /// No remote of the project: the control repository takes its place, and nothing is pushed elsewhere.
    Control,
}

impl RemoteChoice {
    /// Name of the remote for people and agents; agents know the control repository as `dbs`.
    pub fn name(&self) -> &str {
        match self {
            RemoteChoice::Named(name) => name,
            RemoteChoice::Control => "dbs",
        }
    }
}

impl Default for RemoteChoice {
    fn default() -> Self {
        RemoteChoice::Named("origin".to_owned())
    }
}

/// Place of the control repository.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ControlPlace {
    /// The project's state, where it stays.
    #[default]
    State,
    /// Folder that goes when the repository is closed: for reading in a project that is not prepared, of which nothing may be kept.
    Temporary,
}

/// Marking of the programs that git starts, such as the hooks of a remote on this machine, so that they are not taken for those of persons.
#[derive(Debug, Clone, Default)]
pub struct ProgramMarking {
    /// Marker in the environment of every git.
    pub marker: Option<String>,
    /// Keeper above a git that may start programs, where the system has such a thing.
    pub keeper: Option<Keeper>,
}

/// Time limits of git commands, and size limits of files that may accumulate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GitLimits {
    /// Work on local files: merges, diffs, checkouts, hashing a worktree.
    pub local: Duration,
    pub ask: Duration,
    pub transfer: Duration,
    /// Objects in files of their own, in the control repository, from which on they are packed; not a time.
    pub loose: usize,
    /// Bytes of the largest file the engine commits for an agent; not a time.
    pub largest: u64,
    /// Bytes of memory of a git that lists the remote's refs, with everything it starts; not a time.
    pub memory: u64,
    /// Bytes of an index from which on the files of a removed worktree serve another one; not a time.
    pub spare: u64,
    /// Age at which a lock that a killed git of ours left in the project's repository is removed.
    pub abandoned: Duration,
}

impl Default for GitLimits {
    fn default() -> Self {
        Self {
            local: Duration::from_mins(2),
            ask: Duration::from_secs(30),
            transfer: Duration::from_mins(10),
            loose: 6_700,
            largest: 100 * 1024 * 1024,
            // Room for two million branches.
            memory: 1 << 30,
            // About two thousand files.
            spare: 200 * 1024,
            abandoned: Duration::from_mins(1),
        }
    }
}

impl GitSetup {
    /// The usual way to open: `git` from the path, usual limits.
    pub fn new(
        project: impl Into<PathBuf>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Self {
        Self {
            program: OsString::from("git"),
            project: project.into(),
            environment: environment.into_iter().collect(),
            limits: GitLimits::default(),
            marking: ProgramMarking::default(),
            control: ControlPlace::default(),
            remote: RemoteChoice::default(),
            roots: WorktreeRoots::default(),
            signs_merges: true,
        }
    }
}

/// Names passed on from the environment of the person. No `GIT_DIR`, `GIT_CONFIG_COUNT` and the like: they would
/// redirect git. The configuration and ssh names are passed on to the network scope and to preflight only.
const PASSED: &str = "
    PATH HOME USER LOGNAME TMPDIR TEMP TMP SYSTEMROOT WINDIR COMSPEC PATHEXT USERPROFILE HOMEDRIVE
    HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES
";

/// Names like those of [`PASSED`], for calls that may use the person's configuration and credentials.
const TRUSTED: &str = "
    XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK
    SSH_AGENT_PID GIT_SSH GIT_SSH_COMMAND GIT_SSH_VARIANT GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM
    GIT_CONFIG_NOSYSTEM GIT_SSL_CAINFO GIT_SSL_CAPATH GIT_PROXY_SSL_CAINFO SSL_CERT_FILE SSL_CERT_DIR
    HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY GNUPGHOME KRB5CCNAME GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL
    GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL EMAIL
";

/// Returns true if a variable may reach calls without the person's configuration.
pub(super) fn is_passed(name: &OsStr) -> bool {
    is_listed(PASSED, name)
}

/// Returns true if a variable may reach calls with the person's configuration.
pub(super) fn is_trusted(name: &OsStr) -> bool {
    is_passed(name) || is_listed(TRUSTED, name)
}

fn is_listed(names: &str, name: &OsStr) -> bool {
    let mut names = names.split_whitespace();
    name.to_str()
        .is_some_and(|name| names.any(|listed| listed.eq_ignore_ascii_case(name)))
}

/// Returns true if there is a file of attributes where git looks for one by default.
pub(super) fn has_attributes(setup: &GitSetup) -> bool {
    let of = |wanted: &str| {
        let mut given = setup.environment.iter();
        given
            .find(|(name, value)| name == wanted && !value.is_empty())
            .map(|(_, value)| Path::new(value))
    };
    let config = of("XDG_CONFIG_HOME").map(Path::to_path_buf);
    let config = config.or_else(|| Some(of("HOME")?.join(".config")));
    let own = config.is_some_and(|config| config.join("git").join("attributes").exists());
    own || Path::new("/etc/gitattributes").exists()
}
