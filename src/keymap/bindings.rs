//! Mapping of keys to actions per key table. Read from `assets/keys.toml` and a person's own file on top; contradictions, and keys that
//! would lock a person into a mode, are errors, never surprises.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use super::action::Action;
use super::chord::{Chord, KeyParseError};

/// The bindings of keys to actions, per key table.
#[derive(Debug, Clone, Default)]
pub struct Keymap {
    prefix: Chord,
    keys: HashMap<(KeyTable, Chord), Action>,
    /// Keys of an action in the order of the file.
    order: BTreeMap<(KeyTable, Action), Vec<Chord>>,
}

/// The table of a key file in which a key is looked up, depending on the mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyTable {
    /// In the views of `dbs`, and while looking at a terminal.
    Nav,
    /// In a filtered list; keys that are not bound there mean the same as in `Nav`.
    Filtered,
    /// In copy mode, while a terminal is held still to take text from it.
    Copy,
    Prefixed,
}

impl KeyTable {
    /// All tables, in the order of the document of the keys.
    pub const ALL: [KeyTable; 4] = [
        KeyTable::Nav,
        KeyTable::Prefixed,
        KeyTable::Filtered,
        KeyTable::Copy,
    ];

    /// Returns the name of the table in key files.
    pub fn name(self) -> &'static str {
        match self {
            KeyTable::Nav => "nav",
            KeyTable::Filtered => "found",
            KeyTable::Copy => "copy",
            KeyTable::Prefixed => "prefixed",
        }
    }
}

/// The error for a key file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeymapError {
    /// Text that is not TOML, or not of this shape.
    #[error("read the keys: {0}")]
    Shape(#[from] toml_edit::de::Error),
    #[error("bind `{0}`: there is no such action; `dbs keys` lists them")]
    UnknownAction(String),
    #[error("bind a key: {0}")]
    UnknownKey(#[from] KeyParseError),
    #[error("bind `{key}` twice in {place}: to {one} and to {other}; give one of them another key")]
    Conflict {
        key: String,
        place: &'static str,
        one: String,
        other: String,
    },
    /// Mode without a way out.
    #[error("leave {0} without a key: it is needed to get out of a mode")]
    NoWayOut(&'static str),
    /// Key that leads out of a filtered list, bound to something else there.
    #[error(
        "bind `{key}` to {action} in found: in a filtered list it is needed to get out; give it another key"
    )]
    HiddenWayOut { key: String, action: &'static str },
    /// Prefix that programs and prompts need as it is, or that does not always arrive; with the reason.
    #[error("use `{0}` as the prefix: it is {1}")]
    NoPrefix(Chord, &'static str),
    #[error("begin with the keys of `{0}`: there are default, tmux, vim and emacs")]
    UnknownPreset(String),
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyFile {
    preset: Option<String>,
    prefix: Option<String>,
    #[serde(default)]
    nav: KeyBindings,
    #[serde(default)]
    found: KeyBindings,
    #[serde(default)]
    copy: KeyBindings,
    #[serde(default)]
    prefixed: KeyBindings,
}

/// The bindings of one table in a key file: the keys of each action by name.
type KeyBindings = BTreeMap<String, Vec<String>>;

impl KeyFile {
    fn table(&mut self, table: KeyTable) -> &mut KeyBindings {
        match table {
            KeyTable::Nav => &mut self.nav,
            KeyTable::Filtered => &mut self.found,
            KeyTable::Copy => &mut self.copy,
            KeyTable::Prefixed => &mut self.prefixed,
        }
    }

    /// Lays another file on top: an action named there has exactly the keys given there.
    fn lay(&mut self, mut other: KeyFile) {
        self.prefix = other.prefix.take().or(self.prefix.take());
        for place in KeyTable::ALL {
            let over = std::mem::take(other.table(place));
            self.table(place).extend(over);
        }
    }
}

const DEFAULTS: &str = include_str!("../../assets/keys.toml");

/// Presets a person can begin with, by name: each on top of the defaults.
const PRESETS: [(&str, &str); 4] = [
    ("default", ""),
    ("tmux", include_str!("../../assets/keys/tmux.toml")),
    ("vim", include_str!("../../assets/keys/vim.toml")),
    ("emacs", include_str!("../../assets/keys/emacs.toml")),
];

impl Keymap {
    /// The default keys.
    ///
    /// # Errors
    /// Never with the file that is built in; a test holds it to that.
    pub fn builtin() -> Result<Keymap, KeymapError> {
        Keymap::with_overrides("")
    }

    /// The default keys, those of a preset if the file names one (`preset = "vim"`), and a person's own file on top: an action
    /// named there has exactly the keys given there.
    ///
    /// # Errors
    /// When the file cannot be read, names an unknown action or key, gives a key two meanings, or leaves a mode without a way out.
    pub fn with_overrides(own: &str) -> Result<Keymap, KeymapError> {
        let mut file: KeyFile = toml_edit::de::from_str(DEFAULTS)?;
        let own: KeyFile = toml_edit::de::from_str(own)?;
        if let Some(name) = &own.preset {
            let found = PRESETS.iter().find(|(known, _)| known == name);
            let (_, preset) = found.ok_or_else(|| KeymapError::UnknownPreset(name.clone()))?;
            file.lay(toml_edit::de::from_str(preset)?);
        }
        file.lay(own);
        let prefix: Chord = file.prefix.as_deref().unwrap_or("C-b").parse()?;
        if let Some(why) = prefix.prefix_problem() {
            return Err(KeymapError::NoPrefix(prefix, why));
        }
        let mut map = Keymap {
            prefix,
            ..Keymap::default()
        };
        for place in KeyTable::ALL {
            for (name, keys) in std::mem::take(file.table(place)) {
                map.bind(place, &name, &keys)?;
            }
        }
        map.ways_out()?;
        Ok(map)
    }

    fn bind(&mut self, table: KeyTable, name: &str, keys: &[String]) -> Result<(), KeymapError> {
        let action = Action::named(name).ok_or_else(|| KeymapError::UnknownAction(name.to_owned()))?;
        let mut chords: Vec<Chord> = Vec::new();
        for key in keys {
            let chord: Chord = key.parse()?;
            let taken = self.lookup(table, chord);
            let other = if chord == self.prefix {
                Some("the prefix")
            } else {
                taken.and_then(name_of)
            };
            if let Some(other) = other {
                return Err(KeymapError::Conflict {
                    key: key.clone(),
                    place: table.name(),
                    one: name.to_owned(),
                    other: other.to_owned(),
                });
            }
            self.keys.insert((table, chord), action);
            chords.push(chord);
        }
        self.order.insert((table, action), chords);
        Ok(())
    }

    fn ways_out(&self) -> Result<(), KeymapError> {
        for (place, action, name) in [
            (KeyTable::Nav, Action::Back, "nav.back"),
            (KeyTable::Nav, Action::Detach, "nav.leave"),
            (KeyTable::Prefixed, Action::StopTyping, "prefixed.look"),
            (KeyTable::Copy, Action::Back, "copy.back"),
        ] {
            if self.keys(place, action).is_empty() {
                return Err(KeymapError::NoWayOut(name));
            }
        }
        self.found_lets_out()
    }

    /// Checks that no key of a filtered list, whose keys come first, is one that leads out of it.
    fn found_lets_out(&self) -> Result<(), KeymapError> {
        let found = self
            .order
            .iter()
            .filter(|((place, _), _)| *place == KeyTable::Filtered);
        for ((_, action), chords) in found {
            let leads_out = |chord: &&Chord| {
                matches!(
                    self.lookup(KeyTable::Nav, **chord),
                    Some(Action::Back | Action::Detach)
                )
            };
            if let Some(key) = chords.iter().find(leads_out) {
                return Err(KeymapError::HiddenWayOut {
                    key: key.to_string(),
                    action: name_of(*action).unwrap_or_default(),
                });
            }
        }
        Ok(())
    }

    /// Returns the prefix.
    pub fn prefix(&self) -> Chord {
        self.prefix
    }

    /// Returns the action of a key in a table.
    pub fn lookup(&self, table: KeyTable, chord: Chord) -> Option<Action> {
        self.keys.get(&(table, chord)).copied()
    }

    /// Returns the keys of an action in a table, the preferred one first.
    pub fn keys(&self, table: KeyTable, action: Action) -> &[Chord] {
        self.order
            .get(&(table, action))
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// Returns the preferred key for a hint: `a`, or `C-b z` when it needs the prefix.
    pub fn hint(&self, action: Action) -> Option<String> {
        if let Some(chord) = self.keys(KeyTable::Nav, action).first() {
            return Some(chord.to_string());
        }
        if let Some(chord) = self.keys(KeyTable::Prefixed, action).first() {
            return Some(format!("{} {chord}", self.prefix));
        }
        let [found, copy] =
            [KeyTable::Filtered, KeyTable::Copy].map(|place| self.keys(place, action).first());
        found.or(copy).map(ToString::to_string)
    }
}

fn name_of(action: Action) -> Option<&'static str> {
    action.entry().map(|entry| entry.name)
}
