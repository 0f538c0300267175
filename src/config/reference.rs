//! The table of all settings as it stands in the documentation.

use crate::config::schema::keys;
use crate::config::setting::{SettingSpec, SettingStatus};

/// The table in markdown.
pub fn reference() -> String {
    let mut text = String::from(
        "| setting | value | default | takes effect | what it is for | from |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    for key in keys() {
        text.push_str(&row(key));
    }
    text
}

fn row(key: &SettingSpec) -> String {
    let default = key
        .default
        .map_or("not set".to_owned(), |default| format!("`{default}`"));
    let doc = match key.status {
        SettingStatus::Used | SettingStatus::Legacy | SettingStatus::Kept => key.doc.to_owned(),
        SettingStatus::Obsolete(why) => format!("Obsolete: {why}. {}", key.doc),
    };
    format!(
        "| `{}` | {} | {default} | {} | {doc} | {} |\n",
        key.name, key.kind, key.effect, key.source
    )
}
