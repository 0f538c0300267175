//! The plain client (A13): lines that are only ever added, numbered prompts, no cursor movement, no colour, for screen readers,
//! simple terminals and logs. It says what changes and does what is typed; the words are `ui`'s.

mod lines;
mod talk;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::adapters::clock;
use crate::adapters::out;
use crate::client::lost::Restart;
use crate::config::edge::Edge;
use crate::config::place::Place;
use crate::domain::{TaskId, Timestamp, counted};
use crate::protocol::connection;
use crate::protocol::snapshot::Needs;
use crate::protocol::wire::{Answer, Call, FromClient, FromServer, LogLine, Packet};
use crate::read_model::ReadModel;
use crate::ui::Prompts;
use lines::Lines;

/// The board is looked at again so long after something was told: what happens together is told together.
const TOGETHER: Duration = Duration::from_millis(200);
/// And every so often, because an agent that goes on by itself says nothing.
const AGAIN: Duration = Duration::from_secs(2);
/// A look may take this share of the time between two: large boards are looked at less often.
const SHARE: u32 = 10;

/// Commands of the program, as the command line carries them out. They block.
#[derive(Debug, Clone, Copy)]
pub struct Commands {
    /// Carries out a typed command, given as words.
    pub run: fn(&[String], &Edge) -> Result<(), String>,
    /// The last lines that the agent of a task has shown, at most so many.
    pub end_of: fn(Place, &str, usize) -> Result<Vec<String>, String>,
}

/// The plain client of one project.
pub(super) struct Plain {
    place: Place,
    edge: Edge,
    commands: Commands,
    prompts: Prompts,
    model: ReadModel,
    lines: Lines,
    /// Which server told the last line, and its position there.
    heard: Option<(Timestamp, u64)>,
    /// When the last line was told, and up to when this server may only say what is old: it remembers what was before it.
    heard_at: Timestamp,
    old: Timestamp,
    /// How long the last look at the board took.
    took: Duration,
}

/// How a conversation ended.
enum End {
    /// The person leaves, or the server said goodbye; with these words.
    Left(String),
    /// The server is gone without a word.
    Lost,
}

/// Talks about the project at `place` until the person leaves or the server says goodbye. A server that vanishes is started again
/// by `restart`, if there is one.
///
/// # Errors
/// When there is no server and none comes back; for people.
pub async fn attach(
    place: &Place,
    (edge, commands): (&Edge, Commands),
    restart: Option<Restart>,
) -> Result<(), String> {
    let lines = Lines::open().map_err(|error| format!("could not read what is typed: {error}"))?;
    let mut edge = edge.clone();
    // What is typed here is about this project, wherever the program was started.
    edge.folder.clone_from(&place.root);
    let mut plain = Plain {
        place: place.clone(),
        edge,
        commands,
        prompts: Prompts::default(),
        model: ReadModel::default(),
        lines,
        heard: None,
        heard_at: Timestamp::default(),
        old: Timestamp::default(),
        took: Duration::ZERO,
    };
    let left = tokio::select! {
        left = plain.live(restart) => left?,
        () = crate::adapters::ending::told_to_end() => String::new(),
    };
    if !left.is_empty() {
        out::line(&left);
    }
    Ok(())
}

impl Plain {
    async fn live(&mut self, restart: Option<Restart>) -> Result<String, String> {
        self.introduce().await?;
        loop {
            match self.converse().await? {
                End::Left(why) => return Ok(why),
                End::Lost => {
                    tell("the server is not answering; agents go on; connecting again");
                    crate::client::lost::come_back(&self.place.socket, restart.clone()).await?;
                    tell("the server is back");
                }
            }
        }
    }

    async fn introduce(&mut self) -> Result<(), String> {
        let Needs { tasks, board } = self.look().await?;
        self.model = board.read_model();
        self.heard_at = board.at;
        out::line(&format!(
            "dbs, plain lines. Project {} in {}. {}, {} at work.",
            self.place.called(&self.place.config()),
            self.place.root.display(),
            counted(tasks, "task"),
            counted(self.model.agents().count(), "agent")
        ));
        out::line("Type help for what can be typed, quit to leave.");
        self.prompts.update(&self.model);
        out::all(self.prompts.list(&self.model));
        Ok(())
    }

    /// Talks with one server.
    async fn converse(&mut self) -> Result<End, String> {
        let Ok((mut sender, mut receiver)) = connection::greet(&self.place.socket).await else {
            return Ok(End::Lost);
        };
        let Some(after) = self.begin(&mut sender, &mut receiver).await else {
            return Ok(End::Lost);
        };
        let follow = FromClient::Call(Box::new(Call::Follow(after)));
        if connection::say(&mut sender, &follow).await.is_err() {
            return Ok(End::Lost);
        }
        let mut look_at = Instant::now();
        while !out::is_unread() {
            tokio::select! {
                heard = connection::hear(&mut receiver) => match heard {
                    Ok(Some(Packet::Said(FromServer::Line(line)))) => {
                        self.hear(&line);
                        look_at = look_at.min(Instant::now() + self.pause(TOGETHER));
                    }
                    Ok(Some(Packet::Said(FromServer::Bye(why)))) => return Ok(End::Left(why)),
                    Ok(Some(_)) => {}
                    Ok(None) | Err(_) => return Ok(End::Lost),
                },
                line = self.lines.next() => {
                    let Some(line) = line else {
                        return Ok(End::Left("left; the server and its agents go on".to_owned()));
                    };
                    if !self.act(&line).await {
                        return Ok(End::Left("left; the server and its agents go on".to_owned()));
                    }
                    look_at = Instant::now();
                }
                () = tokio::time::sleep_until(look_at) => {
                    if self.refresh().await.is_err() {
                        return Ok(End::Lost);
                    }
                    look_at = Instant::now() + self.pause(AGAIN);
                }
            }
        }
        Ok(End::Left(String::new()))
    }

    /// After which line this server is to go on: one that was started anew has told nothing yet; a first one has told enough.
    async fn begin(
        &mut self,
        sender: &mut crate::adapters::ipc::Sender,
        receiver: &mut crate::adapters::ipc::Receiver,
    ) -> Option<u64> {
        let who = FromClient::Call(Box::new(Call::Who));
        connection::say(sender, &who).await.ok()?;
        let since = match connection::hear(receiver).await {
            Ok(Some(Packet::Said(FromServer::Answer(Answer::Who(who))))) => who.since,
            _ => return None,
        };
        let (after, old) = match self.heard {
            None => (u64::MAX, self.heard_at),
            Some((same, after)) if same == since => (after, Timestamp::default()),
            Some(_other) => (0, self.heard_at),
        };
        self.old = old;
        self.heard = Some((since, after));
        Some(after)
    }

    fn hear(&mut self, line: &LogLine) {
        if let Some((_, after)) = &mut self.heard {
            *after = line.seq;
        }
        if line.at <= self.old {
            return;
        }
        self.heard_at = self.heard_at.max(line.at);
        let notice = &line.notice;
        // A numbered prompt says the same, and how to answer.
        if matches!(notice.kind.as_str(), "permission" | "question") {
            return;
        }
        let task = notice.task.as_ref().map_or("", TaskId::as_str);
        let text = format!(
            "{} {task} {}: {}",
            clock::time_of_day(line.at),
            notice.kind,
            notice.text
        );
        out::line(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    }

    /// Looks at the board, and says what came and went that needs the person.
    async fn refresh(&mut self) -> Result<(), String> {
        let begun = Instant::now();
        self.model = self.look().await?.board.read_model();
        for line in self.prompts.update(&self.model) {
            tell(&line);
        }
        self.took = begun.elapsed();
        Ok(())
    }

    fn pause(&self, least: Duration) -> Duration {
        least.max(self.took.saturating_mul(SHARE))
    }

    async fn look(&self) -> Result<Needs, String> {
        self.beside(|place, _edge| match talk::ask(&place, Call::Needs)? {
            Answer::Needs(needs) => Ok(*needs),
            other => Err(talk::not_understood(other)),
        })
        .await
    }

    /// Does what blocks beside the conversation.
    async fn beside<T: Send + 'static>(
        &self,
        work: impl FnOnce(Place, &Edge) -> Result<T, String> + Send + 'static,
    ) -> Result<T, String> {
        let (place, edge) = (self.place.clone(), Arc::new(self.edge.clone()));
        tokio::task::spawn_blocking(move || work(place, &edge))
            .await
            .unwrap_or_else(|error| Err(format!("could not go on: {error}")))
    }
}

/// Says something with the time before it.
fn tell(text: &str) {
    out::line(&format!("{} {text}", clock::time_of_day(clock::now())));
}
