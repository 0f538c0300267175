//! Commands that only read: the board, a task, agents, why something waits, what happened.

mod cast;
mod debug;
mod following;
mod form;
mod history;
mod metrics;

pub(super) use debug::debug;
pub(super) use form::Form;
pub use history::end_of;
pub(super) use history::logs;
pub use history::print as print_line;
pub(super) use metrics::metrics;

use std::ops::ControlFlow;
use std::process::ExitCode;

use bytes::Bytes;

use crate::adapters::git::{GitSetup, task_branches};
use crate::adapters::out;
use crate::cli::args::Json;
use crate::cli::commands::Outcome;
use crate::cli::door::Door;
use crate::config::edge::Edge;
use crate::config::place::Place;
use crate::protocol::telling::{Around, Asked, Branches, Question};

/// Goes on as long as somebody reads.
fn unless_unread() -> ControlFlow<()> {
    if out::is_unread() {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

/// Prints what the board tells.
pub(super) fn tell(edge: &Edge, question: Question, json: Json) -> Outcome {
    print(&mut Door::open(edge)?, question, json)
}

fn print(door: &mut Door, question: Question, json: Json) -> Outcome {
    for part in tell_of(door, question, json)? {
        out::bytes(&part);
    }
    Ok(ExitCode::SUCCESS)
}

/// Base branch, agents, counts, branches of tasks (K65).
pub(super) fn status(edge: &Edge, json: Json) -> Outcome {
    let mut door = Door::open(edge)?;
    let branches = branches(&door.place, edge);
    print(&mut door, Question::Status(branches), json)
}

/// Prints the board; with `watch` again whenever it has changed.
pub(super) fn board(edge: &Edge, watch: bool, json: Json) -> Outcome {
    let mut door = Door::open(edge)?;
    let place = door.place.clone();
    let question = || {
        Question::Board(Around {
            columns: out::columns(),
            branches: if json.json {
                Ok(Vec::new())
            } else {
                branches(&place, edge)
            },
        })
    };
    if !watch {
        return print(&mut door, question(), json);
    }
    let mut first = true;
    let mut trouble = None;
    door.watch(&mut || {
        let blank = !first && !json.json;
        first = false;
        match again(&place, question(), json, blank) {
            Ok(()) => unless_unread(),
            Err(why) => {
                trouble = Some(why);
                ControlFlow::Break(())
            }
        }
    })?;
    trouble.map_or(Ok(ExitCode::SUCCESS), Err)
}

/// Prints the board as a server knows it now, on a way of its own; nothing when the server has just gone.
fn again(place: &Place, question: Question, json: Json, blank: bool) -> Result<(), String> {
    let mut door = Door::to(place.clone())?;
    if !door.is_live() {
        return Ok(());
    }
    let text = tell_of(&mut door, question, json)?;
    if blank {
        out::line("");
    }
    for part in text {
        out::bytes(&part);
    }
    Ok(())
}

fn tell_of(door: &mut Door, question: Question, json: Json) -> Result<Vec<Bytes>, String> {
    let form = json.into();
    door.tell(&Asked { question, form })
}

/// Local branches of tasks, or why they could not be listed.
fn branches(place: &Place, edge: &Edge) -> Branches {
    task_branches(&GitSetup::new(&place.root, edge.environment.clone())).map_err(|error| error.to_string())
}
