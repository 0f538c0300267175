//! Limits on ids and texts of a task. Ids become names of branches and folders; texts are shown, kept forever, and given to agents, so each
//! has a maximum length.

use crate::cut::cut_chars;
use std::collections::BTreeSet;

use super::commands::{refusal, refuse, require_text};
use crate::agent_choice::AgentSettings;
use crate::command::{MAX_TEXT_BYTES, Refusal};
use crate::id::TaskId;
use crate::task::GateCommand;

/// Maximum length of an id in characters.
const MAX_ID_CHARS: usize = 48;
/// Maximum length of a title in characters.
const MAX_TITLE_CHARS: usize = 500;
/// Maximum length of a tag in characters, and maximum number of tags of a task.
const MAX_TAG_CHARS: usize = 48;
const MAX_TAGS: usize = 64;
/// Maximum length of a name of an agent, a model or an effort, in bytes.
const MAX_WORD: usize = 100;
/// Maximum number of gates of a task.
const MAX_GATES: usize = 64;
/// Least urgent priority.
const LOWEST_PRIORITY: u8 = 4;

/// Refuses an id that is not `[A-Za-z0-9][A-Za-z0-9._-]{0,47}`, which fits a branch name, a folder name and a shell word everywhere.
pub(super) fn check_id(what: &str, id: &str) -> Result<(), Refusal> {
    let plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-');
    let begins_well = id
        .chars()
        .next()
        .is_some_and(|first| first.is_ascii_alphanumeric());
    if begins_well && id.len() <= MAX_ID_CHARS && id.chars().all(plain) {
        return Ok(());
    }
    Err(refusal(format!(
        "`{id}` is not a {what} id: begin with a letter or digit and use at most {MAX_ID_CHARS} letters, digits, dots, dashes and underscores"
    )))
}

/// Refuses an id that a task has, even one that differs only in capitals: folders and branches could not be distinguished everywhere.
pub(super) fn check_new(id: &TaskId, taken: Option<&TaskId>) -> Result<(), Refusal> {
    match taken {
        None => Ok(()),
        Some(known) if known == id => Err(refusal(format!(
            "{id} exists already: choose another id, or change it with `dbs task update {id}`"
        ))),
        Some(known) => Err(refusal(format!(
            "{id} differs only in capitals from {known}, which exists already: choose another id"
        ))),
    }
}

/// Refuses a title that is empty, too long or has several lines.
pub(super) fn check_title<'a>(what: &str, title: &'a str) -> Result<&'a str, Refusal> {
    let title = require_text(what, title)?;
    if title.contains(['\n', '\r']) {
        refuse!("{what} has several lines: keep the first, and put the rest into the description");
    }
    let long = title.chars().count();
    if long > MAX_TITLE_CHARS {
        refuse!(
            "{what} has {long} characters: {MAX_TITLE_CHARS} are the most, put the rest into the description"
        );
    }
    Ok(title)
}

pub(super) fn check_priority(priority: u8) -> Result<(), Refusal> {
    if priority <= LOWEST_PRIORITY {
        return Ok(());
    }
    Err(refusal(format!(
        "priority {priority} does not exist: 0 is most urgent, {LOWEST_PRIORITY} least"
    )))
}

/// Refuses a description that is too long; it may be empty.
pub(super) fn check_body(body: &str) -> Result<(), Refusal> {
    check_length("the description", body)
}

/// Refuses a comment that is empty or too long.
pub(super) fn check_comment(text: &str) -> Result<&str, Refusal> {
    check_length("the comment", text)?;
    require_text("the comment", text)
}

/// Refuses gates without a name of their own in one line, or without a command.
pub(super) fn check_gates(gates: &[GateCommand]) -> Result<(), Refusal> {
    let mut names = BTreeSet::new();
    for gate in gates {
        let name = check_title("the gate's name", &gate.name)?;
        require_text("the gate's command", &gate.command)?;
        check_length("the gate's command", &gate.command)?;
        if !names.insert(name) {
            refuse!("two gates are called {name}: give each a name of its own");
        }
    }
    if gates.len() > MAX_GATES {
        refuse!(
            "a task has at most {MAX_GATES} gates, and these would be {}: join some",
            gates.len()
        );
    }
    Ok(())
}

/// Refuses names of agents, models and efforts that are not single words for the command line of a tool.
pub(super) fn check_agent(agent: &AgentSettings) -> Result<(), Refusal> {
    let words = [
        ("an agent", &agent.agent),
        ("a model", &agent.model),
        ("an effort", &agent.effort),
    ];
    for (what, word) in words {
        let Some(word) = word else { continue };
        let is_odd = |character: char| character.is_whitespace() || character.is_control();
        if word.is_empty() || word.starts_with('-') || word.len() > MAX_WORD || word.chars().any(is_odd) {
            refuse!(
                "`{}` is not a name of {what}: write one word that does not begin with a dash",
                word.escape_debug()
            );
        }
    }
    check_length(
        "the permissions",
        agent.permissions.as_deref().unwrap_or_default(),
    )
}

pub(super) fn check_length(what: &str, text: &str) -> Result<(), Refusal> {
    if text.len() > MAX_TEXT_BYTES {
        refuse!(
            "{what} has {} KiB: {} KiB are the most, put the rest into a file of the repository and name it",
            text.len().div_ceil(1024),
            MAX_TEXT_BYTES / 1024
        );
    }
    Ok(())
}

/// Refuses a tag that is not a short word, or a few of them, in one line.
pub(super) fn check_tags<'a>(tags: impl Iterator<Item = &'a String>) -> Result<(), Refusal> {
    let mut count = 0;
    for tag in tags {
        if tag.trim().is_empty() || tag.chars().any(char::is_control) || tag.chars().count() > MAX_TAG_CHARS {
            let shown = cut_chars(tag, MAX_TAG_CHARS);
            refuse!(
                "`{}` is not a tag: use one line of at most {MAX_TAG_CHARS} characters",
                shown.escape_debug()
            );
        }
        // A task has one stage, so a stage cannot be a tag, of which a second one could be added (K105).
        if let Some(stage) = tag.trim().strip_prefix("stage:") {
            refuse!(
                "a stage is not a tag: move the task with `dbs task update ID --stage {}`",
                stage.trim()
            );
        }
        count += 1;
    }
    if count > MAX_TAGS {
        refuse!("a task has at most {MAX_TAGS} tags, and these would be {count}: remove some");
    }
    Ok(())
}
