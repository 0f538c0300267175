//! Keys in the kitty keyboard protocol. Must follow its text: anything that no flag asks for is left out.

use super::{Key, KeyInput, KeyKind, KeySequence, Modifiers, form};
use crate::modes::{KittyFlags, Modes};

pub(super) fn encode(input: &KeyInput, modes: Modes) -> Vec<u8> {
    let flags = modes.kitty;
    let kind = if flags.contains(KittyFlags::EVENT_TYPES) {
        input.kind
    } else {
        KeyKind::Press
    };
    if input.kind == KeyKind::Release && (kind != KeyKind::Release || silent_release(input.key, flags)) {
        return Vec::new();
    }
    let event = KittyKey {
        key: input.key,
        modifiers: input.modifiers,
        kind,
        flags,
    };
    event
        .text_alone()
        .unwrap_or_else(|| event.sequence().into_bytes())
}

/// Returns true if the release of a key is not reported, so that a shell can still be used after a crash left the protocol on.
fn silent_release(key: Key, flags: KittyFlags) -> bool {
    matches!(key, Key::Enter | Key::Tab | Key::Backspace) && !flags.contains(KittyFlags::ALL_KEYS)
}

struct KittyKey {
    key: Key,
    modifiers: Modifiers,
    kind: KeyKind,
    flags: KittyFlags,
}

impl KittyKey {
    /// Returns the bytes of a key that still sends its text or its old control character.
    fn text_alone(&self) -> Option<Vec<u8>> {
        if self.flags.contains(KittyFlags::ALL_KEYS) || self.kind == KeyKind::Release {
            return None;
        }
        match self.key {
            Key::Char(_) | Key::Keypad('!'..) => self.text().map(|c| c.to_string().into_bytes()),
            Key::Enter if self.modifiers.is_empty() => Some(b"\r".to_vec()),
            Key::Tab if self.modifiers.is_empty() => Some(b"\t".to_vec()),
            Key::Backspace if self.modifiers.is_empty() => Some(b"\x7f".to_vec()),
            _ => None,
        }
    }

    /// Returns the character that a key makes: none with anything but shift held.
    fn text(&self) -> Option<char> {
        match self.key {
            Key::Char(c) | Key::Keypad(c @ '!'..)
                if self.modifiers.difference(Modifiers::SHIFT).is_empty() =>
            {
                Some(c)
            }
            _ => None,
        }
    }

    fn sequence(&self) -> String {
        if self.key == Key::Function(3) {
            // `CSI R` would be taken for a cursor report.
            return format!("\x1b[13{}~", self.modifier_part());
        }
        let shared = if matches!(self.key, Key::Function(13..) | Key::Menu) {
            None
        } else {
            form(self.key)
        };
        match shared {
            Some(KeySequence::Letter(letter)) => match self.modifier_part() {
                part if part.is_empty() => format!("\x1b[{letter}"),
                part => format!("\x1b[1{part}{letter}"),
            },
            Some(KeySequence::Tilde(number)) => format!("\x1b[{number}{}~", self.modifier_part()),
            None => code(self.key).map_or_else(String::new, |code| self.unicode(code)),
        }
    }

    fn unicode(&self, code: u32) -> String {
        let mut key = code.to_string();
        if let (Key::Char(c), true) = (self.key, self.flags.contains(KittyFlags::ALTERNATE_KEYS))
            && u32::from(c) != code
            && self.modifiers.contains(Modifiers::SHIFT)
        {
            key = format!("{code}:{}", u32::from(c));
        }
        let wants_text =
            self.flags.contains(KittyFlags::ALL_KEYS) && self.flags.contains(KittyFlags::ASSOCIATED_TEXT);
        let text = self
            .text()
            .filter(|_| wants_text && self.kind != KeyKind::Release);
        match (self.modifier_part(), text) {
            (part, None) => format!("\x1b[{key}{part}u"),
            (part, Some(c)) if part.is_empty() => format!("\x1b[{key};;{}u", u32::from(c)),
            (part, Some(c)) => format!("\x1b[{key}{part};{}u", u32::from(c)),
        }
    }

    fn modifier_part(&self) -> String {
        let parameter = self.modifiers.parameter();
        match self.kind {
            KeyKind::Press if self.modifiers.is_empty() => String::new(),
            KeyKind::Press => format!(";{parameter}"),
            KeyKind::Repeat => format!(";{parameter}:2"),
            KeyKind::Release => format!(";{parameter}:3"),
        }
    }
}

/// Returns the number of a key that has no older form.
fn code(key: Key) -> Option<u32> {
    Some(match key {
        // The number is that of the key without shift, which only letters give away.
        Key::Char(c) => u32::from(c.to_lowercase().next().unwrap_or(c)),
        Key::Enter => 13,
        Key::Tab => 9,
        Key::Backspace => 127,
        Key::Escape => 27,
        Key::CapsLock => 57358,
        Key::ScrollLock => 57359,
        Key::NumLock => 57360,
        Key::PrintScreen => 57361,
        Key::Pause => 57362,
        Key::Menu => 57363,
        Key::Function(n @ 13..=35) => 57376 + u32::from(n) - 13,
        Key::Keypad(c) => keypad_code(c)?,
        _ => return None,
    })
}

fn keypad_code(c: char) -> Option<u32> {
    Some(match c {
        '0'..='9' => 57399 + u32::from(c) - u32::from('0'),
        '.' => 57409,
        '/' => 57410,
        '*' => 57411,
        '-' => 57412,
        '+' => 57413,
        '\r' => 57414,
        '=' => 57415,
        ',' => 57416,
        _ => return None,
    })
}
