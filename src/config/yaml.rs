//! Reads the YAML files of earlier programs, and changes single values in them where that is safe: comments, order and unknown
//! keys stay.

use std::fmt;
use std::path::Path;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

use crate::config::error::EditError;
use crate::config::raw::{RawSetting, RawValue, limited};
use crate::config::value::SettingValue;

/// Reads all settings of the file; the error is a line and a text.
pub(super) fn read(path: &Path, text: &str) -> Result<Vec<RawSetting>, (usize, String)> {
    let mut found = Vec::new();
    match parse(text)? {
        YamlNode::Empty => {}
        YamlNode::Table(entries) => walk(&entries, &mut Vec::new(), &mut |path_of, line, written| {
            found.push(RawSetting::in_file(path, line, path_of, written));
        }),
        YamlNode::Plain(_) | YamlNode::List(_) => return Err((1, "it must be keys with values".to_owned())),
    }
    limited(found.len())?;
    Ok(found)
}

/// Returns the file's text with `path` set to `value`, or without it. Only a value on the line of its key is changed.
pub(super) fn edit(text: &str, path: &[&str], value: Option<&SettingValue>) -> Result<String, EditError> {
    let nowhere = Path::new("");
    let before = read(nowhere, text)?;
    let Some(found) = before.iter().find(|found| found.parts() == path) else {
        return Err(EditError::Missing(path.join(".")));
    };
    let (_, line) = found.origin.place();
    let lines = text.split_inclusive('\n').zip(1..);
    let edited: String = lines
        .map(|(old, number)| match value {
            _ if number != line => old.to_owned(),
            Some(value) => with_value(old, value),
            None => String::new(),
        })
        .collect();
    let by_hand = || EditError::ByHand {
        key: path.join("."),
        line,
    };
    let after = read(nowhere, &edited).map_err(|_other| by_hand())?;
    let rest = |all: &[RawSetting]| -> Vec<(Vec<String>, RawValue)> {
        let others = all.iter().filter(|found| found.parts() != path);
        others
            .map(|found| (found.path.clone(), found.text.clone()))
            .collect()
    };
    let set = after
        .iter()
        .find(|found| found.parts() == path)
        .map(|found| found.text.clone());
    if rest(&before) == rest(&after) && set == value.map(|value| RawValue::Plain(value.to_string())) {
        Ok(edited)
    } else {
        Err(by_hand())
    }
}

/// Returns a line `key: old # why` with another value; the text before and after it stays.
fn with_value(line: &str, value: &SettingValue) -> String {
    let Some((key, rest)) = line.split_once(':') else {
        return line.to_owned();
    };
    let comment = rest.find(" #").and_then(|at| rest.get(at..)).unwrap_or_default();
    let end = if comment.is_empty() && rest.ends_with('\n') {
        "\n"
    } else {
        comment
    };
    let value = match value {
        SettingValue::Text(text) => serde_json::Value::from(text.as_str()).to_string(),
        SettingValue::Secret(secret) => serde_json::Value::from(secret.reveal()).to_string(),
        other => other.to_string(),
    };
    format!("{key}: {value}{end}")
}

/// A node of a YAML configuration file.
enum YamlNode {
    Empty,
    Plain(String),
    List(String),
    Table(Vec<(Spanned<String>, YamlNode)>),
}

fn parse(text: &str) -> Result<YamlNode, (usize, String)> {
    // A file without a value is nothing at all.
    if text
        .lines()
        .all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
    {
        return Ok(YamlNode::Empty);
    }
    serde_saphyr::from_str(text).map_err(|error: serde_saphyr::Error| {
        let line = error.location().map_or(0, |place| place.line());
        let message = error.without_snippet().to_string();
        let first = message.lines().next().unwrap_or("it is not YAML").to_owned();
        (usize::try_from(line).unwrap_or(0), first)
    })
}

fn walk(
    entries: &[(Spanned<String>, YamlNode)],
    path: &mut Vec<String>,
    visit: &mut dyn FnMut(&[String], usize, RawValue),
) {
    for (key, node) in entries {
        path.push(key.value.clone());
        let line = usize::try_from(key.referenced.line()).unwrap_or(0);
        match node {
            YamlNode::Empty => {}
            YamlNode::Plain(text) => visit(path, line, RawValue::Plain(text.clone())),
            YamlNode::List(text) => visit(path, line, RawValue::List(text.clone())),
            YamlNode::Table(inner) => walk(inner, path, visit),
        }
        path.pop();
    }
}

impl<'de> Deserialize<'de> for YamlNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<YamlNode, D::Error> {
        deserializer.deserialize_any(YamlVisitor)
    }
}

struct YamlVisitor;

impl<'de> Visitor<'de> for YamlVisitor {
    type Value = YamlNode;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value, or keys with values")
    }

    fn visit_bool<E>(self, yes: bool) -> Result<YamlNode, E> {
        Ok(YamlNode::Plain(yes.to_string()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<YamlNode, E> {
        Ok(YamlNode::Plain(number.to_string()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<YamlNode, E> {
        Ok(YamlNode::Plain(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<YamlNode, E> {
        Ok(YamlNode::Plain(number.to_string()))
    }

    fn visit_str<E>(self, text: &str) -> Result<YamlNode, E> {
        Ok(YamlNode::Plain(text.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<YamlNode, E> {
        Ok(YamlNode::Empty)
    }

    fn visit_none<E>(self) -> Result<YamlNode, E> {
        Ok(YamlNode::Empty)
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<YamlNode, D::Error> {
        YamlNode::deserialize(inner)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<YamlNode, A::Error> {
        let mut n_values = 0_usize;
        while list.next_element::<IgnoredAny>()?.is_some() {
            n_values += 1;
        }
        Ok(YamlNode::List(format!("of {n_values} values")))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<YamlNode, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = table.next_key::<Spanned<String>>()? {
            entries.push((key, table.next_value()?));
        }
        Ok(YamlNode::Table(entries))
    }
}
