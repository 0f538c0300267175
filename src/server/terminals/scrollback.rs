//! Lines that a terminal has shown since it began, from the log on disk: replayed through an emulator that keeps little, its lines taken as
//! they leave the screen. Blocks: call from a blocking thread.

use crate::adapters::clock;
use crate::adapters::holder::LogReader;
use crate::server::terminals::hub::TerminalHub;
use crate::server::terminals::screens::holder_of;
use crate::term::{DrainingTerminal, Size, Terminal};
use crate::ui::{LiveScreen, ScreenId, ScreenRead as _, ScrollbackLine};

/// Maximum number of lines that are kept; the oldest are dropped.
const MAX_LINES: usize = 200_000;
const CHUNK: usize = 8 * 1024;
/// Number of lines above the emulated screen at which they are taken away.
const TAKE_THRESHOLD: usize = 2_000;
const ROWS: u16 = 50;

/// Returns all lines of that terminal, oldest first.
pub(in crate::server) fn lines(hub: &TerminalHub, id: ScreenId, columns: u16) -> Vec<ScrollbackLine> {
    let holder = holder_of(id);
    let pane = hub.terminal(&holder);
    let columns = pane.map_or(columns, |pane| pane.terminal.lock().size().cols);
    match LogReader::open(&hub.folder(&holder)) {
        Ok(log) => replay(log, columns),
        Err(error) => {
            tracing::warn!(%holder, "could not {error}");
            Vec::new()
        }
    }
}

fn replay(mut log: LogReader, columns: u16) -> Vec<ScrollbackLine> {
    let mut recorder = ScrollbackRecorder::new(columns);
    if let Err(error) = log.read_range(0..u64::MAX, CHUNK, |_, bytes| recorder.feed(bytes)) {
        tracing::warn!("could not {error}");
    }
    recorder.end()
}

/// Emulator that collects lines as they scroll off its screen.
struct ScrollbackRecorder {
    terminal: DrainingTerminal,
    lines: Vec<ScrollbackLine>,
}

impl ScrollbackRecorder {
    fn new(columns: u16) -> ScrollbackRecorder {
        ScrollbackRecorder {
            terminal: DrainingTerminal::new(Size::new(columns.max(2), ROWS), TAKE_THRESHOLD),
            lines: Vec::new(),
        }
    }

    fn feed(&mut self, bytes: &[u8]) {
        let lines = &mut self.lines;
        self.terminal.feed(clock::now().0, bytes, &mut |terminal| {
            let history = terminal.history_len();
            lines.extend(shown(terminal).into_iter().take(history));
            let surplus = lines.len().saturating_sub(MAX_LINES);
            lines.drain(..surplus);
        });
    }

    fn end(mut self) -> Vec<ScrollbackLine> {
        self.lines.append(&mut shown(self.terminal.terminal()));
        self.lines
    }
}

/// Returns the lines above the screen of a terminal and on it.
fn shown(terminal: &mut Terminal) -> Vec<ScrollbackLine> {
    LiveScreen::new(terminal, false).scrollback().lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_there_once_and_in_order_however_the_bytes_are_cut() {
        for size in [1000, CHUNK] {
            let lines: Vec<String> = (0..9_000)
                .map(|n| {
                    let mark = if n % 100 == 0 { "\x1b]133;A\x07" } else { "" };
                    format!("{mark}\x1b[32mline {n}\x1b[0m\r\n")
                })
                .collect();
            let text = lines.concat();
            let mut recorder = ScrollbackRecorder::new(80);
            for part in text.as_bytes().chunks(size) {
                recorder.feed(part);
            }
            let lines = recorder.end();
            let written = lines.iter().filter(|line| !line.text.is_empty());
            assert!(
                written
                    .enumerate()
                    .all(|(n, line)| line.text == format!("line {n}")),
                "cut every {size} bytes"
            );
            assert!(lines.len() >= 9_000);
            let prompts = lines.iter().enumerate().filter(|(_, line)| line.is_prompt);
            assert!(prompts.map(|(at, _)| at).eq((0..9_000).step_by(100)));
        }
    }
}
