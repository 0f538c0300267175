//! `dbs cost`: the cost of agents, in groups.

use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::cli::args::parse_word;
use crate::cli::commands::prelude::*;
use crate::protocol::query::Report;
use crate::read_model::CostGroup;

/// Show what agents cost, as far as their tools report it
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs cost\ndbs cost --by day\ndbs cost --by role --json"))]
pub struct CostArgs {
    /// Grouping of the sums
    #[arg(long, value_parser = groups(), default_value = "task")]
    by: CostGroup,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for CostArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        print_report(env, Report::Cost(self.by), self.json)
    }
}

fn groups() -> impl TypedValueParser<Value = CostGroup> {
    PossibleValuesParser::new(["task", "batch", "stage", "role", "day"]).try_map(parse_word)
}
