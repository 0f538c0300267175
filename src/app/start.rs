//! `dbs`, `dbs start` and `dbs attach`: start this project's server if none runs, and show a session in this terminal.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use crate::app::spawning;
use crate::cli::args::Start;
use crate::cli::commands::{Outcome, showing, typed};
use crate::cli::door::Door;
use crate::client::plain::{self, Commands};
use crate::client::{self, Onward, Restart};
use crate::config::edge::Edge;
use crate::config::place::Place;
use crate::domain::command::{Command, Draft};
use crate::domain::task::TaskKind;
use crate::protocol::neighbours;

/// What is typed into the plain client is carried out as on the command line.
pub(super) const COMMANDS: Commands = Commands {
    run: typed::run,
    end_of: showing::end_of,
};

/// How a session is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Show {
    /// On the whole screen, where the terminal can.
    Screen,
    /// In lines that are only added.
    Plain,
}

impl From<bool> for Show {
    fn from(plain: bool) -> Show {
        if plain { Show::Plain } else { Show::Screen }
    }
}

impl Show {
    /// What this terminal can do: one without a cursor, and a person who said so once for all, get lines.
    fn on(self, edge: &Edge) -> Show {
        if edge.needs_plain() { Show::Plain } else { self }
    }
}

/// Said before anything is begun: a screen that cannot be drawn is no reason to start a server.
fn needs_terminal(how: Show, edge: &Edge) -> Result<(), String> {
    use std::io::IsTerminal as _;
    if how == Show::Plain {
        return Ok(());
    }
    client::refuse_to_nest(edge)?;
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        return Ok(());
    }
    Err("could not draw the screen: standard input and output must be a terminal; `dbs --plain` and `dbs watch` work without one".to_owned())
}

/// Starts this project's server if none runs, and attaches (K63).
pub(super) fn start(edge: &Edge, start: &Start) -> Outcome {
    let how = Show::from(start.plain).on(edge);
    needs_terminal(how, edge)?;
    let place = place(edge).map_err(|why| match neighbours::last(edge) {
        Some(_) => format!("{why}; `dbs attach` goes to the session you were at last"),
        None => why,
    })?;
    if start.paused {
        // Before there is a server: a moment later it would have begun to work.
        refused(Door::to(place.clone())?.ask(&edge.author(), Command::Pause)?)?;
    }
    spawning::ensure_server(edge, &place)?;
    let mut door = Door::to(place.clone())?;
    if let Some(text) = &start.requirement {
        let draft = requirement(text);
        let (answer, _) = crate::cli::commands::creating::ask(&mut door, &edge.author(), &[&draft], |ids| {
            let id = ids.first().cloned().unwrap_or_else(|| draft.id.clone());
            Command::Create(Draft { id, ..draft.clone() })
        })?;
        refused(answer)?;
    }
    drop(door);
    show(edge, &place, how)
}

/// Attaches to a session by name, or to this project's.
pub(super) fn attach(edge: &Edge, name: Option<&str>, how: Show) -> Outcome {
    let how = how.on(edge);
    if how != Show::Plain {
        client::refuse_to_nest(edge)?;
    }
    let place = match name {
        Some(name) => place_at(&neighbours::called(edge, name)?, edge)?,
        None => match (place(edge), neighbours::last(edge)) {
            (Ok(here), _) => here,
            (Err(_nowhere), Some(last)) => place_at(&last, edge)?,
            (Err(nowhere), None) => return Err(nowhere),
        },
    };
    if !Door::to(place.clone())?.is_live() {
        if !neighbours::is_cut_off(&place) {
            return Err("could not attach: no server runs for this project; `dbs` starts one".to_owned());
        }
        spawning::ensure_server(edge, &place)?;
    }
    show(edge, &place, how)
}

fn show(edge: &Edge, place: &Place, how: Show) -> Outcome {
    neighbours::touch(place);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("could not start: {error}"))?;
    if how == Show::Plain {
        let (again, there) = (edge.clone(), place.clone());
        let restart: Restart = Arc::new(move || spawning::ensure_server(&again, &there));
        let talked = runtime.block_on(plain::attach(place, (edge, COMMANDS), Some(restart)));
        // A reader of lines may still wait for one; it is not worth waiting for.
        runtime.shutdown_background();
        return talked.map(|()| ExitCode::SUCCESS);
    }
    let mut place = place.clone();
    loop {
        let (again, there) = (edge.clone(), place.clone());
        let restart: Restart = Arc::new(move || spawning::ensure_server(&again, &there));
        let shown = runtime.block_on(client::attach(&place, edge, Some(restart)));
        match shown {
            Ok(Onward::Demo) => {
                spawning::play_demo(edge)?;
                // The server that was left may have been stopped meanwhile.
                spawning::ensure_server(edge, &place)?;
            }
            Ok(Onward::Project(root)) => {
                place = place_at(Path::new(&root), edge)?;
                spawning::ensure_server(edge, &place)?;
            }
            ended => {
                // A reader of keys may still wait for one; it is not worth waiting for.
                runtime.shutdown_background();
                return ended.map(|_| ExitCode::SUCCESS);
            }
        }
    }
}

fn place(edge: &Edge) -> Result<Place, String> {
    place_at(&edge.folder, edge)
}

fn place_at(folder: &Path, edge: &Edge) -> Result<Place, String> {
    Place::find(folder, edge).map_err(|why| format!("could not {why}"))
}

fn refused(answer: crate::engine::inbox::Answer) -> Result<(), String> {
    answer.map(drop).map_err(|refusal| refusal.0)
}

/// A first requirement becomes a task in the backlog: nothing starts without a go-ahead (LK-33).
fn requirement(text: &str) -> Draft {
    let title: String = text
        .lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(120)
        .collect();
    Draft {
        body: text.to_owned(),
        kind: TaskKind::Feature,
        ..Draft::new("", title)
    }
}
