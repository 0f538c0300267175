//! `dbs workflow`: list, show, check.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::adapters::out;
use crate::cli::args::{Json, WorkflowVerb};
use crate::cli::commands::Outcome;
use crate::config::edge::Edge;
use crate::config::looks;
use crate::config::place::Place;
use crate::config::setup;
use crate::config::taste::Taste;
use crate::domain::Workflow;
use crate::formats::diagnostic::{Diagnostic, Severity};
use crate::formats::workflow;
use crate::ui::{Glyphs, flowchart};

/// Runs one of them.
pub(super) fn run(edge: &Edge, verb: WorkflowVerb) -> Outcome {
    match verb {
        WorkflowVerb::List(json) => {
            list(&in_force(edge)?, json);
            Ok(ExitCode::SUCCESS)
        }
        WorkflowVerb::Show { name, json } => show(edge, &name, json),
        WorkflowVerb::Check { files, json } => check(edge, &files, json),
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

fn show(edge: &Edge, name: &str, json: Json) -> Outcome {
    let flows = in_force(edge)?;
    let flow = flows
        .iter()
        .find(|flow| flow.id.as_str() == name)
        .ok_or_else(|| format!("could not find a workflow called {name}; `dbs workflow list` lists all"))?;
    if json.json {
        out::json(flow);
    } else {
        out::all([format!("{}: {}", flow.id, flow.title), String::new()]);
        out::all(flowchart(flow, glyphs(edge)));
        out::lines(&workflow::describe(flow));
    }
    Ok(ExitCode::SUCCESS)
}

/// What lines are drawn with: as it is set, else as the terminal can.
fn glyphs(edge: &Edge) -> Glyphs {
    let looks = looks::of(edge);
    match Place::find(&edge.folder, edge) {
        Ok(place) => Taste::of(&place.config()).glyphs(looks),
        Err(_outside) => looks.glyphs,
    }
}

fn check(edge: &Edge, files: &[PathBuf], json: Json) -> Outcome {
    let own;
    let files = if files.is_empty() {
        let place = Place::find(&edge.folder, edge).map_err(|why| format!("could not {why}"))?;
        own = setup::own_workflows(&place)?;
        &own
    } else {
        files
    };
    if files.is_empty() && !json.json {
        out::line("this project has no workflows of its own (.debussy/workflows/*.toml)");
    }
    let read = files.iter().map(|file| Checked::read(file));
    let checked = read.collect::<Result<Vec<_>, _>>()?;
    if json.json {
        out::json(&checked.iter().map(Checked::as_json).collect::<Vec<_>>());
    } else {
        checked.iter().for_each(Checked::print);
    }
    Ok(if checked.iter().all(Checked::is_good) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// A file that was looked at.
struct Checked {
    file: PathBuf,
    flow: Option<Workflow>,
    findings: Vec<Diagnostic>,
}

impl Checked {
    fn read(file: &Path) -> Result<Checked, String> {
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("could not read {}: {error}", file.display()))?;
        let (flow, findings) = workflow::read(file, &text);
        Ok(Checked {
            file: file.to_owned(),
            flow,
            findings,
        })
    }

    fn is_good(&self) -> bool {
        let bad = |finding: &Diagnostic| finding.severity == Severity::Error;
        self.flow.is_some() && !self.findings.iter().any(bad)
    }

    fn print(&self) {
        for finding in &self.findings {
            out::problem(&finding.to_string());
        }
        if let Some(flow) = &self.flow {
            out::line(&format!(
                "{}: workflow {} with {} stages",
                self.file.display(),
                flow.id,
                flow.stages.len()
            ));
        }
    }

    fn as_json(&self) -> serde_json::Value {
        let findings = self.findings.iter().map(|finding| {
            let severity = match finding.severity {
                Severity::Warning => "warning",
                Severity::Error => "error",
            };
            serde_json::json!({ "severity": severity, "line": finding.line, "text": finding.text })
        });
        serde_json::json!({
            "file": self.file, "good": self.is_good(), "workflow": self.flow.as_ref().map(|flow| &flow.id),
            "findings": findings.collect::<Vec<_>>(),
        })
    }
}
