//! Writes a screen as escape codes that rebuild it in a fresh terminal of the same size. Must not need more of an
//! emulator than its trait.

mod cell_writer;

use std::fmt::Write as _;

use cell_writer::CellWriter;

use super::cell::{Cell, CellAttributes, CellStyle, CellWidth, Color, Underline, blank_torn_halves};
use super::emulator::Emulator;
use super::modes::{CursorShape, Modes, MouseEncoding, MouseMode, TermMode};
use super::scanner::CLUSTERS_OFF;

/// Codes that mark the line of the cursor as one on which a prompt begins.
pub(super) const PROMPT: &str = "\x1b]133;A\x1b\\";

/// State that a screen dump needs besides the cells: modes, margins and the hidden main screen.
pub(super) struct DumpState<'a> {
    pub(super) modes: &'a Modes,
    /// First and last row of the scrolling region.
    pub(super) margins: (u16, u16),
    /// Escape codes for the main screen while the alternate one is shown.
    pub(super) hidden_main: Option<&'a [u8]>,
}

/// Writes the screen in view, cursor, pen, margins and the modes that act on the grid, with up to `history` lines above it.
pub(super) fn screen(emulator: &mut dyn Emulator, state: &DumpState<'_>, history: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    if state.modes.has(TermMode::AlternateScreen) {
        bytes.extend_from_slice(state.hidden_main.unwrap_or_default());
        bytes.extend_from_slice(b"\x1b[?1049h\x1b[m\x1b[2J\x1b[H");
    }
    bytes.extend_from_slice(&grid(emulator, history));
    let at = emulator.write_position();
    let mut out = String::new();
    let (top, bottom) = state.margins;
    let confined = (top, bottom) != (0, emulator.size().rows - 1);
    if confined {
        put(&mut out, format_args!("\x1b[{};{}r", top + 1, bottom + 1));
    }
    let origin = state.modes.has(TermMode::Origin);
    if origin {
        out.push_str("\x1b[?6h");
    }
    if confined || origin {
        // Both move the cursor.
        let row = at.row.saturating_sub(if origin { top } else { 0 });
        put(&mut out, format_args!("\x1b[{};{}H", row + 1, at.col + 1));
    }
    if !state.modes.has(TermMode::AutoWrap) {
        out.push_str("\x1b[?7l");
    }
    if state.modes.has(TermMode::Insert) {
        out.push_str("\x1b[4h");
    }
    if !state.modes.has(TermMode::GraphemeClusters) {
        out.push_str(CLUSTERS_OFF);
    }
    bytes.extend_from_slice(out.as_bytes());
    bytes
}

/// Writes cells, cursor and pen of the screen in view, with up to `history` lines above it.
pub(super) fn grid(emulator: &mut dyn Emulator, history: usize) -> Vec<u8> {
    let mut out = String::new();
    let history = history.min(emulator.history_len());
    let above = (1..=history).rev().map(|back| (0, back));
    let places: Vec<(u16, usize)> = above
        .chain((0..emulator.size().rows).map(|row| (row, 0)))
        .collect();
    write_lines(&lines(emulator, places), &mut out);
    let at = emulator.write_position();
    if at.pending_wrap {
        out.push_str(&last_cell_again(emulator, at.row));
    } else {
        put(&mut out, format_args!("\x1b[{};{}H", at.row + 1, at.col + 1));
    }
    sgr(&emulator.pen(), &mut out);
    out.into_bytes()
}

/// Writes the rows of the screen in view from `first` on, without blank ones at the end; empty if all are blank. The cursor is left at
/// their end, and the mode for grapheme clusters on.
pub(super) fn rows_from(emulator: &mut dyn Emulator, first: u16) -> String {
    let places = (first..emulator.size().rows).map(|row| (row, 0)).collect();
    let mut lines = lines(emulator, places);
    let written = lines.iter().rposition(|line| line.end > 0);
    lines.truncate(written.map_or(0, |last| last + 1));
    let mut out = String::new();
    write_lines(&lines, &mut out);
    out
}

/// Row of a screen dump, and the way it is written.
struct DumpRow {
    cells: Vec<Cell>,
    /// Number of cells that are written.
    end: usize,
    /// Set when the text continues in the next row without a line break.
    wraps: bool,
    is_prompt: bool,
}

/// Reads these rows, each with the number of lines by which the view is moved up.
fn lines(emulator: &mut dyn Emulator, places: Vec<(u16, usize)>) -> Vec<DumpRow> {
    let mut lines = Vec::with_capacity(places.len());
    let mut below = 0;
    // From the last up: a row can wrap only into one in which something is written.
    for (row, back) in places.into_iter().rev() {
        let mut cells = Vec::new();
        emulator.visible_row(row, back, &mut cells);
        blank_torn_halves(&mut cells);
        let wraps = below > 0 && emulator.row_wraps(row, back);
        let end = if wraps { cells.len() } else { used(&cells) };
        below = end;
        lines.push(DumpRow {
            cells,
            end,
            wraps,
            is_prompt: emulator.is_prompt(row, back),
        });
    }
    lines.reverse();
    lines
}

fn write_lines(lines: &[DumpRow], out: &mut String) {
    let mut pen = CellStyle::default();
    let mut writer = CellWriter::default();
    let mut tinted = false;
    let mut goes_on = false;
    for (index, line) in lines.iter().enumerate() {
        // A row that continues the one above is reached only by its first character.
        let mut marks = line.is_prompt;
        if marks && !goes_on {
            out.push_str(PROMPT);
            marks = false;
        }
        goes_on = line.wraps;
        for cell in line
            .cells
            .iter()
            .take(line.end)
            .filter(|cell| cell.width != CellWidth::Continuation)
        {
            if cell.style != pen {
                sgr(&cell.style, out);
                pen = cell.style;
                tinted |= pen.bg != Color::Default;
            }
            writer.write(cell, out);
            if std::mem::take(&mut marks) {
                out.push_str(PROMPT);
            }
        }
        if line.wraps {
            continue;
        }
        if pen != CellStyle::default() {
            sgr(&CellStyle::default(), out);
            pen = CellStyle::default();
        }
        if tinted && line.end < line.cells.len() {
            // A line that scrolled in took the background of the pen.
            out.push_str("\x1b[K");
        }
        if index + 1 < lines.len() {
            out.push_str("\r\n");
        }
        writer.begin_row();
    }
    writer.end(true, out);
}

/// Number of cells up to the last that is not blank.
fn used(cells: &[Cell]) -> usize {
    let blank = Cell::default();
    cells
        .iter()
        .rposition(|cell| *cell != blank)
        .map_or(0, |last| last + 1)
}

/// Codes that write the last cell of a row once more: in most emulators the only way to have the next character wrap.
pub(super) fn last_cell_again(emulator: &mut dyn Emulator, row: u16) -> String {
    let mut cells = Vec::new();
    emulator.visible_row(row, 0, &mut cells);
    blank_torn_halves(&mut cells);
    let last = cells
        .iter()
        .enumerate()
        .rfind(|(_, cell)| cell.width != CellWidth::Continuation);
    let Some((col, cell)) = last else {
        return String::new();
    };
    let mut out = format!("\x1b[{};{}H", row + 1, col + 1);
    sgr(&cell.style, &mut out);
    let before = cells
        .iter()
        .take(col)
        .rfind(|cell| cell.width != CellWidth::Continuation);
    let mut writer = CellWriter::after(before);
    writer.write(cell, &mut out);
    writer.end(true, &mut out);
    out
}

/// Returns the sequence for a style, from a reset on.
pub(super) fn style(style: &CellStyle) -> String {
    let mut out = String::new();
    sgr(style, &mut out);
    out
}

fn sgr(style: &CellStyle, out: &mut String) {
    out.push_str("\x1b[0");
    let attributes = [
        (CellAttributes::BOLD, ";1"),
        (CellAttributes::DIM, ";2"),
        (CellAttributes::ITALIC, ";3"),
        (CellAttributes::BLINK, ";5"),
        (CellAttributes::INVERSE, ";7"),
        (CellAttributes::HIDDEN, ";8"),
        (CellAttributes::STRIKE, ";9"),
    ];
    for (attribute, code) in attributes {
        if style.attributes.contains(attribute) {
            out.push_str(code);
        }
    }
    out.push_str(match style.underline {
        Underline::None => "",
        Underline::Single => ";4",
        Underline::Double => ";4:2",
        Underline::Curly => ";4:3",
        Underline::Dotted => ";4:4",
        Underline::Dashed => ";4:5",
    });
    color(38, ';', style.fg, out);
    color(48, ';', style.bg, out);
    // The colon form is one parameter, which an emulator without underline colours skips whole.
    color(58, ':', style.underline_color, out);
    out.push('m');
}

fn color(what: u8, mark: char, color: Color, out: &mut String) {
    match color {
        Color::Default => {}
        Color::Indexed(index) => put(out, format_args!(";{what}{mark}5{mark}{index}")),
        Color::Rgb(red, green, blue) => {
            put(
                out,
                format_args!(";{what}{mark}2{mark}{red}{mark}{green}{mark}{blue}"),
            );
        }
    }
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    out.write_fmt(text).unwrap_or_default();
}

/// Returns true if [`screen`] writes a private mode, or the mode only holds while a program draws.
fn acts_on_grid(mode: TermMode) -> bool {
    matches!(
        mode,
        TermMode::AlternateScreen
            | TermMode::Origin
            | TermMode::AutoWrap
            | TermMode::SynchronizedOutput
            | TermMode::GraphemeClusters
    )
}

/// Writes the modes that do not act on the grid, the cursor's shape and the title.
pub(super) fn settings(modes: Modes, shape: CursorShape, title: &str, bytes: &mut Vec<u8>) {
    let mut out = String::new();
    let fresh = Modes::default();
    for (number, mode) in TermMode::PRIVATE {
        if !acts_on_grid(mode) && modes.has(mode) != fresh.has(mode) {
            let end = if modes.has(mode) { 'h' } else { 'l' };
            put(&mut out, format_args!("\x1b[?{number}{end}"));
        }
    }
    let mouse = MouseMode::PRIVATE.iter().filter(|(_, mode)| *mode == modes.mouse);
    let encodings = MouseEncoding::PRIVATE.iter();
    let encoding = encodings.filter(|(_, encoding)| *encoding == modes.mouse_encoding);
    let numbers = mouse
        .map(|(number, _)| number)
        .chain(encoding.map(|(number, _)| number));
    for number in numbers {
        put(&mut out, format_args!("\x1b[?{number}h"));
    }
    if modes.kitty != fresh.kitty {
        put(&mut out, format_args!("\x1b[>{}u", modes.kitty.bits()));
    }
    if modes.modify_other_keys != 0 {
        put(&mut out, format_args!("\x1b[>4;{}m", modes.modify_other_keys));
    }
    if modes.has(TermMode::NewLine) {
        out.push_str("\x1b[20h");
    }
    put(
        &mut out,
        format_args!("\x1b[{} q\x1b]2;{title}\x1b\\", shape.parameter()),
    );
    bytes.extend_from_slice(out.as_bytes());
}
