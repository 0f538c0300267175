//! Commands that only read: the board, a task, agents, why something waits, what happened.

mod cast;
mod debug;
mod following;
mod history;
mod metrics;

pub(super) use debug::debug;
pub(in crate::app::commands) use history::print as print_line;
pub(super) use history::{Form, logs};
pub(in crate::app) use history::{clock_time, end_of};
pub(super) use metrics::metrics;

use std::ops::ControlFlow;
use std::process::ExitCode;

use super::Outcome;
use crate::adapters::git::{GitSetup, task_branches};
use crate::app::args::Json;
use crate::app::door::Door;
use crate::app::edge::Edge;
use crate::app::out;
use crate::app::place::Place;
use crate::app::snapshot::Snapshot;
use crate::app::telling::{self, Around, Asked, Branches, Question};

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
    let form = json.into();
    for part in door.tell(&Asked { question, form })? {
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
    let mut last: Option<Snapshot> = None;
    let mut trouble = None;
    door.watch(&mut |board| {
        // What only a clock changed is no change.
        let is_new = last.as_ref().is_none_or(|last| {
            let at = last.at;
            Snapshot { at, ..board.clone() } != *last
        });
        if is_new {
            if last.is_some() && !json.json {
                out::line("");
            }
            let (question, form) = (question(), json.into());
            match telling::tell(&board, &Asked { question, form }) {
                Ok(text) => out::bytes(text.as_bytes()),
                Err(why) => {
                    trouble = Some(why);
                    return ControlFlow::Break(());
                }
            }
            last = Some(board);
        }
        unless_unread()
    })?;
    trouble.map_or(Ok(ExitCode::SUCCESS), Err)
}

/// Local branches of tasks, or why they could not be listed.
fn branches(place: &Place, edge: &Edge) -> Branches {
    task_branches(&GitSetup::new(&place.root, edge.environment.clone())).map_err(|error| error.to_string())
}
