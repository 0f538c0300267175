//! The command lines of `dbs keys` and `dbs config`.

use clap::Args;

use crate::cli::args::JsonFlag;

/// Arguments of `dbs keys`.
#[derive(Debug, Args)]
pub struct KeysArgs {
    /// Only check for conflicting bindings
    #[arg(long)]
    pub check: bool,
    /// Preset to show instead: default, tmux, vim, emacs
    #[arg(long)]
    pub preset: Option<String>,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of `dbs config`.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// Key of the setting
    pub key: Option<String>,
    /// New value
    #[arg(allow_negative_numbers = true)]
    pub value: Option<String>,
    /// Show the source of each value
    #[arg(long)]
    pub explain: bool,
    /// Remove the key from this project's settings; the value of the next source applies
    #[arg(long, requires = "key", conflicts_with_all = ["value", "explain"])]
    pub unset: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}
