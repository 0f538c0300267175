//! Reads the YAML files of earlier programs, and changes single values in them where that is safe: comments, order and unknown
//! keys stay.

use std::fmt;
use std::path::Path;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

use crate::config::found::{Found, Written};
use crate::config::origin::Origin;
use crate::config::value::Value;

/// Everything the file says; the error is a line and a text.
pub(super) fn read(path: &Path, text: &str) -> Result<Vec<Found>, (usize, String)> {
    let mut found = Vec::new();
    match parse(text)? {
        Node::Empty => {}
        Node::Table(entries) => walk(&entries, &mut Vec::new(), &mut |path_of, line, written| {
            found.push(Found {
                path: path_of.to_vec(),
                text: written,
                origin: Origin::File {
                    path: path.to_owned(),
                    line,
                },
            });
        }),
        Node::Plain(_) | Node::List(_) => return Err((1, "it must be keys with values".to_owned())),
    }
    Ok(found)
}

/// The file's text with `path` set to `value`, or without it. Only a value that stands on the line of its key is changed.
pub(super) fn edit(text: &str, path: &[&str], value: Option<&Value>) -> Result<String, String> {
    let nowhere = Path::new("");
    let whole = |text: &str| read(nowhere, text).map_err(|(line, why)| format!("line {line}: {why}"));
    let before = whole(text)?;
    let Some(line) = before.iter().find(|found| found.parts() == path).map(line_of) else {
        return Err(format!("it does not have `{}`", path.join(".")));
    };
    let lines = text.split_inclusive('\n').zip(1..);
    let edited: String = lines
        .map(|(old, number)| match value {
            _ if number != line => old.to_owned(),
            Some(value) => with_value(old, value),
            None => String::new(),
        })
        .collect();
    let by_hand = || {
        format!(
            "`{}` is written in a way that is not changed safely: change line {line} by hand",
            path.join(".")
        )
    };
    let after = whole(&edited).map_err(|_other| by_hand())?;
    let rest = |all: &[Found]| -> Vec<(Vec<String>, Written)> {
        let others = all.iter().filter(|found| found.parts() != path);
        others
            .map(|found| (found.path.clone(), found.text.clone()))
            .collect()
    };
    let set = after
        .iter()
        .find(|found| found.parts() == path)
        .map(|found| found.text.clone());
    if rest(&before) == rest(&after) && set == value.map(|value| Written::Plain(value.to_string())) {
        Ok(edited)
    } else {
        Err(by_hand())
    }
}

fn line_of(found: &Found) -> usize {
    match found.origin {
        Origin::File { line, .. } => line,
        Origin::Flag | Origin::Environment(_) | Origin::Default => 0,
    }
}

/// A line `key: old # why` with another value; what stands before and behind it stays.
fn with_value(line: &str, value: &Value) -> String {
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
        Value::Text(text) => serde_json::Value::from(text.as_str()).to_string(),
        Value::Secret(secret) => serde_json::Value::from(secret.reveal()).to_string(),
        other => other.to_string(),
    };
    format!("{key}: {value}{end}")
}

/// A value and what it holds.
enum Node {
    /// Nothing.
    Empty,
    /// A number, a word, a text.
    Plain(String),
    /// A list, as text.
    List(String),
    /// Keys, each with its line.
    Table(Vec<(Spanned<String>, Node)>),
}

fn parse(text: &str) -> Result<Node, (usize, String)> {
    // A file without a value is nothing at all.
    if text
        .lines()
        .all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
    {
        return Ok(Node::Empty);
    }
    serde_saphyr::from_str(text).map_err(|error: serde_saphyr::Error| {
        let line = error.location().map_or(0, |place| place.line());
        let said = error.without_snippet().to_string();
        let first = said.lines().next().unwrap_or("it is no YAML").to_owned();
        (usize::try_from(line).unwrap_or(0), first)
    })
}

fn walk(
    entries: &[(Spanned<String>, Node)],
    path: &mut Vec<String>,
    visit: &mut dyn FnMut(&[String], usize, Written),
) {
    for (key, node) in entries {
        path.push(key.value.clone());
        let line = usize::try_from(key.referenced.line()).unwrap_or(0);
        match node {
            Node::Empty => {}
            Node::Plain(text) => visit(path, line, Written::Plain(text.clone())),
            Node::List(text) => visit(path, line, Written::List(text.clone())),
            Node::Table(inner) => walk(inner, path, visit),
        }
        path.pop();
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value, or keys with values")
    }

    fn visit_bool<E>(self, yes: bool) -> Result<Node, E> {
        Ok(Node::Plain(yes.to_string()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Node, E> {
        Ok(Node::Plain(number.to_string()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Node, E> {
        Ok(Node::Plain(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Node, E> {
        Ok(Node::Plain(number.to_string()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Plain(text.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Empty)
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Node::Empty)
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<Node, D::Error> {
        Node::deserialize(inner)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let mut n_values = 0_usize;
        while list.next_element::<IgnoredAny>()?.is_some() {
            n_values += 1;
        }
        Ok(Node::List(format!("of {n_values} values")))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Node, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = table.next_key::<Spanned<String>>()? {
            entries.push((key, table.next_value()?));
        }
        Ok(Node::Table(entries))
    }
}
