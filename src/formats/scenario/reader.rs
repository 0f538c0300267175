//! The reader of scenario files: the document's head and its parts.

use std::path::Path;

use toml_edit::{Document, TableLike};

use super::model::{CommitAuthor, Scenario, ScenarioPart, ScenarioScreen};
use super::selector::{AttemptRange, PartSelector};
use super::steps::steps;
use super::table::{ByteOffset, Diagnostics, ScenarioTable, start_of};
use crate::formats::diagnostic::{Diagnostic, DiagnosticLevel};

const SCREENS: &[(&str, ScenarioScreen)] =
    &[("inline", ScenarioScreen::Inline), ("full", ScenarioScreen::Full)];
const MODES: [&str; 3] = ["fresh", "remediate", "fallback"];

/// Reads the text of a scenario file. `file` is only named in diagnostics. There is a scenario exactly when no
/// diagnostic is an error; a syntax error hides everything else.
pub fn read(file: &Path, text: &str) -> (Option<Scenario>, Vec<Diagnostic>) {
    let mut findings = Diagnostics {
        file,
        text,
        entries: Vec::new(),
    };
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            findings.error(
                start_of(error.span()),
                format!("not TOML: {}", error.message().trim_end().replace('\n', ", ")),
            );
            return (None, findings.entries);
        }
    };
    let scenario = scenario(&mut findings, document.as_table());
    let refused = findings
        .entries
        .iter()
        .any(|finding| finding.severity == DiagnosticLevel::Error);
    findings.entries.sort_by_key(|finding| finding.line);
    ((!refused).then_some(scenario), findings.entries)
}

fn scenario(findings: &mut Diagnostics<'_>, table: &dyn TableLike) -> Scenario {
    let mut fields = ScenarioTable::new(findings, "a scenario", table, None);
    let name = fields.text("name").unwrap_or_default();
    let author = author(&mut fields);
    let tables = fields.tables("part");
    if tables.is_empty() && fields.item("part").is_none() {
        fields
            .diagnostics
            .error(None, "a scenario needs at least one `[[part]]` with `steps`");
    }
    let spans: Vec<_> = tables.iter().map(|(_, span)| *span).collect();
    let parts = tables
        .into_iter()
        .map(|(table, span)| part(fields.diagnostics, table, span));
    let parts: Vec<ScenarioPart> = parts.collect();
    warn_of_hidden_parts(fields.diagnostics, &parts, &spans);
    fields.finish();
    Scenario { name, author, parts }
}

fn author(fields: &mut ScenarioTable<'_, '_, '_>) -> CommitAuthor {
    let Some(item) = fields.item("author") else {
        return CommitAuthor::default();
    };
    let Some(table) = item.as_table_like() else {
        fields.wrong("author", item, "a table with name and email");
        return CommitAuthor::default();
    };
    let mut inner = ScenarioTable::new(fields.diagnostics, "`author`", table, start_of(item.span()));
    let author = CommitAuthor {
        name: inner.need_text("name"),
        email: inner.need_text("email"),
    };
    inner.finish();
    author
}

fn part(findings: &mut Diagnostics<'_>, table: &dyn TableLike, span: ByteOffset) -> ScenarioPart {
    let line = findings.line(span);
    let mut fields = ScenarioTable::new(findings, "a part", table, span);
    let name = fields.text("name").unwrap_or_default();
    let select = PartSelector {
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
    ScenarioPart {
        name,
        select,
        screen,
        steps,
        line,
    }
}

fn modes(fields: &mut ScenarioTable<'_, '_, '_>) -> Vec<String> {
    let modes = fields.texts("mode");
    if modes.iter().any(|mode| !MODES.contains(&mode.as_str()))
        && let Some(item) = fields.item("mode")
    {
        fields.wrong("mode", item, &format!("one or several of {}", MODES.join(", ")));
    }
    modes
}

fn attempts(fields: &mut ScenarioTable<'_, '_, '_>) -> Vec<AttemptRange> {
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

fn exactly(number: i64) -> Option<AttemptRange> {
    let number = u32::try_from(number).ok().filter(|number| *number > 0)?;
    Some(AttemptRange {
        from: number,
        to: number,
    })
}

fn at_least(text: &str) -> Option<AttemptRange> {
    let from = text
        .strip_suffix('+')?
        .parse()
        .ok()
        .filter(|number| *number > 0)?;
    Some(AttemptRange { from, to: u32::MAX })
}

fn warn_of_hidden_parts(findings: &mut Diagnostics<'_>, parts: &[ScenarioPart], spans: &[ByteOffset]) {
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
