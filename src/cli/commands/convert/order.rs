//! Orders of a plan or a PRD: an agent turns a text into one, as tasks of the board. The server takes one
//! step after another; the command starts it, shows what happens, and asks a person before anything is put in its place.

use std::path::Path;
use std::sync::Arc;

use crate::adapters::git::GitCli;
use crate::adapters::termination::Interruption;
use crate::adapters::text_file;
use crate::cli::command_error::ErrorKind;
use crate::cli::commands::logs::EventCursor;
use crate::cli::commands::prelude::*;
use crate::cli::commands::run::{self, AgentOutput, AgentStart, FollowEnd, RunFollower};
use crate::cli::server_process::ensure_server;
use crate::cli::text_input;
use crate::domain::{AgentSettings, Command, JobStep, MadeForm, PlanJob, RunState, Task, TaskState};
use crate::plans::making::{
    DesignSoFar, LARGEST_TEXT, MadeFiles, MadeName, PlanMaking, committed_file, summary,
};

/// Agent that writes a plan, and the use of its result.
#[derive(Debug, Args)]
pub(in crate::cli::commands) struct WriterArgs {
    /// Name of the result; default: derived from the file name or the goal
    #[arg(long)]
    pub(in crate::cli::commands) name: Option<String>,
    /// Kind of agent that writes it; default: as set for its role
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Model of the agent, as its tool names it
    #[arg(long, short, value_name = "NAME")]
    model: Option<String>,
    /// Destination of the agent's output
    #[arg(long, short, value_enum, default_value_t = AgentOutput::File)]
    output: AgentOutput,
    /// Start the agents without asking (the default without a terminal)
    #[arg(long)]
    yes: bool,
    /// Return as soon as the work is queued; the same command shows the result later
    #[arg(long)]
    detach: bool,
    /// Approve the result with this hash (printed where no terminal can ask)
    #[arg(long, value_name = "HASH")]
    trust: Option<String>,
    #[command(flatten)]
    json: JsonFlag,
}

/// Returns what is to be made.
pub(in crate::cli::commands) fn job(
    form: MadeForm,
    feature: String,
    text: String,
    args: &WriterArgs,
) -> PlanJob {
    PlanJob {
        agent: args.agent.clone(),
        model: args.model.clone(),
        ..PlanJob::new(form, feature, text)
    }
}

/// Reads the text of a file, or of standard input, which has no name by itself.
pub(in crate::cli::commands) fn text_of(file: &Path, name: Option<&str>) -> CommandResult<String> {
    if file.as_os_str() != "-" {
        let most = u64::try_from(LARGEST_TEXT).unwrap_or(u64::MAX);
        return text_file::read_text(file, most)
            .map_err(|error| CommandError::caused(ErrorKind::Project, "", error));
    }
    if name.is_none() {
        return Err(CommandError::user(
            "a text from standard input has no name; give one with --name",
        ));
    }
    text_input::text(file, LARGEST_TEXT).map_err(|error| CommandError::caused(ErrorKind::Project, "", error))
}

/// Order of a person to have something made, and the call that waits for it.
pub(in crate::cli::commands) struct PlanOrder<'a> {
    pub(in crate::cli::commands) env: &'a ProcessEnv,
    pub(in crate::cli::commands) paths: ProjectPaths,
    pub(in crate::cli::commands) job: PlanJob,
    pub(in crate::cli::commands) name: MadeName,
    /// Operation of the call, in messages: `convert ideas.md`.
    pub(in crate::cli::commands) tried: String,
    pub(in crate::cli::commands) wanted: &'a WriterArgs,
}

impl PlanOrder<'_> {
    fn failed(&self, why: &dyn std::fmt::Display) -> CommandError {
        CommandError::project(format!("could not {}: {why}", self.tried))
    }

    /// Has it made, shows it to a person, and says yes for them.
    pub(in crate::cli::commands) fn carry_out(mut self) -> CommandResult {
        if let Some(there) = self.name.taken(&self.paths) {
            return Err(self.failed(&format!(
                "{} is there already; choose another name with --name",
                there.display()
            )));
        }
        if let Err(why) = run::trusted(&self.paths).and_then(|()| ensure_server(self.env, &self.paths)) {
            return Ok(ended(run::UNREADY, &why.to_string()));
        }
        let mut events = EventCursor::new(self.paths.store.clone());
        events.print_new(self.wanted.json, &|_old| false)?;
        self.start()?;
        if self.wanted.detach {
            output::line(&format!(
                "{} is under way; the same command waits for it, `dbs` shows it",
                self.name.batch()
            ));
            return Ok(ExitCode::SUCCESS);
        }
        let printed = (events, self.wanted.output, self.wanted.json);
        let paths = self.paths.clone();
        let mut follower = RunFollower::new(&paths, &self.name.batch(), printed, Interruption::listen());
        let found = match follower.until_still(self.env)? {
            FollowEnd::Still(found) => found,
            FollowEnd::Unread => return Ok(ExitCode::SUCCESS),
            FollowEnd::Interrupted => return Ok(run::left_running()),
        };
        let code = follower.finish(&found)?;
        self.reload()?;
        if let JobStep::Failed(_, why) = &self.job.step {
            return Err(self.failed(why));
        }
        let Some(writer) = self.written()? else {
            return Ok(ExitCode::from(code));
        };
        let (files, design) = self.made(&writer)?;
        if let Some(code) = self.ask(&files, &design)? {
            return Ok(code);
        }
        self.execute(Command::Approve(writer.id.clone()))?;
        match follower.until_still(self.env)? {
            FollowEnd::Still(_) => self.conclude(&files),
            FollowEnd::Unread => Ok(ExitCode::SUCCESS),
            FollowEnd::Interrupted => Ok(run::left_running()),
        }
    }

    /// Starts the job on the board, unless it is under way or over there.
    fn start(&mut self) -> CommandResult<()> {
        let mut access = self.access()?;
        let known = access.job(&self.name.batch())?;
        let writer = known.as_ref().and_then(|known| known.writer().cloned());
        let writer = writer.unwrap_or_else(|| self.name.task());
        let writer = access.task(&writer)?.map(|detail| detail.task);
        let state = writer.as_ref().map(|task| &task.state);
        if state == Some(&TaskState::Done) {
            output::problem(&format!(
                "{} is done already, and this is its result; choose another name with --name for a new result",
                self.name.task()
            ));
        }
        if let Some(known) = known {
            if known.text != self.job.text {
                return Err(self.failed(&format!(
                    "{} belongs to another text; choose another name with --name",
                    self.name.batch()
                )));
            }
            let is_same = self.job.complexity.is_none() || self.job.complexity == known.complexity;
            let is_stuck = state == Some(&TaskState::Cancelled) || matches!(known.step, JobStep::Failed(..));
            if is_same && !is_stuck {
                return Ok(());
            }
            self.job.complexity = self.job.complexity.take().or(known.complexity);
        }
        if !self.wanted.json.json {
            self.agents().agree(self.wanted.yes)?;
        }
        self.execute(Command::PutJob(self.name.batch(), Box::new(self.job.clone())))
    }

    /// Returns the agents that the job starts.
    fn agents(&self) -> AgentStart<'_> {
        let workflows: &[&str] = match self.job.form {
            MadeForm::Plan | MadeForm::Prd => &["convert"],
            MadeForm::Graph => &["design", "convert"],
        };
        AgentStart {
            paths: &self.paths,
            workflows,
            chosen: AgentSettings {
                agent: self.job.agent.clone(),
                model: self.job.model.clone(),
                ..AgentSettings::default()
            },
            result: format!(
                "Nothing is merged, and nothing is written to {} before you say yes to it.",
                self.name.folder
            ),
        }
    }

    /// Reads again how far the job is.
    fn reload(&mut self) -> CommandResult<()> {
        let job = self.access()?.job(&self.name.batch())?;
        self.job = *job.ok_or_else(|| self.failed(&"it is not on the board any more"))?;
        Ok(())
    }

    /// Returns the task that has written the result; `None` while it has not.
    fn written(&self) -> CommandResult<Option<Arc<Task>>> {
        let Some(writer) = self.job.writer() else {
            return Ok(None);
        };
        let task = self.access()?.task(writer)?.map(|detail| detail.task);
        // A person who approved it elsewhere has not seen it here.
        Ok(task.filter(|task| task.state.awaits_approval() || task.state == TaskState::Done))
    }

    /// Returns the files of the result, and what they were made of.
    fn made(&self, writer: &Task) -> CommandResult<(MadeFiles, DesignSoFar)> {
        let setup = self.paths.git_setup(self.env.environment.clone());
        let git = GitCli::open(&setup)?;
        let tasks = run::tasks_of(&mut self.access()?, self.name.batch())?;
        let open = |task: &Task, path: &Path| committed_file(&git, task, path);
        let making = PlanMaking::new(&self.paths, &self.job, &tasks, &open);
        let design = making.so_far().map_err(|why| self.failed(&why))?;
        let files = making.result(writer).map_err(|why| self.failed(&why))?;
        Ok((files, design))
    }

    /// Asks a person for a yes to the files; returns the exit code if no person can be asked.
    fn ask(&self, files: &MadeFiles, design: &DesignSoFar) -> CommandResult<Option<ExitCode>> {
        for line in &design.problems {
            output::problem(line);
        }
        let asked = design.question(&self.paths, &self.name, files);
        let Err(why) = run::ask(&asked, self.wanted.trust.as_deref()) else {
            return Ok(None);
        };
        let id = self.job.writer().map_or_else(String::new, ToString::to_string);
        let why =
            format!("{why}; `dbs reject {id} WHY` has it written again, and the same command waits for that");
        if self.wanted.trust.is_none() && !run::can_ask() {
            return Ok(Some(ended(RunState::Stalled.exit_code(), &why)));
        }
        Err(CommandError::user(why))
    }

    /// Prints what was written, and the next step.
    fn conclude(&mut self, files: &MadeFiles) -> CommandResult {
        self.reload()?;
        let names = match &self.job.step {
            JobStep::Written(_, names) => names,
            JobStep::Failed(_, why) => return Err(self.failed(why)),
            JobStep::Ordered | JobStep::Preparing | JobStep::Writing(_) | JobStep::Accepted(_) => {
                return Err(self.failed(&"it was sent back meanwhile; the same command waits for it"));
            }
        };
        if self.wanted.json.json {
            output::json(&serde_json::json!({ "files": names }));
            return Ok(ExitCode::SUCCESS);
        }
        let first = names.first().map_or("", String::as_str);
        output::line(&match self.job.form {
            MadeForm::Plan => format!("written; next: dbs audit {first}; dbs run {first}"),
            MadeForm::Prd => {
                format!("written; next: dbs atdd check {first}; commit and push it; dbs atdd run")
            }
            MadeForm::Graph => {
                output::all(summary(files));
                "written; next: dbs execute".to_owned()
            }
        });
        Ok(ExitCode::SUCCESS)
    }

    fn access(&self) -> CommandResult<BoardAccess> {
        BoardAccess::open_project(self.paths.clone())
    }

    fn execute(&self, command: Command) -> CommandResult<()> {
        let answer = self.access()?.execute(&self.env.author(), command)?;
        answer.map(drop).map_err(|refusal| self.failed(&refusal.why))
    }
}

/// Prints the reason for ending here; returns its exit code.
fn ended(code: u8, why: &str) -> ExitCode {
    output::problem(why);
    ExitCode::from(code)
}
