//! What a terminal has shown since it began, from the log on disk: played again through an emulator that keeps little, its
//! lines taken as they leave the screen. Blocks: call from a blocking thread.

use crate::adapters::clock;
use crate::adapters::holder::{Chunk, LogReader};
use crate::server::hub::Hub;
use crate::server::screens::holder_of;
use crate::term::{EngineKind, Size, Terminal};
use crate::ui::{LiveScreen, ScreenId, ScreenRead as _, StillLine};

/// Most lines that are kept; the oldest go.
const MOST_LINES: usize = 200_000;
/// Bytes played at a time.
const AT_ONCE: usize = 8 * 1024;
/// Lines above the emulated screen from which on they are taken away; it keeps so many more that none is lost until then.
const TAKEN_FROM: usize = 2_000;
const KEPT: usize = TAKEN_FROM + AT_ONCE + 1024;
/// Rows of the emulated screen.
const ROWS: u16 = 50;

/// All lines of that terminal, oldest first.
pub(super) fn lines(hub: &Hub, id: ScreenId, columns: u16) -> Vec<StillLine> {
    let holder = holder_of(id);
    let pane = hub.pane(&holder);
    let columns = pane.map_or(columns, |pane| pane.terminal.lock().size().cols);
    match LogReader::open(&hub.folder(&holder)) {
        Ok(log) => played(log, columns),
        Err(error) => {
            tracing::warn!(%holder, "could not {error}");
            Vec::new()
        }
    }
}

fn played(mut log: LogReader, columns: u16) -> Vec<StillLine> {
    let mut tape = Tape::new(columns);
    let mut offset = 0;
    loop {
        match log.read_from(offset, AT_ONCE) {
            Ok(Chunk::Bytes { offset: at, bytes }) => {
                offset = at + u64::try_from(bytes.len()).unwrap_or(0);
                tape.play(&bytes);
            }
            Ok(Chunk::Gap { to, .. }) => offset = to,
            Ok(Chunk::End) => break,
            Err(error) => {
                tracing::warn!("could not {error}");
                break;
            }
        }
    }
    tape.end()
}

/// An emulator whose lines are taken as they leave the screen.
struct Tape {
    terminal: Terminal,
    lines: Vec<StillLine>,
    /// Bytes since the last line end: what a cut there could tear apart.
    rest: Vec<u8>,
}

fn emulator(size: Size) -> Terminal {
    Terminal::new(EngineKind::default(), size, KEPT)
}

impl Tape {
    fn new(columns: u16) -> Tape {
        Tape {
            terminal: emulator(Size::new(columns.max(2), ROWS)),
            lines: Vec::new(),
            rest: Vec::new(),
        }
    }

    fn play(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        // Between a line end and what follows no sequence is open, so the emulator can be changed there.
        let whole = match self.rest.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => end + 1,
            None if self.rest.len() > AT_ONCE => self.rest.len(),
            None => return,
        };
        let ends = self.rest.get(whole.saturating_sub(1)) == Some(&b'\n');
        let part: Vec<u8> = self.rest.drain(..whole).collect();
        self.terminal.feed(clock::now().0, &part);
        if ends && self.terminal.history_len() > TAKEN_FROM {
            self.take();
        }
    }

    /// Takes the lines above the screen, and goes on with an emulator that shows the same screen below none.
    fn take(&mut self) {
        let history = self.terminal.history_len();
        let mut still = LiveScreen::new(&mut self.terminal, false).still();
        still.lines.truncate(history);
        self.lines.append(&mut still.lines);
        let surplus = self.lines.len().saturating_sub(MOST_LINES);
        self.lines.drain(..surplus);
        let screen = self.terminal.dump(0);
        self.terminal = emulator(self.terminal.size());
        self.terminal.feed(clock::now().0, &screen);
    }

    fn end(mut self) -> Vec<StillLine> {
        let rest = std::mem::take(&mut self.rest);
        self.terminal.feed(clock::now().0, &rest);
        let mut still = LiveScreen::new(&mut self.terminal, false).still();
        self.lines.append(&mut still.lines);
        self.lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_there_once_and_in_order_however_the_bytes_are_cut() {
        for size in [1000, AT_ONCE] {
            let lines: Vec<String> = (0..9_000)
                .map(|n| format!("\x1b[32mline {n}\x1b[0m\r\n"))
                .collect();
            let text = lines.concat();
            let mut tape = Tape::new(80);
            for part in text.as_bytes().chunks(size) {
                tape.play(part);
            }
            let lines = tape.end();
            let written = lines.iter().filter(|line| !line.text.is_empty());
            assert!(
                written
                    .enumerate()
                    .all(|(n, line)| line.text == format!("line {n}")),
                "cut every {size} bytes"
            );
            assert!(lines.len() >= 9_000);
        }
    }
}
