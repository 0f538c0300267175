//! The input of drawing and deciding besides the state: the read model, the terminals, the log, the time. Plain values and two traits;
//! nothing here draws, and nothing reaches outside.

use ratatui::style::Style;

use super::cache::{CacheEntry, CacheKey, ViewCache};
use super::last_output::last_output;
use super::program_report::ProgramReport;
pub use super::screen_id::ScreenId;
use super::scrollback::Scrollback;
use super::theme::Theme;
use crate::display::{LeaveEffect, NextSteps};
use crate::domain::{AttemptId, Timestamp};
pub use crate::read_model::LogLine;
use crate::read_model::{LiveActivity, ReadModel, RunningCheck, running_check};
use crate::term::CursorShape;

/// Everything a frame is drawn from besides the client's own state, with the time as a value.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The board as people see it.
    pub model: &'a ReadModel,
    pub screens: &'a dyn Screens,
    /// Lines of the log, oldest first.
    pub log: &'a [LogLine],
    /// Data of views that had to be fetched.
    pub cache: &'a ViewCache,
    pub now: Timestamp,
    /// Facts about the session as a whole.
    pub session: &'a SessionFacts,
    pub theme: &'a Theme,
}

impl<'a> Scene<'a> {
    /// Returns the check that runs for an attempt, as far as checks were fetched.
    pub(crate) fn running_check(&self, attempt: AttemptId) -> Option<RunningCheck<'a>> {
        match self.cache.get(&CacheKey::Checks(None))? {
            CacheEntry::Checks(checks) => running_check(checks, attempt, self.now),
            _ => None,
        }
    }
}

/// Facts that a frame shows about the session as a whole: project, version, start and notice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionFacts {
    /// Name of the project, for the top bar.
    pub project: String,
    /// Version of the program, for the help.
    pub version: String,
    /// Kind of the agents, real or scripted; the frame always marks scripted ones.
    pub kind: SessionKind,
    /// Fate of the session when its person leaves.
    pub on_leave: LeaveEffect,
    /// Next steps that its person is shown after a demo.
    pub next_steps: NextSteps,
    /// Time at which the session began; the top bar counts from here.
    pub started: Timestamp,
    /// Seconds east of UTC, for times of day in the log.
    pub utc_offset: i32,
    /// Note about the session that a person should know; shown until it is empty.
    pub notice: Option<String>,
}

/// Kind of the agents of a session: real or scripted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SessionKind {
    #[default]
    Real,
    /// Scripted agents: everything on screen is a rehearsal.
    Rehearsal,
}

/// Access to the live terminals; each is locked only during a call. They change while a frame is drawn: the lock is held inside the call
/// and nowhere else.
pub trait Screens {
    /// Lets `read` read a terminal; returns true if there is such a terminal.
    fn with(&self, id: ScreenId, read: &mut dyn FnMut(&mut dyn ScreenRead)) -> bool;

    /// Reads a terminal like `with`, for drawing its cells: later changes are drawn again.
    fn draw(&self, id: ScreenId, draw: &mut dyn FnMut(&mut dyn ScreenRead)) -> bool {
        self.with(id, draw)
    }

    /// Returns true if there is such a terminal.
    fn has(&self, id: ScreenId) -> bool {
        self.with(id, &mut |_| {})
    }

    /// Returns the present activity of the agent in the terminal of an attempt, if more is known than the board holds.
    fn activity(&self, _attempt: AttemptId) -> Option<LiveActivity> {
        None
    }

    /// Returns the reports of the program in a terminal beside its screen.
    fn reported(&self, _id: ScreenId) -> ProgramReport {
        ProgramReport::default()
    }
}

impl dyn Screens + '_ {
    /// Returns the result of `read` for a terminal; nothing when there is no such terminal.
    pub(crate) fn read<T>(&self, id: ScreenId, read: impl FnOnce(&mut dyn ScreenRead) -> T) -> Option<T> {
        let mut read = Some(read);
        let mut found = None;
        self.with(id, &mut |screen| found = read.take().map(|read| read(screen)));
        found
    }
}

/// Reader of one locked terminal: its cells, cursor, history and modes. Only visible cells are to be copied.
pub trait ScreenRead {
    /// Returns the columns and rows.
    fn size(&self) -> (u16, u16);

    /// Returns the number of lines above the visible ones.
    fn history_len(&self) -> usize;

    /// Passes the cells seen when scrolled `back` lines into the history to `show`: column, row, grapheme, style. Empty cells with the
    /// default style may be left out. A wide grapheme comes once, at its first column.
    fn cells(&mut self, back: usize, show: &mut dyn FnMut(u16, u16, &str, Style));

    /// Returns the last line of output of the program, without the prompt. Empty when there is nothing.
    fn last_line(&mut self) -> String {
        last_output(&self.text_rows())
    }

    /// Returns the text of every visible row.
    fn text_rows(&mut self) -> Vec<String>;

    /// Returns everything the terminal has shown, as far as it is in memory: history and screen.
    fn scrollback(&mut self) -> Scrollback;

    /// Passes the cells of one row that is not scrolled back to `show`.
    fn row(&mut self, row: u16, show: &mut dyn FnMut(u16, u16, &str, Style));

    /// Returns a number for the next call, and the rows that may look different since the call that returned `seen`; with 0, all rows.
    fn changes_since(&mut self, seen: u64) -> (u64, Vec<u16>);

    /// Returns true if the program is not in the middle of a frame; while it is, the cells shown before stay.
    fn is_frame_complete(&self, now: Timestamp) -> bool;

    /// Returns the position of the cursor, when the program shows it.
    fn cursor(&self) -> Option<ScreenCursor>;

    /// Returns the row to keep in sight where not all fit: the row that the program writes to, also with its cursor hidden; the last one of
    /// a program that has the whole screen.
    fn output_row(&self) -> u16;

    /// Returns the requests of the program that concern our keys and mouse.
    fn mouse_reporting(&self) -> MouseReporting;

    /// Returns true if the program wants marks around a paste; without them it takes every line end for Enter.
    fn bracketed_paste(&self) -> bool;

    /// Returns the title that the program set.
    fn title(&self) -> String;

    /// Returns true if the program still runs.
    fn is_running(&self) -> bool;
}

/// The position and shape of a terminal's cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScreenCursor {
    /// Column from 0.
    pub column: u16,
    /// Row from 0.
    pub row: u16,
    pub shape: CursorShape,
}

/// Mouse input that the program in a terminal has asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MouseReporting {
    pub reports: bool,
    /// Cursor keys for the wheel: it has a screen without history.
    pub wheel_keys: bool,
}
