//! What is typed, carried out: answers to prompts, and every command of the program.

use crate::adapters::output;
use crate::client::plain::PlainClient;
use crate::config::project_paths::ProjectPaths;
use crate::domain::{Accepted, Refusal};
use crate::protocol::connection::Connection;
use crate::protocol::wire::{CallReply, ServerCall};
use crate::ui::{PLAIN_HELP, PlainTyped, read_plain};

/// Lines of an agent's terminal that are shown.
const OUTPUT_LINES: usize = 20;

impl PlainClient {
    /// Carries out a line; answers whether the person stays.
    pub(super) async fn run_line(&mut self, line: &str) -> bool {
        let done = match read_plain(line, &self.prompts, &self.model) {
            PlainTyped::Nothing => Ok(()),
            PlainTyped::Quit => return false,
            PlainTyped::Help => {
                output::all(PLAIN_HELP);
                Ok(())
            }
            PlainTyped::Inbox => {
                // Whoever asks wants to know what is so now.
                let fresh = self.refresh().await;
                output::all(self.prompts.list(&self.model));
                fresh
            }
            PlainTyped::Reply(lines) => {
                output::all(lines);
                Ok(())
            }
            PlainTyped::Submit(command) => {
                let by = self.edge.author();
                self.request(ServerCall::Ask { by, command }).await
            }
            PlainTyped::Consent(attempt, what, says) => {
                self.request(ServerCall::Consent { attempt, what, says }).await
            }
            PlainTyped::ShowOutput(task) => {
                let end_of = self.commands.end_of;
                self.spawn_blocking(move |place, _edge| {
                    output::all(end_of(place, task.as_str(), OUTPUT_LINES)?);
                    Ok(())
                })
                .await
            }
            PlainTyped::CommandLine(words) => self.run_command(&words).await,
        };
        if let Err(why) = done {
            output::all(why.lines());
        }
        true
    }

    /// Carries out a command of the program.
    async fn run_command(&self, line: &str) -> Result<(), String> {
        let words = shell_words::split(line).map_err(|error| format!("could not read that: {error}"))?;
        let run = self.commands.run;
        self.spawn_blocking(move |_place, edge| run(&words, edge)).await
    }

    /// Asks the server for something that it takes or refuses, and prints its answer.
    async fn request(&self, call: ServerCall) -> Result<(), String> {
        self.spawn_blocking(move |place, _edge| match ask(&place, call)? {
            CallReply::Asked(said) => print(said),
            other => Err(not_understood(other)),
        })
        .await
    }
}

/// Asks the server of the project at `place`.
pub(super) fn ask(place: &ProjectPaths, call: ServerCall) -> Result<CallReply, String> {
    let server = Connection::open(&place.socket)?;
    let mut server = server.ok_or_else(|| "could not ask: no server runs".to_owned())?;
    server.call(call, &mut Vec::new())
}

/// Why something cannot be done, in the server's words; of another answer that it was not understood.
pub(super) fn not_understood(answer: CallReply) -> String {
    match answer {
        CallReply::Failed(why) => why,
        other => format!("could not understand the server: {other:?}"),
    }
}

fn print(answer: Result<Accepted, Refusal>) -> Result<(), String> {
    let accepted = answer.map_err(|refusal| refusal.0)?;
    output::line(&accepted.0);
    Ok(())
}
