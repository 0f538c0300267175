//! `dbs logs`: events, and the output of agents.

mod cast;
pub(super) mod log_follower;

use std::path::PathBuf;

use crate::adapters::holder::LogReader;
use crate::adapters::store::{SqliteStore, StoreFiles, StoreReader};
use crate::cli::commands::prelude::*;
use crate::domain::{Attempt, AttemptId, TaskId, Worker};
use crate::read_model::LogLine;
use crate::term::{EmulatorKind, Size, Terminal};

/// Maximum bytes of an agent's output that are read for people.
const MAX_TAIL: u64 = 1024 * 1024;
/// Bytes at its end that contain its present screen.
const SCREEN_BYTES: u64 = 64 * 1024;
/// Maximum number of events shown without following.
const MAX_EVENTS: usize = 1_000;

/// Show events, or the output of an agent
///
/// A recording contains all output that is still stored, with the sizes of the terminal, so it ends with the agent's last screen;
/// `asciinema play` plays it. Its times are accurate to about a second. A log keeps the newest output; if its beginning was dropped, a line
/// on standard error says so. Keystrokes are not logged, only the output of the program, including its echo.
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs logs\ndbs logs --follow\ndbs logs dbs-1\ndbs logs 12 --raw >output\ndbs logs 12 --cast >agent.cast"))]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct LogsArgs {
    /// Number of an attempt, name of an agent or id of a task; default: all events
    pub attempt: Option<String>,
    /// Keep printing as more arrives
    #[arg(long)]
    pub follow: bool,
    /// Print an agent's output byte for byte
    #[arg(long, requires = "attempt")]
    pub raw: bool,
    /// Print an agent's output as a recording to play (asciicast version 2)
    #[arg(long, requires = "attempt", conflicts_with_all = ["follow", "raw", "json"])]
    pub cast: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}

impl RunCommand for LogsArgs {
    /// Prints events, or an agent's output.
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let mut access = BoardAccess::open(env)?;
        let json = self.json;
        let Some(name) = &self.attempt else {
            return events(&mut access, self.follow, json);
        };
        let (attempt, folder) = attempt_of(&access.paths, name)?;
        let mut log = LogReader::open(&folder)?;
        if self.cast {
            return cast::print(attempt, log);
        }
        if self.follow {
            return log_follower::follow(&folder, log, attempt, &self);
        }
        if self.raw {
            let all = log.tail(u64::MAX)?;
            log_follower::warn_dropped(attempt, 0, all.offset);
            output::bytes(&all.bytes);
            return Ok(ExitCode::SUCCESS);
        }
        let shown = text(&log.tail(MAX_TAIL)?.bytes);
        if json.json {
            let lines: Vec<&str> = shown.lines().collect();
            output::json(&serde_json::json!({ "attempt": attempt, "lines": lines }));
        } else {
            output::lines(&shown);
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the output of these bytes as plain text: lines that were only wrapped are whole, blank lines at the end are left out.
fn text(bytes: &[u8]) -> String {
    let mut terminal = Terminal::new(EmulatorKind::default(), Size::new(120, 40), 10_000);
    terminal.feed(0, bytes);
    terminal.all_lines().join("\n").trim_end().to_owned()
}

/// Returns the last output lines of the agent at work on a task, or of the last one that was.
pub fn last_lines(paths: &ProjectPaths, task: &str, lines: usize) -> CommandResult<Vec<String>> {
    let (_, folder) = attempt_of(paths, task)?;
    let mut log = LogReader::open(&folder)?;
    let tail = log.tail(SCREEN_BYTES)?;
    let shown = text(&tail.bytes);
    let shown: Vec<&str> = shown.lines().filter(|line| !line.trim().is_empty()).collect();
    let skipped = shown.len().saturating_sub(lines);
    Ok(shown.into_iter().skip(skipped).map(str::to_owned).collect())
}

/// Returns the newest attempt that left a log: the one of that number, or at that task, or of that agent.
fn attempt_of(paths: &ProjectPaths, name: &str) -> CommandResult<(AttemptId, PathBuf)> {
    let folder = |attempt: AttemptId| (attempt, paths.attempts.join(attempt.to_string()));
    let number = name.parse().ok().map(AttemptId);
    if let Some(found) = number.map(folder).filter(|(_, folder)| LogReader::exists(folder)) {
        return Ok(found);
    }
    let meant = attempts_called(paths, name, number)?;
    let with_log = meant.iter().rev().map(|attempt| folder(attempt.id));
    let found = with_log.into_iter().find(|(_, folder)| LogReader::exists(folder));
    found.ok_or_else(|| no_log(name, &meant))
}

/// Returns the attempt of that number; else all at the task of that name; else all of the agent.
fn attempts_called(
    paths: &ProjectPaths,
    name: &str,
    number: Option<AttemptId>,
) -> CommandResult<Vec<Attempt>> {
    let Some(reader) = SqliteStore::open_reader(&paths.store)? else {
        return Ok(Vec::new());
    };
    let at_task = reader.attempts_at(&TaskId::from(name))?;
    if !at_task.is_empty() {
        return Ok(at_task);
    }
    let all = reader.attempts(number.unwrap_or(AttemptId(0)))?;
    let is_meant = |attempt: &Attempt| match number {
        Some(number) => attempt.id == number,
        None => attempt.worker.name() == name,
    };
    Ok(all.into_iter().filter(is_meant).collect())
}

/// Returns the reason why there is no log of these attempts, and the existing attempts.
fn no_log(name: &str, meant: &[Attempt]) -> CommandError {
    if meant.is_empty() {
        return CommandError::user(format!(
            "could not find an attempt, agent or task called {name} that left a log; `dbs task list` lists the tasks, \
             `dbs task show TASK` the attempts at one"
        ));
    }
    let of_engine = |attempt: &Attempt| matches!(attempt.worker, Worker::Engine(_));
    let why = if meant.iter().all(of_engine) {
        "only agents leave one"
    } else {
        "they are removed after the days that `dbs config terminal.log_days` says"
    };
    let ids: Vec<String> = meant.iter().map(|attempt| attempt.id.to_string()).collect();
    let plural = if ids.len() == 1 { "" } else { "s" };
    CommandError::user(format!(
        "could not find a log of {name}: none is kept of attempt{plural} {}; {why}",
        ids.join(", ")
    ))
}

fn events(access: &mut BoardAccess, follow: bool, json: JsonFlag) -> CommandResult {
    let mut printed = EventCursor::new(access.paths.store.clone());
    printed.print_new(json, &|_| true)?;
    if follow {
        access.follow(&mut || printed.print_new(json, &|_| true))?;
        // Events that the server did not report before it ended.
        printed.print_new(json, &|_| true)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Position up to which stored events were printed. A message of the server only causes another read: so none is lost, and none comes
/// twice.
pub(in crate::cli::commands) struct EventCursor {
    files: StoreFiles,
    reader: Option<StoreReader>,
    after: u64,
}

impl EventCursor {
    /// Creates a cursor before the first event of a store.
    pub(in crate::cli::commands) fn new(files: StoreFiles) -> EventCursor {
        EventCursor {
            files,
            reader: None,
            after: 0,
        }
    }

    /// Prints the new events that are wanted.
    pub(in crate::cli::commands) fn print_new(
        &mut self,
        json: JsonFlag,
        is_wanted: &dyn Fn(&LogLine) -> bool,
    ) -> CommandResult<()> {
        if self.reader.is_none() {
            self.reader = SqliteStore::open_reader(&self.files)?;
        }
        let Some(reader) = &self.reader else { return Ok(()) };
        loop {
            let found = reader.events(self.after, MAX_EVENTS, None);
            let found = found?;
            let Some(last) = found.last() else { return Ok(()) };
            self.after = last.seq;
            // A page at a time: printing line by line would be one write for each.
            let lines = found.into_iter().flat_map(|event| {
                let (seq, at) = (event.seq, event.at);
                let notices = event.notices.into_iter();
                notices.map(move |notice| LogLine { seq, at, notice })
            });
            let lines = lines.filter(is_wanted);
            if json.json {
                output::json_lines(lines);
            } else {
                output::all(lines.map(|line| words(&line)));
            }
            if output::is_unread() {
                return Ok(());
            }
        }
    }
}

/// Prints one line of the watcher log.
pub fn print(line: &LogLine, json: JsonFlag) {
    if json.json {
        output::json(line);
        return;
    }
    output::line(&words(line));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_wrapped_is_one_line_with_its_space_at_the_wrap_above_the_screen_and_on_it() {
        // The column at the wrap is a space: 119 letters, a space, the rest.
        let long = format!("{} and the rest", "x".repeat(119));
        let above = text(format!("{long}\r\n{}", "line\r\n".repeat(60)).as_bytes());
        assert_eq!(above.lines().next(), Some(long.as_str()));
        assert_eq!(above.lines().count(), 61);
        assert_eq!(text(long.as_bytes()), long);
    }
}
