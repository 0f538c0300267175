//! JSON with the place of each value in its text, and with repeated keys kept as they are.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Number, Value};

/// The deepest nesting that is read.
const MOST_DEPTH: usize = 32;

/// A value with its place: bytes from `start` to before `end`.
#[derive(Debug)]
pub(super) struct JsonPlace {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) content: JsonContent,
}

/// Content of a value.
#[derive(Debug)]
pub(super) enum JsonContent {
    Null,
    Switch(bool),
    Number(Number),
    Text(String),
    List(Vec<JsonPlace>),
    Object(Vec<(String, JsonPlace)>),
}

impl JsonPlace {
    /// Returns the kind of the value, with its article.
    pub(super) fn kind(&self) -> &'static str {
        match self.content {
            JsonContent::Null => "null",
            JsonContent::Switch(_) => "true or false",
            JsonContent::Number(_) => "a number",
            JsonContent::Text(_) => "a text",
            JsonContent::List(_) => "a list",
            JsonContent::Object(_) => "an object",
        }
    }

    /// Returns the members of an object.
    pub(super) fn members(&self) -> Option<&[(String, JsonPlace)]> {
        match &self.content {
            JsonContent::Object(members) => Some(members),
            _ => None,
        }
    }

    /// Returns the entries of a list.
    pub(super) fn entries(&self) -> Option<&[JsonPlace]> {
        match &self.content {
            JsonContent::List(entries) => Some(entries),
            _ => None,
        }
    }

    /// Returns the text, if the value is one.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.content {
            JsonContent::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the member of an object with that key; the last one, as JSON readers take it.
    pub(super) fn member(&self, key: &str) -> Option<&JsonPlace> {
        let mut members = self.members()?.iter().rev();
        members.find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Returns the value without places.
    pub(super) fn plain(&self) -> Value {
        match &self.content {
            JsonContent::Null => Value::Null,
            JsonContent::Switch(switch) => Value::Bool(*switch),
            JsonContent::Number(number) => Value::Number(number.clone()),
            JsonContent::Text(text) => Value::String(text.clone()),
            JsonContent::List(entries) => entries.iter().map(JsonPlace::plain).collect(),
            JsonContent::Object(members) => {
                let members = members.iter();
                Value::Object(members.map(|(key, value)| (key.clone(), value.plain())).collect())
            }
        }
    }
}

/// Fault that makes a text invalid JSON, with the byte at which it shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct JsonFault {
    pub(super) at: usize,
    pub(super) text: String,
}

/// Reads a whole text.
pub(super) fn parse(text: &str) -> Result<JsonPlace, JsonFault> {
    let body = text.trim_start_matches('\u{feff}');
    let skipped = text.len() - body.len();
    let raw: &RawValue = serde_json::from_str(body).map_err(|error| fault(&error, body, skipped))?;
    let origin = body.as_ptr().addr() - skipped;
    value(raw, origin, 0)
}

fn value(raw: &RawValue, origin: usize, depth: usize) -> Result<JsonPlace, JsonFault> {
    let text = raw.get();
    let start = text.as_ptr().addr() - origin;
    if depth > MOST_DEPTH {
        let text = format!("it is nested more than {MOST_DEPTH} deep");
        return Err(JsonFault { at: start, text });
    }
    let wrong = |error: serde_json::Error| fault(&error, text, start);
    let content = match text.as_bytes().first() {
        Some(b'{') => {
            let Members(members) = serde_json::from_str(text).map_err(wrong)?;
            let members = members.into_iter();
            let read = members.map(|(key, raw)| Ok((key, value(raw, origin, depth + 1)?)));
            JsonContent::Object(read.collect::<Result<_, JsonFault>>()?)
        }
        Some(b'[') => {
            let entries: Vec<&RawValue> = serde_json::from_str(text).map_err(wrong)?;
            let read = entries.into_iter().map(|raw| value(raw, origin, depth + 1));
            JsonContent::List(read.collect::<Result<_, JsonFault>>()?)
        }
        _ => match serde_json::from_str(text).map_err(wrong)? {
            Value::Bool(switch) => JsonContent::Switch(switch),
            Value::Number(number) => JsonContent::Number(number),
            Value::String(text) => JsonContent::Text(text),
            _ => JsonContent::Null,
        },
    };
    Ok(JsonPlace {
        start,
        end: start + text.len(),
        content,
    })
}

/// Builds a fault in `text`, which begins at byte `before` of the whole.
fn fault(error: &serde_json::Error, text: &str, before: usize) -> JsonFault {
    let lines = text.split_inclusive('\n');
    let above: usize = lines.take(error.line().saturating_sub(1)).map(str::len).sum();
    let told = error.to_string();
    let told = told.split(" at line ").next().unwrap_or_default();
    JsonFault {
        at: before + (above + error.column().saturating_sub(1)).min(text.len()),
        text: told.to_owned(),
    }
}

/// The members of an object in their order.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}
