//! Input that the tools of agents give to a hook, and the output they expect. Claude Code and Codex use the same names and fields; an event
//! with a missing field, or a field of another type, is ignored and never an error.

use crate::domain::cut::cut_chars;
use serde_json::{Map, Value, json};

use super::tool_ask::{EXIT_PLAN, ToolAsk};
use crate::domain::{Ask, AskId, AskReply, ToolAction, ToolUse};

/// Characters of each text that is handed on about an agent's state, and the most names of commands in the background.
const LONGEST_FIELD: usize = 400;
const MOST_TASKS: usize = 20;

/// Events that only report the activity of an agent. No hook is called before and after each use of a tool: a process for each would take
/// more of the agent's time than its report is worth.
pub(super) const REPORTS: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "Notification",
    "StopFailure",
    "SessionEnd",
];

/// Event of a prompt, typed or given.
const TURN_BEGINS: &str = "UserPromptSubmit";

/// Event that only Codex has: a person pressed Esc.
const INTERRUPT: &str = "Interrupt";

/// Fields that describe the activity of an agent.
const STATE_FIELDS: &[&str] = &[
    "hook_event_name",
    "session_id",
    "agent_id",
    "agent_type",
    "tool_name",
    "notification_type",
    "source",
    "reason",
    "error",
    "last_assistant_message",
    "is_interrupt",
    "takes_back",
];

/// Fields that a command may have.
const KNOWN_OF_BASH: &[&str] = &["command", "description", "timeout", "run_in_background"];

/// An event of a tool, as far as it concerns us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolEvent {
    /// Question of the tool, which waits for the reply.
    Ask(Ask),
    /// Turn that is about to end, with whether the tool was kept from ending it before.
    TurnOver {
        again: bool,
    },
    /// Report of the agent's activity, without a wait.
    Report,
    Other,
}

/// Reads an event. `id` becomes the id of an ask.
pub fn read_event(input: &Value, id: &str) -> ToolEvent {
    match text(input, "hook_event_name") {
        "PermissionRequest" => ToolEvent::Ask(ask(input, id)),
        "Stop" => ToolEvent::TurnOver {
            again: input
                .get("stop_hook_active")
                .and_then(Value::as_bool)
                .unwrap_or_default(),
        },
        event if REPORTS.contains(&event) || event == INTERRUPT => ToolEvent::Report,
        _ => ToolEvent::Other,
    }
}

/// Returns the few fields of an event that describe the activity of the agent, as JSON, none of them long.
pub fn state_fields(input: &Value) -> String {
    let mut kept = Map::new();
    for name in STATE_FIELDS {
        match input.get(*name) {
            Some(Value::String(text)) => {
                kept.insert((*name).to_owned(), Value::from(cut_chars(text, LONGEST_FIELD)));
            }
            Some(Value::Bool(flag)) => {
                kept.insert((*name).to_owned(), Value::from(*flag));
            }
            _ => {}
        }
    }
    let tasks = input.get("background_tasks").and_then(Value::as_array);
    let tasks = tasks.into_iter().flatten().take(MOST_TASKS);
    let tasks =
        tasks.map(|task| json!({ "description": cut_chars(text(task, "description"), LONGEST_FIELD) }));
    kept.insert("background_tasks".to_owned(), tasks.collect());
    Value::Object(kept).to_string()
}

/// Returns the session that an agent itself has begun or continues, if the fields of [`state_fields`] name one.
pub fn session_begun(fields: &str) -> Option<String> {
    let fields: Value = serde_json::from_str(fields).ok()?;
    let is_own = text(&fields, "hook_event_name") == "SessionStart" && text(&fields, "agent_id").is_empty();
    is_own.then(|| text(&fields, "session_id").to_owned())
}

/// The use of a tool that the event asks about; its text is cut above the limit for rules.
pub fn tool_use(input: &Value) -> Option<ToolUse> {
    let tool = text(input, "tool_name");
    let nothing = Map::new();
    let fields = input
        .get("tool_input")
        .and_then(Value::as_object)
        .unwrap_or(&nothing);
    let of = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    let action = match tool {
        // With a field that is not known the command may be run in another way.
        "Bash" if fields.keys().all(|name| KNOWN_OF_BASH.contains(&name.as_str())) => {
            of("command").map(ToolAction::Run)
        }
        "Edit" | "MultiEdit" | "Write" => of("file_path").map(ToolAction::Edit),
        "apply_patch" => of("command")
            .and_then(|patch| patched_file(&patch))
            .map(ToolAction::Edit),
        "NotebookEdit" => of("notebook_path").map(ToolAction::Edit),
        "Read" => of("file_path").map(ToolAction::Read),
        "Glob" | "Grep" | "LS" => Some(ToolAction::Read(of("path").unwrap_or_else(|| ".".to_owned()))),
        "WebFetch" => of("url").map(ToolAction::Fetch),
        _ => None,
    };
    let (tool, action) = (tool.to_owned(), action.unwrap_or(ToolAction::Other));
    (!tool.is_empty()).then(|| ToolUse { tool, action }.bounded())
}

/// The file that a patch of Codex changes; `None` if it changes several, or says something that is not known.
fn patched_file(patch: &str) -> Option<String> {
    const FILES: [&str; 3] = ["*** Add File: ", "*** Update File: ", "*** Delete File: "];
    const OTHERS: [&str; 3] = ["*** Begin Patch", "*** End Patch", "*** End of File"];
    let mut file = None;
    let marks = patch.lines().map(str::trim);
    for line in marks.filter(|line| line.starts_with("***") && !OTHERS.contains(line)) {
        let named = FILES.iter().find_map(|begin| line.strip_prefix(begin))?;
        if named.is_empty() || file.is_some_and(|known| known != named) {
            return None;
        }
        file = Some(named);
    }
    file.map(str::to_owned)
}

/// Returns the output that gives that answer to the event.
pub fn answer(input: &Value, reply: &AskReply) -> String {
    let given = answered_input(input, reply);
    let mut decision = match reply {
        AskReply::Deny(why) if why.is_empty() => {
            json!({ "behavior": "deny", "message": "A person said no." })
        }
        AskReply::Deny(why) => json!({ "behavior": "deny", "message": why }),
        // The answer to a question is not a yes to anything else.
        AskReply::Choose(_) | AskReply::Text(_) if given.is_none() => {
            json!({ "behavior": "deny", "message": "A person gave an answer that is neither yes nor no." })
        }
        AskReply::Allow | AskReply::AllowAlways | AskReply::Choose(_) | AskReply::Text(_) => {
            json!({ "behavior": "allow" })
        }
    };
    if let (Some(fields), Some(given)) = (decision.as_object_mut(), given) {
        fields.insert("updatedInput".to_owned(), given);
    }
    // Codex proposes no rules, and refuses an answer that has any: it allows this once.
    let rules = for_this_session(input).filter(|_| *reply == AskReply::AllowAlways);
    if let (Some(fields), Some(rules)) = (decision.as_object_mut(), rules) {
        fields.insert("updatedPermissions".to_owned(), rules);
    }
    let output =
        json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision } });
    output.to_string()
}

/// Returns the output that keeps an agent from ending its turn.
pub fn go_on(why: &str) -> String {
    json!({ "decision": "block", "reason": why }).to_string()
}

/// Returns the output that gives an agent text in addition to its person's prompt at the beginning of a turn.
pub fn context(text: &str) -> String {
    let output = json!({ "hookEventName": TURN_BEGINS, "additionalContext": text });
    json!({ "hookSpecificOutput": output }).to_string()
}

/// Returns true if the agent itself begins a turn, according to the fields of [`state_fields`].
pub fn begins_turn(fields: &str) -> bool {
    let fields: Value = serde_json::from_str(fields).unwrap_or_default();
    text(&fields, "hook_event_name") == TURN_BEGINS && text(&fields, "agent_id").is_empty()
}

fn ask(input: &Value, id: &str) -> Ask {
    let tool_input = input.get("tool_input").unwrap_or(&Value::Null);
    let asked = ToolAsk::read(text(input, "tool_name"), tool_input);
    Ask {
        id: AskId::new(id),
        kind: asked.kind,
        text: asked.text,
        options: asked.options,
        channel: asked.channel,
    }
}

/// The input with the answer to its question in it. A yes to a plan gives the plan back: without it Claude Code asks in its interface
/// all the same.
fn answered_input(input: &Value, reply: &AskReply) -> Option<Value> {
    let tool_input = input.get("tool_input")?;
    let is_yes = matches!(reply, AskReply::Allow | AskReply::AllowAlways);
    if text(input, "tool_name") == EXIT_PLAN && is_yes {
        return Some(tool_input.clone());
    }
    let first = tool_input.get("questions")?.as_array()?.first()?;
    let given = match reply {
        AskReply::Choose(number) => text(first.get("options")?.as_array()?.get(*number)?, "label"),
        AskReply::Text(text) => text,
        AskReply::Allow | AskReply::AllowAlways | AskReply::Deny(_) => return None,
    };
    let mut answers = Map::new();
    answers.insert(text(first, "question").to_owned(), Value::from(given));
    let mut input = tool_input.as_object()?.clone();
    input.insert("answers".to_owned(), Value::Object(answers));
    Some(Value::Object(input))
}

/// The rules that the tool proposes, kept for its session only: nothing is written into the repository or the person's settings.
fn for_this_session(input: &Value) -> Option<Value> {
    let proposed = input.get("permission_suggestions")?.as_array()?;
    let kept = proposed.iter().filter_map(|rule| {
        let mut rule = rule.as_object()?.clone();
        rule.insert("destination".to_owned(), Value::from("session"));
        Some(Value::Object(rule))
    });
    Some(kept.collect())
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{AskChannel, AskKind};

    fn event(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    fn asked(input: &Value) -> Ask {
        match read_event(input, "k") {
            ToolEvent::Ask(ask) => ask,
            other => panic!("{other:?}"),
        }
    }

    fn decision(input: &Value, reply: &AskReply) -> Value {
        event(&answer(input, reply))["hookSpecificOutput"]["decision"].clone()
    }

    #[test]
    fn a_permission_is_asked_by_tool_and_what_it_is_for() {
        let input = event(
            r#"{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"touch x","description":"d"},
                "permission_suggestions":[{"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"allow","destination":"localSettings"}]}"#,
        );
        let ask = asked(&input);
        assert_eq!(
            (ask.kind, ask.text.as_str()),
            (AskKind::Permission, "Bash: touch x")
        );
        assert_eq!(decision(&input, &AskReply::Allow), json!({ "behavior": "allow" }));
        let denied = decision(&input, &AskReply::Deny("not now".into()));
        assert_eq!(denied, json!({ "behavior": "deny", "message": "not now" }));
        let always = decision(&input, &AskReply::AllowAlways);
        assert_eq!(always["updatedPermissions"][0]["destination"], "session");
        let of_codex = event(r#"{"hook_event_name":"PermissionRequest","turn_id":"t","tool_name":"Bash"}"#);
        assert_eq!(
            decision(&of_codex, &AskReply::AllowAlways),
            json!({ "behavior": "allow" })
        );
        for words in [AskReply::Text("yes".into()), AskReply::Choose(0)] {
            assert_eq!(decision(&input, &words)["behavior"], "deny", "{words:?}");
        }
        let unknown =
            event(r#"{"hook_event_name":"PermissionRequest","tool_name":"New","tool_input":{"what":1}}"#);
        assert_eq!(asked(&unknown).text, r#"New: {"what":1}"#);
    }

    #[test]
    fn what_a_tool_is_to_do_is_known_by_its_name_and_its_fields() {
        let wanted = |tool: &str, fields: &str| {
            tool_use(&event(&format!(
                r#"{{"tool_name":"{tool}","tool_input":{fields}}}"#
            )))
            .map(|wanted| wanted.action)
        };
        let run = ToolAction::Run("make".to_owned());
        assert_eq!(wanted("Bash", r#"{"command":"make","timeout":9}"#), Some(run));
        let edit = ToolAction::Edit("/w/x".to_owned());
        assert_eq!(
            wanted("Write", r#"{"file_path":"/w/x","content":"y"}"#),
            Some(edit)
        );
        let patch =
            r#"{"command":"*** Begin Patch\n*** Update File: src/a b.rs\n@@\n-x\n+*** y\n*** End Patch"}"#;
        let edit = ToolAction::Edit("src/a b.rs".to_owned());
        assert_eq!(wanted("apply_patch", patch), Some(edit));
        assert_eq!(
            wanted("Grep", r#"{"pattern":"x"}"#),
            Some(ToolAction::Read(".".to_owned()))
        );
        for (tool, fields) in [
            ("Bash", r#"{"command":"make","dangerouslyDisableSandbox":true}"#),
            ("Bash", r#"{"command":["make"]}"#),
            ("Edit", "{}"),
            ("New", r#"{"command":"make"}"#),
            ("apply_patch", r#"{"command":"*** Begin Patch\n"}"#),
            (
                "apply_patch",
                r#"{"command":"*** Add File: a\n+x\n*** Delete File: b\n"}"#,
            ),
            (
                "apply_patch",
                r#"{"command":"*** Update File: a\n*** Move to: b\n"}"#,
            ),
        ] {
            assert_eq!(wanted(tool, fields), Some(ToolAction::Other), "{tool} {fields}");
        }
        assert_eq!(wanted("Bash", "[]"), Some(ToolAction::Other));
        assert_eq!(wanted("", "{}"), None);
    }

    #[test]
    fn a_question_is_answered_with_its_option_or_in_words() {
        let input = event(
            r#"{"hook_event_name":"PermissionRequest","tool_name":"AskUserQuestion","tool_input":{"questions":[
                {"question":"Which database?","options":[{"label":"SQLite"},{"label":"Postgres"}],"multiSelect":false}]}}"#,
        );
        let ask = asked(&input);
        assert_eq!(ask.options, ["SQLite", "Postgres"]);
        assert_eq!((ask.kind, ask.channel), (AskKind::Question, AskChannel::Request));
        let chosen = decision(&input, &AskReply::Choose(1));
        assert_eq!(
            chosen["updatedInput"]["answers"],
            json!({ "Which database?": "Postgres" })
        );
        assert_eq!(
            chosen["updatedInput"]["questions"][0]["question"],
            "Which database?"
        );
        let words = decision(&input, &AskReply::Text("neither".into()));
        assert_eq!(words["updatedInput"]["answers"]["Which database?"], "neither");
    }

    #[test]
    fn several_questions_at_once_are_for_the_terminal() {
        for (questions, text) in [
            (
                r#"{"question":"A?","options":[]},{"question":"B?","options":[]}"#,
                "A? B?",
            ),
            (
                r#"{"question":"A?","options":[{"label":"1"}],"multiSelect":true}"#,
                "A?",
            ),
        ] {
            let input = event(&format!(
                r#"{{"hook_event_name":"PermissionRequest","tool_name":"AskUserQuestion","tool_input":{{"questions":[{questions}]}}}}"#
            ));
            let ask = asked(&input);
            assert_eq!((ask.channel, ask.text.as_str()), (AskChannel::Terminal, text));
            assert_eq!(ask.options, Vec::<String>::new());
        }
    }

    #[test]
    fn other_events_and_broken_ones_are_of_no_interest() {
        for text in [
            r#"{"hook_event_name":"CwdChanged"}"#,
            "[]",
            "7",
            r#"{"hook_event_name":5}"#,
        ] {
            assert_eq!(read_event(&event(text), "k"), ToolEvent::Other, "{text}");
        }
        let stop = event(r#"{"hook_event_name":"Stop","stop_hook_active":true}"#);
        assert_eq!(read_event(&stop, "k"), ToolEvent::TurnOver { again: true });
        assert_eq!(
            event(&go_on("why")),
            json!({ "decision": "block", "reason": "why" })
        );
    }

    #[test]
    fn of_a_report_only_short_fields_about_the_state_are_handed_on() {
        let long = "x".repeat(1_000_000);
        let tasks: Vec<Value> = (0..1_000)
            .map(|_| json!({ "description": long, "id": 1 }))
            .collect();
        let input = json!({
            "hook_event_name": "StopFailure", "error": long, "last_assistant_message": long, "transcript_path": long,
            "prompt": long, "is_interrupt": true, "agent_id": 7, "background_tasks": tasks,
        });
        assert_eq!(read_event(&input, "k"), ToolEvent::Report);
        let fields = state_fields(&input);
        assert!(fields.len() < 16 * 1024, "{}", fields.len());
        let fields = event(&fields);
        assert_eq!(fields["hook_event_name"], "StopFailure");
        assert_eq!(fields["error"].as_str().unwrap().len(), LONGEST_FIELD);
        assert_eq!(fields["is_interrupt"], true);
        assert_eq!(fields["background_tasks"].as_array().unwrap().len(), MOST_TASKS);
        for other in ["prompt", "transcript_path", "agent_id"] {
            assert_eq!(fields.get(other), None, "{other}");
        }
    }
}
