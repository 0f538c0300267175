//! `dbs keys`: the keys in force, and the problems with a person's own.

use std::fmt::Write as _;

use crate::cli::commands::prelude::*;
use crate::config::appearance;
use crate::keymap::{KeyTable, Keymap, entries};

/// Show the key bindings in force, including your own
///
/// Keys that contradict each other are refused, and the error names both meanings.
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs keys\ndbs keys --check\ndbs keys --preset vim"))]
pub struct KeysArgs {
    /// Only check for conflicting bindings
    #[arg(long)]
    check: bool,
    /// Preset to show instead: default, tmux, vim, emacs
    #[arg(long)]
    preset: Option<String>,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for KeysArgs {
    /// Prints the keys in force, or checks them for contradictions.
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let keymap = match &self.preset {
            Some(name) => Keymap::with_overrides(&format!("preset = {name:?}"))?,
            None => own(env)?,
        };
        if self.check {
            let bound = KeyTable::ALL.map(|place| {
                entries()
                    .map(|entry| keymap.keys(place, entry.action).len())
                    .sum::<usize>()
            });
            output::line(&format!(
                "{} keys, no contradiction, every mode has a way out",
                bound.iter().sum::<usize>()
            ));
            return Ok(ExitCode::SUCCESS);
        }
        if self.json.json {
            output::json(&as_json(&keymap));
        } else {
            output::lines(&as_text(&keymap));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the keys of this project's settings; outside of a project those of the program.
fn own(env: &ProcessEnv) -> CommandResult<Keymap> {
    match ProjectPaths::find(&env.folder, env) {
        Ok(place) => Ok(Keymap::with_overrides(&appearance::own_keys(
            &place.read_config(),
        ))?),
        Err(_outside) => Keymap::builtin().map_err(CommandError::from),
    }
}

fn as_text(keymap: &Keymap) -> String {
    let mut text = format!("prefix  {}\n", keymap.prefix());
    for place in KeyTable::ALL {
        // Writing to a string cannot fail.
        writeln!(text, "\n[{}]", place.name()).unwrap_or_default();
        for entry in entries() {
            let keys: Vec<String> = keymap
                .keys(place, entry.action)
                .iter()
                .map(ToString::to_string)
                .collect();
            if !keys.is_empty() {
                writeln!(text, "{:<18} {:<18} {}", entry.name, keys.join(" "), entry.help)
                    .unwrap_or_default();
            }
        }
    }
    text.trim_end().to_owned()
}

fn as_json(keymap: &Keymap) -> serde_json::Value {
    let places = KeyTable::ALL.map(|place| {
        let bound = entries().filter_map(|entry| {
            let keys: Vec<String> = keymap
                .keys(place, entry.action)
                .iter()
                .map(ToString::to_string)
                .collect();
            (!keys.is_empty()).then(|| (entry.name.to_owned(), serde_json::json!(keys)))
        });
        (
            place.name().to_owned(),
            serde_json::Value::Object(bound.collect()),
        )
    });
    let mut all: serde_json::Map<String, serde_json::Value> = places.into_iter().collect();
    all.insert("prefix".to_owned(), keymap.prefix().to_string().into());
    serde_json::Value::Object(all)
}
