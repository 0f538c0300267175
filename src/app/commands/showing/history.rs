//! What happened, and what agents showed.

use std::io::Write;
use std::process::ExitCode;

use crate::adapters::holder::LogReader;
use crate::adapters::store::SqliteStore;
use crate::app::args::Json;
use crate::app::commands::{Outcome, acting};
use crate::app::door::Door;
use crate::app::edge::Edge;
use crate::app::out;
use crate::app::wire::{LogLine, Snapshot};
use crate::domain::{AttemptId, TaskId, Timestamp};
use crate::term::{EngineKind, Size, Terminal};

/// Bytes of an agent's output that are read for people.
const TAIL: u64 = 1024 * 1024;
/// Events shown at most without following.
const EVENTS: usize = 1_000;

/// What form of a log is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::app::commands) enum Form {
    /// Lines for people, up to now.
    Lines,
    /// Lines for people, and more as it comes.
    Following,
    /// Byte for byte.
    Raw,
}

/// Prints events, or an agent's output.
pub(in crate::app::commands) fn logs(edge: &Edge, name: Option<&str>, form: Form, json: Json) -> Outcome {
    let mut door = Door::open(edge)?;
    let Some(name) = name else {
        return events(&mut door, form, json);
    };
    let attempt = attempt_of(&door.snapshot()?, name)
        .ok_or_else(|| format!("could not find an attempt, agent or task called {name} that left a log"))?;
    let folder = door.place.attempts.join(attempt.to_string());
    let mut log = LogReader::open(&folder).map_err(|error| format!("could not {error}"))?;
    let tail = log
        .tail(if form == Form::Raw { u64::MAX } else { TAIL })
        .map_err(|error| format!("could not {error}"))?;
    if form == Form::Raw {
        // A reader that has gone away has what it wanted.
        drop(std::io::stdout().lock().write_all(&tail.bytes));
        return Ok(ExitCode::SUCCESS);
    }
    let mut terminal = Terminal::new(EngineKind::default(), Size::new(120, 40), 10_000);
    terminal.feed(0, &tail.bytes);
    let history = terminal.history_len();
    let rows = terminal.size().rows;
    for back in (1..=history).rev() {
        out::lines(&terminal.text(0, 0, back));
    }
    out::lines(&terminal.text(0, rows.saturating_sub(1), 0));
    Ok(ExitCode::SUCCESS)
}

/// The attempt of that number, the one at work of that agent or task, or the last one of that task.
fn attempt_of(board: &Snapshot, name: &str) -> Option<AttemptId> {
    let of_task = || {
        let task = TaskId::from(name);
        board
            .attempts
            .values()
            .filter(|attempt| attempt.task == task)
            .map(|attempt| attempt.id)
            .max()
    };
    name.parse()
        .ok()
        .map(AttemptId)
        .or_else(|| acting::open_attempt(board, name))
        .or_else(of_task)
}

fn events(door: &mut Door, form: Form, json: Json) -> Outcome {
    let files = door.place.store.clone();
    if files.database.exists() {
        let reader = SqliteStore::open_reader(&files).map_err(|error| format!("could not {error}"))?;
        let mut after = 0;
        loop {
            let found = reader
                .events(after, EVENTS, None)
                .map_err(|error| format!("could not {error}"))?;
            let Some(last) = found.last() else { break };
            after = last.seq;
            for event in &found {
                for notice in &event.notices {
                    print(
                        &LogLine {
                            seq: event.seq,
                            at: event.at,
                            notice: notice.clone(),
                        },
                        json,
                    );
                }
            }
        }
    }
    if form == Form::Following {
        door.follow(u64::MAX - 1, &mut |line| print(line, json))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// One line of the watcher log.
pub(in crate::app::commands) fn print(line: &LogLine, json: Json) {
    if json.json {
        out::json(line);
        return;
    }
    let task = line.notice.task.as_ref().map_or("", TaskId::as_str);
    out::line(&format!(
        "{}  {:<14} {:<12} {}",
        clock_time(line.at),
        line.notice.kind,
        task,
        line.notice.text
    ));
}

/// Hours, minutes, seconds of the person's own time zone.
fn clock_time(at: Timestamp) -> String {
    let at = jiff::Timestamp::from_millisecond(i64::try_from(at.0).unwrap_or(i64::MAX)).unwrap_or_default();
    at.to_zoned(jiff::tz::TimeZone::system())
        .strftime("%H:%M:%S")
        .to_string()
}
