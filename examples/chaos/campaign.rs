//! Campaign: there is always work, something is killed or goes wrong every few hundred milliseconds, and at the end all work must be done.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::checker::{self, Verdict};
use crate::faults::{self, Fault};
use crate::memory;
use crate::project::Project;
use crate::victims::Victim;
use crate::volume::Disk;

/// Number of tasks that are open at any time while something is killed.
const OPEN_TASKS: u64 = 8;
/// Longest time between two kills, in milliseconds.
const LONGEST_PAUSE: u64 = 700;
/// Number of tries of a fault that finds no target, before another fault takes its place.
const TRIES: u32 = 20;
/// Longest time that all tasks may take to end after the last kill.
const END_LIMIT: Duration = Duration::from_mins(10);

/// Arguments of the campaign.
struct Arguments {
    seed: u64,
    kills: u64,
    /// Number of attempts to play without any kill while the memory of the server is measured.
    attempts: u64,
    keep: bool,
    disk: Disk,
}

/// Pseudo-random numbers that are the same for the same seed (xorshift).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        // Zero would stay zero, and small seeds would start with similar numbers.
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | (1 << 63))
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end.max(1)
    }
}

pub(crate) fn main() -> ExitCode {
    let arguments = match read(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(why) => {
            eprintln!(
                "could not read the arguments: {why}; use --seed N --kills N --attempts N --keep --no-disk"
            );
            return ExitCode::from(2);
        }
    };
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("seed {}: {why}", arguments.seed);
            ExitCode::FAILURE
        }
    }
}

fn read(mut given: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut arguments = Arguments {
        seed: 1,
        kills: 100,
        attempts: 0,
        keep: false,
        disk: Disk::Own,
    };
    while let Some(name) = given.next() {
        let mut number = || {
            let value = given.next().ok_or_else(|| format!("{name} has no value"))?;
            value.parse().map_err(|error| format!("{name} {value}: {error}"))
        };
        match name.as_str() {
            "--seed" => arguments.seed = number()?,
            "--kills" => arguments.kills = number()?,
            "--attempts" => arguments.attempts = number()?,
            "--keep" => arguments.keep = true,
            "--no-disk" => arguments.disk = Disk::Shared,
            _ => return Err(format!("{name} is unknown")),
        }
    }
    Ok(arguments)
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let begin = Instant::now();
    let mut random = Random::new(arguments.seed);
    let mut project = Project::new(arguments.keep, arguments.disk)?;
    project.start_server()?;
    if arguments.attempts > 0 {
        memory::measure(&mut project, arguments.attempts)?;
        return finish(&mut project);
    }
    let killed = kill_many(&mut project, &mut random, arguments.kills)?;
    finish(&mut project)?;
    let verdict = checker::check(&mut project)?;
    report(arguments, (&project, &verdict), &killed, begin.elapsed());
    if verdict.problems.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{} problems:\n{}\n{}",
        verdict.problems.len(),
        verdict.problems.join("\n"),
        project.logs()
    ))
}

/// Lets that many faults happen; returns how many of each kind did.
fn kill_many(
    project: &mut Project,
    random: &mut Random,
    kills: u64,
) -> Result<BTreeMap<&'static str, u64>, String> {
    let mut happened = BTreeMap::new();
    for fault in faults::plan(random, kills) {
        let fault = let_happen(project, random, fault)?;
        *happened.entry(fault.name()).or_insert(0) += 1;
        project.start_server()?;
    }
    Ok(happened)
}

/// Lets a fault happen, or a kill after too many tries without a target; returns the fault that happened.
fn let_happen(project: &mut Project, random: &mut Random, wanted: Fault) -> Result<Fault, String> {
    let mut fault = wanted;
    let deadline = Instant::now() + END_LIMIT;
    for round in 1_u32.. {
        project.keep_work(OPEN_TASKS)?;
        std::thread::sleep(Duration::from_millis(random.below(LONGEST_PAUSE)));
        if fault.happen(project, random)? {
            break;
        }
        if Instant::now() > deadline {
            return Err(format!(
                "nobody was there for: {}\n{}",
                fault.name(),
                project.logs()
            ));
        }
        // Held tasks bring no agents, and a person would look after them by now.
        project.retry_held();
        if round % TRIES == 0 {
            fault = Fault::Kill(Victim::Server);
        }
    }
    Ok(fault)
}

/// Waits until every task is done, and retries tasks that are held because their agents were killed too often.
fn finish(project: &mut Project) -> Result<(), String> {
    let deadline = Instant::now() + END_LIMIT;
    loop {
        project.start_server()?;
        let counts = project.counts();
        if counts.done == project.tasks() {
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err(format!(
                "only {} of {} tasks are done\n{}",
                counts.done,
                project.tasks(),
                project.logs()
            ));
        }
        project.retry_held();
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn report(
    arguments: &Arguments,
    (project, verdict): (&Project, &Verdict),
    killed: &BTreeMap<&str, u64>,
    took: Duration,
) {
    let kinds: Vec<String> = killed
        .iter()
        .map(|(kind, count)| format!("{kind} {count}"))
        .collect();
    println!(
        "seed {}: {} kills ({}) in {} s; {} tasks, {} attempts, {} commits of agents: {} lost, {} twice, {} left",
        arguments.seed,
        arguments.kills,
        kinds.join(", "),
        took.as_secs(),
        project.tasks(),
        verdict.attempts,
        verdict.commits,
        verdict.lost,
        verdict.twice,
        verdict.left
    );
}
