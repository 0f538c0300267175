//! Reads and edits the JSON file of earlier programs; order and unknown keys stay.

use std::path::Path;

use serde_json::{Map, Value as Json};

use crate::config::error::EditError;
use crate::config::raw::{RawSetting, RawValue, limited};
use crate::config::value::SettingValue;
use crate::formats::finding::line_of;

/// Reads all settings of the file; the error is a line and a text.
pub(super) fn read(path: &Path, text: &str) -> Result<Vec<RawSetting>, (usize, String)> {
    let parts = parse(text)?;
    let mut n_values = 0;
    walk(&parts, &mut Vec::new(), &mut |_, _| n_values += 1);
    limited(n_values)?;
    let mut found = Vec::new();
    walk(&parts, &mut Vec::new(), &mut |path_of, value| {
        found.push(RawSetting::in_file(
            path,
            line(text, path_of),
            path_of,
            written(value),
        ));
    });
    Ok(found)
}

/// The file's text with `path` set to `value`, or without it.
pub(super) fn edit(text: &str, path: &[&str], value: Option<&SettingValue>) -> Result<String, EditError> {
    let mut parts = parse(text)?;
    put(&mut parts, path, value)?;
    let mut edited = serde_json::to_string_pretty(&Json::Object(parts))?;
    edited.push('\n');
    Ok(edited)
}

fn parse(text: &str) -> Result<Map<String, Json>, (usize, String)> {
    match serde_json::from_str(text) {
        Ok(Json::Object(parts)) => Ok(parts),
        Ok(_) => Err((1, "it must be one object in braces".to_owned())),
        Err(error) => Err((error.line(), error.to_string())),
    }
}

fn walk(parts: &Map<String, Json>, path: &mut Vec<String>, visit: &mut dyn FnMut(&[String], &Json)) {
    for (key, value) in parts {
        path.push(key.clone());
        match value {
            Json::Object(inner) => walk(inner, path, visit),
            // The earlier programs wrote null for a value that is not set.
            Json::Null => {}
            Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => visit(path, value),
        }
        path.pop();
    }
}

fn written(value: &Json) -> RawValue {
    match value {
        Json::String(text) => RawValue::Plain(text.clone()),
        Json::Array(_) => RawValue::List(value.to_string()),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_) => RawValue::Plain(value.to_string()),
    }
}

/// The line of a key: each part is looked for behind the one before it.
fn line(text: &str, path: &[String]) -> usize {
    let mut from = 0;
    for name in path {
        let quoted = Json::String(name.clone()).to_string();
        let rest = text.get(from..).unwrap_or_default();
        let is_key = |at: &usize| {
            let behind = rest.get(at + quoted.len()..).unwrap_or_default();
            behind.trim_start().starts_with(':')
        };
        let Some(at) = rest.match_indices(&quoted).map(|(at, _)| at).find(is_key) else {
            return 0;
        };
        from += at + quoted.len();
    }
    line_of(text, from)
}

fn put(parts: &mut Map<String, Json>, path: &[&str], value: Option<&SettingValue>) -> Result<(), EditError> {
    match (path, value) {
        ([], _) => Err(EditError::EmptyKey),
        ([last], Some(value)) => {
            let json = match value {
                SettingValue::Secret(secret) => secret.reveal().into(),
                shown => serde_json::to_value(shown)?,
            };
            parts.insert((*last).to_owned(), json);
            Ok(())
        }
        ([last], None) => {
            parts.shift_remove(*last);
            Ok(())
        }
        ([name, rest @ ..], value) => match parts.get_mut(*name) {
            Some(Json::Object(inner)) => put(inner, rest, value),
            Some(_) => Err(EditError::SingleValue((*name).to_owned())),
            None if value.is_none() => Ok(()),
            None => {
                let mut inner = Map::new();
                put(&mut inner, rest, value)?;
                parts.insert((*name).to_owned(), Json::Object(inner));
                Ok(())
            }
        },
    }
}
