//! The command line of a scripted agent, which `app` carries out.

use crate::cli::commands::prelude::*;

/// Run a scripted agent
#[derive(Debug, Args)]
#[command(add = facts(Everybody, ""))]
pub struct RehearseArgs {
    /// Arguments of the scripted agent
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<String>,
}
