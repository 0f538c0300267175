//! Id of an agent's own session. An id that is chosen before the agent starts is always the same for an attempt, so that nothing has to be
//! stored; one that the tool chooses itself is kept in the attempt's folder when a hook reports it.

use std::io::{self, Read as _};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::kind::LaunchContext;
use crate::adapters::text_file;
use crate::domain::{AttemptId, Timestamp};

/// File with the id that a hook reported, in the attempt's folder.
const TOLD_FILE: &str = "session-id";
/// Characters of the longest id that is kept.
const LONGEST_ID: usize = 64;

/// Keeps the id that a hook reported in the folder of its attempt; a text that cannot be an id is not kept.
///
/// # Errors
/// When the file cannot be written.
pub(super) fn keep(folder: &Path, id: &str) -> io::Result<()> {
    if !is_id(id) || told(folder).as_deref() == Some(id) {
        return Ok(());
    }
    text_file::replace(&folder.join(TOLD_FILE), id.as_bytes())
}

/// Returns the id that a hook reported, if one did.
pub(super) fn told(folder: &Path) -> Option<String> {
    let id = text_file::read_text(&folder.join(TOLD_FILE), LONGEST_ID as u64).ok()?;
    is_id(&id).then_some(id)
}

/// Returns true if a text can be an id: it becomes an argument and a part of a file's name.
fn is_id(text: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    (1..=LONGEST_ID).contains(&text.len()) && !text.starts_with('-') && text.chars().all(is_plain)
}

/// The session of an attempt as a UUID. The attempt's token goes in, which no other project has; it cannot be got out again.
pub(super) fn of(context: &LaunchContext, attempt: AttemptId, created_at: Timestamp) -> String {
    let token = (context.token)(attempt, created_at);
    let mut hex = hex::encode(Sha256::digest(format!("session {token}")));
    // Version 4, variant 1: tools check both.
    hex.replace_range(12..13, "4");
    hex.replace_range(16..17, "8");
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}

/// Maximum length of a record of a session, in bytes, that may still hold none of the words.
const LONGEST_SILENCE: u64 = 4 * 1024 * 1024;

/// Returns true if a record of a session holds one of these words, or is so long that it must, or cannot be opened.
pub(super) fn has_one_of(record: &Path, words: &[&str]) -> bool {
    let Ok(file) = text_file::open(record) else {
        return true;
    };
    let mut begin = Vec::new();
    let read = file.take(LONGEST_SILENCE).read_to_end(&mut begin);
    let is_long = read.is_ok_and(|count| count as u64 == LONGEST_SILENCE);
    is_long
        || words
            .iter()
            .any(|word| memchr::memmem::find(&begin, word.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::super::kind::tests::context;
    use super::*;

    #[test]
    fn the_last_id_that_was_told_is_kept_and_nothing_that_is_none() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(told(folder.path()), None);
        for (id, kept) in [
            ("01a2-b", "01a2-b"),
            ("../x", "01a2-b"),
            ("-x", "01a2-b"),
            ("", "01a2-b"),
            ("01a3", "01a3"),
        ] {
            keep(folder.path(), id).unwrap();
            assert_eq!(told(folder.path()).as_deref(), Some(kept), "{id}");
        }
    }

    #[test]
    fn each_attempt_has_one_session_of_its_own() {
        let id = |attempt, at| of(&context(), AttemptId(attempt), Timestamp(at));
        let one = id(7, 1);
        assert_eq!(one, id(7, 1));
        assert_ne!(one, id(7, 2));
        assert_ne!(one, id(8, 1));
        let lengths: Vec<usize> = one.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12], "{one}");
        assert_eq!(
            (one.get(14..15), one.get(19..20)),
            (Some("4"), Some("8")),
            "{one}"
        );
    }
}
