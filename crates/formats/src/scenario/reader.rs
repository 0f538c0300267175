//! The reader of scenario files: the document's head and its parts.

use std::path::Path;

use toml_edit::Item;

use super::model::{CommitAuthor, Scenario, ScenarioPart};
use super::selector::{AttemptRange, PartSelector};
use super::steps::steps;
use super::variables::{VARIABLES, unknown_variables};
use crate::finding::Finding;
use crate::nearest::nearest;
use crate::table::{self, TableReader};

const MODES: [&str; 3] = ["fresh", "remediate", "fallback"];

/// Reads the text of a scenario file. `file` is only named in diagnostics. There is a scenario exactly when no
/// diagnostic is an error; a syntax error hides everything else.
pub fn read(file: &Path, text: &str) -> (Option<Scenario>, Vec<Finding>) {
    table::read(file, text, "a scenario", misspelt_variables, scenario)
}

fn misspelt_variables(text: &str) -> Vec<String> {
    let doubt = |name| {
        let meant = nearest(name, VARIABLES)?;
        Some(format!(
            "`{{{name}}}` is not a variable; did you mean `{{{meant}}}`"
        ))
    };
    unknown_variables(text).into_iter().filter_map(doubt).collect()
}

fn scenario(mut fields: TableReader<'_>) -> Scenario {
    let name = fields.text("name").unwrap_or_default();
    let author = author(&mut fields);
    let parts = fields.tables("part", "a part", "{ steps = […] }");
    if parts.is_empty() && fields.item("part").is_none() {
        let text = "a scenario needs at least one `[[part]]` with `steps`";
        fields.file.error(0, text);
    }
    let parts: Vec<ScenarioPart> = parts.into_iter().map(part).collect();
    warn_of_hidden_parts(&fields, &parts);
    fields.finish();
    Scenario { name, author, parts }
}

fn author(fields: &mut TableReader<'_>) -> CommitAuthor {
    let Some(mut inner) = fields.table("author", "a table with name and email") else {
        return CommitAuthor::default();
    };
    let author = CommitAuthor {
        name: inner.need_text("name"),
        email: inner.need_text("email"),
    };
    inner.finish();
    author
}

fn part(mut fields: TableReader<'_>) -> ScenarioPart {
    let part = ScenarioPart {
        name: fields.text("name").unwrap_or_default(),
        select: PartSelector {
            stages: fields.one_or_more("stage"),
            roles: fields.one_or_more("role"),
            tasks: fields.one_or_more("task"),
            tags: fields.one_or_more("tag"),
            titles: fields.one_or_more("title"),
            attempts: attempts(&mut fields),
            modes: modes(&mut fields),
        },
        screen: fields.word("screen").unwrap_or_default(),
        steps: steps(&mut fields, "steps"),
        line: fields.line,
    };
    if part.steps.is_empty() {
        fields.missing("steps", "[{ print = \"…\" }]");
    }
    fields.finish();
    part
}

fn modes(fields: &mut TableReader<'_>) -> Vec<String> {
    let modes = fields.one_or_more("mode");
    if modes.iter().any(|mode| !MODES.contains(&mode.as_str())) {
        fields.wrong("mode", format_args!("one or several of {}", MODES.join(", ")));
    }
    modes
}

fn attempts(fields: &mut TableReader<'_>) -> Vec<AttemptRange> {
    let right = "a number from 1, a list of them, or \"2+\"";
    let ranges = fields.get("attempt", right, |item| {
        if let Some(list) = item.as_array() {
            let ranges: Option<Vec<_>> = list.iter().map(|value| exactly(value.as_integer()?)).collect();
            return ranges.filter(|ranges| !ranges.is_empty());
        }
        let range = item.as_integer().and_then(exactly);
        Some(vec![range.or_else(|| at_least(item))?])
    });
    ranges.unwrap_or_default()
}

fn exactly(number: i64) -> Option<AttemptRange> {
    let number = u32::try_from(number).ok().filter(|number| *number > 0)?;
    Some(AttemptRange {
        from: number,
        to: number,
    })
}

fn at_least(item: &Item) -> Option<AttemptRange> {
    let from = item.as_str()?.strip_suffix('+')?.parse().ok()?;
    (from > 0).then_some(AttemptRange { from, to: u32::MAX })
}

fn warn_of_hidden_parts(fields: &TableReader<'_>, parts: &[ScenarioPart]) {
    for (index, part) in parts.iter().enumerate() {
        let mut earlier = parts.iter().take(index);
        if let Some(first) = earlier.find(|first| first.select.covers(&part.select)) {
            let line = first.line;
            let text = format!("this part is never played: the part on line {line} fits whatever fits here");
            fields.file.warning(part.line, text);
        }
    }
}

#[cfg(test)]
mod tests;
