//! Clipboard of this machine: text that a person copied is given to any tool there is, in addition to their terminal. Never instead of it:
//! where neither works, nothing is broken.
#![expect(
    clippy::disallowed_methods,
    reason = "gives what the person copied to the system's clipboard tool"
)]

use std::io::Write as _;
use std::process::{Child, Command, Stdio};

/// A clipboard program and its arguments.
pub type ClipboardTool = (&'static str, &'static [&'static str]);

/// Tools that may be there for an environment with those variables, the likeliest first.
pub fn tools(variable: &dyn Fn(&str) -> Option<String>) -> Vec<ClipboardTool> {
    if cfg!(target_os = "macos") {
        return vec![("pbcopy", &[])];
    }
    if cfg!(windows) {
        return vec![("clip", &[])];
    }
    let mut tools: Vec<ClipboardTool> = Vec::new();
    if variable("WAYLAND_DISPLAY").is_some() {
        tools.push(("wl-copy", &[]));
    }
    if variable("DISPLAY").is_some() {
        tools.push(("xclip", &["-selection", "clipboard"]));
        tools.push(("xsel", &["--input", "--clipboard"]));
    }
    tools
}

/// Gives text to the first of the tools that takes it; answers whether one did. Blocks until then.
pub fn copy(tools: &[ClipboardTool], text: &str) -> bool {
    tools.iter().any(|tool| {
        let given = start(tool).and_then(|child| give(child, text));
        given.is_ok_and(|taken| taken)
    })
}

fn start((program, arguments): &ClipboardTool) -> std::io::Result<Child> {
    Command::new(program)
        .args(*arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

/// Gives the text to the tool, and returns true if the tool took all of it. A tool that stays to serve the text does so in the background,
/// and the process started here ends.
fn give(mut child: Child, text: &str) -> std::io::Result<bool> {
    let mut written = Ok(());
    if let Some(mut input) = child.stdin.take() {
        written = input.write_all(text.as_bytes());
    }
    let ended = child.wait()?;
    written?;
    Ok(ended.success())
}

#[cfg(all(test, unix))]
mod tests;
