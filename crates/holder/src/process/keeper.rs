//! The command that runs a program below a keeper.

use std::path::PathBuf;
use std::process::Command;

use super::origin::HOLDER_MARKER;
use dbs_ports::holders::OrphanPolicy;

/// Program and marker of the keepers of one kind of programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keeper {
    program: PathBuf,
    marker: String,
}

impl Keeper {
    /// Creates keepers of this program that carry this marker; `None` if no process can adopt others.
    pub fn new(program: PathBuf, marker: String) -> Option<Keeper> {
        cfg!(target_os = "linux").then_some(Keeper { program, marker })
    }

    /// Returns the command that runs another one below a keeper, in the same folder and with the environment that was set for it, and ends
    /// as it does. If leftovers are ended, the keeper leads a group, ends with everything below it when its standard input closes, and the
    /// other program has no input.
    pub fn around(&self, kept: &Command, leftovers: OrphanPolicy) -> Command {
        self.in_mode(
            kept,
            match leftovers {
                OrphanPolicy::Sweep => SWEEP,
                OrphanPolicy::Leave => LEAVE,
            },
        )
    }

    /// Returns the command that runs another one in a session of its own, so that nothing it starts can ask on the terminal of this
    /// process. It must not be started as the leader of a group; it becomes one.
    pub fn apart(&self, command: &Command) -> Command {
        self.in_mode(command, APART)
    }

    fn in_mode(&self, kept: &Command, mode: &str) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(["keep", mode])
            .arg(kept.get_program())
            .args(kept.get_args());
        let set = kept.get_envs();
        command
            .env_clear()
            .envs(set.filter_map(|(name, value)| Some((name, value?))))
            .env(HOLDER_MARKER, &self.marker);
        if let Some(folder) = kept.get_current_dir() {
            command.current_dir(folder);
        }
        command
    }
}

/// Word for ending the leftovers of the program.
pub(crate) const SWEEP: &str = "sweep";
/// Word for keeping the leftovers of the program alive, such as the process that holds a person's credentials for a while.
pub(crate) const LEAVE: &str = "leave";
/// Word for a program that is not kept, and has no terminal.
pub(crate) const APART: &str = "apart";
/// Word for the second of the two processes of [`LEAVE`]: it stays while a leftover is alive.
pub(crate) const STAY: &str = "stay";
