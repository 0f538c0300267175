//! Texts from a file, or from the standard input where `-` is given instead of one. Texts that are too long are refused.

use std::fs::File;
use std::io;
use std::io::Read;
use std::path::Path;

use crate::adapters::text_file;
use crate::cli::command_error::{CommandResult, failed};
use crate::domain::MAX_TEXT_BYTES;

/// Argument that means the standard input.
const INPUT: &str = "-";

/// Returns the text of a file, or of standard input (`-`).
///
/// # Errors
/// When it cannot be read, is not UTF-8 or has more than `most` bytes. Reads after "could not read it:".
pub fn text(from: &Path, most: usize) -> io::Result<String> {
    if from.as_os_str() == INPUT {
        return whole(io::stdin().lock(), most);
    }
    // A pipe is taken as well, such as the shell makes of `<(command)`: the person who named it waits, and the length is limited.
    let file = File::open(from).map_err(text_file::in_plain_words)?;
    whole(file, most)
}

/// Returns a text as it was given, or that of standard input (`-`).
pub fn typed(what: &str, given: String) -> CommandResult<String> {
    if given != INPUT {
        return Ok(given);
    }
    let came = text(Path::new(INPUT), MAX_TEXT_BYTES).map_err(failed(format!(
        "could not read the {what} from the standard input"
    )))?;
    Ok(came.trim_end().to_owned())
}

fn whole(from: impl Read, most: usize) -> io::Result<String> {
    let one_more = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    from.take(one_more).read_to_end(&mut bytes)?;
    if bytes.len() > most {
        return Err(io::Error::other(format!(
            "it has more than {most} bytes; keep the rest in a file and name that"
        )));
    }
    text_file::decode(bytes).map_err(|why| io::Error::new(io::ErrorKind::InvalidData, why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_taken_whole_or_not_at_all() {
        assert_eq!(whole("Grüße".as_bytes(), 7).unwrap(), "Grüße");
        let why = whole("Grüße".as_bytes(), 6).unwrap_err().to_string();
        assert!(why.contains("more than 6 bytes"), "{why}");
        let why = whole(&b"\xff"[..], 6).unwrap_err().to_string();
        assert!(why.contains("UTF-8"), "{why}");
        assert_eq!(typed("comment", "as given".to_owned()).unwrap(), "as given");
    }
}
