//! Which protocol a tool without an interface speaks, by the command line that it is started with.

use std::path::Path;

use super::claude::headless::ClaudeStream;
use super::codex::headless::CodexTurns;
use super::headless::HeadlessTool;

/// The protocol of the tool that this command line starts. Where nothing is known about a program it is that of Claude Code.
pub fn headless_tool(argv: &[String]) -> Box<dyn HeadlessTool> {
    let program = argv.first().map(Path::new).and_then(Path::file_stem);
    match program.and_then(|name| name.to_str()) {
        Some("codex") => Box::new(CodexTurns::default()),
        Some(_) | None => Box::new(ClaudeStream::default()),
    }
}
