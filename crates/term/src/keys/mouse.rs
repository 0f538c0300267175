//! Mouse events for the program in a pane. Must send nothing that was not asked for: a report in a shell is typed text.

use serde::{Deserialize, Serialize};

use super::{Key, KeyInput, Modifiers, encode_key};
use crate::modes::{Modes, MouseEncoding, MouseMode, TermMode};

/// Lines the wheel moves in a program that gets cursor keys for it.
const WHEEL_LINES: usize = 3;

/// A mouse event, relative to the pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MouseInput {
    pub kind: MouseKind,
    pub col: u16,
    pub row: u16,
    pub modifiers: Modifiers,
}

/// Action of the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MouseKind {
    Press(Button),
    Release(Button),
    /// The mouse moved, with a button down or none.
    Motion(Option<Button>),
    WheelUp,
    WheelDown,
    WheelLeft,
    WheelRight,
}

/// A mouse button.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Button {
    Left,
    Middle,
    Right,
}

/// Returns the report for a mouse event, or none if the program did not ask for this one (then it is ours) or its encoding cannot express
/// the position.
pub fn encode_mouse(input: &MouseInput, modes: &Modes) -> Option<Vec<u8>> {
    if !wanted(input.kind, modes.mouse) {
        return None;
    }
    let release = matches!(input.kind, MouseKind::Release(_));
    let mut code = code(input.kind);
    if modes.mouse != MouseMode::X10 {
        code += held(input.modifiers);
    }
    // The older encodings do not say which button was released.
    let old_code = if release { (code & !3) | 3 } else { code };
    let (x, y) = (u32::from(input.col) + 1, u32::from(input.row) + 1);
    match modes.mouse_encoding {
        MouseEncoding::Sgr => {
            let end = if release { 'm' } else { 'M' };
            Some(format!("\x1b[<{code};{x};{y}{end}").into_bytes())
        }
        MouseEncoding::Urxvt => Some(format!("\x1b[{};{x};{y}M", old_code + 32).into_bytes()),
        MouseEncoding::Utf8 => utf8(old_code, x, y),
        MouseEncoding::Legacy => {
            let mut bytes = b"\x1b[M".to_vec();
            for number in [old_code, x, y] {
                bytes.push(u8::try_from(number + 32).ok()?);
            }
            Some(bytes)
        }
    }
}

/// Returns the bytes for a turn of the wheel: the report if asked for, cursor keys on the alternate screen (mode 1007), or none, which
/// means that the wheel scrolls our own history.
pub fn encode_wheel(input: &MouseInput, modes: &Modes) -> Option<Vec<u8>> {
    if modes.mouse != MouseMode::Off {
        return encode_mouse(input, modes);
    }
    if !modes.has(TermMode::AlternateScreen) || !modes.has(TermMode::AlternateScroll) {
        return None;
    }
    let key = match input.kind {
        MouseKind::WheelUp => Key::Up,
        MouseKind::WheelDown => Key::Down,
        _ => return None,
    };
    Some(encode_key(&KeyInput::new(key, Modifiers::empty()), modes).repeat(WHEEL_LINES))
}

fn wanted(kind: MouseKind, mode: MouseMode) -> bool {
    match mode {
        MouseMode::Off => false,
        MouseMode::X10 => matches!(kind, MouseKind::Press(_)),
        MouseMode::Press => !matches!(kind, MouseKind::Motion(_)),
        MouseMode::Drag => !matches!(kind, MouseKind::Motion(None)),
        MouseMode::Motion => true,
    }
}

fn code(kind: MouseKind) -> u32 {
    match kind {
        MouseKind::Press(button) | MouseKind::Release(button) => button as u32,
        MouseKind::Motion(Some(button)) => button as u32 + 32,
        MouseKind::Motion(None) => 35,
        MouseKind::WheelUp => 64,
        MouseKind::WheelDown => 65,
        MouseKind::WheelLeft => 66,
        MouseKind::WheelRight => 67,
    }
}

fn held(modifiers: Modifiers) -> u32 {
    [
        (Modifiers::SHIFT, 4),
        (Modifiers::ALT, 8),
        (Modifiers::CONTROL, 16),
    ]
    .into_iter()
    .filter(|&(modifier, _)| modifiers.contains(modifier))
    .map(|(_, bit)| bit)
    .sum()
}

fn utf8(code: u32, x: u32, y: u32) -> Option<Vec<u8>> {
    let mut text = String::from("\x1b[M");
    for number in [code, x, y] {
        // Two bytes of UTF-8 are all the encoding has room for.
        text.push(char::from_u32(number + 32).filter(|&c| c <= '\u{7ff}')?);
    }
    Some(text.into_bytes())
}
