//! Input of the process: arguments, environment, folder, program. Read once, here; everything else gets it as values.
#![expect(clippy::disallowed_methods, reason = "this is the door to the environment")]

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::adapters::program::SearchPath;
use crate::adapters::project::{Project, RuntimeDirs};
use crate::config::error::ProcessEnvError;

/// Program path, working folder and environment of this process, read once at its start.
#[derive(Debug, Clone)]
pub struct ProcessEnv {
    pub program: PathBuf,
    pub folder: PathBuf,
    /// Environment with a `PATH` that leads to no program of the project around `folder`.
    pub environment: Vec<(OsString, OsString)>,
    /// The `PATH` that the process was given, where folders of it are left out.
    pub given_path: Option<GivenPath>,
    /// The theme asked for on the command line; not part of the environment, which servers inherit.
    pub theme: Option<String>,
    /// Folders in which a folder for sockets may be made.
    pub runtime: RuntimeDirs,
}

/// Value of `PATH` of which not all folders are searched.
#[derive(Debug, Clone)]
pub struct GivenPath {
    /// Name of the variable, which is not written the same everywhere, and its value.
    pub variable: (OsString, OsString),
    pub left_out: Vec<PathBuf>,
}

impl ProcessEnv {
    /// Reads it.
    ///
    /// # Errors
    /// When the current folder or the program's own path cannot be read. Reads after "could not".
    pub fn read() -> Result<ProcessEnv, ProcessEnvError> {
        let environment: Vec<(OsString, OsString)> = std::env::vars_os().collect();
        let failed = |act| move |why| ProcessEnvError { act, why };
        let folder = std::env::current_dir().map_err(failed("read the current folder"))?;
        let program = std::env::current_exe().map_err(failed("find this program"))?;
        let own = environment
            .iter()
            .find(|(name, value)| name == "XDG_RUNTIME_DIR" && !value.is_empty());
        let runtime = RuntimeDirs {
            runtime: own.map(|(_, value)| PathBuf::from(value)),
            temporary: std::env::temp_dir(),
            user: user(),
        };
        let mut env = ProcessEnv {
            program,
            folder,
            environment,
            given_path: None,
            theme: None,
            runtime,
        };
        // The PATH of an agent is as the server made it.
        if !env.is_agent() {
            env.leave_out_project();
        }
        Ok(env)
    }

    /// Leaves out of `PATH` the folders that could lead to programs of the project around the current folder.
    fn leave_out_project(&mut self) {
        let is_path = |(name, _): &(OsString, OsString)| name.eq_ignore_ascii_case("PATH");
        let Some(at) = self.environment.iter().position(is_path) else {
            return;
        };
        let project = Project::find(&self.folder).ok();
        let variable = self.environment.remove(at);
        let path = SearchPath::outside(project.as_ref().map(Project::root), &variable.1);
        if let Some(kept) = path.kept {
            self.environment.insert(at, (variable.0.clone(), kept));
        }
        if !path.left_out.is_empty() {
            self.given_path = Some(GivenPath {
                variable,
                left_out: path.left_out,
            });
        }
    }

    /// The environment as it was given, for the same program that is started in another project.
    pub fn given_environment(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        let given = self.given_path.iter().map(|given| &given.variable);
        self.environment
            .iter()
            .chain(given)
            .map(|(name, value)| (name, value))
    }

    /// Returns the message about folders in `PATH` that are not searched.
    pub fn left_out_text(&self) -> Option<String> {
        let given = self.given_path.as_ref()?;
        let shown = |folder: &PathBuf| {
            if folder.as_os_str().is_empty() {
                "an empty entry".to_owned()
            } else {
                folder.display().to_string()
            }
        };
        let folders: Vec<String> = given.left_out.iter().map(shown).collect();
        Some(format!(
            "left out for git, gates and agents, because a repository could put programs there: {}; call such a program by its path",
            folders.join(", ")
        ))
    }

    /// A variable that is set, not empty and readable as text.
    pub fn get(&self, name: &str) -> Option<String> {
        let value = self.environment.iter().find(|(key, _)| key == name)?.1.to_str()?;
        (!value.is_empty()).then(|| value.to_owned())
    }

    /// Returns true if the person has chosen lines for all commands (`DBS_PLAIN`).
    pub fn prefers_plain(&self) -> bool {
        self.get("DBS_PLAIN").is_some_and(|value| value != "0")
    }

    /// Returns true if the person wants no screen, or this terminal has no cursor to draw one with.
    pub fn needs_plain(&self) -> bool {
        self.prefers_plain() || self.get("TERM").is_some_and(|term| term == "dumb")
    }

    /// The person's folder for configuration.
    pub fn config_folder(&self) -> Option<PathBuf> {
        let own = self.get("XDG_CONFIG_HOME").map(PathBuf::from);
        own.or_else(|| Some(self.home()?.join(".config")))
    }

    /// Returns this program's folder in the person's folder for state: `~/.local/state/dbs`, or the one that `XDG_STATE_HOME` names.
    pub fn state_folder(&self) -> Option<PathBuf> {
        let own = self.get("XDG_STATE_HOME").map(PathBuf::from);
        let own = own.filter(|folder| folder.is_absolute());
        let state = own.or_else(|| Some(self.home()?.join(".local").join("state")))?;
        Some(state.join("dbs"))
    }

    /// Returns the author of a command on the command line: an agent by its name, else the person.
    pub fn author(&self) -> String {
        self.get("DBS_AGENT")
            .or_else(|| self.user_name())
            .unwrap_or_else(|| "person".to_owned())
    }

    /// Returns the name of the person's account, if the environment has it.
    pub fn user_name(&self) -> Option<String> {
        self.get("USER").or_else(|| self.get("USERNAME"))
    }

    /// Returns true if this process was started by an agent.
    pub fn is_agent(&self) -> bool {
        self.get("DBS_ATTEMPT").is_some()
    }

    /// The editor the person has chosen.
    pub fn editor(&self) -> Option<String> {
        self.get("VISUAL").or_else(|| self.get("EDITOR"))
    }

    /// The person's home.
    pub fn home(&self) -> Option<PathBuf> {
        let home = self.get("HOME").or_else(|| self.get("USERPROFILE"));
        home.map(PathBuf::from)
    }

    /// Returns the environment as text, without the variables that are not text.
    pub fn text_environment(&self) -> impl Iterator<Item = (String, String)> + '_ {
        let text = |word: &OsString| word.to_str().map(str::to_owned);
        self.environment
            .iter()
            .filter_map(move |(name, value)| Some((text(name)?, text(value)?)))
    }

    /// The same, but with another folder for state.
    #[must_use]
    pub fn with_state_home(&self, folder: &Path) -> ProcessEnv {
        let mut env = self.clone();
        env.environment.retain(|(name, _)| name != "XDG_STATE_HOME");
        env.environment.push(("XDG_STATE_HOME".into(), folder.into()));
        env
    }

    /// The same, but git reads no configuration of the person's: for throw-away projects.
    #[must_use]
    pub fn without_git_configuration(&self, nothing: &str) -> ProcessEnv {
        let mut env = self.clone();
        env.environment
            .retain(|(name, _)| !name.to_string_lossy().starts_with("GIT_"));
        env.environment.push(("GIT_CONFIG_GLOBAL".into(), nothing.into()));
        env.environment.push(("GIT_CONFIG_NOSYSTEM".into(), "1".into()));
        env
    }
}

/// Returns true if this process may change everything on the machine, and with it every agent it starts.
pub fn runs_as_root() -> bool {
    cfg!(unix) && user() == 0
}

fn user() -> u32 {
    #[cfg(unix)]
    return nix::unistd::geteuid().as_raw();
    #[cfg(not(unix))]
    return 0;
}

#[cfg(test)]
mod tests {
    use super::*;

    impl ProcessEnv {
        /// A process with these variables and nothing else.
        pub(crate) fn with_variables(variables: &[(&str, &str)]) -> ProcessEnv {
            ProcessEnv {
                program: "dbs".into(),
                folder: "/".into(),
                environment: variables
                    .iter()
                    .map(|(name, value)| (name.into(), value.into()))
                    .collect(),
                given_path: None,
                theme: None,
                runtime: RuntimeDirs {
                    runtime: None,
                    temporary: "/".into(),
                    user: 1,
                },
            }
        }
    }

    #[test]
    fn lines_come_where_they_are_wished_for_or_a_terminal_has_no_cursor_to_place() {
        let plain = |variables: &[(&str, &str)]| {
            let env = ProcessEnv::with_variables(variables);
            (env.prefers_plain(), env.needs_plain())
        };
        assert_eq!(plain(&[("DBS_PLAIN", "1"), ("TERM", "xterm")]), (true, true));
        assert_eq!(plain(&[("TERM", "dumb")]), (false, true));
        for screen in [
            &[("TERM", "xterm")][..],
            &[("DBS_PLAIN", "0")],
            &[("DBS_PLAIN", "")],
            &[],
        ] {
            assert_eq!(plain(screen), (false, false), "{screen:?}");
        }
    }
}
