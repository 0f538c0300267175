//! `dbs workflow`: list, show, check.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::Outcome;
use crate::app::args::{Json, WorkflowVerb};
use crate::app::edge::Edge;
use crate::app::place::Place;
use crate::app::{out, setup};
use crate::domain::Workflow;
use crate::formats::diagnostic::Severity;
use crate::formats::workflow;

/// Runs one of them.
pub(super) fn run(edge: &Edge, verb: WorkflowVerb) -> Outcome {
    match verb {
        WorkflowVerb::List(json) => {
            list(&in_force(edge)?, json);
            Ok(ExitCode::SUCCESS)
        }
        WorkflowVerb::Show { name, json } => show(&in_force(edge)?, &name, json),
        WorkflowVerb::Check { files } => check(edge, &files),
    }
}

/// Built-in ones, and the project's own where there is a project.
fn in_force(edge: &Edge) -> Result<Vec<Workflow>, String> {
    setup::workflows(Place::find(&edge.folder, edge).ok().as_ref())
}

fn list(flows: &[Workflow], json: Json) {
    if json.json {
        out::json(&flows);
        return;
    }
    for flow in flows {
        out::line(&format!("{:<16} {}", flow.id, flow.title));
    }
}

fn show(flows: &[Workflow], name: &str, json: Json) -> Outcome {
    let flow = flows
        .iter()
        .find(|flow| flow.id.as_str() == name)
        .ok_or_else(|| format!("could not find a workflow called {name}; `dbs workflow list` lists all"))?;
    if json.json {
        out::json(flow);
    } else {
        out::lines(&workflow::draw(flow));
    }
    Ok(ExitCode::SUCCESS)
}

fn check(edge: &Edge, files: &[PathBuf]) -> Outcome {
    let own;
    let files = if files.is_empty() {
        let place = Place::find(&edge.folder, edge).map_err(|why| format!("could not {why}"))?;
        own = setup::own_workflows(&place)?;
        &own
    } else {
        files
    };
    if files.is_empty() {
        out::line("this project has no workflows of its own (.debussy/workflows/*.toml)");
    }
    let bad = files
        .iter()
        .map(|file| check_one(file))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(if bad.contains(&true) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn check_one(file: &Path) -> Result<bool, String> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("could not read {}: {error}", file.display()))?;
    let (flow, findings) = workflow::read(file, &text);
    for finding in &findings {
        out::problem(&finding.to_string());
    }
    if let Some(flow) = &flow {
        out::line(&format!(
            "{}: workflow {} with {} stages",
            file.display(),
            flow.id,
            flow.stages.len()
        ));
    }
    Ok(flow.is_none() || findings.iter().any(|finding| finding.severity == Severity::Error))
}
