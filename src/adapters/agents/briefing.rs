//! What an agent is told in words when it starts.

use crate::ports::agents::Brief;

/// The prompt for a brief: the task, where it is to be done, and how to report.
pub(super) fn prompt(brief: &Brief) -> String {
    let finding = brief
        .finding
        .as_ref()
        .map(|finding| format!("Found before: {finding}"));
    let parts = [
        Some(format!("You are {}, a {}.", brief.name, brief.role)),
        Some(format!("Task {}: {}", brief.task, brief.title)),
        Some(brief.body.clone()).filter(|body| !body.is_empty()),
        finding,
        Some(format!(
            "Your branch is {}, its base is {}. Report with one of `dbs signal done TEXT`, `dbs signal reject TEXT`, \
             `dbs signal block TEXT`.",
            brief.branch, brief.base
        )),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join("\n\n").replace('\0', "")
}
