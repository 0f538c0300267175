//! Usage of agents, as text and as JSON.

use std::ops::Add;

use serde_json::json;

use crate::adapters::clock;
use crate::domain::{Budgets, Cost, Timestamp, Usage};
use crate::protocol::query::{OutputFormat, QueryError};
use crate::protocol::reports::in_format;
use crate::read_model::{CostGroup, CostRow, ReadModel};

/// Said if no tool has reported anything.
const NOTHING: &str = "no agent has reported its usage; `dbs agents` says which agents do";

/// Said instead of an amount where tools tell tokens and no money.
const NO_PRICE: &str = "no price known";

pub(in crate::protocol) fn report(
    model: &ReadModel,
    by: CostGroup,
    format: OutputFormat,
) -> Result<String, QueryError> {
    let mut rows = model.costs(by);
    if by == CostGroup::Day {
        for row in &mut rows {
            row.name = clock::utc_date(Timestamp(row.name.parse().unwrap_or_default()));
        }
    }
    let sum = rows.iter().map(|row| row.usage).fold(Usage::default(), Add::add);
    let budgets = model.settings.budgets;
    in_format(
        format,
        || as_json(by, &rows, sum, budgets),
        || lines(&rows, sum, budgets),
    )
}

fn as_json(by: CostGroup, rows: &[CostRow], sum: Usage, budgets: Budgets) -> serde_json::Value {
    let rows = rows.iter().map(|row| figures(Some(&row.name), row.usage));
    json!({
        "by": by, "rows": rows.collect::<Vec<_>>(), "sum": figures(None, sum),
        "budget": { "task": budgets.task.map(dollars), "day": budgets.day.map(dollars) },
    })
}

fn figures(name: Option<&String>, usage: Usage) -> serde_json::Value {
    let tokens = usage.tokens;
    json!({
        "name": name, "dollars": usage.cost.map(dollars), "input_tokens": tokens.input, "cache_read_tokens": tokens.cache_read,
        "cache_write_tokens": tokens.cache_write, "output_tokens": tokens.output,
    })
}

fn dollars(cost: Cost) -> serde_json::Value {
    // Written as a decimal number, so that nothing is lost by rounding.
    let text = format!("{}.{:06}", cost.0 / 1_000_000, cost.0 % 1_000_000);
    text.parse::<serde_json::Number>()
        .map_or_else(|_| text.into(), serde_json::Value::Number)
}

fn lines(rows: &[CostRow], sum: Usage, budgets: Budgets) -> Vec<String> {
    if rows.is_empty() {
        return vec![NOTHING.to_owned()];
    }
    let mut lines: Vec<String> = rows.iter().map(|row| line(&row.name, row.usage)).collect();
    lines.push(line("all", sum));
    let of_task = budgets.task.map(|budget| format!("budget of a task: {budget}"));
    let of_day = budgets.day.map(|budget| format!("budget of a day: {budget}"));
    lines.extend(of_task.into_iter().chain(of_day));
    lines
}

fn line(name: &str, usage: Usage) -> String {
    let cost = usage
        .cost
        .map_or_else(|| NO_PRICE.to_owned(), |cost| cost.to_string());
    let tokens = match usage.tokens.sum() {
        0 => String::new(),
        tokens => format!("  {tokens} tokens"),
    };
    format!("{name:<24} {cost:>14}{tokens}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_are_written_exactly() {
        assert_eq!(dollars(Cost(410_001)).to_string(), "0.410001");
        assert_eq!(dollars(Cost(12_000_000)).to_string(), "12.0");
    }
}
