//! Reads and edits TOML files; comments, order and unknown keys stay.

use std::path::Path;

use toml_edit::{Document, DocumentMut, Item, TableLike};

use crate::config::error::EditError;
use crate::config::raw::{MERGE_BY, RawSetting, RawValue, limited, name_in_table};
use crate::config::value::SettingValue;
use crate::formats::finding::line_of;

/// Reads all settings of the file; the error is a line and a text.
pub(super) fn read(path: &Path, text: &str) -> Result<Vec<RawSetting>, (usize, String)> {
    let document = Document::parse(text).map_err(|error| {
        let line = error.span().map_or(0, |span| line_of(text, span.start));
        (line, error.message().trim().to_owned())
    })?;
    let mut n_values = 0;
    walk(document.as_table(), &mut Vec::new(), &mut |_, _| n_values += 1);
    limited(n_values)?;
    let mut found = Vec::new();
    walk(document.as_table(), &mut Vec::new(), &mut |path_of, item| {
        let line = item.span().map_or(0, |span| line_of(text, span.start));
        found.push(RawSetting::in_file(path, line, path_of, written(item)));
    });
    Ok(found)
}

/// The file's text with `path` set to `value`, or without it.
pub(super) fn edit(text: &str, path: &[&str], value: Option<&SettingValue>) -> Result<String, EditError> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        let line = error.span().map_or(0, |span| line_of(text, span.start));
        EditError::from((line, error.message().trim().to_owned()))
    })?;
    match value {
        Some(value) => put(document.as_table_mut(), path, value)?,
        // The settings below it stay.
        None if path == ["merge"] && document.get("merge").is_some_and(Item::is_table_like) => {
            remove(document.as_table_mut(), &["merge", MERGE_BY]);
        }
        None => remove(document.as_table_mut(), path),
    }
    Ok(document.to_string())
}

fn walk(table: &dyn TableLike, path: &mut Vec<String>, visit: &mut dyn FnMut(&[String], &Item)) {
    for (key, item) in table.iter() {
        path.push(key.to_owned());
        match item.as_table_like() {
            Some(inner) => walk(inner, path, visit),
            None if item.is_none() => {}
            None => visit(path, item),
        }
        path.pop();
    }
}

fn written(item: &Item) -> RawValue {
    match item.as_value() {
        Some(toml_edit::Value::String(text)) => RawValue::Plain(text.value().clone()),
        Some(toml_edit::Value::Integer(number)) => RawValue::Plain(number.value().to_string()),
        Some(toml_edit::Value::Float(number)) => RawValue::Plain(number.value().to_string()),
        Some(toml_edit::Value::Boolean(yes)) => RawValue::Plain(yes.value().to_string()),
        Some(toml_edit::Value::Datetime(time)) => RawValue::Plain(time.value().to_string()),
        Some(toml_edit::Value::Array(_) | toml_edit::Value::InlineTable(_)) | None => {
            RawValue::List(item.to_string().trim().to_owned())
        }
    }
}

fn put(table: &mut dyn TableLike, path: &[&str], value: &SettingValue) -> Result<(), EditError> {
    let Some((last, tables)) = path.split_last() else {
        return Err(EditError::EmptyKey);
    };
    let mut table = table;
    for (depth, name) in tables.iter().enumerate() {
        let new = || {
            let mut made = toml_edit::Table::new();
            made.set_implicit(true);
            Item::Table(made)
        };
        let item = table.entry(name).or_insert_with(new);
        let owner = tables.get(..=depth).and_then(name_in_table);
        if let (Some(own), Some(value)) = (owner, item.as_value().filter(|value| value.is_str())) {
            let mut made = toml_edit::InlineTable::new();
            made.insert(own, value.clone().decorated(" ", ""));
            *item = Item::Value(made.into());
        }
        table = item
            .as_table_like_mut()
            .ok_or_else(|| EditError::SingleValue((*name).to_owned()))?;
    }
    match table.get_mut(last) {
        Some(Item::Value(old)) if !old.is_inline_table() => {
            // Text around the old value, a comment for one, stays.
            let decor = old.decor().clone();
            *old = toml_value(value);
            *old.decor_mut() = decor;
        }
        Some(item) if item.is_table_like() && name_in_table(path).is_some() => {
            item[name_in_table(path).unwrap_or_default()] = Item::Value(toml_value(value));
        }
        Some(item) if item.is_table_like() || item.is_array_of_tables() => {
            return Err(EditError::Table((*last).to_owned()));
        }
        Some(_) | None => {
            table.insert(last, Item::Value(toml_value(value)));
        }
    }
    Ok(())
}

fn remove(table: &mut dyn TableLike, path: &[&str]) {
    match path {
        [] => {}
        [last] => drop(table.remove(last)),
        [name, rest @ ..] => {
            if let Some(inner) = table.get_mut(name).and_then(Item::as_table_like_mut) {
                remove(inner, rest);
            }
        }
    }
}

fn toml_value(value: &SettingValue) -> toml_edit::Value {
    match value {
        SettingValue::Count(number) => (*number).into(),
        SettingValue::Decimal(number) => (*number).into(),
        SettingValue::Switch(yes) => (*yes).into(),
        SettingValue::Text(text) => text.as_str().into(),
        SettingValue::Secret(secret) => secret.reveal().into(),
    }
}
