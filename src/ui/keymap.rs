//! Which key means which action where. Read from `assets/keys.toml` and a person's own file on top; contradictions and keys
//! that would lock somebody into a mode are errors, never surprises.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use super::action::Action;
use super::chord::{Chord, NoKey};

/// Keys and what they mean.
#[derive(Debug, Clone)]
pub struct Keymap {
    prefix: Chord,
    nav: HashMap<Chord, Action>,
    prefixed: HashMap<Chord, Action>,
    /// Keys of an action in the order of the file.
    order: BTreeMap<(Place, Action), Vec<Chord>>,
}

/// Where a key is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// In our own views, and while looking at a terminal.
    Nav,
    /// After the prefix.
    Prefixed,
}

/// What is wrong with a key file.
#[derive(Debug, thiserror::Error)]
pub enum KeyProblem {
    /// No TOML, or not of this shape.
    #[error("read the keys: {0}")]
    Shape(#[from] toml_edit::de::Error),
    /// No such action.
    #[error("bind `{0}`: there is no such action; `dbs help keys` lists them")]
    UnknownAction(String),
    /// No such key.
    #[error("bind a key: {0}")]
    UnknownKey(#[from] NoKey),
    /// Two meanings.
    #[error("bind `{key}` twice: to {one} and to {other}; give one of them another key")]
    Conflict {
        /// The key.
        key: String,
        /// One meaning.
        one: String,
        /// The other.
        other: String,
    },
    /// A mode would have no way out.
    #[error("leave {0} without a key: it is needed to get out of a mode")]
    NoWayOut(&'static str),
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyFile {
    prefix: Option<String>,
    #[serde(default)]
    nav: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    prefixed: BTreeMap<String, Vec<String>>,
}

const DEFAULTS: &str = include_str!("../../assets/keys.toml");

impl Keymap {
    /// The default keys.
    ///
    /// # Errors
    /// Never with the file that is built in; a test holds it to that.
    pub fn builtin() -> Result<Keymap, KeyProblem> {
        Keymap::with("")
    }

    /// The default keys with a person's own file on top: an action named there has exactly the keys given there.
    ///
    /// # Errors
    /// When the file cannot be read, names an unknown action or key, gives a key two meanings, or leaves a mode without a way out.
    pub fn with(own: &str) -> Result<Keymap, KeyProblem> {
        let mut file: KeyFile = toml_edit::de::from_str(DEFAULTS)?;
        let own: KeyFile = toml_edit::de::from_str(own)?;
        file.prefix = own.prefix.or(file.prefix);
        file.nav.extend(own.nav);
        file.prefixed.extend(own.prefixed);
        let mut map = Keymap {
            prefix: file.prefix.as_deref().unwrap_or("C-b").parse()?,
            nav: HashMap::new(),
            prefixed: HashMap::new(),
            order: BTreeMap::new(),
        };
        for (place, table) in [(Place::Nav, file.nav), (Place::Prefixed, file.prefixed)] {
            for (name, keys) in table {
                map.bind(place, &name, &keys)?;
            }
        }
        map.ways_out()?;
        Ok(map)
    }

    fn bind(&mut self, place: Place, name: &str, keys: &[String]) -> Result<(), KeyProblem> {
        let action = Action::named(name).ok_or_else(|| KeyProblem::UnknownAction(name.to_owned()))?;
        let mut chords = Vec::new();
        for key in keys {
            let chord: Chord = key.parse()?;
            let taken = self.lookup(place, chord);
            let other = if chord == self.prefix {
                Some("the prefix")
            } else {
                taken.and_then(name_of)
            };
            if let Some(other) = other {
                return Err(KeyProblem::Conflict {
                    key: key.clone(),
                    one: name.to_owned(),
                    other: other.to_owned(),
                });
            }
            self.table(place).insert(chord, action);
            chords.push(chord);
        }
        self.order.insert((place, action), chords);
        Ok(())
    }

    fn table(&mut self, place: Place) -> &mut HashMap<Chord, Action> {
        match place {
            Place::Nav => &mut self.nav,
            Place::Prefixed => &mut self.prefixed,
        }
    }

    fn ways_out(&self) -> Result<(), KeyProblem> {
        for (place, action, name) in [
            (Place::Nav, Action::Back, "nav.back"),
            (Place::Nav, Action::Leave, "nav.leave"),
            (Place::Prefixed, Action::Look, "prefixed.look"),
        ] {
            if self.keys(place, action).is_empty() {
                return Err(KeyProblem::NoWayOut(name));
            }
        }
        Ok(())
    }

    /// The prefix.
    pub fn prefix(&self) -> Chord {
        self.prefix
    }

    /// What a key means there.
    pub fn lookup(&self, place: Place, chord: Chord) -> Option<Action> {
        match place {
            Place::Nav => self.nav.get(&chord).copied(),
            Place::Prefixed => self.prefixed.get(&chord).copied(),
        }
    }

    /// The keys of an action there, the preferred one first.
    pub fn keys(&self, place: Place, action: Action) -> &[Chord] {
        self.order
            .get(&(place, action))
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// The preferred key for a hint: `a`, or `C-b z` when it needs the prefix.
    pub fn hint(&self, action: Action) -> Option<String> {
        if let Some(chord) = self.keys(Place::Nav, action).first() {
            return Some(chord.to_string());
        }
        let chord = self.keys(Place::Prefixed, action).first()?;
        Some(format!("{} {chord}", self.prefix))
    }
}

fn name_of(action: Action) -> Option<&'static str> {
    action.entry().map(|entry| entry.name)
}

#[cfg(test)]
mod tests;
