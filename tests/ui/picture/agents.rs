//! The terminals of the demo's agents at a moment of a run: the agent of the demo really plays the scenario, on a real worktree, up to its
//! step at that moment.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use dbs::adapters::rehearsal::{
    Console, KeySource, OutgoingSignal, RehearsalContext, RehearsalSpeed, SignalSink, SinkError, run,
};
use dbs::domain::{Attempt, TaskId};
use dbs::formats::scenario::Scenario;
use dbs::term::{EmulatorKind, Size, Terminal};
use dbs::ui::{LiveScreen, ScreenId, ScreenRead, Screens};

use super::run::{ANSWERED_AFTER, Run, role_of};
use crate::git_fixture::GitFixture;

/// Speed relative to the demo. Not higher, because a text that is shown for a time must be drawn at least once.
const SPEED: f64 = 20.0;
/// Signs of a spinner; the one on the screen is random.
const SPINNER: &str = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";

/// Terminals by screen id.
#[derive(Default)]
pub(crate) struct Terminals(BTreeMap<ScreenId, RefCell<Terminal>>);

impl Screens for Terminals {
    fn with(&self, id: ScreenId, read: &mut dyn FnMut(&mut dyn ScreenRead)) -> bool {
        let Some(terminal) = self.0.get(&id) else {
            return false;
        };
        read(&mut LiveScreen::new(&mut terminal.borrow_mut(), true));
        true
    }
}

impl Terminals {
    /// Adds a terminal of that size with these bytes as its output.
    pub(crate) fn put(&mut self, id: ScreenId, (cols, rows): (u16, u16), bytes: &[u8]) {
        let mut terminal = Terminal::new(EmulatorKind::default(), Size::new(cols, rows), 100);
        terminal.feed(0, bytes);
        self.0.insert(id, RefCell::new(terminal));
    }
}

/// Texts of files by path.
type Files = BTreeMap<String, String>;

/// Worktrees in which agents have played, by task and the work in them. Each is reset to its first state before it is used again.
#[derive(Default)]
pub(crate) struct Worktrees(BTreeMap<(TaskId, Files), (GitFixture, String)>);

impl Worktrees {
    /// The demo's repository with the task's branch checked out: at its start for a developer, with the work done for other roles.
    fn of(&mut self, demo: &Run, attempt: &Attempt) -> &GitFixture {
        let work: Files = match role_of(attempt) {
            "developer" => Files::new(),
            _ => demo.branches[&attempt.task].files.clone(),
        };
        let made = self.0.entry((attempt.task.clone(), work.clone()));
        let (fixture, begin) = made.or_insert_with(|| {
            let fixture = worktree(demo, &work);
            let begin = fixture.git(&fixture.project(), &["rev-parse", "HEAD"]);
            (fixture, begin)
        });
        fixture.git(&fixture.project(), &["reset", "-q", "--hard", begin.trim()]);
        fixture.git(&fixture.project(), &["clean", "-qfdx"]);
        fixture
    }
}

/// Output of an agent up to the present moment of the run, on a terminal of that size.
pub(crate) fn written_by(
    demo: &Run,
    attempt: &Attempt,
    (cols, rows): (u16, u16),
    worktrees: &mut Worktrees,
) -> Vec<u8> {
    let begun = demo.beats[&attempt.id]
        .iter()
        .rev()
        .find(|(at, _)| *at <= demo.now);
    let (since, until) = begun.expect("it has begun something that takes a while");
    // An agent that has ended has written everything.
    let end = if attempt.state.is_open() {
        until.as_str()
    } else {
        "\0"
    };
    let left = ANSWERED_AFTER.saturating_sub(demo.now.since(*since).0);
    let scenario = Scenario {
        parts: vec![demo.part(attempt).clone()],
        ..demo.scenario.clone()
    };
    let context = context(demo, attempt, worktrees.of(demo, attempt));
    let pace = RehearsalSpeed {
        speed: SPEED,
        answer_after: Some(if attempt.state.is_open() {
            Duration::from_millis(left.max(1))
        } else {
            Duration::ZERO
        }),
    };
    let mut out = Until {
        written: Vec::new(),
        end: end.as_bytes().to_vec(),
    };
    let console = Console {
        out: &mut out,
        keys: KeySource::Fixed(cols, rows),
    };
    run(&context, &scenario, pace, console, &mut NoSink);
    let text = String::from_utf8(out.written).expect("text");
    assert!(
        text.contains(until.as_str()),
        "{} never came to {until:?}",
        attempt.task
    );
    text.replace(|sign| SPINNER.contains(sign), "⠹").into_bytes()
}

/// Takes every signal and sends none, as when a scenario is tried by hand.
struct NoSink;

impl SignalSink for NoSink {
    fn send(&mut self, _signal: &OutgoingSignal) -> Result<(), SinkError> {
        Ok(())
    }
}

/// Keeps the output until a text appears; from then on writing fails, which ends the agent.
struct Until {
    written: Vec<u8>,
    end: Vec<u8>,
}

impl Write for Until {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.written.extend_from_slice(bytes);
        // The label of a spinner may have been printed before; only the last drawing counts.
        if bytes.windows(self.end.len()).any(|part| part == self.end) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn worktree(demo: &Run, work: &Files) -> GitFixture {
    let fixture = GitFixture::unborn();
    let project = fixture.project();
    for option in ["diff.noprefix", "diff.mnemonicPrefix"] {
        fixture.git(&project, &["config", option, "false"]);
    }
    for file in &demo.sheet.files {
        fixture.commit(&project, &file.path, &file.text, "Begin");
    }
    let base = demo.board.settings.base.clone().expect("a base");
    fixture.git(
        &project,
        &["push", "-q", "origin", &format!("HEAD:refs/heads/{base}")],
    );
    fixture.git(&project, &["fetch", "-q", "origin"]);
    for (path, text) in work {
        fixture.commit(&project, path, text, "Work");
    }
    fixture
}

fn context(demo: &Run, attempt: &Attempt, fixture: &GitFixture) -> RehearsalContext {
    let task = &demo.board.tasks[&attempt.task];
    RehearsalContext {
        attempt: attempt.id.to_string(),
        token: String::new(),
        task: task.id.to_string(),
        title: task.title.clone(),
        tags: task.tags.iter().cloned().collect(),
        stage: attempt.stage.to_string(),
        role: role_of(attempt).to_owned(),
        mode: attempt.mode.to_string(),
        number: attempt.n,
        branch: format!("feature/{}", task.id),
        base: demo.board.settings.base.clone().unwrap_or_default(),
        socket: None,
        inbox: None,
        person_file: None,
        worktree: fixture.project(),
    }
}
