//! Transcripts of Claude Code's sessions: `projects/FOLDER/SESSION.jsonl` below its configuration. A session can be continued from any
//! folder, so all folders are searched.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::stream_parts::assistant;
use crate::adapters::agents::json_report::{object, raw};
use crate::adapters::agents::session_id;
use crate::agent_state::AgentReport;
use crate::domain::Cause;

/// Parts of a record that exist once the person or the model said something.
const SAID: [&str; 2] = [r#""type":"user""#, r#""type":"assistant""#];

/// The figures of one line: of a request to the model that is not a subagent's.
pub fn read(line: &[u8]) -> AgentReport {
    let line = object(line).filter(|line| raw(line, "/type") == "assistant");
    let own = line.filter(|line| line.pointer("/isSidechain") != Some(&Value::Bool(true)));
    own.map_or_else(AgentReport::default, |line| AgentReport {
        figures: assistant(&line).figures,
        ..AgentReport::default()
    })
}

/// The file of a session. One without any message is not there to be continued: the tool makes it before it hears its first prompt.
///
/// # Errors
/// Where it was looked for, and why it does not do.
pub(super) fn find(configuration: &Path, session: &str) -> Result<PathBuf, Cause> {
    let projects = configuration.join("projects");
    let entries = fs::read_dir(&projects).map_err(|error| {
        Cause::from(format!(
            "Claude Code has no sessions in {}: {error}",
            projects.display()
        ))
    })?;
    let name = format!("{session}.jsonl");
    let files = entries.flatten().map(|entry| entry.path().join(&name));
    let mut found = files.filter(|file| file.is_file());
    let Some(file) = found.next() else {
        return Err(format!("Claude Code has no session {session} in {}", projects.display()).into());
    };
    if session_id::has_one_of(&file, &SAID) {
        return Ok(file);
    }
    Err(format!("nothing was said yet in the session {}", file.display()).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_state::Meter;

    #[test]
    fn each_request_of_a_transcript_counts_once_and_none_of_a_subagent() {
        let line = |id: &str, output: u64, aside: bool| {
            format!(
                r#"{{"type":"assistant","isSidechain":{aside},"message":{{"id":"{id}","content":[],
                "usage":{{"input_tokens":10,"cache_read_input_tokens":100,"output_tokens":{output}}}}}}}"#
            )
        };
        let mut meter = Meter::default();
        let lines = [
            line("a", 1, false),
            line("a", 5, false),
            line("b", 2, false),
            line("c", 900, true),
            r#"{"type":"user","message":{"id":"d","usage":{"input_tokens":7}}}"#.to_owned(),
            "no JSON".to_owned(),
        ];
        for line in lines {
            for figures in read(line.as_bytes()).figures {
                meter.count(&figures);
            }
        }
        let tokens = meter.usage().tokens;
        assert_eq!((tokens.input, tokens.cache_read, tokens.output), (20, 200, 7));
        assert_eq!(meter.context().map(|context| context.used), Some(112));
    }

    #[test]
    fn a_session_is_found_in_whatever_folder_it_was_and_only_with_something_said() {
        let folder = tempfile::tempdir().unwrap();
        let why = find(folder.path(), "a-b").unwrap_err();
        assert!(why.text.contains("projects"), "{why}");
        let project = folder.path().join("projects").join("-work-tree");
        fs::create_dir_all(&project).unwrap();
        let why = find(folder.path(), "a-b").unwrap_err();
        assert!(why.text.contains("no session a-b"), "{why}");
        let file = project.join("a-b.jsonl");
        fs::write(&file, "{\"type\":\"mode\"}\n").unwrap();
        let why = find(folder.path(), "a-b").unwrap_err();
        assert!(why.text.contains("nothing was said"), "{why}");
        fs::write(&file, "{\"type\":\"mode\"}\n{\"type\":\"user\",\"message\":{}}\n").unwrap();
        assert_eq!(find(folder.path(), "a-b"), Ok(file));
    }
}
