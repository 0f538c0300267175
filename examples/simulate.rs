//! Runs pipelines of the simulator: `cargo run --example simulate -- --seed N --pipelines M`. Stops at the first broken rule and prints how
//! to reproduce it.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "prints for a person at a terminal"
)]
use std::path::Path;
use std::process::ExitCode;

use dbs::domain::settings::BoardSettings;
use dbs::domain::task::GateCommand;
use dbs::domain::workflow::Workflow;
use dbs::domain::{AttemptId, Board, Timestamp};
use dbs::read_model::ReadModel;

const TEXTS: [(&str, &str); 2] = [
    ("staged", include_str!("../tests/domain/workflows/staged.toml")),
    ("stories", include_str!("../tests/domain/workflows/stories.toml")),
];

/// Returns what people are told of attempts.
fn told(board: &Board) -> Vec<(AttemptId, String)> {
    let items = ReadModel::of(board, Timestamp::default()).attention.into_iter();
    items
        .filter_map(|item| Some((item.attempt?, item.text)))
        .collect()
}

fn main() -> ExitCode {
    let (seed, pipelines) = match arguments(std::env::args().skip(1)) {
        Ok(read) => read,
        Err(why) => {
            eprintln!("could not read the arguments: {why}; use --seed N --pipelines M");
            return ExitCode::from(2);
        }
    };
    let builtin = dbs::formats::workflow::builtin();
    let texts = builtin.into_iter().chain(TEXTS);
    let flows: Vec<Workflow> = texts
        .filter_map(|(name, text)| dbs::formats::workflow::read(Path::new(name), text).0)
        .collect();
    let flows = dbs_simulator::with_commits(flows);
    let settings = BoardSettings {
        base: Some("feature/shop".to_owned()),
        gates: vec![GateCommand {
            name: "tests".to_owned(),
            command: "cargo test".to_owned(),
        }],
        ..BoardSettings::default()
    };
    let mut sum = dbs_simulator::Outcome::default();
    for seed in seed..seed.saturating_add(pipelines) {
        match dbs_simulator::tell(seed, &flows, &settings, told) {
            Ok(outcome) => sum.add(&outcome),
            Err(broken) => {
                eprintln!("{broken}");
                return ExitCode::FAILURE;
            }
        }
    }
    println!(
        "{pipelines} pipelines from seed {seed}: {} tasks, {} attempts, {} events, {} deaths of the engine, {} restarts of the machine \
         ({} agents gone with it), {} refusals, {} unknown until a person saw to it, {} pieces of work, {} replies to what agents asked, {} of \
         it answered in the terminal, {} asked again of the next engine, {} answers typed, {} agents stopped because they ran too long; no rule broken",
        sum.tasks,
        sum.attempts,
        sum.steps,
        sum.deaths,
        sum.restarts,
        sum.interrupted,
        sum.refused,
        sum.unknown,
        sum.written,
        sum.replies,
        sum.taken_back,
        sum.asked_again,
        sum.typed,
        sum.timeouts
    );
    ExitCode::SUCCESS
}

fn arguments(mut given: impl Iterator<Item = String>) -> Result<(u64, u64), String> {
    let (mut seed, mut pipelines) = (1, 1_000);
    while let Some(name) = given.next() {
        let value = given.next().ok_or_else(|| format!("{name} has no value"))?;
        let number = value
            .parse()
            .map_err(|error| format!("{name} {value}: {error}"))?;
        match name.as_str() {
            "--seed" => seed = number,
            "--pipelines" => pipelines = number,
            _ => return Err(format!("{name} is unknown")),
        }
    }
    Ok((seed, pipelines))
}
