//! The person's terminal while we draw on it: raw mode, the alternate screen, the reports we want. It is always restored to its former
//! state, also when the program breaks.

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

use crate::client::progress::CLEAR_PROGRESS;

/// Set while the terminal has to be restored; read by whichever comes first, the end or a panic.
static IS_RAW: AtomicBool = AtomicBool::new(false);

/// Set while it reports its mouse.
static MOUSE_CAPTURED: AtomicBool = AtomicBool::new(false);

/// Set while it tells keys apart by the kitty keyboard protocol.
static KITTY_KEYBOARD: AtomicBool = AtomicBool::new(false);

/// Set while its window has a title of ours; the one before is kept in the terminal.
static TITLE_SET: AtomicBool = AtomicBool::new(false);

/// Set while it shows the progress of the work.
static PROGRESS_SET: AtomicBool = AtomicBool::new(false);

/// Sequence that keeps the window's title in the terminal; another brings it back (XTWINOPS 22 and 23, of the title alone).
const SAVE_TITLE: &[u8] = b"\x1b[22;2t";
const RESTORE_TITLE: &[u8] = b"\x1b[23;2t";

/// Guard that holds the terminal in raw mode on the alternate screen and restores it when dropped.
pub(super) struct TerminalGuard;

impl TerminalGuard {
    pub(super) fn open() -> io::Result<TerminalGuard> {
        use std::io::IsTerminal as _;
        if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
            return Err(io::Error::other("standard input and output must be a terminal"));
        }
        TerminalGuard::resume()?;
        Ok(TerminalGuard)
    }

    /// Gives the terminal to another program for a while.
    pub(super) fn suspend() {
        restore();
    }

    /// Takes the terminal, also after another program had it.
    pub(super) fn resume() -> io::Result<()> {
        enable_raw_mode()?;
        IS_RAW.store(true, Ordering::Release);
        let enhanced = supports_keyboard_enhancement().unwrap_or(false);
        KITTY_KEYBOARD.store(enhanced, Ordering::Release);
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
        if MOUSE_CAPTURED.load(Ordering::Acquire) {
            execute!(out, EnableMouseCapture)?;
        }
        Ok(())
    }

    /// Turns mouse reports on or off, also after another program had the terminal.
    pub(super) fn capture_mouse(is_ours: bool) {
        if MOUSE_CAPTURED.swap(is_ours, Ordering::AcqRel) == is_ours {
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

    pub(super) fn write(bytes: &[u8]) -> io::Result<()> {
        write_all(bytes)
    }

    /// Shows a line at the bottom while there is no server to draw.
    pub(super) fn status_line(text: &str) {
        let (columns, rows) = crossterm::terminal::size().unwrap_or((80, 24));
        // One row and no more: text beyond its end would push the frame up.
        let text = crate::display::text::cut(text, usize::from(columns.saturating_sub(1)), "");
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

    /// Sets the title of the window with these bytes; its former title is kept by the terminal. No bytes: a terminal without titles.
    pub(super) fn set_title(title: &[u8]) {
        if title.is_empty() {
            return;
        }
        let mut bytes = Vec::new();
        if !TITLE_SET.swap(true, Ordering::AcqRel) {
            bytes.extend_from_slice(SAVE_TITLE);
        }
        bytes.extend_from_slice(title);
        // A terminal that is gone is noticed by the next read.
        drop(write_all(&bytes));
    }

    /// Shows the progress of the work with these bytes. No bytes: a terminal that cannot.
    pub(super) fn show_progress(bar: &[u8]) {
        if bar.is_empty() {
            return;
        }
        PROGRESS_SET.store(bar != CLEAR_PROGRESS, Ordering::Release);
        drop(write_all(bar));
    }

    /// Removes the progress of the work.
    pub(super) fn clear_progress() {
        if PROGRESS_SET.swap(false, Ordering::AcqRel) {
            drop(write_all(CLEAR_PROGRESS));
        }
    }

    /// Writes the bytes of a notification.
    pub(super) fn notify(call: &[u8]) {
        drop(write_all(call));
    }

    /// Copies text to the person's clipboard, by the terminal's own means (OSC 52).
    pub(super) fn copy(text: &str) {
        let shown = execute!(
            io::stdout().lock(),
            crossterm::clipboard::CopyToClipboard::to_clipboard_from(text)
        );
        drop(shown);
    }
}

/// Returns true if the terminal tells keys apart that older ones send as one character.
pub(super) fn is_enhanced() -> bool {
    KITTY_KEYBOARD.load(Ordering::Acquire)
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        restore();
    }
}

/// Restores the terminal; a second call does nothing.
pub(super) fn restore() {
    if !IS_RAW.swap(false, Ordering::AcqRel) {
        return;
    }
    let mut out = io::stdout().lock();
    // Each step is tried even if the one before failed; there is no one left to report to.
    drop(execute!(out, PopKeyboardEnhancementFlags));
    drop(execute!(
        out,
        DisableFocusChange,
        DisableBracketedPaste,
        DisableMouseCapture
    ));
    drop(out.write_all(b"\x1b[?2026l"));
    if PROGRESS_SET.swap(false, Ordering::AcqRel) {
        drop(out.write_all(CLEAR_PROGRESS));
    }
    if TITLE_SET.swap(false, Ordering::AcqRel) {
        drop(out.write_all(RESTORE_TITLE));
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
