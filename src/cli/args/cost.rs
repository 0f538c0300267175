//! The command line of `dbs cost`.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::signal::parse_word;
use crate::cli::args::JsonFlag;
use crate::read_model::CostGroup;

/// Arguments of `dbs cost`.
#[derive(Debug, Args)]
pub struct CostArgs {
    /// Grouping of the sums
    #[arg(long, value_parser = groups(), default_value = "task")]
    pub by: CostGroup,
    #[command(flatten)]
    pub json: JsonFlag,
}

fn groups() -> impl TypedValueParser<Value = CostGroup> {
    PossibleValuesParser::new(["task", "batch", "stage", "role", "day"]).try_map(parse_word)
}
