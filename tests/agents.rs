//! Real agents (Claude Code and Codex) with a scripted model: what `dbs` knows of them is measured, not remembered. They need no account
//! and no network but 127.0.0.1, and no test waits for a fixed time. `docs/agents.md` says how to get the agents.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "tests start processes and measure time")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what a test needs and does not find fails it"
)]
#![expect(clippy::indexing_slicing, reason = "so does an index out of bounds")]

#[path = "agents/asking.rs"]
mod asking;
#[path = "agents/behaviours.rs"]
mod behaviours;
#[path = "agents/claude_headless.rs"]
mod claude_headless;
#[path = "agents/claude_pane.rs"]
mod claude_pane;
#[path = "agents/codex.rs"]
mod codex;
#[path = "agents/codex_headless.rs"]
mod codex_headless;
#[path = "agents/codex_pipeline.rs"]
mod codex_pipeline;
#[path = "agents/conducting.rs"]
mod conducting;
#[path = "agents/demo.rs"]
mod demo;
#[path = "agents/documented.rs"]
mod documented;
#[expect(dead_code, reason = "the stories of the whole program use the rest")]
#[path = "e2e/driver.rs"]
mod driver;
#[path = "agents/filling.rs"]
mod filling;
#[path = "agents/first_run.rs"]
mod first_run;
#[path = "agents/frames.rs"]
mod frames;
#[path = "agents/graphs.rs"]
mod graphs;
#[path = "agents/headless.rs"]
mod headless;
#[path = "agents/lab.rs"]
mod lab;
#[path = "agents/lab_others.rs"]
mod lab_others;
#[path = "agents/long_commands.rs"]
mod long_commands;
#[path = "support/model_server.rs"]
mod model_server;
#[path = "agents/opencode.rs"]
mod opencode;
#[path = "agents/outages.rs"]
mod outages;
#[path = "agents/pane.rs"]
mod pane;
#[path = "agents/pending_requests.rs"]
mod pending_requests;
#[path = "agents/pipeline.rs"]
mod pipeline;
#[path = "agents/planned.rs"]
mod planned;
#[path = "support/polling.rs"]
mod polling;
#[path = "support/publishing.rs"]
mod publishing;
#[path = "agents/recorded.rs"]
mod recorded;
#[path = "agents/recording.rs"]
mod recording;
#[path = "agents/recording_aider.rs"]
mod recording_aider;
#[path = "agents/recording_claude.rs"]
mod recording_claude;
#[path = "agents/recording_codex.rs"]
mod recording_codex;
#[path = "agents/recording_gemini.rs"]
mod recording_gemini;
#[path = "agents/recording_headless.rs"]
mod recording_headless;
#[path = "agents/recording_opencode.rs"]
mod recording_opencode;
#[path = "agents/recording_start.rs"]
mod recording_start;
#[path = "agents/resuming.rs"]
mod resuming;
#[path = "agents/served.rs"]
mod served;
#[path = "agents/storied.rs"]
mod storied;
#[path = "agents/suspending.rs"]
mod suspending;
#[expect(dead_code, reason = "the stories of the whole program use the rest")]
#[path = "e2e/terminal.rs"]
mod terminal;
#[path = "agents/two_tools.rs"]
mod two_tools;
/// Folder for work that is on a disk: the sandbox of Codex does not work in a folder in memory.
mod work_folder {
    pub(crate) fn work_folder() -> std::path::PathBuf {
        std::env::temp_dir()
    }
}
