//! The plain client: lines that are only ever added, numbered prompts, no cursor movement, no colour, for screen readers, simple
//! terminals and logs. It prints changes and executes typed lines; the words are those of `ui`.

mod dispatch;
mod log_position;
mod stdin;

use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use tokio::time::Instant;

use crate::adapters::clock;
use crate::adapters::output;
use crate::client::error::ClientError;
use crate::client::reconnect::{RestartFn, STOPPED, reconnect};
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::domain::{TaskId, pluralized};
use crate::protocol::connection::{self, ProtocolError};
use crate::protocol::query::{Answer, Query};
use crate::protocol::wire::{CallReply, FromClient, FromServer, Packet, ServerCall};
use crate::read_model::{AttentionSummary, LogLine};
use crate::ui::PlainPrompts;
use log_position::LogPosition;
use stdin::StdinLines;

/// Delay of a refresh after a notice, so that changes that come together are printed together.
const REFRESH_DELAY: Duration = Duration::from_millis(200);
/// Time between refreshes, because an agent that continues by itself causes no notice.
const REFRESH_INTERVAL: Duration = Duration::from_secs(2);
/// Minimum ratio of the time between two refreshes to the time that one takes, so that large boards are fetched less often.
const REFRESH_SHARE: u32 = 10;

/// Commands of the program, as the command line executes them. They block.
#[derive(Debug, Clone, Copy)]
pub struct Commands {
    /// Executes a typed command, given as words.
    pub run: fn(&[String], &ProcessEnv) -> Result<(), ClientError>,
    /// Returns the last output lines of a task's agent, at most that many.
    pub end_of: fn(&ProjectPaths, &str, usize) -> Result<Vec<String>, ClientError>,
}

/// The last words to a person who leaves a session that continues.
const LEFT: &str = "left; the server and its agents keep running";

/// Client that prints lines and numbered prompts instead of drawing a screen.
pub(super) struct PlainClient {
    paths: ProjectPaths,
    env: ProcessEnv,
    commands: Commands,
    prompts: PlainPrompts,
    attention: AttentionSummary,
    lines: StdinLines,
    position: LogPosition,
    /// Time that the last refresh took.
    refresh_time: Duration,
}

/// Shows the project at `place` until the person leaves or the server says goodbye. A server that vanishes is started again by `restart`,
/// if there is one.
pub async fn attach(
    paths: &ProjectPaths,
    env: &ProcessEnv,
    commands: Commands,
    restart: Option<RestartFn>,
) -> Result<(), ClientError> {
    let is_kept = restart.is_some();
    let lines = StdinLines::open().map_err(ClientError::Lines)?;
    let mut env = env.clone();
    // Commands typed here are about this project, wherever the program was started.
    env.folder.clone_from(&paths.root);
    let mut plain = PlainClient {
        paths: paths.clone(),
        env,
        commands,
        prompts: PlainPrompts::default(),
        attention: AttentionSummary::default(),
        lines,
        position: LogPosition::default(),
        refresh_time: Duration::ZERO,
    };
    let left = tokio::select! {
        left = plain.run(restart) => left?,
        () = crate::adapters::termination::termination_signal() => String::new(),
    };
    // A session that is not started again ends with its person, and reports its fate itself.
    if !left.is_empty() && (is_kept || left != LEFT) {
        output::line(&left);
    }
    Ok(())
}

impl PlainClient {
    async fn run(&mut self, restart: Option<RestartFn>) -> Result<String, ClientError> {
        self.introduce().await?;
        loop {
            if let Ok(why) = self.run_connection().await {
                return Ok(why);
            }
            tell("the server is not answering; agents keep running; connecting again");
            let back = reconnect(&self.paths.socket, restart.clone(), &AtomicU32::new(0)).await?;
            if back.is_none() {
                return Ok(STOPPED.to_owned());
            }
            tell("the server is back");
        }
    }

    async fn introduce(&mut self) -> Result<(), ClientError> {
        // Before the board, so that nothing is missed between the two.
        match connection::call_once(&self.paths.socket, ServerCall::Who).await? {
            CallReply::Who(status) => self.position = LogPosition::now(&status),
            other => return Err(ProtocolError::from(other).into()),
        }
        self.attention = self.fetch_attention().await?;
        self.position.know_until(self.attention.at);
        output::line(&format!(
            "dbs, plain lines. Project {} in {}. {}, {} at work.",
            self.paths.session_name(&self.paths.read_config()),
            self.paths.root.display(),
            pluralized(self.attention.tasks, "task"),
            pluralized(self.attention.agents, "agent")
        ));
        output::line("Type help for what can be typed, quit to leave.");
        self.prompts.update(&self.attention);
        output::all(self.prompts.list(&self.attention));
        Ok(())
    }

    /// Runs until the person leaves or the server says goodbye; returns the words for that.
    ///
    /// # Errors
    /// When the server was lost.
    async fn run_connection(&mut self) -> Result<String, ProtocolError> {
        let (mut sender, mut receiver) = connection::greet(&self.paths.socket).await?;
        let status = connection::reply(&mut sender, &mut receiver, ServerCall::Who).await?;
        let CallReply::Who(status) = status else {
            return Err(status.into());
        };
        let follow = ServerCall::Follow(self.position.begin(&status));
        connection::send(&mut sender, &FromClient::Call(Box::new(follow))).await?;
        let mut look_at = Instant::now();
        let mut is_unanswered = false;
        while !output::is_unread() {
            tokio::select! {
                heard = connection::receive(&mut receiver) => match heard? {
                    Some(Packet::Message(FromServer::Line(line))) => {
                        self.on_notice(&line);
                        look_at = look_at.min(Instant::now() + self.pause(REFRESH_DELAY));
                    }
                    Some(Packet::Message(FromServer::Bye(why))) => return Ok(why),
                    Some(_) => {}
                    None => return Err(ProtocolError::WentAway),
                },
                line = self.lines.next() => {
                    let stays = match line {
                        Some(line) => self.run_line(&line).await,
                        None => false,
                    };
                    if !stays {
                        return Ok(LEFT.to_owned());
                    }
                    look_at = Instant::now();
                }
                () = tokio::time::sleep_until(look_at) => {
                    match self.refresh().await {
                        Ok(()) => is_unanswered = false,
                        Err(error) if is_unanswered => return Err(error),
                        // A server that ends takes no new call and says goodbye here; it must not be started again.
                        Err(_) => is_unanswered = true,
                    }
                    look_at = Instant::now() + self.pause(REFRESH_INTERVAL);
                }
            }
        }
        Ok(String::new())
    }

    fn on_notice(&mut self, line: &LogLine) {
        if !self.position.advance(line) {
            return;
        }
        let notice = &line.notice;
        // A numbered prompt has the same text, and the ways to answer.
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
        output::line(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    }

    /// Fetches the board, and prints the prompts that came or are gone.
    async fn refresh(&mut self) -> Result<(), ProtocolError> {
        let begun = Instant::now();
        self.attention = self.fetch_attention().await?;
        for line in self.prompts.update(&self.attention) {
            tell(&line);
        }
        self.refresh_time = begun.elapsed();
        Ok(())
    }

    fn pause(&self, least: Duration) -> Duration {
        least.max(self.refresh_time.saturating_mul(REFRESH_SHARE))
    }

    async fn fetch_attention(&self) -> Result<AttentionSummary, ProtocolError> {
        let call = ServerCall::Query(Query::Attention);
        match connection::call_once(&self.paths.socket, call).await? {
            CallReply::Query(Ok(Answer::Attention(attention))) => Ok(attention),
            other => Err(other.into()),
        }
    }

    /// Runs blocking work beside the conversation.
    async fn spawn_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(ProjectPaths, &ProcessEnv) -> Result<T, ClientError> + Send + 'static,
    ) -> Result<T, ClientError> {
        let (place, env) = (self.paths.clone(), Arc::new(self.env.clone()));
        tokio::task::spawn_blocking(move || work(place, &env))
            .await
            .map_err(ClientError::Task)?
    }
}

fn tell(text: &str) {
    output::line(&format!("{} {text}", clock::time_of_day(clock::now())));
}
