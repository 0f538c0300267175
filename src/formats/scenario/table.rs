//! Typed access to one TOML table: every wrong type, missing field and unknown key becomes a diagnostic that names the
//! line and what would be right. Getters return a harmless value after an error; the caller refuses the document then.

use std::ops::Range;
use std::path::{Component, Path};
use std::time::Duration;

use toml_edit::{Item, TableLike, Value};

use super::variables::{VARIABLES, unknown_variables};
use crate::formats::diagnostic::{Diagnostic, DiagnosticLevel, line_of};
use crate::formats::nearest::nearest;

/// The longest time a step may take, in seconds: a day.
const MAX_SECONDS: f64 = 86_400.0;

/// The byte offset of what a diagnostic is about; none for the whole file.
pub(super) type ByteOffset = Option<usize>;

/// Where a range of the document begins.
pub(super) fn start_of(span: Option<Range<usize>>) -> ByteOffset {
    span.map(|span| span.start)
}

/// The diagnostics collected while one scenario file is read.
pub(super) struct Diagnostics<'a> {
    /// The file, as the person named it.
    pub(super) file: &'a Path,
    /// Its text, to count lines.
    pub(super) text: &'a str,
    /// What was found so far.
    pub(super) entries: Vec<Diagnostic>,
}

impl Diagnostics<'_> {
    /// Records an error at a byte range.
    pub(super) fn error(&mut self, span: ByteOffset, text: impl Into<String>) {
        self.add(DiagnosticLevel::Error, span, text.into());
    }

    /// Records a warning at a byte range.
    pub(super) fn warning(&mut self, span: ByteOffset, text: impl Into<String>) {
        self.add(DiagnosticLevel::Warning, span, text.into());
    }

    /// The line a byte range begins at; 0 without one.
    pub(super) fn line(&self, span: ByteOffset) -> usize {
        span.map_or(0, |offset| line_of(self.text, offset))
    }

    fn add(&mut self, severity: DiagnosticLevel, span: ByteOffset, text: String) {
        let line = self.line(span);
        self.entries.push(Diagnostic {
            severity,
            file: self.file.to_owned(),
            line,
            text,
        });
    }
}

/// Typed access to one table of a scenario file, with diagnostics for what is wrong in it.
pub(super) struct ScenarioTable<'a, 'f, 't> {
    /// Where diagnostics go.
    pub(super) diagnostics: &'f mut Diagnostics<'t>,
    /// Name of the thing read, such as `write`, for diagnostics.
    pub(super) owner: String,
    table: &'a dyn TableLike,
    span: ByteOffset,
    known: Vec<&'static str>,
}

impl<'a, 'f, 't> ScenarioTable<'a, 'f, 't> {
    pub(super) fn new(
        diagnostics: &'f mut Diagnostics<'t>,
        owner: impl Into<String>,
        table: &'a dyn TableLike,
        span: ByteOffset,
    ) -> Self {
        Self {
            diagnostics,
            owner: owner.into(),
            table,
            span,
            known: Vec::new(),
        }
    }

    /// The value of a key, marking the key as known.
    pub(super) fn item(&mut self, key: &'static str) -> Option<&'a Item> {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
        self.table.get(key)
    }

    /// Records that `key` is missing.
    pub(super) fn missing(&mut self, key: &str, example: &str) {
        let text = format!("{} needs `{key}`, for example `{key} = {example}`", self.owner);
        self.diagnostics.error(self.span, text);
    }

    /// Records that the value of `key` is not what it must be.
    pub(super) fn wrong(&mut self, key: &str, item: &Item, right: &str) {
        let text = format!(
            "`{key}` of {} must be {right}, not {}",
            self.owner,
            described(item)
        );
        self.diagnostics.error(start_of(item.span()), text);
    }

    /// A text, if the key is there. Misspelt variables in it are warned about.
    pub(super) fn text(&mut self, key: &'static str) -> Option<String> {
        let item = self.item(key)?;
        let Some(text) = item.as_str() else {
            self.wrong(key, item, "a text in quotes");
            return None;
        };
        for name in unknown_variables(text) {
            if let Some(meant) = nearest(name, VARIABLES) {
                self.diagnostics.warning(
                    start_of(item.span()),
                    format!("`{{{name}}}` is no variable; did you mean `{{{meant}}}`"),
                );
            }
        }
        Some(text.to_owned())
    }

    /// A text that must be there.
    pub(super) fn need_text(&mut self, key: &'static str) -> String {
        if self.item(key).is_none() {
            self.missing(key, "\"…\"");
        }
        self.text(key).unwrap_or_default()
    }

    /// A path inside the worktree that must be there.
    pub(super) fn need_path(&mut self, key: &'static str) -> String {
        let path = self.need_text(key);
        if let (Some(item), Some(why)) = (self.item(key), escape_reason(&path))
            && item.as_str().is_some()
        {
            let text = format!(
                "`{key}` of {} must be a path inside the worktree, and `{path}` {why}",
                self.owner
            );
            self.diagnostics.error(start_of(item.span()), text);
        }
        path
    }

    /// Yes or no; no when the key is not there.
    pub(super) fn flag(&mut self, key: &'static str) -> bool {
        let Some(item) = self.item(key) else { return false };
        item.as_bool().unwrap_or_else(|| {
            self.wrong(key, item, "true or false");
            false
        })
    }

    /// A verb that only takes `true`.
    pub(super) fn only_true(&mut self, key: &'static str) {
        if let Some(item) = self.item(key)
            && item.as_bool() != Some(true)
        {
            self.wrong(key, item, "true");
        }
    }

    /// A whole number within limits.
    pub(super) fn number(&mut self, key: &'static str, limits: Range<u64>) -> Option<u64> {
        let item = self.item(key)?;
        let number = item.as_integer().and_then(|number| u64::try_from(number).ok());
        if number.is_some_and(|number| limits.contains(&number)) {
            return number;
        }
        self.wrong(
            key,
            item,
            &format!("a whole number from {} to {}", limits.start, limits.end - 1),
        );
        None
    }

    /// A time in seconds, such as `2` or `0.5`.
    pub(super) fn seconds(&mut self, key: &'static str) -> Option<Duration> {
        let item = self.item(key)?;
        let number = item
            .as_float()
            .or_else(|| Some(f64::from(i32::try_from(item.as_integer()?).ok()?)));
        if let Some(number) = number.filter(|number| (0.0..=MAX_SECONDS).contains(number)) {
            return Some(Duration::from_secs_f64(number));
        }
        self.wrong(key, item, "seconds from 0 to 86400, such as 2 or 0.5");
        None
    }

    /// A time in seconds that must be there.
    pub(super) fn need_seconds(&mut self, key: &'static str) -> Duration {
        if self.item(key).is_none() {
            self.missing(key, "1.5");
        }
        self.seconds(key).unwrap_or_default()
    }

    /// One text or a list of texts; empty when the key is not there.
    pub(super) fn texts(&mut self, key: &'static str) -> Vec<String> {
        let Some(item) = self.item(key) else {
            return Vec::new();
        };
        if let Some(text) = item.as_str() {
            return vec![text.to_owned()];
        }
        let list: Option<Vec<String>> = item.as_array().and_then(|list| {
            list.iter()
                .map(|value| value.as_str().map(str::to_owned))
                .collect()
        });
        match list {
            Some(list) if !list.is_empty() => list,
            _ => {
                self.wrong(key, item, "a text or a list of texts");
                Vec::new()
            }
        }
    }

    /// One word of a table of words.
    pub(super) fn choice<T: Copy>(&mut self, key: &'static str, words: &[(&'static str, T)]) -> Option<T> {
        let item = self.item(key)?;
        let found = item
            .as_str()
            .and_then(|word| words.iter().find(|(known, _)| *known == word));
        if found.is_none() {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.wrong(key, item, &format!("one of {}", known.join(", ")));
        }
        found.map(|(_, value)| *value)
    }

    /// The tables of a list: `[[key]]` or `key = [{…}, {…}]`. Anything else is an error and gives none.
    pub(super) fn tables(&mut self, key: &'static str) -> Vec<(&'a dyn TableLike, ByteOffset)> {
        let Some(item) = self.item(key) else {
            return Vec::new();
        };
        if let Item::ArrayOfTables(list) = item {
            return list
                .iter()
                .map(|table| (table as &dyn TableLike, start_of(table.span())))
                .collect();
        }
        let Some(list) = item.as_array() else {
            self.wrong(key, item, "a list of tables");
            return Vec::new();
        };
        let mut tables: Vec<(&'a dyn TableLike, ByteOffset)> = Vec::new();
        for value in list {
            match value {
                Value::InlineTable(table) => tables.push((table, start_of(table.span()))),
                other => {
                    let text = format!(
                        "`{key}` of {} must hold tables such as `{{ … }}` only",
                        self.owner
                    );
                    self.diagnostics.error(start_of(other.span()), text);
                }
            }
        }
        tables
    }

    /// Reports every key nobody asked for. Call it last.
    pub(super) fn finish(self) {
        let Self {
            diagnostics: findings,
            owner,
            table,
            known: asked,
            ..
        } = self;
        for (key, item) in table.iter().filter(|(key, _)| !asked.contains(key)) {
            let meant = nearest(key, asked.iter().copied())
                .map(|word| format!(", did you mean `{word}`"))
                .unwrap_or_default();
            let span = table
                .key(key)
                .and_then(|key| start_of(key.span()))
                .or_else(|| start_of(item.span()));
            findings.error(
                span,
                format!("{owner} has no `{key}`{meant}; it takes {}", asked.join(", ")),
            );
        }
    }
}

/// Why a path would leave the worktree, or `None` when it stays inside.
pub(super) fn escape_reason(path: &str) -> Option<&'static str> {
    if path.trim().is_empty() {
        return Some("is empty");
    }
    // A drive or a backslash is harmless on one system and leaves the worktree on another.
    if path.contains('\\') || path.contains(':') {
        return Some("has a backslash or a colon; write it with `/`");
    }
    for component in Path::new(path).components() {
        match component {
            Component::Normal(name) if name.eq_ignore_ascii_case(".git") => {
                return Some("reaches into `.git`");
            }
            Component::Normal(_) | Component::CurDir => {}
            Component::ParentDir => return Some("goes up with `..`"),
            Component::RootDir | Component::Prefix(_) => return Some("is absolute"),
        }
    }
    None
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
