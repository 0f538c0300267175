//! Script files: what the model says. A file is a JSON object from the name of a script to its replies; a reply is used for
//! each turn of the model, in order. `tests/data/agents/scripts/README.md` describes the fields for people.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::dialogue::Dialogue;

/// The script for conversations that name none.
const DEFAULT: &str = "default";

/// Scripts by name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scripts {
    by_name: BTreeMap<String, Script>,
}

/// The turns of one conversation.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    /// A text that stands in the instructions of the conversations it answers, if it is chosen by that.
    #[serde(default)]
    role: Option<String>,
    replies: Vec<Reply>,
}

/// One turn of the model.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Reply {
    pub(super) thinking: Option<String>,
    pub(super) text: Option<String>,
    pub(super) calls: Vec<ToolCall>,
    /// Figures that replace the made-up ones.
    pub(super) usage: Map<String, Value>,
    /// Why the model stopped, where it is neither its end nor a tool call.
    pub(super) stop_reason: Option<String>,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) fail: Option<Failure>,
    pub(super) gate: Option<Gate>,
    /// After this many pieces of the stream the connection is cut.
    pub(super) break_after: Option<usize>,
}

/// A call of a tool by the model.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolCall {
    pub(super) tool: String,
    /// An object, or a text for a tool of the Responses API that takes free text.
    pub(super) input: Value,
}

/// An error that is answered instead of the reply.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Failure {
    pub(super) status: u16,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) message: String,
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,
    /// What the interface adds to the message, where it has a place for it.
    #[serde(default)]
    pub(super) details: Option<Value>,
    /// Only the first requests fail; all where it is missing.
    #[serde(default)]
    pub(super) times: Option<usize>,
}

/// A place where the answer waits for the test.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Gate {
    pub(super) name: String,
    /// How many pieces of the stream are sent before it; 0 waits before the first byte.
    #[serde(default)]
    pub(super) after: usize,
}

/// The reply to one request, and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    pub(super) script: String,
    pub(super) turn: usize,
    pub(super) reply: Reply,
}

impl Scripts {
    /// All scripts of a folder.
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

    /// These and the scripts of `text`; `origin` names the text when it is wrong.
    pub(crate) fn with(mut self, origin: &str, text: &str) -> Self {
        let read: BTreeMap<String, Script> =
            serde_json::from_str(text).unwrap_or_else(|error| panic!("{origin} is no script file: {error}"));
        for (name, script) in read {
            assert!(!script.replies.is_empty(), "{origin}: `{name}` has no replies");
            let older = self.by_name.insert(name.clone(), script);
            assert!(older.is_none(), "{origin}: `{name}` stands in another file, too");
        }
        self
    }

    /// The next reply of a conversation: of the script that the newest marked message of the user names, else of the one
    /// that its instructions name or hold the role text of, else of `default`.
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

    /// The reply of this turn; after the last one its text again, so that a conversation always comes to an end.
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
