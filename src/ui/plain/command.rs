//! Parser for lines that a person typed: an answer to a numbered prompt, a word of the plain client, or a command of the program.

use super::prompts::{PlainPrompts, offers};
use crate::domain::{AskReply, Command, TaskId};
use crate::read_model::{AttentionItem, AttentionKind, AttentionSummary};

/// Help text for the lines that can be typed, line by line.
pub const HELP: &[&str] = &[
    "inbox: what needs you, numbered",
    "2: the second of these in full, with the answers it takes",
    "2 yes, 2 no, 2 retry, 2 look, or a text: an answer to it",
    "board: the tasks by stage; plan: the phases of the plan; status: agents, counts, branches",
    "show ID, why ID, logs ID: a task, why it does not move, what its agent showed",
    "new TITLE: a task for the backlog; release ID: hand it to the agents",
    "approve ID, reject ID WHY, retry ID, skip ID, park ID WHY, close ID WHY, comment ID TEXT, answer ID TEXT",
    "update ID --priority 0; dep ID ON; withdraw ID; kill-agent NAME; pause; resume; stop",
    "quit: leave; the server and its agents keep running",
    "Every command of dbs can be typed here without the word dbs; COMMAND --help says more.",
];

/// Meaning of a line typed into the plain client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlainCommand {
    Nothing,
    /// Show the help text.
    Help,
    /// Show the list of prompts.
    Inbox,
    Quit,
    /// Lines to show as the answer.
    Reply(Vec<String>),
    Submit(Box<Command>),
    /// Show the end of the output of a task's last agent.
    ShowOutput(TaskId),
    /// Command of the program, as words for it.
    CommandLine(String),
}

/// Parses a line.
pub fn parse_line(line: &str, prompts: &PlainPrompts, attention: &AttentionSummary) -> PlainCommand {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    if let Ok(number) = word.trim_end_matches('.').parse::<u32>() {
        return match prompts.get(number) {
            None => reply(format!("there is no {number}; inbox lists what needs you")),
            Some(prompt) if rest.is_empty() => PlainCommand::Reply(prompt.full_text(attention)),
            Some(prompt) => answer(&prompt.about.item, rest)
                .unwrap_or_else(|| reply(format!("not understood; type {}", offers(prompt)))),
        };
    }
    match (word.to_ascii_lowercase().as_str(), rest) {
        ("", _) => PlainCommand::Nothing,
        ("help" | "h" | "?", "") => PlainCommand::Help,
        ("inbox" | "i", "") => PlainCommand::Inbox,
        ("quit" | "q" | "exit", "") => PlainCommand::Quit,
        ("agents", "") => PlainCommand::CommandLine("status".to_owned()),
        ("plan", "") => PlainCommand::CommandLine("status --run".to_owned()),
        // A title needs no quotes here; its options come after it as on the command line.
        ("new", title) if !title.is_empty() && !title.contains(['"', '\'']) => {
            let (title, options) = title.split_once(" -").unwrap_or((title, ""));
            let options = if options.is_empty() {
                String::new()
            } else {
                format!(" -{options}")
            };
            PlainCommand::CommandLine(format!(
                "task create \"{}\"{options}",
                title.replace('\\', "\\\\")
            ))
        }
        ("new", title) => PlainCommand::CommandLine(format!("task create {title}")),
        _ => PlainCommand::CommandLine(line.to_owned()),
    }
}

fn reply(line: String) -> PlainCommand {
    PlainCommand::Reply(vec![line])
}

fn answer(item: &AttentionItem, text: &str) -> Option<PlainCommand> {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let (word, rest) = (word.to_ascii_lowercase(), rest.trim());
    let task = item.task.clone();
    let submit = |command| Some(PlainCommand::Submit(Box::new(command)));
    let reply_to_ask = |reply| submit(item.answer_command(reply)?);
    match (item.kind, word.as_str(), rest) {
        (_, "look", "") => Some(PlainCommand::ShowOutput(task)),
        (AttentionKind::Question, ..) => submit(Command::Answer(task, text.to_owned())),
        (AttentionKind::Dialog, ..) if item.ask.as_ref().is_some_and(|ask| !ask.options.is_empty()) => {
            submit(Command::Answer(task, text.to_owned()))
        }
        (AttentionKind::Permission, "yes" | "y" | "allow" | "approve", "") => reply_to_ask(AskReply::Allow),
        (AttentionKind::Permission, "always", "") => reply_to_ask(AskReply::AllowAlways),
        (AttentionKind::Permission, "no" | "n" | "deny" | "refuse", why) => {
            reply_to_ask(AskReply::Deny(why.to_owned()))
        }
        (AttentionKind::Approval, "yes" | "y" | "approve", "") => submit(Command::Approve(task)),
        (AttentionKind::Approval, "no" | "n" | "reject", "") => {
            Some(reply("add the reason: the next attempt gets it".to_owned()))
        }
        (AttentionKind::Approval, "no" | "n" | "reject", why) => {
            submit(Command::Reject(task, why.to_owned()))
        }
        (AttentionKind::Approval, "skip", "") => submit(Command::Skip(task)),
        (AttentionKind::Permission | AttentionKind::Dialog | AttentionKind::Approval, ..) => None,
        (
            AttentionKind::Gate | AttentionKind::Merge | AttentionKind::Held | AttentionKind::Failed,
            word,
            rest,
        ) => stuck(task, word, rest),
    }
}

fn stuck(task: TaskId, word: &str, rest: &str) -> Option<PlainCommand> {
    let command = match word {
        "yes" | "y" | "retry" => Command::Retry {
            task,
            stage: None,
            note: (!rest.is_empty()).then(|| rest.to_owned()),
        },
        "skip" if rest.is_empty() => Command::Skip(task),
        "park" if !rest.is_empty() => Command::Park(task, rest.to_owned()),
        "close" if !rest.is_empty() => Command::Close(task, rest.to_owned()),
        "note" | "comment" if !rest.is_empty() => Command::Comment(task, rest.to_owned()),
        _ => return None,
    };
    Some(PlainCommand::Submit(Box::new(command)))
}
