//! What drawing and deciding look at besides the state: the read model, the terminals, the log, the time. Plain values and
//! two traits; nothing here draws, and nothing reaches outside.

use ratatui::style::Style;

use super::cache::{CacheEntry, CacheKey, ViewCache};
use super::last_output::last_output;
use super::next_steps::NextSteps;
use super::program_report::ProgramReport;
pub use super::screen_id::ScreenId;
use super::scrollback::Scrollback;
use super::theme::Theme;
use crate::domain::{AttemptId, Timestamp};
pub use crate::read_model::LogLine;
use crate::read_model::{LiveActivity, ReadModel, RunningCheck, running_check};
use crate::term::CursorShape;

/// Everything a frame is drawn from besides the client's own state, with the time as a value. Time comes in as a value.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The board as people see it.
    pub model: &'a ReadModel,
    pub screens: &'a dyn Screens,
    /// What happened, oldest first.
    pub log: &'a [LogLine],
    /// What views show that had to be fetched.
    pub cache: &'a ViewCache,
    pub now: Timestamp,
    /// What is known of the session as a whole.
    pub session: &'a SessionFacts,
    pub theme: &'a Theme,
}

impl<'a> Scene<'a> {
    /// The check that runs for an attempt, as far as checks were fetched.
    pub(crate) fn running_check(&self, attempt: AttemptId) -> Option<RunningCheck<'a>> {
        match self.cache.get(&CacheKey::Checks(None))? {
            CacheEntry::Checks(checks) => running_check(checks, attempt, self.now),
            _ => None,
        }
    }
}

/// What a frame shows about the session as a whole: project, version, start and notice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionFacts {
    /// Name of the project, for the top bar.
    pub project: String,
    /// Version of the program, for the help.
    pub version: String,
    /// Whether the agents are scripted ones; then the frame always says so.
    pub kind: SessionKind,
    /// What becomes of it when its person leaves.
    pub on_leave: LeaveEffect,
    /// What its person is told to do next, after a demo.
    pub next_steps: NextSteps,
    /// When the session began; the top bar counts from here.
    pub started: Timestamp,
    /// Seconds east of UTC, for times of day in the log.
    pub utc_offset: i32,
    /// Something about the session a person should know; shown until it is empty.
    pub notice: Option<String>,
}

/// What becomes of a session when its person leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LeaveEffect {
    /// It goes on, as every session of a project.
    #[default]
    GoesOn,
    /// It is a demo: its agents end, and its folder is deleted.
    EndsAndDeletes,
    /// It is a demo whose folder is kept: its agents end.
    EndsAndKeeps,
}

/// Whether the agents of a session are real or scripted ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SessionKind {
    #[default]
    Real,
    /// Scripted ones: everything on screen is a rehearsal.
    Rehearsal,
}

/// Gives access to the live terminals; each is locked only during a call. They change while a frame is drawn: the lock is held
/// inside the call and nowhere else.
pub trait Screens {
    /// Lets `read` look at a terminal; answers whether there is such a terminal.
    fn with(&self, id: ScreenId, read: &mut dyn FnMut(&mut dyn ScreenRead)) -> bool;

    /// The same for one whose cells are drawn: what changes in it is drawn again.
    fn draw(&self, id: ScreenId, draw: &mut dyn FnMut(&mut dyn ScreenRead)) -> bool {
        self.with(id, draw)
    }

    /// Whether there is such a terminal.
    fn has(&self, id: ScreenId) -> bool {
        self.with(id, &mut |_| {})
    }

    /// What the agent in the terminal of an attempt does right now, if more is known than the board holds.
    fn activity(&self, _attempt: AttemptId) -> Option<LiveActivity> {
        None
    }

    /// What the program in a terminal reported beside its screen.
    fn reported(&self, _id: ScreenId) -> ProgramReport {
        ProgramReport::default()
    }
}

impl dyn Screens + '_ {
    /// What `read` finds in a terminal; nothing when there is no such terminal.
    pub(crate) fn read<T>(&self, id: ScreenId, read: impl FnOnce(&mut dyn ScreenRead) -> T) -> Option<T> {
        let mut read = Some(read);
        let mut found = None;
        self.with(id, &mut |screen| found = read.take().map(|read| read(screen)));
        found
    }
}

/// Reads one locked terminal: its cells, cursor, history and modes. Only visible cells are to be copied.
pub trait ScreenRead {
    /// Columns and rows.
    fn size(&self) -> (u16, u16);

    /// Lines above the visible ones.
    fn history_len(&self) -> usize;

    /// Shows the cells seen when scrolled `back` lines into the history: column, row, grapheme, style. Empty cells with the
    /// default style may be left out. A wide grapheme comes once, at its first column.
    fn cells(&mut self, back: usize, show: &mut dyn FnMut(u16, u16, &str, Style));

    /// The last line of output of its program, without the prompt. Empty when there is nothing.
    fn last_line(&mut self) -> String {
        last_output(&self.text_rows())
    }

    /// The text of every visible row.
    fn text_rows(&mut self) -> Vec<String>;

    /// All it has shown, as far as it is in memory: history and screen.
    fn scrollback(&mut self) -> Scrollback;

    /// The same for one row that is not scrolled back.
    fn row(&mut self, row: u16, show: &mut dyn FnMut(u16, u16, &str, Style));

    /// Rows that may look different from what they were at `seen`, and the `seen` of the next call; 0 has seen nothing.
    fn changes_since(&mut self, seen: u64) -> (u64, Vec<u16>);

    /// Whether its program is not in the middle of a frame; then what was shown before stays.
    fn is_frame_complete(&self, now: Timestamp) -> bool;

    /// Where the cursor is, when the program shows it.
    fn cursor(&self) -> Option<ScreenCursor>;

    /// The row to keep in sight where not all fit: where the program writes, also with its cursor hidden; the last one of a
    /// program that has the whole screen.
    fn output_row(&self) -> u16;

    /// What the program asked for, as far as it concerns our keys and mouse.
    fn mouse_reporting(&self) -> MouseReporting;

    /// Whether the program wants marks around a paste; without them it takes every line end for Enter.
    fn bracketed_paste(&self) -> bool;

    /// The title the program gave itself.
    fn title(&self) -> String;

    /// Whether its program still runs.
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

/// Which mouse input the program in a terminal has asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MouseReporting {
    pub reports: bool,
    /// Cursor keys for the wheel: it has a screen without history.
    pub wheel_keys: bool,
}
