//! `dbs headless`: runs the tool of an agent without an interface in the agent's terminal. Writes a transcript, takes the input of a
//! person, and reports to the server the same as the hooks of the visible tool do, by the same code and without a process for each.

mod console;
mod process;
mod requests;
mod runner;
mod state;
mod typed;

use std::process::ExitStatus;

use super::hook::caller;
use crate::adapters::agents::headless_tools::headless_tool;
use crate::adapters::tool_process::typed_keys;
use crate::cli::commands::prelude::*;
use crate::protocol::connection::blocking_runtime;

use console::TranscriptConsole;
use runner::Runner;

/// The code where a person ended the run and no process of the tool failed: as if the tool had been asked to end.
const ENDED: u8 = 128 + 15;

/// Run an agent's tool without its interface
#[derive(Debug, Args)]
#[command(add = facts(Attempts, ""))]
pub struct HeadlessArgs {
    /// Tool with its arguments, `--`, and the prompt
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<String>,
}

impl RunCommand for HeadlessArgs {
    /// Runs the tool until it ends; its exit code is that of the tool. The last word is the prompt, behind `--`.
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let [argv @ .., mark, prompt] = self.words.as_slice() else {
            return Err(usage());
        };
        if mark != "--" || argv.is_empty() {
            return Err(usage());
        }
        let runtime = blocking_runtime()?;
        let console = TranscriptConsole::open()?;
        let ended = runtime.block_on(async {
            let keys = typed_keys().map_err(failed("could not read keys of this terminal"))?;
            let (tool, argv) = headless_tool(argv);
            Runner::new(caller(env), tool, console, prompt)
                .run(argv, keys)
                .await
        });
        // A thread may still wait for a key; the end of this process ends it.
        runtime.shutdown_background();
        Ok(ended?.map_or(ExitCode::from(ENDED), exit_code))
    }
}

fn usage() -> CommandError {
    CommandError::user(
        "could not run an agent without its interface: the command is `dbs headless TOOL ARGUMENT … -- PROMPT`, and dbs itself starts it",
    )
}

/// The code of the tool; one that was ended by a signal has 128 and its number, as in shells.
fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status
        .code()
        .or_else(|| signal(status).map(|signal| 128 + signal));
    ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    use std::os::unix::process::ExitStatusExt as _;
    status.signal()
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}
