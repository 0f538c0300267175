//! Which protocol a tool without an interface speaks, by the command line that it is started with.

use super::claude::headless::ClaudeStream;
use super::headless::HeadlessTool;

/// The protocol of the tool that this command line starts. Where nothing is known about a program it is that of Claude Code.
pub fn headless_tool(_argv: &[String]) -> Box<dyn HeadlessTool> {
    Box::new(ClaudeStream::default())
}
