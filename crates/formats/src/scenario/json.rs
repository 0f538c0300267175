//! TOML values of a scenario as JSON, for the reports signals carry.

use serde_json::Value as Json;
use toml_edit::{Item, TableLike, Value};

/// Returns the JSON value of a TOML item; `None` for an item that is missing.
pub(super) fn item_json(item: &Item) -> Option<Json> {
    match item {
        Item::None => None,
        Item::Value(value) => Some(value_json(value)),
        Item::Table(table) => Some(table_json(table)),
        Item::ArrayOfTables(list) => Some(list.iter().map(|table| table_json(table)).collect()),
    }
}

fn value_json(value: &Value) -> Json {
    match value {
        Value::String(text) => text.value().clone().into(),
        Value::Integer(number) => (*number.value()).into(),
        Value::Float(number) => (*number.value()).into(),
        Value::Boolean(flag) => (*flag.value()).into(),
        Value::Datetime(date) => date.value().to_string().into(),
        Value::Array(list) => list.iter().map(value_json).collect(),
        Value::InlineTable(table) => table_json(table),
    }
}

fn table_json(table: &dyn TableLike) -> Json {
    let fields = table
        .iter()
        .filter_map(|(key, item)| Some((key.to_owned(), item_json(item)?)));
    Json::Object(fields.collect())
}
