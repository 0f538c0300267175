//! Rows and log agree: for random histories with restarts in between, the stored board, the board in memory and the board computed from the
//! log are equal.

use std::collections::BTreeSet;
use std::path::Path;

use dbs::adapters::store::SqliteStore;
use dbs::domain::{
    ActionOutcome, Attempt, AttemptId, Board, BoardSettings, Command, Effect, Event, Evidence, EvidenceKind,
    Inventory, MergeCheck, ProcessExit, RequestId, SignalKind, Span, TaskId, Timestamp, Tri, Workflow,
};
use dbs::formats::workflow;
use dbs::ports::store::{Store, StoredEvent, Turn};
use proptest::prelude::*;
use serde_json::json;

use super::boards::{NOW, open};

/// The board computed again from stored events in order, as the engine did; each session begins asleep.
fn replay(events: &[StoredEvent]) -> Board {
    let (mut board, mut session) = (Board::default(), 0);
    for stored in events {
        if stored.session != session {
            session = stored.session;
            board.sleep();
        }
        drop(board.apply(stored.at, &stored.event));
        drop(board.take_changed_rows());
    }
    board
}

/// A random step: its kind, its target, and its variant.
type Choice = (u8, u8, u8);

struct History<'a> {
    folder: &'a Path,
    store: Option<SqliteStore>,
    board: Board,
    now: Timestamp,
    /// Effects without an answer so far.
    open: Vec<Effect>,
    made: u64,
}

fn workflows() -> Vec<Workflow> {
    let all = workflow::builtin().into_iter();
    all.filter_map(|(name, text)| workflow::read(Path::new(name), text).0)
        .collect()
}

impl<'a> History<'a> {
    fn new(folder: &'a Path) -> History<'a> {
        let mut history = History {
            folder,
            store: Some(open(folder)),
            board: Board::default(),
            now: NOW,
            open: Vec::new(),
            made: 0,
        };
        history.board.sleep();
        history.begin();
        history.happen(&Event::Woke(Inventory::default()));
        history
    }

    fn begin(&mut self) {
        let settings = BoardSettings {
            base: Some("main".to_owned()),
            ..BoardSettings::default()
        };
        for event in [Event::configured(settings), Event::WorkflowsLoaded(workflows())] {
            if !self.board.is_redundant(&event) {
                self.happen(&event);
            }
        }
    }

    fn happen(&mut self, event: &Event) {
        self.now = self.now + Span(1);
        let completed = self.board.completed(event);
        let event = completed.as_ref().unwrap_or(event);
        let effects = self.board.apply(self.now, event);
        let touched = self.board.take_changed_rows();
        let turn = Turn {
            at: self.now,
            event,
            board: &self.board,
            changed: &touched,
            effects: &effects,
        };
        self.store.as_mut().unwrap().commit(&turn).unwrap();
        self.open
            .extend(effects.into_iter().filter(|effect| effect.key().is_some()));
    }

    /// Forgets everything in memory, as after a crash.
    fn restart(&mut self) {
        drop(self.store.take());
        let mut store = open(self.folder);
        same(&store.load().unwrap(), &self.board);
        self.board = store.load().unwrap();
        self.board.sleep();
        self.store = Some(store);
        self.begin();
        let found = Inventory {
            running: self.attempts().into_iter().map(|attempt| attempt.id).collect(),
            ..Inventory::default()
        };
        self.happen(&Event::Woke(found));
    }

    fn check(&mut self) {
        let store = self.store.as_mut().unwrap();
        same(&store.load().unwrap(), &self.board);
        let events = store.reader().events(0, usize::MAX, None).unwrap();
        same(&replay(&events), &self.board);
        let keys: BTreeSet<Option<String>> = store.open_intents().unwrap().iter().map(Effect::key).collect();
        let dead = |id: AttemptId| {
            self.board
                .attempts
                .get(&id)
                .is_none_or(|attempt| !attempt.state.is_open())
        };
        for key in keys.into_iter().flatten() {
            let mut parts = key.split('/');
            let (kind, id) = (parts.next().unwrap(), parts.next().unwrap());
            if ["start", "act", "verify"].contains(&kind) {
                assert!(
                    !dead(AttemptId(id.parse().unwrap())),
                    "{key} is open, but no attempt waits for it"
                );
            }
        }
    }

    fn attempts(&self) -> Vec<Attempt> {
        let all = self.board.attempts.values();
        all.filter(|attempt| attempt.state.is_open())
            .map(|attempt| attempt.as_ref().clone())
            .collect()
    }

    fn step(&mut self, (kind, which, how): Choice) {
        match kind % 10 {
            0 | 1 => self.plan(which, how),
            2..=4 => self.answer(which, how),
            5 | 6 => self.agent(which, how),
            7 => self.person(which, how),
            8 => {
                self.now = self
                    .board
                    .next_deadline()
                    .map_or(self.now, |due| due.max(self.now));
                self.happen(&Event::Ticked);
            }
            _ if how.is_multiple_of(4) => self.restart(),
            _ => self.happen(&Event::Ticked),
        }
    }

    fn asked(&mut self, command: Command) {
        self.happen(&Event::Asked {
            request: RequestId(1),
            by: "ann".to_owned(),
            command,
        });
    }

    fn plan(&mut self, which: u8, how: u8) {
        self.made += 1;
        let id = TaskId::new(format!("t-{}", self.made));
        let flow = pick(&workflows(), which).unwrap().id.clone();
        let deps: Vec<&TaskId> = self
            .board
            .tasks
            .keys()
            .filter(|_| how.is_multiple_of(3))
            .take(1)
            .collect();
        let draft = json!({
            "id": id, "batch": format!("b-{}", which % 3), "workflow": flow, "stage": null, "title": "A task", "body": "",
            "kind": "task", "tags": [], "priority": how % 5, "deps": deps, "gates": [{"name": "unit", "command": "true"}],
            "needs_approval": how.is_multiple_of(7),
        });
        self.asked(Command::Create(serde_json::from_value(draft).unwrap()));
        self.asked(Command::Release(vec![id]));
    }

    fn answer(&mut self, which: u8, how: u8) {
        let Some(effect) = pick(&self.open, which).cloned() else {
            return;
        };
        self.open.retain(|open| *open != effect);
        let event = match effect {
            Effect::Start(attempt) if how.is_multiple_of(4) => Event::AttemptNotStarted {
                attempt,
                why: "no room".into(),
            },
            Effect::Start(attempt) => started(attempt),
            Effect::Act(attempt, _) => Event::ActionEnded {
                attempt,
                outcome: match how % 3 {
                    0 => ActionOutcome::Failed("conflict".to_owned()),
                    1 => ActionOutcome::Unknown("offline".into()),
                    _ => ActionOutcome::Done {
                        commit: Some("abc".to_owned()),
                        evidence: Vec::new(),
                        check: MergeCheck::Checked,
                    },
                },
            },
            Effect::Stop(attempt, _) => ended(attempt, how),
            Effect::Verify {
                attempt, evidence, ..
            } => verified(attempt, &evidence, how),
            Effect::Checkpoint(attempt) => Event::WorkSaved {
                attempt,
                work: dbs::domain::SavedWork::default(),
            },
            Effect::Settle(attempt) => Event::WorkspaceSettled {
                attempt,
                problem: (how.is_multiple_of(4)).then(|| "busy".to_owned()),
                kept: None,
                files: Vec::new(),
            },
            Effect::Retire(ref task) => Event::Performed {
                key: format!("retire/{task}"),
                problem: None,
            },
            Effect::Answer(..)
            | Effect::Deliver(_)
            | Effect::Tell(..)
            | Effect::Interrupt(_)
            | Effect::Reply(..)
            | Effect::Notify(_) => Event::Ticked,
        };
        self.happen(&event);
    }

    fn agent(&mut self, which: u8, how: u8) {
        let Some(attempt) = pick(&self.attempts(), which).map(|attempt| attempt.id) else {
            return;
        };
        let kinds = [
            SignalKind::Claim,
            SignalKind::Done,
            SignalKind::Done,
            SignalKind::Reject,
            SignalKind::Block,
            SignalKind::Fail,
            SignalKind::Question,
        ];
        match kinds.get(usize::from(how % 10)) {
            Some(kind) => {
                self.happen(&Event::Signalled {
                    attempt,
                    kind: *kind,
                    text: "because".to_owned(),
                    report: None,
                    key: format!("{attempt}-{how}"),
                    claims: dbs::domain::Claims::default(),
                    by_file: false,
                });
                self.happen(&ended(attempt, how));
            }
            None => self.happen(&ended(attempt, how)),
        }
    }

    fn person(&mut self, which: u8, how: u8) {
        let tasks: Vec<TaskId> = self.board.tasks.keys().cloned().collect();
        let attempt = pick(&self.attempts(), which).map(|attempt| attempt.id);
        let Some(task) = pick(&tasks, which).cloned() else {
            return;
        };
        let text = "as I say".to_owned();
        self.asked(match how % 11 {
            0 => Command::Pause,
            1 | 2 => Command::Resume,
            3 => Command::Park(task, text),
            4 => Command::Close(task, text),
            5 | 6 => Command::Retry {
                task,
                stage: None,
                note: Some(text),
            },
            7 => Command::Approve(task),
            8 => Command::Reject(task, text),
            9 => Command::Comment(task, text),
            _ => attempt.map_or(Command::Skip(task), Command::Kill),
        });
    }
}

/// Asserts that the boards are equal; shows only the differences.
fn same(left: &Board, right: &Board) {
    let lines =
        |board: &Board| -> BTreeSet<String> { format!("{board:#?}").lines().map(str::to_owned).collect() };
    let (ours, theirs) = (lines(left), lines(right));
    assert!(
        left == right,
        "{:#?}",
        ours.symmetric_difference(&theirs).collect::<Vec<_>>()
    );
}

fn pick<T>(all: &[T], which: u8) -> Option<&T> {
    all.get(usize::from(which) % all.len().max(1))
}

fn started(attempt: AttemptId) -> Event {
    let workplace = json!({"path": "w", "branch": "b", "start": "abc", "start_tree": null});
    Event::AttemptStarted {
        attempt,
        workplace: serde_json::from_value(workplace).unwrap(),
    }
}

fn ended(attempt: AttemptId, how: u8) -> Event {
    Event::AttemptEnded {
        attempt,
        exit: if how.is_multiple_of(5) {
            ProcessExit::Signal(9)
        } else {
            ProcessExit::Code(0)
        },
        tail: "the end".to_owned(),
        cause: None,
    }
}

fn verified(attempt: AttemptId, kinds: &[EvidenceKind], how: u8) -> Event {
    let outcome = match how % 5 {
        0 => Tri::No("red".to_owned()),
        1 => Tri::Unknown("offline".into()),
        _ => Tri::Yes,
    };
    let evidence = kinds.iter().map(|kind| Evidence {
        kind: kind.clone(),
        outcome: outcome.clone(),
        issues: Vec::new(),
        tests: None,
    });
    Event::Verified {
        attempt,
        evidence: evidence.collect(),
        head: Some("abc".to_owned()),
        integration: None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_log_and_memory_agree_after_any_history(choices in prop::collection::vec(any::<Choice>(), 1..120)) {
        let folder = tempfile::tempdir().unwrap();
        let mut history = History::new(folder.path());
        for choice in choices {
            history.step(choice);
        }
        history.check();
        history.restart();
        history.check();
    }
}

#[test]
fn a_plain_history_really_starts_attempts() {
    // Guards the property above against testing nothing.
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::new(folder.path());
    for n in 0..40 {
        history.step((n % 9, n, n.wrapping_mul(37)));
    }
    history.check();
    assert!(history.board.last_attempt >= 3, "{}", history.board.last_attempt);
}
