//! Reading of a holder's output: it goes into the emulated screen, answers of the screen go back to the program, and reports of an agent go
//! to its known state.

use crate::adapters::agents::menu::ScreenMenu;
use crate::adapters::agents::{ReadScreen, TypedPrompt, status_record};
use crate::adapters::clock;
use crate::adapters::holder::protocol::{HolderReply, HolderStatus};
use crate::adapters::holder::{LogReader, RequestSender};
use crate::agent_state::Source;
use crate::domain::ProcessExit;
use crate::domain::cut::cut_chars;
use crate::ports::holders::{ExitedBy, HolderId, PaneSize};
use crate::server::terminals::hub::pane::LiveTerminal;
use crate::server::terminals::hub::readers::Readers;
use crate::server::terminals::replay::SizeHistory;
use crate::term::keys::encode_paste;
use crate::term::{Size, TermEvent, TermMode, Terminal, sanitize};

/// Number of last lines of an agent's output that are kept with its crash, and their maximum length.
const LAST_LINES: usize = 15;
const LONGEST_LINE: usize = 200;

/// Maximum bytes of output from before a start of the server that are replayed.
const REPLAYED: u64 = 5 * 1024 * 1024;

/// Log offset up to which a terminal was fed. After a broken connection reading continues there.
#[derive(Debug, Default)]
pub(super) struct OutputOffset {
    at: Option<u64>,
    /// Set when all of the past was shown once.
    was_live: bool,
}

impl OutputOffset {
    /// Returns the offset to continue from in a log that ends at `end` and is stored from `oldest` on.
    fn from(&self, oldest: u64, end: u64) -> u64 {
        self.at.unwrap_or(end.saturating_sub(REPLAYED)).max(oldest)
    }
}

/// A connection to a holder, and the offset of the present: everything before `live` was written before it began.
struct Reading<'a> {
    hub: &'a Readers,
    id: &'a HolderId,
    pane: &'a LiveTerminal,
    requests: RequestSender,
    sizes: SizeHistory,
    size: PaneSize,
    live: u64,
    /// Set when all of the past has been shown, and the terminal has the size of its program.
    is_live: bool,
    prompt: PromptTyping,
    /// Reader of the screen until the tool itself has reported something.
    screen: Option<ReadScreen>,
    /// True if the screen is that of a tool with an interface: it is looked at until it is at rest.
    has_interface: bool,
}

/// Progress of typing an agent's prompt. Enter is a key of its own: together with the text some tools take it for a line break.
#[derive(Default)]
enum PromptTyping {
    #[default]
    Nothing,
    /// Prompt that the tool does not accept yet.
    Awaited(TypedPrompt),
    /// Prompt that was typed; Enter follows as soon as the program has shown any of it.
    Typed(TypedPrompt),
}

/// Reads until the program has ended (returns its exit), or the connection has (returns nothing).
pub(super) fn read(
    hub: &Readers,
    id: &HolderId,
    pane: &LiveTerminal,
    fed: &mut OutputOffset,
) -> Option<ProcessExit> {
    let mut connection = match hub.holders.connect(id) {
        Ok(connection) => connection,
        Err(error) => {
            tracing::debug!(%id, "could not {error}");
            return None;
        }
    };
    let requests = connection.requests.clone();
    requests.status().ok()?;
    let mut reading = Reading {
        hub,
        id,
        pane,
        requests,
        sizes: SizeHistory::default(),
        size: PaneSize::cells(0, 0),
        live: u64::MAX,
        is_live: false,
        prompt: PromptTyping::Nothing,
        screen: None,
        has_interface: false,
    };
    while let Ok(Some(reply)) = connection.replies.next_reply() {
        match reply {
            HolderReply::Status(snapshot) => reading.begin(&snapshot, fed)?,
            HolderReply::Output { offset, bytes } => reading.output(offset, &bytes, fed),
            HolderReply::Gap { to, .. } => reading.reached(to, fed),
            HolderReply::Exited(end) => return Some(exit_of(end.exit, end.by)),
            HolderReply::Suspended(is_suspended) => reading.suspended(is_suspended),
            HolderReply::Replaced => return None,
            HolderReply::InputDropped { count } => {
                tracing::warn!(id = %reading.id, "{count} bytes were not typed: its program does not read");
            }
            HolderReply::Welcome { .. } | HolderReply::Stopped { .. } | HolderReply::Refused { .. } => {}
        }
        if hub.is_closing() {
            return None;
        }
    }
    None
}

/// Returns the exit of a program as it is reported to the engine: one whose holder was asked to end went down with the machine.
pub(super) fn exit_of(exit: ProcessExit, by: ExitedBy) -> ProcessExit {
    match by {
        ExitedBy::Itself | ExitedBy::Stop => exit,
        ExitedBy::Shutdown => ProcessExit::MachineStopped,
    }
}

impl Reading<'_> {
    /// Takes the holder's status, and requests everything the terminal has not been shown.
    fn begin(&mut self, snapshot: &HolderStatus, fed: &mut OutputOffset) -> Option<()> {
        let from = fed.from(snapshot.oldest, snapshot.end);
        (self.live, self.size) = (snapshot.end, snapshot.size);
        self.sizes = SizeHistory::read(&self.hub.holders.folder(self.id));
        self.pane.connect(&self.requests);
        // Earlier reports are evidence of the present only by the last of them: an ask that still waits came after it.
        if let Some(attempt) = self.id.attempt() {
            self.hub.agents.begin_past(attempt);
            let prompt = self.hub.facts.prompt_to_type(attempt);
            self.prompt = prompt.map_or(PromptTyping::Nothing, PromptTyping::Awaited);
            self.screen = self.hub.facts.screen_reader(attempt);
            self.has_interface = self.hub.facts.has_interface(attempt);
        }
        self.requests.attach(from).ok()?;
        self.reached(from, fed);
        Some(())
    }

    fn output(&mut self, offset: u64, bytes: &[u8], fed: &mut OutputOffset) {
        let past = self.live.saturating_sub(offset);
        let past = usize::try_from(past).unwrap_or(bytes.len()).min(bytes.len());
        let (before, live) = bytes.split_at(past);
        if !before.is_empty() {
            let mut terminal = self.pane.terminal.lock();
            let events = self.sizes.feed(&mut terminal, clock::now().0, offset, before);
            drop(terminal);
            // Questions from before were answered then; answering them again would type into the program.
            self.take_all(events, true);
            self.reached(offset + before.len() as u64, fed);
        }
        if !live.is_empty() {
            let events = self.pane.terminal.lock().feed(clock::now().0, live);
            self.take_all(events, false);
            self.type_prompt();
            self.read_screen();
            self.read_menu();
            self.note_change();
        }
        fed.at = Some(offset + bytes.len() as u64);
        self.hub.wrote(self.pane);
    }

    /// Notes that everything before that offset has been shown, as far as it is still stored.
    fn reached(&mut self, offset: u64, fed: &mut OutputOffset) {
        fed.at = Some(offset);
        if offset < self.live || self.is_live {
            return;
        }
        self.is_live = true;
        let size = Size::new(self.size.cols, self.size.rows);
        drop(self.pane.terminal.lock().resize(size));
        self.hub.found(self.pane, self.size);
        if let Some(attempt) = self.id.attempt() {
            // Known to the server before this one by a hook alone. The past shows work, if a hook asked after it.
            let is_first = !std::mem::replace(&mut fed.was_live, true);
            let asked = if is_first {
                self.hub.facts.request_before(attempt)
            } else {
                None
            };
            self.hub.agents.end_past(attempt, asked.as_ref());
        }
        self.type_prompt();
        self.read_screen();
        self.read_menu();
        self.note_change();
    }

    fn suspended(&self, is_suspended: bool) {
        if let Some(attempt) = self.id.attempt() {
            self.hub.agents.suspended(attempt, is_suspended);
        }
    }

    /// Has the screen of a tool with an interface looked at, until it is at rest.
    fn note_change(&self) {
        let is_looked_at = self.is_live && self.has_interface;
        if let Some(attempt) = self.id.attempt().filter(|_| is_looked_at) {
            self.hub.agents.screen_changed(attempt);
        }
    }

    /// Takes the state of the agent from its screen, until its tool reports it itself.
    fn read_screen(&mut self) {
        let (Some(read), Some(attempt), true) = (self.screen, self.id.attempt(), self.is_live) else {
            return;
        };
        if self.hub.agents.is_unheard(attempt) {
            let screen = self.pane.screen_text();
            self.hub.agents.observe(attempt, Source::Screen, &read(&screen));
        } else {
            self.screen = None;
        }
    }

    /// Reads the entries of the menu with which an agent waits.
    fn read_menu(&self) {
        let Some(attempt) = self.id.attempt().filter(|_| self.is_live) else {
            return;
        };
        self.hub.agents.observe_menu(attempt, || {
            let menu = ScreenMenu::read(&self.pane.screen_text());
            menu.map(|menu| menu.options()).unwrap_or_default()
        });
    }

    /// Types the prompt of an agent whose screen shows that it is accepted.
    fn type_prompt(&mut self) {
        if !self.is_live {
            return;
        }
        self.prompt = match std::mem::take(&mut self.prompt) {
            PromptTyping::Nothing => return,
            PromptTyping::Awaited(prompt) => {
                let screen = self.pane.screen_text();
                let modes = *self.pane.terminal.lock().modes();
                let text = || prompt.text(modes.has(TermMode::BracketedPaste));
                let is_awaited = prompt.is_awaited(&screen) && ScreenMenu::read(&screen).is_none();
                if is_awaited && self.requests.input(&encode_paste(&text(), &modes)).is_ok() {
                    PromptTyping::Typed(prompt)
                } else {
                    PromptTyping::Awaited(prompt)
                }
            }
            // Enter would take an entry of the menu, and the text was not accepted by it: it is typed again.
            PromptTyping::Typed(prompt) if ScreenMenu::read(&self.pane.screen_text()).is_some() => {
                PromptTyping::Awaited(prompt)
            }
            PromptTyping::Typed(prompt) => {
                if self.requests.input(b"\r").is_ok() {
                    prompt.note_typed();
                }
                PromptTyping::Nothing
            }
        };
    }

    /// Types answers of the terminal into the program, unless they are to questions of the past, and passes on reports.
    fn take_all(&self, events: Vec<TermEvent>, past: bool) {
        let mut reports = Vec::new();
        for event in events {
            match event {
                TermEvent::Reply(bytes) if !past => drop(self.requests.input(&bytes)),
                TermEvent::AgentState(record) => {
                    reports.push((Source::StatusRecord, status_record::read(&record)));
                }
                TermEvent::Title(title) => {
                    let read = |attempt| self.hub.facts.read_title(attempt, &title);
                    reports.extend(self.id.attempt().map(|attempt| (Source::Title, read(attempt))));
                }
                TermEvent::Bell if !past => self.hub.rang(self.id, self.pane),
                TermEvent::Notification(said) if !past => self.hub.notified(self.id, self.pane, &said),
                // Progress and folder hold until the program reports another, also over a start of the server.
                TermEvent::Progress(progress) => self.hub.progressed(self.pane, progress),
                TermEvent::Cwd { host, path } => self.hub.moved(self.pane, &host, path.into()),
                TermEvent::Clipboard(bytes) if !past => self.hub.offered(self.pane, bytes),
                TermEvent::Reply(_)
                | TermEvent::Bell
                | TermEvent::Notification(_)
                | TermEvent::Prompt(_)
                | TermEvent::Clipboard(_)
                | TermEvent::HistoryMark
                | TermEvent::EmulatorRebuilt => {}
            }
        }
        if let Some(attempt) = self.id.attempt() {
            let said = reports.iter().map(|(source, report)| (*source, report));
            self.hub.agents.observe_all(attempt, said);
        }
    }
}

/// Shows the last output of a program that has ended, as far as it was not shown yet.
pub(super) fn replay(hub: &Readers, id: &HolderId, pane: &LiveTerminal, fed: &mut OutputOffset) {
    let folder = hub.holders.folder(id);
    let shown = LogReader::open(&folder).and_then(|mut log| {
        let end = log.end()?;
        let sizes = SizeHistory::from_entries(&log.index_entries()?);
        let from = fed.from(0, end);
        fed.at = Some(end);
        sizes.replay(&mut log, &mut pane.terminal.lock(), from, end)
    });
    if let Err(error) = shown {
        tracing::warn!(%id, "could not {error}");
    }
}

/// Returns the last non-empty lines, cleaned and cut.
pub(super) fn last_lines(terminal: &mut Terminal) -> String {
    let text = terminal.text(0, terminal.size().rows.saturating_sub(1), 0);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let kept = lines.iter().skip(lines.len().saturating_sub(LAST_LINES));
    let cut = kept.map(|line| cut_chars(&sanitize(line), LONGEST_LINE).to_owned());
    cut.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_was_written_before_a_start_the_last_five_mebibytes_are_shown_again() {
        const MIB: u64 = 1024 * 1024;
        let fresh = OutputOffset::default();
        assert_eq!(fresh.from(0, 5 * MIB), 0);
        assert_eq!(fresh.from(0, 7 * MIB), 2 * MIB);
        assert_eq!(fresh.from(3 * MIB, 7 * MIB), 3 * MIB, "older bytes are gone");
        let broken_off = OutputOffset {
            at: Some(MIB),
            was_live: false,
        };
        assert_eq!(
            broken_off.from(0, 7 * MIB),
            MIB,
            "a connection goes on where it broke"
        );
    }
}
