//! `dbs keys`: the keys in force, and what is wrong with a person's own.

use std::fmt::Write as _;
use std::process::ExitCode;

use crate::adapters::out;
use crate::cli::args::Keys;
use crate::cli::commands::Outcome;
use crate::config::edge::Edge;
use crate::config::place::Place as ProjectPlace;
use crate::config::taste::Taste;
use crate::ui::{Keymap, Place, entries};

/// Prints the keys in force, or says whether they are without contradiction.
///
/// # Errors
/// What is wrong with the keys of the configuration, or that there is no such preset.
pub(super) fn run(edge: &Edge, keys: &Keys) -> Outcome {
    let keymap = match &keys.preset {
        Some(name) => {
            Keymap::with(&format!("preset = {name:?}")).map_err(|error| format!("could not {error}"))?
        }
        None => own(edge)?,
    };
    if keys.check {
        let bound = Place::ALL.map(|place| {
            entries()
                .map(|entry| keymap.keys(place, entry.action).len())
                .sum::<usize>()
        });
        out::line(&format!(
            "{} keys, no contradiction, every mode has a way out",
            bound.iter().sum::<usize>()
        ));
        return Ok(ExitCode::SUCCESS);
    }
    if keys.json.json {
        out::json(&as_json(&keymap));
    } else {
        out::lines(&as_text(&keymap));
    }
    Ok(ExitCode::SUCCESS)
}

/// The keys of this project's settings; outside of a project those of the program.
fn own(edge: &Edge) -> Result<Keymap, String> {
    let failed = |error: &dyn std::fmt::Display| format!("could not {error}");
    match ProjectPlace::find(&edge.folder, edge) {
        Ok(place) => {
            let keymap = Taste::of(&place.config())
                .keymap()
                .map_err(|error| failed(&error))?;
            Ok(keymap.as_ref().clone())
        }
        Err(_outside) => Keymap::builtin().map_err(|error| failed(&error)),
    }
}

fn as_text(keymap: &Keymap) -> String {
    let mut text = format!("prefix  {}\n", keymap.prefix());
    for place in Place::ALL {
        // Writing to a string cannot fail.
        writeln!(text, "\n[{}]", place.name()).unwrap_or_default();
        for entry in entries() {
            let keys: Vec<String> = keymap
                .keys(place, entry.action)
                .iter()
                .map(ToString::to_string)
                .collect();
            if !keys.is_empty() {
                writeln!(text, "{:<18} {:<18} {}", entry.name, keys.join(" "), entry.help)
                    .unwrap_or_default();
            }
        }
    }
    text.trim_end().to_owned()
}

fn as_json(keymap: &Keymap) -> serde_json::Value {
    let places = Place::ALL.map(|place| {
        let bound = entries().filter_map(|entry| {
            let keys: Vec<String> = keymap
                .keys(place, entry.action)
                .iter()
                .map(ToString::to_string)
                .collect();
            (!keys.is_empty()).then(|| (entry.name.to_owned(), serde_json::json!(keys)))
        });
        (
            place.name().to_owned(),
            serde_json::Value::Object(bound.collect()),
        )
    });
    let mut all: serde_json::Map<String, serde_json::Value> = places.into_iter().collect();
    all.insert("prefix".to_owned(), keymap.prefix().to_string().into());
    serde_json::Value::Object(all)
}
