//! A prompt that is typed into the terminal of its agent, because its tool takes none among its arguments.

use std::path::{Path, PathBuf};

use super::{AgentKind, AttemptPrompts, prompt};
use crate::adapters::text_file;
use crate::domain::AttemptId;
use crate::formats::agent_kind::fits_a_line;

/// Name of the file in an attempt's folder that says that its prompt was typed; a server that is started later looks for it.
const MARK: &str = "prompt-typed";

/// A prompt that is still to be typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedPrompt {
    /// Patterns of the line of the screen that says that the tool takes it.
    ready: Vec<String>,
    file: PathBuf,
    mark: PathBuf,
}

impl AttemptPrompts {
    /// The prompt of an attempt of that kind, if it is to be typed and was not yet.
    pub(super) fn to_type(&self, kind: &dyn AgentKind, attempt: AttemptId) -> Option<TypedPrompt> {
        let ready = kind.ready_lines()?;
        let file = prompt::prompt_file(&self.attempts, attempt);
        let mark = file.with_file_name(MARK);
        (!mark.exists()).then_some(TypedPrompt { ready, file, mark })
    }
}

impl TypedPrompt {
    /// Returns true if the tool takes the prompt now that its screen shows this text.
    pub fn is_awaited(&self, screen: &str) -> bool {
        fits_a_line(&self.ready, screen)
    }

    /// Returns the text to type before Enter: the whole prompt where the terminal tells a paste from keys, else one line that names its
    /// file, because a line break would send a part of it.
    pub fn text(&self, tells_pastes: bool) -> String {
        let whole = text_file::read_text(&self.file, text_file::LARGEST_WRITTEN);
        match whole {
            Ok(text) if tells_pastes => text.trim_end().to_owned(),
            Ok(_) | Err(_) => prompt::pointer(&self.file),
        }
    }

    /// Notes that it was typed, so that no other server types it again.
    pub fn note_typed(&self) {
        if let Err(error) = std::fs::write(&self.mark, "") {
            let file: &Path = &self.mark;
            tracing::warn!("could not write {}: {error}", file.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::adapters::agents::{CodexAgent, DescribedAgent};
    use crate::formats::agent_kind::read;
    use crate::ports::agents::Brief;

    #[test]
    fn a_prompt_is_typed_once_and_whole_only_where_a_paste_is_told_from_keys() {
        let text = "title = \"T\"\nprogram = \"t\"\ninstall = \"x\"\nstart = [\"go\"]\nready = [\">*\"]\n";
        let (kind, found) = read("t", Path::new("t.toml"), text);
        assert_eq!(found, []);
        let kind = DescribedAgent(Arc::new(kind.unwrap()));
        let prompts = prompt::in_temporary_folder();
        let brief: Brief = super::super::kind::tests::brief();
        prompts.write(&brief, "dbs").ok().unwrap();
        assert_eq!(prompts.to_type(&CodexAgent, brief.attempt), None);
        let typed = prompts.to_type(&kind, brief.attempt).unwrap();
        assert!(typed.is_awaited("T 1\n > \n") && !typed.is_awaited("T 1\nloading\n"));
        let line = typed.text(false);
        assert!(
            line.contains("prompt.md") && !line.contains(['\r', '\n']),
            "{line:?}"
        );
        let whole = typed.text(true);
        assert!(
            whole.contains("dbs signal") && whole.lines().count() > 5,
            "{whole:?}"
        );
        typed.note_typed();
        assert_eq!(prompts.to_type(&kind, brief.attempt), None);
    }
}
