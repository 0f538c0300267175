//! Rules of the board, tested from outside: scenarios on small boards, properties over random events, and a simulator.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a board that is not as described is a failed test"
)]

#[path = "domain/asks.rs"]
mod asks;
#[path = "domain/awaiting.rs"]
mod awaiting;
#[path = "domain/background.rs"]
mod background;
#[path = "domain/base_moves.rs"]
mod base_moves;
#[path = "domain/batches.rs"]
mod batches;
#[path = "domain/budget.rs"]
mod budget;
#[path = "domain/builtin.rs"]
mod builtin;
#[path = "domain/changing.rs"]
mod changing;
#[path = "domain/columns.rs"]
mod columns;
#[path = "domain/commands.rs"]
mod commands;
#[path = "domain/committing.rs"]
mod committing;
#[path = "domain/compliance.rs"]
mod compliance;
#[path = "domain/conducting.rs"]
mod conducting;
#[path = "domain/continuing.rs"]
mod continuing;
#[path = "domain/deliveries.rs"]
mod deliveries;
#[path = "domain/ending.rs"]
mod ending;
#[path = "domain/failing.rs"]
mod failing;
#[path = "domain/filling.rs"]
mod filling;
#[path = "domain/fixture.rs"]
mod fixture;
#[path = "domain/golden.rs"]
mod golden;
#[path = "domain/integrating.rs"]
mod integrating;
#[path = "domain/jobs.rs"]
mod jobs;
#[path = "domain/last_turn.rs"]
mod last_turn;
#[path = "domain/passing.rs"]
mod passing;
#[path = "domain/properties.rs"]
mod properties;
#[path = "domain/reading.rs"]
mod reading;
#[path = "domain/restarting.rs"]
mod restarting;
#[path = "domain/runs.rs"]
mod runs;
#[path = "domain/scheduling.rs"]
mod scheduling;
#[path = "domain/simulating.rs"]
mod simulating;
#[path = "domain/soaking.rs"]
mod soaking;
#[path = "domain/standstill.rs"]
mod standstill;
#[path = "domain/stories.rs"]
mod stories;
#[path = "domain/troubles.rs"]
mod troubles;
#[path = "domain/unable.rs"]
mod unable;
#[path = "domain/undoing.rs"]
mod undoing;
#[path = "domain/verdicts.rs"]
mod verdicts;
#[path = "domain/waiting_order.rs"]
mod waiting_order;
