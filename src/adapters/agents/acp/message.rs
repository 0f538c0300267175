//! Messages of the protocol, one object in each line. Other lines are ignored.

use crate::domain::cut::cut_chars;
use serde_json::{Value, json};

use crate::adapters::agents::json_report::{object, raw};

/// Maximum length of an id of a request that is answered, as JSON.
const LONGEST_ID: usize = 200;
/// JSON-RPC code of an unknown method.
const UNKNOWN_METHOD: i64 = -32601;

/// Message in one line of the tool.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Message {
    /// Reply to the request of that number: a result, or an error.
    Reply { id: u64, result: Result<Value, Value> },
    /// Request of the tool, which waits for a reply under this id: a number or a text.
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    /// Notification of the tool.
    Notification { method: String, params: Value },
}

/// The message that the line is, if it is one.
pub(super) fn read(line: &[u8]) -> Option<Message> {
    let mut line = object(line)?;
    let method = raw(&line, "/method").to_owned();
    let id = line.get("id").cloned().filter(|id| !id.is_null());
    let mut take = |name: &str| line.get_mut(name).map(Value::take);
    if method.is_empty() {
        let id = id?.as_u64()?;
        let error = take("error").filter(|error| !error.is_null());
        let result = match error {
            Some(error) => Err(error),
            None => Ok(take("result")?),
        };
        return Some(Message::Reply { id, result });
    }
    let params = take("params").unwrap_or_default();
    let Some(id) = id else {
        return Some(Message::Notification { method, params });
    };
    let is_id = (id.is_number() || id.is_string()) && id.to_string().len() <= LONGEST_ID;
    is_id.then_some(Message::Request { id, method, params })
}

/// A request of ours.
pub(super) fn request(id: u64, method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

/// Builds a message to the tool that gets no reply.
pub(super) fn notification(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
}

/// The reply to a request of the tool.
pub(super) fn reply(id: &Value, result: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string()
}

/// The reply to a request that is not known here, or was not offered.
pub(super) fn unknown(id: &Value, method: &str) -> String {
    let shown = cut_chars(method, LONGEST_ID);
    let text = format!("dbs does not offer `{shown}`; use a tool of your own");
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": UNKNOWN_METHOD, "message": text } }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_requests_and_notifications_are_told_apart() {
        let reply = read(br#"{"jsonrpc":"2.0","id":7,"result":{"a":1}}"#);
        let result = Ok(json!({ "a": 1 }));
        assert_eq!(reply, Some(Message::Reply { id: 7, result }));
        let error = read(br#"{"id":7,"error":{"code":-1,"message":"no"}}"#);
        let Some(Message::Reply {
            result: Err(error), ..
        }) = error
        else {
            panic!("{error:?}")
        };
        assert_eq!(error["message"], "no");
        for id in [json!(0), json!("a-1")] {
            let line = json!({ "id": id, "method": "fs/read_text_file" }).to_string();
            let Some(Message::Request { id: read_id, .. }) = read(line.as_bytes()) else {
                panic!("{line}")
            };
            assert_eq!(read_id, id);
        }
        let told = read(br#"{"method":"session/update","params":{}}"#);
        assert!(matches!(told, Some(Message::Notification { .. })), "{told:?}");
    }

    #[test]
    fn what_is_no_message_says_nothing() {
        let long = format!(r#"{{"id":"{}","method":"x"}}"#, "i".repeat(300));
        for line in [
            "",
            "[]",
            "{}",
            "{\"id\":1",
            r#"{"id":[1],"method":"x"}"#,
            r#"{"id":"text","result":{}}"#,
            r#"{"id":-1,"result":{}}"#,
            r#"{"id":1}"#,
            long.as_str(),
        ] {
            assert_eq!(read(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn an_unknown_method_is_refused_under_its_own_id() {
        let said: Value = serde_json::from_str(&unknown(&json!("q"), "terminal/create")).unwrap();
        assert_eq!(
            (&said["id"], &said["error"]["code"]),
            (&json!("q"), &json!(-32601))
        );
    }
}
