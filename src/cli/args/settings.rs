//! The command lines of `dbs keys` and `dbs config`.

use clap::Args;

use crate::cli::args::JsonFlag;

/// Arguments of `dbs keys`.
#[derive(Debug, Args)]
pub struct KeysArgs {
    /// Only say whether they are without contradiction
    #[arg(long)]
    pub check: bool,
    /// Those of a preset instead: default, tmux, vim, emacs
    #[arg(long)]
    pub preset: Option<String>,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of `dbs config`.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// The key
    pub key: Option<String>,
    /// Its new value
    pub value: Option<String>,
    /// Say where each value comes from
    #[arg(long)]
    pub explain: bool,
    /// Take the key out of this project's settings; the next source's value holds
    #[arg(long, requires = "key", conflicts_with_all = ["value", "explain"])]
    pub unset: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}
