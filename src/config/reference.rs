//! The table of all settings as it stands in the documentation.

use crate::config::schema::{Key, Status, keys};

/// The table in markdown.
pub fn reference() -> String {
    let mut text = String::from(
        "| setting | value | default | what it is for | from |\n| --- | --- | --- | --- | --- |\n",
    );
    for key in keys() {
        text.push_str(&row(key));
    }
    text
}

fn row(key: &Key) -> String {
    let default = key
        .default
        .map_or("not set".to_owned(), |default| format!("`{default}`"));
    let doc = match key.status {
        Status::Used | Status::Earlier | Status::Kept => key.doc.to_owned(),
        Status::Obsolete(why) => format!("Obsolete: {why}. {}", key.doc),
    };
    format!(
        "| `{}` | {} | {default} | {doc} | {} |\n",
        key.name, key.kind, key.row
    )
}
