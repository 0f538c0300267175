//! `dbs workflow`: list, show, check.

use std::path::{Path, PathBuf};

use clap::Subcommand;

use crate::adapters::text_file;
use crate::cli::commands::prelude::*;
use crate::config::capabilities;
use crate::config::schema;
use crate::config::session_setup;
use crate::display::Glyphs;
use crate::domain::Workflow;
use crate::formats::finding::{Finding, FindingLevel};
use crate::formats::workflow;
use crate::ui::flowchart;

/// List, show and check workflows
#[derive(Debug, Subcommand)]
pub enum WorkflowCommand {
    /// List the workflows in force
    #[command(add = facts(Everybody, "dbs workflow list"))]
    List(JsonFlag),
    /// Show the stages and edges of a workflow
    #[command(add = facts(Everybody, "dbs workflow show\ndbs workflow show investigation"))]
    Show {
        /// Name of the workflow
        #[arg(default_value = "kanban")]
        name: String,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Check workflow files
    #[command(add = facts(Everybody, "dbs workflow check\ndbs workflow check .debussy/workflows/own.toml"))]
    Check {
        /// Files to check; default: the project's own
        files: Vec<PathBuf>,
        #[command(flatten)]
        json: JsonFlag,
    },
}

impl RunCommand for WorkflowCommand {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        match self {
            WorkflowCommand::List(json) => list(env, json),
            WorkflowCommand::Show { name, json } => show(env, &name, json),
            WorkflowCommand::Check { files, json } => check(env, &files, json),
        }
    }
}

/// Returns the built-in workflows, and the project's own if there is a project.
fn in_force(env: &ProcessEnv) -> CommandResult<Vec<Workflow>> {
    let place = ProjectPaths::find(&env.folder, env).ok();
    Ok(session_setup::workflows(place.as_ref())?)
}

fn list(env: &ProcessEnv, json: JsonFlag) -> CommandResult {
    let flows = in_force(env)?;
    if json.json {
        output::json(&flows);
    } else {
        output::all(flows.iter().map(|flow| format!("{:<16} {}", flow.id, flow.title)));
    }
    Ok(ExitCode::SUCCESS)
}

fn show(env: &ProcessEnv, name: &str, json: JsonFlag) -> CommandResult {
    let flows = in_force(env)?;
    let flow = flows
        .iter()
        .find(|flow| flow.id.as_str() == name)
        .ok_or_else(|| {
            CommandError::config(format!("could not find a workflow called {name}"))
                .with_hint("`dbs workflow list` lists all")
        })?;
    if json.json {
        output::json(flow);
    } else {
        output::all([format!("{}: {}", flow.id, flow.title), String::new()]);
        output::all(flowchart(flow, glyphs(env)));
        output::lines(&workflow::describe(flow));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the glyphs for drawing lines: as set, else as the terminal can.
fn glyphs(env: &ProcessEnv) -> Glyphs {
    let looks = capabilities::detect(env);
    match ProjectPaths::find(&env.folder, env) {
        Ok(place) => place
            .read_config()
            .choice(&schema::GLYPHS)
            .unwrap_or(looks.glyphs),
        Err(_outside) => looks.glyphs,
    }
}

fn check(env: &ProcessEnv, files: &[PathBuf], json: JsonFlag) -> CommandResult {
    let own;
    let files = if files.is_empty() {
        let place = ProjectPaths::find(&env.folder, env)?;
        own = session_setup::own_workflows(&place)?;
        &own
    } else {
        files
    };
    if files.is_empty() && !json.json {
        output::line("this project has no workflows of its own (.debussy/workflows/*.toml)");
    }
    let read = files.iter().map(|file| WorkflowFile::read(file));
    let checked = read.collect::<Result<Vec<_>, _>>()?;
    if json.json {
        output::json(&checked.iter().map(WorkflowFile::as_json).collect::<Vec<_>>());
    } else {
        checked.iter().for_each(WorkflowFile::print);
    }
    Ok(exit_code(checked.iter().all(WorkflowFile::is_valid)))
}

/// A workflow file that was read, with its findings.
struct WorkflowFile {
    file: PathBuf,
    flow: Option<Workflow>,
    findings: Vec<Finding>,
}

impl WorkflowFile {
    fn read(file: &Path) -> CommandResult<WorkflowFile> {
        let text = text_file::read_text(file, text_file::LARGEST_WRITTEN)
            .map_err(failed(format!("could not read {}", file.display())))?;
        let (flow, findings) = workflow::read(file, &text);
        Ok(WorkflowFile {
            file: file.to_owned(),
            flow,
            findings,
        })
    }

    fn is_valid(&self) -> bool {
        let bad = |finding: &Finding| finding.severity == FindingLevel::Error;
        self.flow.is_some() && !self.findings.iter().any(bad)
    }

    fn print(&self) {
        for finding in &self.findings {
            output::problem(&finding.to_string());
        }
        if let Some(flow) = &self.flow {
            output::line(&format!(
                "{}: workflow {} with {} stages",
                self.file.display(),
                flow.id,
                flow.stages.len()
            ));
        }
    }

    fn as_json(&self) -> serde_json::Value {
        serde_json::json!({
            "file": self.file, "good": self.is_valid(), "workflow": self.flow.as_ref().map(|flow| &flow.id),
            "findings": self.findings,
        })
    }
}
