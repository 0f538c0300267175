//! Keys with their modifiers: the notation of key files and the reports of terminals, made comparable.

use std::fmt;
use std::str::FromStr;

use crate::term::keys::{Key, KeyInput, Modifiers};

/// A key with its modifiers in canonical form, comparable between key files and terminals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Chord {
    code: Key,
    modifiers: Modifiers,
}

impl Default for Chord {
    /// Returns a key that cannot be pressed.
    fn default() -> Chord {
        Chord::plain(Key::Function(0))
    }
}

impl Chord {
    /// Returns the chord of a key that a terminal reported.
    pub fn from_event(key: &KeyInput) -> Chord {
        Chord::canonical(key.key, key.modifiers)
    }

    fn canonical(code: Key, modifiers: Modifiers) -> Chord {
        // All modifiers: a key held with one that no key file can write is another key, and has no meaning here.
        let mut modifiers = modifiers;
        let code = match code {
            // The number pad writes what its keys say.
            Key::Keypad('\r') => Key::Enter,
            Key::Char(c) | Key::Keypad(c) => {
                let shifted = modifiers.contains(Modifiers::SHIFT) && c.is_ascii_lowercase();
                modifiers -= Modifiers::SHIFT;
                let c = if shifted { c.to_ascii_uppercase() } else { c };
                Key::Char(if modifiers.contains(Modifiers::CONTROL) {
                    c.to_ascii_lowercase()
                } else {
                    c
                })
            }
            other => other,
        };
        Chord { code, modifiers }
    }

    /// Returns the character that the key types into a one-line prompt, if any.
    pub fn typed_char(self) -> Option<char> {
        match self.code {
            Key::Char(c) if self.modifiers.is_empty() => Some(c),
            _ => None,
        }
    }

    /// Returns the reason why the key cannot be the prefix, if it cannot, to be read after "it is": programs and prompts need it as it is,
    /// or a terminal without the kitty keyboard protocol sends another key for it, and a person typing there would never get out.
    pub(crate) fn prefix_problem(self) -> Option<&'static str> {
        let (control, alt) = (Modifiers::CONTROL, Modifiers::ALT);
        let held = self.modifiers.intersects(control | alt);
        if !(held || matches!(self.code, Key::Function(_))) || self.is_control('c') {
            return Some("needed as it is: hold Control or Alt, or press a function key");
        }
        let arrives = self.modifiers - (control | alt | Modifiers::SHIFT) == Modifiers::empty()
            && match self.code {
                Key::Char(c) if self.modifiers.contains(control) => arrives_with_control(c),
                // The beginning of a sequence, and letters of another keyboard.
                Key::Char(c) => c.is_ascii() && !matches!(c, '[' | 'O'),
                Key::Enter | Key::Backspace => self.modifiers == alt,
                Key::Tab | Key::Escape => false,
                _ => true,
            };
        (!arrives).then_some("sent as another key by many terminals: take one that always arrives")
    }

    /// A key pressed by itself.
    pub(crate) fn plain(code: Key) -> Chord {
        Chord::canonical(code, Modifiers::empty())
    }

    /// The key without its modifiers.
    pub fn code(self) -> Key {
        self.code
    }

    /// Returns true if the chord is Control with that character.
    pub fn is_control(self, c: char) -> bool {
        self.code == Key::Char(c) && self.modifiers == Modifiers::CONTROL
    }

    /// Returns true if the key leaves a prompt or a list without doing anything.
    pub(crate) fn cancels(self) -> bool {
        self.code == Key::Escape || self.is_control('c') || self.is_control('g')
    }

    /// Returns the key event that a terminal would report for the chord.
    pub fn event(self) -> KeyInput {
        KeyInput::new(self.code, self.modifiers)
    }
}

/// Returns true if an old terminal sends that character with Control as a key of its own.
fn arrives_with_control(c: char) -> bool {
    // `C-i` is Tab there, `C-m` Enter, `C-[` Esc.
    (c.is_ascii_lowercase() && !matches!(c, 'i' | 'm')) || matches!(c, ' ' | '\\' | ']' | '^' | '_')
}

const NAMES: [(&str, Key); 14] = [
    ("Enter", Key::Enter),
    ("Esc", Key::Escape),
    ("Tab", Key::Tab),
    ("Space", Key::Char(' ')),
    ("Backspace", Key::Backspace),
    ("Delete", Key::Delete),
    ("Up", Key::Up),
    ("Down", Key::Down),
    ("Left", Key::Left),
    ("Right", Key::Right),
    ("Home", Key::Home),
    ("End", Key::End),
    ("PageUp", Key::PageUp),
    ("PageDown", Key::PageDown),
];

/// The error for a text that is not the name of a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a key: write a character, or C-x, A-x, S-Tab, Enter, Esc, Space, Up, PageUp, F1")]
pub struct KeyParseError(pub String);

impl FromStr for Chord {
    type Err = KeyParseError;

    fn from_str(text: &str) -> Result<Chord, KeyParseError> {
        let mut modifiers = Modifiers::empty();
        let mut rest = text;
        for (mark, modifier) in [
            ("C-", Modifiers::CONTROL),
            ("A-", Modifiers::ALT),
            ("S-", Modifiers::SHIFT),
            ("ctrl-", Modifiers::CONTROL),
            ("alt-", Modifiers::ALT),
            ("shift-", Modifiers::SHIFT),
        ] {
            if let Some(after) = rest.strip_prefix(mark).filter(|after| !after.is_empty()) {
                modifiers |= modifier;
                rest = after;
            }
        }
        let code = named(rest).ok_or_else(|| KeyParseError(text.to_owned()))?;
        Ok(Chord::canonical(code, modifiers))
    }
}

fn named(name: &str) -> Option<Key> {
    if let Some((_, code)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some(*code);
    }
    if let Some(number) = name.strip_prefix('F').and_then(|digits| digits.parse().ok()) {
        return (1..=24).contains(&number).then_some(Key::Function(number));
    }
    let mut chars = name.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) if !c.is_control() => Some(Key::Char(c)),
        _ => None,
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (modifier, mark) in [
            (Modifiers::CONTROL, "C-"),
            (Modifiers::ALT, "A-"),
            (Modifiers::SHIFT, "S-"),
            (Modifiers::SUPER, "Super-"),
            (Modifiers::HYPER, "Hyper-"),
            (Modifiers::META, "Meta-"),
        ] {
            if self.modifiers.contains(modifier) {
                f.write_str(mark)?;
            }
        }
        match self.code {
            Key::Function(number) => write!(f, "F{number}"),
            code => match (NAMES.iter().find(|(_, known)| *known == code), code) {
                (Some((name, _)), _) => f.write_str(name),
                (None, Key::Char(c)) => write!(f, "{c}"),
                (None, other) => write!(f, "{other:?}"),
            },
        }
    }
}
