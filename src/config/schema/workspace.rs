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
        "Place of worktrees: `beside` the checkout, in `NAME.dbs` (or in `$XDG_STATE_HOME/dbs` if that folder cannot be written); or `inside`, in `.debussy-worktrees`, where tools that search parent folders find packages and settings of your checkout. Existing worktrees stay in use where they are.");
    WORKSPACE_COPY: Option<String> = unset(ValueKind::List), used("workspace.copy", NextAttempt, Steers, "P33",
        "Ignored files of your checkout that are copied to each new worktree and gate checkout: patterns as in `.gitignore`, separated by commas or as a list. The patterns in `.worktreeinclude` at the root of your checkout are added. Files that git tracks are never copied, and links are left out ([workspaces.md](workspaces.md)).");
    WORKSPACE_CLONE: Option<String> = unset(ValueKind::InnerPaths), used("workspace.clone", NextAttempt, Steers, "P33",
        "Ignored folders of your checkout that are copied to each new worktree and gate checkout: `node_modules`. The copy shares its blocks with the original if the file system can do that; a change to one never appears in the other.");
    WORKSPACE_LINK: Option<String> = unset(ValueKind::InnerPaths), used("workspace.link", NextAttempt, Steers, "P33",
        "Folders that all worktrees of agents share through a link, such as caches that several programs may use at a time. Gates share a separate folder that no agent gets. Git must ignore the link, so `.gitignore` must name it without a trailing slash.");
    WORKSPACE_SETUP: Option<String> = unset(ValueKind::Commands), used("workspace.setup", NextAttempt, Runs, "P33",
        "Commands that prepare a new worktree or gate checkout, run in order through the shell before the agent or the first gate starts: `[\"npm ci\"]`. If one fails on the base, the attempt does not count against the task and is retried later. If it fails only on the work of an agent, that is a finding for the next agent.");
    WORKSPACE_SETUP_TIMEOUT: Span = seconds(1, Span::minutes(15)), used("workspace.setup_timeout", NextAttempt, Harmless, "",
        "Longest run of one of these commands.");
    WORKSPACE_KEY: Option<String> = unset(ValueKind::InnerPaths), used("workspace.key", NextAttempt, Steers, "P33",
        "Files whose content decides whether `workspace.setup` must run again: `package-lock.json`. While they are unchanged, new worktrees get a copy of its result. Not set: it runs in each new worktree and gate checkout.");
    WORKSPACE_PORTS: u32 = count_or_none(100, 0), used("workspace.ports", NextAttempt, Harmless, "P33",
        "How many ports each task gets for its servers, in `DBS_PORT_1`, `DBS_PORT_2` and so on; the same for its agents, gates and setup as long as the task is not done.");
}
