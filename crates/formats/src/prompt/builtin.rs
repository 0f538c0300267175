//! The roles and blocks that come with the program; a project may put its own beside or over them.

/// Name and text of a file.
type NamedText = (&'static str, &'static str);

macro_rules! texts {
    ($folder:literal, $end:literal: $($name:literal),+ $(,)?) => {
        [$(($name, include_str!(concat!("../../../../assets/", $folder, "/", $name, $end)))),+]
    };
}

/// Names and texts of the roles.
pub(super) fn builtin_roles() -> impl Iterator<Item = NamedText> {
    texts!("roles", ".toml":
        "conductor", "consolidator", "design-critic", "design-expert", "developer", "goal-analyst", "graph-checker", "graph-worker", "implementer",
        "integrator", "investigator", "phase-worker", "plan-writer", "reviewer", "security-reviewer", "test-author", "tester", "worker",
    )
    .into_iter()
}

/// Names and texts of the blocks.
pub(super) fn builtin_blocks() -> impl Iterator<Item = NamedText> {
    texts!("prompts", ".md":
        "autonomy", "context", "conversation", "exits", "fallback", "frontend", "identity", "output", "procedure-conductor",
        "procedure-consolidator", "procedure-design-critic", "procedure-design-expert", "procedure-developer",
        "procedure-goal-analyst", "procedure-graph-worker", "procedure-implementer", "procedure-integrator",
        "procedure-investigator", "procedure-phase-worker", "procedure-reviewer", "procedure-security-reviewer", "procedure-test-author",
        "procedure-tester", "procedure-worker", "reading", "remediate", "restart", "resume", "scope", "signals", "task", "verification",
    )
    .into_iter()
}
