//! Script files with the model's replies. A file is a JSON object from the name of a script to its replies; each turn of the model uses the
//! next reply. `tests/data/agents/scripts/README.md` describes the fields for people.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::dialogue::Dialogue;

/// Name of the script for conversations that name none.
const DEFAULT: &str = "default";

/// Scripts by name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scripts {
    by_name: BTreeMap<String, Script>,
}

/// Turns of one conversation.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    /// Text in the instructions of a conversation that selects this script.
    #[serde(default)]
    role: Option<String>,
    replies: Vec<Reply>,
}

/// Turn of the model.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Reply {
    pub(super) thinking: Option<String>,
    pub(super) text: Option<String>,
    pub(super) calls: Vec<ToolCall>,
    /// Usage figures that replace the generated ones.
    pub(super) usage: Map<String, Value>,
    /// Reason why the model stopped, if it is neither the end of its turn nor a tool call.
    pub(super) stop_reason: Option<String>,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) fail: Option<Failure>,
    pub(super) gate: Option<Gate>,
    /// Number of pieces of the stream after which the connection is cut.
    pub(super) break_after: Option<usize>,
}

/// Call of a tool by the model.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolCall {
    pub(super) tool: String,
    /// Input object, or a text for a tool of the Responses API that takes free text.
    pub(super) input: Value,
}

/// Error that is sent instead of the reply.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Failure {
    pub(super) status: u16,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) message: String,
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,
    /// Details that the API adds to the message, if it has a place for them.
    #[serde(default)]
    pub(super) details: Option<Value>,
    /// Number of first requests that fail; all of them if it is missing.
    #[serde(default)]
    pub(super) times: Option<usize>,
}

/// Point at which the answer waits for the test.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Gate {
    pub(super) name: String,
    /// Number of pieces of the stream that are sent before it; 0 waits before the first byte.
    #[serde(default)]
    pub(super) after: usize,
}

/// Reply to one request, with its place in the script.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    pub(super) script: String,
    pub(super) turn: usize,
    pub(super) reply: Reply,
}

impl Scripts {
    /// Reads all scripts of a folder.
    pub(crate) fn read(folder: &Path) -> Self {
        let mut scripts = Self::default();
        let entries =
            std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for path in entries.map(|entry| entry.expect("the folder is listed").path()) {
            if path.extension().is_some_and(|ending| ending == "json") {
                let text = std::fs::read_to_string(&path)
                    .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                scripts = scripts.with(&path.display().to_string(), &text);
            }
        }
        scripts
    }

    /// Adds the scripts of `text`; `origin` names the text in error messages.
    pub(crate) fn with(mut self, origin: &str, text: &str) -> Self {
        let read: BTreeMap<String, Script> =
            serde_json::from_str(text).unwrap_or_else(|error| panic!("{origin} is invalid: {error}"));
        for (name, script) in read {
            assert!(!script.replies.is_empty(), "{origin}: `{name}` has no replies");
            let older = self.by_name.insert(name.clone(), script);
            assert!(older.is_none(), "{origin}: `{name}` is also in another file");
        }
        self
    }

    /// Returns the next reply of a conversation: from the script that the newest marked message of the user names, else from the one that
    /// its instructions name or whose role text they contain, else from `default`.
    pub(super) fn choose(&self, dialogue: &Dialogue) -> Choice {
        let named = if dialogue.is_aside {
            None
        } else {
            dialogue.newest_marker()
        };
        let marked = named.map(|(at, name)| (name, dialogue.turns_after(at)));
        let by_role = || {
            let name = dialogue
                .marker_of_role()
                .or_else(|| self.of_role(&dialogue.role))?;
            Some((name, dialogue.turns_after(0)))
        };
        let (name, turn) = marked.or_else(by_role).unwrap_or_else(|| {
            let turn = dialogue.turns_after(dialogue.newest_of_user());
            (DEFAULT.to_owned(), turn)
        });
        let reply = self.reply(&name, turn);
        Choice {
            script: name,
            turn,
            reply,
        }
    }

    fn of_role(&self, role: &str) -> Option<String> {
        let holds = |script: &Script| script.role.as_ref().is_some_and(|text| role.contains(text));
        let found = self.by_name.iter().find(|(_, script)| holds(script));
        found.map(|(name, _)| name.clone())
    }

    /// Returns the reply of this turn; after the last one, its text again, so that a conversation always comes to an end.
    fn reply(&self, name: &str, turn: usize) -> Reply {
        let Some(script) = self.by_name.get(name) else {
            return Reply::saying(&format!("There is no script named {name}."));
        };
        script.replies.get(turn).cloned().unwrap_or_else(|| {
            let last = script.replies.last().and_then(|reply| reply.text.clone());
            Reply::saying(&last.unwrap_or_else(|| "Done.".to_owned()))
        })
    }
}

impl Reply {
    fn saying(text: &str) -> Self {
        Self {
            text: Some(text.to_owned()),
            ..Self::default()
        }
    }
}
