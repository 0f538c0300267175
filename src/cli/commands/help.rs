//! `dbs help`: the help of the program or of a command.

use crate::cli::commands::command_line::help_of;
use crate::cli::commands::prelude::*;

/// Print the help of dbs or of a command
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs help\ndbs help task create"))]
pub struct HelpArgs {
    /// Words of the command, such as `task create`
    pub words: Vec<String>,
}

impl RunCommand for HelpArgs {
    /// Returns the help as an error: clap reports it so, and `app` prints it with its own exit code.
    fn run(self, _env: &ProcessEnv) -> CommandResult {
        Err(CommandError::user(
            help_of(&self.words).render().to_string().trim_end(),
        ))
    }
}
