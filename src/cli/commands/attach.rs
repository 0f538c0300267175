//! The command line of `dbs attach`, which `app` carries out.

use crate::cli::args::ThemeArgs;
use crate::cli::commands::prelude::*;

/// Attach to a session, restarting its server if it was cut off
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs attach\ndbs attach shop\ndbs attach --plain"))]
pub struct AttachArgs {
    /// Name or folder of the session; default: this project's session, or outside of projects the last one you used
    pub name: Option<String>,
    /// Print lines instead of drawing a screen; for screen readers, simple terminals and logs
    #[arg(long)]
    pub plain: bool,
    #[command(flatten)]
    pub looks: ThemeArgs,
}
