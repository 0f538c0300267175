//! Settings as a source has them, before they are checked.

use std::path::Path;

use crate::config::origin::SettingOrigin;

/// Function that reads the settings in the text of a configuration file.
pub(super) type ReadFn = fn(&Path, &str) -> Result<Vec<RawSetting>, (usize, String)>;

/// Maximum number of values of one file: far more than there are settings. Each is looked for among all settings, and in the file for its line.
const MOST_VALUES: usize = 1_000;

/// The name of a gate's command in a table of the gate: `gates.test = { command = "make test", fresh = true }`.
const GATE_COMMAND: &str = "command";
/// The name of the setting `merge` in a table with its other settings: `merge = { by = "agent", style = "squash" }`.
pub(super) const MERGE_BY: &str = "by";

/// Returns the name that the value of a setting has in a table with settings below it, if the setting can be such a table.
pub(super) fn name_in_table(path: &[&str]) -> Option<&'static str> {
    match path {
        ["gates", _] => Some(GATE_COMMAND),
        ["merge"] => Some(MERGE_BY),
        _ => None,
    }
}

/// Refuses a file with so many values that it cannot be a file of settings; the error is a line and a text.
pub(super) fn limited(n_values: usize) -> Result<(), (usize, String)> {
    if n_values <= MOST_VALUES {
        return Ok(());
    }
    Err((
        0,
        format!("it has {n_values} values, and {MOST_VALUES} are the most"),
    ))
}

/// Setting as a source has it, before it is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawSetting {
    pub(super) path: Vec<String>,
    pub(super) text: RawValue,
    pub(super) origin: SettingOrigin,
}

/// Text of a setting's value, before it is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RawValue {
    /// A number, a word, a text: without its quotes.
    Plain(String),
    /// A list, as text.
    List(String),
}

/// A setting of a project's file with the value that a person has trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TrustedValue {
    pub(super) key: String,
    /// Value as [`RawSetting::value_text`] returns it.
    pub(super) text: String,
}

impl TrustedValue {
    /// The setting as it was trusted, where the files say something else by now.
    pub(super) fn raw(&self) -> RawSetting {
        RawSetting {
            path: self.key.split('.').map(str::to_owned).collect(),
            text: RawValue::Plain(self.text.clone()),
            origin: SettingOrigin::Trusted,
        }
    }
}

impl RawSetting {
    /// Returns the value as text; a list as it is written.
    pub(super) fn value_text(&self) -> &str {
        match &self.text {
            RawValue::Plain(text) | RawValue::List(text) => text,
        }
    }

    pub(super) fn in_file(file: &Path, line: usize, path: &[String], text: RawValue) -> RawSetting {
        // A setting with others below it is a table that holds its value.
        let owner = path.split_last().filter(|(last, owner)| {
            let owner: Vec<&str> = owner.iter().map(String::as_str).collect();
            name_in_table(&owner) == Some(last.as_str())
        });
        let path = owner.map_or(path, |(_, owner)| owner);
        RawSetting {
            path: path.to_vec(),
            text,
            origin: SettingOrigin::File {
                path: file.to_owned(),
                line,
            },
        }
    }

    pub(super) fn parts(&self) -> Vec<&str> {
        self.path.iter().map(String::as_str).collect()
    }

    /// Under the name it has here: an earlier program kept some of its keys in a table of its own name.
    pub(super) fn without_legacy_table(mut self) -> RawSetting {
        if let ["debussy", "timeout" | "max_retries"] = self.parts()[..] {
            self.path.remove(0);
        }
        self
    }

    pub(super) fn key(&self) -> String {
        self.path.join(".")
    }
}
