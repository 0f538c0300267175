//! Typed lines, read on a thread of its own: it waits for as long as the person does.

use std::io::{self, BufRead as _, IsTerminal as _};

use tokio::sync::mpsc;

/// Maximum number of lines that wait to be executed; when there are more, further input waits in the terminal.
const WAITING: usize = 64;
/// Maximum bytes of a line; a longer one was not typed by a person.
const LONGEST: usize = 64 * 1024;

/// Lines of standard input, read on a thread.
pub(super) struct StdinLines {
    typed: Option<mpsc::Receiver<String>>,
    is_terminal: bool,
}

impl StdinLines {
    pub(super) fn open() -> io::Result<StdinLines> {
        let (sender, typed) = mpsc::channel(WAITING);
        // Its end is not waited for: the process may end before it.
        std::thread::Builder::new()
            .name("lines".to_owned())
            .spawn(move || {
                for line in io::stdin().lock().split(b'\n') {
                    let Ok(line) = line else { return };
                    let kept = line.get(..LONGEST).unwrap_or(&line);
                    if sender
                        .blocking_send(String::from_utf8_lossy(kept).into_owned())
                        .is_err()
                    {
                        return;
                    }
                }
            })?;
        Ok(StdinLines {
            typed: Some(typed),
            is_terminal: io::stdin().is_terminal(),
        })
    }

    /// Returns the next line; `None` if the person has left. Without a person (`</dev/null`), it never comes.
    pub(super) async fn next(&mut self) -> Option<String> {
        if let Some(typed) = &mut self.typed {
            if let Some(line) = typed.recv().await {
                return Some(line);
            }
            self.typed = None;
        }
        if self.is_terminal {
            return None;
        }
        std::future::pending().await
    }
}
