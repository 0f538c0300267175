//! `dbs config`: show one value, all values, or set one (K68).

use std::process::ExitCode;

use super::Outcome;
use crate::app::args::Json;
use crate::app::config::{Config, Origin, Shown, set};
use crate::app::door::Door;
use crate::app::edge::Edge;
use crate::app::out;
use crate::app::place::Place;
use crate::app::server::own_themes;
use crate::app::setup;
use crate::app::taste::Taste;
use crate::app::wire::{Answer, Call};
use crate::formats::diagnostic::{Diagnostic, Severity};
use crate::ui::{Glyphs, Looks, Palette};

/// What of the configuration is to be shown or set.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The key; all without it.
    pub key: Option<&'a str>,
    /// Its new value.
    pub value: Option<&'a str>,
    /// Whether origins are shown.
    pub explain: bool,
}

/// Shows or sets.
///
/// # Errors
/// When there is no such key, it has no such value, or the file cannot be written; for people.
pub fn run(edge: &Edge, wanted: Wanted<'_>, json: Json) -> Outcome {
    let place = Place::find(&edge.folder, edge).map_err(|why| format!("could not {why}"))?;
    if let (Some(key), Some(value)) = (wanted.key, wanted.value) {
        return change(place, key, value, json);
    }
    let config = Config::read(&place.sources.places, &place.sources.given);
    for finding in config.diagnostics().iter().chain(&wrong_theme(&place, &config)) {
        out::problem(&finding.to_string());
    }
    let shown = match wanted.key {
        Some(key) => vec![
            config
                .explain(key)
                .map_err(|error| format!("could not {error}"))?,
        ],
        None => config.list(),
    };
    if json.json {
        out::json(&shown);
    } else {
        for value in &shown {
            print(value, wanted);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What is wrong with the theme that is set, with the place where it is set.
fn wrong_theme(place: &Place, config: &Config) -> Option<Diagnostic> {
    let why = theme_problem(place, config, None)?;
    let shown = config.explain("theme").ok()?;
    let (file, line) = match shown.origin {
        Origin::File { path, line } => (path, line),
        Origin::Environment(name) => (name.into(), 0),
        Origin::Flag | Origin::Default => ("theme".into(), 0),
    };
    Some(Diagnostic {
        severity: Severity::Warning,
        file,
        line,
        text: format!("could not {why}"),
    })
}

/// Why the theme of that name, or the one that is set, cannot be had.
fn theme_problem(place: &Place, config: &Config, name: Option<&str>) -> Option<String> {
    let (own, _unreadable) = own_themes(place);
    let looks = Looks {
        palette: Palette::True,
        glyphs: Glyphs::Unicode,
        ground: None,
    };
    let theme = Taste::of(config).with(own).theme(name, looks);
    theme.err().map(|problem| problem.to_string())
}

fn print(shown: &Shown, wanted: Wanted<'_>) {
    let value = shown
        .value
        .as_ref()
        .map_or_else(|| "not set".to_owned(), ToString::to_string);
    match (wanted.key, wanted.explain) {
        (Some(_), false) => out::line(&value),
        (None, false) => out::line(&format!("{:<28} {value}", shown.key)),
        (_, true) => {
            out::line(&format!("{:<28} {value}  ({})", shown.key, shown.origin));
            for (hidden, origin) in &shown.hidden {
                out::line(&format!("{:<28}   hides {hidden}  ({origin})", ""));
            }
            out::line(&format!("{:<28}   {}", "", shown.doc));
            if let Some(note) = shown.note {
                out::line(&format!("{:<28}   {note}", ""));
            }
        }
    }
}

/// Writes the value, then lets a running server read its settings again.
fn change(place: Place, key: &str, value: &str, json: Json) -> Outcome {
    if key == "theme"
        && let Some(why) = theme_problem(&place, &place.config(), Some(value.trim()))
    {
        return Err(format!("could not {why}"));
    }
    let written = set(&place.sources.places, key, value).map_err(|error| format!("could not {error}"))?;
    let agents = if key.starts_with("roles.") {
        setup::agents(&place).err()
    } else {
        None
    };
    let mut door = Door::to(place)?;
    let note = match (door.call(Call::Reload)?, agents) {
        (Some(Answer::Failed(why)), _) | (None, Some(why)) => Some(why),
        _ => written.note.map(|note| format!("{key} is kept: {note}")),
    };
    if json.json {
        out::json(&serde_json::json!({ "key": key, "file": written.file, "note": note }));
    } else {
        out::line(&format!("{key} is set in {}", written.file.display()));
    }
    if let Some(why) = note {
        out::problem(&why);
    }
    Ok(ExitCode::SUCCESS)
}
