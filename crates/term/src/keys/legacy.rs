//! Keys as xterm encodes them, with `modifyOtherKeys`. Must not be used once a kitty flag is on.

use super::{Key, KeyInput, KeySequence, Modifiers, form};
use crate::modes::{Modes, TermMode};

pub(super) fn encode(input: &KeyInput, modes: Modes) -> Vec<u8> {
    // Meta is the old name of alt. Keys without text have a fourth modifier besides: xterm calls it meta, others super.
    let with_super = input
        .modifiers
        .difference(Modifiers::HYPER)
        .difference(Modifiers::META);
    let with_super = if input.modifiers.contains(Modifiers::META) {
        with_super.union(Modifiers::ALT)
    } else {
        with_super
    };
    let modifiers = with_super.difference(Modifiers::SUPER);
    match input.key {
        Key::Char(c) => character(c, modifiers, modes),
        Key::Keypad(c) => keypad(c, modifiers, modes),
        Key::Enter | Key::Tab | Key::Backspace | Key::Escape => control_key(input.key, modifiers, modes),
        key => form(key).map_or_else(Vec::new, |form| sequence(&form, with_super, modes)),
    }
}

fn sequence(form: &KeySequence, modifiers: Modifiers, modes: Modes) -> Vec<u8> {
    let parameter = modifiers.parameter();
    match (form, modifiers.is_empty()) {
        (KeySequence::Letter(letter @ 'P'..='S'), true) => format!("\x1bO{letter}"),
        (KeySequence::Letter(letter), true) if modes.has(TermMode::ApplicationCursor) => {
            format!("\x1bO{letter}")
        }
        (KeySequence::Letter(letter), true) => format!("\x1b[{letter}"),
        (KeySequence::Letter(letter), false) => format!("\x1b[1;{parameter}{letter}"),
        (KeySequence::Tilde(number), true) => format!("\x1b[{number}~"),
        (KeySequence::Tilde(number), false) => format!("\x1b[{number};{parameter}~"),
    }
    .into_bytes()
}

fn character(c: char, modifiers: Modifiers, modes: Modes) -> Vec<u8> {
    let control = modifiers.contains(Modifiers::CONTROL);
    let beyond_shift = !modifiers.difference(Modifiers::SHIFT).is_empty();
    let wanted = match modes.modify_other_keys {
        0 => false,
        1 => control && control_byte(c).is_none(),
        _ => beyond_shift,
    };
    if wanted {
        return other_key(u32::from(c), modifiers);
    }
    let mut bytes = Vec::new();
    if modifiers.contains(Modifiers::ALT) {
        bytes.push(0x1b);
    }
    match control_byte(c).filter(|_| control) {
        Some(byte) => bytes.push(byte),
        None => push_char(c, &mut bytes),
    }
    bytes
}

/// Enter, Tab, Backspace and Escape: keys that are control characters themselves.
fn control_key(key: Key, modifiers: Modifiers, modes: Modes) -> Vec<u8> {
    let (byte, code) = match key {
        Key::Enter => (b'\r', 13),
        Key::Tab => (b'\t', 9),
        Key::Backspace => (0x7f, 127),
        _ => (0x1b, 27),
    };
    if key == Key::Tab && modifiers == Modifiers::SHIFT {
        return b"\x1b[Z".to_vec();
    }
    if modes.modify_other_keys > 0 && !modifiers.is_empty() {
        return other_key(code, modifiers);
    }
    let byte = if key == Key::Backspace && modifiers.contains(Modifiers::CONTROL) {
        0x08
    } else {
        byte
    };
    // Agents take `ESC CR` as a new line in their input, and nothing else tells the two Enters apart.
    let newline = key == Key::Enter && modifiers.contains(Modifiers::SHIFT);
    if modifiers.contains(Modifiers::ALT) || newline {
        vec![0x1b, byte]
    } else {
        vec![byte]
    }
}

fn keypad(c: char, modifiers: Modifiers, modes: Modes) -> Vec<u8> {
    let application = match c {
        '0'..='9' => char::from_u32(u32::from('p') + u32::from(c) - u32::from('0')),
        '.' => Some('n'),
        '/' => Some('o'),
        '*' => Some('j'),
        '-' => Some('m'),
        '+' => Some('k'),
        ',' => Some('l'),
        '=' => Some('X'),
        '\r' => Some('M'),
        _ => None,
    };
    match application.filter(|_| modes.has(TermMode::ApplicationKeypad) && modifiers.is_empty()) {
        Some(letter) => format!("\x1bO{letter}").into_bytes(),
        None if c == '\r' => control_key(Key::Enter, modifiers, modes),
        None => character(c, modifiers, modes),
    }
}

fn other_key(code: u32, modifiers: Modifiers) -> Vec<u8> {
    format!("\x1b[27;{};{code}~", modifiers.parameter()).into_bytes()
}

fn push_char(c: char, bytes: &mut Vec<u8>) {
    let mut buffer = [0; 4];
    bytes.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
}

/// Returns the C0 character that a key makes with control, as xterm has it.
fn control_byte(c: char) -> Option<u8> {
    let lower = u8::try_from(c.to_ascii_lowercase()).ok()?;
    Some(match lower {
        b'a'..=b'z' => lower - b'a' + 1,
        b' ' | b'@' | b'2' => 0x00,
        b'[' | b'3' => 0x1b,
        b'\\' | b'4' => 0x1c,
        b']' | b'5' => 0x1d,
        b'^' | b'6' => 0x1e,
        b'_' | b'-' | b'/' | b'7' => 0x1f,
        b'?' | b'8' => 0x7f,
        _ => return None,
    })
}
