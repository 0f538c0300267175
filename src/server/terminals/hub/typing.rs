//! Typing into the terminal of an agent for a person or the engine. No text followed by Enter goes to a menu, and no key takes an entry
//! that was not meant: the screen is read before each key that takes one, and after it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::TerminalHub;
use super::pane::{LiveTerminal, OutputWatch};
use crate::adapters::agents::dialog;
use crate::adapters::agents::menu::{MenuEntry, ScreenMenu};
use crate::adapters::deadline::Deadline;
use crate::agent_state::Wait;
use crate::domain::{Ask, AskKind, AskReply, Cause};
use crate::ports::holders::{HolderId, Holders as _};
use crate::term::keys::{Key, KeyInput, Modifiers, encode_key, encode_paste};
use crate::term::{Modes, TermMode};

/// Maximum wait for a terminal that is still replaying the past.
const UNTIL_PRESENT: Duration = Duration::from_secs(5);
/// Maximum wait until a program shows the typed text; one that shows nothing of it gets Enter all the same.
const UNTIL_SHOWN: Duration = Duration::from_secs(1);
/// Time in which output that belongs together arrives. For 40 ms behind a paste Gemini CLI takes Enter for a line break.
const SETTLING: Duration = Duration::from_millis(100);
/// Number of times that Enter is typed until a tool takes it.
const MOST_ENTERS: usize = 3;
/// Number of times that a screen is looked at until it shows anything, or what a key has changed.
const MOST_LOOKS: usize = 3;
/// Number of times that a screen is looked at until it takes the reason for a no.
const MOST_WAITS: usize = 5;
/// Maximum number of keys that move the mark of a menu, including those that its tool did not take.
const MOST_MOVES: usize = 20;

/// Words of a tool that ends its turn at the second key only.
const INTERRUPT_AGAIN: &str = "esc again to interrupt";

/// The terminal of an agent, as far as typing into it needs to know it.
pub(super) trait AgentTerminal {
    /// Returns the text of its screen.
    fn screen(&self) -> String;
    fn modes(&self) -> Modes;
    /// Returns the wait that its agent is known to be in.
    fn wait(&self) -> Option<Wait>;
    fn type_bytes(&self, bytes: &[u8]) -> Result<(), Cause>;
    /// Returns the number of pieces of output that were shown so far.
    fn shown(&self) -> u64;
    /// Waits until there are more than `shown`, and they are whole; not for ever.
    fn await_more(&self, shown: u64);
}

/// Types a text and Enter, unless the agent asks something by a menu: before the text, or when Enter is to follow.
pub(super) fn type_text(terminal: &impl AgentTerminal, text: &str) -> Result<(), Cause> {
    let text: String = text.chars().filter(|c| !c.is_control() || *c == '\n').collect();
    await_first_output(terminal);
    check_takes_text(terminal, "")?;
    let (modes, shown) = (terminal.modes(), terminal.shown());
    // Codex takes a line that comes at once for one that was pasted, unless a paste is marked as one. Where it is not, a line end is Enter.
    if modes.has(TermMode::BracketedPaste) {
        terminal.type_bytes(&encode_paste(&text, &modes))?;
    } else {
        terminal.type_bytes(text.replace('\n', " ").as_bytes())?;
    }
    terminal.await_more(shown);
    check_takes_text(terminal, &text)
        .map_err(|why| Cause::from(format!("{why}; it may stand in the line of its input")))?;
    press_enter(terminal, &text)
}

/// Types the key that ends a turn, and once more where the last line of the screen asks for that, as opencode's does.
pub(super) fn interrupt(terminal: &impl AgentTerminal, type_key: impl Fn(&[u8])) {
    let escape = KeyInput::new(Key::Escape, Modifiers::empty());
    let shown = terminal.shown();
    type_key(&encode_key(&escape, &terminal.modes()));
    terminal.await_more(shown);
    let screen = terminal.screen();
    let last = screen.lines().rfind(|line| !line.trim().is_empty());
    if last.is_some_and(|line| line.contains(INTERRUPT_AGAIN)) {
        type_key(&encode_key(&escape, &terminal.modes()));
    }
}

/// Waits until the screen shows something, but not for ever: a program that reads its input may print nothing. A tool that sets up its
/// interface discards text that came before.
fn await_first_output(terminal: &impl AgentTerminal) {
    for _ in 0..MOST_LOOKS {
        let shown = terminal.shown();
        if !terminal.screen().trim().is_empty() {
            return;
        }
        terminal.await_more(shown);
    }
}

/// Types Enter after a text, and again where the screen stays as it was, with the text: Gemini CLI passes over an Enter that comes while it
/// ends a turn. A program without an interface gets one Enter only: its line stays on the screen after it was read, and another Enter would
/// be an empty answer to its next question.
fn press_enter(terminal: &impl AgentTerminal, text: &str) -> Result<(), Cause> {
    if !terminal.modes().has(TermMode::BracketedPaste) {
        return terminal.type_bytes(b"\r");
    }
    let last = text.lines().next_back().unwrap_or_default().trim();
    for _ in 0..MOST_ENTERS {
        let (shown, before) = (terminal.shown(), terminal.screen());
        terminal.type_bytes(b"\r")?;
        let is_shown = !last.is_empty() && before.contains(last);
        if !is_shown {
            return Ok(());
        }
        terminal.await_more(shown);
        if terminal.screen() != before {
            return Ok(());
        }
    }
    Err("it stands in the line of its input, and Enter does nothing: look at its terminal".into())
}

/// Refuses a text while the agent asks something by a menu. `typed` was typed just now: its lines may look like a menu.
fn check_takes_text(terminal: &impl AgentTerminal, typed: &str) -> Result<(), Cause> {
    if let Some(wait) = terminal.wait().filter(|wait| wait.kind != AskKind::Question) {
        return Err(format!("it asks something that a text does not answer ({})", wait.text).into());
    }
    let menu = ScreenMenu::read(&terminal.screen()).filter(|menu| !menu.is_text(typed));
    match menu {
        None => Ok(()),
        Some(menu) => Err(format!("its screen shows a menu ({})", labels(&menu)).into()),
    }
}

/// Gives the answer to an ask by keys, if the agent still asks that, and looks whether it was taken.
pub(super) fn give_reply(terminal: &impl AgentTerminal, ask: &Ask, reply: &AskReply) -> Result<(), Cause> {
    check_asks(terminal, ask)?;
    if let AskReply::Text(text) = reply {
        return type_text(terminal, text);
    }
    let Some((menu, before)) = shown_menu(terminal) else {
        return Err("its screen shows no choices that could be read: answer it in its terminal".into());
    };
    match reply {
        AskReply::Deny(_) => press(terminal, Key::Escape)?,
        AskReply::Allow => say_yes(terminal, &menu, false)?,
        AskReply::AllowAlways => say_yes(terminal, &menu, true)?,
        AskReply::Choose(number) => {
            let entry = Some(&menu).filter(|menu| menu.options() == ask.options);
            match entry.and_then(|menu| menu.entries.get(*number)) {
                // A digit only moves the mark of some dialogs.
                Some(entry) if ask.kind == AskKind::Dialog => take_marked(terminal, entry)?,
                Some(entry) => choose(terminal, entry)?,
                None => return Err("its screen shows other entries by now".into()),
            }
        }
        AskReply::Text(_) => {}
    }
    if !is_taken(terminal, &before) {
        return Err("its menu still stands, so the key was not taken: answer it in its terminal".into());
    }
    match reply {
        AskReply::Deny(why) if !why.is_empty() => tell_why(terminal, why),
        _ => Ok(()),
    }
}

/// Returns the menu on the screen, with its text. A tool may report that it asks a moment before it shows it.
fn shown_menu(terminal: &impl AgentTerminal) -> Option<(ScreenMenu, String)> {
    for _ in 0..MOST_LOOKS {
        let (shown, screen) = (terminal.shown(), terminal.screen());
        if let (Some(menu), Some(text)) = (ScreenMenu::read(&screen), ScreenMenu::text(&screen)) {
            return Some((menu, text));
        }
        terminal.await_more(shown);
    }
    None
}

/// Returns true once the menu with that text is gone.
fn is_taken(terminal: &impl AgentTerminal, before: &str) -> bool {
    for _ in 0..MOST_LOOKS {
        let shown = terminal.shown();
        if ScreenMenu::text(&terminal.screen()).as_deref() != Some(before) {
            return true;
        }
        terminal.await_more(shown);
    }
    false
}

/// Types the reason for a no as the next prompt: the tool has ended its turn without one. Text that comes while it does so may be lost.
fn tell_why(terminal: &impl AgentTerminal, why: &str) -> Result<(), Cause> {
    for _ in 0..MOST_WAITS {
        let shown = terminal.shown();
        terminal.await_more(shown);
        if terminal.shown() == shown && check_takes_text(terminal, "").is_ok() {
            break;
        }
    }
    type_text(terminal, why).map_err(|problem| problem.after("it took the no but not the reason: "))
}

/// Refuses an answer where the agent is known to ask something else by now.
fn check_asks(terminal: &impl AgentTerminal, ask: &Ask) -> Result<(), Cause> {
    let Some(wait) = terminal.wait() else {
        return Ok(());
    };
    let kind = match wait.kind {
        AskKind::Plan => AskKind::Permission,
        kind => kind,
    };
    // The board keeps the first part of a long text.
    if kind == ask.kind && (wait.text.starts_with(&ask.text) || shows_dialog(terminal, ask)) {
        return Ok(());
    }
    Err("it asks something else by now".into())
}

/// Returns true if the screen shows that dialog, whatever its tool calls it: a report that comes a moment after the screen was read has words
/// of its own.
fn shows_dialog(terminal: &impl AgentTerminal, ask: &Ask) -> bool {
    let shown = dialog::at_rest(&terminal.screen());
    ask.kind == AskKind::Dialog && shown.is_some_and(|text| text.starts_with(&ask.text))
}

/// Takes the entry of the menu for a yes, once or lasting.
fn say_yes(terminal: &impl AgentTerminal, menu: &ScreenMenu, is_lasting: bool) -> Result<(), Cause> {
    match menu.yes(is_lasting).and_then(|at| menu.entries.get(at)) {
        Some(entry) => choose(terminal, entry),
        None => Err(format!(
            "no entry of its menu says yes ({}): answer it in its terminal",
            labels(menu)
        )
        .into()),
    }
}

/// Takes an entry of the menu by its digit, or by moving the mark to it.
fn choose(terminal: &impl AgentTerminal, entry: &MenuEntry) -> Result<(), Cause> {
    let digit = entry.number.filter(|number| *number < 10);
    match digit.and_then(|number| char::from_digit(number, 10)) {
        Some(digit) => press(terminal, Key::Char(digit)),
        None => take_marked(terminal, entry),
    }
}

/// Moves the mark of the menu to an entry, and presses Enter once it is there. A key that was typed in vain may still come: a busy tool
/// takes it later, and at the end of a menu the mark goes on to the other end.
fn take_marked(terminal: &impl AgentTerminal, entry: &MenuEntry) -> Result<(), Cause> {
    let mut unseen = 0_usize;
    for _ in 0..MOST_MOVES {
        let (menu, place) = menu_with(terminal, entry)?;
        let Some(marked) = menu.marked else {
            return Err("its screen does not show which entry is marked: answer it in its terminal".into());
        };
        let patience = if place == marked { MOST_WAITS } else { MOST_LOOKS };
        if unseen > 0 && wait_for_move(terminal, marked, patience) {
            unseen -= 1;
        } else if place == marked {
            return press(terminal, Key::Enter);
        } else {
            press(terminal, key_towards(&menu, place > marked))?;
            unseen += usize::from(!wait_for_move(terminal, marked, 1));
        }
    }
    Err(format!("the mark of its menu did not come to {}", entry.label).into())
}

/// Returns the menu on the screen, and the place of an entry in it.
fn menu_with(terminal: &impl AgentTerminal, entry: &MenuEntry) -> Result<(ScreenMenu, usize), Cause> {
    let menu = ScreenMenu::read(&terminal.screen());
    let found = menu.and_then(|menu| {
        let place = menu.entries.iter().position(|other| other == entry)?;
        Some((menu, place))
    });
    found.ok_or_else(|| "its screen shows other entries by now".into())
}

/// Returns true once the mark is no longer at that place.
fn wait_for_move(terminal: &impl AgentTerminal, from: usize, most: usize) -> bool {
    for _ in 0..most {
        let shown = terminal.shown();
        terminal.await_more(shown);
        if ScreenMenu::read(&terminal.screen()).is_none_or(|menu| menu.marked != Some(from)) {
            return true;
        }
    }
    false
}

/// Returns the key that moves the mark of a menu to the next entry, or to the one before.
fn key_towards(menu: &ScreenMenu, next: bool) -> Key {
    match (menu.is_in_row, next) {
        (false, true) => Key::Down,
        (false, false) => Key::Up,
        (true, true) => Key::Right,
        (true, false) => Key::Left,
    }
}

fn press(terminal: &impl AgentTerminal, key: Key) -> Result<(), Cause> {
    let key = KeyInput::new(key, Modifiers::empty());
    terminal.type_bytes(&encode_key(&key, &terminal.modes()))
}

fn labels(menu: &ScreenMenu) -> String {
    let labels: Vec<&str> = menu.entries.iter().map(|entry| entry.label.as_str()).collect();
    labels.join("; ")
}

/// A live terminal that is typed into. Its output comes at once meanwhile, as if a person looked at it.
pub(super) struct TypingTerminal<'a> {
    hub: &'a TerminalHub,
    id: &'a HolderId,
    pane: Arc<LiveTerminal>,
    _watch: OutputWatch,
}

impl<'a> TypingTerminal<'a> {
    /// Opens the terminal of that id, once it shows the present.
    pub(super) fn open(hub: &'a TerminalHub, id: &'a HolderId) -> Result<TypingTerminal<'a>, Cause> {
        let pane = hub.terminal(id).ok_or("its terminal is not here")?;
        let watch = OutputWatch::begin(Arc::clone(&pane));
        let deadline = Deadline::after(UNTIL_PRESENT);
        while !pane.caught_up.load(Ordering::Acquire) {
            if deadline.is_over() {
                return Err("the contents of its terminal are not known yet".into());
            }
            deadline.sleep();
        }
        // The output that its holder collected while it was not looked at.
        deadline.sleep_for(SETTLING);
        Ok(TypingTerminal {
            hub,
            id,
            pane,
            _watch: watch,
        })
    }
}

impl AgentTerminal for TypingTerminal<'_> {
    fn screen(&self) -> String {
        self.pane.screen_text()
    }

    fn modes(&self) -> Modes {
        *self.pane.terminal.lock().modes()
    }

    fn wait(&self) -> Option<Wait> {
        let attempt = self.id.attempt()?;
        let readers = &self.hub.0.readers;
        // The screen is newer than the last look at it.
        let screen = |_| Some(self.screen());
        readers.agents.look_at(&[attempt], &*readers.facts, &screen);
        readers.agents.wait(attempt)
    }

    fn type_bytes(&self, bytes: &[u8]) -> Result<(), Cause> {
        let sent = self.hub.0.readers.holders.send(self.id, bytes);
        sent.map_err(|error| Cause::from(error.to_string()))
    }

    fn shown(&self) -> u64 {
        self.pane.shown.load(Ordering::Acquire)
    }

    fn await_more(&self, shown: u64) {
        let deadline = Deadline::after(UNTIL_SHOWN);
        while self.shown() <= shown && !deadline.is_over() {
            deadline.sleep();
        }
        deadline.sleep_for(SETTLING);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::path::PathBuf;

    use proptest::prelude::*;

    use super::*;
    use crate::domain::AskChannel;
    use crate::server::terminals::hub::screen_text;
    use crate::term::{EmulatorKind, Size, Terminal};

    const PROJECT: &str = concat!(
        "Yes, and always allow access to /",
        "home/user/project/p1 from this project"
    );
    const AUTO: &str = "Yes, and switch to auto mode · auto mode handles these prompts for you";
    const PREFIX: &str = concat!(
        "Yes, and don't ask again for commands that start with `touch /",
        "home/u/out1.txt` (p)"
    );
    const CODEX_NO: &str = "No, and tell Codex what to do differently (esc)";
    const ROW: [&str; 3] = ["Allow once", "Allow always", "Reject"];
    const QUESTION: [&str; 4] = ["SQLite", "Postgres", "Type something.", "Chat about this"];

    /// A dialog as a person sees it: if it was recorded, what it asks for, its entries, and the one that a yes means.
    struct Dialog {
        screen: String,
        kind: AskKind,
        entries: Vec<&'static str>,
        yes: Option<usize>,
        lasting: Option<usize>,
    }

    /// The screen of a recorded session at that second.
    fn recorded(name: &str, second: f64) -> String {
        let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "data", "term", "casts", name]
            .iter()
            .collect();
        let text = std::fs::read_to_string(path).unwrap();
        let mut lines = text
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let header = lines.next().unwrap();
        let side = |key: &str| u16::try_from(header[key].as_u64().unwrap()).unwrap();
        let mut terminal = Terminal::new(
            EmulatorKind::default(),
            Size::new(side("width"), side("height")),
            10,
        );
        for event in lines.filter(|event| event[1] == "o") {
            if event[0].as_f64().unwrap() <= second {
                drop(terminal.feed(0, event[2].as_str().unwrap().as_bytes()));
            }
        }
        let last = terminal.size().rows - 1;
        terminal.text(0, last, 0)
    }

    /// A screen that was recorded with its colours, as those read it who look for menus.
    fn coloured(name: &str) -> String {
        let path: PathBuf = [
            env!("CARGO_MANIFEST_DIR"),
            "tests",
            "data",
            "agents",
            "screens",
            name,
        ]
        .iter()
        .collect();
        let text = std::fs::read_to_string(path).unwrap().replace('\n', "\r\n");
        let mut terminal = Terminal::new(EmulatorKind::default(), Size::new(90, 26), 10);
        drop(terminal.feed(0, text.trim_end().as_bytes()));
        screen_text::read(&mut terminal)
    }

    fn dialogs() -> Vec<Dialog> {
        let permission = |screen, entries: &[&'static str]| Dialog {
            screen,
            kind: AskKind::Permission,
            entries: entries.to_vec(),
            yes: Some(0),
            lasting: Some(1),
        };
        let other = |screen: String, kind, entries: &[&'static str]| Dialog {
            screen,
            kind,
            entries: entries.to_vec(),
            yes: None,
            lasting: None,
        };
        let claude = ["Yes", PROJECT, AUTO, "No"];
        let key = "────\n  Detected a custom API key in your environment\n\n  Do you want to use this API key?\n\n    Yes\n  ❯ No (recommended)\n\n  Enter to confirm · Esc to cancel\n".to_owned();
        let demo = "  Working\n╭────────╮\n│ Run the check? │\n│ ❯ 1. Yes │\n│   2. No, commit without it │\n│ y · n · 1-9 · Enter │\n╰────────╯";
        let sign_in = "╭─────╮\n│ Sign in with ChatGPT │\n│ › 1. Yes │\n│   2. No │\n│ Press Enter to continue │\n╰─────╯";
        vec![
            permission(recorded("permission_prompt_osc7501.cast", 3.5), &claude),
            permission(recorded("inline_renderer_permission_resize.cast", 2.0), &claude),
            permission(recorded("no_query_replies_title_only.cast", 2.9), &claude),
            permission(
                recorded("tui_approval.cast", 2.3),
                &["Yes, proceed (y)", PREFIX, CODEX_NO],
            ),
            permission(
                recorded("tui_action_required.cast", 20.0),
                &[
                    "Allow once",
                    "Allow for this session",
                    "No, suggest changes (esc)",
                ],
            ),
            permission(coloured("opencode_permission.ansi"), &ROW),
            permission(coloured("opencode_permission_always_marked.ansi"), &ROW),
            Dialog {
                lasting: Some(0),
                ..permission(coloured("opencode_always_allow.ansi"), &["Confirm", "Cancel"])
            },
            Dialog {
                lasting: Some(0),
                ..permission(demo.to_owned(), &["Yes", "No, commit without it"])
            },
            other(
                recorded("subagent_and_question_osc7501.cast", 7.0),
                AskKind::Question,
                &QUESTION,
            ),
            other(
                recorded("trust_dialog.cast", 2.9),
                AskKind::Dialog,
                &["No, exit", "Yes, I trust this folder"],
            ),
            other(key, AskKind::Dialog, &["Yes", "No (recommended)"]),
            other(sign_in.to_owned(), AskKind::Dialog, &["Yes", "No"]),
        ]
    }

    /// A tool that shows a dialog and takes keys as its menu does. What is pasted it takes for keys, too: the worst it could do.
    struct Tool {
        screen: RefCell<String>,
        entries: Vec<&'static str>,
        marked: Cell<usize>,
        /// Keys that its menu does not take, as in the first moment after it was drawn.
        deaf: Cell<usize>,
        /// Waits for its output after which it takes the keys that were typed meanwhile, one after the other.
        busy: Cell<usize>,
        waiting: RefCell<Vec<Vec<u8>>>,
        wait: RefCell<Option<Wait>>,
        /// True if keys do nothing to the menu but move its mark.
        is_stuck: bool,
        /// True once the dialog is gone: what comes then is typed into the line of the input.
        is_over: Cell<bool>,
        chosen: RefCell<Vec<String>>,
        typed: RefCell<Vec<u8>>,
        /// The dialog that comes up while something is typed.
        next: RefCell<Option<Dialog>>,
    }

    impl Tool {
        fn of(dialog: &Dialog) -> Tool {
            let line = |line: &str| MARKED.iter().any(|mark| line.contains(&format!("{mark} ")));
            let label = |label: &&&str| {
                let beside = format!("❯{label}");
                let mut rows = dialog.screen.lines();
                rows.any(|row| (line(row) && row.contains(**label)) || row.contains(&beside))
            };
            let marked = dialog
                .entries
                .iter()
                .filter(label)
                .max_by_key(|label| label.len());
            Tool {
                screen: RefCell::new(dialog.screen.clone()),
                marked: Cell::new(
                    dialog
                        .entries
                        .iter()
                        .position(|entry| Some(&entry) == marked.as_ref())
                        .unwrap(),
                ),
                entries: dialog.entries.clone(),
                deaf: Cell::new(0),
                busy: Cell::new(0),
                waiting: RefCell::default(),
                wait: RefCell::new(Some(Wait::new(dialog.kind, "what"))),
                is_stuck: false,
                is_over: Cell::new(false),
                chosen: RefCell::default(),
                typed: RefCell::default(),
                next: RefCell::new(None),
            }
        }

        /// A tool that shows the line that one types in, and the dialog as soon as a key arrives.
        fn before(dialog: Dialog) -> Tool {
            let idle = Dialog {
                screen: "● Done.\n────\n❯ 1. typed\n────".to_owned(),
                kind: AskKind::Question,
                entries: vec!["1. typed"],
                yes: None,
                lasting: None,
            };
            Tool {
                wait: RefCell::default(),
                next: RefCell::new(Some(dialog)),
                ..Tool::of(&idle)
            }
        }

        fn ask(&self, kind: AskKind) -> Ask {
            let menu = ScreenMenu::read(&self.screen())
                .map(|menu| menu.options())
                .unwrap_or_default();
            Ask {
                id: "k".into(),
                kind,
                text: "what".to_owned(),
                options: if kind.has_entries() { menu } else { Vec::new() },
                channel: if kind == AskKind::Dialog {
                    AskChannel::Terminal
                } else {
                    AskChannel::Keys
                },
            }
        }

        fn choose(&self, at: usize) {
            if let Some(entry) = self.entries.get(at) {
                self.chosen.borrow_mut().push((*entry).to_owned());
                self.go_on();
            }
        }

        fn go_on(&self) {
            if !self.is_stuck {
                "● Done.\n────\n❯ \n────".clone_into(&mut self.screen.borrow_mut());
                *self.wait.borrow_mut() = None;
                self.is_over.set(true);
            }
        }

        fn mark(&self, at: usize) {
            if self.deaf.get() > 0 {
                self.deaf.set(self.deaf.get() - 1);
                return;
            }
            let (from, to) = (self.entries[self.marked.get()], self.entries[at]);
            let mut rows: Vec<Vec<char>> = self
                .screen
                .borrow()
                .lines()
                .map(|row| row.chars().collect())
                .collect();
            let row_of = |rows: &[Vec<char>], label: &str| {
                let holds = |row: &Vec<char>| row.iter().collect::<String>().contains(label);
                rows.iter().rposition(holds).unwrap()
            };
            let (old, new) = (row_of(&rows, from), row_of(&rows, to));
            let place = rows[old].iter().position(|c| MARKED.contains(c)).unwrap();
            let sign = std::mem::replace(&mut rows[old][place], ' ');
            let text: String = rows[new].iter().collect();
            let before = text
                .find(to)
                .and_then(|at| text.get(..at))
                .unwrap()
                .chars()
                .count();
            rows[new][if old == new { before - 1 } else { place }] = sign;
            let rows: Vec<String> = rows.into_iter().map(|row| row.into_iter().collect()).collect();
            *self.screen.borrow_mut() = rows.join("\n");
            self.marked.set(at);
        }
    }

    const MARKED: [char; 3] = ['❯', '›', '●'];

    impl AgentTerminal for Tool {
        fn screen(&self) -> String {
            self.screen.borrow().clone()
        }

        fn modes(&self) -> Modes {
            Modes::default()
        }

        fn wait(&self) -> Option<Wait> {
            self.wait.borrow().clone()
        }

        fn type_bytes(&self, bytes: &[u8]) -> Result<(), Cause> {
            self.typed.borrow_mut().extend(bytes);
            if let Some(dialog) = self.next.borrow_mut().take() {
                *self.screen.borrow_mut() = dialog.screen;
                return Ok(());
            }
            if self.is_over.get() {
                return Ok(());
            }
            if self.busy.get() > 0 {
                self.waiting.borrow_mut().push(bytes.to_vec());
                return Ok(());
            }
            self.take(bytes);
            Ok(())
        }

        fn shown(&self) -> u64 {
            0
        }

        fn await_more(&self, _shown: u64) {
            self.busy.set(self.busy.get().saturating_sub(1));
            if self.busy.get() == 0 && !self.waiting.borrow().is_empty() {
                let next = self.waiting.borrow_mut().remove(0);
                // It takes one key at a time.
                self.busy.set(usize::from(!self.waiting.borrow().is_empty()));
                self.take(&next);
            }
        }
    }

    impl Tool {
        fn take(&self, bytes: &[u8]) {
            match bytes {
                b"\x1b[B" | b"\x1b[C" => self.mark((self.marked.get() + 1) % self.entries.len()),
                b"\x1b[A" | b"\x1b[D" => self.mark(self.marked.get().saturating_sub(1)),
                b"\x1b" => self.go_on(),
                keys => {
                    for key in keys {
                        match key {
                            b'1'..=b'9' => self.choose(usize::from(key - b'1')),
                            b'\r' | b'\n' => self.choose(self.marked.get()),
                            _ => {}
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn every_recorded_dialog_is_read_with_its_entries() {
        for dialog in dialogs() {
            let menu = ScreenMenu::read(&dialog.screen).unwrap_or_else(|| panic!("{}", dialog.screen));
            assert_eq!(menu.options(), dialog.entries, "{}", dialog.screen);
            assert_eq!(
                menu.marked,
                Some(Tool::of(&dialog).marked.get()),
                "{}",
                dialog.screen
            );
        }
    }

    #[test]
    fn a_yes_takes_the_entry_that_says_so_and_a_no_takes_none() {
        for dialog in dialogs()
            .iter()
            .filter(|dialog| dialog.kind == AskKind::Permission)
        {
            for (reply, wanted) in [
                (AskReply::Allow, dialog.yes),
                (AskReply::AllowAlways, dialog.lasting),
                (AskReply::Deny("no".to_owned()), None),
            ] {
                let tool = Tool::of(dialog);
                give_reply(&tool, &tool.ask(dialog.kind), &reply).unwrap();
                let wanted: Vec<&str> = wanted.map(|at| dialog.entries[at]).into_iter().collect();
                assert_eq!(*tool.chosen.borrow(), wanted, "{reply:?} {}", dialog.screen);
            }
        }
    }

    #[test]
    fn the_reason_for_a_no_is_the_next_prompt() {
        for dialog in dialogs()
            .iter()
            .filter(|dialog| dialog.kind == AskKind::Permission)
        {
            let tool = Tool::of(dialog);
            let no = AskReply::Deny("use make".to_owned());
            give_reply(&tool, &tool.ask(dialog.kind), &no).unwrap();
            assert_eq!(*tool.typed.borrow(), b"\x1buse make\r");
        }
    }

    #[test]
    fn a_key_that_does_nothing_is_no_answer() {
        for dialog in dialogs() {
            let tool = Tool {
                is_stuck: true,
                ..Tool::of(&dialog)
            };
            let replies = match dialog.kind {
                AskKind::Permission => vec![AskReply::Allow, AskReply::Deny("no".to_owned())],
                _ => vec![AskReply::Choose(1)],
            };
            for reply in replies {
                let why = give_reply(&tool, &tool.ask(dialog.kind), &reply).unwrap_err();
                assert!(why.text.contains("not taken"), "{why}");
            }
        }
    }

    #[test]
    fn a_yes_is_not_typed_where_no_choices_are_read() {
        let tool = Tool::of(&Dialog {
            screen: "● Done.\n────\n❯ typed\n────".to_owned(),
            kind: AskKind::Permission,
            entries: vec!["typed"],
            yes: None,
            lasting: None,
        });
        let why = give_reply(&tool, &tool.ask(AskKind::Permission), &AskReply::Allow).unwrap_err();
        assert!(why.text.contains("no choices"), "{why}");
        assert!(tool.typed.borrow().is_empty());
    }

    #[test]
    fn a_turn_is_interrupted_by_a_second_key_only_where_the_last_line_asks_for_it() {
        for (screen, keys) in [
            ("I work.\n ⬝⬝⬝ esc again to interrupt      ctrl+p commands\n\n", 2),
            ("They say: esc again to interrupt\n────\n❯ \n────", 1),
            ("", 1),
        ] {
            let tool = Tool::of(&Dialog {
                screen: format!("❯ typed\n{screen}"),
                kind: AskKind::Question,
                entries: vec!["typed"],
                yes: None,
                lasting: None,
            });
            let typed = RefCell::new(Vec::new());
            interrupt(&tool, |key| typed.borrow_mut().extend_from_slice(key));
            assert_eq!(*typed.borrow(), b"\x1b".repeat(keys), "{screen}");
        }
    }

    /// A line of input that passes over as many Enters. Text that comes while its screen is blank is lost.
    struct Input {
        modes: Modes,
        /// Number of waits for output until it shows its line.
        blank: Cell<usize>,
        deaf: Cell<usize>,
        typed: RefCell<String>,
        sent: RefCell<Vec<String>>,
    }

    impl AgentTerminal for Input {
        fn screen(&self) -> String {
            if self.blank.get() > 0 {
                return " \n".to_owned();
            }
            format!("● Cancelled.\n────\n> {}\n────", self.typed.borrow())
        }

        fn modes(&self) -> Modes {
            self.modes
        }

        fn wait(&self) -> Option<Wait> {
            None
        }

        fn type_bytes(&self, bytes: &[u8]) -> Result<(), Cause> {
            if self.blank.get() > 0 {
                return Ok(());
            }
            match (bytes, self.deaf.get()) {
                (b"\r", 0) => self.sent.borrow_mut().push(self.typed.take()),
                (b"\r", deaf) => self.deaf.set(deaf - 1),
                (text, _) => {
                    let text = String::from_utf8_lossy(text).replace("\u{1b}[200~", "");
                    self.typed.borrow_mut().push_str(&text.replace("\u{1b}[201~", ""));
                }
            }
            Ok(())
        }

        fn shown(&self) -> u64 {
            0
        }

        fn await_more(&self, _shown: u64) {
            self.blank.set(self.blank.get().saturating_sub(1));
        }
    }

    fn input(has_interface: bool, deaf: usize) -> Input {
        let mut modes = Modes::default();
        modes.set(TermMode::BracketedPaste, has_interface);
        Input {
            modes,
            blank: Cell::new(0),
            deaf: Cell::new(deaf),
            typed: RefCell::default(),
            sent: RefCell::default(),
        }
    }

    #[test]
    fn a_program_without_an_interface_gets_one_enter_although_the_line_stays_on_its_screen() {
        let program = input(false, 1);
        type_text(&program, "use make").unwrap();
        assert_eq!(program.deaf.get(), 0);
        assert!(program.sent.borrow().is_empty());
    }

    #[test]
    fn a_text_waits_for_the_first_output_of_a_tool_that_starts() {
        let tool = input(true, 0);
        tool.blank.set(MOST_LOOKS);
        type_text(&tool, "use make").unwrap();
        assert_eq!(*tool.sent.borrow(), ["use make"]);
    }

    #[test]
    fn an_enter_that_a_tool_passes_over_is_typed_again_while_the_text_stands_there() {
        for deaf in [0, 2] {
            let tool = input(true, deaf);
            type_text(&tool, "use make").unwrap();
            assert_eq!(*tool.sent.borrow(), ["use make"]);
        }
        let tool = input(true, usize::MAX);
        let why = type_text(&tool, "use make").unwrap_err();
        assert!(why.text.contains("Enter does nothing"), "{why}");
    }

    #[test]
    fn an_entry_is_not_taken_where_nothing_shows_which_one_is_marked() {
        let screen = coloured("opencode_permission.ansi").replace('❯', " ");
        let tool = Tool::of(&Dialog {
            screen: format!("❯ x\n{screen}"),
            kind: AskKind::Permission,
            entries: vec!["x"],
            yes: None,
            lasting: None,
        });
        let why = give_reply(&tool, &tool.ask(AskKind::Permission), &AskReply::Allow).unwrap_err();
        assert!(why.text.contains("which entry is marked"), "{why}");
        assert!(tool.typed.borrow().is_empty());
    }

    #[test]
    fn an_entry_of_a_question_without_a_mark_is_chosen_by_its_number() {
        let asks = || {
            Tool::of(&Dialog {
                screen: format!("❯ x\n{}", coloured("opencode_question.txt")),
                kind: AskKind::Question,
                entries: vec!["x", "Postgres"],
                yes: None,
                lasting: None,
            })
        };
        let tool = asks();
        let ask = tool.ask(AskKind::Question);
        assert_eq!(ask.options, ["SQLite", "Postgres", "Type your own answer"]);
        give_reply(&tool, &ask, &AskReply::Choose(1)).unwrap();
        assert_eq!(*tool.typed.borrow(), b"2");
        let tool = asks();
        let why = give_reply(&tool, &ask, &AskReply::Text("Mongo".to_owned())).unwrap_err();
        assert!(why.text.contains("shows a menu"), "{why}");
        assert!(tool.typed.borrow().is_empty());
    }

    #[test]
    fn the_yes_of_a_menu_without_numbers_is_taken_although_the_no_is_marked() {
        let screen = "● Auto mode can't check actions\n\n  Allow it?\n\n  ❯ No\n    Yes\n";
        let dialog = Dialog {
            screen: screen.to_owned(),
            kind: AskKind::Permission,
            entries: vec!["No", "Yes"],
            yes: Some(1),
            lasting: None,
        };
        let tool = Tool::of(&dialog);
        give_reply(&tool, &tool.ask(AskKind::Permission), &AskReply::Allow).unwrap();
        assert_eq!(*tool.chosen.borrow(), ["Yes"]);
    }

    #[test]
    fn the_mark_is_moved_to_an_entry_without_a_number_however_late_the_tool_listens() {
        let all = dialogs();
        let trust = all.iter().find(|dialog| dialog.entries[0] == "No, exit").unwrap();
        for deaf in [0, 3] {
            let tool = Tool::of(trust);
            tool.deaf.set(deaf);
            let ask = tool.ask(AskKind::Dialog);
            let yes = ask.only_yes().unwrap();
            give_reply(&tool, &ask, &AskReply::Choose(yes)).unwrap();
            assert_eq!(*tool.chosen.borrow(), ["Yes, I trust this folder"]);
        }
        let tool = Tool::of(trust);
        tool.deaf.set(usize::MAX);
        let ask = tool.ask(AskKind::Dialog);
        let why = give_reply(&tool, &ask, &AskReply::Choose(1)).unwrap_err();
        assert!(why.text.contains("did not come to Yes"), "{why}");
        assert!(tool.chosen.borrow().is_empty());
    }

    #[test]
    fn a_busy_tool_that_takes_keys_late_is_not_given_the_entry_behind_the_one_that_was_meant() {
        let all = dialogs();
        let trust = all.iter().find(|dialog| dialog.entries[0] == "No, exit").unwrap();
        for busy in 0..8 {
            let tool = Tool::of(trust);
            tool.busy.set(busy);
            let ask = tool.ask(AskKind::Dialog);
            let given = give_reply(&tool, &ask, &AskReply::Choose(1));
            for _ in 0..MOST_MOVES {
                tool.await_more(0);
            }
            assert_eq!(
                *tool.chosen.borrow(),
                ["Yes, I trust this folder"],
                "{busy}: {given:?}"
            );
        }
    }

    #[test]
    fn an_answer_to_the_dialog_on_the_screen_is_given_although_its_tool_has_named_it_in_other_words_since() {
        let all = dialogs();
        let trust = all.iter().find(|dialog| dialog.entries[0] == "No, exit").unwrap();
        let answered = |text: &str| {
            let tool = Tool::of(trust);
            *tool.wait.borrow_mut() = Some(Wait::new(AskKind::Dialog, "trust this folder"));
            let ask = Ask {
                text: text.to_owned(),
                ..tool.ask(AskKind::Dialog)
            };
            give_reply(&tool, &ask, &AskReply::Choose(1)).is_ok()
        };
        let shown = dialog::at_rest(&trust.screen).unwrap();
        assert!(answered(&shown), "{shown}");
        assert!(!answered("Detected a custom API key in your environment"));
    }

    #[test]
    fn an_answer_to_what_the_screen_no_longer_shows_is_not_typed() {
        let all = dialogs();
        for dialog in &all {
            for before in &all {
                let tool = Tool::of(dialog);
                let stale = Tool::of(before).ask(AskKind::Dialog);
                let same = stale.options == dialog.entries;
                let given = give_reply(&tool, &stale, &AskReply::Choose(0));
                assert_eq!(given.is_ok(), same && dialog.kind == AskKind::Dialog, "{given:?}");
                let other = Ask {
                    text: "something else".to_owned(),
                    ..tool.ask(dialog.kind)
                };
                assert!(give_reply(&tool, &other, &AskReply::Allow).is_err());
            }
        }
    }

    #[test]
    fn a_dialog_that_comes_up_while_a_text_is_typed_gets_no_enter() {
        for dialog in dialogs() {
            let tool = Tool::before(dialog);
            let why = type_text(&tool, "no, never").unwrap_err();
            assert!(
                why.text.contains("shows a menu") && why.text.contains("line of its input"),
                "{why}"
            );
            assert_eq!(*tool.typed.borrow(), b"no, never");
        }
    }

    #[test]
    fn a_text_that_looks_like_a_menu_itself_is_typed() {
        let idle = Dialog {
            screen: "● Done.\n────\n❯ \n────".to_owned(),
            kind: AskKind::Question,
            entries: vec![""],
            yes: None,
            lasting: None,
        };
        let echoed = Dialog {
            screen: "● Done.\n────\n❯ 1. Use tabs everywhere\n  2. Keep the\n────".to_owned(),
            ..idle
        };
        let tool = Tool::before(echoed);
        type_text(&tool, "1. Use tabs everywhere\n2. Keep the names").unwrap();
        assert!(tool.typed.borrow().ends_with(b"\r"));
    }

    fn any_words() -> impl Strategy<Value = String> {
        let labels: Vec<String> = dialogs()
            .iter()
            .flat_map(|dialog| dialog.entries.clone())
            .map(str::to_owned)
            .collect();
        let part = (prop::sample::select(labels.clone()), 0..12usize);
        prop_oneof![
            "[0-9]{1,2}\\.?",
            prop::sample::select(labels),
            part.prop_map(|(label, length)| label.chars().take(length).collect()),
            "[a-z0-9 ,.]{0,12}",
            Just("no, never".to_owned()),
        ]
    }

    proptest! {
        #[test]
        fn no_words_typed_to_a_recorded_dialog_choose_an_entry_that_they_do_not_name(words in any_words()) {
            for dialog in dialogs() {
                let tool = Tool::of(&dialog);
                prop_assert!(type_text(&tool, &words).is_err(), "{}", dialog.screen);
                prop_assert!(tool.typed.borrow().is_empty(), "{}", dialog.screen);
                let ask = tool.ask(dialog.kind);
                let Some(reply) = AskReply::from_words(&ask, &words) else { continue };
                give_reply(&tool, &ask, &reply).ok();
                let words = words.trim().to_lowercase();
                for chosen in tool.chosen.borrow().iter() {
                    let at = dialog.entries.iter().position(|entry| entry == chosen).unwrap();
                    let number = words.trim_end_matches('.').parse::<usize>().ok();
                    let is_named = number == Some(at + 1) || chosen.to_lowercase().starts_with(&words);
                    prop_assert!(is_named && !words.is_empty(), "{words:?} chose {chosen:?}");
                }
            }
        }
    }
}
