//! Input for the program in a pane, encoded the way it asked for (its [`Modes`]). Must not read any input device and must not send anything
//! that was not asked for.

mod kitty;
mod legacy;
mod mouse;
mod paste;

use serde::{Deserialize, Serialize};

use super::modes::{KittyFlags, Modes, TermMode};

pub use mouse::{Button, MouseInput, MouseKind, encode_mouse, encode_wheel};
pub use paste::encode_paste;

/// Returns the bytes for a key; empty for a release that the program did not ask for.
pub fn encode_key(input: &KeyInput, modes: &Modes) -> Vec<u8> {
    if modes.kitty != KittyFlags::default() {
        return kitty::encode(input, *modes);
    }
    if input.kind == KeyKind::Release {
        return Vec::new();
    }
    legacy::encode(input, *modes)
}

/// Returns the bytes for a key of a person whose terminal sends Alt as Escape before the key. Such a terminal sends the same bytes when
/// Escape was pressed just before the key, so the program gets them as they came and decides as it would there, whatever encoding it asked
/// for.
pub fn encode_key_alt_is_escape(input: &KeyInput, modes: &Modes) -> Vec<u8> {
    let has_one_byte = matches!(
        input.key,
        Key::Char(_) | Key::Enter | Key::Tab | Key::Backspace | Key::Escape
    );
    if !input.modifiers.contains(Modifiers::ALT) || !has_one_byte {
        return encode_key(input, modes);
    }
    let mut modes = *modes;
    modes.kitty = KittyFlags::default();
    modes.modify_other_keys = 0;
    encode_key(input, &modes)
}

/// Returns the report that the pane got or lost the focus, if the program asked for it.
pub fn encode_focus(focused: bool, modes: &Modes) -> Option<&'static [u8]> {
    let report: &[u8] = if focused { b"\x1b[I" } else { b"\x1b[O" };
    modes.has(TermMode::FocusReports).then_some(report)
}

/// A key with its modifiers and its event: pressed, repeated or released.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KeyInput {
    pub key: Key,
    pub modifiers: Modifiers,
    pub kind: KeyKind,
}

impl KeyInput {
    /// Creates the press of a key together with modifiers.
    pub fn new(key: Key, modifiers: Modifiers) -> Self {
        Self {
            key,
            modifiers,
            kind: KeyKind::Press,
        }
    }
}

/// Event of a key: pressed, repeated or released.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyKind {
    #[default]
    Press,
    Repeat,
    Release,
}

/// A key by its meaning, independent of how it is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    /// A character, as typed (upper case with shift).
    Char(char),
    Enter,
    /// Tab; back-tab is Tab with shift.
    Tab,
    Backspace,
    Escape,
    Left,
    Right,
    Up,
    Down,
    Home,
    End,
    PageUp,
    PageDown,
    Insert,
    Delete,
    /// A function key, from 1.
    Function(u8),
    /// A key of the number pad, by its character; Enter is `'\r'`.
    Keypad(char),
    Menu,
    CapsLock,
    ScrollLock,
    NumLock,
    PrintScreen,
    Pause,
}

bitflags::bitflags! {
    /// A set of modifiers, with the bits of the kitty protocol and xterm.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
    #[serde(transparent)]
    pub struct Modifiers: u8 {
        const SHIFT = 1;
        /// Alt, or option.
        const ALT = 2;
        const CONTROL = 4;
        /// Super, windows or command.
        const SUPER = 8;
        const HYPER = 16;
        const META = 32;
    }
}

impl Modifiers {
    /// Returns the number in an escape sequence: one more than the bits.
    const fn parameter(self) -> u8 {
        self.bits() + 1
    }
}

/// End of the escape sequence of a key without text: a letter, or a number and `~`.
enum KeySequence {
    Letter(char),
    Tilde(u8),
}

/// Returns the form that xterm and kitty share; F3 differs between them.
fn form(key: Key) -> Option<KeySequence> {
    Some(match key {
        Key::Up => KeySequence::Letter('A'),
        Key::Down => KeySequence::Letter('B'),
        Key::Right => KeySequence::Letter('C'),
        Key::Left => KeySequence::Letter('D'),
        Key::Home => KeySequence::Letter('H'),
        Key::End => KeySequence::Letter('F'),
        Key::Function(1) => KeySequence::Letter('P'),
        Key::Function(2) => KeySequence::Letter('Q'),
        Key::Function(3) => KeySequence::Letter('R'),
        Key::Function(4) => KeySequence::Letter('S'),
        Key::Insert => KeySequence::Tilde(2),
        Key::Delete => KeySequence::Tilde(3),
        Key::PageUp => KeySequence::Tilde(5),
        Key::PageDown => KeySequence::Tilde(6),
        Key::Function(n @ 5..=20) => KeySequence::Tilde(function_number(n)?),
        Key::Menu => KeySequence::Tilde(29),
        _ => return None,
    })
}

/// Returns the number that DEC gave to one of F5 to F20; the numbers have holes.
fn function_number(n: u8) -> Option<u8> {
    const NUMBERS: [u8; 16] = [15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34];
    NUMBERS.get(usize::from(n.checked_sub(5)?)).copied()
}
