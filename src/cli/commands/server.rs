//! The command line of the server process, which `app` carries out.

use crate::cli::commands::prelude::*;

/// Run the server process
#[derive(Debug, Args)]
#[command(add = facts(Persons, ""))]
pub struct ServerArgs {}
