//! From a buffer of cells to the bytes that bring a client's terminal there: only what changed, wrapped in synchronized output.

use std::io::{self, Write};
use std::sync::Arc;

use parking_lot::Mutex;
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::{Terminal, TerminalOptions, Viewport};

use crate::term::CursorShape;
use crate::ui::CursorAt;

/// One client's picture: what it shows, and what it should show.
pub(super) struct Canvas {
    terminal: Option<Terminal<CrosstermBackend<Sink>>>,
    bytes: Arc<Mutex<Vec<u8>>>,
    shape: CursorShape,
    fresh: bool,
}

/// Where the backend writes.
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Canvas {
    /// A picture of which nothing is on the client's terminal yet.
    pub(super) fn new((cols, rows): (u16, u16)) -> Canvas {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let backend = CrosstermBackend::new(Sink(Arc::clone(&bytes)));
        let area = Rect::new(0, 0, cols, rows);
        let terminal = Terminal::with_options(
            backend,
            TerminalOptions {
                viewport: Viewport::Fixed(area),
            },
        )
        .ok();
        Canvas {
            terminal,
            bytes,
            shape: CursorShape::Default,
            fresh: true,
        }
    }

    /// Draws, and answers the bytes to be sent; none when nothing changed.
    pub(super) fn draw(&mut self, paint: impl FnOnce(&mut Buffer) -> Option<CursorAt>) -> Vec<u8> {
        let Some(terminal) = &mut self.terminal else {
            return Vec::new();
        };
        let mut shape = None;
        let drawn = terminal.draw(|frame| {
            let cursor = paint(frame.buffer_mut());
            if let Some(cursor) = cursor {
                frame.set_cursor_position(Position::new(cursor.x, cursor.y));
                shape = Some(cursor.shape);
            }
        });
        let drawn = drawn.map(drop);
        let content = std::mem::take(&mut *self.bytes.lock());
        if let Err(error) = drawn {
            tracing::warn!("could not draw: {error}");
        }
        let mut out = Vec::with_capacity(content.len() + 64);
        out.extend_from_slice(b"\x1b[?2026h");
        if std::mem::take(&mut self.fresh) {
            out.extend_from_slice(b"\x1b[0m\x1b[2J");
        }
        out.extend_from_slice(&content);
        if let Some(shape) = shape
            && shape != self.shape
        {
            self.shape = shape;
            out.extend_from_slice(format!("\x1b[{} q", shape.parameter()).as_bytes());
        }
        out.extend_from_slice(b"\x1b[?2026l");
        out
    }
}
