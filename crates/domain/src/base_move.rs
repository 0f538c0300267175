//! Base branches moved by another hand than the engine's.

use serde::{Deserialize, Serialize};

use super::plural::pluralized;
use super::time::Timestamp;

/// Digits of a commit's id that are shown.
const SHOWN_DIGITS: usize = 10;

/// Movement of a base branch on the remote that was not a merge of the engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaseMove {
    pub base: String,
    /// Commit that the branch has pointed to since.
    pub to: String,
    /// Author of the newest commit of the movement, as that commit says.
    pub by: String,
    /// Number of commits that came with the movement.
    pub n_commits: u64,
    /// Number of commits that the branch no longer has.
    #[serde(default)]
    pub n_lost: u64,
    /// Commit among them that was made in a worktree of the engine, and is in no branch of the person's own checkout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_here: Option<MadeHere>,
    /// True if the person's own checkout made or took all of its commits, in a project without a remote.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_own: bool,
}

/// Commit that was made in a worktree of the engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeHere {
    pub commit: String,
    /// Folder of the worktree.
    pub folder: String,
}

/// All movements of the base of a batch that were not merges of the engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaseMoves {
    /// Number of commits that came with the movements.
    pub n_commits: u64,
    pub last: BaseMove,
    pub at: Timestamp,
}

impl BaseMoves {
    /// Returns the last movement in one line for people, with the count of all commits if there were more movements.
    pub fn summary(&self) -> String {
        let last = self.last.summary();
        if self.n_commits > self.last.n_commits {
            format!("{last}; {} so far", pluralized(self.n_commits, "commit"))
        } else {
            last
        }
    }
}

impl BaseMove {
    /// Returns the movement in one line for people.
    pub fn summary(&self) -> String {
        let to = self.to.get(..SHOWN_DIGITS).unwrap_or(&self.to);
        let lost = pluralized(self.n_lost, "commit");
        let (base, by) = (&self.base, &self.by);
        match (self.n_commits, self.n_lost) {
            (0, _) => format!("{base} was set back to {to}, {lost} fewer"),
            (commits, 0) => {
                let commits = pluralized(commits, "commit");
                let own = if self.is_own { "" } else { ", not reviewed here" };
                format!("{base} moved to {to} by {by}, {commits}{own}")
            }
            (commits, _) => {
                let commits = pluralized(commits, "commit");
                format!("{base} was rewritten to {to} by {by}, {commits}, not reviewed here, {lost} gone")
            }
        }
    }
}
