//! `dbs notify`: by which ways a person is called who is at no screen, and a try of each.

use std::process::ExitCode;

use serde::Serialize;

use crate::adapters::clock;
use crate::adapters::out;
use crate::cli::args::Json;
use crate::cli::commands::Outcome;
use crate::config::edge::Edge;
use crate::config::place::Place;
use crate::config::reaching::{Way, Ways};
use crate::domain::Level;
use crate::ports::notify::{Item, Summons};

/// A way, and how the try of it went.
#[derive(Debug, Serialize)]
struct Tried {
    way: &'static str,
    by: String,
    /// `None`: it was not tried.
    told: Option<bool>,
    why: Option<String>,
}

/// Lists the ways; with `test` each is used once. Exit code 1 when one does not work, or there is none to be tried.
pub(super) fn run(edge: &Edge, test: bool, json: Json) -> Outcome {
    let place = Place::find(&edge.folder, edge).map_err(|why| format!("could not {why}"))?;
    let config = place.config();
    for finding in config.diagnostics() {
        out::problem(&finding.to_string());
    }
    let ways = Ways::of(&config);
    if ways.is_empty() {
        let none =
            "no way is set: set notify.command or notify.url; without them only attached terminals call you";
        if test {
            return Err(format!("could not try to call you: {none}"));
        }
        if !json.json {
            out::line(none);
        }
    }
    let (open, problems) = ways.open(&place);
    for problem in &problems {
        out::problem(problem);
    }
    let summons = summons(place.called(&config));
    let tried: Vec<Tried> = open
        .iter()
        .map(|way| if test { tried(way, &summons) } else { untried(way) })
        .collect();
    if json.json {
        out::json(&tried);
    } else {
        for tried in &tried {
            out::line(&tried.to_string());
        }
    }
    let is_well = problems.is_empty() && tried.iter().all(|tried| tried.told != Some(false));
    Ok(if is_well {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn untried(way: &Way) -> Tried {
    Tried {
        way: way.name,
        by: way.by.clone(),
        told: None,
        why: None,
    }
}

fn tried(way: &Way, summons: &Summons) -> Tried {
    let result = way.notify.tell(summons);
    Tried {
        told: Some(result.is_ok()),
        why: result.err().map(|why| format!("could not {why}")),
        ..untried(way)
    }
}

impl std::fmt::Display for Tried {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:<8} {}", self.way, self.by)?;
        match (self.told, &self.why) {
            (Some(true), _) => f.write_str(": told"),
            (Some(false), Some(why)) => write!(f, ": {why}"),
            (Some(false) | None, _) => Ok(()),
        }
    }
}

fn summons(project: String) -> Summons {
    let text = "a test: you can be reached by this";
    Summons {
        id: "test".to_owned(),
        project,
        at: clock::now(),
        level: Level::Info,
        words: text.to_owned(),
        plain: text.to_owned(),
        items: vec![Item {
            kind: "test",
            task: None,
            attempt: None,
            run: None,
        }],
    }
}
