//! Messages of git, made fit for one line of an error text. Must not lose the reason.

use super::process::ProcessOutput;
use crate::domain::TroubleKind;
use crate::term::sanitize;

/// Maximum length of a reason kept, in characters.
const LIMIT: usize = 400;
/// Maximum number of lines kept: the first ones, which name the cause, and the last, which names the result.
const N_LINES: usize = 4;

/// The lines of git's error output that name the cause, on one line: control characters escaped, credentials in addresses
/// removed.
pub(super) fn reason(output: &ProcessOutput) -> String {
    let printed = String::from_utf8_lossy(&output.stderr);
    let messages = || printed.lines().map(str::trim).filter(|line| is_message(line));
    let mut lines: Vec<&str> = messages().filter(|line| is_verdict(line)).collect();
    if lines.is_empty() {
        lines = messages().collect();
    }
    if lines.len() > N_LINES {
        let last = lines.split_off(lines.len() - 1);
        lines.truncate(N_LINES - 1);
        lines.extend(last);
    }
    let text = lines.join("; ");
    match (text.is_empty(), output.code) {
        (false, _) => one_line(&redact(&text)),
        (true, Some(code)) => format!("git ended with code {code} without any output"),
        (true, None) => "git was ended by a signal".to_owned(),
    }
}

/// Messages of git about a remote that did not learn who asks.
const UNKNOWN_PERSON: [&str; 6] = [
    "could not read Username",
    "could not read Password",
    "unable to get password",
    "Authentication failed",
    "terminal prompts disabled",
    "Permission denied",
];

/// Returns the reason with the settings of the repository that were not used, where the remote did not learn who asks.
pub(super) fn with_left_out(why: String, left_out: &[String]) -> String {
    if left_out.is_empty() || !UNKNOWN_PERSON.iter().any(|words| why.contains(words)) {
        return why;
    }
    format!("{why}; {}", left_out_text(left_out))
}

/// Returns the sentence about settings of the repository that are not used.
pub(super) fn left_out_text(left_out: &[String]) -> String {
    let names = left_out.join(", ");
    let first = left_out.first().map_or("", String::as_str);
    format!(
        "{names} of this repository is not used, because agents can change it: set it in your own configuration, `git config --global {first} …`"
    )
}

/// Returns the kind of local trouble that git's own lines name; nothing: none of those known. Lines of the remote do not count.
pub(super) fn trouble(output: &ProcessOutput) -> Option<TroubleKind> {
    let printed = String::from_utf8_lossy(&output.stderr);
    let mut lines = printed.lines().filter(|line| !line.starts_with("remote:"));
    lines.find_map(|line| {
        let found = SIGNS.iter().find(|(words, _)| line.contains(words));
        found.map(|(_, kind)| *kind)
    })
}

/// Messages of git for a full disk or another git at work. It has no other way to report them, and writes them in English because it is
/// started with `LC_ALL=C`.
const SIGNS: [(&str, TroubleKind); 5] = [
    ("No space left on device", TroubleKind::Disk),
    ("Disk quota exceeded", TroubleKind::Disk),
    (".lock': File exists", TroubleKind::Lock),
    ("Another git process", TroubleKind::Lock),
    ("cannot lock ref", TroubleKind::Lock),
];

/// Escapes characters that act on a terminal or hide from the eye; cuts the text at a limit.
pub(super) fn one_line(text: &str) -> String {
    let shown = sanitize(text);
    match shown.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}…", shown.get(..end).unwrap_or_default()),
        None => shown.into_owned(),
    }
}

/// Removes `user:password@` from every address in a text.
pub(super) fn redact(text: &str) -> String {
    let mut clean = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("://") {
        clean.push_str(before);
        clean.push_str("://");
        let end = after
            .find(|c: char| c == '/' || c.is_whitespace() || c == '\'')
            .unwrap_or(after.len());
        let (authority, tail) = after.split_at(end);
        clean.push_str(authority.rsplit_once('@').map_or(authority, |(_, host)| host));
        rest = tail;
    }
    clean.push_str(rest);
    clean
}

fn is_message(line: &str) -> bool {
    !line.is_empty() && !line.starts_with("hint:")
}

/// Git follows some of its verdicts with advice; the verdict is the reason.
fn is_verdict(line: &str) -> bool {
    ["fatal:", "error:", "remote:"]
        .iter()
        .any(|start| line.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_and_another_git_are_known_and_what_the_remote_says_of_itself_is_not_taken_for_them() {
        for (printed, kind) in [
            (
                "error: file write error: No space left on device\nfatal: unable to write",
                Some(TroubleKind::Disk),
            ),
            (
                "fatal: Unable to create '/p/.git/index.lock': File exists.\n\nAnother git process seems to run",
                Some(TroubleKind::Lock),
            ),
            (
                "remote: No space left on device\nfatal: the remote end hung up",
                None,
            ),
            ("fatal: Could not resolve host: example.org", None),
        ] {
            let output = ProcessOutput {
                code: Some(128),
                stdout: Vec::new(),
                truncated: false,
                stderr: printed.as_bytes().to_vec(),
            };
            assert_eq!(trouble(&output), kind, "{printed}");
        }
    }

    #[test]
    fn credentials_never_reach_an_error_text() {
        let printed =
            "fatal: unable to access 'https://me:tok3n@example.org/x.git/': no route to ssh://u@h/p";
        assert_eq!(
            redact(printed),
            "fatal: unable to access 'https://example.org/x.git/': no route to ssh://h/p"
        );
        assert_eq!(redact("a plain text"), "a plain text");
    }

    #[test]
    fn a_helper_that_is_not_used_is_named_where_the_remote_asks_who_it_is() {
        let named = ["credential.helper".to_owned()];
        let asked = "fatal: unable to get password from user".to_owned();
        assert!(with_left_out(asked.clone(), &named).contains("git config --global credential.helper"));
        assert_eq!(with_left_out(asked.clone(), &[]), asked);
        let away = "fatal: Could not resolve host: example.org".to_owned();
        assert_eq!(with_left_out(away.clone(), &named), away);
    }

    #[test]
    fn escape_sequences_are_shown_and_not_sent() {
        let output = ProcessOutput {
            code: Some(1),
            stdout: Vec::new(),
            truncated: false,
            stderr: b"hint: try\nremote: \x1b]0;owned\x07\nfatal: no\nAnother git process\n".to_vec(),
        };
        assert_eq!(reason(&output), "remote: \\x1b]0;owned\\x07; fatal: no");
    }
}
