//! Ground truth: processes, workspaces, branches and the remote. Effects change it and are answered by reports; performing an effect twice
//! changes nothing more.

use std::collections::{BTreeMap, BTreeSet};

use dbs_domain::attempt::{ActivityKind, AttemptState, Verdict, WorkspaceState};
use dbs_domain::event::EndCause;
use dbs_domain::evidence::{ComplianceIssue, Severity};
use dbs_domain::workflow::Workspace;
use dbs_domain::{
    ActionOutcome, AskChannel, AskId, AskReply, Attempt, AttemptId, Board, Cause, Claims, Effect,
    EngineAction, Event, Evidence, EvidenceKind, FailureClass, Inventory, MergeCheck, ProcessExit,
    SignalKind, TaskId, Timestamp, Tri, TroubleKind, Worker, Workplace,
};

use super::agenda::{Act, Agenda, Item};
use super::agents::plan;
use super::contents::Contents;
use super::dice::Dice;
use super::faults::Faults;
use super::outages::{NO_BASE, Outages, PROTECTED, UNREADABLE};
use super::requests::Requests;
use super::time_limits::RunLimit;

/// State of a process.
#[derive(Debug, Clone)]
pub(super) enum Process {
    Running,
    Ended(ProcessExit),
}

/// World outside the board.
#[derive(Debug, Clone)]
pub(super) struct World {
    pub(super) dice: Dice,
    pub(super) faults: Faults,
    pub(super) agenda: Agenda,
    pub(super) processes: BTreeMap<AttemptId, Process>,
    /// Worktrees that exist.
    pub(super) workspaces: BTreeSet<AttemptId>,
    /// Number of commits on each task's branch.
    pub(super) commits: BTreeMap<TaskId, u64>,
    /// Head of each task that is merged into the remote base.
    pub(super) merged: BTreeMap<TaskId, String>,
    /// Attempts that changed files they may only read.
    cheats: BTreeSet<AttemptId>,
    /// Attempts that wrote findings.
    writers: BTreeSet<AttemptId>,
    /// Heads that conflict with the base.
    conflicts: BTreeMap<TaskId, String>,
    /// Tasks whose branches were let go.
    pub(super) retired: BTreeSet<TaskId>,
    /// Task of every process that was started.
    pub(super) owners: BTreeMap<AttemptId, TaskId>,
    /// Time when the engine was first asked to start or stop an attempt that it cannot reach.
    pub(super) asked_since: BTreeMap<AttemptId, Timestamp>,
    /// Tasks about which a person asked for something since they were last left to a person.
    pub(super) seen_to: BTreeSet<TaskId>,
    pub(super) outages: Outages,
    pub(super) contents: Contents,
    pub(super) requests: Requests,
    /// Time limit of each agent at work.
    pub(super) limits: BTreeMap<AttemptId, RunLimit>,
    /// Violation of a rule that was seen while an effect was carried out.
    pub(super) wrong: Option<String>,
    n_keys: u64,
}

impl World {
    pub(super) fn new(dice: Dice, faults: Faults) -> World {
        World {
            dice,
            faults,
            agenda: Agenda::default(),
            processes: BTreeMap::new(),
            workspaces: BTreeSet::new(),
            commits: BTreeMap::new(),
            merged: BTreeMap::new(),
            cheats: BTreeSet::new(),
            writers: BTreeSet::new(),
            conflicts: BTreeMap::new(),
            retired: BTreeSet::new(),
            owners: BTreeMap::new(),
            asked_since: BTreeMap::new(),
            seen_to: BTreeSet::new(),
            outages: Outages::default(),
            contents: Contents::default(),
            requests: Requests::default(),
            limits: BTreeMap::new(),
            wrong: None,
            n_keys: 0,
        }
    }

    /// Returns the commit at the head of a task's branch.
    pub(super) fn head(&self, task: &TaskId) -> Option<String> {
        self.commits.get(task).map(|n| format!("{task}@{n}"))
    }

    /// Carries out an effect.
    pub(super) fn perform(&mut self, board: &Board, now: Timestamp, effect: &Effect) {
        match effect {
            Effect::Start(id) => self.with(board, *id, |world, attempt| world.start(board, now, attempt)),
            Effect::Act(id, action) => {
                self.with(board, *id, |world, attempt| {
                    world.act(board, now, attempt, *action);
                });
            }
            Effect::Stop(id, _) => {
                self.asked_since.entry(*id).or_insert(now);
                self.stop(now, *id);
            }
            Effect::Verify {
                attempt: id,
                evidence,
                ..
            } => self.with(board, *id, |world, attempt| world.verify(now, attempt, evidence)),
            Effect::Checkpoint(id) => {
                let event = Event::WorkSaved {
                    attempt: *id,
                    work: dbs_domain::SavedWork::default(),
                };
                self.agenda.report(now, 1, event);
            }
            Effect::Settle(id) => self.settle(now, *id),
            Effect::Retire(task) => self.retire(now, task),
            Effect::Answer(id, ask) => {
                self.with(board, *id, |world, attempt| world.answer(now, attempt, ask));
            }
            Effect::Deliver(_)
            | Effect::Tell(..)
            | Effect::Interrupt(_)
            | Effect::Reply(..)
            | Effect::Notify(_) => {}
        }
    }

    fn with(&mut self, board: &Board, id: AttemptId, act: impl FnOnce(&mut World, &Attempt)) {
        if let Some(attempt) = board.attempts.get(&id) {
            act(self, attempt);
        }
    }

    /// Moves the branch of a task that begins anew to the attic.
    fn put_aside(&mut self, board: &Board, attempt: &Attempt, place: Workspace) {
        let task = board.tasks.get(&attempt.task);
        if place == Workspace::Branch && task.is_some_and(|task| task.begins_anew) {
            self.contents.let_go(&attempt.task);
        }
    }

    fn start(&mut self, board: &Board, now: Timestamp, attempt: &Attempt) {
        let id = attempt.id;
        let delay = self.dice.between(1, 3_000);
        let workplace = Workplace {
            path: format!("trees/{id}"),
            branch: None,
            start: None,
            start_tree: None,
            git_overrides: None,
        };
        let new = !self.processes.contains_key(&id);
        let stage = board.stage_of_attempt(attempt);
        let place = stage.map_or(Workspace::None, |stage| attempt.mode.workspace(stage));
        if new && let Some(why) = self.why_not_made(attempt, place) {
            let event = Event::AttemptNotStarted { attempt: id, why };
            self.agenda.report(now, delay, event);
            return;
        }
        self.owners.insert(id, attempt.task.clone());
        let unreadable = self.is_unreadable(id);
        // A process may have been started or not; the engine cannot tell which.
        if new && unreadable && self.dice.percent(50) {
            return self.unknown(now, id);
        }
        if new {
            self.look_for_a_second(board, attempt);
            self.processes.insert(id, Process::Running);
            if !matches!(place, Workspace::Main | Workspace::None) {
                self.workspaces.insert(id);
                self.contents.check_out(id);
            }
            let made = Event::WorkplaceMade {
                attempt: id,
                workplace: workplace.clone(),
                kept: Vec::new(),
                gates_before: Vec::new(),
            };
            self.put_aside(board, attempt, place);
            self.agenda.report(now, 0, made);
            for (after, act) in plan(board, attempt, &self.faults, &mut self.dice) {
                let at = now + dbs_domain::Span(after);
                self.agenda.add(at, Item::Agent(id, act));
            }
        }
        if unreadable {
            return self.unknown(now, id);
        }
        self.asked_since.remove(&id);
        // From now on the process is followed, so an end that could not be read before is reported.
        if let Some(Process::Ended(exit)) = self.processes.get(&id).cloned() {
            self.end(now, id, exit);
        }
        self.agenda.report(
            now,
            delay,
            Event::AttemptStarted {
                attempt: id,
                workplace,
            },
        );
    }

    /// Returns why the workspace of an attempt cannot be made.
    fn why_not_made(&mut self, attempt: &Attempt, place: Workspace) -> Option<Cause> {
        let task = &attempt.task;
        if self.dice.percent(self.faults.start) {
            return Some("no worktree".into());
        }
        if self.outages.start_refused(task, &mut self.dice, &self.faults) {
            return Some(TroubleKind::Refusal.cause(NO_BASE));
        }
        if place != Workspace::Branch {
            return None;
        }
        // A branch is checked out in at most one worktree: earlier attempts must have ended, and their worktrees are put away first.
        let before = self.owners.iter().filter(|(_, owner)| *owner == task);
        let before = before
            .map(|(id, _)| *id)
            .filter(|id| self.workspaces.contains(id));
        let before: Vec<AttemptId> = before.collect();
        for id in before {
            let runs = matches!(self.processes.get(&id), Some(Process::Running));
            if runs || self.outages.holders.contains(&id) {
                return Some("the branch is checked out where somebody works".into());
            }
            self.contents.put_away(id);
            self.workspaces.remove(&id);
        }
        None
    }

    /// Records an error if two agents work on one task, unless the first was unreachable and given up, and a person has acted since.
    fn look_for_a_second(&mut self, board: &Board, attempt: &Attempt) {
        let others = self.owners.iter().filter(|(_, task)| **task == attempt.task);
        for (other, _) in others {
            let runs = matches!(self.processes.get(other), Some(Process::Running));
            let given_up = board.attempts.get(other).is_none_or(|other| {
                matches!(
                    other.state,
                    AttemptState::Settled(Verdict::Failed(FailureClass::Infra, _))
                )
            });
            if runs && !(given_up && self.seen_to.contains(&attempt.task)) {
                self.wrong = Some(format!(
                    "{} was started while {other} works on {}",
                    attempt.id, attempt.task
                ));
            }
        }
    }

    /// Returns true if the state of a process cannot be read, from now on until a person sees to it.
    fn is_unreadable(&mut self, id: AttemptId) -> bool {
        if self.outages.holders.contains(&id) {
            return true;
        }
        let breaks = self.dice.percent(self.faults.forever);
        if breaks {
            self.outages.lose_holder(id);
        }
        breaks
    }

    fn unknown(&mut self, now: Timestamp, attempt: AttemptId) {
        self.asked_since.entry(attempt).or_insert(now);
        let delay = self.dice.between(1, 3_000);
        let why = UNREADABLE.into();
        self.agenda
            .report(now, delay, Event::AttemptUnknown { attempt, why });
    }

    /// Restarts the machine: all running processes end, and nothing that they had planned happens. Returns how many ended.
    pub(super) fn machine_restarts(&mut self) -> usize {
        let running = self.processes.iter_mut();
        let running = running.filter(|(_, process)| matches!(process, Process::Running));
        let mut gone = Vec::new();
        for (id, process) in running {
            *process = Process::Ended(ProcessExit::MachineStopped);
            gone.push(*id);
        }
        for id in &gone {
            self.agenda.forget_agent(*id);
            self.requests.forget(*id);
        }
        gone.len()
    }

    /// Lets an agent do what it had planned, if it still runs.
    pub(super) fn agent_acts(&mut self, board: &Board, now: Timestamp, id: AttemptId, act: &Act) {
        let Some(attempt) = board.attempts.get(&id) else {
            return;
        };
        let lives = matches!(self.processes.get(&id), Some(Process::Running));
        match act {
            // A late signal was put into the inbox before its sender ended.
            Act::Say(kind, times) => {
                self.n_keys += 1;
                let claims = self.claims(*kind);
                for _ in 0..*times {
                    let event = Event::Signalled {
                        attempt: id,
                        kind: *kind,
                        text: format!("{kind} of {id}"),
                        report: None,
                        key: format!("k{}", self.n_keys),
                        claims: claims.clone(),
                        by_file: false,
                    };
                    let delay = self.dice.between(0, 200);
                    self.agenda.report(now, delay, event);
                }
            }
            _ if !lives => {}
            Act::Commit => {
                self.contents.write(id);
                self.contents.commit(id, &attempt.task);
                *self.commits.entry(attempt.task.clone()).or_insert(0) += 1;
                if !self.dice.percent(self.faults.gates) {
                    let name = "validator".to_owned();
                    let seen = Event::SubagentSeen { attempt: id, name };
                    self.agenda.report(now, 1, seen);
                }
            }
            Act::Ask => self.ask(now, id),
            Act::TakeBack => {
                if let Some((ask, rest)) = self.requests.take_back(id) {
                    self.goes_on(now, id, rest);
                    let withdrawn = Event::AskWithdrawn { attempt: id, ask };
                    self.agenda.report(now, 1, withdrawn);
                }
            }
            Act::Show(doing) => self.show(now, id, doing.clone()),
            Act::Cheat => {
                self.contents.write(id);
                self.cheats.insert(id);
            }
            Act::Write => {
                self.contents.write(id);
                self.writers.insert(id);
            }
            Act::End(code) => self.end(now, id, ProcessExit::Code(*code)),
        }
    }

    /// Returns what an agent claims with its last signal: the steps it was told to report, unless it forgets them.
    fn claims(&mut self, kind: SignalKind) -> Claims {
        let mut claims = Claims::default();
        if kind == SignalKind::Done && !self.dice.percent(self.faults.gates) {
            claims.steps.push("write_notes".to_owned());
        }
        claims
    }

    /// Opens an ask of a tool, whose agent waits for the answer. A setting may answer it, or a person in the terminal meanwhile.
    fn ask(&mut self, now: Timestamp, id: AttemptId) {
        let mut rest = self.agenda.take_plan(now, id);
        let is_taken_back = matches!(rest.first(), Some((_, Act::TakeBack)));
        if is_taken_back {
            let (after, act) = rest.remove(0);
            self.agenda
                .add(now + dbs_domain::Span(after), Item::Agent(id, act));
        }
        let ask = self.requests.ask(id, rest, &mut self.dice);
        let rule = self.dice.percent(10).then(|| {
            let by = "roles.developer.permissions".to_owned();
            (by, AskReply::Allow)
        });
        let delay = self.dice.between(0, 200);
        let attempt = id;
        self.agenda
            .report(now, delay, Event::AskOpened { attempt, ask, rule });
    }

    fn show(&mut self, now: Timestamp, attempt: AttemptId, doing: ActivityKind) {
        let delay = self.dice.between(0, 200);
        let source = "osc 7501".to_owned();
        let event = Event::Observed {
            attempt,
            doing,
            source,
        };
        self.agenda.report(now, delay, event);
    }

    fn goes_on(&mut self, now: Timestamp, id: AttemptId, rest: Vec<(u64, Act)>) {
        for (after, act) in rest {
            self.agenda
                .add(now + dbs_domain::Span(after), Item::Agent(id, act));
        }
    }

    /// Delivers an answer: the tool reads the reply to a request from the board, and any other answer is typed.
    fn answer(&mut self, now: Timestamp, attempt: &Attempt, ask: &AskId) {
        let id = attempt.id;
        let known = attempt.asks.iter().find(|known| known.ask.id == *ask);
        if known.is_none_or(|known| known.ask.channel == AskChannel::Request) {
            return;
        }
        let runs = matches!(self.processes.get(&id), Some(Process::Running));
        if !runs || self.dice.percent(self.faults.replies) {
            let event = Event::AnswerLost {
                attempt: id,
                ask: ask.clone(),
                problem: "its terminal is not here".to_owned(),
            };
            return self.agenda.report(now, 1, event);
        }
        self.requests.typed.insert((id, ask.clone()));
        if known.is_some_and(|known| known.ask.channel == AskChannel::Line) {
            let ask = ask.clone();
            self.agenda
                .report(now, 1, Event::AnswerTyped { attempt: id, ask });
        }
        if self.dice.percent(70) {
            self.show(now, id, ActivityKind::Working);
        }
    }

    /// Lets a person answer the dialogs that only a terminal accepts.
    pub(super) fn close_dialogs(&mut self, board: &Board, now: Timestamp) {
        let running = board.attempts.values().filter(|attempt| {
            let runs = matches!(self.processes.get(&attempt.id), Some(Process::Running));
            let mut open = attempt.open_asks(now);
            runs && open.any(|known| known.ask.channel == AskChannel::Terminal)
        });
        let asking: Vec<AttemptId> = running.map(|attempt| attempt.id).collect();
        for id in asking {
            if self.dice.percent(10) {
                self.show(now, id, ActivityKind::Working);
            }
        }
    }

    /// Lets the tools that wait for a reply look for it on the board.
    pub(super) fn hear_replies(&mut self, board: &Board, now: Timestamp) {
        match self.requests.hear(board, &mut self.dice, self.faults.replies) {
            Ok(going_on) => {
                for (id, rest) in going_on {
                    self.goes_on(now, id, rest);
                }
            }
            Err(wrong) => self.wrong = Some(wrong),
        }
    }

    /// Sends requests that still wait for a reply to the next server.
    pub(super) fn ask_again(&mut self, now: Timestamp) {
        for (attempt, ask) in self.requests.again() {
            let event = Event::AskOpened {
                attempt,
                ask,
                rule: None,
            };
            self.agenda.report(now, 1, event);
        }
    }

    fn end(&mut self, now: Timestamp, id: AttemptId, exit: ProcessExit) {
        self.processes.insert(id, Process::Ended(exit.clone()));
        self.requests.forget(id);
        if self.outages.holders.contains(&id) {
            return;
        }
        let cause = self.dice.percent(self.faults.named).then(|| {
            if self.dice.percent(50) {
                EndCause::Quota {
                    until: Some(now + dbs_domain::Span::minutes(20)),
                    why: "limit".to_owned(),
                }
            } else {
                EndCause::Infra("not logged in".into())
            }
        });
        let delay = self.dice.between(0, 500);
        let event = Event::AttemptEnded {
            attempt: id,
            exit,
            tail: "…".to_owned(),
            cause,
        };
        self.agenda.report(now, delay, event);
    }

    fn stop(&mut self, now: Timestamp, id: AttemptId) {
        if self.dice.percent(self.faults.stop) {
            return;
        }
        if self.outages.holders.contains(&id) {
            return self.unknown(now, id);
        }
        self.agenda.forget_agent(id);
        match self.processes.get(&id).cloned() {
            Some(Process::Running) => self.end(now, id, ProcessExit::Signal(15)),
            Some(Process::Ended(exit)) => self.end(now, id, exit),
            None => self.end(now, id, ProcessExit::Vanished),
        }
    }

    fn verify(&mut self, now: Timestamp, attempt: &Attempt, kinds: &[EvidenceKind]) {
        let mut evidence = Vec::new();
        for kind in kinds {
            if self.dice.percent(self.faults.missing) {
                continue;
            }
            let seen = Evidence::new(kind.clone(), self.look(attempt, kind));
            let is_lesser = seen.kind == EvidenceKind::Notes && matches!(seen.outcome, Tri::No(_));
            let severity = if self.dice.percent(50) {
                Severity::Low
            } else {
                Severity::High
            };
            let issues = is_lesser.then(|| ComplianceIssue::new(severity, "notes are wanting"));
            evidence.push(Evidence {
                issues: issues.into_iter().collect(),
                tests: None,
                ..seen
            });
        }
        let head = self.head(&attempt.task);
        let delay = self.dice.between(1, 2_000);
        let event = Event::Verified {
            attempt: attempt.id,
            evidence,
            head,
            integration: None,
        };
        self.agenda.report(now, delay, event);
    }

    fn look(&mut self, attempt: &Attempt, kind: &EvidenceKind) -> Tri {
        if self.outages.is_mute(&attempt.task, &mut self.dice, &self.faults) {
            return Tri::Unknown("git never answers".into());
        }
        if self.dice.percent(self.faults.unknown) {
            return Tri::Unknown("no network".into());
        }
        let yes = match kind {
            EvidenceKind::CommitsAhead | EvidenceKind::Pushed => self.commits.contains_key(&attempt.task),
            EvidenceKind::Merged => self.merged.contains_key(&attempt.task),
            EvidenceKind::WorkspaceUnchanged => !self.cheats.contains(&attempt.id),
            EvidenceKind::Commented | EvidenceKind::Report(_) => self.writers.contains(&attempt.id),
            EvidenceKind::Gates
            | EvidenceKind::Notes
            | EvidenceKind::Protected
            | EvidenceKind::ListedFiles
            | EvidenceKind::GateFails(_)
            | EvidenceKind::Tests => !self.dice.percent(self.faults.gates),
            EvidenceKind::Committed => true,
            EvidenceKind::Approved | EvidenceKind::AgentsUsed | EvidenceKind::StepsDone => false,
        };
        if yes {
            Tri::Yes
        } else {
            Tri::No(format!("{kind:?} is not so"))
        }
    }

    fn act(&mut self, board: &Board, now: Timestamp, attempt: &Attempt, action: EngineAction) {
        let outcome = if self.outages.is_mute(&attempt.task, &mut self.dice, &self.faults) {
            ActionOutcome::Unknown("git never answers".into())
        } else if self.dice.percent(self.faults.unknown) {
            ActionOutcome::Unknown("no network".into())
        } else {
            match action {
                EngineAction::Merge => self.merge(board, attempt),
                EngineAction::Verify => self.check(),
                EngineAction::Commit => {
                    self.contents.commit(attempt.id, &attempt.task);
                    *self.commits.entry(attempt.task.clone()).or_insert(0) += 1;
                    done(board, attempt, self.head(&attempt.task))
                }
            }
        };
        let delay = self.dice.between(1, 3_000);
        let event = Event::ActionEnded {
            attempt: attempt.id,
            outcome,
        };
        self.agenda.report(now, delay, event);
    }

    /// Merges the recorded head, as the engine does; a conflict lasts until the branch gets a new commit.
    fn merge(&mut self, board: &Board, attempt: &Attempt) -> ActionOutcome {
        let task = &attempt.task;
        let Some(head) = board.tasks.get(task).and_then(|task| task.head.clone()) else {
            return ActionOutcome::Failed("no head was recorded".to_owned());
        };
        if self.merged.get(task) != Some(&head) {
            if !self.conflicts.contains_key(task) && self.dice.percent(self.faults.gates) {
                self.conflicts.insert(task.clone(), head.clone());
            }
            if self.conflicts.get(task) == Some(&head) && self.faults.gates > 0 {
                return ActionOutcome::Failed("conflict".to_owned());
            }
            if self.outages.merge_refused(task, &mut self.dice, &self.faults) {
                return ActionOutcome::Refused(PROTECTED.to_owned());
            }
            self.merged.insert(task.clone(), head.clone());
            self.contents.merge(task);
        }
        done(board, attempt, Some(format!("merge of {head}")))
    }

    fn check(&mut self) -> ActionOutcome {
        let mut issues = Vec::new();
        while issues.len() < 3 && self.dice.percent(self.faults.gates) {
            let all = [Severity::Low, Severity::High, Severity::Critical];
            let severity = self.dice.pick(&all).copied().unwrap_or(Severity::Low);
            issues.push(ComplianceIssue {
                severity,
                text: "an issue".to_owned(),
            });
        }
        ActionOutcome::Issues(issues)
    }

    fn settle(&mut self, now: Timestamp, attempt: AttemptId) {
        let problem = self.why_not_removed(attempt);
        // If the engine is killed between the copy and the removal, the next one does both again.
        let halfway = problem.is_none() && self.dice.percent(self.faults.engine);
        if problem.is_none() || self.dice.percent(50) {
            self.contents.keep(attempt);
        }
        if halfway {
            return;
        }
        if problem.is_none() {
            self.contents.put_away(attempt);
            self.workspaces.remove(&attempt);
        }
        let delay = self.dice.between(1, 1_000);
        self.agenda.report(
            now,
            delay,
            Event::WorkspaceSettled {
                attempt,
                problem,
                kept: None,
                files: Vec::new(),
            },
        );
    }

    fn why_not_removed(&mut self, attempt: AttemptId) -> Option<String> {
        if self.outages.holders.contains(&attempt) {
            return Some(UNREADABLE.to_owned());
        }
        if self.dice.percent(self.faults.settle) {
            return Some("busy".to_owned());
        }
        if matches!(self.processes.get(&attempt), Some(Process::Running)) {
            self.agenda.forget_agent(attempt);
            self.requests.forget(attempt);
            self.processes
                .insert(attempt, Process::Ended(ProcessExit::Signal(9)));
        }
        None
    }

    fn retire(&mut self, now: Timestamp, task: &TaskId) {
        let problem = self
            .dice
            .percent(self.faults.settle)
            .then(|| "offline".to_owned());
        if problem.is_none() {
            self.retired.insert(task.clone());
            self.contents.let_go(task);
        }
        let key = format!("retire/{task}");
        let delay = self.dice.between(1, 1_000);
        self.agenda.report(now, delay, Event::Performed { key, problem });
    }

    /// Returns what the engine finds when it starts again. With the fault on, part of it is unknown; processes that have ended are then
    /// reported later, as the engine does once it follows their terminal.
    pub(super) fn inventory(&mut self, board: &Board, now: Timestamp) -> Inventory {
        let mut found = Inventory::default();
        for attempt in board.attempts.values() {
            let is_agent = matches!(attempt.worker, Worker::Agent { .. });
            if !attempt.state.is_open() || !is_agent {
                continue;
            }
            let Some(process) = self.processes.get(&attempt.id).cloned() else {
                continue;
            };
            if self.is_unreadable(attempt.id) {
                found.unknown.insert(attempt.id);
                continue;
            }
            let hidden = self.dice.percent(self.faults.unknown / 2);
            match process {
                _ if hidden => {
                    found.unknown.insert(attempt.id);
                    if let Process::Ended(exit) = process {
                        self.end(now, attempt.id, exit);
                    }
                }
                Process::Running => {
                    found.running.insert(attempt.id);
                }
                Process::Ended(exit) => {
                    found.ended.insert(attempt.id, (exit, "…".to_owned()));
                }
            }
        }
        found
    }

    /// Returns a running process whose board row is closed: an agent without an owner.
    pub(super) fn orphan(&self, board: &Board) -> Option<AttemptId> {
        let running = self
            .processes
            .iter()
            .filter(|(_, process)| matches!(process, Process::Running));
        running.map(|(id, _)| *id).find(|id| {
            !board
                .attempts
                .get(id)
                .is_some_and(|attempt| attempt.state.is_open())
        })
    }

    /// Returns a worktree that will never be put away.
    pub(super) fn leftover(&self, board: &Board) -> Option<AttemptId> {
        let known = |id: &AttemptId| {
            board.attempts.get(id).is_some_and(|attempt| {
                attempt.state.is_open() || attempt.workspace == WorkspaceState::Leaving
            })
        };
        self.workspaces.iter().find(|id| !known(id)).copied()
    }
}

fn done(board: &Board, attempt: &Attempt, commit: Option<String>) -> ActionOutcome {
    let kinds = board
        .stage_of_attempt(attempt)
        .map(|stage| stage.evidence.clone());
    let kinds = kinds.unwrap_or_default().into_iter();
    let evidence = kinds.map(|kind| Evidence::new(kind, Tri::Yes));
    ActionOutcome::Done {
        commit,
        evidence: evidence.collect(),
        check: MergeCheck::Checked,
    }
}
