//! Where Claude Code keeps what was said in a session: `projects/FOLDER/SESSION.jsonl` below its configuration. Going on with a
//! session does not depend on the folder it is called from, so all of them are looked at.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

/// The file of a session. One without any message is not there to be continued: the tool makes it before it hears its first prompt.
///
/// # Errors
/// Where it was looked for, and why it does not do.
pub(super) fn find(configuration: &Path, session: &str) -> Result<PathBuf, String> {
    let projects = configuration.join("projects");
    let entries = fs::read_dir(&projects)
        .map_err(|error| format!("Claude Code has no sessions in {}: {error}", projects.display()))?;
    let name = format!("{session}.jsonl");
    let files = entries.flatten().map(|entry| entry.path().join(&name));
    let mut found = files.filter(|file| file.is_file());
    let Some(file) = found.next() else {
        return Err(format!(
            "Claude Code has no session {session} in {}",
            projects.display()
        ));
    };
    if has_message(&file) {
        return Ok(file);
    }
    Err(format!("nothing was said yet in the session {}", file.display()))
}

/// Whether the person or the model said something in it. A file that cannot be opened has messages, for all we know.
fn has_message(file: &Path) -> bool {
    let said = [r#""type":"user""#, r#""type":"assistant""#];
    let Ok(file) = fs::File::open(file) else {
        return true;
    };
    let mut lines = BufReader::new(file).lines().map_while(Result::ok);
    lines.any(|line| said.iter().any(|mark| line.contains(mark)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_found_in_whatever_folder_it_was_and_only_with_something_said() {
        let folder = tempfile::tempdir().unwrap();
        let why = find(folder.path(), "a-b").unwrap_err();
        assert!(why.contains("projects"), "{why}");
        let project = folder.path().join("projects").join("-work-tree");
        fs::create_dir_all(&project).unwrap();
        let why = find(folder.path(), "a-b").unwrap_err();
        assert!(why.contains("no session a-b"), "{why}");
        let file = project.join("a-b.jsonl");
        fs::write(&file, "{\"type\":\"mode\"}\n").unwrap();
        let why = find(folder.path(), "a-b").unwrap_err();
        assert!(why.contains("nothing was said"), "{why}");
        fs::write(&file, "{\"type\":\"mode\"}\n{\"type\":\"user\",\"message\":{}}\n").unwrap();
        assert_eq!(find(folder.path(), "a-b"), Ok(file));
    }
}
