//! Question of an agent to a person before it uses a tool, from the tool's name and input: read in the same way for the answer and for the
//! display. Claude Code and Codex use the same names.

use crate::domain::cut::cut_chars;
use serde_json::Value;

use super::json_report::{harmless, list, raw};
use crate::agent_state::{AgentReport, AskReport, Doing, Wait};
use crate::domain::{AskChannel, AskKind};

/// Characters of a tool's input that are shown if it has no field we know.
const LONGEST_INPUT: usize = 400;
/// Options that a report keeps of a question.
const MOST_OPTIONS: usize = 20;
/// Fields that name the subject of a tool's use.
const SUBJECTS: [&str; 7] = [
    "/command",
    "/file_path",
    "/path",
    "/url",
    "/pattern",
    "/query",
    "/notebook_path",
];

/// The tool by which an agent that only plans asks whether it may begin.
pub(super) const EXIT_PLAN: &str = "ExitPlanMode";

/// Question in the tool's own words, of any length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToolAsk {
    pub(super) kind: AskKind,
    pub(super) text: String,
    /// Answers to choose from; empty when any text will do.
    pub(super) options: Vec<String>,
    pub(super) channel: AskChannel,
}

impl ToolAsk {
    /// Reads the question that is asked when a tool of that name is to be used for that input.
    pub(super) fn read(tool: &str, input: &Value) -> ToolAsk {
        match tool {
            "AskUserQuestion" => question(input),
            EXIT_PLAN => ToolAsk::new(AskKind::Plan, plan(input)),
            tool => ToolAsk::new(AskKind::Permission, permission(tool, input)),
        }
    }

    /// Creates a question without options whose request takes the reply.
    pub(super) fn new(kind: AskKind, text: impl Into<String>) -> ToolAsk {
        ToolAsk {
            kind,
            text: text.into(),
            options: Vec::new(),
            channel: AskChannel::Request,
        }
    }

    /// The report that the agent, or a child of it, waits for the reply. `id` is the tool's own of the request.
    pub(super) fn report(&self, id: Option<String>, child: Option<String>) -> AgentReport {
        let (kind, text) = (self.kind, harmless(&self.text));
        let options = self.options.iter().take(MOST_OPTIONS);
        let wait = Wait {
            child,
            ..Wait::new(kind, text.clone())
        };
        let ask = AskReport::Raised {
            id,
            kind,
            text,
            options: options.map(|option| harmless(option)).collect(),
            channel: self.channel,
        };
        AgentReport {
            asks: vec![ask],
            ..AgentReport::doing(Doing::Blocked(wait))
        }
    }
}

/// The text of a plan. A model that wrote none still asks.
fn plan(input: &Value) -> &str {
    match raw(input, "/plan").trim() {
        "" => "may it begin? It wrote down no plan",
        plan => plan,
    }
}

/// Reads one question with its options. Several at once, or one that takes several answers, are for the terminal.
fn question(input: &Value) -> ToolAsk {
    let all = list(input, "/questions");
    let texts: Vec<&str> = all.iter().map(|one| raw(one, "/question")).collect();
    let is_simple = matches!(all, [one] if one.pointer("/multiSelect") != Some(&Value::Bool(true)));
    let (options, channel) = if is_simple {
        (list(input, "/questions/0/options"), AskChannel::Request)
    } else {
        (&[][..], AskChannel::Terminal)
    };
    let labels = options.iter().map(|option| raw(option, "/label").to_owned());
    ToolAsk {
        options: labels.collect(),
        channel,
        ..ToolAsk::new(AskKind::Question, texts.join(" "))
    }
}

/// `Bash: touch x`, as Claude Code's own status record words it.
fn permission(tool: &str, input: &Value) -> String {
    let known = SUBJECTS.iter().map(|field| raw(input, field));
    let known = known.into_iter().find(|text| !text.is_empty());
    match (known, input.as_object()) {
        (Some(known), _) => format!("{tool}: {known}"),
        (None, Some(fields)) if !fields.is_empty() => {
            format!("{tool}: {}", cut_chars(&input.to_string(), LONGEST_INPUT))
        }
        (None, _) => tool.to_owned(),
    }
}
