//! Execution of typed lines: answers to prompts, and every command of the program.

use crate::adapters::output;
use crate::client::error::ClientError;
use crate::client::plain::PlainClient;
use crate::domain::{Accepted, Refusal};
use crate::protocol::connection::{self, ProtocolError};
use crate::protocol::wire::{CallReply, ServerCall};
use crate::ui::{PLAIN_HELP, PlainTyped, read_plain};

/// Maximum number of lines of an agent's terminal that are shown.
const OUTPUT_LINES: usize = 20;

impl PlainClient {
    /// Executes a line; returns true if the person stays.
    pub(super) async fn run_line(&mut self, line: &str) -> bool {
        let done = match read_plain(line, &self.prompts, &self.attention) {
            PlainTyped::Nothing => Ok(()),
            PlainTyped::Quit => return false,
            PlainTyped::Help => {
                output::all(PLAIN_HELP);
                Ok(())
            }
            PlainTyped::Inbox => {
                // A person who asks wants to know the present state.
                let fresh = self.refresh().await;
                output::all(self.prompts.list(&self.attention));
                fresh.map_err(ClientError::from)
            }
            PlainTyped::Reply(lines) => {
                output::all(lines);
                Ok(())
            }
            PlainTyped::Submit(command) => {
                let by = self.env.author();
                let command = *command;
                self.request(ServerCall::Ask { by, command }).await
            }
            PlainTyped::ShowOutput(task) => {
                let end_of = self.commands.end_of;
                self.spawn_blocking(move |place, _edge| {
                    output::all(end_of(&place, task.as_str(), OUTPUT_LINES)?);
                    Ok(())
                })
                .await
            }
            PlainTyped::CommandLine(words) => self.run_command(&words).await,
        };
        if let Err(why) = done {
            output::all(why.to_string().lines());
        }
        true
    }

    async fn run_command(&self, line: &str) -> Result<(), ClientError> {
        let words = shell_words::split(line)?;
        let run = self.commands.run;
        self.spawn_blocking(move |_place, env| run(&words, env)).await
    }

    /// Sends the server a call that it accepts or refuses, and prints its answer.
    async fn request(&self, call: ServerCall) -> Result<(), ClientError> {
        match connection::call_once(&self.paths.socket, call).await? {
            CallReply::Asked(reply) => print(reply),
            other => Err(ProtocolError::from(other).into()),
        }
    }
}

fn print(answer: Result<Accepted, Refusal>) -> Result<(), ClientError> {
    let accepted = answer.map_err(|refusal| ClientError::Refused(refusal.why))?;
    output::line(&accepted.0);
    Ok(())
}
