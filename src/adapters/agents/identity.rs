//! Identity of an agent, and its access to the engine for signals, as variables (K51).

use std::path::Path;

use super::kind::LaunchContext;
use crate::ports::agents::Brief;

/// Returns the variables that name the attempt of an agent, its work, and the place of the server.
pub(super) fn variables(context: &LaunchContext, brief: &Brief) -> Vec<(String, String)> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let tags: Vec<&str> = brief.tags.iter().map(String::as_str).collect();
    [
        ("DBS_ATTEMPT", brief.attempt.to_string()),
        ("DBS_TOKEN", (context.token)(brief.attempt, brief.created_at)),
        ("DBS_TASK", brief.task.to_string()),
        ("DBS_TITLE", brief.title.clone()),
        ("DBS_TAGS", tags.join(",")),
        ("DBS_STAGE", brief.stage.to_string()),
        ("DBS_ROLE", brief.role.to_string()),
        ("DBS_AGENT", brief.name.clone()),
        ("DBS_MODE", brief.mode.to_string()),
        ("DBS_ATTEMPT_NUMBER", brief.n.to_string()),
        ("DBS_BRANCH", brief.branch.clone()),
        ("DBS_BASE", brief.base.clone()),
        ("DBS_FINDING", brief.finding.clone().unwrap_or_default()),
        ("DBS_PROGRAM", text(&context.program)),
        ("DBS_SOCKET", text(&context.socket)),
        ("DBS_INBOX", text(&context.inbox)),
        ("DBS_ROOT", text(&context.root)),
        ("DBS_WORKTREE", text(&brief.folder)),
        ("DEBUSSY_ROLE", brief.role.to_string()),
        ("DEBUSSY_BEAD", brief.task.to_string()),
    ]
    .map(|(name, value)| (name.to_owned(), value.replace('\0', "")))
    .to_vec()
}
