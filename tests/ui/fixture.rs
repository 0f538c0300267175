//! A board with tasks in every state, agents in every activity, and a client that shows it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use dbs::display::{ColourDepth, FirstTab, Glyphs, LeaveEffect, NextSteps};
use dbs::domain::attempt::{Activity, WorkspaceState};
use dbs::domain::batch::{Batch, RunState};
use dbs::domain::command::TaskDraft;
use dbs::domain::evidence::Evidence;
use dbs::domain::task::{Comment, TaskKind};
use dbs::domain::workflow::{
    Actor, ApprovalRule, CascadePolicy, Edge, ExhaustionPolicy, FileAccess, GatePlace, GateSet, RejectTo,
    RetryLimits, Stage, Workspace,
};
use dbs::domain::{
    ActivityKind, Ask, AskChannel, AskKind, AskRecord, AskReply, Attempt, AttemptId, AttemptMode,
    AttemptState, Board, Command, EngineAction, EvidenceKind, FailureClass, HoldReason, Notice, NoticeLevel,
    Skip, Span, StageId, Task, TaskId, TaskState, Timestamp, Tri, Verdict, WaitReason, Worker, Workflow,
    Workplace,
};
use dbs::keymap::Chord;
use dbs::read_model::ReadModel;
use dbs::term::keys::KeyInput;
use dbs::ui::{
    LogLine, RenderedLayout, Scene, ScreenId, SessionFacts, SessionKind, Theme, UiInput, UiRequest, UiState,
    ViewCache, update, view,
};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::screens::TextScreens;

pub(crate) const NOW: Timestamp = Timestamp(1_790_000_000_000);

fn ago(seconds: u64) -> Timestamp {
    NOW - Span::seconds(seconds)
}

/// One client in front of a board.
pub(crate) struct Dashboard {
    pub(crate) board: Board,
    pub(crate) model: ReadModel,
    pub(crate) screens: TextScreens,
    pub(crate) log: Vec<LogLine>,
    pub(crate) cache: ViewCache,
    pub(crate) session: SessionFacts,
    pub(crate) theme: Theme,
    pub(crate) now: Timestamp,
    pub(crate) state: UiState,
}

impl Dashboard {
    /// A client in front of the full board.
    pub(crate) fn full(size: (u16, u16)) -> Dashboard {
        let mut screens = TextScreens::default();
        screens.agent(11, CLAUDE);
        screens.agent(12, "● Reading src/limits.rs\n\n  The bucket refills once per second.\n\n● Edit(src/limits.rs)\n  ⎿  Updated with 14 additions\n");
        screens.agent(13, PERMISSION);
        screens.put(
            ScreenId::Shell(1),
            "ann@laptop:~/shop$ git status --short\n M src/login.rs\nann@laptop:~/shop$ ",
        );
        let mut dashboard = Dashboard::of(board(), screens, log(), size);
        dashboard.cache = crate::cache_entries::cache(&dashboard.model);
        dashboard
    }

    /// The same with the first tab of the seed: conductor, shell, board, watcher.
    pub(crate) fn classic(size: (u16, u16)) -> Dashboard {
        let mut dashboard = Dashboard::full(size);
        dashboard
            .state
            .set_first_tab(FirstTab::Classic)
            .expect("built in");
        for pane in dashboard.state.unopened_shells() {
            dashboard.state.shell_opened(pane, 1);
        }
        dashboard
    }

    /// A client in front of a board without anything.
    pub(crate) fn empty(size: (u16, u16)) -> Dashboard {
        Dashboard::of(Board::default(), TextScreens::default(), Vec::new(), size)
    }

    fn of(board: Board, screens: TextScreens, log: Vec<LogLine>, size: (u16, u16)) -> Dashboard {
        let state = UiState::builtin(size).expect("built-in files");
        let mut dashboard = Dashboard {
            model: ReadModel::of(&board, NOW),
            board,
            screens,
            log,
            cache: ViewCache::default(),
            session: SessionFacts {
                project: "shop".to_owned(),
                version: "0.1.0".to_owned(),
                kind: SessionKind::Real,
                on_leave: LeaveEffect::GoesOn,
                next_steps: NextSteps::default(),
                started: ago(2467),
                utc_offset: 7200,
                notice: None,
            },
            theme: Theme::builtin(ColourDepth::Sixteen, Glyphs::Unicode),
            now: NOW,
            state,
        };
        // Every frame comes after a tick.
        dashboard.input(UiInput::Tick);
        dashboard
    }

    pub(crate) fn change(&mut self, task: &str, change: impl FnOnce(&mut Task)) {
        let task = self.board.tasks.get_mut(&TaskId::from(task)).expect("task");
        change(Arc::make_mut(task));
        self.model = ReadModel::of(&self.board, self.now);
    }

    /// Presses keys, written as in key files and separated by spaces; answers all requests.
    pub(crate) fn press(&mut self, keys: &str) -> Vec<UiRequest> {
        let chords = keys.split(' ').map(|key| key.parse::<Chord>().expect("key"));
        let mut requests: Vec<UiRequest> = chords
            .flat_map(|chord| self.input(UiInput::Key(chord.event())))
            .collect();
        requests.extend(self.rest());
        requests
    }

    /// Waits a moment, after which digits without a movement select a tab.
    pub(crate) fn rest(&mut self) -> Vec<UiRequest> {
        let now = self.now;
        self.now = now + Span(300);
        let requests = self.input(UiInput::Tick);
        self.now = now;
        requests
    }

    pub(crate) fn key(&mut self, key: KeyInput) -> Vec<UiRequest> {
        self.input(UiInput::Key(key))
    }

    pub(crate) fn input(&mut self, input: UiInput) -> Vec<UiRequest> {
        let scene = Scene {
            model: &self.model,
            screens: &self.screens,
            log: &self.log,
            cache: &self.cache,
            now: self.now,
            session: &self.session,
            theme: &self.theme,
        };
        update(&mut self.state, &scene, input)
    }

    pub(crate) fn frame(&self) -> (Buffer, RenderedLayout) {
        let (width, height) = self.state.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        let scene = Scene {
            model: &self.model,
            screens: &self.screens,
            log: &self.log,
            cache: &self.cache,
            now: self.now,
            session: &self.session,
            theme: &self.theme,
        };
        let layouted = view(&self.state, &scene, &mut buffer);
        (buffer, layouted)
    }

    /// The frame as text, one line per row.
    pub(crate) fn text(&self) -> String {
        text(&self.frame().0)
    }

    /// The mode word in the last row.
    pub(crate) fn mode(&self) -> String {
        let text = self.text();
        let last = text.lines().last().unwrap_or_default();
        last.split_whitespace().next().unwrap_or_default().to_owned()
    }
}

/// A buffer as text; the second half of a wide character is left out, as on a terminal.
pub(crate) fn text(buffer: &Buffer) -> String {
    use unicode_width::UnicodeWidthStr;
    let area = buffer.area;
    let mut lines = Vec::new();
    for y in area.y..area.bottom() {
        let mut line = String::new();
        let mut skip = 0;
        for x in area.x..area.right() {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            // One byte is one column, which is so for most cells and quick to see.
            skip = if symbol.len() == 1 {
                0
            } else {
                symbol.width().saturating_sub(1)
            };
        }
        lines.push(line.trim_end().to_owned());
    }
    lines.join("\n")
}

const CLAUDE: &str = "\
● I will look at the login form first.

● Read(src/login.rs)
  ⎿  Read 184 lines

● The form posts the password twice. I will mend that and add a test.

● Edit(src/login.rs)
  ⎿  Updated src/login.rs with 12 additions and 4 removals

● Bash(cargo test login)
  ⎿  running 6 tests
     test result: ok. 6 passed; 0 failed

✻ Thinking… (14s · ↑ 1.2k tokens)

> ";

const PERMISSION: &str = "\
● I have written migrations 003 and 004. Both are reversible.

  Bash command

    npm run migrate
    Apply pending migrations to the dev database

  Do you want to proceed?
> 1. Yes
  2. Yes, and do not ask again for npm run
  3. No, and tell Claude what to do differently";

fn edge(when: Option<&str>, to: &str) -> Edge {
    Edge {
        when: when.map(str::to_owned),
        to: StageId::from(to),
    }
}

fn stage(id: &str, label: &str, actor: Actor, approval: ApprovalRule) -> Stage {
    Stage {
        id: StageId::from(id),
        label: label.to_owned(),
        short: id.chars().take(3).collect(),
        actor,
        fallback: None,
        workspace: Workspace::Branch,
        access: FileAccess::Write,
        signals: BTreeSet::new(),
        success: match id {
            "review" => vec![edge(Some("security"), "security_review"), edge(None, "merging")],
            "security_review" => vec![edge(None, "merging")],
            _ => vec![edge(None, "review")],
        },
        reject: match id {
            "development" => RejectTo::Never,
            "acceptance" => RejectTo::Hold,
            _ => RejectTo::Stage("development".into()),
        },
        evidence: vec![EvidenceKind::CommitsAhead],
        gates: GateSet::None,
        gate_names: Vec::new(),
        gates_before: false,
        gate_at: GatePlace::Commit,
        protected: Vec::new(),
        findings: dbs::domain::workflow::FindingPolicy::Fail,
        singleton: false,
        guards: Vec::new(),
        timeout: None,
        approval,
    }
}

fn kanban() -> Workflow {
    let agent = |role: &str| Actor::Role(role.into());
    Workflow {
        id: "kanban".into(),
        title: "Kanban".to_owned(),
        entry: "development".into(),
        scan: Vec::new(),
        stages: vec![
            stage("development", "Dev", agent("developer"), ApprovalRule::NotNeeded),
            stage("review", "Review", agent("reviewer"), ApprovalRule::NotNeeded),
            stage(
                "security_review",
                "Sec Review",
                agent("security-reviewer"),
                ApprovalRule::NotNeeded,
            ),
            stage(
                "merging",
                "Merge",
                Actor::Engine(EngineAction::Merge),
                ApprovalRule::NotNeeded,
            ),
            stage("acceptance", "Accept", agent("tester"), ApprovalRule::WhenAsked),
        ],
        limits: RetryLimits {
            by_class: BTreeMap::new(),
            rejections: 3,
            spawns: 12,
            cooldown: Span::minutes(1),
        },
        cascade: CascadePolicy::Wait,
        exhausted: ExhaustionPolicy::Hold,
    }
}

fn task(id: &str, title: &str, at: &str, state: TaskState, since: u64) -> Task {
    Task {
        batch: "shop".into(),
        kind: TaskKind::Feature,
        state,
        spawns: 1,
        since: ago(since),
        ..Task::planned(ago(9000), &TaskDraft::new(id, title), at.into())
    }
}

/// Asks of an agent with that activity, each with its text as id.
pub(crate) fn asked(doing: &ActivityKind, since: Timestamp) -> Vec<AskRecord> {
    let (kind, text) = match doing {
        ActivityKind::Permission(text) => (AskKind::Permission, text),
        ActivityKind::Question(text) => (AskKind::Question, text),
        ActivityKind::Dialog(text) => (AskKind::Dialog, text),
        _ => return Vec::new(),
    };
    let ask = Ask {
        id: text.as_str().into(),
        kind,
        text: text.clone(),
        options: Vec::new(),
        channel: AskChannel::Keys,
    };
    vec![AskRecord::new(ask, since)]
}

/// Command that allows that ask of an agent.
pub(crate) fn allow(attempt: u64, what: &str) -> Command {
    Command::AnswerAsk {
        attempt: AttemptId(attempt),
        ask: what.into(),
        reply: AskReply::Allow,
    }
}

fn attempt((id, task, stage): (u64, &str, &str), worker: Worker, doing: ActivityKind, since: u64) -> Attempt {
    Attempt {
        choice: dbs::domain::AgentChoice::default(),
        id: AttemptId(id),
        task: task.into(),
        stage: stage.into(),
        n: 1,
        mode: AttemptMode::Fresh,
        session: dbs::domain::AgentSession::Fresh,
        leaves: None,
        failed_turns: dbs::domain::FailedTurns::default(),
        background: None,
        worker,
        asks: asked(&doing, ago(since)),
        asks_made: 1,
        usage: dbs::domain::AttemptUsage::default(),
        state: AttemptState::Running,
        signals: Vec::new(),
        refused: Vec::new(),
        gates_before: Vec::new(),
        workplace: Some(Workplace {
            path: format!(".debussy-worktrees/{id}"),
            branch: Some(format!("feature/{task}")),
            start: None,
            start_tree: None,
            git_overrides: None,
        }),
        activity: Activity {
            doing,
            source: "hook".to_owned(),
            since: ago(since),
        },
        evidence: Vec::new(),
        checks: 0,
        created_at: ago(since + 5),
        comments_before: 0,
        started_at: Some(ago(since + 3)),
        deadline: None,
        model: None,
        person_awaited: None,
        awaited: None,
        ended_at: None,
        workspace: WorkspaceState::Present,
        obstacle: None,
        kept: None,
    }
}

fn agent(role: &str, name: &str) -> Worker {
    Worker::Agent {
        role: role.into(),
        name: format!("{role}-{name}"),
    }
}

/// Tasks in every state.
pub(crate) fn board() -> Board {
    let mut board = Board::default();
    board.settings = Arc::new(dbs::domain::BoardSettings {
        base: Some("feature/shop".to_owned()),
        max_by_role: [("developer".into(), 4)].into(),
        ..dbs::domain::BoardSettings::default()
    });
    board.workflows.insert("kanban".into(), Arc::new(kanban()));
    board.batches.insert("shop".into(), Arc::new(batch()));
    for task in working().into_iter().chain(waiting()).chain(ended()) {
        board.tasks.insert(task.id.clone(), Arc::new(task));
    }
    for attempt in attempts() {
        if attempt.state.is_open() {
            let task = board.tasks.get_mut(&attempt.task).expect("task");
            Arc::make_mut(task).open_attempt = Some(attempt.id);
        }
        board.attempts.insert(attempt.id, Arc::new(attempt));
    }
    board
}

fn batch() -> Batch {
    Batch {
        id: "shop".into(),
        title: "The shop".to_owned(),
        goal: "Sell things".to_owned(),
        base: None,
        needs: BTreeSet::default(),
        go_ahead: Some(ago(9000)),
        run: RunState::Running,
        base_moves: None,
        owed: None,
        job: None,
        options: dbs::domain::RunOptions::default(),
        since: ago(9000),
    }
}

fn working() -> Vec<Task> {
    let mut tasks = active();
    tasks.insert(0, login());
    tasks
}

fn login() -> Task {
    let mut login = task(
        "dbs-4",
        "Login form posts the password once",
        "development",
        TaskState::Active,
        660,
    );
    login.body = String::from(
        "The form posts the password twice, once in the query.\n\n- remove it from the query\n- add a test that looks at the request\n\nFiles: src/login.rs, tests/login.rs",
    );
    login.tags = ["priority".to_owned(), "security".to_owned()].into();
    login.priority = 0;
    login.deps = ["dbs-1".into()].into();
    login.rejections = 1;
    login.spawns = 3;
    login.finding = Some("The test does not look at the query.".to_owned());
    login.comments = vec![Comment {
        author: "reviewer-fauré".to_owned(),
        text: "The test does not look at the query; see tests/login.rs line 14.".to_owned(),
        at: ago(800),
    }];
    login
}

fn active() -> Vec<Task> {
    vec![
        task(
            "dbs-5",
            "Rate limit per customer",
            "development",
            TaskState::Active,
            190,
        ),
        task(
            "dbs-7",
            "Database migration for orders",
            "development",
            TaskState::Active,
            400,
        ),
        task(
            "dbs-8",
            "Réviser le libellé du panier",
            "review",
            TaskState::Active,
            42,
        ),
        task(
            "dbs-9",
            "Audit log of every change of a price, with who changed it, when, and what it was before",
            "review",
            TaskState::Verifying,
            70,
        ),
        task(
            "dbs-10",
            "顧客の住所を検証する (validate addresses)",
            "security_review",
            TaskState::Active,
            12,
        ),
        task("dbs-11", "Session store", "merging", TaskState::Active, 8),
        task(
            "dbs-12",
            "Checkout in one page",
            "development",
            TaskState::Active,
            3700,
        ),
    ]
}

fn waiting() -> Vec<Task> {
    let mut cooling = task(
        "dbs-13",
        "Search with typing errors",
        "development",
        TaskState::Released,
        35,
    );
    cooling.why_not = Some(WaitReason::Until(NOW + Span::seconds(25)));
    cooling.rejections = 2;
    let mut blocked = task("dbs-14", "Reset mail", "development", TaskState::Released, 900);
    blocked.deps = ["dbs-7".into(), "dbs-11".into()].into();
    blocked.why_not = Some(WaitReason::Dependencies(vec!["dbs-7".into(), "dbs-11".into()]));
    let mut full = task(
        "dbs-15",
        "Lockout after ten wrong passwords",
        "development",
        TaskState::Released,
        900,
    );
    full.why_not = Some(WaitReason::NoRoom { running: 8, most: 8 });
    let approval = task(
        "dbs-16",
        "Price rounding",
        "acceptance",
        TaskState::Held(HoldReason::Approval),
        240,
    );
    let held = task(
        "dbs-17",
        "Import of old orders",
        "development",
        TaskState::Held(HoldReason::Exhausted(FailureClass::Crash)),
        120,
    );
    let failed = task(
        "dbs-18",
        "Translate the help",
        "review",
        TaskState::Failed("gate: cargo test, 2 of 318 failed".to_owned()),
        3000,
    );
    let parked = task(
        "dbs-19",
        "Dark mode",
        "development",
        TaskState::Parked("after the release".to_owned()),
        5000,
    );
    let backlog = task("dbs-20", "Gift cards", "development", TaskState::Backlog, 8000);
    vec![cooling, blocked, full, approval, held, failed, parked, backlog]
}

fn ended() -> Vec<Task> {
    vec![
        task("dbs-1", "Scaffold", "done", TaskState::Done, 4800),
        task("dbs-2", "Configuration file", "done", TaskState::Done, 3000),
        task("dbs-3", "Continuous integration", "done", TaskState::Done, 1500),
        task(
            "dbs-21",
            "Translate the mails",
            "done",
            TaskState::Skipped(Skip::Dependency("dbs-18".into())),
            2900,
        ),
        task("dbs-22", "Old banner", "done", TaskState::Cancelled, 7000),
    ]
}

fn attempts() -> Vec<Attempt> {
    settled().into_iter().chain(open()).collect()
}

fn settled() -> Vec<Attempt> {
    let mut rejected = attempt(
        (3, "dbs-4", "development"),
        agent("developer", "satie"),
        ActivityKind::Exited,
        2400,
    );
    rejected.state = AttemptState::Settled(Verdict::Passed);
    rejected.ended_at = Some(ago(1500));
    let mut review = attempt(
        (4, "dbs-4", "review"),
        agent("reviewer", "fauré"),
        ActivityKind::Exited,
        1300,
    );
    review.state = AttemptState::Settled(Verdict::Rejected(
        "the test does not look at the query".to_owned(),
    ));
    review.ended_at = Some(ago(800));
    review.evidence = vec![
        Evidence {
            kind: EvidenceKind::Commented,
            outcome: Tri::Yes,
            issues: Vec::new(),
            tests: None,
        },
        Evidence {
            kind: EvidenceKind::WorkspaceUnchanged,
            outcome: Tri::Unknown("git did not answer within 10s".into()),
            issues: Vec::new(),
            tests: None,
        },
        Evidence {
            kind: EvidenceKind::Gates,
            outcome: Tri::No("cargo test: 1 of 318 failed".to_owned()),
            issues: Vec::new(),
            tests: None,
        },
    ];
    vec![rejected, review]
}

fn open() -> Vec<Attempt> {
    let mut verifying = attempt(
        (15, "dbs-9", "review"),
        agent("reviewer", "dukas"),
        ActivityKind::Exited,
        70,
    );
    verifying.state = AttemptState::Verifying;
    let question = ActivityKind::Question("keep the old checkout route?".to_owned());
    vec![
        attempt(
            (11, "dbs-4", "development"),
            agent("developer", "ravel"),
            ActivityKind::Working,
            660,
        ),
        attempt(
            (12, "dbs-5", "development"),
            agent("developer", "poulenc"),
            ActivityKind::Working,
            190,
        ),
        attempt(
            (13, "dbs-7", "development"),
            agent("developer", "milhaud"),
            ActivityKind::Permission("npm run migrate".to_owned()),
            130,
        ),
        attempt(
            (14, "dbs-8", "review"),
            agent("reviewer", "lili"),
            ActivityKind::Starting,
            3,
        ),
        verifying,
        attempt(
            (16, "dbs-10", "security_review"),
            agent("security-reviewer", "boulez"),
            ActivityKind::Lost,
            12,
        ),
        attempt(
            (17, "dbs-11", "merging"),
            Worker::Engine(EngineAction::Merge),
            ActivityKind::Working,
            8,
        ),
        attempt(
            (18, "dbs-12", "development"),
            agent("developer", "tailleferre"),
            question,
            310,
        ),
    ]
}

fn notice(seconds: u64, level: NoticeLevel, kind: &str, (task, text): (&str, &str)) -> LogLine {
    LogLine {
        seq: 100_000 - seconds,
        at: ago(seconds),
        notice: Notice {
            level,
            kind: kind.to_owned(),
            task: (!task.is_empty()).then(|| task.into()),
            attempt: None,
            text: text.to_owned(),
        },
    }
}

fn log() -> Vec<LogLine> {
    use NoticeLevel::{Alert, Error, Info, Success, Warning};
    let rejected = "sent back by reviewer-fauré: the test does not look at the query";
    let asks = "developer-tailleferre asks: keep the old checkout route?";
    let wants = "developer-milhaud wants to run: npm run migrate";
    let crashed = "the third crash; held until somebody acts";
    vec![
        notice(2460, Info, "start", ("", "watching shop, base feature/shop")),
        notice(
            1500,
            Success,
            "advance",
            ("dbs-3", "dbs-3 merged into feature/shop, 1 commit"),
        ),
        notice(800, Warning, "reject", ("dbs-4", rejected)),
        notice(660, Info, "spawn", ("dbs-4", "developer-ravel begins, try 3")),
        notice(310, Alert, "question", ("dbs-12", asks)),
        notice(240, Alert, "approval", ("dbs-16", "waits for approval")),
        notice(130, Alert, "permission", ("dbs-7", wants)),
        notice(120, Error, "crash", ("dbs-17", crashed)),
        notice(8, Info, "merge", ("dbs-11", "merging into feature/shop")),
    ]
}
