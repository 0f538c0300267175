//! What is typed, carried out: answers to prompts, and every command of the program.

use crate::adapters::out;
use crate::client::plain::Plain;
use crate::config::place::Place;
use crate::domain::{Accepted, Refusal};
use crate::protocol::connection::Connection;
use crate::protocol::wire::{Answer, Call};
use crate::ui::{PLAIN_HELP, PlainTyped, read_plain};

/// Lines of an agent's terminal that are shown.
const SHOWN: usize = 20;

impl Plain {
    /// Carries out a line; answers whether the person stays.
    pub(super) async fn act(&mut self, line: &str) -> bool {
        let done = match read_plain(line, &self.prompts, &self.model) {
            PlainTyped::Nothing => Ok(()),
            PlainTyped::Quit => return false,
            PlainTyped::Help => {
                out::all(PLAIN_HELP);
                Ok(())
            }
            PlainTyped::Inbox => {
                // Whoever asks wants to know what is so now.
                let fresh = self.refresh().await;
                out::all(self.prompts.list(&self.model));
                fresh
            }
            PlainTyped::Told(lines) => {
                out::all(lines);
                Ok(())
            }
            PlainTyped::Ask(command) => {
                let by = self.edge.author();
                self.request(Call::Ask { by, command }).await
            }
            PlainTyped::Consent(attempt, what, says) => {
                self.request(Call::Consent { attempt, what, says }).await
            }
            PlainTyped::Look(task) => {
                let end_of = self.commands.end_of;
                self.beside(move |place, _edge| {
                    out::all(end_of(place, task.as_str(), SHOWN)?);
                    Ok(())
                })
                .await
            }
            PlainTyped::Verb(words) => self.verb(&words).await,
        };
        if let Err(why) = done {
            out::all(why.lines());
        }
        true
    }

    /// Carries out a command of the program.
    async fn verb(&self, line: &str) -> Result<(), String> {
        let words = shell_words::split(line).map_err(|error| format!("could not read that: {error}"))?;
        let run = self.commands.run;
        self.beside(move |_place, edge| run(&words, edge)).await
    }

    /// Asks the server for something that it takes or refuses, and prints its answer.
    async fn request(&self, call: Call) -> Result<(), String> {
        self.beside(move |place, _edge| match ask(&place, call)? {
            Answer::Asked(said) => print(said),
            other => Err(not_understood(other)),
        })
        .await
    }
}

/// Asks the server of the project at `place`.
pub(super) fn ask(place: &Place, call: Call) -> Result<Answer, String> {
    let server = Connection::open(&place.socket)?;
    let mut server = server.ok_or_else(|| "could not ask: no server runs".to_owned())?;
    server.call(call, &mut Vec::new())
}

/// Why something cannot be done, in the server's words; of another answer that it was not understood.
pub(super) fn not_understood(answer: Answer) -> String {
    match answer {
        Answer::Failed(why) => why,
        other => format!("could not understand the server: {other:?}"),
    }
}

fn print(answer: Result<Accepted, Refusal>) -> Result<(), String> {
    let accepted = answer.map_err(|refusal| refusal.0)?;
    out::line(&accepted.0);
    Ok(())
}
