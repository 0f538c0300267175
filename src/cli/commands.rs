//! The commands, each in a file of its own: arguments, help, examples, callers and function. Exit codes: 0 done, 1 refused or failed,
//! 2 wrong use.

mod agents;
mod answer;
mod approve;
mod asks;
pub mod atdd;
pub mod attach;
mod audit;
mod backup;
mod batch;
mod board;
mod clean;
mod clear;
pub mod command_line;
pub mod completions;
mod conduct;
mod config;
pub mod convert;
mod cost;
mod debug;
pub mod demo;
pub mod design;
mod diff;
mod doctor;
mod done;
mod events;
mod headless;
pub mod help;
mod history;
mod hook;
mod import;
mod init;
mod interrupt;
mod keys;
mod kill_agent;
pub mod logs;
mod man;
mod mcp;
mod metrics;
mod mode;
mod notify;
mod pause;
mod plan;

mod prelude;
mod progress;
mod prompt;
mod pull;
pub mod rehearse;
mod reject;
mod report;
pub mod restart;
mod restore;
mod resume;
mod retry;
pub mod run;
pub mod server;
mod sessions;
pub mod signal;
mod skip;
pub mod start;
mod status;
mod statusline;
pub mod stop;
pub mod task;
mod trust;
pub mod typed;
mod upgrade;
pub mod watch;
mod why;
mod workflow;

use std::process::ExitCode;

use clap::Subcommand;

use crate::adapters::output;
use crate::cli::args::{DeferredArgs, JsonFlag};
use crate::cli::board_access::BoardAccess;
pub use crate::cli::command_error::CommandResult;
use crate::config::process_env::ProcessEnv;
use crate::domain::Command;
use crate::engine::inbox::CommandReply;

/// Arguments of a command, which know how to carry it out. Commands that start servers or draw implement it in `app`.
pub trait RunCommand {
    /// Carries out the command and returns the exit code of the program.
    ///
    /// # Errors
    /// When the command could not do what it was asked; the error has its cause, the way out and an exit code.
    fn run(self, env: &ProcessEnv) -> CommandResult;
}

/// Writes the commands, the call of each and the groups of the help from one list.
macro_rules! commands {
    ($($group:literal: { $($(#[$attribute:meta])* $name:ident($args:ty),)+ })+) => {
        /// A command of the program with its arguments.
        #[derive(Debug, Subcommand)]
        pub enum CliCommand {
            $($($(#[$attribute])* $name(DeferredArgs<$args>),)+)+
        }

        impl RunCommand for CliCommand {
            fn run(self, env: &ProcessEnv) -> CommandResult {
                match self {
                    $($(CliCommand::$name(DeferredArgs(args)) => args.run(env),)+)+
                }
            }
        }

        /// Groups of commands in the order of the help, each with the variants of its commands in the order of their use.
        const GROUPS: &[(&str, &[&str])] = &[$(($group, &[$(stringify!($name)),+])),+];
    };
}

commands! {
    "Start here": {
        Start(start::StartArgs),
        Attach(attach::AttachArgs),
        Demo(demo::DemoArgs),
        Init(init::InitArgs),
        Doctor(doctor::DoctorArgs),
        Help(help::HelpArgs),
    }
    "Tasks": {
        Board(board::BoardArgs),
        Status(status::StatusArgs),
        #[command(subcommand, visible_aliases = ["bd", "bead"])]
        Task(task::TaskCommand),
        #[command(subcommand)]
        Batch(batch::BatchCommand),
        Why(why::WhyArgs),
        Diff(diff::DiffArgs),
        Pull(pull::PullArgs),
        Approve(approve::ApproveArgs),
        Reject(reject::RejectArgs),
        Retry(retry::RetryArgs),
        Skip(skip::SkipArgs),
    }
    "Plans": {
        Conduct(conduct::ConductArgs),
        Design(design::DesignArgs),
        Convert(convert::ConvertArgs),
        #[command(subcommand)]
        Plan(plan::PlanCommand),
        Audit(audit::AuditArgs),
        #[command(visible_alias = "execute")]
        Run(run::RunPlanArgs),
        History(history::HistoryArgs),
        #[command(subcommand, visible_alias = "stories")]
        Atdd(atdd::AtddCommand),
        Import(import::ImportWorkArgs),
    }
    "Agents": {
        Agents(agents::AgentsArgs),
        Logs(logs::LogsArgs),
        Prompt(prompt::PromptArgs),
        Answer(answer::AnswerArgs),
        Interrupt(interrupt::InterruptArgs),
        KillAgent(kill_agent::KillAgentArgs),
        Mode(mode::ModeArgs),
        Pause(pause::PauseArgs),
        Resume(resume::ResumeArgs),
        Cost(cost::CostArgs),
        #[command(visible_alias = "stats")]
        Metrics(metrics::MetricsArgs),
    }
    "Project": {
        Sessions(sessions::SessionsArgs),
        Watch(watch::WatchArgs),
        Stop(stop::StopArgs),
        Restart(restart::RestartArgs),
        Config(config::ConfigArgs),
        Trust(trust::TrustArgs),
        #[command(subcommand)]
        Workflow(workflow::WorkflowCommand),
        Keys(keys::KeysArgs),
        Notify(notify::NotifyArgs),
        Events(events::EventsArgs),
        Backup(backup::BackupArgs),
        Restore(restore::RestoreArgs),
        Clean(clean::CleanArgs),
        Clear(clear::ClearArgs),
        Debug(debug::DebugArgs),
        Upgrade(upgrade::UpgradeArgs),
        Man(man::ManArgs),
        Completions(completions::CompletionsArgs),
    }
    "For agents": {
        Signal(signal::SignalArgs),
        Done(done::DoneArgs),
        Progress(progress::ProgressArgs),
        Mcp(mcp::McpArgs),
    }
    "Not shown": {
        #[command(hide = true)]
        Hook(hook::HookArgs),
        #[command(hide = true, disable_help_flag = true)]
        Headless(headless::HeadlessArgs),
        #[command(hide = true)]
        Statusline(statusline::StatuslineArgs),
        #[command(hide = true)]
        Server(server::ServerArgs),
        #[command(hide = true, disable_help_flag = true)]
        Rehearse(rehearse::RehearseArgs),
    }
}

/// Sends a command to the board and prints the answer.
pub fn execute(env: &ProcessEnv, command: Command, json: JsonFlag) -> CommandResult {
    let mut access = BoardAccess::open(env)?;
    Ok(print_reply(&access.execute(&env.author(), command)?, "", json))
}

/// Prints an accepted answer, or a refusal with `prefix` before it.
fn print_reply(answer: &CommandReply, prefix: &str, json: JsonFlag) -> ExitCode {
    match answer {
        Ok(accepted) => print_done(&accepted.0, json),
        Err(refusal) => {
            if json.json {
                output::json(&serde_json::json!({ "refused": refusal.why }));
            }
            output::problem(&format!("{prefix}{}", refusal.why));
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Prints the result.
pub fn print_done(text: &str, json: JsonFlag) {
    if json.json {
        output::json(&serde_json::json!({ "ok": text }));
    } else {
        output::lines(text);
    }
}

/// Returns the exit code of a command that checked something.
fn exit_code(is_well: bool) -> ExitCode {
    if is_well {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
