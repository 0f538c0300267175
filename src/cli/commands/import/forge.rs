//! Open issues of a forge, asked for through the person's own program.

use std::path::Path;

use clap::value_parser;

use crate::adapters::forge::{ForgeKind, ForgeProgram, IssueQuery};
use crate::cli::commands::prelude::*;

/// Choice among the issues of a forge.
#[derive(Debug, Args)]
pub(super) struct IssueArgs {
    /// Issues with this label only; can be repeated
    #[arg(long = "label", value_name = "NAME", help_heading = "Issues")]
    labels: Vec<String>,
    /// Issues of this milestone only
    #[arg(long, value_name = "NAME", help_heading = "Issues")]
    milestone: Option<String>,
    /// Issues that this search finds
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        help_heading = "Issues"
    )]
    search: Option<String>,
    /// Repository, such as OWNER/NAME; default: that of the remotes
    #[arg(long, value_name = "NAME", help_heading = "Issues")]
    repo: Option<String>,
    /// Maximum number of issues
    #[arg(long, allow_negative_numbers = true, default_value_t = 100, value_parser = value_parser!(u32).range(1..=1000), help_heading = "Issues")]
    limit: u32,
}

/// Returns the forge that a source names.
pub(super) fn kind_of(source: &Path) -> Option<ForgeKind> {
    match source.to_str()? {
        "github" => Some(ForgeKind::Github),
        "gitlab" => Some(ForgeKind::Gitlab),
        _ => None,
    }
}

impl IssueArgs {
    /// Refuses a choice of issues for a source that has none.
    pub(super) fn refuse(&self, source: &Path) -> CommandResult<()> {
        let is_chosen = !self.labels.is_empty()
            || [&self.milestone, &self.search, &self.repo]
                .iter()
                .any(|choice| choice.is_some());
        if !is_chosen {
            return Ok(());
        }
        Err(CommandError::user(format!(
            "could not choose among the items of {}: --label, --milestone, --search and --repo are for `github` and `gitlab`",
            source.display()
        )))
    }

    /// Asks the forge of the folder's remotes.
    pub(super) fn ask(&self, kind: ForgeKind, env: &ProcessEnv, folder: &Path) -> CommandResult<String> {
        let forge = ForgeProgram {
            kind,
            environment: &env.environment,
            folder,
            is_cancelled: &|| false,
        };
        let query = IssueQuery {
            labels: self.labels.clone(),
            milestone: self.milestone.clone(),
            search: self.search.clone(),
            repository: self.repo.clone(),
            limit: self.limit,
        };
        forge
            .issues(&query)
            .map_err(|why| CommandError::user(format!("could not ask for issues: {why}")))
    }
}
