//! Settings about worktrees: where they are, and what is prepared in them before an agent or a gate starts.

use crate::adapters::project::WorkspaceRoot;
use crate::config::row::{choice, count_or_none, seconds, settings, unset, used};
use crate::config::setting::SettingEffect::{NextAttempt, NextStart};
use crate::config::setting::SettingTrust::{Harmless, Runs, Steers};
use crate::config::setting::{Setting, SettingSpec};
use crate::config::value::ValueKind;
use crate::domain::Span;

settings! { WORKSPACE
    WORKSPACE_ROOT: WorkspaceRoot = choice(&["beside", "inside"], WorkspaceRoot::Beside, &[WorkspaceRoot::Inside]),
        used("workspace.root", NextStart, Steers, "",
        "Where worktrees are made: `beside` the checkout, in `NAME.dbs`, or below `$XDG_STATE_HOME/dbs` where that folder cannot be written; or `inside`, in `.debussy-worktrees`, where tools that climb to the folders above find packages and settings of your checkout. Worktrees in another of these places stay in use.");
    WORKSPACE_COPY: Option<String> = unset(ValueKind::List), used("workspace.copy", NextAttempt, Steers, "P33",
        "Files that git ignores and that each new worktree and gate checkout gets a copy of, from your checkout: patterns as in `.gitignore`, with commas between or as a list. The patterns in `.worktreeinclude` at the root of your checkout are added. Files that git tracks are never copied, links are left out ([workspaces.md](workspaces.md)).");
    WORKSPACE_CLONE: Option<String> = unset(ValueKind::InnerPaths), used("workspace.clone", NextAttempt, Steers, "P33",
        "Folders that git ignores and that each new worktree and gate checkout gets a copy of, from your checkout: `node_modules`. The copy shares its blocks with the original where the file system can do that; a change of one never shows in the other.");
    WORKSPACE_LINK: Option<String> = unset(ValueKind::InnerPaths), used("workspace.link", NextAttempt, Steers, "P33",
        "Folders that all worktrees of agents share by a link, such as caches that several programs may use at a time. Gates share one among themselves that no agent gets. git must ignore the link, so `.gitignore` names it without a slash at its end.");
    WORKSPACE_SETUP: Option<String> = unset(ValueKind::Commands), used("workspace.setup", NextAttempt, Runs, "P33",
        "Commands that prepare a new worktree or gate checkout, run in order through the shell before the agent or the first gate starts: `[\"npm ci\"]`. If one fails, the attempt does not count against the task, and is tried again later.");
    WORKSPACE_SETUP_TIMEOUT: Span = seconds(1, Span::minutes(15)), used("workspace.setup_timeout", NextAttempt, Harmless, "",
        "Longest run of one of these commands.");
    WORKSPACE_KEY: Option<String> = unset(ValueKind::InnerPaths), used("workspace.key", NextAttempt, Steers, "P33",
        "Files whose content decides whether what was prepared for one commit fits another: `package-lock.json`. Where they are as before, a worktree gets a copy of what was prepared, and `workspace.setup` does not run. Not set: it runs in each new worktree and gate checkout.");
    WORKSPACE_PORTS: u32 = count_or_none(100, 0), used("workspace.ports", NextAttempt, Harmless, "P33",
        "How many ports each task gets for its servers, in `DBS_PORT_1`, `DBS_PORT_2` and so on; the same for its agents, gates and setup as long as the task is not done.");
}
