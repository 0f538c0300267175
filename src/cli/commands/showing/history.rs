//! What happened, and what agents showed.

use std::ops::ControlFlow;
use std::process::ExitCode;

use crate::adapters::holder::LogReader;
use crate::adapters::out;
use crate::adapters::store::{SqliteStore, StoreFiles, StoreReader};
use crate::cli::args::Json;
use crate::cli::commands::Outcome;
use crate::cli::commands::showing::form::Form;
use crate::cli::commands::showing::{cast, following, unless_unread};
use crate::cli::door::Door;
use crate::config::edge::Edge;
use crate::config::place::Place;
use crate::domain::{AttemptId, TaskId};
use crate::protocol::wire::{FROM_NOW, LogLine};
use crate::term::{EngineKind, Size, Terminal};

/// Bytes of an agent's output that are read for people.
const TAIL: u64 = 1024 * 1024;
/// Bytes of it that hold what is on its screen now.
const SCREENS: u64 = 64 * 1024;
/// Events shown at most without following.
const EVENTS: usize = 1_000;

/// Prints events, or an agent's output.
pub(in crate::cli::commands) fn logs(edge: &Edge, name: Option<&str>, form: Form, json: Json) -> Outcome {
    let mut door = Door::open(edge)?;
    let Some(name) = name else {
        return events(&mut door, form, json);
    };
    let (attempt, folder) = attempt_of(&mut door, name)?
        .map(|attempt| (attempt, door.place.attempts.join(attempt.to_string())))
        .filter(|(_, folder)| folder.exists())
        .ok_or_else(|| format!("could not find an attempt, agent or task called {name} that left a log"))?;
    let mut log = LogReader::open(&folder).map_err(|error| format!("could not {error}"))?;
    if matches!(form, Form::Following | Form::FollowingRaw) {
        return following::follow(&folder, log, attempt, form, json);
    }
    if form == Form::Cast {
        return cast::print(attempt, log);
    }
    let tail = log
        .tail(if form == Form::Raw { u64::MAX } else { TAIL })
        .map_err(|error| format!("could not {error}"))?;
    if form == Form::Raw {
        following::say_gone(attempt, 0, tail.offset);
        out::bytes(&tail.bytes);
        return Ok(ExitCode::SUCCESS);
    }
    let shown = text(&tail.bytes);
    if json.json {
        let lines: Vec<&str> = shown.lines().collect();
        out::json(&serde_json::json!({ "attempt": attempt, "lines": lines }));
    } else {
        out::lines(&shown);
    }
    Ok(ExitCode::SUCCESS)
}

/// What these bytes showed, as plain text; blank lines at the end are left out.
fn text(bytes: &[u8]) -> String {
    let mut terminal = Terminal::new(EngineKind::default(), Size::new(120, 40), 10_000);
    terminal.feed(0, bytes);
    let mut lines: Vec<String> = (1..=terminal.history_len())
        .rev()
        .map(|back| terminal.text(0, 0, back))
        .collect();
    let last = terminal.size().rows.saturating_sub(1);
    lines.push(terminal.text(0, last, 0).trim_end().to_owned());
    lines.join("\n")
}

/// The last lines that the agent at work on a task showed, or the last one that was.
///
/// # Errors
/// When none left a log.
pub fn end_of(place: Place, task: &str, lines: usize) -> Result<Vec<String>, String> {
    let mut door = Door::to(place)?;
    let folder = attempt_of(&mut door, task)?
        .map(|attempt| door.place.attempts.join(attempt.to_string()))
        .filter(|folder| folder.exists())
        .ok_or_else(|| format!("could not find an agent of {task} that left a log"))?;
    let mut log = LogReader::open(&folder).map_err(|error| format!("could not {error}"))?;
    let tail = log.tail(SCREENS).map_err(|error| format!("could not {error}"))?;
    let shown = text(&tail.bytes);
    let shown: Vec<&str> = shown.lines().filter(|line| !line.trim().is_empty()).collect();
    let skipped = shown.len().saturating_sub(lines);
    Ok(shown.into_iter().skip(skipped).map(str::to_owned).collect())
}

/// The attempt of that number, the one at work of that agent or task, or the last one of that task.
fn attempt_of(door: &mut Door, name: &str) -> Result<Option<AttemptId>, String> {
    match name.parse() {
        Ok(number) => Ok(Some(AttemptId(number))),
        Err(_no_number) => Ok(door.attempt(name)?.map(|attempt| attempt.id)),
    }
}

fn events(door: &mut Door, form: Form, json: Json) -> Outcome {
    let mut told = Told {
        files: door.place.store.clone(),
        reader: None,
        after: 0,
    };
    told.tell(json)?;
    if matches!(form, Form::Following | Form::FollowingRaw) {
        let mut problem = None;
        let mut again = |_: &LogLine| match told.tell(json) {
            Ok(()) => unless_unread(),
            Err(why) => {
                problem = Some(why);
                ControlFlow::Break(())
            }
        };
        door.follow(FROM_NOW, &mut again)?;
        if let Some(why) = problem {
            return Err(why);
        }
        // What the server did not come to say before it went.
        told.tell(json)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What of the store's events was told. What the server says only makes us look again: so none is lost, and none comes twice.
struct Told {
    files: StoreFiles,
    reader: Option<StoreReader>,
    /// Position of the last one told.
    after: u64,
}

impl Told {
    /// Tells all that came since.
    fn tell(&mut self, json: Json) -> Result<(), String> {
        if self.reader.is_none() && self.files.database.exists() {
            let opened = SqliteStore::open_reader(&self.files);
            self.reader = Some(opened.map_err(|error| format!("could not {error}"))?);
        }
        let Some(reader) = &self.reader else { return Ok(()) };
        loop {
            let found = reader.events(self.after, EVENTS, None);
            let found = found.map_err(|error| format!("could not {error}"))?;
            let Some(last) = found.last() else { return Ok(()) };
            self.after = last.seq;
            // A page at a time: one line after the other would be one write after the other.
            let lines = found.into_iter().flat_map(|event| {
                let (seq, at) = (event.seq, event.at);
                let notices = event.notices.into_iter();
                notices.map(move |notice| LogLine { seq, at, notice })
            });
            if json.json {
                out::json_lines(lines);
            } else {
                out::all(lines.map(|line| words(&line)));
            }
            if out::is_unread() {
                return Ok(());
            }
        }
    }
}

/// One line of the watcher log.
pub fn print(line: &LogLine, json: Json) {
    if json.json {
        out::json(line);
        return;
    }
    out::line(&words(line));
}

fn words(line: &LogLine) -> String {
    let task = line.notice.task.as_ref().map_or("", TaskId::as_str);
    format!(
        "{}  {:<14} {:<12} {}",
        crate::adapters::clock::time_of_day(line.at),
        line.notice.kind,
        task,
        line.notice.text
    )
}
