//! The picture of the README shows the demo, and is drawn anew and compared: a scripted run of the demo, whose agents really play in their
//! terminals, as the real interface shows it.

#[path = "picture/agents.rs"]
mod agents;
#[path = "picture/moving.rs"]
mod moving;
#[path = "picture/run.rs"]
mod run;
#[path = "picture/svg.rs"]
mod svg;

use std::path::Path;

use dbs::display::{ColourDepth, Glyphs, LeaveEffect, NextSteps};
use dbs::domain::{Span, Timestamp};
use dbs::keymap::Chord;
use dbs::read_model::ReadModel;
use dbs::ui::{
    RenderedLayout, Scene, ScreenId, SessionFacts, SessionKind, Theme, UiInput, UiState, ViewCache, update,
    view,
};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::docs::is_rewrite_wished;
use crate::fixture::text;
use agents::{Terminals, Worktrees, written_by};
use run::Run;

/// Start of the demo: any day, ten past nine in the morning.
const BEGAN: Timestamp = Timestamp(1_790_154_600_000);
/// Age of the demo in the picture: one of its agents asks something, others wait for their turn.
const AFTER: Span = Span(12_000);
const SIZE: (u16, u16) = (142, 31);
/// Keys pressed before the picture is drawn: the tab of the board.
const KEYS: &str = "3";
const ABOUT: &str = "The screen of dbs in its demo, after twelve seconds: at the left the board with twelve tasks by stage, most of them with an \
                     agent at work; at the right the task knot-3 and the terminal of its agent, which asks whether it may run a check.";

/// A client of the demo.
struct Dashboard {
    demo: Run,
    model: ReadModel,
    terminals: Terminals,
    facts: SessionFacts,
    cache: ViewCache,
    theme: Theme,
    state: UiState,
}

impl Dashboard {
    /// Returns a client of a demo that has run for that long.
    fn new(after: Span) -> Dashboard {
        let demo = Run::of_demo(BEGAN, after);
        let mut state = UiState::builtin(SIZE).expect("built-in files");
        for pane in state.unopened_shells() {
            state.shell_opened(pane, 1);
        }
        Dashboard {
            model: ReadModel::of(&demo.board, demo.now),
            terminals: Terminals::default(),
            facts: SessionFacts {
                project: "project".to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                kind: SessionKind::Rehearsal,
                on_leave: LeaveEffect::EndsAndDeletes,
                next_steps: NextSteps::Tasks,
                started: BEGAN,
                utc_offset: 0,
                notice: None,
            },
            cache: ViewCache::default(),
            theme: Theme::builtin(ColourDepth::True, Glyphs::Unicode),
            state,
            demo,
        }
    }

    fn scene(&self) -> Scene<'_> {
        Scene {
            model: &self.model,
            screens: &self.terminals,
            log: &self.demo.log,
            cache: &self.cache,
            now: self.demo.now,
            session: &self.facts,
            theme: &self.theme,
        }
    }

    fn press(&mut self, keys: &str) {
        let mut state = self.state.clone();
        for key in keys.split(' ') {
            let key = key.parse::<Chord>().expect("key").event();
            drop(update(&mut state, &self.scene(), UiInput::Key(key)));
        }
        let later = Scene {
            now: self.demo.now + Span(300),
            ..self.scene()
        };
        drop(update(&mut state, &later, UiInput::Tick));
        self.state = state;
    }

    fn draw(&self) -> (Buffer, RenderedLayout) {
        let mut buffer = Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1));
        let layout = view(&self.state, &self.scene(), &mut buffer);
        (buffer, layout)
    }

    /// Lets the agents at work write into terminals of the size in which they are shown.
    fn start_terminals(&mut self) {
        let (places, mut worktrees) = (self.draw().1.panes, Worktrees::default());
        for attempt in self.demo.beats.keys() {
            let attempt = &self.demo.board.attempts[attempt];
            if !attempt.state.is_open() {
                continue;
            }
            let id = ScreenId::Attempt(attempt.id);
            let place = places.iter().find(|place| place.screen == Some(id));
            let size = place.map_or((80, 24), |place| (place.area.width.max(60), place.area.height));
            self.terminals
                .put(id, size, &written_by(&self.demo, attempt, size, &mut worktrees));
        }
        self.terminals.put(ScreenId::Shell(1), (80, 24), b"~/project $ ");
    }
}

#[test]
fn the_picture_of_the_readme_is_fresh() {
    let mut dashboard = Dashboard::new(AFTER);
    dashboard.press(KEYS);
    dashboard.start_terminals();
    let (buffer, _) = dashboard.draw();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/picture.svg");
    let fresh = svg::svg(&buffer, ABOUT);
    if is_rewrite_wished() {
        std::fs::write(&path, &fresh).expect("docs/picture.svg");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == fresh,
        "docs/picture.svg is stale; DBS_UPDATE=1 cargo test --test ui rewrites it. The screen is now\n{}",
        text(&buffer)
    );
}
