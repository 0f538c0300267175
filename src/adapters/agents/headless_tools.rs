//! Protocols of tools without an interface, by the command line that a tool is started with.

use std::path::Path;

use super::acp::headless::AcpSession;
use super::claude::headless::ClaudeStream;
use super::codex::headless::CodexTurns;
use super::headless::HeadlessTool;

/// The protocol of the tool that this command line starts, and the command line without the words about it. Where nothing is known
/// about a program it is that of Claude Code.
pub fn headless_tool(argv: &[String]) -> (Box<dyn HeadlessTool>, &[String]) {
    if let Some((session, argv)) = acp(argv) {
        return (Box::new(session), argv);
    }
    let program = argv.first().map(Path::new).and_then(Path::file_stem);
    let tool: Box<dyn HeadlessTool> = match program.and_then(|name| name.to_str()) {
        Some("codex") => Box::new(CodexTurns::default()),
        Some(_) | None => Box::new(ClaudeStream::default()),
    };
    (tool, argv)
}

/// The words before the command line of a tool that speaks the Agent Client Protocol in that folder, in that session or in a new one.
pub(super) fn acp_words(folder: &str, session: Option<&str>) -> Vec<String> {
    let session = session.map(|session| ["--session", session]);
    let words = ["--protocol", "acp", "--folder", folder];
    let words = words.into_iter().chain(session.into_iter().flatten());
    words.map(str::to_owned).collect()
}

/// Parses the words of [`acp_words`], and returns the words after them.
fn acp(argv: &[String]) -> Option<(AcpSession, &[String])> {
    let [option, protocol, of_folder, folder, rest @ ..] = argv else {
        return None;
    };
    if [option, protocol, of_folder] != ["--protocol", "acp", "--folder"] {
        return None;
    }
    Some(match rest {
        [option, session, rest @ ..] if option == "--session" => {
            (AcpSession::new(folder, Some(session)), rest)
        }
        rest => (AcpSession::new(folder, None), rest),
    })
}
