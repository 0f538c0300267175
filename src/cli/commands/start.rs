//! The command line of `dbs start`, which `app` carries out.

use crate::cli::args::ThemeArgs;
use crate::cli::commands::prelude::*;

/// Start this project's session if needed, and attach to it
#[derive(Debug, Default, Args)]
#[command(add = facts(Persons, "dbs start\ndbs start \"Let people export their orders\"\ndbs start --paused\ndbs start --plain\ndbs start --theme high-contrast"))]
pub struct StartArgs {
    /// First requirement, added to the board as a task
    pub requirement: Option<String>,
    /// Start paused
    #[arg(long)]
    pub paused: bool,
    /// Print lines instead of drawing a screen; for screen readers, simple terminals and logs
    #[arg(long)]
    pub plain: bool,
    #[command(flatten)]
    pub looks: ThemeArgs,
}
