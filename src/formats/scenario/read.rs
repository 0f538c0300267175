//! The reader of scenario files: the document's head and its parts.

use std::path::Path;

use toml_edit::{Document, TableLike};

use super::fields::{Fields, Findings, Place, start};
use super::model::{Author, Part, Scenario, Screen};
use super::select::{Attempts, Select};
use super::steps::steps;
use crate::formats::diagnostic::{Diagnostic, Severity};

const SCREENS: &[(&str, Screen)] = &[("inline", Screen::Inline), ("full", Screen::Full)];
const MODES: [&str; 3] = ["fresh", "remediate", "fallback"];

/// Reads the text of a scenario file. `file` is only named in diagnostics. There is a scenario exactly when no
/// diagnostic is an error; a syntax error hides everything else.
pub fn read(file: &Path, text: &str) -> (Option<Scenario>, Vec<Diagnostic>) {
    let mut findings = Findings {
        file,
        text,
        list: Vec::new(),
    };
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            findings.error(
                start(error.span()),
                format!("not TOML: {}", error.message().trim_end().replace('\n', ", ")),
            );
            return (None, findings.list);
        }
    };
    let scenario = scenario(&mut findings, document.as_table());
    let refused = findings
        .list
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    findings.list.sort_by_key(|finding| finding.line);
    ((!refused).then_some(scenario), findings.list)
}

fn scenario(findings: &mut Findings<'_>, table: &dyn TableLike) -> Scenario {
    let mut fields = Fields::new(findings, "a scenario", table, None);
    let name = fields.text("name").unwrap_or_default();
    let author = author(&mut fields);
    let tables = fields.tables("part");
    if tables.is_empty() && fields.item("part").is_none() {
        fields
            .findings
            .error(None, "a scenario needs at least one `[[part]]` with `steps`");
    }
    let spans: Vec<_> = tables.iter().map(|(_, span)| *span).collect();
    let parts = tables
        .into_iter()
        .map(|(table, span)| part(fields.findings, table, span));
    let parts: Vec<Part> = parts.collect();
    warn_of_hidden_parts(fields.findings, &parts, &spans);
    fields.finish();
    Scenario { name, author, parts }
}

fn author(fields: &mut Fields<'_, '_, '_>) -> Author {
    let Some(item) = fields.item("author") else {
        return Author::default();
    };
    let Some(table) = item.as_table_like() else {
        fields.wrong("author", item, "a table with name and email");
        return Author::default();
    };
    let mut inner = Fields::new(fields.findings, "`author`", table, start(item.span()));
    let author = Author {
        name: inner.need_text("name"),
        email: inner.need_text("email"),
    };
    inner.finish();
    author
}

fn part(findings: &mut Findings<'_>, table: &dyn TableLike, span: Place) -> Part {
    let line = findings.line(span);
    let mut fields = Fields::new(findings, "a part", table, span);
    let name = fields.text("name").unwrap_or_default();
    let select = Select {
        stages: fields.texts("stage"),
        roles: fields.texts("role"),
        tasks: fields.texts("task"),
        tags: fields.texts("tag"),
        titles: fields.texts("title"),
        attempts: attempts(&mut fields),
        modes: modes(&mut fields),
    };
    let screen = fields.choice("screen", SCREENS).unwrap_or_default();
    let steps = steps(&mut fields, "steps");
    if steps.is_empty() {
        fields.missing("steps", "[{ print = \"…\" }]");
    }
    fields.finish();
    Part {
        name,
        select,
        screen,
        steps,
        line,
    }
}

fn modes(fields: &mut Fields<'_, '_, '_>) -> Vec<String> {
    let modes = fields.texts("mode");
    if modes.iter().any(|mode| !MODES.contains(&mode.as_str()))
        && let Some(item) = fields.item("mode")
    {
        fields.wrong("mode", item, &format!("one or several of {}", MODES.join(", ")));
    }
    modes
}

fn attempts(fields: &mut Fields<'_, '_, '_>) -> Vec<Attempts> {
    let Some(item) = fields.item("attempt") else {
        return Vec::new();
    };
    let spans = if let Some(list) = item.as_array() {
        list.iter()
            .map(|value| value.as_integer().and_then(exactly))
            .collect::<Option<Vec<_>>>()
    } else {
        item.as_integer()
            .and_then(exactly)
            .or_else(|| item.as_str().and_then(at_least))
            .map(|span| vec![span])
    };
    match spans {
        Some(spans) if !spans.is_empty() => spans,
        _ => {
            fields.wrong("attempt", item, "a number from 1, a list of them, or \"2+\"");
            Vec::new()
        }
    }
}

fn exactly(number: i64) -> Option<Attempts> {
    let number = u32::try_from(number).ok().filter(|number| *number > 0)?;
    Some(Attempts {
        from: number,
        to: number,
    })
}

fn at_least(text: &str) -> Option<Attempts> {
    let from = text
        .strip_suffix('+')?
        .parse()
        .ok()
        .filter(|number| *number > 0)?;
    Some(Attempts { from, to: u32::MAX })
}

fn warn_of_hidden_parts(findings: &mut Findings<'_>, parts: &[Part], spans: &[Place]) {
    for (index, (part, span)) in parts.iter().zip(spans).enumerate() {
        if let Some(first) = parts
            .iter()
            .take(index)
            .find(|first| first.select.covers(&part.select))
        {
            let text = format!(
                "this part is never played: the part on line {} fits whatever fits here",
                first.line
            );
            findings.warning(*span, text);
        }
    }
}

#[cfg(test)]
mod tests;
