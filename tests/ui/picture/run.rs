//! The demo as it runs where nothing is ever slow: its own plan and scenario under the rules of the board, with a clock that jumps. Every
//! run is the same. Branches, merges and processes are simulated as the demo's scripts describe them.

use std::collections::{BTreeMap, BTreeSet};

use dbs::adapters::rehearsal::{DemoPlan, DemoScript};
use dbs::adapters::rehearsal::{demo_commands, demo_rules};
use dbs::domain::attempt::Attempt;
use dbs::domain::{
    ActionOutcome, ActivityKind, AttemptId, Board, BoardSettings, Effect, EngineAction, Event, Evidence,
    EvidenceKind, MergeCheck, ProcessExit, RequestId, Span, TaskId, Timestamp, Tri, Worker, Workplace,
};
use dbs::formats::scenario::{
    AttemptContext, Scenario, ScenarioAskKind, ScenarioPart, ScenarioStep, StepAction,
};
use dbs::ui::LogLine;

/// Milliseconds after which the demo's questions answer themselves.
pub(crate) const ANSWERED_AFTER: u64 = 10_000;

/// A run, up to a moment.
pub(crate) struct Run {
    pub(crate) board: Board,
    pub(crate) now: Timestamp,
    pub(crate) log: Vec<LogLine>,
    pub(crate) scenario: Scenario,
    pub(crate) sheet: DemoPlan,
    pub(crate) branches: BTreeMap<TaskId, Branch>,
    /// Steps of each agent that take a while: their start, and the text on its screen meanwhile.
    pub(crate) beats: BTreeMap<AttemptId, Vec<(Timestamp, String)>>,
    agenda: BTreeMap<(Timestamp, u64), Event>,
    planned: u64,
    merged: BTreeSet<TaskId>,
    ended: BTreeSet<AttemptId>,
}

/// The branch of a task.
#[derive(Default)]
pub(crate) struct Branch {
    /// Paths and contents of the files it changes.
    pub(crate) files: BTreeMap<String, String>,
    commits: u32,
    is_dirty: bool,
    /// True once an integrator has combined it with the base.
    is_mended: bool,
}

impl Run {
    /// The demo, that long after its start.
    pub(crate) fn of_demo(began: Timestamp, after: Span) -> Run {
        let mut run = Run {
            board: Board::default(),
            now: began,
            log: Vec::new(),
            scenario: DemoScript::Tasks.scenario().expect("scenario"),
            sheet: DemoScript::Tasks.sheet().expect("tasks"),
            branches: BTreeMap::new(),
            beats: BTreeMap::new(),
            agenda: BTreeMap::new(),
            planned: 0,
            merged: BTreeSet::new(),
            ended: BTreeSet::new(),
        };
        run.begin();
        run.go_on_until(began + after);
        run
    }

    fn begin(&mut self) {
        let texts = dbs::formats::workflow::builtin().into_iter();
        let flows = texts.filter_map(|(name, text)| dbs::formats::workflow::read(name.as_ref(), text).0);
        self.take(&Event::configured(demo_rules(BoardSettings::default())));
        self.take(&Event::WorkflowsLoaded(flows.collect()));
        for (number, command) in (1..).zip(demo_commands(&self.sheet)) {
            self.take(&Event::Asked {
                request: RequestId(number),
                by: "demo".to_owned(),
                command,
            });
        }
    }

    /// Processes everything that is due by then.
    pub(crate) fn go_on_until(&mut self, end: Timestamp) {
        loop {
            let planned = self.agenda.keys().next().map(|(at, _)| *at);
            let due = self.board.next_deadline();
            let at = planned.into_iter().chain(due).min().filter(|at| *at <= end);
            let Some(at) = at else { break };
            self.now = self.now.max(at);
            let next = (planned == Some(at)).then(|| self.agenda.pop_first()).flatten();
            self.take(&next.map_or(Event::Ticked, |(_, event)| event));
        }
        self.now = end;
    }

    fn take(&mut self, event: &Event) {
        if let Event::AttemptEnded { attempt, .. } = event
            && !self.ended.insert(*attempt)
        {
            return;
        }
        for effect in self.board.apply(self.now, event) {
            self.perform(effect);
        }
    }

    fn later(&mut self, after: u64, event: Event) {
        self.planned += 1;
        self.agenda.insert((self.now + Span(after), self.planned), event);
    }

    fn perform(&mut self, effect: Effect) {
        let attempt = |id: AttemptId| self.board.attempts.get(&id).expect("attempt").as_ref().clone();
        match effect {
            Effect::Start(id) => self.start(&attempt(id)),
            Effect::Act(id, action) => self.act(&attempt(id), action),
            Effect::Verify {
                attempt: id,
                evidence,
                ..
            } => self.verify(&attempt(id), evidence),
            Effect::Stop(id, _) => self.later(60, ended(id, ProcessExit::Signal(15))),
            Effect::Settle(attempt) => {
                let settled = Event::WorkspaceSettled {
                    attempt,
                    problem: None,
                    kept: None,
                    files: Vec::new(),
                };
                self.later(150, settled);
            }
            Effect::Retire(task) => {
                let key = format!("retire/{task}");
                self.later(150, Event::Performed { key, problem: None });
            }
            Effect::Reply(_, answer) => drop(answer.expect("nothing is refused")),
            Effect::Notify(notice) => self.log.push(LogLine {
                seq: self.log.len() as u64 + 1,
                at: self.now,
                notice,
            }),
            Effect::Checkpoint(_)
            | Effect::Deliver(_)
            | Effect::Tell(..)
            | Effect::Interrupt(_)
            | Effect::Answer(..) => {}
        }
    }

    fn start(&mut self, attempt: &Attempt) {
        let workplace = Workplace {
            path: format!(".debussy-worktrees/{}", attempt.id),
            branch: Some(format!("feature/{}", attempt.task)),
            start: None,
            start_tree: None,
            git_overrides: None,
        };
        let id = attempt.id;
        self.later(
            250,
            Event::AttemptStarted {
                attempt: id,
                workplace,
            },
        );
        let part = self.part(attempt).clone();
        let mut at = 300;
        self.observed(at, id, ActivityKind::Working);
        if !self.play(attempt, &part.steps, &mut at) {
            self.later(at + 80, ended(id, ProcessExit::Code(0)));
        }
    }

    /// The part of the scenario that an attempt plays.
    pub(crate) fn part(&self, attempt: &Attempt) -> &ScenarioPart {
        let (task, mode) = (&self.board.tasks[&attempt.task], attempt.mode.to_string());
        let tags: Vec<String> = task.tags.iter().cloned().collect();
        let now = AttemptContext {
            stage: attempt.stage.as_str(),
            role: role_of(attempt),
            task: task.id.as_str(),
            title: &task.title,
            tags: &tags,
            number: attempt.n,
            mode: &mode,
        };
        self.scenario.part(&now).expect("a part for every attempt")
    }

    /// Plans the effects of steps, starting after that many milliseconds; returns true if the process ends with them.
    fn play(&mut self, attempt: &Attempt, steps: &[ScenarioStep], at: &mut u64) -> bool {
        let id = attempt.id;
        for step in steps {
            let shown = shown_by(&step.action).map(|text| (self.now + Span(*at), text));
            self.beats.entry(id).or_default().extend(shown);
            match &step.action {
                StepAction::Signal { kind, text, .. } => {
                    let said = Event::Signalled {
                        attempt: id,
                        kind: *kind,
                        text: text.clone().unwrap_or_default(),
                        report: None,
                        key: format!("{id}/{at}"),
                        claims: dbs::domain::Claims::default(),
                        by_file: false,
                    };
                    self.later(*at, said);
                }
                StepAction::Ask { text, kind, .. } => {
                    let asks = match kind {
                        ScenarioAskKind::Question => ActivityKind::Question(text.clone()),
                        ScenarioAskKind::Permission | ScenarioAskKind::Auth => {
                            ActivityKind::Permission(text.clone())
                        }
                    };
                    self.observed(*at, id, asks);
                    self.observed(*at + ANSWERED_AFTER, id, ActivityKind::Working);
                }
                StepAction::Require { path, text, failed } => {
                    let branch = self.branches.entry(attempt.task.clone()).or_default();
                    let holds = branch.files.get(path).is_some_and(|file| file.contains(text));
                    if !holds && self.play(attempt, failed, at) {
                        return true;
                    }
                }
                StepAction::Crash { .. } => {
                    self.later(*at, ended(id, ProcessExit::Signal(6)));
                    return true;
                }
                StepAction::Exit(code) => {
                    self.later(*at, ended(id, ProcessExit::Code(i32::from(*code))));
                    return true;
                }
                deed => self.change(&attempt.task, deed),
            }
            *at += milliseconds(&step.action);
        }
        false
    }

    fn observed(&mut self, after: u64, attempt: AttemptId, doing: ActivityKind) {
        let source = "osc 7501".to_owned();
        self.later(
            after,
            Event::Observed {
                attempt,
                doing,
                source,
            },
        );
    }

    /// Applies a step to the branch of a task.
    fn change(&mut self, task: &TaskId, deed: &StepAction) {
        let branch = self.branches.entry(task.clone()).or_default();
        let before = |path: &str| {
            let first = self.sheet.files.iter().find(|file| file.path == path);
            let mine = branch.files.get(path).cloned();
            mine.or_else(|| first.map(|file| file.text.clone()))
                .unwrap_or_default()
        };
        let (path, after) = match deed {
            StepAction::Write {
                path,
                text,
                append: true,
            } => (path, before(path) + text),
            StepAction::Write { path, text, .. } => (path, text.clone()),
            StepAction::Replace { path, edits } => {
                let text = before(path);
                let edit = edits
                    .iter()
                    .find(|edit| text.lines().any(|line| line == edit.line));
                let edit = edit.expect("a line to replace");
                (path, text.replacen(&edit.line, &edit.with, 1))
            }
            StepAction::Commit { .. } => {
                branch.commits += u32::from(std::mem::take(&mut branch.is_dirty));
                return;
            }
            StepAction::Merge { .. } => {
                branch.is_mended = true;
                return;
            }
            _ => return,
        };
        branch.files.insert(path.clone(), after);
        branch.is_dirty = true;
    }

    fn verify(&mut self, attempt: &Attempt, kinds: Vec<EvidenceKind>) {
        let commits = self
            .branches
            .get(&attempt.task)
            .map_or(0, |branch| branch.commits);
        let evidence = kinds.into_iter().map(|kind| Evidence {
            outcome: match kind {
                EvidenceKind::CommitsAhead if commits == 0 => Tri::No("nothing was committed".to_owned()),
                _ => Tri::Yes,
            },
            kind,
            issues: Vec::new(),
            tests: None,
        });
        let seen = Event::Verified {
            attempt: attempt.id,
            evidence: evidence.collect(),
            head: Some(format!("{}@{commits}", attempt.task)),
            integration: None,
        };
        self.later(400, seen);
    }

    fn act(&mut self, attempt: &Attempt, action: EngineAction) {
        assert_eq!(action, EngineAction::Merge, "the demo's only action");
        let task = &attempt.task;
        let touched = |id: &TaskId| -> Option<BTreeSet<&String>> {
            self.branches.get(id).map(|branch| branch.files.keys().collect())
        };
        let mine = touched(task).unwrap_or_default();
        let theirs = self.merged.iter().filter_map(touched);
        let collides = theirs.flatten().any(|path| mine.contains(path));
        let is_mended = self.branches.get(task).is_some_and(|branch| branch.is_mended);
        let outcome = if collides && !is_mended {
            ActionOutcome::Failed("conflict in cover.toml".to_owned())
        } else {
            self.merged.insert(task.clone());
            ActionOutcome::Done {
                commit: Some("merge".to_owned()),
                evidence: [EvidenceKind::Merged, EvidenceKind::Gates]
                    .map(|kind| Evidence {
                        kind,
                        outcome: Tri::Yes,
                        issues: Vec::new(),
                        tests: None,
                    })
                    .into(),
                check: MergeCheck::Checked,
            }
        };
        let attempt = attempt.id;
        self.later(600, Event::ActionEnded { attempt, outcome });
    }
}

/// The role of an agent.
pub(crate) fn role_of(attempt: &Attempt) -> &str {
    match &attempt.worker {
        Worker::Agent { role, .. } => role.as_str(),
        Worker::Engine(_) => "engine",
    }
}

fn ended(attempt: AttemptId, exit: ProcessExit) -> Event {
    Event::AttemptEnded {
        attempt,
        exit,
        tail: String::new(),
        cause: None,
    }
}

/// Duration of a step.
fn milliseconds(deed: &StepAction) -> u64 {
    let time = match deed {
        StepAction::Think { time, .. }
        | StepAction::Tool { time, .. }
        | StepAction::Bar { time, .. }
        | StepAction::Draw { time, .. }
        | StepAction::Sleep(time) => *time,
        _ => return instants(deed),
    };
    u64::try_from(time.as_millis()).expect("short")
}

/// Duration of a step that has no time of its own in the scenario.
fn instants(deed: &StepAction) -> u64 {
    let count = |many: usize| u64::try_from(many).expect("few");
    match deed {
        StepAction::Print {
            text, typed: true, ..
        } => 70 * count(text.split_inclusive(' ').count()),
        StepAction::Diff(text) => 40 * count(text.lines().count()),
        StepAction::Changes { .. } => 600,
        StepAction::Ask { .. } => ANSWERED_AFTER,
        StepAction::Commit { .. }
        | StepAction::Push { .. }
        | StepAction::Merge { .. }
        | StepAction::Check { .. } => 150,
        _ => 20,
    }
}

/// Last text that a longer step puts on the screen when it begins.
fn shown_by(deed: &StepAction) -> Option<String> {
    match deed {
        StepAction::Think { text, .. } => Some(text.clone()),
        StepAction::Tool { target, .. } => Some(target.clone()),
        StepAction::Ask { .. } => Some("y · n · 1-9 · Enter".to_owned()),
        _ => None,
    }
}
