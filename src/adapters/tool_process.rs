//! Tool of an agent that runs without a terminal of its own: started with pipes, its output cut into lines, and its end, all as events in
//! one queue with a limit; and beside it the keys that a person types. Knows no tool and no protocol.
#![expect(
    clippy::disallowed_methods,
    reason = "a door: starts the tool of an agent that has no interface and reads its pipes on threads"
)]

use std::io::{self, BufRead, BufReader, IsTerminal as _, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::child_process::{
    interrupt, kill_group, new_process_group, resume_group, suspend_self, terminate_group,
};

/// Maximum length of a line that is handed on, in bytes; the rest of a longer one is passed over.
pub const LONGEST_LINE: usize = 16 * 1024 * 1024;
/// Maximum length of a line of its errors.
const LONGEST_ERROR: usize = 4 * 1024;
/// Events that wait; then the tool has to wait.
const WAITING_EVENTS: usize = 8;
/// Lines that wait to be written to the tool.
const WAITING_LINES: usize = 256;

/// Event of the tool.
#[derive(Debug)]
pub enum ToolOutput {
    /// A line of its output.
    Line(Vec<u8>),
    /// Line of its output that was too long; the number of its bytes.
    TooLong(usize),
    /// A line of its errors.
    Error(Vec<u8>),
    /// End of its output.
    OutputOver,
    /// The tool is suspended, as by SIGSTOP, or continues.
    Suspended(bool),
    Ended(io::Result<ExitStatus>),
}

/// A tool that runs.
#[derive(Debug)]
pub struct ToolProcess {
    pub events: Receiver<ToolOutput>,
    lines: Option<SyncSender<String>>,
    leader: u32,
}

impl ToolProcess {
    /// Starts the tool in a group of its own. Where it takes no lines its input is empty.
    ///
    /// # Errors
    /// When it cannot be started, or its pipes cannot be read.
    pub fn start(argv: &[String], takes_lines: bool) -> io::Result<ToolProcess> {
        let (program, arguments) = argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(if takes_lines {
                Stdio::piped()
            } else {
                Stdio::null()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        new_process_group(&mut command);
        let mut child = command.spawn()?;
        let leader = child.id();
        let started = follow(&mut child);
        let (events, sender, lines) = match started {
            Ok(followed) => followed,
            Err(why) => {
                kill_group(leader);
                return Err(why);
            }
        };
        named("tool-end", move || {
            let ended = wait(&mut child, |is_suspended| {
                drop(sender.blocking_send(ToolOutput::Suspended(is_suspended)));
            });
            drop(sender.blocking_send(ToolOutput::Ended(ended)));
        })?;
        Ok(ToolProcess {
            events,
            lines,
            leader,
        })
    }

    /// Writes a line to the tool; false when it has taken none for so long that the line is lost.
    pub fn write(&self, line: String) -> bool {
        let lines = self.lines.as_ref();
        lines.is_some_and(|lines| lines.try_send(line).is_ok())
    }

    /// Asks the tool and all it started to end.
    pub fn terminate(&mut self) {
        self.lines = None;
        terminate_group(self.leader);
    }

    /// Interrupts the tool, but not the processes that it started: those are its own affair.
    pub fn interrupt(&self) {
        interrupt(self.leader);
    }

    /// Suspends this process, because the tool is suspended, and continues the tool once another process has continued this one.
    pub fn share_suspension(&self) {
        suspend_self();
        resume_group(self.leader);
    }

    /// Kills the rest of the tool's process group.
    pub fn kill(&self) {
        kill_group(self.leader);
    }
}

/// No process of the tool outlives the holder of this value.
impl Drop for ToolProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns the keys that a person types, until the receiver is dropped; nothing where standard input is not a terminal.
///
/// # Errors
/// When no thread can be had.
pub fn typed_keys() -> io::Result<Receiver<Vec<u8>>> {
    let (sender, keys) = channel(WAITING_EVENTS);
    if io::stdin().is_terminal() {
        named("typed", move || read_typed(&sender))?;
    }
    Ok(keys)
}

/// Waits for the end of the tool, and tells whenever it is suspended or continues.
#[cfg(unix)]
fn wait(child: &mut Child, mut told: impl FnMut(bool)) -> io::Result<ExitStatus> {
    use std::os::unix::process::ExitStatusExt as _;

    use super::holder::process::{ChildChange, next_change};
    use crate::domain::ProcessExit;

    loop {
        match next_change(Some(child.id())) {
            Some((_, ChildChange::Suspended(is_suspended))) => told(is_suspended),
            Some((_, ChildChange::Ended(ProcessExit::Code(code)))) => {
                return Ok(ExitStatus::from_raw(code << 8));
            }
            Some((_, ChildChange::Ended(ProcessExit::Signal(signal)))) => {
                return Ok(ExitStatus::from_raw(signal));
            }
            Some((_, ChildChange::Ended(_))) | None => return child.wait(),
        }
    }
}

#[cfg(not(unix))]
fn wait(child: &mut Child, _told: impl FnMut(bool)) -> io::Result<ExitStatus> {
    child.wait()
}

type Followed = (
    Receiver<ToolOutput>,
    Sender<ToolOutput>,
    Option<SyncSender<String>>,
);

fn follow(child: &mut Child) -> io::Result<Followed> {
    let missing = || io::Error::from(io::ErrorKind::BrokenPipe);
    let (sender, events) = channel(WAITING_EVENTS);
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let (output, errors) = (output.ok_or_else(missing)?, errors.ok_or_else(missing)?);
    let mut lines = None;
    if let Some(input) = child.stdin.take() {
        let (to, waiting) = sync_channel::<String>(WAITING_LINES);
        named("tool-input", move || write_lines(input, &waiting))?;
        lines = Some(to);
    }
    let to = sender.clone();
    named("tool-output", move || {
        read_lines(output, LONGEST_LINE, &to, ToolOutput::Line);
        drop(to.blocking_send(ToolOutput::OutputOver));
    })?;
    let to = sender.clone();
    named("tool-errors", move || {
        read_lines(errors, LONGEST_ERROR, &to, ToolOutput::Error);
    })?;
    Ok((events, sender, lines))
}

fn named(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

/// Writes the lines. Ends when there is no sender any more, which closes the pipe, or when the tool has closed it.
fn write_lines(mut input: ChildStdin, waiting: &std::sync::mpsc::Receiver<String>) {
    while let Ok(line) = waiting.recv() {
        let written = input.write_all(line.as_bytes());
        if written.and_then(|()| input.write_all(b"\n")).is_err() {
            return;
        }
    }
}

fn read_typed(to: &Sender<Vec<u8>>) {
    let mut bytes = [0; 4096];
    let mut keys = io::stdin().lock();
    loop {
        match keys.read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(count) if count > 0 => {
                let typed = bytes.get(..count).unwrap_or_default().to_vec();
                if to.blocking_send(typed).is_err() {
                    return;
                }
            }
            Ok(_) | Err(_) => return,
        }
    }
}

/// Hands on each line; of one that is too long only how long it was.
fn read_lines(
    output: impl Read,
    longest: usize,
    to: &Sender<ToolOutput>,
    event: impl Fn(Vec<u8>) -> ToolOutput,
) {
    let mut output = BufReader::new(output);
    while let Ok(Some((line, length))) = next_line(&mut output, longest) {
        let event = if length > longest {
            ToolOutput::TooLong(length)
        } else {
            event(line)
        };
        if to.blocking_send(event).is_err() {
            return;
        }
    }
}

/// The next line without its end, and how long it was; of a longer one than allowed only the length.
fn next_line(output: &mut impl BufRead, longest: usize) -> io::Result<Option<(Vec<u8>, usize)>> {
    let (mut line, mut length) = (Vec::new(), 0_usize);
    loop {
        let bytes = match output.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        if bytes.is_empty() {
            return Ok((length > 0).then_some((line, length)));
        }
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let part = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
        length = length.saturating_add(part.len());
        if length <= longest {
            line.extend_from_slice(part);
        } else {
            line = Vec::new();
        }
        let taken = part.len() + usize::from(end.is_some());
        output.consume(taken);
        if end.is_some() {
            return Ok(Some((line, length)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_any_length_are_read_and_only_bearable_ones_kept() {
        let text = [b"one\n".to_vec(), vec![b'x'; 1_000_000], b"\n\nlast".to_vec()].concat();
        let mut output = BufReader::new(text.as_slice());
        let mut next = || next_line(&mut output, 10).unwrap();
        assert_eq!(next(), Some((b"one".to_vec(), 3)));
        assert_eq!(next(), Some((Vec::new(), 1_000_000)));
        assert_eq!(next(), Some((Vec::new(), 0)));
        assert_eq!(next(), Some((b"last".to_vec(), 4)));
        assert_eq!(next(), None);
    }
}
