//! `dbs config`: show one value, all values, or set one (K68).

use std::process::ExitCode;

use crate::adapters::out;
use crate::cli::args::Json;
use crate::cli::commands::Outcome;
use crate::cli::door::Door;
use crate::config::edge::Edge;
use crate::config::place::Place;
use crate::config::setup;
use crate::config::taste::Taste;
use crate::config::themes::own_themes;
use crate::config::{Config, Origin, Shown, set, unset};
use crate::formats::diagnostic::{Diagnostic, Severity};
use crate::protocol::wire::{Answer, Call};
use crate::ui::{Glyphs, Looks, Palette};

/// What is wanted of the configuration; a key, or all of them without one.
#[derive(Debug, Clone, Copy)]
pub enum Wanted<'a> {
    /// Values.
    Show(Option<&'a str>),
    /// Values, where they come from, and what they are for.
    Explain(Option<&'a str>),
    /// Another value.
    Set(&'a str, &'a str),
    /// No value in this project any more.
    Unset(&'a str),
}

/// Shows or sets.
///
/// # Errors
/// When there is no such key, it has no such value, or the file cannot be written; for people.
pub fn run(edge: &Edge, wanted: Wanted<'_>, json: Json) -> Outcome {
    let place = Place::find(&edge.folder, edge).map_err(|why| format!("could not {why}"))?;
    let key = match wanted {
        Wanted::Set(key, value) => return change(place, key, Some(value), json),
        Wanted::Unset(key) => return change(place, key, None, json),
        Wanted::Show(key) | Wanted::Explain(key) => key,
    };
    let config = Config::read(&place.sources.places, &place.sources.given);
    for finding in config.diagnostics().iter().chain(&wrong_theme(&place, &config)) {
        out::problem(&finding.to_string());
    }
    let shown = match key {
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
    match wanted {
        Wanted::Show(Some(_)) => out::line(&value),
        Wanted::Show(None) => out::line(&format!("{:<28} {value}", shown.key)),
        Wanted::Explain(_) | Wanted::Set(..) | Wanted::Unset(_) => {
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

/// Writes the value, or takes it out, then lets a running server read its settings again.
fn change(place: Place, key: &str, value: Option<&str>, json: Json) -> Outcome {
    if key == "theme"
        && let Some(value) = value
        && let Some(why) = theme_problem(&place, &place.config(), Some(value.trim()))
    {
        return Err(format!("could not {why}"));
    }
    let places = &place.sources.places;
    let written = match value {
        Some(value) => set(places, key, value),
        None => unset(places, key),
    };
    let written = written.map_err(|error| format!("could not {error}"))?;
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
        let done = if value.is_some() {
            "set"
        } else {
            "not set any more"
        };
        out::line(&format!("{key} is {done} in {}", written.file.display()));
    }
    if let Some(why) = note {
        out::problem(&why);
    }
    Ok(ExitCode::SUCCESS)
}
