//! `dbs run` at a terminal and `dbs run --headless`: waits for the end of a plan, with a line for each step, and ends with a code for the
//! result. The server continues by itself: a person may leave and come back. Without one, the call stops what it has started.

use std::collections::{BTreeMap, BTreeSet};

use super::begin::{self, RunOnBoard, RunOutcome};
use crate::adapters::clock;
use crate::adapters::holder::LogReader;
use crate::adapters::termination::Interruption;
use crate::cli::commands::logs::EventCursor;
use crate::cli::commands::logs::log_follower::{LogFollower, LogStep, OutputLines, POLL_INTERVAL};
use crate::cli::commands::prelude::*;
use crate::cli::commands::run::{AgentOutput, RunPlanArgs};
use crate::cli::server_process::ensure_server;
use crate::domain::{AttemptId, BatchId, Command, TaskId, TaskState, pluralized};
use crate::plans::run_watch::{AttemptFacts, BesideRun, BoardFacts, RunFacts, RunStep, RunWatch};
use crate::protocol::connection::{self, ProtocolError, blocking_runtime};
use crate::protocol::query::{Answer, OutputFormat, Query, Report};
use crate::protocol::session_list;
use crate::protocol::wire::{CallReply, FromClient, FromServer, Packet, ServerCall, StopAgents};

/// The plan has errors.
const UNSOUND: u8 = 3;
/// The project, or this machine, is not ready for it.
pub(in crate::cli::commands) const UNREADY: u8 = 4;
/// The command was asked to end.
const INTERRUPTED: u8 = 130;

/// End of following a run.
pub(in crate::cli::commands) enum FollowEnd {
    /// Run that is over or needs a person.
    Still(RunFacts),
    /// The output has no reader any more.
    Unread,
    /// The command was asked to end, by Ctrl-C or the system.
    Interrupted,
}

/// Executes a plan, and waits until it is over or needs a person.
pub(super) fn run(env: &ProcessEnv, args: &RunPlanArgs) -> CommandResult {
    let paths = ProjectPaths::find(&env.folder, env)?;
    let mut events = EventCursor::new(paths.store.clone());
    events.print_new(args.call.json, &|_old| false)?;
    let had_server = BoardAccess::open_project(paths.clone())?.has_server();
    // From here on a signal must not end the command before it can stop what it began.
    let interruption = Interruption::listen();
    let run = match begin(env, &paths, args)? {
        Ok(run) => run,
        Err(code) => return Ok(code),
    };
    let printed = (events, args.call.printed(), args.call.json);
    let mut follower = RunFollower::new(&paths, &run.batch, printed, interruption);
    match follower.until_still(env)? {
        FollowEnd::Still(found) => follower.finish(&found).map(ExitCode::from),
        FollowEnd::Unread => Ok(ExitCode::SUCCESS),
        FollowEnd::Interrupted if args.call.headless => stop_started(env, &paths, &run, had_server),
        FollowEnd::Interrupted => Ok(left_running()),
    }
}

/// Says that the work goes on without this command, and how it is stopped.
pub(in crate::cli::commands) fn left_running() -> ExitCode {
    output::problem(
        "the run continues without this command; the same command or `dbs` shows it again; to stop it: `dbs task park ID WHY` for a task, `dbs pause` \
         for all, `dbs stop --all` for server and agents",
    );
    ExitCode::from(INTERRUPTED)
}

/// Stops what this call has started: the tasks of its run, and the server with its agents.
fn stop_started(env: &ProcessEnv, paths: &ProjectPaths, run: &RunOnBoard, had_server: bool) -> CommandResult {
    let mut access = BoardAccess::open_project(paths.clone())?;
    let is_open = |state: &TaskState| {
        !state.is_terminal() && !matches!(state, TaskState::Backlog | TaskState::Parked(_))
    };
    let mut parked = 0;
    if run.has_begun {
        for (id, task) in begin::tasks_of(&mut access, run.batch.clone())? {
            // One that ends meanwhile refuses it.
            let park = || Command::Park(id, "its run was interrupted".to_owned());
            parked += usize::from(is_open(&task.state) && access.execute(&env.author(), park())?.is_ok());
        }
    }
    if !had_server {
        access.call(ServerCall::Stop(StopAgents::Yes))?;
    }
    output::problem(&format!(
        "stopped the run: {} parked; `--resume` retries parked tasks",
        pluralized(parked, "task")
    ));
    Ok(ExitCode::from(INTERRUPTED))
}

/// Puts a plan on the board of a running server; returns the exit code with the reason if that is refused.
pub(super) fn begin(
    env: &ProcessEnv,
    paths: &ProjectPaths,
    args: &RunPlanArgs,
) -> CommandResult<Result<RunOnBoard, ExitCode>> {
    let unready = |why: &str| {
        output::problem(why);
        Ok(Err(ExitCode::from(UNREADY)))
    };
    let run = match begin::begin(env, paths, args)? {
        RunOutcome::OnBoard(run) => run,
        RunOutcome::Shown | RunOutcome::NothingLeft => return Ok(Err(ExitCode::SUCCESS)),
        RunOutcome::Unsound => return Ok(Err(ExitCode::from(UNSOUND))),
        RunOutcome::Unready(why) => return unready(&why),
    };
    match ensure_server(env, paths) {
        Ok(()) => Ok(Ok(run)),
        Err(error) => unready(&error.to_string()),
    }
}

/// Follower that waits for the run of a batch.
pub(in crate::cli::commands) struct RunFollower<'a> {
    paths: &'a ProjectPaths,
    batch: BatchId,
    output: AgentOutput,
    json: JsonFlag,
    events: EventCursor,
    /// Signal that ends the following.
    interruption: Interruption,
    tasks: BTreeSet<TaskId>,
    /// Logs of agents at work that are printed.
    logs: BTreeMap<AttemptId, AgentLog>,
    /// Attempts whose log was named or is printed.
    known: BTreeSet<AttemptId>,
    /// True if the run was checked before.
    has_looked: bool,
    pub(in crate::cli::commands) watch: RunWatch,
}

struct AgentLog {
    task: TaskId,
    log: LogFollower,
    lines: OutputLines,
}

impl<'a> RunFollower<'a> {
    pub(in crate::cli::commands) fn new(
        paths: &'a ProjectPaths,
        batch: &BatchId,
        (events, output, json): (EventCursor, AgentOutput, JsonFlag),
        interruption: Interruption,
    ) -> RunFollower<'a> {
        RunFollower {
            paths,
            batch: batch.clone(),
            output,
            json,
            events,
            interruption,
            tasks: BTreeSet::new(),
            logs: BTreeMap::new(),
            known: BTreeSet::new(),
            has_looked: false,
            watch: RunWatch::default(),
        }
    }

    /// Prints the events until the run is over or needs a person, and starts a server that was killed again.
    pub(in crate::cli::commands) fn until_still(&mut self, env: &ProcessEnv) -> CommandResult<FollowEnd> {
        let runtime = blocking_runtime()?;
        loop {
            match runtime.block_on(self.follow()) {
                Ok(Some(end)) => return Ok(end),
                Ok(None) if output::is_unread() => return Ok(FollowEnd::Unread),
                // A server that was killed leaves its record; one that was stopped, or replaced by another, does not.
                Ok(None) | Err(_) if session_list::is_cut_off(self.paths) => {
                    output::problem("the server is gone; agents keep running; starting it again");
                    ensure_server(env, self.paths)?;
                }
                Ok(None) if BoardAccess::open_project(self.paths.clone())?.has_server() => {}
                Ok(None) => {
                    return Err(CommandError::server(
                        "the server was stopped before the end; the same command continues",
                    ));
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Prints the result, and for each phase that is not done the command that continues it; returns the exit code (3.11).
    pub(in crate::cli::commands) fn finish(&mut self, facts: &RunFacts) -> CommandResult<u8> {
        self.print_logs()?;
        blocking_runtime()?.block_on(self.conclude(facts))
    }

    /// Prints the events until the run is over or needs a person; returns nothing where the server has ended before.
    async fn follow(&mut self) -> CommandResult<Option<FollowEnd>> {
        let interruption = self.interruption.clone();
        let mut interrupted = std::pin::pin!(interruption.heard());
        let (mut sender, mut receiver) = connection::greet(&self.paths.socket).await?;
        let watch = FromClient::Call(Box::new(ServerCall::Watch));
        connection::send(&mut sender, &watch).await?;
        let mut at_output = tokio::time::interval(POLL_INTERVAL);
        while !output::is_unread() {
            tokio::select! {
                () = &mut interrupted => return Ok(Some(FollowEnd::Interrupted)),
                heard = connection::receive(&mut receiver) => match heard {
                    Ok(Some(Packet::Message(FromServer::Answer(CallReply::Changed)))) => {
                        if let Some(over) = self.look().await? {
                            return Ok(Some(FollowEnd::Still(over)));
                        }
                    }
                    Ok(Some(Packet::Message(FromServer::Bye(_))) | None) | Err(_) => return Ok(None),
                    Ok(Some(_)) => {}
                },
                _ = at_output.tick() => {
                    self.print_logs()?;
                    // Nothing changes while waiting for the minimum age of an ask.
                    if self.watch.is_timed() && let Some(over) = self.look().await? {
                        return Ok(Some(FollowEnd::Still(over)));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Checks the run; returns it once nothing more happens without a person.
    async fn look(&mut self) -> CommandResult<Option<RunFacts>> {
        let found = self.run_facts().await?;
        self.tasks.extend(found.tasks.iter().map(|task| task.id.clone()));
        let tasks = &self.tasks;
        self.events.print_new(self.json, &|line| {
            line.notice.task.as_ref().is_none_or(|task| tasks.contains(task))
        })?;
        self.note_logs(&found);
        let beside = self.beside(&found).await?;
        match self.watch.step(&found, &beside, clock::now()) {
            RunStep::GoesOn => return Ok(None),
            RunStep::Still => {}
            RunStep::PausedBy(by) => {
                output::problem(&format!("the board was paused by {by}; `dbs resume` continues"));
            }
        }
        Ok(Some(found))
    }

    /// Returns the facts beside the run that decide whether it goes on.
    async fn beside(&self, facts: &RunFacts) -> CommandResult<BesideRun> {
        let mut beside = BesideRun::default();
        if facts.is_worked_on() {
            match self.ask(Query::Attention).await? {
                Answer::Attention(attention) => beside.attention = attention.rows,
                other => return Err(ProtocolError::from(CallReply::Query(Ok(other))).into()),
            }
        } else if facts.is_paused() {
            let status = Report::Status(Ok(Vec::new()));
            let text = self.report(status, OutputFormat::Json).await?;
            let board: BoardFacts =
                serde_json::from_str(&text).map_err(failed("could not read how things stand"))?;
            beside.pause = board.pause;
        }
        Ok(beside)
    }

    async fn run_facts(&self) -> CommandResult<RunFacts> {
        let text = self
            .report(Report::Run(self.batch.clone()), OutputFormat::Json)
            .await?;
        serde_json::from_str(&text).map_err(failed("could not read how the plan goes"))
    }

    async fn report(&self, report: Report, format: OutputFormat) -> CommandResult<String> {
        match self.ask(Query::Report(report, format)).await? {
            Answer::Text(pieces) => Ok(String::from_utf8_lossy(&pieces.concat()).into_owned()),
            other => Err(ProtocolError::from(CallReply::Query(Ok(other))).into()),
        }
    }

    async fn ask(&self, query: Query) -> CommandResult<Answer> {
        match connection::call_once(&self.paths.socket, ServerCall::Query(query)).await? {
            CallReply::Query(Ok(answer)) => Ok(answer),
            other => Err(ProtocolError::from(other).into()),
        }
    }

    /// Prints the paths of the logs of agents that have begun, and opens those that are to be printed.
    fn note_logs(&mut self, facts: &RunFacts) {
        let is_first = !std::mem::replace(&mut self.has_looked, true);
        for task in &facts.tasks {
            for AttemptFacts { attempt, state } in &task.attempts {
                if self.known.contains(attempt) {
                    continue;
                }
                let folder = self.paths.attempts.join(attempt.to_string());
                // Attempts of the engine have none, and that of an agent may be about to be made.
                let Ok(log) = LogReader::open(&folder) else {
                    continue;
                };
                self.known.insert(*attempt);
                if is_first && !state.is_open() {
                    continue;
                }
                if self.output.names_logs() && !self.json.json {
                    output::line(&format!(
                        "{} attempt {attempt} writes to {}",
                        task.id,
                        folder.display()
                    ));
                }
                if self.output.is_printed() {
                    let log = AgentLog {
                        task: task.id.clone(),
                        log: LogFollower::new(&folder, log, *attempt, 0),
                        lines: OutputLines::new(),
                    };
                    self.logs.insert(*attempt, log);
                }
            }
        }
    }

    /// Prints the output of agents since the last call.
    fn print_logs(&mut self) -> CommandResult<()> {
        let mut ended = Vec::new();
        for (attempt, log) in &mut self.logs {
            loop {
                let (lines, goes_on) = match log.log.step()? {
                    LogStep::Bytes(bytes) => (log.lines.take(&bytes), true),
                    LogStep::Idle => (log.lines.rest().into_iter().collect(), false),
                    LogStep::End => {
                        ended.push(*attempt);
                        (
                            std::mem::replace(&mut log.lines, OutputLines::new()).finish(),
                            false,
                        )
                    }
                };
                print_lines(*attempt, &log.task, &lines, self.json);
                if !goes_on {
                    break;
                }
            }
        }
        self.logs.retain(|attempt, _| !ended.contains(attempt));
        Ok(())
    }

    async fn conclude(&self, facts: &RunFacts) -> CommandResult<u8> {
        let code = facts.exit_code(UNREADY);
        if self.json.json {
            output::json(&serde_json::json!({ "run": self.batch, "state": facts.run.state, "exit": code }));
            return Ok(code);
        }
        let text = self
            .report(Report::Run(self.batch.clone()), OutputFormat::Lines)
            .await?;
        output::lines(&text);
        for task in &facts.tasks {
            if matches!(task.state, TaskState::Done | TaskState::Cancelled) {
                continue;
            }
            let why = self
                .report(
                    Report::Why {
                        name: task.id.to_string(),
                        with_sources: false,
                    },
                    OutputFormat::Lines,
                )
                .await?;
            output::line(why.lines().next().unwrap_or_default());
        }
        Ok(code)
    }
}

/// Prints lines of an agent, each behind its task.
fn print_lines(attempt: AttemptId, task: &TaskId, lines: &[String], json: JsonFlag) {
    for line in lines.iter().filter(|line| !line.is_empty()) {
        if json.json {
            output::json(&serde_json::json!({ "attempt": attempt, "task": task, "line": line }));
        } else {
            output::line(&format!("{task} | {line}"));
        }
    }
}
