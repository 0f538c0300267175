//! Keys, paste, mouse and focus in every encoding.

use dbs::term::keys::{
    Button, Key, KeyInput, KeyKind, Modifiers, MouseInput, MouseKind, encode_focus, encode_key,
    encode_key_alt_is_escape, encode_mouse, encode_paste, encode_wheel,
};
use dbs::term::{EmulatorKind, Modes};
use proptest::prelude::*;

use crate::screen::fed;

const NONE: Modifiers = Modifiers::empty();
const SHIFT: Modifiers = Modifiers::SHIFT;
const ALT: Modifiers = Modifiers::ALT;
const CTRL: Modifiers = Modifiers::CONTROL;
const CTRL_SHIFT: Modifiers = CTRL.union(SHIFT);

/// The modes that a program sets with these bytes.
fn modes(setup: &str) -> Modes {
    *fed(EmulatorKind::Rio, 80, 24, setup.as_bytes()).modes()
}

fn key(setup: &str, key: Key, modifiers: Modifiers) -> String {
    String::from_utf8(encode_key(&KeyInput::new(key, modifiers), &modes(setup))).unwrap()
}

/// Vim asks for `modifyOtherKeys`: Escape and `:` that come together must not become one key with Alt.
#[test]
fn where_alt_is_sent_as_escape_a_program_gets_the_bytes_that_came() {
    for setup in ["", "\x1b[>4;2m", "\x1b[>1u", "\x1b[>15u"] {
        let sent = |key, modifiers| {
            let bytes = encode_key_alt_is_escape(&KeyInput::new(key, modifiers), &modes(setup));
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(sent(Key::Char(':'), ALT), "\x1b:", "{setup:?}");
        assert_eq!(sent(Key::Char('A'), ALT.union(SHIFT)), "\x1bA", "{setup:?}");
        assert_eq!(sent(Key::Char('c'), ALT.union(CTRL)), "\x1b\x03", "{setup:?}");
        assert_eq!(sent(Key::Enter, ALT), "\x1b\r", "{setup:?}");
        assert_eq!(sent(Key::Up, ALT), key(setup, Key::Up, ALT), "{setup:?}");
        assert_eq!(
            sent(Key::Escape, NONE),
            key(setup, Key::Escape, NONE),
            "{setup:?}"
        );
        assert_eq!(
            sent(Key::Char('c'), CTRL),
            key(setup, Key::Char('c'), CTRL),
            "{setup:?}"
        );
    }
}

/// Key, modifiers, and the bytes in the legacy encoding, with `modifyOtherKeys` 2, and with kitty flag 1.
#[rustfmt::skip]
const KEYS: &[(Key, Modifiers, &str, &str, &str)] = &[
    (Key::Char('a'), NONE, "a", "a", "a"),
    (Key::Char('A'), SHIFT, "A", "A", "A"),
    (Key::Char('é'), NONE, "é", "é", "é"),
    (Key::Char('日'), NONE, "日", "日", "日"),
    (Key::Char('c'), CTRL, "\x03", "\x1b[27;5;99~", "\x1b[99;5u"),
    (Key::Char('C'), CTRL_SHIFT, "\x03", "\x1b[27;6;67~", "\x1b[99;6u"),
    (Key::Char(' '), CTRL, "\0", "\x1b[27;5;32~", "\x1b[32;5u"),
    (Key::Char('['), CTRL, "\x1b", "\x1b[27;5;91~", "\x1b[91;5u"),
    (Key::Char('/'), CTRL, "\x1f", "\x1b[27;5;47~", "\x1b[47;5u"),
    (Key::Char('?'), CTRL, "\x7f", "\x1b[27;5;63~", "\x1b[63;5u"),
    (Key::Char(';'), CTRL, ";", "\x1b[27;5;59~", "\x1b[59;5u"),
    (Key::Char('x'), ALT, "\x1bx", "\x1b[27;3;120~", "\x1b[120;3u"),
    (Key::Char('x'), ALT.union(CTRL), "\x1b\x18", "\x1b[27;7;120~", "\x1b[120;7u"),
    (Key::Enter, NONE, "\r", "\r", "\r"),
    (Key::Enter, SHIFT, "\x1b\r", "\x1b[27;2;13~", "\x1b[13;2u"),
    (Key::Enter, ALT, "\x1b\r", "\x1b[27;3;13~", "\x1b[13;3u"),
    (Key::Enter, CTRL, "\r", "\x1b[27;5;13~", "\x1b[13;5u"),
    (Key::Tab, NONE, "\t", "\t", "\t"),
    (Key::Tab, SHIFT, "\x1b[Z", "\x1b[Z", "\x1b[9;2u"),
    (Key::Tab, CTRL, "\t", "\x1b[27;5;9~", "\x1b[9;5u"),
    (Key::Backspace, NONE, "\x7f", "\x7f", "\x7f"),
    (Key::Backspace, CTRL, "\x08", "\x1b[27;5;127~", "\x1b[127;5u"),
    (Key::Backspace, ALT, "\x1b\x7f", "\x1b[27;3;127~", "\x1b[127;3u"),
    (Key::Escape, NONE, "\x1b", "\x1b", "\x1b[27u"),
    (Key::Escape, ALT, "\x1b\x1b", "\x1b[27;3;27~", "\x1b[27;3u"),
    (Key::Up, NONE, "\x1b[A", "\x1b[A", "\x1b[A"),
    (Key::Down, CTRL, "\x1b[1;5B", "\x1b[1;5B", "\x1b[1;5B"),
    (Key::Right, SHIFT, "\x1b[1;2C", "\x1b[1;2C", "\x1b[1;2C"),
    (Key::Left, ALT, "\x1b[1;3D", "\x1b[1;3D", "\x1b[1;3D"),
    (Key::Home, NONE, "\x1b[H", "\x1b[H", "\x1b[H"),
    (Key::End, CTRL_SHIFT, "\x1b[1;6F", "\x1b[1;6F", "\x1b[1;6F"),
    (Key::Insert, NONE, "\x1b[2~", "\x1b[2~", "\x1b[2~"),
    (Key::Delete, CTRL, "\x1b[3;5~", "\x1b[3;5~", "\x1b[3;5~"),
    (Key::PageUp, NONE, "\x1b[5~", "\x1b[5~", "\x1b[5~"),
    (Key::PageDown, SHIFT, "\x1b[6;2~", "\x1b[6;2~", "\x1b[6;2~"),
    (Key::Function(1), NONE, "\x1bOP", "\x1bOP", "\x1b[P"),
    (Key::Function(1), SHIFT, "\x1b[1;2P", "\x1b[1;2P", "\x1b[1;2P"),
    (Key::Function(3), NONE, "\x1bOR", "\x1bOR", "\x1b[13~"),
    (Key::Function(3), SHIFT, "\x1b[1;2R", "\x1b[1;2R", "\x1b[13;2~"),
    (Key::Function(3), Modifiers::SUPER, "\x1b[1;9R", "\x1b[1;9R", "\x1b[13;9~"),
    (Key::Function(3), Modifiers::META, "\x1b[1;3R", "\x1b[1;3R", "\x1b[13;33~"),
    (Key::Function(4), CTRL, "\x1b[1;5S", "\x1b[1;5S", "\x1b[1;5S"),
    (Key::Function(5), NONE, "\x1b[15~", "\x1b[15~", "\x1b[15~"),
    (Key::Function(11), NONE, "\x1b[23~", "\x1b[23~", "\x1b[23~"),
    (Key::Function(12), ALT, "\x1b[24;3~", "\x1b[24;3~", "\x1b[24;3~"),
    (Key::Function(13), NONE, "\x1b[25~", "\x1b[25~", "\x1b[57376u"),
    (Key::Function(20), NONE, "\x1b[34~", "\x1b[34~", "\x1b[57383u"),
    (Key::Keypad('5'), NONE, "5", "5", "5"),
    (Key::Keypad('\r'), NONE, "\r", "\r", "\x1b[57414u"),
    (Key::CapsLock, NONE, "", "", "\x1b[57358u"),
];

#[test]
fn every_key_has_its_bytes_in_every_encoding() {
    for (which, modifiers, legacy, other, kitty) in KEYS {
        for (setup, want) in [("", legacy), ("\x1b[>4;2m", other), ("\x1b[>1u", kitty)] {
            assert_eq!(
                key(setup, *which, *modifiers),
                **want,
                "{setup:?} {which:?} {modifiers:?}"
            );
        }
    }
}

#[test]
fn level_1_of_other_keys_leaves_the_well_known_ones() {
    let setup = "\x1b[>4;1m";
    assert_eq!(key(setup, Key::Char('c'), CTRL), "\x03");
    assert_eq!(key(setup, Key::Char('x'), ALT), "\x1bx");
    assert_eq!(key(setup, Key::Char(';'), CTRL), "\x1b[27;5;59~");
    assert_eq!(key(setup, Key::Enter, SHIFT), "\x1b[27;2;13~");
}

#[test]
fn application_modes_change_cursor_keys_and_keypad() {
    assert_eq!(key("\x1b[?1h", Key::Up, NONE), "\x1bOA");
    assert_eq!(key("\x1b[?1h", Key::Home, NONE), "\x1bOH");
    assert_eq!(key("\x1b[?1h", Key::Up, SHIFT), "\x1b[1;2A");
    assert_eq!(key("\x1b[?1h\x1b[>1u", Key::Up, NONE), "\x1b[A");
    assert_eq!(key("\x1b=", Key::Keypad('5'), NONE), "\x1bOu");
    assert_eq!(key("\x1b=", Key::Keypad('\r'), NONE), "\x1bOM");
    assert_eq!(key("\x1b=\x1b>", Key::Keypad('5'), NONE), "5");
}

/// The bytes set by the program, the event, and the encoded bytes.
#[rustfmt::skip]
const EVENTS: &[(&str, Key, Modifiers, KeyKind, &str)] = &[
    ("", Key::Up, NONE, KeyKind::Release, ""),
    ("", Key::Up, NONE, KeyKind::Repeat, "\x1b[A"),
    ("\x1b[>4;2m", Key::Up, NONE, KeyKind::Release, ""),
    ("\x1b[>1u", Key::Up, NONE, KeyKind::Release, ""),
    ("\x1b[>1u", Key::Up, NONE, KeyKind::Repeat, "\x1b[A"),
    ("\x1b[>3u", Key::Up, NONE, KeyKind::Press, "\x1b[A"),
    ("\x1b[>3u", Key::Up, NONE, KeyKind::Repeat, "\x1b[1;1:2A"),
    ("\x1b[>3u", Key::Up, CTRL, KeyKind::Release, "\x1b[1;5:3A"),
    ("\x1b[>3u", Key::Delete, NONE, KeyKind::Release, "\x1b[3;1:3~"),
    ("\x1b[>3u", Key::Char('a'), NONE, KeyKind::Press, "a"),
    ("\x1b[>3u", Key::Char('a'), NONE, KeyKind::Release, "\x1b[97;1:3u"),
    ("\x1b[>3u", Key::Enter, NONE, KeyKind::Release, ""),
    ("\x1b[>11u", Key::Char('a'), NONE, KeyKind::Press, "\x1b[97u"),
    ("\x1b[>11u", Key::Enter, NONE, KeyKind::Release, "\x1b[13;1:3u"),
    ("\x1b[>11u", Key::Char('A'), SHIFT, KeyKind::Press, "\x1b[97;2u"),
    ("\x1b[>31u", Key::Char('a'), NONE, KeyKind::Press, "\x1b[97;;97u"),
    ("\x1b[>31u", Key::Char('A'), SHIFT, KeyKind::Press, "\x1b[97:65;2;65u"),
    ("\x1b[>31u", Key::Char('a'), CTRL, KeyKind::Press, "\x1b[97;5u"),
    ("\x1b[>31u", Key::Char('a'), NONE, KeyKind::Release, "\x1b[97;1:3u"),
];

#[test]
fn kitty_events_are_sent_only_when_asked_for() {
    for &(setup, key, modifiers, kind, want) in EVENTS {
        let got = String::from_utf8(encode_key(&KeyInput { key, modifiers, kind }, &modes(setup))).unwrap();
        assert_eq!(got, want, "{setup:?} {key:?} {modifiers:?} {kind:?}");
    }
}

fn paste(setup: &str, text: &str) -> String {
    String::from_utf8(encode_paste(text, &modes(setup))).unwrap()
}

#[test]
fn a_paste_is_bracketed_only_if_asked_for() {
    assert_eq!(paste("", "a\nb\r\nc\td"), "a\rb\rc\td");
    assert_eq!(
        paste("\x1b[?2004h", "a\nb\r\nc\td"),
        "\x1b[200~a\nb\r\nc\td\x1b[201~"
    );
}

#[test]
fn a_paste_cannot_end_itself() {
    for evil in [
        "x\x1b[201~rm -rf",
        "x\x1b[20\x1b[201~1~rm -rf",
        "x\u{9b}201~rm -rf",
        "\x1b\x1b[201~[201~",
    ] {
        let got = paste("\x1b[?2004h", evil);
        assert_eq!(got.matches("\x1b[201~").count(), 1, "{got:?}");
        assert!(got.ends_with("\x1b[201~") && !got.contains('\u{9b}'), "{got:?}");
    }
    assert_eq!(paste("", "a\x03\x1b[A\x7fb\0"), "a[Ab");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_pasted_text_holds_controls(text in any::<String>()) {
        let body = paste("\x1b[?2004h", &text);
        let inner = body.strip_prefix("\x1b[200~").unwrap().strip_suffix("\x1b[201~").unwrap();
        prop_assert!(inner.chars().all(|c| matches!(c, '\t' | '\r' | '\n') || !c.is_control()));
    }
}

fn mouse(setup: &str, kind: MouseKind, col: u16, row: u16, modifiers: Modifiers) -> Option<Vec<u8>> {
    encode_mouse(
        &MouseInput {
            kind,
            col,
            row,
            modifiers,
        },
        &modes(setup),
    )
}

#[test]
fn the_mouse_is_reported_only_as_far_as_asked_for() {
    let press = MouseKind::Press(Button::Left);
    let release = MouseKind::Release(Button::Left);
    let drag = MouseKind::Motion(Some(Button::Left));
    let motion = MouseKind::Motion(None);
    for (setup, wanted) in [
        ("", [false, false, false, false, false]),
        ("\x1b[?9h", [true, false, false, false, false]),
        ("\x1b[?1000h", [true, true, true, false, false]),
        ("\x1b[?1002h", [true, true, true, true, false]),
        ("\x1b[?1003h", [true, true, true, true, true]),
        ("\x1b[?1003h\x1b[?1003l", [false, false, false, false, false]),
    ] {
        let got = [press, release, MouseKind::WheelUp, drag, motion]
            .map(|kind| mouse(setup, kind, 0, 0, NONE).is_some());
        assert_eq!(got, wanted, "{setup:?}");
    }
}

#[test]
fn the_mouse_is_reported_in_the_encoding_asked_for() {
    let press = MouseKind::Press(Button::Right);
    let release = MouseKind::Release(Button::Right);
    let report = |setup: &str, kind, col, row, modifiers| mouse(setup, kind, col, row, modifiers);
    let sgr = "\x1b[?1003;1006h";
    assert_eq!(report(sgr, press, 4, 9, NONE).unwrap(), b"\x1b[<2;5;10M");
    assert_eq!(report(sgr, release, 4, 9, CTRL_SHIFT).unwrap(), b"\x1b[<22;5;10m");
    assert_eq!(
        report(sgr, MouseKind::Motion(None), 999, 0, NONE).unwrap(),
        b"\x1b[<35;1000;1M"
    );
    assert_eq!(
        report(sgr, MouseKind::WheelDown, 0, 0, ALT).unwrap(),
        b"\x1b[<73;1;1M"
    );
    let urxvt = "\x1b[?1003;1015h";
    assert_eq!(report(urxvt, press, 4, 9, NONE).unwrap(), b"\x1b[34;5;10M");
    assert_eq!(report(urxvt, release, 4, 9, NONE).unwrap(), b"\x1b[35;5;10M");
    let legacy = "\x1b[?1003h";
    assert_eq!(report(legacy, press, 4, 9, NONE).unwrap(), b"\x1b[M\"%*");
    assert_eq!(report(legacy, release, 222, 0, NONE).unwrap(), b"\x1b[M#\xff!");
    assert_eq!(report(legacy, press, 223, 0, NONE), None);
    let utf8 = "\x1b[?1003;1005h";
    assert_eq!(
        report(utf8, press, 223, 0, NONE).unwrap(),
        "\x1b[M\"\u{100}!".as_bytes()
    );
    assert_eq!(
        report(utf8, press, 2014, 0, NONE).unwrap(),
        "\x1b[M\"\u{7ff}!".as_bytes()
    );
    assert_eq!(report(utf8, press, 2015, 0, NONE), None);
    assert_eq!(report("\x1b[?9h", press, 0, 0, CTRL).unwrap(), b"\x1b[M\"!!");
}

#[test]
fn the_wheel_scrolls_programs_on_the_alternate_screen() {
    let up = MouseInput {
        kind: MouseKind::WheelUp,
        col: 0,
        row: 0,
        modifiers: NONE,
    };
    assert_eq!(encode_wheel(&up, &modes("")), None);
    assert_eq!(
        encode_wheel(&up, &modes("\x1b[?1049h")).unwrap(),
        b"\x1b[A\x1b[A\x1b[A"
    );
    assert_eq!(
        encode_wheel(&up, &modes("\x1b[?1049h\x1b[?1h")).unwrap(),
        b"\x1bOA\x1bOA\x1bOA"
    );
    assert_eq!(encode_wheel(&up, &modes("\x1b[?1049h\x1b[?1007l")), None);
    assert_eq!(
        encode_wheel(&up, &modes("\x1b[?1049;1000;1006h")).unwrap(),
        b"\x1b[<64;1;1M"
    );
}

#[test]
fn the_focus_is_reported_only_if_asked_for() {
    assert_eq!(encode_focus(true, &modes("")), None);
    assert_eq!(encode_focus(true, &modes("\x1b[?1004h")), Some(&b"\x1b[I"[..]));
    assert_eq!(encode_focus(false, &modes("\x1b[?1004h")), Some(&b"\x1b[O"[..]));
}
