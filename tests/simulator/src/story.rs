//! Story of one seed: a plan, then bad days as the seed allows them, then good ones until everything is done. Every step is checked; at the
//! end the log is replayed.

use std::any::Any;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::rc::Rc;

use dbs_domain::board::check_invariants;
use dbs_domain::task::HoldReason;
use dbs_domain::{
    AttemptId, Board, BoardSettings, Effect, Event, Inventory, RequestId, TaskId, TaskState, Timestamp,
    Workflow,
};

use super::agenda::Item;
use super::dice::Dice;
use super::faults::Faults;
use super::people;
use super::rules::{self, Step};
use super::time_limits;
use super::world::World;

/// Highest number of steps on bad days.
const BAD_STEPS: usize = 250;
/// Number of steps on good days within which everything must have ended.
const GOOD_STEPS: usize = 4_000;
/// Number of last events that the report of a broken rule shows.
const REPORTED: usize = 25;

/// Counters of a story.
#[derive(Debug, Clone, Copy, Default)]
pub struct Outcome {
    /// Tasks planned.
    pub tasks: usize,
    /// Events taken in.
    pub steps: usize,
    /// Attempts begun.
    pub attempts: u64,
    /// Times the engine died.
    pub deaths: usize,
    /// Times the machine restarted, and agents that were lost with it.
    pub restarts: usize,
    pub interrupted: usize,
    /// Definite refusals: of a merge by the remote, or of a start because its base is missing.
    pub refused: usize,
    /// Holders that could not be read and tasks about which git was silent, until a person saw to them.
    pub unknown: usize,
    /// Times a task was left to a person because of something outside.
    pub troubles: usize,
    /// Workspaces that were left to a person.
    pub unremovable: usize,
    /// Pieces of work that agents wrote.
    pub written: u64,
    /// Replies that tools received, requests that were answered in the terminal, and requests that were made again to the next engine.
    pub replies: usize,
    pub taken_back: usize,
    pub asked_again: usize,
    /// Answers that were typed.
    pub typed: usize,
    /// Agents that were stopped because they ran too long.
    pub timeouts: usize,
}

impl Outcome {
    /// Adds the counters of another story.
    pub fn add(&mut self, other: &Outcome) {
        self.tasks += other.tasks;
        self.steps += other.steps;
        self.attempts += other.attempts;
        self.deaths += other.deaths;
        self.restarts += other.restarts;
        self.interrupted += other.interrupted;
        self.refused += other.refused;
        self.unknown += other.unknown;
        self.troubles += other.troubles;
        self.unremovable += other.unremovable;
        self.written += other.written;
        self.replies += other.replies;
        self.taken_back += other.taken_back;
        self.asked_again += other.asked_again;
        self.typed += other.typed;
        self.timeouts += other.timeouts;
    }
}

/// Story in which a rule was broken.
#[derive(Debug)]
pub struct Broken {
    seed: u64,
    step: usize,
    rule: String,
    last: Vec<String>,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.last {
            writeln!(f, "  {line}")?;
        }
        writeln!(f, "seed {}, step {}: {}", self.seed, self.step, self.rule)?;
        write!(
            f,
            "again with: cargo run --example simulate -- --seed {} --pipelines 1",
            self.seed
        )
    }
}

struct Story {
    board: Board,
    world: World,
    dice: Dice,
    /// Time of the world, which only goes forward.
    now: Timestamp,
    /// Milliseconds by which the engine's clock is ahead: a person may set it, and a machine may sleep.
    clock_ahead: i64,
    start: Board,
    log: Vec<(Timestamp, Rc<Event>)>,
    outcome: Outcome,
    requests: u64,
    told: Told,
    /// True if the bad days are over.
    is_healed: bool,
}

/// Function that returns what people are told of attempts on a board.
pub type Told = fn(&Board) -> Vec<(AttemptId, String)>;

/// Tells the story of a seed.
///
/// # Errors
/// Returns an error if a rule was broken.
pub fn tell(
    seed: u64,
    flows: &[Workflow],
    settings: &BoardSettings,
    told: Told,
) -> Result<Outcome, Box<Broken>> {
    let mut dice = Dice::new(seed);
    let faults = Faults::swarm(&mut dice);
    let start = Board::default();
    let mut story = Story {
        board: start.clone(),
        world: World::new(Dice::new(dice.roll()), faults),
        dice,
        now: Timestamp(1_700_000_000_000),
        clock_ahead: 0,
        start,
        log: Vec::new(),
        outcome: Outcome::default(),
        requests: 0,
        told,
        is_healed: false,
    };
    // The board checks its own invariants in debug builds, so a panic there is reported with the seed, too.
    let end = panic::catch_unwind(AssertUnwindSafe(|| {
        story.begin(flows, settings).and_then(|()| story.live())
    }));
    story.outcome.refused = story.world.outages.n_refused;
    story.outcome.unknown = story.world.outages.n_unknown;
    let requests = &story.world.requests;
    story.outcome.replies = requests.n_replies;
    story.outcome.taken_back = requests.n_taken_back;
    story.outcome.asked_again = requests.n_again;
    story.outcome.typed = requests.typed.len();
    story.outcome.written = story.world.contents.written();
    match end.unwrap_or_else(|said| Err(rule_of(said.as_ref()))) {
        Ok(()) => Ok(story.outcome),
        Err(rule) => Err(Box::new(Broken {
            seed,
            step: story.outcome.steps,
            rule,
            last: story.last(),
        })),
    }
}

/// Returns the rule that a panic reports.
fn rule_of(said: &(dyn Any + Send)) -> String {
    let text = said.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| said.downcast_ref::<&str>().copied());
    format!("panicked: {}", text.unwrap_or("without a word"))
}

impl Story {
    fn begin(&mut self, flows: &[Workflow], settings: &BoardSettings) -> Result<(), String> {
        let mut settings = settings.clone();
        settings.max_agents = u32::try_from(self.dice.between(1, 6)).unwrap_or(2);
        settings.max_starts = u32::try_from(self.dice.between(1, 4)).unwrap_or(2);
        self.take(Event::configured(settings))?;
        self.take(Event::WorkflowsLoaded(flows.to_vec()))?;
        let plan = people::plan(&self.board, &mut self.dice);
        for command in plan {
            self.ask(command)?;
        }
        self.outcome.tasks = self.board.tasks.len();
        Ok(())
    }

    fn live(&mut self) -> Result<(), String> {
        let bad = usize::try_from(self.dice.between(0, u64::try_from(BAD_STEPS).unwrap_or(100))).unwrap_or(0);
        for _ in 0..bad {
            if self.dice.percent(self.world.faults.engine) {
                self.die()?;
            }
            if self.dice.percent(self.world.faults.machine) {
                self.restart()?;
            }
            if self.dice.percent(self.world.faults.clock) {
                self.set_clock()?;
            }
            if self.dice.percent(self.world.faults.people) {
                let command = people::meddle(&self.board, &mut self.dice);
                self.ask(command)?;
            }
            self.answer()?;
            if !self.next()? {
                break;
            }
        }
        self.heal()?;
        self.finish()
    }

    /// Runs the good days: nothing goes wrong any more, and a patient person helps whenever nothing happens by itself.
    fn heal(&mut self) -> Result<(), String> {
        self.world.faults = Faults::default();
        self.is_healed = true;
        // The next engine hears of agents that hang or were given up earlier.
        self.die()?;
        for _ in 0..GOOD_STEPS {
            self.answer()?;
            if self.next()? {
                continue;
            }
            rules::quiet(&self.board, &self.world, self.told)?;
            match people::help(&self.board) {
                Some(command) => self.ask(command)?,
                None => return Ok(()),
            }
        }
        let open: Vec<String> = self
            .board
            .tasks
            .values()
            .filter(|task| !matches!(task.state, TaskState::Done | TaskState::Cancelled))
            .map(|task| {
                format!(
                    "{} {:?} {:?} in {}",
                    task.id, task.state, task.why_not, task.stage
                )
            })
            .collect();
        Err(format!("it does not end: {}", open.join("; ")))
    }

    /// Lets the next event happen; returns false if there will be none.
    fn next(&mut self) -> Result<bool, String> {
        let due = self.board.next_deadline().map(|due| due.moved(-self.clock_ahead));
        let next = self.world.agenda.next_at();
        match (due, next) {
            (None, None) => Ok(false),
            (Some(due), next) if next.is_none_or(|next| due <= next) => {
                self.now = self.now.max(due);
                self.take(Event::Ticked)?;
                Ok(true)
            }
            _ => {
                if let Some((at, item)) = self.world.agenda.next() {
                    self.now = self.now.max(at);
                    match item {
                        Item::Report(event) => self.take(*event)?,
                        Item::Agent(id, act) => self.world.agent_acts(&self.board, self.now, id, &act),
                    }
                }
                Ok(true)
            }
        }
    }

    /// Sets the clock back or forward, as a person does, or as a machine shows after a night of sleep.
    fn set_clock(&mut self) -> Result<(), String> {
        const HOUR: i64 = 3_600_000;
        let hours = i64::try_from(self.dice.between(0, 48)).unwrap_or_default();
        let by = (hours - 24) * HOUR - self.clock_ahead;
        self.clock_ahead += by;
        self.take(Event::ClockJumped { by })
    }

    /// Lets a person answer an ask of an agent.
    fn answer(&mut self) -> Result<(), String> {
        let is_there = self.dice.percent(self.world.faults.people.max(20));
        if is_there {
            self.world.close_dialogs(&self.board, self.now);
        }
        let command = is_there.then(|| people::answer(&self.board, self.clock(), &mut self.dice));
        command.flatten().map_or(Ok(()), |command| self.ask(command))
    }

    /// Returns the time that the engine's clock shows.
    fn clock(&self) -> Timestamp {
        self.now.moved(self.clock_ahead)
    }

    fn ask(&mut self, command: dbs_domain::Command) -> Result<(), String> {
        self.requests += 1;
        self.world.seen_to.extend(command.tasks());
        // A person who retries a task has usually fixed what blocked it, and always has at the end of the story.
        if let dbs_domain::Command::Retry { task, .. } = &command
            && (self.is_healed || self.dice.percent(50))
        {
            self.world.outages.lift(task, &self.world.owners);
        }
        self.take(Event::Asked {
            request: RequestId(self.requests),
            by: "ada".to_owned(),
            command,
        })
    }

    /// Restarts the machine: no agent is left, and the next server knows only what is stored.
    fn restart(&mut self) -> Result<(), String> {
        self.outcome.restarts += 1;
        self.outcome.interrupted += self.world.machine_restarts();
        self.board =
            stored(&self.board).map_err(|error| format!("the board could not be stored: {error}"))?;
        // A board checks itself after an event only if it was sound before.
        check_invariants(&self.board).map_err(|broken| broken.text)?;
        self.die()
    }

    /// Kills and starts the engine: reports on their way are lost, and the board is what was committed.
    fn die(&mut self) -> Result<(), String> {
        self.outcome.deaths += 1;
        self.world.agenda.lose_reports();
        let inventory = self.world.inventory(&self.board, self.now);
        self.take(Event::Woke(inventory))?;
        self.world.ask_again(self.now);
        let over = self
            .board
            .tasks
            .keys()
            .filter(|task| self.board.is_retirable(task));
        let open: Vec<TaskId> = over
            .filter(|task| !self.world.retired.contains(*task))
            .cloned()
            .collect();
        for task in open {
            self.world.perform(&self.board, self.now, &Effect::Retire(task));
        }
        Ok(())
    }

    /// Checks that the same inventory applied again changes nothing more.
    fn twice(&self, inventory: &Inventory) -> Result<(), String> {
        let mut again = self.board.clone();
        again.apply(self.clock(), &Event::Woke(inventory.clone()));
        again.take_changed_rows();
        // Tasks that the limit of starts per turn held back start with any event.
        let mut once = self.board.clone();
        once.apply(self.clock(), &Event::configured((*self.board.settings).clone()));
        once.take_changed_rows();
        if again == once {
            return Ok(());
        }
        Err("the same inventory twice changed something more".to_owned())
    }

    fn take(&mut self, event: Event) -> Result<(), String> {
        self.outcome.steps += 1;
        let now = self.clock();
        let event = Rc::new(event);
        self.log.push((now, event.clone()));
        let before = self.board.clone();
        let effects = self.board.apply(now, &event);
        self.board.take_changed_rows();
        self.same(&before, &event, &effects)?;
        self.outcome.attempts = self.board.last_attempt;
        Step {
            before: &before,
            now,
            event: &event,
            effects: &effects,
            after: &self.board,
            world: &self.world,
            world_now: self.now,
        }
        .check()?;
        self.outcome.timeouts += time_limits::note(&mut self.world.limits, &before, &self.board, self.now);
        self.count(&before);
        if let Event::Woke(inventory) = event.as_ref() {
            self.twice(inventory)?;
        }
        if self.perform(&effects) {
            self.die()?;
        }
        self.world.hear_replies(&self.board, self.now);
        Ok(())
    }

    /// Returns the last events, ending with the one that broke a rule.
    fn last(&self) -> Vec<String> {
        let from = self.log.len().saturating_sub(REPORTED);
        let last = self.log.iter().skip(from);
        last.map(|(now, event)| brief(*now, event)).collect()
    }

    /// Counts what was left to a person in this step.
    fn count(&mut self, before: &Board) {
        let is_trouble = |board: &Board, id: &TaskId| {
            let state = board.tasks.get(id).map(|task| &task.state);
            matches!(
                state,
                Some(TaskState::Held(
                    HoldReason::Trouble { .. }
                        | HoldReason::BaseClosed(_)
                        | HoldReason::Refused(_)
                        | HoldReason::Interrupted(_)
                ))
            )
        };
        let after = &self.board;
        let held = after
            .tasks
            .keys()
            .filter(|id| is_trouble(after, id) && !is_trouble(before, id));
        let held: Vec<TaskId> = held.cloned().collect();
        self.outcome.troubles += held.len();
        for id in held {
            self.world.seen_to.remove(&id);
        }
        let is_left = |board: &Board, id| {
            board
                .attempts
                .get(id)
                .is_some_and(|row| row.unremovable().is_some())
        };
        let left = after
            .attempts
            .keys()
            .filter(|id| is_left(after, id) && !is_left(before, id));
        self.outcome.unremovable += left.count();
    }

    /// Checks that the same board, time and event give the same answer.
    fn same(&mut self, before: &Board, event: &Event, effects: &[Effect]) -> Result<(), String> {
        if !self.outcome.steps.is_multiple_of(16) {
            return Ok(());
        }
        let mut again = before.clone();
        let answer = again.apply(self.clock(), event);
        again.take_changed_rows();
        if again == self.board && answer == effects {
            return Ok(());
        }
        Err("the same event gave another answer".to_owned())
    }

    /// Carries out the effects; returns true if the engine died in the middle of them.
    fn perform(&mut self, effects: &[Effect]) -> bool {
        let dies = self.dice.percent(self.world.faults.engine / 2);
        let most = if dies { self.dice.between(0, 3) } else { u64::MAX };
        let mut performed = 0;
        for effect in effects {
            if performed >= most {
                continue;
            }
            performed += 1;
            self.world.perform(&self.board, self.now, effect);
        }
        dies && performed == most
    }

    /// Checks that everything is done or closed, that nothing is left over, and that the log leads to the same board.
    fn finish(&mut self) -> Result<(), String> {
        for task in self.board.tasks.values() {
            if !matches!(task.state, TaskState::Done | TaskState::Cancelled) {
                return Err(format!(
                    "{} ended as {:?} ({:?})",
                    task.id, task.state, task.why_not
                ));
            }
            if !self.world.retired.contains(&task.id) {
                return Err(format!("the branch of {} was never let go", task.id));
            }
        }
        if let Some(id) = self.world.orphan(&self.board) {
            return Err(format!("agent {id} runs on and nobody owns it"));
        }
        if let Some(id) = self.world.leftover(&self.board) {
            return Err(format!("the workspace of {id} was never put away"));
        }
        let mut again = self.start.clone();
        for (now, event) in &self.log {
            again.apply(*now, event);
            again.take_changed_rows();
        }
        if again == self.board {
            Ok(())
        } else {
            Err("the log tells another story".to_owned())
        }
    }
}

/// Returns the board as the next server reads it.
fn stored(board: &Board) -> serde_json::Result<Board> {
    let mut read = Board::default();
    read.settings.clone_from(&board.settings);
    read.workflows.clone_from(&board.workflows);
    read.pause.clone_from(&board.pause);
    read.limits.clone_from(&board.limits);
    read.last_attempt = board.last_attempt;
    read.infra_failures = board.infra_failures;
    for (id, task) in &board.tasks {
        let text = serde_json::to_string(task)?;
        read.tasks.insert(id.clone(), serde_json::from_str(&text)?);
    }
    for (id, attempt) in &board.attempts {
        let text = serde_json::to_string(attempt)?;
        read.attempts.insert(*id, serde_json::from_str(&text)?);
    }
    for (id, batch) in &board.batches {
        let text = serde_json::to_string(batch)?;
        read.batches.insert(id.clone(), serde_json::from_str(&text)?);
    }
    read.sleep();
    Ok(read)
}

fn brief(now: Timestamp, event: &Event) -> String {
    let text = match event {
        Event::WorkflowsLoaded(flows) => format!("WorkflowsLoaded({})", flows.len()),
        event => format!("{event:?}"),
    };
    format!("{} {}", now.0, text.chars().take(220).collect::<String>())
}
