//! `dbs task`: the tasks of the board, one command for each thing that is done with one.

mod agent;
mod attic;
pub mod create;
mod edit;
pub(in crate::cli::commands) mod import;
mod update;
mod values;

use clap::Subcommand;

use crate::cli::commands::init;
use crate::cli::commands::prelude::*;
use crate::cli::commands::retry::RetryArgs;
use crate::cli::commands::why::WhyArgs;
use crate::cli::text_input;
use crate::domain::{Command, TaskId};
use crate::protocol::query::Report;

/// Words for the states of tasks.
const STATES: [&str; 10] = [
    "backlog",
    "released",
    "active",
    "verifying",
    "held",
    "parked",
    "done",
    "failed",
    "skipped",
    "cancelled",
];

/// Create, list, change and release tasks
///
/// `dbs task why` and `dbs task retry` are `dbs why` and `dbs retry`.
#[derive(Debug, Subcommand)]
pub enum TaskCommand {
    Create(create::CreateArgs),
    Import(import::ImportArgs),
    /// Show everything about a task
    #[command(add = facts(Everybody, "dbs task show dbs-1"))]
    Show(TaskArgs),
    /// List tasks
    #[command(add = facts(Everybody, "dbs task list\ndbs task list --state held --json\ndbs task list --stage reviewing"))]
    List {
        /// State of the tasks to list
        #[arg(long, value_parser = STATES)]
        state: Option<String>,
        /// Stage of the tasks to list
        #[arg(long)]
        stage: Option<String>,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// List tasks that could be started now
    #[command(add = facts(Everybody, "dbs task ready"))]
    Ready(JsonFlag),
    Update(update::UpdateArgs),
    /// Edit title and description of a task in your editor
    #[command(add = facts(Persons, "dbs task edit dbs-1"))]
    Edit(TaskArgs),
    /// Add a comment to a task; `-` as the text reads standard input
    #[command(add = facts(OwnAgent, "dbs task comment dbs-1 \"use the parser we have\""))]
    Comment(TaskTextArgs),
    /// Add or remove a dependency: `dbs task dep ID ON` makes ID wait for ON
    #[command(add = facts(Conductors, "dbs task dep dbs-2 dbs-1\ndbs task dep dbs-2 dbs-1 --remove"))]
    Dep {
        /// Task that waits
        id: String,
        /// Task it waits for
        on: String,
        /// Remove the dependency
        #[arg(long)]
        remove: bool,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Release tasks to the pipeline
    #[command(add = facts(Persons, "dbs task release dbs-1 dbs-2"))]
    Release {
        /// Ids of the tasks
        #[arg(required = true)]
        ids: Vec<String>,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Move a task without a running agent back to the backlog
    #[command(add = facts(Persons, "dbs task withdraw dbs-1"))]
    Withdraw(TaskArgs),
    /// Park a task
    #[command(add = facts(Persons, "dbs task park dbs-1 \"after the release\""))]
    Park(TaskTextArgs),
    /// Close a task that is not done
    #[command(add = facts(Conductors, "dbs task close dbs-1 \"not wanted any more\""))]
    Close(TaskTextArgs),
    /// Say that the base has the work of a task that was left on its branch
    ///
    /// With `merge.via = "branch"` others merge the work. `dbs` watches the base until it has the work, but does not recognise work that was
    /// squashed together with other changes; use this command then. Tasks that wait for it may start, and its branch goes to the attic.
    #[command(add = facts(Persons, "dbs task merged dbs-1"))]
    Merged(TaskArgs),
    /// Prepare this project, like `dbs init`
    #[command(hide = true, add = facts(Persons, "bd init"))]
    Init(JsonFlag),
    #[command(hide = true)]
    Retry(RetryArgs),
    #[command(hide = true)]
    Why(WhyArgs),
    /// Restore uncommitted work and deleted branches as new branches
    ///
    /// The branches are `kept/ID-1`, `kept/ID-2` and so on, in the order in which the work was put aside. A branch that exists already is
    /// not changed, and no checkout is touched.
    #[command(add = facts(Persons, "dbs task attic dbs-1"))]
    Attic(TaskArgs),
}

impl RunCommand for TaskCommand {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        match self {
            TaskCommand::Create(create) => create.run(env),
            TaskCommand::Import(import) => import.run(env),
            TaskCommand::Show(one) => print_report(env, Report::Task(id(&one.id)), one.json),
            TaskCommand::List { state, stage, json } => {
                print_report(env, Report::Tasks { state, stage }, json)
            }
            TaskCommand::Ready(json) => print_report(env, Report::Ready, json),
            TaskCommand::Edit(one) => edit::run(env, &one),
            TaskCommand::Update(update) => update.run(env),
            TaskCommand::Comment(one) => comment(env, &one),
            TaskCommand::Dep {
                id: waits,
                on,
                remove,
                json,
            } => {
                let (waits, on) = (id(&waits), id(&on));
                let command = if remove {
                    Command::RemoveDependency(waits, on)
                } else {
                    Command::AddDependency(waits, on)
                };
                execute(env, command, json)
            }
            TaskCommand::Release { ids, json } => execute(
                env,
                Command::Release(ids.iter().map(|text| id(text)).collect()),
                json,
            ),
            TaskCommand::Withdraw(one) => execute(env, Command::Withdraw(id(&one.id)), one.json),
            TaskCommand::Park(one) => execute(env, Command::Park(id(&one.id), one.text.join(" ")), one.json),
            TaskCommand::Close(one) => {
                execute(env, Command::Close(id(&one.id), one.text.join(" ")), one.json)
            }
            TaskCommand::Merged(one) => execute(env, Command::Merged(id(&one.id)), one.json),
            TaskCommand::Init(json) => init::prepare(env, false, json),
            TaskCommand::Retry(again) => again.run(env),
            TaskCommand::Attic(one) => attic::run(env, &one),
            TaskCommand::Why(one) => one.run(env),
        }
    }
}

/// Comments on a task. An agent that reaches neither the server nor the store, as in a sandbox, leaves its comment where signals are left.
fn comment(env: &ProcessEnv, one: &TaskTextArgs) -> CommandResult {
    let text = text_input::typed("comment", one.text.join(" "))?;
    let command = Command::Comment(id(&one.id), text.clone());
    let why = match BoardAccess::open(env) {
        Ok(mut access) => match access.execute(&env.author(), command) {
            Ok(answer) => return Ok(print_reply(&answer, "", one.json)),
            // The server may have taken the comment, whatever became of its answer.
            Err(why) if access.has_server() => return Err(why),
            Err(why) => why,
        },
        Err(why) => why,
    };
    if env.get("DBS_TASK").is_none_or(|own| own != one.id) {
        return Err(why);
    }
    let Ok(kept) = super::signal::comment_by_file(env, text) else {
        return Err(why);
    };
    print_done(&kept, one.json);
    Ok(ExitCode::SUCCESS)
}

fn id(text: &str) -> TaskId {
    TaskId::from(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{HoldReason, Skip, TaskState};

    #[test]
    fn every_state_can_be_asked_for() {
        let text = String::new;
        let all = [
            TaskState::Backlog,
            TaskState::Released,
            TaskState::Active,
            TaskState::Verifying,
            TaskState::Held(HoldReason::Approval),
            TaskState::Parked(text()),
            TaskState::Done,
            TaskState::Failed(text()),
            TaskState::Skipped(Skip::Dependency("t".into())),
            TaskState::Cancelled,
        ];
        assert_eq!(all.map(|state| state.word()), STATES);
    }
}
