//! The tag of an enum's value: the word serde writes it as, alone or before the content.

use serde::Serialize;
use serde_json::{Result, Value};

/// Returns the word that names the case of an enum's value, and its content; null for a case that holds nothing.
///
/// # Errors
/// When the value cannot be written as JSON.
pub fn tag_and_content(value: &impl Serialize) -> Result<(String, Value)> {
    Ok(match serde_json::to_value(value)? {
        Value::String(tag) => (tag, Value::Null),
        Value::Object(one) => one.into_iter().next().unwrap_or_default(),
        other => (other.to_string(), Value::Null),
    })
}
