//! A terminal: scanner and emulator together.

use super::cell::Cell;
use super::engine::{Damage, Engine, EngineKind};
use super::event::TermEvent;
use super::modes::{Cursor, Mode, Modes};
use super::size::Size;

/// One pane's terminal.
pub struct Terminal {
    engine: Box<dyn Engine>,
    modes: Modes,
    title: String,
    generation: u64,
}

impl Terminal {
    /// A blank terminal with room for `history_lines` lines above the screen.
    pub fn new(kind: EngineKind, size: Size, history_lines: usize) -> Self {
        Self {
            engine: kind.build(size, history_lines),
            modes: Modes::default(),
            title: String::new(),
            generation: 0,
        }
    }

    /// Takes bytes of the program, in order. `now` is a time in milliseconds that never goes back.
    pub fn feed(&mut self, _now: u64, bytes: &[u8]) -> Vec<TermEvent> {
        self.generation += 1;
        self.engine.feed(bytes);
        Vec::new()
    }

    /// Changes the size. Tell the program's pty after this.
    pub fn resize(&mut self, size: Size) -> Vec<TermEvent> {
        self.generation += 1;
        self.engine.resize(size);
        Vec::new()
    }

    /// The present size.
    pub fn size(&self) -> Size {
        self.engine.size()
    }

    /// Copies one row into `cells`, see [`Engine::visible_row`].
    pub fn visible_row(&mut self, row: u16, scroll_back: usize, cells: &mut Vec<Cell>) {
        self.engine.visible_row(row, scroll_back, cells);
    }

    /// Lines kept above the screen.
    pub fn history_len(&self) -> usize {
        self.engine.history_len()
    }

    /// Where the cursor is and how it looks.
    pub fn cursor(&self) -> Cursor {
        let position = self.engine.position();
        Cursor {
            row: position.row,
            col: position.col,
            visible: self.modes.has(Mode::CursorVisible),
            shape: super::modes::CursorShape::Default,
        }
    }

    /// What the program asked of its terminal.
    pub fn modes(&self) -> &Modes {
        &self.modes
    }

    /// The title, sanitised.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Grows with every change of the screen, the cursor or the modes.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Whether the screen may be shown now: not while the program is in the middle of a frame, for at most 150 ms.
    pub fn presentable(&self, _now: u64) -> bool {
        true
    }

    /// Rows that may look different since the last call.
    pub fn take_damage(&mut self) -> Damage {
        self.engine.take_damage()
    }

    /// Plain text of rows `first..=last` of the view, wrapped rows joined, trailing blanks cut.
    pub fn text(&mut self, first: u16, last: u16, scroll_back: usize) -> String {
        super::text::rows(&mut *self.engine, first..=last, scroll_back)
    }
}
