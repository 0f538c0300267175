//! Cost of a frame while the board has ten thousand tasks and four agents flood their terminals, and cost of a letter in a search of all
//! tasks. In this process only: the part of the time of a key that grows with the board.
#![expect(clippy::disallowed_methods, reason = "measures time")]
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "what cannot be set up is no measurement"
)]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use dbs::display::{ColourDepth, Glyphs};
use dbs::domain::{AttemptId, Board, Event, Span, Workplace};
use dbs::keymap::Chord;
use dbs::read_model::ReadModel;
use dbs::term::{EmulatorKind, Size, Terminal};
use dbs::ui::{
    LiveScreen, RenderedFrame, Scene, ScreenId, ScreenRead, Screens, SessionFacts, Theme, UiInput, UiState,
    ViewCache, update,
};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::table::{Table, percentiles};
use crate::tasks::{NOW, released};

/// Size of the client's terminal.
const SIZE: (u16, u16) = (200, 50);
/// Number of agents that write without end.
const AGENTS: usize = 4;
/// Output of each agent between two frames: 16 ms of a flood of 4 MB a second.
const WRITTEN: usize = 64 * 1024;

/// Frames on each of the main tabs, then letters typed into a search.
pub(crate) fn frames(table: &mut Table) {
    let count = table.sizes.of(10_000, 2_000);
    let (frames, words) = table.sizes.of((300, 20), (30, 2));
    let mut desk = Desk::new(count);
    for (tab, name) in [("1", "first tab"), ("2", "agents"), ("3", "board")] {
        desk.press(tab);
        desk.rest();
        desk.whole();
        let whole = (0..frames).map(|_| desk.after_flood(Desk::whole)).collect();
        let what = format!("a whole frame, {name}, {count} tasks, {AGENTS} agents flooding, p50 / p99");
        table.row(what, "< 16 ms", percentiles(whole, 0), "–");
        let patched = (0..frames).map(|_| desk.after_flood(Desk::patch)).collect();
        let what = format!("what the agents wrote, {name}, p50 / p99");
        table.row(what, "< 16 ms", percentiles(patched, 0), "–");
    }
    for (key, name) in [("/", "filter"), (":", "palette")] {
        let mut times = Vec::new();
        for _ in 0..words {
            desk.press(key);
            times.extend("t-99 task number 9".chars().map(|letter| desk.letter(letter)));
            desk.press("Esc");
            desk.press("Esc");
        }
        let what = format!("a letter in the {name} with its frame, {count} tasks, p50 / p99");
        table.row(what, "< 16 ms", percentiles(times, 0), "–");
    }
    let models = (0..table.sizes.of(30, 5)).map(|_| {
        let began = Instant::now();
        std::hint::black_box(ReadModel::of(&desk.board, NOW));
        began.elapsed()
    });
    let models = percentiles(models.collect(), 0);
    table.row(
        format!("the read model of the board, {count} tasks, p50 / p99"),
        "–",
        models,
        "–",
    );
}

struct Terminals(BTreeMap<ScreenId, RefCell<Terminal>>);

impl Screens for Terminals {
    fn with(&self, id: ScreenId, read: &mut dyn FnMut(&mut dyn ScreenRead)) -> bool {
        let Some(terminal) = self.0.get(&id) else {
            return false;
        };
        read(&mut LiveScreen::new(&mut terminal.borrow_mut(), true));
        true
    }
}

/// A client of a large board.
struct Desk {
    board: Board,
    model: ReadModel,
    terminals: Terminals,
    facts: SessionFacts,
    cache: ViewCache,
    theme: Theme,
    state: UiState,
    frame: RenderedFrame,
    buffers: [Buffer; 2],
    flood: Vec<u8>,
}

impl Desk {
    fn new(count: usize) -> Desk {
        let mut board = released(count);
        let agents = start_agents(&mut board);
        let terminal = || {
            let mut terminal = Terminal::new(EmulatorKind::default(), Size::new(100, 45), 10_000);
            terminal.feed(0, &b"a line to fill the history\r\n".repeat(11_000));
            RefCell::new(terminal)
        };
        let terminals = agents.into_iter().map(|id| (ScreenId::Attempt(id), terminal()));
        let area = Rect::new(0, 0, SIZE.0, SIZE.1);
        Desk {
            model: ReadModel::of(&board, NOW),
            terminals: Terminals(terminals.collect()),
            board,
            facts: SessionFacts::default(),
            cache: ViewCache::default(),
            theme: Theme::builtin(ColourDepth::True, Glyphs::Unicode),
            state: UiState::builtin(SIZE).expect("built-in files"),
            frame: RenderedFrame::default(),
            buffers: [Buffer::empty(area), Buffer::empty(area)],
            flood: flood(),
        }
    }

    /// Runs `act` on the client's state and its scene.
    fn with<T>(&mut self, later: Span, act: impl FnOnce(&mut UiState, &Scene<'_>) -> T) -> T {
        let scene = Scene {
            model: &self.model,
            screens: &self.terminals,
            log: &[],
            cache: &self.cache,
            now: NOW + later,
            session: &self.facts,
            theme: &self.theme,
        };
        act(&mut self.state, &scene)
    }

    fn press(&mut self, key: &str) {
        let key = UiInput::Key(key.parse::<Chord>().expect("a key").event());
        self.with(Span(0), |state, scene| drop(update(state, scene, key)));
    }

    /// Waits a moment without keys, after which a digit selects a tab.
    fn rest(&mut self) {
        self.with(Span(400), |state, scene| {
            drop(update(state, scene, UiInput::Tick));
        });
    }

    /// Lets all agents write, and returns the time of drawing.
    fn after_flood(&mut self, draw: fn(&mut Desk)) -> Duration {
        for terminal in self.terminals.0.values() {
            terminal.borrow_mut().feed(0, &self.flood);
        }
        let began = Instant::now();
        draw(self);
        began.elapsed()
    }

    fn letter(&mut self, letter: char) -> Duration {
        let key = if letter == ' ' {
            "Space".to_owned()
        } else {
            letter.to_string()
        };
        let began = Instant::now();
        self.press(&key);
        self.whole();
        began.elapsed()
    }

    fn whole(&mut self) {
        self.buffers.reverse();
        let mut buffers = std::mem::take(&mut self.buffers);
        let (shown, next) = buffers.split_at_mut(1);
        let before = std::mem::take(&mut self.frame);
        self.frame = self.with(Span(0), |state, scene| {
            RenderedFrame::draw_all(&before, &shown[0], state, scene, &mut next[0])
        });
        self.buffers = buffers;
    }

    fn patch(&mut self) {
        let mut buffers = std::mem::take(&mut self.buffers);
        let mut frame = std::mem::take(&mut self.frame);
        let patched = self.with(Span(0), |state, scene| {
            frame.draw_changes(state, scene, &mut buffers[1], None)
        });
        self.frame = frame;
        self.buffers = buffers;
        if patched.is_none() {
            self.whole();
        }
    }
}

/// Runs the engine's first agents until as many as needed are at work.
fn start_agents(board: &mut Board) -> Vec<AttemptId> {
    let mut running: Vec<AttemptId> = Vec::new();
    while running.len() < AGENTS {
        let mut open = board.attempts.values().filter(|attempt| attempt.state.is_open());
        let next = open.find(|attempt| !running.contains(&attempt.id));
        let attempt = next.expect("another agent").id;
        let workplace = Workplace {
            path: format!("trees/{attempt}"),
            branch: None,
            start: None,
            start_tree: None,
            git_overrides: None,
        };
        board.apply(NOW, &Event::AttemptStarted { attempt, workplace });
        running.push(attempt);
    }
    running
}

fn flood() -> Vec<u8> {
    let mut text = String::new();
    let mut line = 0_u32;
    while text.len() < WRITTEN {
        let shade = line % 200;
        write!(
            text,
            "\x1b[38;5;{}mcompiled\x1b[0m module {line}: no warnings, 0 errors, cache hit\r\n",
            16 + shade
        )
        .expect("text");
        line += 1;
    }
    text.into_bytes()
}
