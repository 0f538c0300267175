//! The JSON values of a text with the lines at which they begin: one after another, or in one list.

use serde::Deserialize as _;
use serde_json::{Deserializer, Value};

use crate::span_text::parse_span;
use dbs_domain::Span;

/// A JSON value and its line, or a line and the error there. An error is the last of a list.
pub(super) type ParsedValue = Result<(usize, Value), (usize, String)>;

/// Reads the longest run of an attempt: a text such as `90m`, or a number of milliseconds, as a task is printed.
pub(super) fn time_limit<'d, D: serde::Deserializer<'d>>(value: D) -> Result<Option<Span>, D::Error> {
    let value = Value::deserialize(value)?;
    let limit = match &value {
        Value::Null => return Ok(None),
        Value::String(text) => parse_span(text),
        value => value.as_u64().map(Span),
    };
    let limit = limit.filter(|limit| *limit != Span::default()).map(Some);
    limit.ok_or_else(|| {
        serde::de::Error::custom("a timeout is a length of time such as \"90s\", \"30m\" or \"2h\"")
    })
}

/// Reads all values of a text.
pub(super) fn all(text: &str) -> Vec<ParsedValue> {
    let mut reading = ValueReader {
        rest: text,
        line: 1,
        found: Vec::new(),
    };
    reading.skip();
    let outcome = if reading.rest.starts_with('[') {
        reading.list()
    } else {
        reading.stream()
    };
    let mut found = reading.found;
    found.extend(outcome.err().map(Err));
    found
}

struct ValueReader<'a> {
    rest: &'a str,
    line: usize,
    found: Vec<ParsedValue>,
}

impl ValueReader<'_> {
    fn stream(&mut self) -> Result<(), (usize, String)> {
        while !self.rest.is_empty() {
            self.value()?;
            self.skip();
        }
        Ok(())
    }

    fn list(&mut self) -> Result<(), (usize, String)> {
        self.pass(1);
        self.skip();
        while !self.rest.starts_with(']') {
            self.value()?;
            self.skip();
            match self.rest.chars().next() {
                Some(',') => self.pass(1),
                Some(']') => break,
                Some(_) => return Err((self.line, "between two tasks of a list stands a comma".to_owned())),
                None => return Err((self.line, "the list has no end: `]` is missing".to_owned())),
            }
            self.skip();
        }
        self.pass(1);
        self.skip();
        if self.rest.is_empty() {
            return Ok(());
        }
        Err((self.line, "nothing may stand behind the list".to_owned()))
    }

    fn value(&mut self) -> Result<(), (usize, String)> {
        let mut values = Deserializer::from_str(self.rest).into_iter::<Value>();
        let value = match values.next() {
            Some(Ok(value)) => value,
            Some(Err(error)) => {
                let text = error.to_string();
                let (why, _within) = text.rsplit_once(" at line ").unwrap_or((&text, ""));
                // A value without an end is wrong where it begins.
                let below = if error.is_eof() { 1 } else { error.line().max(1) };
                return Err((self.line + below - 1, format!("this is not JSON: {why}")));
            }
            None => return Err((self.line, "a task is missing here".to_owned())),
        };
        let length = values.byte_offset();
        self.found.push(Ok((self.line, value)));
        self.pass(length);
        Ok(())
    }

    fn skip(&mut self) {
        let blank = self.rest.len() - self.rest.trim_start().len();
        self.pass(blank);
    }

    fn pass(&mut self, length: usize) {
        let Some((passed, rest)) = self.rest.split_at_checked(length) else {
            return;
        };
        self.line += passed.bytes().filter(|byte| *byte == b'\n').count();
        self.rest = rest;
    }
}
