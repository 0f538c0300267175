//! Typed access to TOML tables. Every wrong type, missing key and unknown key becomes a diagnostic that names its line and the right form.
//!
//! A getter returns a harmless value after an error, so that one reading finds all errors of a file; [`read`] then gives no document. Words
//! of an enum are those that serde reads it from, so there is no table of them here.

use std::fmt::Display;
use std::ops::Range;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::de::value::StrDeserializer;
use toml_edit::{Document, Item, TableLike, Value};

use super::finding::{Finding, Findings};
use super::nearest::nearest;

/// Reads a document: `owner` names it in diagnostics, `doubts` returns the warnings about a text, `root` reads the root table. There is a
/// document exactly when no diagnostic is an error; a syntax error hides everything else.
pub(super) fn read<T>(
    path: &Path,
    text: &str,
    owner: &str,
    doubts: fn(&str) -> Vec<String>,
    root: impl FnOnce(TableReader<'_>) -> T,
) -> (Option<T>, Vec<Finding>) {
    let file = TomlFile {
        findings: Findings::about(path, text),
        doubts,
    };
    let value = match Document::parse(text) {
        Ok(document) => Some(root(TableReader::new(&file, owner, document.as_table(), 0))),
        Err(error) => {
            let why = error.message().trim_end().replace('\n', ", ");
            file.error(file.line(error.span()), format_args!("not TOML: {why}"));
            None
        }
    };
    let value = value.filter(|_| !file.is_refused());
    let mut found = file.findings.finish();
    found.sort_by_key(|finding| finding.line);
    (value, found)
}

/// A TOML file while it is read, and the findings in it so far.
pub(super) struct TomlFile<'a> {
    findings: Findings<'a>,
    doubts: fn(&str) -> Vec<String>,
}

impl TomlFile<'_> {
    /// Records an error.
    pub(super) fn error(&self, line: usize, text: impl Display) {
        self.findings.error("", line, text);
    }

    /// Records a warning.
    pub(super) fn warning(&self, line: usize, text: impl Display) {
        self.findings.warning("", line, text);
    }

    /// Returns true if an error was found.
    pub(super) fn is_refused(&self) -> bool {
        self.findings.is_refused()
    }

    fn line(&self, span: Option<Range<usize>>) -> usize {
        span.map_or(0, |span| self.findings.line_of(span.start))
    }
}

/// A value and its line.
#[derive(Debug)]
pub(super) struct Located<T> {
    pub(super) value: T,
    pub(super) line: usize,
}

/// Table of a file. Keys that were not read are errors of [`TableReader::finish`].
pub(super) struct TableReader<'a> {
    pub(super) file: &'a TomlFile<'a>,
    /// Kind of the table, as diagnostics name it: `a stage`.
    pub(super) owner: String,
    /// Line of its head; 0 for the whole file.
    pub(super) line: usize,
    pub(super) table: &'a dyn TableLike,
    known: Vec<&'static str>,
}

impl<'a> TableReader<'a> {
    fn new(file: &'a TomlFile<'a>, owner: impl Into<String>, table: &'a dyn TableLike, line: usize) -> Self {
        Self {
            file,
            owner: owner.into(),
            line,
            table,
            known: Vec::new(),
        }
    }

    /// Returns the value of a key, which is known from here on.
    pub(super) fn item(&mut self, key: &'static str) -> Option<&'a Item> {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
        self.table.get(key)
    }

    /// Returns the line of a key; of the table's head when the key is missing.
    pub(super) fn line_of(&self, key: &str) -> usize {
        let key_span = self.table.key(key).and_then(toml_edit::Key::span);
        let span = key_span.or_else(|| self.table.get(key)?.span());
        span.map_or(self.line, |span| self.file.line(Some(span)))
    }

    /// Records an error in the line of a key.
    pub(super) fn error(&self, key: &str, text: impl Display) {
        self.file.error(self.line_of(key), text);
    }

    /// Records that `key` is missing.
    pub(super) fn missing(&self, key: &str, example: &str) {
        let text = format_args!("{} needs `{key}`, for example `{key} = {example}`", self.owner);
        self.file.error(self.line, text);
    }

    /// Records that the value of `key` is not what it must be.
    pub(super) fn wrong(&self, key: &str, right: impl Display) {
        let value = self.table.get(key).map(described).unwrap_or_default();
        self.error(
            key,
            format_args!("`{key}` of {} must be {right}, not {value}", self.owner),
        );
    }

    /// Returns the result of `get` for the value of `key`; an error when the key is there and `get` returns nothing.
    pub(super) fn get<T>(
        &mut self,
        key: &'static str,
        right: impl Display,
        get: impl FnOnce(&'a Item) -> Option<T>,
    ) -> Option<T> {
        let value = get(self.item(key)?);
        if value.is_none() {
            self.wrong(key, right);
        }
        value
    }

    /// Reads a text, if the key is there.
    pub(super) fn text(&mut self, key: &'static str) -> Option<String> {
        let text = self.get(key, "a text in quotes", Item::as_str)?;
        for doubt in (self.file.doubts)(text) {
            self.file.warning(self.line_of(key), doubt);
        }
        Some(text.to_owned())
    }

    /// Reads a text that must be there.
    pub(super) fn need_text(&mut self, key: &'static str) -> String {
        if self.item(key).is_none() {
            self.missing(key, "\"…\"");
        }
        self.text(key).unwrap_or_default()
    }

    /// Reads a text that must be there and not be blank.
    pub(super) fn need_name(&mut self, key: &'static str) -> String {
        let name = self.need_text(key);
        if name.trim().is_empty() && self.item(key).is_some_and(Item::is_str) {
            self.error(key, format_args!("`{key}` of {} is empty", self.owner));
        }
        name
    }

    /// Reads yes or no; no when the key is missing.
    pub(super) fn flag(&mut self, key: &'static str) -> bool {
        self.get(key, "true or false", Item::as_bool).unwrap_or(false)
    }

    /// Reads a whole number within limits.
    pub(super) fn number(&mut self, key: &'static str, limits: Range<u64>) -> Option<u64> {
        let right = format!("a whole number from {} to {}", limits.start, limits.end - 1);
        self.get(key, right, |item| {
            let number = u64::try_from(item.as_integer()?).ok()?;
            limits.contains(&number).then_some(number)
        })
    }

    /// Reads a value of an enum that is written as one word.
    pub(super) fn word<T: DeserializeOwned>(&mut self, key: &'static str) -> Option<T> {
        match word(self.item(key)?.as_str().unwrap_or_default()) {
            Ok(value) => Some(value),
            Err(known) => {
                self.wrong(key, format_args!("one of {}", known.join(", ")));
                None
            }
        }
    }

    /// Reads one text or a list of at least one; empty when the key is missing.
    pub(super) fn one_or_more(&mut self, key: &'static str) -> Vec<String> {
        let texts = self.get(key, "a text or a list of texts", |item| {
            let texts: Option<Vec<String>> = match item.as_str() {
                Some(text) => Some(vec![text.to_owned()]),
                None => item.as_array()?.iter().map(owned_text).collect(),
            };
            texts.filter(|texts| !texts.is_empty())
        });
        texts.unwrap_or_default()
    }

    /// Returns the values of a list, each with its line; empty when the key is missing.
    pub(super) fn list(&mut self, key: &'static str) -> Vec<Located<&'a Value>> {
        let list = self.get(key, "a list in square brackets", Item::as_array);
        let located = |value: &'a Value| Located {
            line: self.file.line(value.span()),
            value,
        };
        list.into_iter().flatten().map(located).collect()
    }

    /// Reads the texts of a list, each with its line; empty when the key is missing.
    pub(super) fn texts(&mut self, key: &'static str) -> Vec<Located<String>> {
        let values = self.list(key).into_iter();
        let text = |Located { value, line }| {
            let text = owned_text(value);
            if text.is_none() {
                let text = format_args!("`{key}` of {} must hold texts in quotes only", self.owner);
                self.file.error(line, text);
            }
            Some(Located { value: text?, line })
        };
        values.filter_map(text).collect()
    }

    /// Reads the words of a list, as the values of an enum. `what` names one of them, `right` the words that are allowed.
    pub(super) fn words<T: DeserializeOwned>(
        &mut self,
        key: &'static str,
        what: &str,
        right: &str,
        is_allowed: impl Fn(&T) -> bool,
    ) -> Vec<T> {
        let mut values = Vec::new();
        for Located { value: text, line } in self.texts(key) {
            let value = word(&text).ok().filter(&is_allowed);
            if value.is_none() {
                let text = format_args!("there is no {what} {text} for `{key}`: use {right}");
                self.file.error(line, text);
            }
            values.extend(value);
        }
        values
    }

    /// Returns the table of a key, if the key is there.
    pub(super) fn table(&mut self, key: &'static str, right: &str) -> Option<Self> {
        let table = self.get(key, right, Item::as_table_like)?;
        Some(Self::new(self.file, format!("`{key}`"), table, self.line_of(key)))
    }

    /// Returns the tables of a list: `[[key]]` or `key = [{…}, {…}]`. Diagnostics call each of them `owner`.
    pub(super) fn tables(&mut self, key: &'static str, owner: &str, example: &str) -> Vec<Self> {
        let Some(item) = self.item(key) else {
            return Vec::new();
        };
        let file = self.file;
        if let Item::ArrayOfTables(list) = item {
            let table = |table: &'a toml_edit::Table| Self::new(file, owner, table, file.line(table.span()));
            return list.iter().map(table).collect();
        }
        let list = self.get(key, "a list of tables", Item::as_array);
        let table = |value: &'a Value| {
            let line = file.line(value.span());
            if let Value::InlineTable(table) = value {
                return Some(Self::new(file, owner, table, line));
            }
            let text = format_args!(
                "`{key}` of {} must hold tables such as `{example}` only",
                self.owner
            );
            file.error(line, text);
            None
        };
        list.into_iter().flatten().filter_map(table).collect()
    }

    /// Returns a value of a list as a table, if it is one.
    pub(super) fn inline(&self, owner: &str, value: &Located<&'a Value>) -> Option<Self> {
        let table = value.value.as_inline_table()?;
        Some(Self::new(self.file, owner, table, value.line))
    }

    /// Reports every key that was not read. Call it last.
    pub(super) fn finish(self) {
        let unknown = |(key, _): &(&str, &Item)| !self.known.contains(key);
        for (key, _) in self.table.iter().filter(unknown) {
            let meant = nearest(key, self.known.iter().copied())
                .map(|word| format!(", did you mean `{word}`"))
                .unwrap_or_default();
            let (owner, known) = (&self.owner, self.known.join(", "));
            self.error(
                key,
                format_args!("{owner} has no `{key}`{meant}; it takes {known}"),
            );
        }
    }
}

/// Returns the value of an enum that serde reads from `word`; else the words it reads.
pub(super) fn word<T: DeserializeOwned>(word: &str) -> Result<T, &'static [&'static str]> {
    T::deserialize(StrDeserializer::<UnknownWord>::new(word)).map_err(|UnknownWord(known)| known)
}

/// The error that a word is none of those of an enum.
#[derive(Debug, thiserror::Error)]
#[error("use one of {}", .0.join(", "))]
struct UnknownWord(&'static [&'static str]);

impl serde::de::Error for UnknownWord {
    fn custom<T: Display>(_: T) -> Self {
        Self(&[])
    }

    fn unknown_variant(_: &str, known: &'static [&'static str]) -> Self {
        Self(known)
    }
}

fn owned_text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn described(item: &Item) -> String {
    match item.as_value() {
        Some(Value::String(text)) => format!("the text \"{}\"", text.value()),
        Some(value @ (Value::Integer(_) | Value::Float(_) | Value::Boolean(_))) => {
            value.to_string().trim().to_owned()
        }
        Some(Value::Array(_)) => "a list".into(),
        Some(Value::Datetime(_)) => "a date".into(),
        _ => "a table".into(),
    }
}
