//! The way of the command line to the board: the running server, or the store itself for the length of one turn.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use crate::adapters::clock;
use crate::adapters::deadline::Deadline;
use crate::adapters::holder::LocalHolders;
use crate::adapters::output;
use crate::adapters::store::{LockOwner, SqliteStore, StoreFiles, attempts_at};
use crate::cli::caller;
use crate::cli::command_error::{CommandError, CommandResult, could_not};
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::config::{faults, session_setup};
use crate::domain::attempt::ActivityKind;
use crate::domain::{
    Accepted, Attempt, AttemptState, BatchId, Board, BoardSettings, Command, Effect, Event, PlanJob,
    PlannedBoard, PromptFacts, Refusal, RequestId, RoleId, TaskId, Worker,
};
use crate::engine::inbox::CommandReply;
use crate::engine::turn::DurableBoard;
use crate::ports::holders::{HolderId, HolderLiveness, Holders};
use crate::ports::store::StoreError;
use crate::protocol::answer::{StoredFacts, answer};
use crate::protocol::callers::{self, CallSubject, Caller};
use crate::protocol::connection::{Connection, ProtocolError};
use crate::protocol::query::{Answer, Query, QueryError, TaskDetail};
use crate::protocol::wire::{CallReply, FROM_NOW, ServerCall};
use crate::read_model::{MetricsReport, ReadModel};

/// Function that measures figures from the store and the processes of agents if no server does.
pub type MeasureModel<'a> = &'a dyn Fn(&ReadModel) -> Result<MetricsReport, QueryError>;

/// Facts beside the board, read by this process because no server does.
struct LocalFacts<'a> {
    files: &'a StoreFiles,
    measure: MeasureModel<'a>,
}

impl StoredFacts for LocalFacts<'_> {
    fn metrics(&self, model: &ReadModel) -> Result<Arc<MetricsReport>, QueryError> {
        (self.measure)(model).map(Arc::new)
    }

    fn attempts_at(&self, task: &TaskId) -> Result<Vec<Attempt>, QueryError> {
        attempts_at(self.files, task).map_err(QueryError::facts)
    }
}

/// Function that prints the changes.
pub type ShowFn<'a> = &'a mut dyn FnMut() -> CommandResult<()>;

/// Access to a project's board through its running server, or through the store when there is none.
pub struct BoardAccess {
    pub paths: ProjectPaths,
    server: Option<Connection>,
}

impl BoardAccess {
    /// Finds the project and the server that runs for it, if one does.
    pub fn open(env: &ProcessEnv) -> CommandResult<BoardAccess> {
        let paths = ProjectPaths::find(&env.folder, env)?;
        BoardAccess::open_project(paths)
    }

    /// Opens the board of the project at `place`.
    pub fn open_project(paths: ProjectPaths) -> CommandResult<BoardAccess> {
        let server = Connection::open(&paths.socket)?;
        Ok(BoardAccess { paths, server })
    }

    /// Returns true if a server runs.
    pub fn has_server(&self) -> bool {
        self.server.is_some()
    }

    /// Makes a call to the server; `None` when none runs.
    pub fn call(&mut self, call: ServerCall) -> CommandResult<Option<CallReply>> {
        let Some(server) = &mut self.server else {
            return Ok(None);
        };
        Ok(Some(server.call(call)?))
    }

    /// Sends a command to the board.
    ///
    /// # Errors
    /// When the board cannot be reached; a refusal is an answer.
    pub fn execute(&mut self, by: &str, command: Command) -> CommandResult<CommandReply> {
        if let Some(answer) = self.call(ServerCall::Ask {
            by: by.to_owned(),
            command: command.clone(),
        })? {
            return match answer {
                CallReply::Asked(reply) => Ok(reply),
                other => Err(ProtocolError::from(other).into()),
            };
        }
        if let Command::Answer(task, _) = &command {
            if self.task(task)?.is_none() {
                let why = format!("there is no task {task}: `dbs task list` lists all tasks");
                return Ok(Err(Refusal::new(why)));
            }
            let why = "no server runs, so no agent can get it: leave a comment with `dbs task comment`, the next one reads it";
            return Ok(Err(Refusal::new(why.to_owned())));
        }
        let Some(mut durable) = self.durable()? else {
            return self.execute(by, command);
        };
        let by = match self.judge_caller(by, &command, durable.board()) {
            Ok(by) => by,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let event = Event::Asked {
            request: RequestId(0),
            by,
            command,
        };
        let taken = durable.take_turn(clock::now(), &event)?;
        let waits = taken
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Stop(..)));
        let reply = taken.effects.into_iter().find_map(|effect| match effect {
            Effect::Reply(_, reply) => Some(reply.map(|accepted| mark_deferred(accepted, waits))),
            _ => None,
        });
        reply.ok_or_else(|| CommandError::internal("could not get an answer from the board"))
    }

    /// Checks that this process may send that command to the board, and returns its name; without a server nothing else checks it.
    fn judge_caller(&self, by: &str, command: &Command, board: &Board) -> Result<String, Refusal> {
        let caller = caller::of_this_process(&self.paths);
        let own = match &caller {
            Caller::Agent(attempt) => board.attempts.get(attempt),
            Caller::Person | Caller::Hidden | Caller::Program(_) | Caller::Unknown(_) => None,
        };
        let subject = CallSubject {
            attempt: None,
            task: match command {
                Command::Comment(task, _) => Some(task),
                _ => None,
            },
            own_task: own.filter(|own| own.state.is_open()).map(|own| &own.task),
            conducts: own.is_some_and(|own| own.conducts() && own.state.is_open()),
        };
        let planned = PlannedBoard {
            tasks: &board.tasks,
            batches: &board.batches,
        };
        let of_conductor = || subject.conducts.then(|| planned.refusal(command)).flatten();
        match callers::refusal(&caller, &callers::rule_of(command), subject).or_else(of_conductor) {
            Some(why) => Err(Refusal::new(why)),
            None => Ok(own.map_or(by, |own| own.worker.name()).to_owned()),
        }
    }

    /// Asks a question about the board: the server, or without one the store. `measure` is called for figures, without a server.
    pub fn query_measured(&mut self, query: Query, measure: MeasureModel<'_>) -> CommandResult<Answer> {
        if let Some(server) = &mut self.server {
            return Ok(server.query(query)?);
        }
        let model = self.stored_model()?;
        let facts = LocalFacts {
            files: &self.paths.store,
            measure,
        };
        let answer = answer(&model, &query, &facts);
        // The process is about to end; freeing thousands of tasks one by one would only delay the answer.
        std::mem::forget(model);
        Ok(answer.map_err(ProtocolError::from)?)
    }

    /// Asks a question about the board that needs no figures.
    pub fn query(&mut self, query: Query) -> CommandResult<Answer> {
        self.query_measured(query, &|_| {
            Err(QueryError::Facts("measure figures here".to_owned()))
        })
    }

    /// Returns a task with its open attempt.
    pub fn task(&mut self, id: &TaskId) -> CommandResult<Option<TaskDetail>> {
        match self.query(Query::Task(id.clone()))? {
            Answer::Task(task) => Ok(task),
            other => Err(unexpected_answer(other)),
        }
    }

    /// Returns the open attempt of an agent or a task, by the name of either or by its number.
    pub fn open_attempt(&mut self, name: &str) -> CommandResult<Option<Arc<Attempt>>> {
        match self.query(Query::OpenAttempt(name.to_owned()))? {
            Answer::OpenAttempt(attempt) => Ok(attempt),
            other => Err(unexpected_answer(other)),
        }
    }

    /// Returns the facts for the prompt of a task's agent, or of the next one in that role; `None` if no agent acts.
    pub fn prompt_facts(&mut self, task: TaskId, role: Option<RoleId>) -> CommandResult<Option<PromptFacts>> {
        match self.query(Query::PromptFacts(task, role))? {
            Answer::PromptFacts(facts) => Ok(facts.map(|facts| *facts)),
            other => Err(unexpected_answer(other)),
        }
    }

    /// Returns the plan or PRD that is made in a batch; `None` if none is.
    pub fn job(&mut self, batch: &BatchId) -> CommandResult<Option<Box<PlanJob>>> {
        match self.query(Query::Job(batch.clone()))? {
            Answer::Job(job) => Ok(job),
            other => Err(unexpected_answer(other)),
        }
    }

    /// Returns the ids of all tasks.
    pub fn ids(&mut self) -> CommandResult<BTreeSet<TaskId>> {
        self.ids_in(None)
    }

    /// Returns the ids of the tasks of a batch, or of all.
    pub fn ids_in(&mut self, batch: Option<BatchId>) -> CommandResult<BTreeSet<TaskId>> {
        match self.query(Query::TaskIds(batch))? {
            Answer::TaskIds(ids) => Ok(ids),
            other => Err(unexpected_answer(other)),
        }
    }

    /// Returns the board as the store has it.
    fn stored_model(&self) -> CommandResult<ReadModel> {
        // A project in which nothing has happened yet has no store.
        let mut board = match SqliteStore::open_reader(&self.paths.store)? {
            Some(reader) => reader.load()?,
            None => Board::default(),
        };
        // The board is only read: the contents of the files have no effect until a turn is taken.
        let (settings, workflows) = session_setup::reread(&self.paths)?;
        let faults = faults::written(&self.paths, &self.paths.read_config(), &workflows);
        board.settings = Arc::new(BoardSettings { faults, ..settings });
        board.workflows = workflows
            .into_iter()
            .map(|flow| (flow.id.clone(), Arc::new(flow)))
            .collect();
        mark_ended(&mut board, &self.holders());
        Ok(ReadModel {
            is_live: false,
            ..ReadModel::of(&board, clock::now())
        })
    }

    /// Calls `show` for every new line of the watcher log, until the server ends, the output is closed or `show` fails.
    pub fn follow(&mut self, show: ShowFn<'_>) -> CommandResult<()> {
        let mut outcome = Ok(());
        self.served()?
            .follow(FROM_NOW, &mut |_| show_next(show, &mut outcome))?;
        outcome
    }

    /// Calls `show` at once, and again whenever the board has changed, until the server ends, the output is closed or `show` fails.
    pub fn watch(&mut self, show: ShowFn<'_>) -> CommandResult<()> {
        let mut outcome = Ok(());
        self.served()?.watch(&mut || show_next(show, &mut outcome))?;
        outcome
    }

    fn served(&mut self) -> CommandResult<&mut Connection> {
        self.server.as_mut().ok_or_else(|| {
            CommandError::server("could not follow: no server runs")
                .with_hint("start one with `dbs start` or `dbs watch`")
        })
    }

    /// Returns the board, locked, for one turn in this process; `None` if a server listens by now. The turn does not wake: nothing is
    /// started without a server.
    fn durable(&mut self) -> CommandResult<Option<DurableBoard>> {
        self.paths.prepare()?;
        let deadline = Deadline::start();
        let store = loop {
            match self.store() {
                Ok(store) => break store,
                // A server has the store before it listens, and another command for the length of its turn.
                Err(StoreError::Locked { .. }) if !deadline.is_over() => deadline.sleep(),
                Err(error) => return Err(could_not(error)),
            }
            *self = BoardAccess::open_project(self.paths.clone())?;
            if self.has_server() {
                return Ok(None);
            }
        };
        let secret = self.paths.secret()?;
        let mask = Arc::new(move |board: &Board, event: &Event| secret.mask_tokens(board, event));
        let durable = DurableBoard::open(Box::new(store))?;
        let mut durable = durable.with_mask(mask);
        for event in self.stored_settings()? {
            if durable.board().is_redundant(&event) {
                continue;
            }
            durable.take_turn(clock::now(), &event)?;
        }
        Ok(Some(durable))
    }

    /// Returns the holders of the project, to look at and to end: none is started with these.
    pub(in crate::cli) fn holders(&self) -> LocalHolders {
        let paths = &self.paths;
        LocalHolders::new(PathBuf::new(), paths.attempts.clone(), paths.runtime.clone())
    }

    /// Opens the store, locked for this process.
    pub(in crate::cli) fn store(&self) -> Result<SqliteStore, StoreError> {
        SqliteStore::open(&self.paths.store, &LockOwner::this_process(), clock::now())
    }

    fn stored_settings(&self) -> CommandResult<[Event; 2]> {
        let (settings, workflows) = session_setup::reread(&self.paths)?;
        Ok([Event::WorkflowsLoaded(workflows), Event::configured(settings)])
    }
}

/// Marks the agents that worked when the last server ended and have ended since: the store cannot know.
fn mark_ended(board: &mut Board, holders: &dyn Holders) {
    for attempt in board.attempts.values_mut() {
        if !attempt.state.is_open() || matches!(attempt.worker, Worker::Engine(_)) {
            continue;
        }
        let doing = match holders.status(&HolderId::from(attempt.id)).state {
            HolderLiveness::Exited(_) => ActivityKind::Exited,
            HolderLiveness::Lost | HolderLiveness::GoneWithMachine => ActivityKind::Lost,
            // The holder was started, and its records are gone.
            HolderLiveness::NotStarted if attempt.state == AttemptState::Running => ActivityKind::Lost,
            HolderLiveness::NotStarted | HolderLiveness::Running(_) | HolderLiveness::Unknown(_) => continue,
        };
        Arc::make_mut(attempt).activity.doing = doing;
    }
}

fn show_next(show: ShowFn<'_>, outcome: &mut CommandResult<()>) -> ControlFlow<()> {
    *outcome = show();
    if outcome.is_err() || output::is_unread() {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

fn unexpected_answer(answer: Answer) -> CommandError {
    ProtocolError::from(CallReply::Query(Ok(answer))).into()
}

/// Adds to an answer without a server that the rest needs one: agents at work are stopped by the next.
fn mark_deferred(accepted: Accepted, waits: bool) -> Accepted {
    if !waits {
        return accepted;
    }
    Accepted(format!("{}; no server runs, the next one stops them", accepted.0))
}
