//! Settings about worktrees.

use crate::adapters::project::WorkspaceRoot;
use crate::config::row::{choice, settings, used};
use crate::config::setting::SettingEffect::NextStart;
use crate::config::setting::SettingTrust::Steers;
use crate::config::setting::{Setting, SettingSpec};

settings! { WORKSPACE
    WORKSPACE_ROOT: WorkspaceRoot = choice(&["beside", "inside"], WorkspaceRoot::Beside, &[WorkspaceRoot::Inside]),
        used("workspace.root", NextStart, Steers, "",
        "Where worktrees are made: `beside` the checkout, in `NAME.dbs`, or below `$XDG_STATE_HOME/dbs` where that folder cannot be written; or `inside`, in `.debussy-worktrees`, where tools that climb to the folders above find packages and settings of your checkout. Worktrees in another of these places stay in use.");
}
