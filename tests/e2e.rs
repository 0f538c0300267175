//! Stories of the whole program: the real binary, real terminals, real processes, real repositories. Each has its own home, runtime folder
//! and project, and leaves no process behind.
//!
//! The journeys of a person (A16), and the modules that tell them:
//!
//! | journey | told in |
//! |---|---|
//! | first start: three questions, demo, never asked again | `journeys` |
//! | allow, allow all (then reconsider), deny, retry with a note | `journeys`, `plain` |
//! | question answered by key, from the command line, by a plain line | `attached`, `plain` |
//! | take over an agent: type into it | `attached`, `demo`, `journeys` |
//! | new task by form and editor, priority and undo, set aside, release, merge now | `journeys` |
//! | skip and undo | `reaching` |
//! | split, zoom, close, theme, palette, help, filter, paste bomb | `journeys` |
//! | inside tmux: first start, typing, its detach and ours | `tmux` |
//! | missing agent: cause, what waits, key to try again; stop an agent | `journeys` |
//! | copy by mouse, links, paste preview, no screen in a screen | `reaching` |
//! | find in history, replay a moment | `reaching` |
//! | arrangement kept over kill and restart; another session | `reaching` |
//! | leave and come back, window closed, terminal without colours | `attached` |
//! | server killed while a client is attached, while a person reads lines, twenty times | `lost`, `plain`, `killing`, `servers` |
//! | two clients, resize storm, one cell, wide letters | `sizes` |
//! | called while looking elsewhere | `calling` |
//! | settings reloaded, a mistake reported with its line | `settings` |
//! | demo on the screen, headless, left early, window closed | `demo`, `attached` |
//! | reason for the shown state of an agent: title, hooks, status records | `activity` |
//! | a kind of agent that a file describes: prompt, session, model, permissions, title | `kinds` |
//! | a workspace with ignored files, a setup and no packages of the checkout | `workspaces` |
//! | a tool without its interface over the Agent Client Protocol: allowed, denied, interrupted, killed, broken | `protocol` |
//! | server stopped during a check, agents without a server | `stopping` |
//! | usage limit, full disk, killed holder, hostile agent, flood | `hostile`, `mishaps` |
//! | agents that merge, reports | `integrating` |
//! | an agent that acts as a person | `impostor` |
//! | reports as files, and settings changed by editing a file | `evidence` |
//! | gates, hooks of a remote and false servers that act as a person | `below` |
//! | a stranger's repository: nothing of it is started before a person trusts it | `trusting` |
//! | a gate that prints a question as if we asked it | `false_questions` |
//! | an agent that gives its token away | `secrets` |
//! | manuals of earlier programs, typed word by word | `manuals` |
//! | a plan: mended, approved, resumed, waited for without a screen, written back, made from a text; its mishaps; killed, restarted, decided about between phases | `plans`, `phases`, `phases_mishaps`, `phases_lived` |
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "what is not as it should be is a failed story"
)]

#[path = "e2e/dice.rs"]
mod dice;
#[path = "e2e/driver.rs"]
mod driver;

#[path = "e2e/activity.rs"]
mod activity;
#[path = "e2e/attached.rs"]
mod attached;
#[path = "e2e/below.rs"]
mod below;
#[path = "e2e/calling.rs"]
mod calling;
#[path = "e2e/colours.rs"]
mod colours;
#[path = "e2e/conducting.rs"]
mod conducting;
#[path = "e2e/demo.rs"]
mod demo;
#[path = "e2e/designs.rs"]
mod designs;
#[path = "e2e/environment.rs"]
mod environment;
#[path = "e2e/evidence.rs"]
mod evidence;
#[path = "e2e/false_questions.rs"]
mod false_questions;
#[path = "e2e/graphs.rs"]
mod graphs;
#[path = "e2e/headless_tool.rs"]
mod headless_tool;
#[path = "e2e/hostile.rs"]
mod hostile;
#[path = "e2e/impostor.rs"]
mod impostor;
#[path = "e2e/integrating.rs"]
mod integrating;
#[path = "e2e/journeys.rs"]
mod journeys;
#[path = "e2e/killing.rs"]
mod killing;
#[path = "e2e/kinds.rs"]
mod kinds;
#[path = "e2e/lists.rs"]
mod lists;
#[path = "e2e/lost.rs"]
mod lost;
#[path = "e2e/manuals.rs"]
mod manuals;
#[path = "e2e/mishaps.rs"]
mod mishaps;
#[path = "e2e/phases.rs"]
mod phases;
#[path = "e2e/phases_lived.rs"]
mod phases_lived;
#[path = "e2e/phases_mishaps.rs"]
mod phases_mishaps;
#[path = "e2e/plain.rs"]
mod plain;
#[path = "e2e/plans.rs"]
mod plans;
#[path = "support/polling.rs"]
mod polling;
#[path = "e2e/protocol.rs"]
mod protocol;
#[path = "support/publishing.rs"]
mod publishing;
#[path = "e2e/reaching.rs"]
mod reaching;
#[path = "e2e/readme.rs"]
mod readme;
#[path = "e2e/scenarios.rs"]
mod scenarios;
#[path = "support/script.rs"]
mod script;
#[path = "e2e/secrets.rs"]
mod secrets;
#[path = "e2e/servers.rs"]
mod servers;
#[path = "e2e/settings.rs"]
mod settings;
#[path = "e2e/sizes.rs"]
mod sizes;
#[path = "support/small_disk.rs"]
mod small_disk;
#[path = "e2e/stopping.rs"]
mod stopping;
#[path = "e2e/stories.rs"]
mod stories;
#[path = "e2e/terminal.rs"]
mod terminal;
#[path = "e2e/tmux.rs"]
mod tmux;
#[path = "e2e/trusting.rs"]
mod trusting;
#[path = "e2e/without_remote.rs"]
mod without_remote;
#[path = "support/work_folder.rs"]
mod work_folder;
#[path = "e2e/workspaces.rs"]
mod workspaces;
