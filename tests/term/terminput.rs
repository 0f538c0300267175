//! The encoder of `terminput` beside ours, with every key, all modifiers and in every mode. It differs only in what it lacks, and each gap
//! is shown here; docs/adr/0020-keys-are-encoded-by-our-own-code.md draws the conclusions.

use dbs::term::keys::{Key, KeyInput, KeyKind, Modifiers, encode_key};
use dbs::term::{EmulatorKind, KittyFlags, Modes, TermMode};
use terminput::{Encoding, Event, KeyCode, KeyEvent, KeyEventKind, KeyEventState, KeyModifiers};

use crate::screen::fed;

const NONE: Modifiers = Modifiers::empty();
const SHIFT: Modifiers = Modifiers::SHIFT;
const CONTROL: Modifiers = Modifiers::CONTROL;
const SUPER: Modifiers = Modifiers::SUPER;

/// Output of a program that asks for each encoding.
const SETUPS: [&str; 11] = [
    "",
    "\x1b[?1h",
    "\x1b=",
    "\x1b[>4;1m",
    "\x1b[>4;2m",
    "\x1b[>1u",
    "\x1b[>3u",
    "\x1b[>5u",
    "\x1b[>9u",
    "\x1b[>15u",
    "\x1b[>31u",
];

/// A difference: the condition for it, and an example with the bytes that xterm or kitty sends.
struct Lack {
    name: &'static str,
    holds: fn(&KeyInput, Modes) -> bool,
    setup: &'static str,
    example: KeyInput,
    bytes: &'static str,
}

const fn press(key: Key, modifiers: Modifiers) -> KeyInput {
    event(key, modifiers, KeyKind::Press)
}

const fn event(key: Key, modifiers: Modifiers, kind: KeyKind) -> KeyInput {
    KeyInput { key, modifiers, kind }
}

#[rustfmt::skip]
const LACKS: &[Lack] = &[
    Lack {
        name: "cursor keys of application mode",
        holds: |input, modes| modes.has(TermMode::ApplicationCursor) && is_cursor(input.key) && input.modifiers.difference(Modifiers::HYPER).is_empty(),
        setup: "\x1b[?1h", example: press(Key::Up, NONE), bytes: "\x1bOA",
    },
    Lack {
        name: "number pad of application mode",
        holds: |input, modes| modes.has(TermMode::ApplicationKeypad) && matches!(input.key, Key::Keypad(_)),
        setup: "\x1b=", example: press(Key::Keypad('5'), NONE), bytes: "\x1bOu",
    },
    Lack {
        name: "modifyOtherKeys",
        holds: |input, modes| modes.modify_other_keys > 0 && is_text(input.key) && !input.modifiers.is_empty(),
        setup: "\x1b[>4;2m", example: press(Key::Char('c'), CONTROL), bytes: "\x1b[27;5;99~",
    },
    Lack {
        name: "Control with most of what is no letter",
        holds: |input, modes| is_legacy(modes) && input.modifiers.contains(CONTROL)
            && matches!(input.key, Key::Char(c) | Key::Keypad(c) if !matches!(c, 'a'..='z' | ' ' | '4'..='7')),
        setup: "", example: press(Key::Char(']'), CONTROL), bytes: "\x1d",
    },
    Lack {
        name: "Control with Shift and a letter",
        holds: |input, modes| is_legacy(modes) && input.modifiers.contains(CONTROL.union(SHIFT)) && matches!(input.key, Key::Char('A'..='Z')),
        setup: "", example: press(Key::Char('C'), CONTROL.union(SHIFT)), bytes: "\x03",
    },
    Lack {
        name: "F13 to F20 and Menu; after its bytes a program waits for more",
        holds: |input, modes| is_legacy(modes) && matches!(input.key, Key::Function(13..) | Key::Menu),
        setup: "", example: press(Key::Function(13), NONE), bytes: "\x1b[25~",
    },
    Lack {
        name: "Enter with Shift told from Enter, and Tab with Shift and others",
        holds: |input, modes| is_legacy(modes) && input.modifiers.contains(SHIFT) && matches!(input.key, Key::Enter | Key::Keypad('\r') | Key::Tab),
        setup: "", example: press(Key::Enter, SHIFT), bytes: "\x1b\r",
    },
    Lack {
        name: "numbers of modifiers with two digits",
        holds: |input, modes| is_function(input.key) && legacy_or_all(input.modifiers, modes) >= 9 && input.kind != KeyKind::Release,
        setup: "\x1b[>1u", example: press(Key::Left, CONTROL.union(SUPER)), bytes: "\x1b[1;13D",
    },
    Lack {
        name: "PageUp and PageDown of kitty",
        holds: |input, modes| !is_legacy(modes) && matches!(input.key, Key::PageUp | Key::PageDown),
        setup: "\x1b[>1u", example: press(Key::PageUp, NONE), bytes: "\x1b[5~",
    },
    Lack {
        name: "F3 of kitty, which is no report of the cursor",
        holds: |input, modes| !is_legacy(modes) && input.key == Key::Function(3),
        setup: "\x1b[>1u", example: press(Key::Function(3), SHIFT), bytes: "\x1b[13;2~",
    },
    Lack {
        name: "numbers of characters beyond ASCII",
        holds: |input, modes| !is_legacy(modes) && matches!(input.key, Key::Char(c) if !c.is_ascii()),
        setup: "\x1b[>1u", example: press(Key::Char('é'), CONTROL), bytes: "\x1b[233;5u",
    },
    Lack {
        name: "Enter, Tab and Backspace as they were, for a shell after a crash",
        holds: |input, modes| !is_legacy(modes) && !modes.kitty.contains(KittyFlags::ALL_KEYS) && matches!(input.key, Key::Enter | Key::Tab | Key::Backspace),
        setup: "\x1b[>1u", example: press(Key::Enter, NONE), bytes: "\r",
    },
    Lack {
        name: "a repeated character as text",
        holds: |input, modes| modes.kitty.contains(KittyFlags::EVENT_TYPES) && !modes.kitty.contains(KittyFlags::ALL_KEYS) && input.kind == KeyKind::Repeat && matches!(input.key, Key::Char(_) | Key::Keypad('!'..)),
        setup: "\x1b[>3u", example: event(Key::Char('a'), NONE, KeyKind::Repeat), bytes: "a",
    },
    Lack {
        name: "text of a key",
        holds: |input, modes| modes.kitty.contains(KittyFlags::ASSOCIATED_TEXT) && matches!(input.key, Key::Char(_) | Key::Keypad('!'..)),
        setup: "\x1b[>31u", example: press(Key::Char('a'), NONE), bytes: "\x1b[97;;97u",
    },
];

fn is_legacy(modes: Modes) -> bool {
    modes.kitty.is_empty()
}

fn is_cursor(key: Key) -> bool {
    matches!(
        key,
        Key::Up | Key::Down | Key::Left | Key::Right | Key::Home | Key::End
    )
}

fn is_text(key: Key) -> bool {
    matches!(
        key,
        Key::Char(_) | Key::Keypad(_) | Key::Enter | Key::Tab | Key::Backspace | Key::Escape
    )
}

fn is_function(key: Key) -> bool {
    is_cursor(key)
        || matches!(
            key,
            Key::Insert | Key::Delete | Key::PageUp | Key::PageDown | Key::Function(_)
        )
}

/// The modifiers that count; the older encodings have no Hyper and Meta.
fn legacy_or_all(modifiers: Modifiers, modes: Modes) -> u8 {
    if is_legacy(modes) {
        legacy(modifiers).bits()
    } else {
        modifiers.bits()
    }
}

fn legacy(modifiers: Modifiers) -> Modifiers {
    let known = modifiers.difference(Modifiers::HYPER.union(Modifiers::META));
    if modifiers.contains(Modifiers::META) {
        known.union(Modifiers::ALT)
    } else {
        known
    }
}

fn every_key() -> Vec<Key> {
    let mut keys: Vec<Key> = (' '..='~').chain(['é', '日']).map(Key::Char).collect();
    keys.extend(NAMED.map(|(key, _)| key));
    keys.extend((1..=35).map(Key::Function));
    keys.extend("0123456789./*-+=,\r".chars().map(Key::Keypad));
    keys
}

const NAMED: [(Key, KeyCode); 20] = [
    (Key::Enter, KeyCode::Enter),
    (Key::Tab, KeyCode::Tab),
    (Key::Backspace, KeyCode::Backspace),
    (Key::Escape, KeyCode::Esc),
    (Key::Left, KeyCode::Left),
    (Key::Right, KeyCode::Right),
    (Key::Up, KeyCode::Up),
    (Key::Down, KeyCode::Down),
    (Key::Home, KeyCode::Home),
    (Key::End, KeyCode::End),
    (Key::PageUp, KeyCode::PageUp),
    (Key::PageDown, KeyCode::PageDown),
    (Key::Insert, KeyCode::Insert),
    (Key::Delete, KeyCode::Delete),
    (Key::Menu, KeyCode::Menu),
    (Key::CapsLock, KeyCode::CapsLock),
    (Key::ScrollLock, KeyCode::ScrollLock),
    (Key::NumLock, KeyCode::NumLock),
    (Key::PrintScreen, KeyCode::PrintScreen),
    (Key::Pause, KeyCode::Pause),
];

/// Returns true if a keyboard gives this key with these modifiers: a letter is upper case with Shift.
fn can_be_typed(key: Key, modifiers: Modifiers) -> bool {
    match key {
        Key::Char(c) if c.is_ascii_alphabetic() => c.is_ascii_uppercase() == modifiers.contains(SHIFT),
        _ => true,
    }
}

fn modes(setup: &str) -> Modes {
    *fed(EmulatorKind::Rio, 80, 24, setup.as_bytes()).modes()
}

fn ours(input: &KeyInput, modes: Modes) -> String {
    String::from_utf8(encode_key(input, &modes)).unwrap()
}

/// The bytes of `terminput`, after all that can be done for it before the call; empty if it refuses.
fn theirs(input: &KeyInput, modes: Modes) -> String {
    let reports_events = modes.kitty.contains(KittyFlags::EVENT_TYPES);
    let kind = match input.kind {
        KeyKind::Release if !reports_events => return String::new(),
        KeyKind::Release => KeyEventKind::Release,
        KeyKind::Repeat if reports_events => KeyEventKind::Repeat,
        _ => KeyEventKind::Press,
    };
    let (code, state) = match input.key {
        Key::Char(c) => (KeyCode::Char(c), KeyEventState::empty()),
        Key::Function(number) => (KeyCode::F(number), KeyEventState::empty()),
        Key::Keypad('\r') => (KeyCode::Enter, KeyEventState::KEYPAD),
        Key::Keypad(c) => (KeyCode::Char(c), KeyEventState::KEYPAD),
        key => {
            let (_, code) = NAMED.iter().find(|(named, _)| *named == key).unwrap();
            (*code, KeyEventState::empty())
        }
    };
    let event = Event::Key(KeyEvent {
        code,
        modifiers: KeyModifiers::from_bits_truncate(legacy_or_all(input.modifiers, modes)),
        kind,
        state,
    });
    // Its flags are those of the protocol, shifted by one; it has no flag for the text of a key.
    let flags = terminput::KittyFlags::from_bits_truncate(modes.kitty.bits() << 1);
    let encoding = if is_legacy(modes) {
        Encoding::Xterm
    } else {
        Encoding::Kitty(flags)
    };
    let mut buffer = [0; 64];
    let written = event.encode(&mut buffer, encoding).unwrap_or_default();
    String::from_utf8_lossy(&buffer[..written]).into_owned()
}

#[test]
fn each_lack_of_terminput_is_one() {
    for lack in LACKS {
        let modes = modes(lack.setup);
        assert_eq!(ours(&lack.example, modes), lack.bytes, "{}", lack.name);
        assert!((lack.holds)(&lack.example, modes), "{}", lack.name);
        let theirs = theirs(&lack.example, modes);
        assert_ne!(theirs, lack.bytes, "terminput no longer lacks: {}", lack.name);
    }
}

#[test]
#[should_panic(expected = "overflow")]
fn terminput_panics_at_control_with_a_character_whose_low_byte_is_full() {
    theirs(&press(Key::Char('ÿ'), CONTROL), modes(""));
}

#[test]
fn terminput_differs_from_ours_by_its_lacks_alone() {
    let mut unexplained = Vec::new();
    for setup in SETUPS {
        let modes = modes(setup);
        for key in every_key() {
            for modifiers in (0..64).map(Modifiers::from_bits_truncate) {
                for kind in [KeyKind::Press, KeyKind::Repeat, KeyKind::Release] {
                    let input = KeyInput { key, modifiers, kind };
                    if !can_be_typed(key, modifiers) {
                        continue;
                    }
                    let (ours, theirs) = (ours(&input, modes), theirs(&input, modes));
                    if ours != theirs && !LACKS.iter().any(|lack| (lack.holds)(&input, modes)) {
                        unexplained.push(format!("{setup:?} {input:?}: {ours:?}, terminput {theirs:?}"));
                    }
                }
            }
        }
    }
    unexplained.truncate(40);
    assert!(unexplained.is_empty(), "{unexplained:#?}");
}
