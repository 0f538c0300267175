//! Small board for tests: events go in, states and effects come out. All invariants are checked after every event.

use std::path::Path;
use std::sync::LazyLock;

use dbs::domain::attempt::{ActivityKind, Attempt, AttemptState, WorkspaceState};
use dbs::domain::board::check_invariants;
use dbs::domain::event::EndCause;
use dbs::domain::settings::BoardSettings;
use dbs::domain::task::{GateCommand, Task};
use dbs::domain::{
    ActionOutcome, AttemptId, BatchId, Board, Command, Effect, Event, Evidence, EvidenceKind, MergeCheck,
    ProcessExit, RequestId, SignalKind, Span, TaskDraft, TaskId, Timestamp, Tri, Worker, Workflow,
    WorkflowId, Workplace,
};

pub(crate) struct BoardFixture {
    pub(crate) board: Board,
    pub(crate) now: Timestamp,
    /// All events so far, for replays.
    pub(crate) log: Vec<(Timestamp, Event)>,
    /// Effects of the last event.
    pub(crate) effects: Vec<Effect>,
    pub(crate) key: u64,
}

pub(crate) fn settings() -> BoardSettings {
    BoardSettings {
        base: Some("feature/shop".to_owned()),
        gates: vec![GateCommand {
            name: "tests".to_owned(),
            command: "cargo test".to_owned(),
        }],
        ..BoardSettings::default()
    }
}

pub(crate) fn workflow(name: &str, text: &str) -> Workflow {
    let (flow, found) = dbs::formats::workflow::read(Path::new(name), text);
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    flow.unwrap_or_else(|| panic!("{name} is not a valid workflow:\n{}", found.join("\n")))
}

/// Returns all workflows for tests. They are read once, because tests ask for them again and again.
pub(crate) fn workflows() -> Vec<Workflow> {
    static READ: LazyLock<Vec<Workflow>> = LazyLock::new(read_workflows);
    READ.clone()
}

fn read_workflows() -> Vec<Workflow> {
    let own = [
        ("staged", include_str!("workflows/staged.toml")),
        ("stories", include_str!("workflows/stories.toml")),
    ];
    let builtin = dbs::formats::workflow::builtin();
    let all = builtin.into_iter().chain(own);
    dbs_simulator::with_commits(all.map(|(name, text)| workflow(name, text)).collect())
}

pub(crate) fn draft(id: &str, flow: &str) -> TaskDraft {
    TaskDraft {
        batch: BatchId::from("shop"),
        workflow: WorkflowId::from(flow),
        ..TaskDraft::new(id, format!("Build {id}"))
    }
}

impl BoardFixture {
    pub(crate) fn new() -> BoardFixture {
        BoardFixture::with(settings())
    }

    pub(crate) fn with(settings: BoardSettings) -> BoardFixture {
        let mut fixture = BoardFixture {
            board: Board::default(),
            now: Timestamp(1_000_000),
            log: Vec::new(),
            effects: Vec::new(),
            key: 0,
        };
        fixture.happen(Event::configured(settings));
        fixture.happen(Event::WorkflowsLoaded(workflows()));
        fixture
    }

    /// Returns a board with one released kanban task whose developer is about to start.
    pub(crate) fn developing(id: &str) -> BoardFixture {
        let mut fixture = BoardFixture::new();
        fixture.released(draft(id, "kanban"));
        fixture
    }

    /// Returns a board whose task stands in a stage, with the first attempt there just begun.
    pub(crate) fn standing(id: &str, stage: &str) -> BoardFixture {
        let mut fixture = BoardFixture::developing(id);
        let tags = ["security".to_owned()];
        let update = |tags: &[String]| dbs::domain::TaskPatch {
            add_tags: tags.iter().cloned().collect(),
            ..dbs::domain::TaskPatch::default()
        };
        if stage == "security_review" {
            fixture.ask(Command::Update(id.into(), update(&tags))).unwrap();
        }
        for _ in 0..4 {
            if fixture.stage(id) == stage {
                return fixture;
            }
            fixture.pass(id);
        }
        panic!("{id} never came to {stage}");
    }

    pub(crate) fn happen(&mut self, event: Event) -> &[Effect] {
        self.effects = self.board.apply(self.now, &event);
        self.board.take_changed_rows();
        if let Err(rule) = check_invariants(&self.board) {
            panic!("{rule} after {event:?}");
        }
        self.log.push((self.now, event));
        &self.effects
    }

    pub(crate) fn ask(&mut self, command: Command) -> Result<String, String> {
        self.key += 1;
        let request = RequestId(self.key);
        self.happen(Event::Asked {
            request,
            by: "ada".to_owned(),
            command,
        });
        let mut replies = self.effects.iter().filter_map(|effect| match effect {
            Effect::Reply(id, answer) => Some((id, answer)),
            _ => None,
        });
        let (id, answer) = replies.next().expect("every command is answered");
        assert!(replies.next().is_none(), "a command is answered only once");
        assert_eq!(*id, request);
        answer.clone().map(|yes| yes.0).map_err(|no| no.why)
    }

    pub(crate) fn planned(&mut self, draft: TaskDraft) {
        self.ask(Command::Create(draft)).unwrap();
    }

    pub(crate) fn released(&mut self, draft: TaskDraft) {
        let id = draft.id.clone();
        self.planned(draft);
        self.ask(Command::Release(vec![id])).unwrap();
    }

    pub(crate) fn task(&self, id: &str) -> &Task {
        &self.board.tasks[&TaskId::from(id)]
    }

    pub(crate) fn stage(&self, id: &str) -> &str {
        self.task(id).stage.as_str()
    }

    pub(crate) fn word(&self, id: &str) -> &'static str {
        self.task(id).state.word()
    }

    pub(crate) fn open(&self, id: &str) -> AttemptId {
        self.task(id)
            .open_attempt
            .unwrap_or_else(|| panic!("{id} has no open attempt"))
    }

    pub(crate) fn attempt(&self, id: AttemptId) -> &Attempt {
        &self.board.attempts[&id]
    }

    pub(crate) fn role(&self, id: AttemptId) -> &str {
        match &self.attempt(id).worker {
            Worker::Agent { role, .. } => role.as_str(),
            Worker::Engine(_) => "engine",
        }
    }

    /// Lets time pass and ticks the board.
    pub(crate) fn wait(&mut self, span: Span) {
        self.now = self.now + span;
        self.happen(Event::Ticked);
    }

    /// Lets time pass until the next deadline.
    pub(crate) fn wait_until_due(&mut self) {
        let due = self.board.next_deadline().expect("something is due");
        self.now = self.now.max(due);
        self.happen(Event::Ticked);
    }

    pub(crate) fn start(&mut self, attempt: AttemptId) {
        let folder = format!("trees/{attempt}");
        self.happen(Event::AttemptStarted {
            attempt,
            workplace: Workplace {
                path: folder,
                branch: None,
                start: Some("c0".to_owned()),
                start_tree: None,
                git_overrides: None,
            },
        });
    }

    pub(crate) fn say(&mut self, attempt: AttemptId, kind: SignalKind, text: &str) {
        self.key += 1;
        let key = format!("s{}", self.key);
        self.happen(Event::Signalled {
            attempt,
            kind,
            text: text.to_owned(),
            report: None,
            key,
            claims: dbs::domain::Claims::default(),
            by_file: false,
        });
    }

    /// Reports from some source what the agent does.
    pub(crate) fn see(&mut self, attempt: AttemptId, doing: ActivityKind, source: &str) {
        self.happen(Event::Observed {
            attempt,
            doing,
            source: source.to_owned(),
        });
    }

    pub(crate) fn end(&mut self, attempt: AttemptId) {
        self.end_with(attempt, ProcessExit::Code(0), None);
    }

    pub(crate) fn end_with(&mut self, attempt: AttemptId, exit: ProcessExit, cause: Option<EndCause>) {
        self.happen(Event::AttemptEnded {
            attempt,
            exit,
            tail: "last line".to_owned(),
            cause,
        });
    }

    /// Starts the agent, sends that signal, and ends it.
    pub(crate) fn live(&mut self, attempt: AttemptId, kind: SignalKind, text: &str) {
        self.start(attempt);
        self.say(attempt, kind, text);
        self.end(attempt);
    }

    pub(crate) fn asked_evidence(&self, attempt: AttemptId) -> Vec<EvidenceKind> {
        let task = &self.board.tasks[&self.attempt(attempt).task];
        let stage = self.board.stage_of_attempt(self.attempt(attempt)).unwrap();
        self.board.evidence_for(task, stage, self.attempt(attempt).mode)
    }

    /// Verifies an attempt: all evidence is Yes except the given pieces.
    pub(crate) fn verify(&mut self, attempt: AttemptId, but: &[(EvidenceKind, Tri)]) {
        let evidence = self.evidence(attempt, but);
        let head = format!("c{attempt}");
        self.happen(Event::Verified {
            attempt,
            evidence,
            head: Some(head),
            integration: None,
        });
    }

    pub(crate) fn evidence(&self, attempt: AttemptId, but: &[(EvidenceKind, Tri)]) -> Vec<Evidence> {
        let kinds = self.asked_evidence(attempt);
        let outcome = |kind: &EvidenceKind| {
            let other = but.iter().find(|(other, _)| other == kind);
            other.map_or(Tri::Yes, |(_, outcome)| outcome.clone())
        };
        kinds
            .into_iter()
            .map(|kind| Evidence {
                outcome: outcome(&kind),
                kind,
                issues: Vec::new(),
                tests: None,
            })
            .collect()
    }

    pub(crate) fn act(&mut self, attempt: AttemptId, outcome: ActionOutcome) {
        self.happen(Event::ActionEnded { attempt, outcome });
    }

    pub(crate) fn action_done(&mut self, attempt: AttemptId) {
        let evidence = self.evidence(attempt, &[]);
        let commit = Some(format!("m{attempt}"));
        self.act(
            attempt,
            ActionOutcome::Done {
                commit,
                evidence,
                check: MergeCheck::Checked,
            },
        );
    }

    pub(crate) fn settled(&mut self, attempt: AttemptId) {
        self.happen(Event::WorkspaceSettled {
            attempt,
            problem: None,
            kept: None,
            files: Vec::new(),
        });
    }

    /// Completes the open attempt with all evidence, and puts its workspace away.
    pub(crate) fn pass(&mut self, id: &str) {
        let attempt = self.open(id);
        match self.attempt(attempt).worker {
            Worker::Agent { .. } => {
                self.live(attempt, SignalKind::Done, "");
                self.verify(attempt, &[]);
                if self.attempt(attempt).workspace == WorkspaceState::Leaving {
                    self.settled(attempt);
                }
            }
            Worker::Engine(_) => self.action_done(attempt),
        }
    }

    /// Returns kinds and texts of the notices of the last event.
    pub(crate) fn lines(&self) -> Vec<String> {
        let lines = self.effects.iter().filter_map(|effect| match effect {
            Effect::Notify(notice) => Some(format!("{}: {}", notice.kind, notice.text)),
            _ => None,
        });
        lines.collect()
    }

    /// Returns the kinds of the notices of the last event.
    pub(crate) fn notice_kinds(&self) -> Vec<&str> {
        let kinds = self.effects.iter().filter_map(|effect| match effect {
            Effect::Notify(notice) => Some(notice.kind.as_str()),
            _ => None,
        });
        kinds.collect()
    }

    /// Returns the texts of the notices of that kind of the last event.
    pub(crate) fn notice_texts(&self, kind: &str) -> Vec<&str> {
        let texts = self.effects.iter().filter_map(|effect| match effect {
            Effect::Notify(notice) if notice.kind == kind => Some(notice.text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    /// Returns the keys of the effects of the last event that change the world.
    pub(crate) fn effect_keys(&self) -> Vec<String> {
        self.effects.iter().filter_map(Effect::key).collect()
    }

    pub(crate) fn is_running(&self, attempt: AttemptId) -> bool {
        self.attempt(attempt).state == AttemptState::Running
    }

    pub(crate) fn doing(&self, attempt: AttemptId) -> &ActivityKind {
        &self.attempt(attempt).activity.doing
    }

    pub(crate) fn comments(&self, id: &str) -> String {
        let texts: Vec<&str> = self
            .task(id)
            .comments
            .iter()
            .map(|comment| comment.text.as_str())
            .collect();
        texts.join("\n")
    }
}
