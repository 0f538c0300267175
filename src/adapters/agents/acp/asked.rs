//! A permission that a tool asks for over the protocol, in the fields of the hook `PermissionRequest`, so that rules, policies and
//! persons answer it by the same code, and the option that a reply means.

use serde_json::{Map, Value, json};

use crate::adapters::agents::json_report::{list, raw};
use crate::domain::AskReply;

/// Options of one request that are looked at.
const MOST_OPTIONS: usize = 20;

/// Builds the request as the hook gets it. A use whose subject has no field of its own has only its title, which is for people: no rule
/// about commands or files fits it.
pub(super) fn as_hook(params: &Value) -> Value {
    let call = params.pointer("/toolCall").unwrap_or(&Value::Null);
    let subject = match raw(call, "/kind") {
        "execute" => command(call).map(|input| ("Bash", input)),
        "edit" => place(call).map(|path| ("Edit", json!({ "file_path": path }))),
        "read" => place(call).map(|path| ("Read", json!({ "file_path": path }))),
        "fetch" => address(call).map(|url| ("WebFetch", json!({ "url": url }))),
        _ => None,
    };
    let (name, input) = subject.unwrap_or_else(|| (word(raw(call, "/kind")), titled(call)));
    json!({ "hook_event_name": "PermissionRequest", "tool_name": name, "tool_input": input })
}

/// Returns the outcome for the tool: the option that fits the reply, or that nothing was chosen.
pub(super) fn outcome(params: &Value, reply: &AskReply) -> Value {
    let options = list(params, "/options");
    let of_kind = |kind: &str| {
        let mut options = options.iter().take(MOST_OPTIONS);
        let option = options.find(|option| raw(option, "/kind") == kind)?;
        option.get("optionId").cloned()
    };
    let chosen = match reply {
        AskReply::AllowAlways => of_kind("allow_always").or_else(|| of_kind("allow_once")),
        // A permission for once must not become one for ever.
        AskReply::Allow => of_kind("allow_once"),
        // A refusal for ever is still one; without any the tool would take its turn for cancelled. A text is not a yes.
        AskReply::Deny(_) | AskReply::Choose(_) | AskReply::Text(_) => {
            of_kind("reject_once").or_else(|| of_kind("reject_always"))
        }
    };
    match chosen {
        Some(option) => json!({ "outcome": { "outcome": "selected", "optionId": option } }),
        None => cancelled(),
    }
}

/// Returns the outcome for a question that will not be decided any more.
pub(super) fn cancelled() -> Value {
    json!({ "outcome": { "outcome": "cancelled" } })
}

/// The fields of a command. All are kept: with one that is not known it may be run in another way.
fn command(call: &Value) -> Option<Value> {
    let input = call.pointer("/rawInput")?;
    let is_said = !raw(input, "/command").is_empty();
    is_said.then(|| input.clone())
}

/// The one file that is meant; `None` if there are several, or two fields name different ones.
fn place(call: &Value) -> Option<String> {
    let locations = list(call, "/locations").iter().map(|place| raw(place, "/path"));
    let changed = list(call, "/content").iter().map(|part| raw(part, "/path"));
    let fields = ["/rawInput/filePath", "/rawInput/file_path", "/rawInput/filepath"];
    let named = fields.into_iter().map(|field| raw(call, field));
    let mut all = locations
        .chain(changed)
        .chain(named)
        .filter(|path| !path.is_empty());
    let first = all.next()?;
    all.all(|path| path == first).then(|| first.to_owned())
}

fn address(call: &Value) -> Option<String> {
    let url = raw(call, "/rawInput/url");
    (!url.is_empty()).then(|| url.to_owned())
}

/// Returns the input shown to people if nothing better is known.
fn titled(call: &Value) -> Value {
    let mut input = Map::new();
    let title = raw(call, "/title");
    if !title.is_empty() {
        input.insert("command".to_owned(), Value::from(title));
    }
    Value::Object(input)
}

/// The name of the use; none of these is the name of a tool that rules know by its fields.
fn word(kind: &str) -> &'static str {
    match kind {
        "execute" => "Command",
        "edit" | "delete" | "move" => "Change",
        "read" | "search" => "Look",
        "fetch" => "Address",
        _ => "Tool",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::agents::hook::tool_use;
    use crate::domain::ToolAction;

    fn action(call: &Value) -> ToolAction {
        tool_use(&as_hook(&json!({ "toolCall": call }))).unwrap().action
    }

    #[test]
    fn rules_decide_by_fields_and_never_by_a_title() {
        let run = json!({ "kind": "execute", "title": "make", "rawInput": { "command": "rm x", "description": "d" } });
        assert_eq!(action(&run), ToolAction::Run("rm x".to_owned()));
        let elsewhere = json!({ "kind": "execute", "rawInput": { "command": "make", "workdir": "/" } });
        assert_eq!(action(&elsewhere), ToolAction::Other);
        for kind in ["execute", "edit", "read", "fetch", "other"] {
            assert_eq!(
                action(&json!({ "kind": kind, "title": "make" })),
                ToolAction::Other,
                "{kind}"
            );
        }
        let edit = json!({ "kind": "edit", "locations": [{ "path": "/w/a" }], "content": [{ "type": "diff", "path": "/w/a" }] });
        assert_eq!(action(&edit), ToolAction::Edit("/w/a".to_owned()));
        let two = json!({ "kind": "edit", "locations": [{ "path": "/w/a" }, { "path": "/w/b" }] });
        assert_eq!(action(&two), ToolAction::Other);
    }

    #[test]
    fn a_reply_chooses_the_option_of_its_kind_and_once_is_never_always() {
        let options = |kinds: &[&str]| {
            let all: Vec<Value> = kinds
                .iter()
                .map(|kind| json!({ "optionId": format!("o-{kind}"), "kind": kind }))
                .collect();
            json!({ "options": all })
        };
        let all = options(&["allow_always", "allow_once", "reject_once"]);
        let chosen =
            |params: &Value, reply: &AskReply| raw(&outcome(params, reply), "/outcome/optionId").to_owned();
        assert_eq!(chosen(&all, &AskReply::Allow), "o-allow_once");
        assert_eq!(chosen(&all, &AskReply::AllowAlways), "o-allow_always");
        assert_eq!(chosen(&all, &AskReply::Deny(String::new())), "o-reject_once");
        assert_eq!(chosen(&all, &AskReply::Text("yes".to_owned())), "o-reject_once");
        assert_eq!(
            outcome(&options(&["allow_always"]), &AskReply::Allow),
            cancelled()
        );
        assert_eq!(
            chosen(&options(&["allow_once"]), &AskReply::AllowAlways),
            "o-allow_once"
        );
        assert_eq!(
            chosen(
                &options(&["allow_once", "reject_always"]),
                &AskReply::Deny(String::new())
            ),
            "o-reject_always"
        );
        assert_eq!(outcome(&json!({}), &AskReply::Deny(String::new())), cancelled());
    }
}
