//! The system's opener: a link that the person agreed to, in the program they read the web with.
#![expect(
    clippy::disallowed_methods,
    reason = "starts the system's opener for a link the person agreed to"
)]

use std::process::{Command, Stdio};

/// Error of a link that was not opened.
#[derive(Debug, thiserror::Error)]
#[error("could not open {target}: {why}")]
pub struct BrowserError {
    target: String,
    why: String,
}

/// Opens a link of the web. Blocks until the opener has taken it.
///
/// # Errors
/// When it is not a link of the web, there is no opener, or it failed.
pub fn open(target: &str) -> Result<(), BrowserError> {
    if !(target.starts_with("http://") || target.starts_with("https://")) {
        return Err(BrowserError {
            target: target.to_owned(),
            why: "only http and https are opened".to_owned(),
        });
    }
    let (program, before) = OPENER;
    let failed = |why: &dyn std::fmt::Display| BrowserError {
        target: target.to_owned(),
        why: format!("{program}: {why}"),
    };
    let status = Command::new(program)
        .args(before)
        .arg(target)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|error| failed(&error))?;
    if status.success() {
        Ok(())
    } else {
        Err(failed(&status))
    }
}

/// Program, and its arguments before the link.
const OPENER: (&str, &[&str]) = if cfg!(target_os = "macos") {
    ("open", &[])
} else if cfg!(windows) {
    // Takes the link as it is; a shell would read marks in it.
    ("rundll32", &["url.dll,FileProtocolHandler"])
} else {
    ("xdg-open", &[])
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_of_the_web_reach_the_opener() {
        for target in ["file:///etc/passwd", "-h", "javascript:alert(1)", ""] {
            let why = open(target).unwrap_err().to_string();
            assert!(why.contains("only http and https"), "{why}");
        }
    }
}
