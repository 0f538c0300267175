//! Typed access to the entries of a TOML table, each with its line. Entries nobody asked for are unknown keys, and errors.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::Range;
use std::path::Path;

use toml_edit::{Item, TableLike, Value};

use super::super::diagnostic::{Diagnostic, DiagnosticLevel, line_of};

/// A value and the line it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Located<T> {
    pub(super) value: T,
    pub(super) line: usize,
}

/// The file being read and the diagnostics collected so far.
#[derive(Debug)]
pub(super) struct ParseContext<'a> {
    file: &'a Path,
    text: &'a str,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'a> ParseContext<'a> {
    pub(super) fn new(file: &'a Path, text: &'a str) -> ParseContext<'a> {
        ParseContext {
            file,
            text,
            diagnostics: Vec::new(),
        }
    }

    /// The line a span begins in; 0 where nothing is known of it.
    pub(super) fn line(&self, span: Option<Range<usize>>) -> usize {
        span.map_or(0, |span| line_of(self.text, span.start))
    }

    /// Notes an error.
    pub(super) fn error(&mut self, line: usize, text: impl Display) {
        self.diagnostics.push(Diagnostic {
            severity: DiagnosticLevel::Error,
            file: self.file.to_path_buf(),
            line,
            text: text.to_string(),
        });
    }
}

/// The entries of one TOML table that have not been read yet.
#[derive(Debug)]
pub(super) struct TableEntries<'a> {
    what: String,
    /// Line of the table's head.
    pub(super) line: usize,
    remaining: BTreeMap<&'a str, (usize, &'a Item)>,
    known: Vec<&'static str>,
}

impl<'a> TableEntries<'a> {
    /// All entries of `table`; `what` names it in texts.
    pub(super) fn of(
        reading: &ParseContext<'_>,
        what: impl Into<String>,
        line: usize,
        table: &'a dyn TableLike,
    ) -> Self {
        let place = |name: &str, item: &Item| {
            let key = table.key(name).and_then(toml_edit::Key::span);
            reading.line(key.or_else(|| item.span()))
        };
        let left = table.iter().map(|(name, item)| (name, (place(name, item), item)));
        TableEntries {
            what: what.into(),
            line,
            remaining: left.collect(),
            known: Vec::new(),
        }
    }

    /// Takes an entry out.
    pub(super) fn take(&mut self, name: &'static str) -> Option<Located<&'a Item>> {
        self.known.push(name);
        let (line, value) = self.remaining.remove(name)?;
        Some(Located { value, line })
    }

    /// A text, if there is such an entry.
    pub(super) fn text(
        &mut self,
        reading: &mut ParseContext<'_>,
        name: &'static str,
    ) -> Option<Located<String>> {
        let Located { value, line } = self.take(name)?;
        if let Some(text) = value.as_str() {
            return Some(Located {
                value: text.to_owned(),
                line,
            });
        }
        reading.error(line, format_args!("`{name}` must be a text in quotes"));
        None
    }

    /// A text that must be there.
    pub(super) fn needed(
        &mut self,
        reading: &mut ParseContext<'_>,
        name: &'static str,
    ) -> Option<Located<String>> {
        if !self.remaining.contains_key(name) {
            self.known.push(name);
            reading.error(self.line, format_args!("{} has no `{name}`", self.what));
            return None;
        }
        let text = self.text(reading, name)?;
        if text.value.trim().is_empty() {
            reading.error(text.line, format_args!("`{name}` is empty"));
            return None;
        }
        Some(text)
    }

    /// One of the given words; `None` where there is no such entry or it is another word.
    pub(super) fn word<T: Copy>(
        &mut self,
        reading: &mut ParseContext<'_>,
        name: &'static str,
        words: &[(&str, T)],
    ) -> Option<Located<T>> {
        let text = self.text(reading, name)?;
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text.value) {
            return Some(Located {
                value: *value,
                line: text.line,
            });
        }
        let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        reading.error(
            text.line,
            format_args!(
                "`{name}` cannot be \"{}\": use one of {}",
                text.value,
                all.join(", ")
            ),
        );
        None
    }

    /// Yes or no; no where there is no such entry.
    pub(super) fn flag(&mut self, reading: &mut ParseContext<'_>, name: &'static str) -> bool {
        let Some(Located { value, line }) = self.take(name) else {
            return false;
        };
        value.as_bool().unwrap_or_else(|| {
            reading.error(line, format_args!("`{name}` must be true or false"));
            false
        })
    }

    /// A number from 0, if there is such an entry.
    pub(super) fn number(
        &mut self,
        reading: &mut ParseContext<'_>,
        name: &'static str,
    ) -> Option<Located<u32>> {
        let Located { value, line } = self.take(name)?;
        let number = value.as_integer().and_then(|number| u32::try_from(number).ok());
        if number.is_none() {
            reading.error(line, format_args!("`{name}` must be a whole number from 0"));
        }
        number.map(|value| Located { value, line })
    }

    /// The values of an array, each with its line; empty where there is no such entry.
    pub(super) fn list(
        &mut self,
        reading: &mut ParseContext<'_>,
        name: &'static str,
    ) -> Vec<Located<&'a Value>> {
        let Some(Located { value, line }) = self.take(name) else {
            return Vec::new();
        };
        let Some(array) = value.as_array() else {
            reading.error(line, format_args!("`{name}` must be a list in square brackets"));
            return Vec::new();
        };
        let place = |value: &Value| reading.line(value.span());
        array
            .iter()
            .map(|value| Located {
                line: place(value),
                value,
            })
            .collect()
    }

    /// The texts of an array; everything else in it is an error.
    pub(super) fn texts(
        &mut self,
        reading: &mut ParseContext<'_>,
        name: &'static str,
    ) -> Vec<Located<String>> {
        let values = self.list(reading, name);
        let mut texts = Vec::new();
        for Located { value, line } in values {
            match value.as_str() {
                Some(text) => texts.push(Located {
                    value: text.to_owned(),
                    line,
                }),
                None => reading.error(line, format_args!("`{name}` holds texts in quotes")),
            }
        }
        texts
    }

    /// Notes everything nobody asked for.
    pub(super) fn close(self, reading: &mut ParseContext<'_>) {
        for (name, (line, _)) in self.remaining {
            reading.error(
                line,
                format_args!(
                    "{} knows no `{name}`: there are {}",
                    self.what,
                    self.known.join(", ")
                ),
            );
        }
    }
}
