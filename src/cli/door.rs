//! The way of the command line to the board: the running server, or the store itself for the length of one turn.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use bytes::Bytes;

use crate::adapters::clock;
use crate::adapters::patience::Patience;
use crate::adapters::store::{Owner, SqliteStore};
use crate::config::edge::Edge;
use crate::config::place::Place;
use crate::config::setup;
use crate::domain::{
    Accepted, Attempt, AttemptId, Board, Command, Effect, Event, Refusal, RequestId, TaskId,
};
use crate::engine::inbox::Answer as Said;
use crate::engine::turn::Ledger;
use crate::ports::store::StoreError;
use crate::protocol::connection::Connection;
use crate::protocol::snapshot::{Snapshot, TaskSheet};
use crate::protocol::telling::{self, Asked, Form};
use crate::protocol::wire::{Answer, Call, LogLine};
use crate::ui::Consent;

/// A way to the board of one project.
pub struct Door {
    /// Where the project is.
    pub place: Place,
    server: Option<Connection>,
}

impl std::fmt::Debug for Door {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Door")
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

impl Door {
    /// Finds the project and the server that runs for it, if one does.
    ///
    /// # Errors
    /// When there is no project here, for people.
    pub fn open(edge: &Edge) -> Result<Door, String> {
        let place = Place::find(&edge.folder, edge).map_err(|why| format!("could not {why}"))?;
        Door::to(place)
    }

    /// A way to that project.
    ///
    /// # Errors
    /// When this process cannot work at all, or the server speaks another version.
    pub fn to(place: Place) -> Result<Door, String> {
        let server = Connection::open(&place.socket)?;
        Ok(Door { place, server })
    }

    /// Whether a server runs.
    pub fn is_live(&self) -> bool {
        self.server.is_some()
    }

    /// Asks the server; `None` when none runs.
    ///
    /// # Errors
    /// When the server goes away before it answers.
    pub fn call(&mut self, call: Call) -> Result<Option<Answer>, String> {
        self.converse(call, &mut Vec::new())
    }

    /// Asks the server; pieces of a text that come before its answer are added to `text`.
    fn converse(&mut self, call: Call, text: &mut Vec<Bytes>) -> Result<Option<Answer>, String> {
        let Some(server) = &mut self.server else {
            return Ok(None);
        };
        server.call(call, text).map(Some)
    }

    /// Asks the board for something.
    ///
    /// # Errors
    /// When the board cannot be reached; a refusal is an answer.
    pub fn ask(&mut self, by: &str, command: Command) -> Result<Said, String> {
        if let Some(answer) = self.call(Call::Ask {
            by: by.to_owned(),
            command: command.clone(),
        })? {
            return match answer {
                Answer::Asked(said) => Ok(said),
                Answer::Failed(why) => Err(why),
                other => Err(strange(&other)),
            };
        }
        if let Command::Answer(task, _) = &command {
            if self.task(task)?.is_none() {
                let why = format!("there is no task {task}: `dbs task list` shows those there are");
                return Ok(Err(Refusal(why)));
            }
            let why = "no server runs, so no agent can be told: leave a comment with `dbs task comment`, the next one reads it";
            return Ok(Err(Refusal(why.to_owned())));
        }
        let Some(mut ledger) = self.ledger()? else {
            return self.ask(by, command);
        };
        let event = Event::Asked {
            request: RequestId(0),
            by: by.to_owned(),
            command,
        };
        let taken = ledger
            .take(clock::now(), &event)
            .map_err(|error| format!("could not {error}"))?;
        let waits = taken
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Stop(..)));
        let reply = taken.effects.into_iter().find_map(|effect| match effect {
            Effect::Reply(_, said) => Some(said.map(|accepted| later(accepted, waits))),
            _ => None,
        });
        reply.ok_or_else(|| "could not get an answer from the board".to_owned())
    }

    /// Says yes or no to what an agent wants to be allowed.
    ///
    /// # Errors
    /// When no server runs; a refusal is an answer.
    pub fn consent(&mut self, attempt: AttemptId, what: &str, says: Consent) -> Result<Said, String> {
        let what = what.to_owned();
        match self.call(Call::Consent { attempt, what, says })? {
            Some(Answer::Asked(said)) => Ok(said),
            Some(other) => Err(strange(&other)),
            None => Err("could not tell the agent: no server runs; start one with `dbs`".to_owned()),
        }
    }

    /// What a command prints about the board, piece by piece: the server's words, or without one the same from the store.
    ///
    /// # Errors
    /// When the board cannot be read, or the question names something that is not there.
    pub fn tell(&mut self, asked: &Asked) -> Result<Vec<Bytes>, String> {
        let mut text = Vec::new();
        match self.converse(Call::Tell(asked.clone()), &mut text)? {
            Some(Answer::Told) => return Ok(text),
            Some(other) => return Err(strange(&other)),
            None => {}
        }
        let board = self.snapshot()?;
        let told = telling::tell(&board, asked);
        // The process is about to end; giving back thousands of tasks one by one would only keep who asked waiting.
        std::mem::forget(board);
        Ok(vec![Bytes::from(told?)])
    }

    /// The figures in the server's words; `None` when none runs.
    ///
    /// # Errors
    /// When the server cannot read them.
    pub fn figures(&mut self, form: Form) -> Result<Option<Vec<Bytes>>, String> {
        let mut text = Vec::new();
        match self.converse(Call::Figures(form), &mut text)? {
            Some(Answer::Told) => Ok(Some(text)),
            Some(other) => Err(strange(&other)),
            None => Ok(None),
        }
    }

    /// A task, and who is at work on it.
    ///
    /// # Errors
    /// When the board cannot be read.
    pub fn task(&mut self, id: &TaskId) -> Result<Option<TaskSheet>, String> {
        match self.call(Call::Task(id.clone()))? {
            Some(Answer::Task(sheet)) => Ok(sheet.map(|sheet| *sheet)),
            Some(other) => Err(strange(&other)),
            None => Ok(self.snapshot()?.sheet(id)),
        }
    }

    /// The attempt of an agent or a task, by the name of either: the open one, else the task's last.
    ///
    /// # Errors
    /// When the board cannot be read.
    pub fn attempt(&mut self, name: &str) -> Result<Option<Attempt>, String> {
        match self.call(Call::Attempt(name.to_owned()))? {
            Some(Answer::Attempt(attempt)) => Ok(attempt.map(|attempt| *attempt)),
            Some(other) => Err(strange(&other)),
            None => Ok(self.snapshot()?.attempt(name).cloned()),
        }
    }

    /// The ids that tasks have.
    ///
    /// # Errors
    /// When the board cannot be read.
    pub fn ids(&mut self) -> Result<BTreeSet<TaskId>, String> {
        match self.call(Call::Ids)? {
            Some(Answer::Ids(ids)) => Ok(ids),
            Some(other) => Err(strange(&other)),
            None => Ok(self.snapshot()?.tasks.into_keys().collect()),
        }
    }

    /// The board as the store has it: what a server knows is asked of the server.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn snapshot(&self) -> Result<Snapshot, String> {
        let files = self.place.store.clone();
        // A project in which nothing has happened yet has no store.
        let mut board = Board::default();
        if files.database.exists() {
            let failed = |error: StoreError| format!("could not {error}");
            let reader = SqliteStore::open_reader(&files).map_err(failed)?;
            board = reader.load().map_err(failed)?;
        }
        // Only looked at: nothing follows from what the files say until somebody takes a turn.
        let (settings, workflows) = setup::reread(&self.place)?;
        board.settings = Arc::new(settings);
        board.workflows = workflows
            .into_iter()
            .map(|flow| (flow.id.clone(), Arc::new(flow)))
            .collect();
        Ok(Snapshot::alone(board, clock::now()))
    }

    /// Hands every new line of the watcher log to `show`, from position `after` on, until the server ends or `show` breaks.
    ///
    /// # Errors
    /// When no server runs.
    pub fn follow(
        &mut self,
        after: u64,
        show: &mut dyn FnMut(&LogLine) -> ControlFlow<()>,
    ) -> Result<(), String> {
        self.served()?.follow(after, show)
    }

    /// Calls `show` at once, and again whenever the board has changed, until the server ends or `show` breaks.
    ///
    /// # Errors
    /// When no server runs.
    pub fn watch(&mut self, show: &mut dyn FnMut() -> ControlFlow<()>) -> Result<(), String> {
        self.served()?.watch(show)
    }

    fn served(&mut self) -> Result<&mut Connection, String> {
        self.server.as_mut().ok_or_else(|| {
            "could not follow: no server runs; start one with `dbs start` or `dbs watch`".to_owned()
        })
    }

    /// The board, locked, for one turn in this process; nothing when a server listens by now. It does not wake: nothing is
    /// started without a server.
    fn ledger(&mut self) -> Result<Option<Ledger>, String> {
        let patience = Patience::begin();
        let store = loop {
            match self.store() {
                Ok(store) => break store,
                // A server has the store before it listens, and another command for the length of its turn.
                Err(StoreError::Locked { .. }) if !patience.is_over() => patience.wait(),
                Err(error) => return Err(format!("could not {error}")),
            }
            *self = Door::to(self.place.clone())?;
            if self.is_live() {
                return Ok(None);
            }
        };
        let mut ledger = Ledger::open(Box::new(store)).map_err(|error| format!("could not {error}"))?;
        for event in self.in_force()? {
            if ledger.board().knows(&event) {
                continue;
            }
            ledger
                .take(clock::now(), &event)
                .map_err(|error| format!("could not {error}"))?;
        }
        Ok(Some(ledger))
    }

    fn store(&self) -> Result<SqliteStore, StoreError> {
        let owner = Owner {
            process: std::process::id(),
            socket: String::new(),
        };
        SqliteStore::open(&self.place.store, &owner, clock::now())
    }

    fn in_force(&self) -> Result<[Event; 2], String> {
        let (settings, workflows) = setup::reread(&self.place)?;
        Ok([Event::WorkflowsLoaded(workflows), Event::Configured(settings)])
    }
}

/// Why something cannot be done, in the server's words; of another answer that it was not understood.
fn strange(answer: &Answer) -> String {
    match answer {
        Answer::Failed(why) => why.clone(),
        other => format!("could not understand the server: {other:?}"),
    }
}

/// What was decided without a server and needs one: agents at work are stopped by the next.
fn later(accepted: Accepted, waits: bool) -> Accepted {
    if !waits {
        return accepted;
    }
    Accepted(format!("{}; no server runs, the next one stops them", accepted.0))
}
