//! Bench with a board, a performer and real git; processes, terminals and agents only record what was asked of them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dbs::adapters::gates::ShellGates;
use dbs::adapters::git::{GitCli, GitSetup};
use dbs::adapters::workspaces::{PreparedWorkspaces, WorkspaceLocks, WorkspaceRules};
use dbs::domain::attempt::Attempt;
use dbs::domain::event::EndCause;
use dbs::domain::{
    Accepted, Ask, AskAnswer, AskReply, AttemptId, BatchId, Board, BoardSettings, Cause, Command, Effect,
    Event, MergeRules, MergeStyle, MergeVia, ProcessExit, RequestId, RoleChoice, SessionOrigin, SignalKind,
    Span, Task, TaskDraft, TaskId, Timestamp, Workflow,
};
use dbs::domain::{HiddenReason, HiddenVariable};
use dbs::engine::context::{EngineConfig, EngineContext};
use dbs::engine::event_loop::Perform as _;
use dbs::engine::green_gates::GreenGates;
use dbs::engine::inbox::{Envelope, InboxReceiver, Received, inbox};
use dbs::engine::performer::Performer;
use dbs::ports::agents::{Agents, Brief, LaunchCommand};
use dbs::ports::clock::Clock;
use dbs::ports::gates::{GateEnv, GateEnvSource, Gates};
use dbs::ports::git::Signature;
use dbs::ports::holders::{
    HolderId, HolderLiveness, HolderPortError, HolderProcess, HolderReport, Holders, LaunchError, LaunchSpec,
    PaneSize, StopOutcome,
};
use dbs::ports::terminals::Terminals;
use tokio_util::task::TaskTracker;

use crate::git_fixture::GitFixture;

/// Returns an environment of gates in which one variable of the person's shell is hidden.
fn gate_env(git: &GitFixture) -> GateEnvSource {
    let variables = git.environment();
    GateEnvSource::new(move || GateEnv {
        variables: variables.clone(),
        hidden: vec![HiddenVariable {
            reason: HiddenReason::Secret,
            name: "NPM_TOKEN".to_owned(),
        }],
    })
}

/// Recorder of what the outside was asked for, with its answers.
#[derive(Default)]
pub(crate) struct Outside {
    pub(crate) launches: Mutex<Vec<LaunchSpec>>,
    /// Worktrees that existed at each launch.
    pub(crate) surroundings: Mutex<Vec<Vec<String>>>,
    pub(crate) briefs: Mutex<Vec<Brief>>,
    pub(crate) stops: Mutex<Vec<String>>,
    pub(crate) found: Mutex<Vec<HolderReport>>,
    /// Holders whose leftovers were to be ended.
    pub(crate) sweeps: Mutex<Vec<String>>,
    /// Answers that were delivered to agents.
    pub(crate) answers: Mutex<Vec<(String, AskReply)>>,
    /// Holders whose terminals are followed.
    pub(crate) followed: Mutex<Vec<String>>,
    /// Last lines that every terminal showed.
    pub(crate) last_lines: Mutex<String>,
    pub(crate) mishap: Mutex<Mishap>,
    /// Session that agents leave, if any.
    pub(crate) session: Mutex<Option<String>>,
    /// Number of processes that survive an attempt to end them.
    pub(crate) survivors: Mutex<u32>,
}

/// Fault of the outside.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mishap {
    #[default]
    None,
    /// Processes cannot be started.
    NoLaunch,
    /// Processes cannot be listed.
    NoSweep,
    /// The folders of holders cannot be read.
    NoStatus,
    /// The part that knows agents panics.
    Panic,
    /// Nothing can be typed.
    NoTerminal,
}

impl Outside {
    fn mishap(&self) -> Mishap {
        *self.mishap.lock().unwrap()
    }

    fn terminal_is_there(&self) -> Result<(), Cause> {
        let is_there = self.mishap() != Mishap::NoTerminal;
        is_there
            .then_some(())
            .ok_or_else(|| "its terminal is not here".into())
    }
}

pub(crate) fn launched() -> HolderProcess {
    HolderProcess {
        holder_pid: 1,
        child_pid: 2,
        started_at: Timestamp(0),
        socket: PathBuf::new(),
    }
}

impl Holders for Outside {
    fn launch(&self, spec: &LaunchSpec) -> Result<HolderProcess, LaunchError> {
        self.launches.lock().unwrap().push(spec.clone());
        let around = spec.cwd.parent().map(names_in).unwrap_or_default();
        self.surroundings.lock().unwrap().push(around);
        match self.mishap() {
            Mishap::NoLaunch => Err(LaunchError::Failed("start a process: no memory".into())),
            Mishap::None | Mishap::NoSweep | Mishap::NoStatus | Mishap::NoTerminal | Mishap::Panic => {
                Ok(launched())
            }
        }
    }

    fn stop(&self, id: &HolderId, _grace: Span) -> Result<StopOutcome, HolderPortError> {
        self.stops.lock().unwrap().push(id.to_string());
        let survivors = *self.survivors.lock().unwrap();
        Ok(StopOutcome { survivors })
    }

    fn send(&self, _id: &HolderId, _bytes: &[u8]) -> Result<(), HolderPortError> {
        Ok(())
    }

    fn status(&self, id: &HolderId) -> HolderReport {
        let state = match self.mishap() {
            Mishap::NoStatus => HolderLiveness::Unknown("read its folder: no permission".to_owned()),
            _ => HolderLiveness::NotStarted,
        };
        HolderReport {
            id: id.clone(),
            state,
        }
    }

    fn inventory(&self) -> Result<Vec<HolderReport>, HolderPortError> {
        Ok(self.found.lock().unwrap().clone())
    }

    fn sweep_orphans(&self, id: &HolderId) -> Result<StopOutcome, HolderPortError> {
        if self.mishap() == Mishap::NoSweep {
            return Err(HolderPortError("list processes: no permission".to_owned()));
        }
        self.sweeps.lock().unwrap().push(id.to_string());
        Ok(StopOutcome { survivors: 0 })
    }

    fn tail(&self, _id: &HolderId, _bytes: u64) -> Vec<u8> {
        Vec::new()
    }
}

impl Terminals for Outside {
    fn follow(&self, id: &HolderId) {
        self.followed.lock().unwrap().push(id.to_string());
    }

    fn first_size(&self) -> PaneSize {
        PaneSize::cells(80, 24)
    }

    fn interrupt(&self, _id: &HolderId) -> Result<(), Cause> {
        Ok(())
    }

    fn type_line(&self, _id: &HolderId, _line: &str) -> Result<(), Cause> {
        self.terminal_is_there()
    }

    fn answer(&self, _: AttemptId, ask: &Ask, given: &AskAnswer) -> Result<(), Cause> {
        self.answers
            .lock()
            .unwrap()
            .push((ask.text.clone(), given.reply.clone()));
        self.terminal_is_there()
    }

    fn last_lines(&self, _id: &HolderId) -> String {
        self.last_lines.lock().unwrap().clone()
    }
}

impl Agents for Outside {
    fn launch_command(&self, brief: &Brief) -> Result<LaunchCommand, Cause> {
        self.briefs.lock().unwrap().push(brief.clone());
        assert!(self.mishap() != Mishap::Panic, "this part panics in the test");
        Ok(LaunchCommand {
            files: Vec::new(),
            argv: vec!["agent".to_owned()],
            env: Vec::new(),
        })
    }

    fn session(&self, of: RoleChoice<'_>, _: &SessionOrigin, _: &Path) -> Result<String, Cause> {
        let session = self.session.lock().unwrap().clone();
        session.ok_or_else(|| format!("the tool of a {} keeps no sessions", of.role).into())
    }

    fn end_cause(&self, _of: RoleChoice<'_>, _tail: &str, _now: Timestamp) -> Option<EndCause> {
        None
    }
}

struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp(1_700_000_000_000)
    }

    fn uptime(&self) -> Span {
        Span(0)
    }
}

pub(crate) struct Bench {
    pub(crate) git: GitFixture,
    pub(crate) rules: Arc<parking_lot::Mutex<WorkspaceRules>>,
    pub(crate) board: Board,
    pub(crate) outside: Arc<Outside>,
    pub(crate) now: Timestamp,
    performer: Performer,
    tracker: TaskTracker,
    outlet: InboxReceiver,
    keys: u64,
    _runtime: tokio::runtime::Runtime,
}

impl Bench {
    /// Returns a bench over a project with the branches `main` and `work` on origin; `work` is the base.
    pub(crate) fn new() -> Bench {
        Bench::with(BoardSettings {
            base: Some("work".to_owned()),
            ..BoardSettings::default()
        })
    }

    pub(crate) fn with(settings: BoardSettings) -> Bench {
        let git = GitFixture::new();
        let setup = GitSetup::new(git.project(), git.environment());
        Bench::over(git, &setup, settings)
    }

    /// Returns a bench over a fixture of the test's own, with git as the setup says.
    pub(crate) fn over(git: GitFixture, setup: &GitSetup, settings: BoardSettings) -> Bench {
        Bench::judged((git, setup), settings, Arc::new(ShellGates::default()))
    }

    /// Returns a bench with a script in place of git, which runs git itself at its end: `exec git "$@"`.
    #[cfg(unix)]
    pub(crate) fn scripted(git: GitFixture, script: &str) -> Bench {
        let program = git.root().join("scripted-git");
        crate::script::write_script(&program, script);
        let mut setup = GitSetup::new(git.project(), git.environment());
        setup.program = program.into();
        let settings = BoardSettings {
            base: Some("work".to_owned()),
            ..BoardSettings::default()
        };
        Bench::over(git, &setup, settings)
    }

    /// Returns a bench whose git writes each question to the remote as a line into the returned file.
    #[cfg(unix)]
    pub(crate) fn with_questions() -> (Bench, PathBuf) {
        let git = GitFixture::new();
        let questions = git.root().join("questions");
        let text = format!(
            "#!/bin/sh\ncase \"$*\" in *ls-remote*) echo \"$*\" >> '{}' ;; esac\nexec git \"$@\"\n",
            questions.display()
        );
        (Bench::scripted(git, &text), questions)
    }

    /// Returns a bench with gates of the test's own.
    pub(crate) fn judged(
        (git, setup): (GitFixture, &GitSetup),
        settings: BoardSettings,
        gates: Arc<dyn Gates>,
    ) -> Bench {
        git.git(&git.project(), &["push", "-q", "origin", "main:work"]);
        let cli: Arc<dyn dbs::ports::git::Git> = Arc::new(GitCli::open(setup).unwrap());
        let rules = Arc::new(parking_lot::Mutex::new(WorkspaceRules::default()));
        let in_force = Arc::clone(&rules);
        let outside = Arc::new(Outside::default());
        let (inlet, outlet) = inbox();
        let world = EngineContext {
            stories: Arc::new(dbs::adapters::stories::StoryFormats),
            workspaces: Arc::new(PreparedWorkspaces {
                git: Arc::clone(&cli),
                gates: Arc::clone(&gates),
                rules: Box::new(move || in_force.lock().clone()),
                root: git.project(),
                place: git.root().join("project.dbs"),
                given_ports: git.root().join("ports.json"),
                locks: WorkspaceLocks::default(),
            }),
            git: cli,
            gates,
            holders: Arc::clone(&outside) as _,
            agents: Arc::clone(&outside) as _,
            terminals: Arc::clone(&outside) as _,
            clock: Arc::new(Still),
            inbox: inlet,
            green_gates: GreenGates::default(),
            config: config(&git),
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .build()
            .unwrap();
        let tracker = TaskTracker::new();
        let mut bench = Bench {
            git,
            rules,
            board: Board::default(),
            outside,
            now: Still.now(),
            performer: Performer::new(Arc::new(world), runtime.handle().clone(), tracker.clone()),
            tracker,
            outlet,
            keys: 0,
            _runtime: runtime,
        };
        bench.happen(&Event::configured(settings));
        bench.happen(&Event::WorkflowsLoaded(workflows()));
        bench
    }

    /// Sets the free space of the disk, in MiB.
    pub(crate) fn has_room(&self, mib: u64) {
        std::fs::write(self.git.root().join("free"), (mib << 20).to_string()).unwrap();
    }

    /// Returns git as the engine uses it.
    #[cfg(unix)]
    pub(crate) fn git_cli(&self) -> GitCli {
        GitCli::open(&GitSetup::new(self.git.project(), self.git.environment())).unwrap()
    }

    /// Applies an event and everything that follows from it, until nothing is left to do.
    pub(crate) fn happen(&mut self, event: &Event) {
        self.take(event);
        self.rest();
    }

    /// Cleans up what earlier lives left behind, as a start does.
    pub(crate) fn tidy(&mut self) {
        self.performer.clean_up(&self.board);
        self.rest();
    }

    fn rest(&mut self) {
        loop {
            // The tracker is asked first: finished work has sent its events by then.
            let is_done = self.tracker.is_empty();
            match self.outlet.next(Some(Span(if is_done { 0 } else { 5 }))) {
                Received::Envelope(envelope) => self.receive(*envelope),
                Received::Deadline if is_done => return,
                Received::Deadline => {}
                Received::Closed => panic!("the inbox was closed"),
            }
        }
    }

    fn receive(&mut self, envelope: Envelope) {
        self.take(&envelope.event);
        if let Some(answer) = envelope.answer {
            drop(answer.try_send(Ok(Accepted("taken".to_owned()))));
        }
    }

    fn take(&mut self, event: &Event) {
        let mut effects = self.board.apply(self.now, event);
        effects.retain(|effect| !matches!(effect, Effect::Reply(..) | Effect::Notify(_)));
        self.performer.perform_all(effects, &self.board);
        self.board.take_changed_rows();
    }

    pub(crate) fn ask(&mut self, command: Command) {
        self.ask_as("ann", command);
    }

    pub(crate) fn ask_as(&mut self, by: &str, command: Command) {
        self.happen(&Event::Asked {
            request: RequestId(0),
            by: by.to_owned(),
            command,
        });
    }

    pub(crate) fn release(&mut self, draft: TaskDraft) {
        let id = draft.id.clone();
        self.ask(Command::Create(draft));
        self.ask(Command::Release(vec![id]));
    }

    pub(crate) fn wait(&mut self, span: Span) {
        self.now = self.now + span;
        self.happen(&Event::Ticked);
    }

    pub(crate) fn task(&self, id: &str) -> &Task {
        &self.board.tasks[&TaskId::from(id)]
    }

    pub(crate) fn stage(&self, id: &str) -> (&str, &str) {
        let task = self.task(id);
        (task.stage.as_str(), task.state.word())
    }

    /// Returns the agent at work on a task.
    pub(crate) fn agent(&self, id: &str) -> &Attempt {
        let open = self
            .task(id)
            .open_attempt
            .unwrap_or_else(|| panic!("{id} has no open attempt: {:?}", self.task(id)));
        &self.board.attempts[&open]
    }

    pub(crate) fn folder(&self, id: &str) -> PathBuf {
        let place = self.agent(id).workplace.as_ref();
        PathBuf::from(&place.expect("the agent has started").path)
    }

    pub(crate) fn says(&mut self, id: &str, kind: SignalKind, text: &str) {
        let attempt = self.agent(id).id;
        self.keys += 1;
        self.happen(&Event::Signalled {
            attempt,
            kind,
            text: text.to_owned(),
            key: self.keys.to_string(),
            report: None,
            claims: dbs::domain::Claims::default(),
            by_file: false,
        });
    }

    pub(crate) fn ends(&mut self, attempt: AttemptId) {
        self.happen(&Event::AttemptEnded {
            attempt,
            exit: ProcessExit::Code(0),
            tail: String::new(),
            cause: None,
        });
    }

    /// Sends that signal for the agent of a task and ends it.
    pub(crate) fn last_word(&mut self, id: &str, kind: SignalKind) {
        let attempt = self.agent(id).id;
        self.says(id, kind, "so it is");
        self.ends(attempt);
    }

    /// Commits a file as the developer of a task, who is then done; returns the commit.
    pub(crate) fn develop(&mut self, id: &str, file: &str, text: &str) -> String {
        let folder = self.folder(id);
        let commit = self.git.commit(&folder, file, text, "Work");
        self.last_word(id, SignalKind::Done);
        commit
    }

    pub(crate) fn comments(&self, id: &str) -> String {
        let texts = self.task(id).comments.iter().map(|comment| comment.text.as_str());
        texts.collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn launches(&self) -> Vec<LaunchSpec> {
        self.outside.launches.lock().unwrap().clone()
    }

    /// Returns the names of the worktree folders.
    pub(crate) fn worktrees(&self) -> Vec<String> {
        names_in(&self.git.project().join(".debussy-worktrees"))
    }

    /// Returns the branches of a repository.
    pub(crate) fn branches(&self, repository: &Path) -> Vec<String> {
        let text = self.git.git(
            repository,
            &["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/"],
        );
        text.lines().map(str::to_owned).collect()
    }

    pub(crate) fn head(&self, repository: &Path, branch: &str) -> String {
        self.git.git(repository, &["rev-parse", branch])
    }
}

/// Returns the paths, limits and identities of the engine.
fn config(git: &GitFixture) -> EngineConfig {
    let state = git.state();
    EngineConfig {
        merging: merge_rules(&state),
        commit_message: std::fs::read_to_string(state.join("commit-message")).ok(),
        root: git.project(),
        attempts: state.join("attempts"),
        checkouts: state.join("checkouts"),
        former_checkouts: Vec::new(),
        unguessable: dbs::adapters::project::random_word,
        gate_env: gate_env(git),
        gate_timeout: Duration::from_mins(1),
        marker: "test".to_owned(),
        log_limit: None,
        min_free_disk: 1 << 30,
        free_disk: |path| {
            std::fs::read_to_string(path.with_file_name("free"))
                .ok()?
                .parse()
                .ok()
        },
        author: Signature {
            name: "Ann".to_owned(),
            email: "ann@example.org".to_owned(),
            seconds: 0,
        },
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

/// Returns the style and message rules of merges that files of the state folder give.
fn merge_rules(state: &Path) -> MergeRules {
    let style = match std::fs::read_to_string(state.join("merge-style")).as_deref() {
        Ok("squash") => MergeStyle::Squash,
        Ok("rebase") => MergeStyle::Rebase,
        _ => MergeStyle::Merge,
    };
    let via = if state.join("merge-via-branch").exists() {
        MergeVia::Branch
    } else {
        MergeVia::Push
    };
    MergeRules {
        via,
        style,
        message: std::fs::read_to_string(state.join("merge-message")).ok(),
    }
}

pub(crate) fn workflows() -> Vec<Workflow> {
    let flows = dbs::formats::workflow::builtin().into_iter();
    flows
        .filter_map(|(name, text)| dbs::formats::workflow::read(name.as_ref(), text).0)
        .collect()
}

pub(crate) fn draft(id: &str, flow: &str, stage: Option<&str>) -> TaskDraft {
    TaskDraft {
        batch: BatchId::from("shop"),
        workflow: flow.into(),
        stage: stage.map(Into::into),
        ..TaskDraft::new(id, format!("Build {id}"))
    }
}
