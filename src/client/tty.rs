//! The person's terminal while we draw on it: raw mode, the alternate screen, the reports we want. Whatever happens, it is
//! given back as it was, also when the program breaks.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste, EnableFocusChange,
    EnableMouseCapture, KeyboardEnhancementFlags, PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
    supports_keyboard_enhancement,
};
use crossterm::{cursor, execute, queue, style};

use crate::client::bar::NO_BAR;

/// Whether the terminal has to be given back; read by whoever comes first, the end or a panic.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Whether it tells what its mouse does.
static MOUSE: AtomicBool = AtomicBool::new(false);

/// Whether it tells keys apart by the kitty keyboard protocol.
static ENHANCED: AtomicBool = AtomicBool::new(false);

/// Whether its window has a title of ours; the one before waits in the terminal.
static NAMED: AtomicBool = AtomicBool::new(false);

/// Whether it shows how far the work is.
static BARRED: AtomicBool = AtomicBool::new(false);

/// Keeps the window's title in the terminal, and brings it back (XTWINOPS 22 and 23, of the title alone).
const KEEP_TITLE: &[u8] = b"\x1b[22;2t";
const BRING_TITLE_BACK: &[u8] = b"\x1b[23;2t";

/// The terminal, taken. Given back when dropped.
pub(super) struct RawTerminal;

impl RawTerminal {
    /// Takes it.
    ///
    /// # Errors
    /// When standard input or output is no terminal.
    pub(super) fn open() -> io::Result<RawTerminal> {
        use std::io::IsTerminal as _;
        if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
            return Err(io::Error::other("standard input and output must be a terminal"));
        }
        RawTerminal::take_again()?;
        Ok(RawTerminal)
    }

    /// Gives it to another program for a while.
    pub(super) fn lend() {
        give_back();
    }

    /// Takes it, also after it was lent.
    ///
    /// # Errors
    /// When it is gone.
    pub(super) fn take_again() -> io::Result<()> {
        enable_raw_mode()?;
        TAKEN.store(true, Ordering::Release);
        let enhanced = supports_keyboard_enhancement().unwrap_or(false);
        ENHANCED.store(enhanced, Ordering::Release);
        let mut out = io::stdout().lock();
        execute!(
            out,
            EnterAlternateScreen,
            EnableBracketedPaste,
            EnableFocusChange,
            cursor::Hide
        )?;
        if enhanced {
            let flags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES;
            execute!(out, PushKeyboardEnhancementFlags(flags))?;
        }
        if MOUSE.load(Ordering::Acquire) {
            execute!(out, EnableMouseCapture)?;
        }
        Ok(())
    }

    /// Has the terminal tell what its mouse does, or leaves the mouse to it; also after it was lent.
    pub(super) fn watch_mouse(is_ours: bool) {
        if MOUSE.swap(is_ours, Ordering::AcqRel) == is_ours {
            return;
        }
        let mut out = io::stdout().lock();
        // A terminal that is gone is noticed by the next read.
        drop(if is_ours {
            execute!(out, EnableMouseCapture)
        } else {
            execute!(out, DisableMouseCapture)
        });
    }

    /// Writes a picture.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub(super) fn write(bytes: &[u8]) -> io::Result<()> {
        write_all(bytes)
    }

    /// Shows a line at the bottom while there is nobody to draw.
    pub(super) fn note(text: &str) {
        let (columns, rows) = crossterm::terminal::size().unwrap_or((80, 24));
        // One row and no more: what goes over its end would push the frame up.
        let text = crate::ui::cut(text, usize::from(columns.saturating_sub(1)), "");
        let mut out = io::stdout().lock();
        let shown = queue!(
            out,
            cursor::MoveTo(0, rows.saturating_sub(1)),
            style::SetAttribute(style::Attribute::Reverse),
            style::Print(text),
            style::SetAttribute(style::Attribute::Reset),
            Clear(ClearType::UntilNewLine)
        )
        .and_then(|()| out.flush());
        // A terminal that is gone is noticed by the next read.
        drop(shown);
    }

    /// Gives the window a title, by these bytes; the one it had is kept by the terminal. No bytes: one that can have none.
    pub(super) fn name(title: &[u8]) {
        if title.is_empty() {
            return;
        }
        let mut bytes = Vec::new();
        if !NAMED.swap(true, Ordering::AcqRel) {
            bytes.extend_from_slice(KEEP_TITLE);
        }
        bytes.extend_from_slice(title);
        // A terminal that is gone is noticed by the next read.
        drop(write_all(&bytes));
    }

    /// Shows how far the work is, by these bytes. No bytes: a terminal that cannot.
    pub(super) fn show_bar(bar: &[u8]) {
        if bar.is_empty() {
            return;
        }
        BARRED.store(bar != NO_BAR, Ordering::Release);
        drop(write_all(bar));
    }

    /// Takes away what it shows of the work.
    pub(super) fn hide_bar() {
        if BARRED.swap(false, Ordering::AcqRel) {
            drop(write_all(NO_BAR));
        }
    }

    /// Calls the person, by these bytes.
    pub(super) fn call(call: &[u8]) {
        drop(write_all(call));
    }

    /// Puts text on the person's clipboard, by the terminal's own means (OSC 52).
    pub(super) fn copy(text: &str) {
        let shown = execute!(
            io::stdout().lock(),
            crossterm::clipboard::CopyToClipboard::to_clipboard_from(text)
        );
        drop(shown);
    }
}

/// Whether the terminal tells keys apart that older ones send as one character.
pub(super) fn is_enhanced() -> bool {
    ENHANCED.load(Ordering::Acquire)
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        give_back();
    }
}

/// Gives the terminal back as it was; a second time it does nothing.
pub(super) fn give_back() {
    if !TAKEN.swap(false, Ordering::AcqRel) {
        return;
    }
    let mut out = io::stdout().lock();
    // Each step is tried whatever became of the one before; there is nobody left to tell.
    drop(execute!(out, PopKeyboardEnhancementFlags));
    drop(execute!(
        out,
        DisableFocusChange,
        DisableBracketedPaste,
        DisableMouseCapture
    ));
    drop(out.write_all(b"\x1b[?2026l"));
    if BARRED.swap(false, Ordering::AcqRel) {
        drop(out.write_all(NO_BAR));
    }
    if NAMED.swap(false, Ordering::AcqRel) {
        drop(out.write_all(BRING_TITLE_BACK));
    }
    drop(execute!(
        out,
        LeaveAlternateScreen,
        cursor::Show,
        style::ResetColor
    ));
    drop(disable_raw_mode());
}

/// Writes all of it, at once.
pub(super) fn write_all(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}
