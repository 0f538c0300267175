//! Paths of a project, as the server and the command line need them.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::adapters::git::{ControlPlace, GitCli, GitSetup, RemoteChoice, WorktreeRoots};
use crate::adapters::project::{
    Project, ProjectError, ProjectSecret, RuntimeDirs, RuntimeFolder, StateOrigin, WorkPlaces,
};
use crate::adapters::state_folder::private_folder;
use crate::adapters::store::StoreFiles;
use crate::adapters::workspaces::{PreparedWorkspaces, WorkspaceLocks, WorkspaceRules};
use crate::config::process_env::ProcessEnv;
use crate::config::trust::ProjectTrust;
use crate::config::value::listed;
use crate::config::{Config, ConfigFiles, ConfigOverrides, schema};
use crate::ports::gates::Gates;
use crate::ports::git::{Git, PreflightError};

/// Folders, files, socket and secret of one project.
#[derive(Debug, Clone)]
pub struct ProjectPaths {
    /// Root of the main checkout, canonical.
    pub root: PathBuf,
    /// Last part of the root: the name of its session unless another one is set.
    folder_name: String,
    project: Project,
    /// Folder in which this person's state is kept, if there is one.
    person: Option<PathBuf>,
    /// Folder `.debussy`, which people read and edit.
    pub debussy: PathBuf,
    /// Database, backups, records of attempts and all else that must not be lost.
    pub state: PathBuf,
    pub attempts: PathBuf,
    /// Signals that arrived while no server listened.
    pub inbox: PathBuf,
    pub logs: PathBuf,
    pub workflows: PathBuf,
    pub store: StoreFiles,
    /// Private folder of the holders' sockets.
    pub runtime: PathBuf,
    pub socket: PathBuf,
    /// Begin of the marker of this project's processes.
    pub marker: String,
    pub sources: ConfigSources,
    /// Origin of the state: made by this person on this machine, or not.
    pub state_origin: StateOrigin,
    /// Trust of the person in this project.
    pub trust: ProjectTrust,
}

/// Error of the preparation of a project for a server; the texts read after "could not".
#[derive(Debug, thiserror::Error)]
pub enum PreparationError {
    /// Repository that is not fit.
    #[error("{0}")]
    Preflight(#[from] PreflightError),
    #[error("{0}")]
    Project(#[from] ProjectError),
}

/// Configuration files and overrides from which settings are read.
#[derive(Debug, Clone)]
pub struct ConfigSources {
    pub files: ConfigFiles,
    pub overrides: ConfigOverrides,
}

impl ProjectPaths {
    /// Finds the project around `from`. Makes nothing in it: [`ProjectPaths::prepare`] does.
    ///
    /// # Errors
    /// When there is no project, or its state cannot be used. Reads after "could not".
    pub fn find(from: &Path, env: &ProcessEnv) -> Result<ProjectPaths, ProjectError> {
        let project = Project::find(from)?;
        let own = env.state_folder();
        let state_origin = project.state_origin(own.as_deref())?;
        let private = RuntimeFolder::prepare(&env.runtime)?;
        let root = project.root().to_owned();
        let socket = private.server_socket(&root);
        let number = socket
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let holders = private.path().join(&number);
        let files = ConfigFiles::new(
            &project.folder(),
            env.config_folder().as_deref(),
            env.home().as_deref(),
        );
        Ok(ProjectPaths {
            state_origin,
            trust: ProjectTrust::new(&project, &files, own.as_deref()),
            folder_name: root.file_name().map_or_else(
                || "project".to_owned(),
                |name| name.to_string_lossy().into_owned(),
            ),
            debussy: project.folder(),
            state: project.dbs(),
            attempts: project.attempts(),
            inbox: project.inbox(),
            logs: project.logs(),
            workflows: project.workflows(),
            store: StoreFiles::new(&project.dbs(), &project.backups()),
            runtime: holders,
            socket,
            marker: format!("dbs-{number}"),
            sources: ConfigSources {
                files,
                overrides: ConfigOverrides {
                    flags: Vec::new(),
                    environment: env.text_environment().collect(),
                },
            },
            person: own,
            project,
            root,
        })
    }

    /// Makes the folders, ignore rules, identity and secret of the project, as far as they are missing. Whatever writes to the project does
    /// it first; may be repeated, also by several processes at once.
    ///
    /// # Errors
    /// When they cannot be made. Reads after "could not".
    pub fn prepare(&self) -> Result<(), ProjectError> {
        self.project.prepare(self.person.as_deref())?;
        self.places().prepare()?;
        let made = private_folder().recursive(true).create(&self.runtime);
        made.map_err(|why| ProjectError::Failed {
            what: "make",
            path: self.runtime.clone(),
            why,
        })
    }

    /// Makes git ignore a file at the root of the project that this program writes, unless a commit has it.
    ///
    /// # Errors
    /// When the rule cannot be written. Reads after "could not".
    pub fn ignore(&self, name: &str) -> Result<(), ProjectError> {
        self.project.ignore(name)
    }

    /// Prepares the project for a server. In a repository that is not fit for one nothing is made.
    ///
    /// # Errors
    /// When the repository is not fit, or the folders cannot be made. Reads after "could not".
    pub fn prepare_for_server(
        &self,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<(), PreparationError> {
        if !self.state.is_dir() {
            GitCli::open(&self.git_setup(environment))?.preflight()?;
        }
        self.prepare()?;
        Ok(())
    }

    /// Returns the folders of worktrees and of the checkouts of gates, by the settings.
    pub fn places(&self) -> WorkPlaces {
        let setting = self.read_config().choice(&schema::WORKSPACE_ROOT);
        self.project.places(self.person.as_deref(), setting)
    }

    /// Returns what prepares worktrees and checkouts by the settings, read anew each time.
    pub fn workspaces(&self, git: &Arc<dyn Git>, gates: &Arc<dyn Gates>) -> PreparedWorkspaces {
        let own = self.clone();
        PreparedWorkspaces {
            git: Arc::clone(git),
            gates: Arc::clone(gates),
            rules: Box::new(move || own.workspace_rules()),
            root: self.root.clone(),
            place: self.places().outside(),
            given_ports: self.state.join("ports.json"),
            locks: WorkspaceLocks::default(),
        }
    }

    /// Returns the rules by which workspaces are prepared, as the settings have them now.
    pub fn workspace_rules(&self) -> WorkspaceRules {
        let config = self.read_config();
        let entries = |setting| {
            let text: Option<String> = config.value(setting);
            let entries = text.unwrap_or_default();
            listed(&entries).map(str::to_owned).collect::<Vec<String>>()
        };
        let folders = |setting| entries(setting).into_iter().map(PathBuf::from).collect();
        let included = self.trust.worktree_include().unwrap_or_default();
        let setup: Option<String> = config.value(&schema::WORKSPACE_SETUP);
        let setup = setup.unwrap_or_default();
        WorkspaceRules {
            copy: entries(&schema::WORKSPACE_COPY)
                .into_iter()
                .chain(
                    included
                        .lines()
                        .map(str::to_owned)
                        .filter(|line| !line.trim().is_empty()),
                )
                .collect(),
            clone: folders(&schema::WORKSPACE_CLONE),
            link: folders(&schema::WORKSPACE_LINK),
            setup: setup
                .lines()
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .map(str::to_owned)
                .collect(),
            setup_timeout: Duration::from_millis(config.value(&schema::WORKSPACE_SETUP_TIMEOUT).0),
            key: entries(&schema::WORKSPACE_KEY),
            n_ports: config
                .value(&schema::WORKSPACE_PORTS)
                .try_into()
                .unwrap_or(u16::MAX),
        }
    }

    /// Returns the remote that the settings name.
    pub fn remote(&self) -> RemoteChoice {
        match self.read_config().value(&schema::REMOTE).as_ref() {
            "none" => RemoteChoice::Control,
            name => RemoteChoice::Named(name.to_owned()),
        }
    }

    /// Returns how git is used in the project. In one that is not prepared, nothing of it is kept.
    pub fn git_setup(&self, environment: impl IntoIterator<Item = (OsString, OsString)>) -> GitSetup {
        let control = if self.state.is_dir() {
            ControlPlace::State
        } else {
            ControlPlace::Temporary
        };
        let places = self.places();
        GitSetup {
            control,
            remote: self.remote(),
            roots: WorktreeRoots {
                new: Some(places.worktrees()),
                former: places.former_worktrees(),
            },
            ..GitSetup::new(&self.root, environment)
        }
    }

    /// Returns a word that differs between the boards of all checkouts; empty before the project is prepared.
    pub fn board(&self) -> String {
        self.project.identity().unwrap_or_default()
    }

    /// Reads the secret of the project, which must be prepared.
    ///
    /// # Errors
    /// When it cannot be read. Reads after "could not".
    pub fn secret(&self) -> Result<ProjectSecret, ProjectError> {
        ProjectSecret::of(&self.state.join("secret"))
    }
}

impl ProjectPaths {
    /// File of the notifications that were delivered.
    pub fn delivered(&self) -> PathBuf {
        self.state.join("told.json")
    }

    /// Returns the reason why the state of the project must not be used, if there is one; reads after "could not".
    pub fn state_problem(&self) -> Option<String> {
        let StateOrigin::Foreign(why) = &self.state_origin else {
            return None;
        };
        Some(format!(
            "use the state in {}: it was not made by you on this machine ({why}), so you did not release its tasks; move it \
             away, or use it as it is with `dbs trust --state`",
            self.state.display()
        ))
    }

    /// Reads the settings as the sources have them now, which need not be those in force; of the executable ones in the project's files
    /// those that are trusted.
    pub fn read_config(&self) -> Config {
        self.trust.config(&self.sources.overrides)
    }

    /// The last part of the project's root.
    pub fn folder_name(&self) -> &str {
        &self.folder_name
    }

    /// Returns the name of the session with these settings.
    pub fn session_name(&self, config: &Config) -> String {
        let named = config.value(&schema::SESSION_NAME);
        let named = named.filter(|name| !name.trim().is_empty());
        named.unwrap_or_else(|| self.folder_name.clone())
    }
}

/// Sockets of all servers of this user, whether they still listen or not.
pub fn sockets(runtime: &RuntimeDirs) -> Vec<PathBuf> {
    let Ok(private) = RuntimeFolder::prepare(runtime) else {
        return Vec::new();
    };
    let entries = fs::read_dir(private.path())
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    entries
        .filter(|path| path.extension().is_some_and(|end| end == "sock"))
        .collect()
}
