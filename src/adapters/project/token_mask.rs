//! Masking of tokens: text that an agent prints or reports is kept on the board, in the store and in logs, and is sent to people. A token
//! in it would let others speak for the attempt, or use a service, so it is replaced before anything is kept.

use std::collections::HashSet;

use super::secret::ProjectSecret;
use crate::domain::{Board, Command, Event, without_tokens};

/// Text that replaces a token.
const MASK: &str = "[token]";
/// Length of a token in hexadecimal digits.
const LENGTH: usize = 64;

impl ProjectSecret {
    /// The event without the tokens of the board's attempts, and without those of services in what is said about a task; `None` when
    /// there is none in it.
    pub fn mask_tokens(&self, board: &Board, event: &Event) -> Option<Event> {
        let said = without_service_tokens(event);
        let own = self.without_own_tokens(board, said.as_ref().unwrap_or(event));
        own.or(said)
    }

    fn without_own_tokens(&self, board: &Board, event: &Event) -> Option<Event> {
        let text = serde_json::to_string(event).ok()?;
        let runs = hex_runs(&text);
        if runs.is_empty() {
            return None;
        }
        let attempts = board.attempts.values();
        let tokens: HashSet<String> = attempts
            .map(|attempt| self.token(attempt.id, attempt.created_at))
            .collect();
        let masked = mask(&text, &runs, &tokens)?;
        let masked = serde_json::from_str(&masked);
        masked
            .inspect_err(|error| tracing::error!("could not mask a token: {error}"))
            .ok()
    }
}

/// Returns a comment or a signal without the tokens of services in its texts.
fn without_service_tokens(event: &Event) -> Option<Event> {
    let mut masked = match event {
        Event::Signalled { .. }
        | Event::Asked {
            command: Command::Comment(..),
            ..
        } => event.clone(),
        _ => return None,
    };
    let texts: Vec<&mut String> = match &mut masked {
        Event::Asked {
            command: Command::Comment(_, text),
            ..
        } => vec![text],
        // Files and notes are compared with the commit, so they stay.
        Event::Signalled {
            text, report, claims, ..
        } => {
            let claimed = claims.warnings.iter_mut().chain(&mut claims.steps);
            report.iter_mut().chain([text]).chain(claimed).collect()
        }
        _ => return None,
    };
    let mut is_masked = false;
    for text in texts {
        if let Some(without) = without_tokens(text, MASK) {
            *text = without;
            is_masked = true;
        }
    }
    is_masked.then_some(masked)
}

/// Returns the runs of hexadecimal digits that are long enough for a token: begin and end in bytes.
fn hex_runs(text: &str) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut begin = 0;
    for (at, byte) in text.bytes().chain([b' ']).enumerate() {
        if byte.is_ascii_hexdigit() {
            continue;
        }
        if at - begin >= LENGTH {
            runs.push((begin, at));
        }
        begin = at + 1;
    }
    runs
}

/// The text with every token in those runs replaced; `None` when there is none.
fn mask(text: &str, runs: &[(usize, usize)], tokens: &HashSet<String>) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for (begin, end) in runs {
        let mut at = *begin;
        while at + LENGTH <= *end {
            let is_token = text
                .get(at..at + LENGTH)
                .is_some_and(|digits| tokens.contains(&digits.to_ascii_lowercase()));
            if is_token {
                out.push_str(text.get(copied..at)?);
                out.push_str(MASK);
                at += LENGTH;
                copied = at;
            } else {
                at += 1;
            }
        }
    }
    if copied == 0 {
        return None;
    }
    out.push_str(text.get(copied..)?);
    Some(out)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::{AttemptId, RequestId, SignalKind, Timestamp, Verdict};
    use crate::read_model::settled_attempt;

    /// A secret, and a board with that attempt.
    fn project() -> (tempfile::TempDir, ProjectSecret, Board) {
        let home = tempfile::tempdir().unwrap();
        let secret = ProjectSecret::of(&home.path().join("secret")).unwrap();
        let mut board = Board::default();
        let attempt = settled_attempt(7, "development", 3, 9, Verdict::Passed);
        board.attempts.insert(AttemptId(7), Arc::new(attempt));
        (home, secret, board)
    }

    fn signal(text: &str) -> Event {
        Event::Signalled {
            attempt: AttemptId(7),
            kind: SignalKind::Progress,
            text: text.to_owned(),
            report: Some(format!("{{\"said\": \"{text}\"}}")),
            key: "k".to_owned(),
            by_file: false,
            claims: crate::domain::Claims::default(),
        }
    }

    #[test]
    fn a_token_is_masked_wherever_it_stands_and_however_it_is_written() {
        let (_home, secret, board) = project();
        let token = secret.token(AttemptId(7), Timestamp(3));
        let upper = token.to_uppercase();
        for (text, expected) in [
            (format!("DBS_TOKEN={token}"), "DBS_TOKEN=[token]".to_owned()),
            (format!("{token}{upper}!"), "[token][token]!".to_owned()),
            (format!("abc{token}def"), "abc[token]def".to_owned()),
            (
                format!("\"\n\u{e9}{token}\u{e9}"),
                "\"\n\u{e9}[token]\u{e9}".to_owned(),
            ),
        ] {
            assert_eq!(
                secret.mask_tokens(&board, &signal(&text)),
                Some(signal(&expected)),
                "{text}"
            );
        }
    }

    #[test]
    fn the_token_of_a_service_is_masked_in_comments_and_reports() {
        let (_home, secret, board) = project();
        let token = format!("ghp_{}", "A1b2".repeat(9));
        let comment = |text: String| Event::Asked {
            request: RequestId(1),
            by: "dev".to_owned(),
            command: Command::Comment("t-1".into(), text),
        };
        let masked = secret.mask_tokens(&board, &comment(format!("used {token}")));
        assert_eq!(masked, Some(comment("used [token]".to_owned())));
        let own = secret.token(AttemptId(7), Timestamp(3));
        let both = secret.mask_tokens(&board, &signal(&format!("{token} {own}")));
        assert_eq!(both, Some(signal("[token] [token]")));
    }

    #[test]
    fn what_only_looks_like_a_token_is_left_alone() {
        let (_home, secret, board) = project();
        let hash = "0123456789abcdef".repeat(4);
        assert_eq!(secret.mask_tokens(&board, &signal(&hash)), None);
        assert_eq!(secret.mask_tokens(&board, &signal("abc")), None);
        let token = secret.token(AttemptId(7), Timestamp(3));
        assert_eq!(
            secret.mask_tokens(&board, &signal(token.get(..63).unwrap())),
            None
        );
        let both = format!("{hash} {token}");
        let expected = signal(&format!("{hash} [token]"));
        assert_eq!(secret.mask_tokens(&board, &signal(&both)), Some(expected));
    }
}
