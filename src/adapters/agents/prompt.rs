//! The prompt of an attempt: rendered before its start, kept as a file in the attempt's folder, and put where a kind wants it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::adapters::program::find_program;
use crate::adapters::state_folder::private_folder;
use crate::adapters::text_file;
use crate::domain::{AttemptId, Cause, PromptFacts, TroubleKind};
use crate::formats::prompt::{PromptError, PromptLibrary};
use crate::ports::agents::Brief;
use crate::ports::trouble::io_trouble;

/// Name of the file in an attempt's folder.
const FILE: &str = "prompt.md";
/// Name of the file with the difference that the work makes, beside it.
const DIFFERENCE: &str = "changes.diff";
/// The variable by which every agent finds it.
pub(super) const PROMPT_FILE_VAR: &str = "DBS_PROMPT_FILE";
/// The name by which an agent calls this program if that is found.
const SHORT_NAME: &str = "dbs";

/// Function that reads the roles and prompt blocks that are in force now.
pub type LibraryFn = Arc<dyn Fn() -> Result<PromptLibrary, PromptError> + Send + Sync>;

/// Renders prompts and keeps each in the folder of its attempt.
#[derive(Clone)]
pub struct AttemptPrompts {
    /// Folder of the attempts' folders.
    pub attempts: PathBuf,
    pub library: LibraryFn,
}

/// A prompt and the file that holds it.
pub(super) struct WrittenPrompt {
    pub(super) text: String,
    pub(super) file: PathBuf,
}

/// Bytes that one argument of a program may have on every system we know, with room to spare.
const LONGEST_ARGUMENT: usize = 100 * 1024;

impl WrittenPrompt {
    /// The prompt as an argument of a program: itself, or where it is when it is too long for one.
    pub(super) fn argument(&self) -> String {
        if self.text.len() <= LONGEST_ARGUMENT {
            return self.text.replace('\0', "");
        }
        pointer(&self.file)
    }
}

/// Returns the text that replaces a prompt that cannot be given whole.
pub(super) fn pointer(file: &Path) -> String {
    format!(
        "Your task is in the file {}. Read the whole file, then do what it says.",
        file.display()
    )
}

impl AttemptPrompts {
    /// Renders the prompt for a brief and writes it. `program` is how the agent calls this program.
    ///
    /// # Errors
    /// When a block, a role or the folder cannot be used; the text says the way out.
    pub(super) fn write(&self, brief: &Brief, program: &str) -> Result<WrittenPrompt, Cause> {
        let facts = self.with_difference(brief)?;
        let rendered = (self.library)().and_then(|library| library.render(&facts, program));
        let text = rendered.map_err(|error| TroubleKind::Agent.cause(format!("could not {error}")))?;
        let file = prompt_file(&self.attempts, brief.attempt);
        write_private(&file, &text).map_err(unwritten("the prompt", &file))?;
        Ok(WrittenPrompt { text, file })
    }

    /// The facts with the file of the difference, which is written first.
    fn with_difference(&self, brief: &Brief) -> Result<PromptFacts, Cause> {
        let mut facts = brief.facts.clone();
        if let Some(text) = &brief.difference {
            let file = prompt_file(&self.attempts, brief.attempt).with_file_name(DIFFERENCE);
            write_private(&file, text).map_err(unwritten("the difference", &file))?;
            facts.place.difference = Some(file.to_string_lossy().into_owned());
        }
        Ok(facts)
    }
}

/// Wraps an error of writing a file of an attempt.
fn unwritten(what: &str, file: &Path) -> impl FnOnce(io::Error) -> Cause {
    let what = format!("could not write {what} to {}", file.display());
    move |error| io_trouble(error.kind()).cause(format!("{what}: {error}"))
}

/// The file of an attempt's prompt, written or not, below the folder of all attempts.
pub fn prompt_file(attempts: &Path, attempt: AttemptId) -> PathBuf {
    attempts.join(attempt.to_string()).join(FILE)
}

/// Returns the word by which an agent in `folder` calls this program: its short name where `path` leads to the very same file, else its
/// path.
pub fn program_word(program: &Path, folder: &Path, path: &str) -> String {
    let same = |found: PathBuf| found.canonicalize().ok() == program.canonicalize().ok();
    if find_program(SHORT_NAME, folder, path).is_some_and(same) {
        return SHORT_NAME.to_owned();
    }
    shell_words::quote(&program.to_string_lossy()).into_owned()
}

/// The whole text or nothing, for this person alone.
fn write_private(file: &Path, text: &str) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    private_folder().recursive(true).create(folder)?;
    text_file::replace_private_unsynced(file, text.as_bytes())
}

/// Prompts of the program itself, in a folder that goes with them.
#[cfg(test)]
pub(super) fn in_temporary_folder() -> AttemptPrompts {
    let folder = tempfile::tempdir().unwrap();
    AttemptPrompts {
        attempts: folder.path().join("attempts"),
        library: Arc::new(move || {
            assert!(folder.path().exists(), "it is kept for as long as the library");
            PromptLibrary::read(&[])
        }),
    }
}

#[cfg(all(test, unix))]
mod tests;
