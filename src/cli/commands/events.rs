//! `dbs events`: the durable events, one a line, for tools that follow along. Read from the store, so it is the same with and without a
//! server, and a tool that was away continues where it stopped.

mod line;

use std::time::Duration;

use crate::adapters::store::{SqliteStore, StoreReader};
use crate::cli::commands::prelude::*;
use crate::protocol::connection::blocking_runtime;
use line::{EventLine, TaskByAttempt};

const BATCH: usize = 500;
/// Time between two reads of a store that has nothing new.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Print the stored events for tools, one per line
///
/// The events are the same with and without a server. A tool that keeps the last `seq` and passes it to `--since` misses no event and gets
/// none twice.
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs events --json\ndbs events --json --follow --since 812"))]
pub struct EventsArgs {
    /// Position to start after: the `seq` of the last event seen
    #[arg(long, value_name = "SEQ", default_value_t = 0, allow_negative_numbers = true)]
    pub since: u64,
    /// Keep printing as more arrive
    #[arg(long)]
    pub follow: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}

impl RunCommand for EventsArgs {
    /// Prints the events after a position, and with `--follow` each one that comes, until the output is closed.
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let paths = ProjectPaths::find(&env.folder, env)?;
        let runtime = blocking_runtime()?;
        let mut reader: Option<StoreReader> = None;
        let (mut after, mut tasks) = (self.since, TaskByAttempt::default());
        while !output::is_unread() {
            // A project in which nothing has happened yet has no store; the first server or command makes it.
            if reader.is_none() {
                reader = SqliteStore::open_reader(&paths.store)?;
            }
            let found = match &reader {
                Some(reader) => reader.events(after, BATCH, None)?,
                None => Vec::new(),
            };
            if let (Some(reader), Some(last)) = (&reader, found.last()) {
                after = last.seq;
                tasks.add(reader, &found)?;
                print(&found.iter().map(|event| EventLine::of(event, &tasks)), &self);
            } else if self.follow {
                runtime.block_on(async { tokio::time::sleep(POLL_INTERVAL).await });
            } else {
                break;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn print(lines: &(impl Iterator<Item = EventLine> + Clone), wanted: &EventsArgs) {
    if wanted.json.json {
        output::json_lines(lines.clone());
    } else {
        output::all(lines.clone().map(|line| line.for_people()));
    }
}
