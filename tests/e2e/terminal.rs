//! Terminal of a person: a real pty. Its screen is kept by the second emulator, which takes no part in drawing. The terminal answers the
//! queries of the program and encodes keys in the modes that the program has set.
#![expect(
    clippy::disallowed_methods,
    reason = "waits with deadlines, owns the thread that reads the pty"
)]

use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use dbs::term::keys::{self, Key, KeyInput, Modifiers};
use dbs::term::{
    Cell, CellAttributes, CellWidth, ColorPalette, EmulatorKind, Modes, MouseMode, Size, TermEvent, TermMode,
    Terminal,
};
use nix::fcntl::OFlag;
use nix::sys::termios::{SetArg, SpecialCharacterIndices, tcgetattr, tcsetattr};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::driver::{PATIENCE, Story};
use crate::polling::holds_within;

/// Number of bytes of a transcript that are kept.
const REMEMBERED: usize = 4 * 1024 * 1024;

/// Kind of terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Make {
    /// Knows the kitty keyboard protocol and answers every question.
    New,
    /// Does not know that protocol and answers only DA1.
    Old,
}

/// A terminal in which the program runs.
pub(crate) struct Tty<'a> {
    story: &'a Story,
    shared: Arc<Shared>,
    master: Option<Box<dyn MasterPty + Send>>,
    child: Box<dyn Child + Send + Sync>,
}

struct Shared {
    face: Mutex<Face>,
    changed: Condvar,
    closing: AtomicBool,
    input: Mutex<Option<Box<dyn Write + Send>>>,
}

struct Face {
    terminal: Terminal,
    /// Received bytes, newest last; old bytes are dropped.
    transcript: Vec<u8>,
    received: u64,
    ended: bool,
}

/// Position and size of the inside of a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) left: usize,
    pub(crate) top: usize,
    pub(crate) columns: usize,
    pub(crate) rows: usize,
}

/// Contents of a screen at one moment.
#[derive(Debug, Clone)]
pub(crate) struct Screen {
    /// One string per row, without trailing blanks; a wide character stands in its first column only.
    pub(crate) rows: Vec<String>,
    /// The cells of each row.
    pub(crate) cells: Vec<Vec<Cell>>,
    pub(crate) modes: Modes,
    /// Number of bytes received so far.
    pub(crate) received: u64,
    /// True once no process can write to the terminal any more.
    pub(crate) ended: bool,
}

impl Screen {
    fn of(face: &mut Face) -> Screen {
        let size = face.terminal.size();
        let mut cells = Vec::new();
        for row in 0..size.rows {
            let mut of_row = Vec::new();
            face.terminal.visible_row(row, 0, &mut of_row);
            cells.push(of_row);
        }
        Screen {
            rows: cells.iter().map(|row| line(row)).collect(),
            cells,
            modes: *face.terminal.modes(),
            received: face.received,
            ended: face.ended,
        }
    }

    pub(crate) fn text(&self) -> String {
        self.rows.join("\n")
    }

    pub(crate) fn has(&self, text: &str) -> bool {
        self.rows.iter().any(|row| row.contains(text))
    }

    /// Returns true if the text is in a row that is marked.
    pub(crate) fn is_marked(&self, text: &str) -> bool {
        let mut rows = self.rows.iter().zip(self.marked());
        rows.any(|(row, marked)| !marked.is_empty() && row.contains(text))
    }

    /// Returns the part of each row that is drawn in reverse.
    fn marked(&self) -> Vec<String> {
        let is_turned = |cell: &&Cell| cell.style.attributes.contains(CellAttributes::INVERSE);
        let turned = |row: &Vec<Cell>| row.iter().filter(is_turned).map(shown).collect();
        self.cells.iter().map(turned).collect()
    }

    /// Returns the last row, which shows the mode and what the keys do.
    pub(crate) fn status(&self) -> &str {
        self.rows.last().map_or("", String::as_str)
    }

    /// Returns the inside of the pane whose title begins with `title`.
    pub(crate) fn area(&self, title: &str) -> Option<Area> {
        let titled = |(top, line): (usize, &Vec<Cell>)| {
            let begins = |column: &usize| {
                let text: String = line
                    .iter()
                    .skip(column + 2)
                    .take(title.len() + 1)
                    .map(shown)
                    .collect();
                self.is_line(*column, top)
                    && self.is_line(column + 1, top)
                    && text.strip_prefix(' ') == Some(title)
            };
            (0..line.len()).find(begins).map(|left| (left, top))
        };
        let (left, top) = self.cells.iter().enumerate().find_map(titled)?;
        let corner = |column: &usize| self.is_line(*column, top) && self.is_line(*column, top + 1);
        let right = (left + 1..self.cells.first()?.len()).find(corner)?;
        let bottom = (top + 1..self.rows.len()).find(|row| self.is_line(left + 1, *row))?;
        Some(Area {
            left: left + 1,
            top: top + 1,
            columns: right - left - 1,
            rows: bottom - top - 1,
        })
    }

    /// Returns true if the cell shows a line of a border.
    pub(crate) fn is_line(&self, column: usize, row: usize) -> bool {
        self.at(column, row)
            .starts_with(|c| ('\u{2500}'..='\u{257f}').contains(&c))
    }

    /// Returns the inside of the only pane below the row `top` of the screen.
    pub(crate) fn area_at(&self, top: usize) -> Option<Area> {
        let bottom = (top + 1..self.rows.len()).find(|row| self.is_line(1, *row))?;
        Some(Area {
            left: 1,
            top: top + 1,
            columns: self.cells.first()?.len() - 2,
            rows: bottom - top - 1,
        })
    }

    /// Returns the text of the pane whose title begins with `title`, one line per row.
    pub(crate) fn pane(&self, title: &str) -> Option<Vec<String>> {
        Some(self.inside(self.area(title)?))
    }

    /// Returns the text in the area, one line per row.
    pub(crate) fn inside(&self, area: Area) -> Vec<String> {
        let rows = self.cells.iter().skip(area.top).take(area.rows);
        let cut = |row: &Vec<Cell>| {
            let columns = row.iter().skip(area.left).take(area.columns);
            let text: String = columns.map(shown).collect();
            text.trim_end().to_owned()
        };
        rows.map(cut).collect()
    }

    /// Returns true if the pane whose title begins with `title` shows the text.
    pub(crate) fn pane_has(&self, title: &str, text: &str) -> bool {
        self.pane(title)
            .is_some_and(|rows| rows.iter().any(|row| row.contains(text)))
    }

    /// Returns the text of the cell.
    pub(crate) fn at(&self, column: usize, row: usize) -> &str {
        let cell = self.cells.get(row).and_then(|row| row.get(column));
        cell.map_or("", shown)
    }

    /// Returns true if the terminal is as it was before a full-screen program started.
    pub(crate) fn is_restored(&self) -> bool {
        let modes = &self.modes;
        let left_on = [
            TermMode::AlternateScreen,
            TermMode::BracketedPaste,
            TermMode::FocusReports,
            TermMode::SynchronizedOutput,
        ];
        modes.has(TermMode::CursorVisible)
            && !left_on.into_iter().any(|mode| modes.has(mode))
            && modes.mouse == MouseMode::Off
            && modes.kitty == dbs::term::KittyFlags::default()
    }
}

fn line(cells: &[Cell]) -> String {
    let text: String = cells.iter().map(shown).collect();
    text.trim_end().to_owned()
}

/// Returns the text of a cell; empty for the second half of a wide character.
fn shown(cell: &Cell) -> &str {
    match cell.text.as_str() {
        _ if cell.width == CellWidth::Continuation => "",
        "" => " ",
        text => text,
    }
}

impl Story {
    /// Runs the program in the project, in a terminal of the given size.
    pub(crate) fn tty(&self, arguments: &[&str], size: (u16, u16)) -> Tty<'_> {
        self.tty_of(Make::New, &[], arguments, size)
    }

    /// Like [`Story::tty`], in a terminal of the given kind and with more environment variables.
    pub(crate) fn tty_of(
        &self,
        make: Make,
        env: &[(&str, &str)],
        arguments: &[&str],
        (cols, rows): (u16, u16),
    ) -> Tty<'_> {
        self.tty_with(make, env, &self.program(arguments), (cols, rows))
    }

    /// Like [`Story::tty_of`], with any program.
    pub(crate) fn tty_with(
        &self,
        make: Make,
        env: &[(&str, &str)],
        plain: &std::process::Command,
        (cols, rows): (u16, u16),
    ) -> Tty<'_> {
        let mut command = CommandBuilder::new(plain.get_program());
        command.args(plain.get_args());
        command.cwd(plain.get_current_dir().unwrap());
        command.env_clear();
        for (name, value) in plain.get_envs() {
            command.env(name, value.unwrap());
        }
        command.env("TERM", "xterm-256color");
        for (name, value) in env {
            command.env(name, value);
        }
        let pair = native_pty_system().openpty(pty_size(cols, rows)).unwrap();
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let shared = Arc::new(Shared {
            face: Mutex::new(Face {
                terminal: Terminal::new(EmulatorKind::Vt100, Size::new(cols, rows), 200),
                transcript: Vec::new(),
                received: 0,
                ended: false,
            }),
            changed: Condvar::new(),
            closing: AtomicBool::new(false),
            input: Mutex::new(Some(pair.master.take_writer().unwrap())),
        });
        let (reader, for_reader) = (pair.master.try_clone_reader().unwrap(), Arc::clone(&shared));
        let thread = std::thread::Builder::new().name("tty".to_owned());
        drop(thread.spawn(move || for_reader.read(reader, make)).unwrap());
        Tty {
            story: self,
            shared,
            master: Some(pair.master),
            child,
        }
    }
}

impl Shared {
    fn read(&self, mut reader: Box<dyn Read + Send>, make: Make) {
        let began = Instant::now();
        let mut buffer = vec![0; 64 * 1024];
        // The end of a pty is an error on some systems.
        while let Ok(length @ 1..) = reader.read(&mut buffer) {
            let bytes = buffer.get(..length).unwrap_or_default();
            let now = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            let events = {
                let mut face = self.face.lock().unwrap_or_else(PoisonError::into_inner);
                face.received += length as u64;
                face.transcript.extend_from_slice(bytes);
                if face.transcript.len() > 2 * REMEMBERED {
                    let surplus = face.transcript.len() - REMEMBERED;
                    face.transcript.drain(..surplus);
                }
                face.terminal.feed(now, bytes)
            };
            for event in events {
                if let TermEvent::Reply(reply) = event
                    && (make == Make::New || reply.ends_with(b"c"))
                {
                    self.write(&reply);
                }
            }
            self.changed.notify_all();
            if self.closing.load(Ordering::Acquire) {
                break;
            }
        }
        drop(reader);
        self.face.lock().unwrap_or_else(PoisonError::into_inner).ended = true;
        self.changed.notify_all();
    }

    fn write(&self, bytes: &[u8]) {
        let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(input) = input.as_mut() {
            // As in any terminal, input to a program that has ended is lost.
            drop(input.write_all(bytes).and_then(|()| input.flush()));
        }
    }
}

impl Tty<'_> {
    /// Presses keys one after the other, written as in key files: `C-b d Enter j`.
    pub(crate) fn press(&self, chords: &str) {
        for chord in chords.split(' ') {
            self.shared.write(&keys::encode_key(&key(chord), &self.modes()));
        }
    }

    /// Types a text, key by key; a line feed is Enter.
    pub(crate) fn type_text(&self, text: &str) {
        for character in text.chars() {
            let key = match character {
                '\n' => Key::Enter,
                other => Key::Char(other),
            };
            let input = KeyInput::new(key, Modifiers::empty());
            self.shared.write(&keys::encode_key(&input, &self.modes()));
        }
    }

    /// Tells the program whether the person looks at this terminal.
    pub(crate) fn look_away(&self, away: bool) {
        self.shared.write(if away { b"\x1b[O" } else { b"\x1b[I" });
    }

    /// Gives the terminal other colours.
    pub(crate) fn dress(&self, palette: ColorPalette) {
        let mut face = self.shared.face.lock().unwrap_or_else(PoisonError::into_inner);
        drop(face.terminal.set_palette(palette));
    }

    /// Clicks on a cell.
    pub(crate) fn click(&self, column: usize, row: usize) {
        let (x, y) = (column + 1, row + 1);
        self.shared
            .write(format!("\x1b[<0;{x};{y}M\x1b[<0;{x};{y}m").as_bytes());
    }

    /// Presses on a cell, moves to another, and lets go.
    pub(crate) fn drag(&self, from: (usize, usize), to: (usize, usize)) {
        let place = |(column, row): (usize, usize)| format!("{};{}", column + 1, row + 1);
        let (from, to) = (place(from), place(to));
        self.shared
            .write(format!("\x1b[<0;{from}M\x1b[<32;{to}M\x1b[<0;{to}m").as_bytes());
    }

    /// Pastes a text as a terminal does.
    pub(crate) fn paste(&self, text: &str) {
        self.shared.write(&keys::encode_paste(text, &self.modes()));
    }

    /// Presses a key until the mark is where it should be.
    pub(crate) fn move_mark_until(&self, what: &str, chord: &str, wished: impl Fn(&Screen) -> bool) {
        // More than there are places on any screen. Each move has its own deadline.
        const MOST_MOVES: u32 = 100;
        let mut before = self.look();
        let mut moves = 0;
        while !wished(&before) {
            assert!(moves < MOST_MOVES, "{what}\n{}", before.text());
            moves += 1;
            self.press(chord);
            // Clocks redraw the screen, too; only a moved mark shows that the key took effect.
            let marked = before.marked();
            before = self.wait("the mark to move", |screen| screen.marked() != marked);
        }
    }

    /// Gives the terminal another size.
    pub(crate) fn resize(&self, cols: u16, rows: u16) {
        let mut face = self.shared.face.lock().unwrap_or_else(PoisonError::into_inner);
        face.terminal.resize(Size::new(cols, rows));
        drop(face);
        let master = self.master.as_ref().unwrap();
        master.resize(pty_size(cols, rows)).unwrap();
    }

    fn modes(&self) -> Modes {
        let face = self.shared.face.lock().unwrap_or_else(PoisonError::into_inner);
        *face.terminal.modes()
    }

    /// Returns what is on the screen now.
    pub(crate) fn look(&self) -> Screen {
        let mut face = self.shared.face.lock().unwrap_or_else(PoisonError::into_inner);
        Screen::of(&mut face)
    }

    /// Waits until the screen, between two frames, is as wished, and returns it.
    pub(crate) fn wait(&self, what: &str, mut wished: impl FnMut(&Screen) -> bool) -> Screen {
        let deadline = Instant::now() + PATIENCE;
        let lock = || self.shared.face.lock().unwrap_or_else(PoisonError::into_inner);
        let mut face = lock();
        loop {
            let late = Instant::now() >= deadline;
            // A half-drawn frame shows nothing of use, and reading the screen takes long.
            let whole = face.ended || !face.terminal.modes().has(TermMode::SynchronizedOutput);
            if whole || late {
                let screen = Screen::of(&mut face);
                drop(face);
                if whole && wished(&screen) {
                    return screen;
                }
                if late || screen.ended {
                    let why = if late {
                        "too late"
                    } else {
                        "the terminal was closed"
                    };
                    panic!(
                        "{what}: {why}; the screen is\n{}\n{}",
                        screen.text(),
                        self.story.logs()
                    );
                }
                face = lock();
                if face.received != screen.received || face.ended {
                    continue;
                }
            }
            let waited = self.shared.changed.wait_timeout(face, Duration::from_millis(200));
            face = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits until the text is in a row.
    pub(crate) fn see(&self, text: &str) -> Screen {
        self.wait(&format!("to see {text:?}"), |screen| screen.has(text))
    }

    /// Returns how often the text has been received in one piece, even if it is no longer on the screen.
    pub(crate) fn times_received(&self, text: &str) -> usize {
        self.times_received_since(0, text)
    }

    /// Like [`Self::times_received`], for what arrived after the first `since` bytes.
    pub(crate) fn times_received_since(&self, since: u64, text: &str) -> usize {
        let face = self.shared.face.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = face.transcript.len();
        let new = usize::try_from(face.received.saturating_sub(since)).unwrap_or(kept);
        let parts = face.transcript[kept.saturating_sub(new)..].windows(text.len());
        parts.filter(|part| *part == text.as_bytes()).count()
    }

    /// Waits until the text is nowhere on the screen.
    pub(crate) fn miss(&self, text: &str) -> Screen {
        self.wait(&format!("to see {text:?} no more"), |screen| !screen.has(text))
    }

    /// Waits until the program has ended by itself and the terminal is closed; returns its exit code and the last screen.
    pub(crate) fn leave(mut self) -> (u32, Screen) {
        let code = self.exit_code();
        let Some(code) = code else {
            panic!(
                "the program does not end; the screen is\n{}\n{}",
                self.look().text(),
                self.story.logs()
            );
        };
        self.wait_for_end();
        (code, self.look())
    }

    fn wait_for_end(&self) {
        let deadline = Instant::now() + PATIENCE;
        let mut face = self.shared.face.lock().unwrap_or_else(PoisonError::into_inner);
        while !face.ended {
            assert!(
                Instant::now() < deadline,
                "a process still holds the terminal open"
            );
            let waited = self.shared.changed.wait_timeout(face, Duration::from_millis(200));
            face = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Closes the terminal like a person who closes its window, and waits until the program has ended.
    pub(crate) fn close(mut self) {
        self.shared.closing.store(true, Ordering::Release);
        // The reading thread sleeps until something is drawn.
        self.resize(90, 20);
        self.wait_for_end();
        self.take_the_keyboard_away();
        drop(self.master.take());
        let has_ended = self.exit_code().is_some();
        assert!(has_ended, "the program stays\n{}", self.story.logs());
    }

    /// Returns the exit code of the program, or none if it does not end.
    fn exit_code(&mut self) -> Option<u32> {
        let mut status = None;
        holds_within(PATIENCE, || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        Some(status?.exit_code())
    }

    /// Stops all typing. The pty library types Enter and the end-of-file character when it is dropped, which closing a window does not do;
    /// without an end-of-file character it types nothing.
    fn take_the_keyboard_away(&self) {
        let tty = self.master.as_ref().and_then(|master| master.tty_name()).unwrap();
        let open = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(OFlag::O_NOCTTY.bits())
            .open(tty);
        let tty = open.unwrap();
        let mut modes = tcgetattr(&tty).unwrap();
        modes.control_chars[SpecialCharacterIndices::VEOF as usize] = 0;
        tcsetattr(&tty, SetArg::TCSANOW, &modes).unwrap();
        let mut input = self.shared.input.lock().unwrap_or_else(PoisonError::into_inner);
        drop(input.take());
    }

    /// The pid of the program.
    pub(crate) fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }
}

impl Drop for Tty<'_> {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn pty_size(cols: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    }
}

/// Parses a key as written in key files.
fn key(chord: &str) -> KeyInput {
    let (mut rest, mut modifiers) = (chord, Modifiers::empty());
    for (prefix, modifier) in [
        ("C-", Modifiers::CONTROL),
        ("A-", Modifiers::ALT),
        ("S-", Modifiers::SHIFT),
    ] {
        if let Some(less) = rest.strip_prefix(prefix).filter(|less| !less.is_empty()) {
            (rest, modifiers) = (less, modifiers.union(modifier));
        }
    }
    let mut characters = rest.chars();
    let key = match (characters.next(), characters.next()) {
        (Some(one), None) => Key::Char(one),
        _ => named(rest),
    };
    KeyInput::new(key, modifiers)
}

fn named(name: &str) -> Key {
    match name {
        "Enter" => Key::Enter,
        "Esc" => Key::Escape,
        "Tab" => Key::Tab,
        "Space" => Key::Char(' '),
        "Backspace" => Key::Backspace,
        "Up" => Key::Up,
        "Down" => Key::Down,
        "Left" => Key::Left,
        "Right" => Key::Right,
        "PageUp" => Key::PageUp,
        "PageDown" => Key::PageDown,
        "F3" => Key::Function(3),
        other => panic!("{other} is no key"),
    }
}
