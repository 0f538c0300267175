//! The command line as people and scripts use it: the built program in temporary projects, without and with a server.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "what cannot be set up is a failed test"
)]

#[path = "support/git_fixture.rs"]
mod git_fixture;

#[cfg(unix)]
#[path = "cli/agents.rs"]
mod agents;
#[path = "cli/alone.rs"]
mod alone;
#[path = "cli/answering.rs"]
mod answering;
#[path = "cli/auditing.rs"]
mod auditing;
#[path = "cli/batches.rs"]
mod batches;
#[path = "cli/cleaning.rs"]
mod cleaning;
#[path = "cli/clearing.rs"]
mod clearing;
#[path = "cli/command_reference.rs"]
mod command_reference;
#[path = "cli/completing.rs"]
mod completing;
#[path = "cli/docs.rs"]
mod docs;
#[path = "cli/every.rs"]
mod every;
#[path = "cli/following.rs"]
mod following;
#[path = "cli/gone_hook.rs"]
mod gone_hook;
#[path = "cli/hostile.rs"]
mod hostile;
#[path = "cli/importing.rs"]
mod importing;
#[cfg(unix)]
#[path = "cli/lists.rs"]
mod lists;
#[path = "cli/moving.rs"]
mod moving;
#[path = "cli/plain.rs"]
mod plain;
#[path = "support/polling.rs"]
mod polling;
#[path = "cli/prompting.rs"]
mod prompting;
#[cfg(unix)]
#[path = "cli/refusing.rs"]
mod refusing;
#[path = "cli/remotes.rs"]
mod remotes;
#[path = "cli/retrying.rs"]
mod retrying;
#[path = "support/script.rs"]
mod script;
#[path = "cli/served.rs"]
mod served;
#[path = "cli/sessions.rs"]
mod sessions;
#[path = "cli/shop.rs"]
mod shop;
#[path = "cli/speaking.rs"]
mod speaking;
#[path = "cli/starting.rs"]
mod starting;
#[path = "cli/stories.rs"]
mod stories;
#[path = "cli/telling.rs"]
mod telling;
#[path = "cli/trusting.rs"]
mod trusting;
#[path = "cli/typing.rs"]
mod typing;
#[path = "cli/untouched.rs"]
mod untouched;
#[path = "cli/waiting.rs"]
mod waiting;
#[path = "cli/watching.rs"]
mod watching;
#[cfg(unix)]
#[path = "cli/workspaces.rs"]
mod workspaces;
