//! Frames of a client, read back by a terminal of their own: with stalls, resizes and any output of programs, they must show what
//! is in the terminals inside.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::display::{ColourDepth, FirstTab, Glyphs};
use crate::domain::Timestamp;
use crate::keymap::Action;
use crate::read_model::ReadModel;
use crate::server::clients::frame::*;
use crate::term::{Cell, CellWidth, EmulatorKind, Size, TermMode, Terminal, Underline};
use crate::ui::{
    LiveScreen, PaneContent, ScreenRead, Screens, SessionFacts, Theme, UiInput, ViewCache, perform, update,
};

mod random;

const SHELL: ScreenId = ScreenId::Shell(1);
/// A second one, in the place of the conductor.
const OTHER: ScreenId = ScreenId::Shell(2);

struct TestScreens(BTreeMap<ScreenId, RefCell<Terminal>>);

impl Screens for TestScreens {
    fn with(&self, id: ScreenId, read: &mut dyn FnMut(&mut dyn ScreenRead)) -> bool {
        let Some(terminal) = self.0.get(&id) else {
            return false;
        };
        read(&mut LiveScreen::new(&mut terminal.borrow_mut(), true));
        true
    }
}

/// A client with its terminal, and terminals inside.
struct Bench {
    inner: TestScreens,
    model: ReadModel,
    cache: ViewCache,
    facts: SessionFacts,
    theme: Theme,
    state: UiState,
    frame: ClientFrame,
    outer: Terminal,
    now: Timestamp,
}

impl Bench {
    fn new(inside: EmulatorKind, outside: EmulatorKind, size: (u16, u16)) -> Bench {
        let mut state = UiState::builtin(size).unwrap();
        state.set_first_tab(FirstTab::Classic).unwrap();
        for pane in state.unopened_shells() {
            state.shell_opened(pane, 1);
        }
        let panes = state.panes.values_mut();
        for pane in panes.filter(|pane| matches!(pane.content, PaneContent::Conductor(_))) {
            pane.content = PaneContent::Shell(Some(2));
        }
        let terminal = |cols, rows| RefCell::new(Terminal::new(inside, Size::new(cols, rows), 50));
        let inner = [(SHELL, terminal(59, 15)), (OTHER, terminal(61, 28))];
        Bench {
            inner: TestScreens(inner.into()),
            model: ReadModel::default(),
            cache: ViewCache::default(),
            facts: SessionFacts::default(),
            theme: Theme::builtin(ColourDepth::True, Glyphs::Unicode),
            state,
            frame: ClientFrame::new(size),
            outer: Terminal::new(outside, Size::new(size.0, size.1), 0),
            now: Timestamp(1_000_000),
        }
    }

    fn with<T>(&mut self, act: impl FnOnce(&mut UiState, &mut ClientFrame, &Scene<'_>) -> T) -> T {
        let scene = Scene {
            model: &self.model,
            screens: &self.inner,
            log: &[],
            cache: &self.cache,
            now: self.now,
            session: &self.facts,
            theme: &self.theme,
        };
        act(&mut self.state, &mut self.frame, &scene)
    }

    fn act(&mut self, action: Action) {
        self.with(|state, frame, scene| {
            perform(state, scene, action);
            frame.mark_stale(StaleScope::Everything);
        });
    }

    fn write(&mut self, id: ScreenId, bytes: &[u8]) {
        self.inner.0[&id].borrow_mut().feed(self.now.0, bytes);
        self.frame.mark_stale(StaleScope::Terminals);
    }

    fn resize(&mut self, (cols, rows): (u16, u16)) {
        self.with(|state, frame, scene| {
            update(state, scene, UiInput::Resize(cols, rows));
            frame.reset((cols, rows));
        });
        self.outer.resize(Size::new(cols, rows));
    }

    fn draw(&mut self) -> Vec<u8> {
        let bytes = self.with(|state, frame, scene| frame.draw(state, scene));
        self.outer.feed(self.now.0, &bytes);
        bytes
    }

    fn draw_alone(&mut self, id: ScreenId) -> Option<Vec<u8>> {
        let bytes = self.with(|state, frame, scene| frame.draw_terminal(state, scene, id));
        self.outer.feed(self.now.0, bytes.as_deref().unwrap_or_default());
        bytes
    }

    /// Returns true if no program is in the middle of a frame.
    fn is_at_rest(&self) -> bool {
        let mut all = self.inner.0.values();
        all.all(|terminal| terminal.borrow().presentable(self.now.0))
    }

    /// The client's screen, and what it would be had all of it been drawn at once.
    fn both(&mut self) -> (Vec<Vec<Cell>>, Vec<Vec<Cell>>) {
        let Size { cols, rows } = self.outer.size();
        let kind = self.outer.kind();
        let mut fresh = Terminal::new(kind, Size::new(cols, rows), 0);
        let bytes = self.with(|state, _, scene| ClientFrame::new((cols, rows)).draw(state, scene));
        fresh.feed(0, &bytes);
        assert_eq!(
            (self.outer.cursor().visible, fresh.cursor().visible),
            (fresh.cursor().visible, self.outer.cursor().visible)
        );
        if fresh.cursor().visible {
            assert_eq!(self.outer.cursor(), fresh.cursor());
        }
        (rows_of(&mut self.outer), rows_of(&mut fresh))
    }

    fn compare(&mut self) {
        let (seen, expected) = self.both();
        for (row, (seen, expected)) in seen.iter().zip(&expected).enumerate() {
            for (column, (seen, expected)) in seen.iter().zip(expected).enumerate() {
                assert_eq!(seen, expected, "at column {column} of row {row}");
            }
        }
    }

    /// Every pane shows the upper left of its terminal, cell by cell.
    fn compare_inside(&mut self) {
        let seen = rows_of(&mut self.outer);
        for pane in self.frame.layout().panes.clone() {
            let Some(terminal) = pane.screen.and_then(|id| self.inner.0.get(&id)) else {
                continue;
            };
            let mut terminal = terminal.borrow_mut();
            let rows = terminal.size().rows;
            let cursor = terminal.cursor();
            let is_anywhere = !cursor.visible && terminal.modes().has(TermMode::AlternateScreen);
            let followed = if is_anywhere { rows - 1 } else { cursor.row };
            let top = (followed + 1).saturating_sub(pane.area.height);
            for row in 0..pane.area.height.min(rows) {
                let mut cells = Vec::new();
                terminal.visible_row(top + row, 0, &mut cells);
                let seen = &seen[usize::from(pane.area.y + row)];
                // What is cut at the edge may be half a character.
                for (column, cell) in cells.iter().enumerate().take(usize::from(pane.area.width) - 2) {
                    let at = usize::from(pane.area.x) + column;
                    let (mut cell, mut seen) = (plain(cell), plain(&seen[at]));
                    if cell.width == CellWidth::Continuation {
                        (cell.style, seen.style) = Default::default();
                    }
                    assert_eq!(cell, seen, "at column {column} of row {row} of {:?}", pane.screen);
                }
            }
        }
    }
}

fn rows_of(terminal: &mut Terminal) -> Vec<Vec<Cell>> {
    let rows = (0..terminal.size().rows).map(|row| {
        let mut cells = Vec::new();
        terminal.visible_row(row, 0, &mut cells);
        cells.iter().map(plain).collect()
    });
    rows.collect()
}

/// A cell as far as frames carry it: all underlines are one.
fn plain(cell: &Cell) -> Cell {
    let mut cell = cell.clone();
    if cell.style.underline != Underline::None {
        cell.style.underline = Underline::Single;
    }
    cell
}

#[test]
fn a_typed_letter_costs_a_few_bytes_and_nothing_costs_none() {
    let mut bench = Bench::new(EmulatorKind::Rio, EmulatorKind::Rio, (200, 50));
    assert!(bench.draw().len() > 1_000, "the first frame is whole");
    bench.write(SHELL, b"a");
    let bytes = bench.draw();
    assert!(bytes.starts_with(b"\x1b[?2026h") && bytes.ends_with(b"\x1b[?2026l"));
    assert!(bytes.len() < 70, "{:?}", String::from_utf8_lossy(&bytes));
    bench.frame.mark_stale(StaleScope::Terminals);
    assert_eq!(bench.draw(), b"", "nothing was written");
    bench.frame.mark_stale(StaleScope::Everything);
    assert_eq!(bench.draw(), b"", "everything is as it was");
}

#[test]
fn one_terminal_is_drawn_alone_and_what_others_wrote_is_not_lost() {
    let mut bench = Bench::new(EmulatorKind::Rio, EmulatorKind::Rio, (200, 50));
    bench.draw();
    bench.write(OTHER, b"flood");
    bench.write(SHELL, b"echo");
    let bytes = bench.draw_alone(SHELL).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("echo") && !text.contains("flood"), "{text:?}");
    let rest = bench.draw();
    let rest = String::from_utf8_lossy(&rest);
    assert!(rest.contains("flood") && !rest.contains("echo"), "{rest:?}");
    bench.compare();
    bench.frame.mark_stale(StaleScope::Everything);
    assert_eq!(bench.draw_alone(SHELL), None, "more must be drawn");
}

#[test]
fn a_program_in_the_middle_of_a_frame_keeps_its_screen_until_it_is_through_or_too_slow() {
    let mut bench = Bench::new(EmulatorKind::Rio, EmulatorKind::Rio, (200, 50));
    bench.write(SHELL, b"before");
    bench.draw();
    bench.write(SHELL, b"\x1b[?2026h\x1b[2J\x1b[Hafter");
    assert_eq!(bench.draw(), b"");
    assert!(bench.frame.is_in_sync_update());
    bench.frame.mark_stale(StaleScope::Everything);
    assert_eq!(bench.draw(), b"", "drawing everything keeps it, too");
    bench.write(OTHER, b"beside");
    assert!(!bench.draw().is_empty(), "others are drawn meanwhile");
    bench.write(SHELL, b"\x1b[?2026l");
    bench.draw();
    assert!(!bench.frame.is_in_sync_update());
    bench.compare();
    bench.write(SHELL, b"\x1b[?2026h late");
    assert_eq!(bench.draw(), b"");
    bench.now = Timestamp(bench.now.0 + 150);
    bench.frame.mark_stale(StaleScope::Terminals);
    assert!(!bench.draw().is_empty());
    bench.compare();
}

/// A pane that is smaller than its terminal shows the rows around the one its program writes in.
#[test]
fn a_program_that_moves_in_the_middle_of_a_frame_is_shown_where_it_is_afterwards() {
    let mut bench = Bench::new(EmulatorKind::Rio, EmulatorKind::Rio, (200, 50));
    bench.inner.0[&SHELL].borrow_mut().resize(Size::new(59, 40));
    bench.write(SHELL, "line\r\n".repeat(29).as_bytes());
    bench.draw();
    bench.write(SHELL, b"\x1b[?2026h\x1b[Hup");
    bench.frame.mark_stale(StaleScope::Everything);
    bench.draw();
    assert!(bench.frame.is_in_sync_update(), "it is kept as it was");
    bench.write(SHELL, b"\x1b[?2026l");
    bench.draw();
    bench.compare();
}

#[test]
fn only_terminals_on_the_screen_are_watched() {
    let mut bench = Bench::new(EmulatorKind::Rio, EmulatorKind::Rio, (200, 50));
    bench.draw();
    assert_eq!(
        bench.frame.visible_terminals().collect::<Vec<_>>(),
        [SHELL, OTHER]
    );
    bench.act(Action::NextTab);
    bench.draw();
    assert_eq!(bench.frame.visible_terminals().count(), 0);
    bench.write(SHELL, &b"y\r\n".repeat(500));
    assert_eq!(bench.draw(), b"", "a hidden flood is not drawn");
}

#[test]
fn letters_that_join_are_drawn_as_they_are() {
    let joined = "\u{915}\u{94d}\u{937}\u{94d}\u{92e}\u{94d}\u{92f}";
    for kind in EmulatorKind::ALL {
        let mut bench = Bench::new(kind, EmulatorKind::Rio, (200, 50));
        bench.write(SHELL, format!("{joined}|").as_bytes());
        let drawn = String::from_utf8(bench.draw()).unwrap();
        let letters = drawn.chars().filter(|c| joined.contains(*c)).count();
        assert_eq!(letters, joined.chars().count(), "{kind:?}");
    }
}
