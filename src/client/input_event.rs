//! Conversion of the events of the terminal's reader to those of the protocol.

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyEventState, KeyModifiers, MediaKeyCode, MouseButton,
    MouseEvent, MouseEventKind,
};

use crate::protocol::wire::InputEvent;
use crate::term::keys::{Button, Key, KeyInput, KeyKind, Modifiers, MouseInput, MouseKind};

/// Returns the event for the server; `None` for keys without a meaning.
pub(super) fn input_event(event: Event) -> Option<InputEvent> {
    Some(match event {
        Event::Key(key) => InputEvent::Key(key_input(&key)?),
        Event::Mouse(mouse) => InputEvent::Mouse(mouse_input(mouse)),
        Event::Paste(text) => InputEvent::Paste(text),
        Event::Resize(columns, rows) => InputEvent::Resize(columns, rows),
        Event::FocusGained => InputEvent::Focus(true),
        Event::FocusLost => InputEvent::Focus(false),
    })
}

/// Returns a key by its meaning; `None` for keys that no program in a terminal can receive.
fn key_input(key: &KeyEvent) -> Option<KeyInput> {
    let keypad = key.state.contains(KeyEventState::KEYPAD);
    let mut modifiers = held(key.modifiers);
    let known = match key.code {
        KeyCode::Char(c) if keypad => Key::Keypad(c),
        KeyCode::Enter if keypad => Key::Keypad('\r'),
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::BackTab => {
            modifiers = modifiers.union(Modifiers::SHIFT);
            Key::Tab
        }
        code => named(code)?,
    };
    Some(KeyInput {
        key: known,
        modifiers,
        kind: match key.kind {
            KeyEventKind::Press => KeyKind::Press,
            KeyEventKind::Repeat => KeyKind::Repeat,
            KeyEventKind::Release => KeyKind::Release,
        },
    })
}

fn named(code: KeyCode) -> Option<Key> {
    Some(match code {
        KeyCode::Enter => Key::Enter,
        KeyCode::Tab => Key::Tab,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Esc => Key::Escape,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Insert => Key::Insert,
        KeyCode::Delete => Key::Delete,
        KeyCode::F(number) => Key::Function(number),
        KeyCode::Menu => Key::Menu,
        KeyCode::CapsLock => Key::CapsLock,
        KeyCode::ScrollLock => Key::ScrollLock,
        KeyCode::NumLock => Key::NumLock,
        KeyCode::PrintScreen => Key::PrintScreen,
        KeyCode::Pause | KeyCode::Media(MediaKeyCode::Pause) => Key::Pause,
        KeyCode::BackTab
        | KeyCode::Char(_)
        | KeyCode::Null
        | KeyCode::KeypadBegin
        | KeyCode::Media(_)
        | KeyCode::Modifier(_) => return None,
    })
}

fn held(modifiers: KeyModifiers) -> Modifiers {
    let mut held = Modifiers::empty();
    for (theirs, ours) in [
        (KeyModifiers::SHIFT, Modifiers::SHIFT),
        (KeyModifiers::ALT, Modifiers::ALT),
        (KeyModifiers::CONTROL, Modifiers::CONTROL),
        (KeyModifiers::SUPER, Modifiers::SUPER),
        (KeyModifiers::HYPER, Modifiers::HYPER),
        (KeyModifiers::META, Modifiers::META),
    ] {
        if modifiers.contains(theirs) {
            held = held.union(ours);
        }
    }
    held
}

fn mouse_input(event: MouseEvent) -> MouseInput {
    MouseInput {
        kind: match event.kind {
            MouseEventKind::Down(which) => MouseKind::Press(button(which)),
            MouseEventKind::Up(which) => MouseKind::Release(button(which)),
            MouseEventKind::Drag(which) => MouseKind::Motion(Some(button(which))),
            MouseEventKind::Moved => MouseKind::Motion(None),
            MouseEventKind::ScrollUp => MouseKind::WheelUp,
            MouseEventKind::ScrollDown => MouseKind::WheelDown,
            MouseEventKind::ScrollLeft => MouseKind::WheelLeft,
            MouseEventKind::ScrollRight => MouseKind::WheelRight,
        },
        col: event.column,
        row: event.row,
        modifiers: held(event.modifiers),
    }
}

fn button(which: MouseButton) -> Button {
    match which {
        MouseButton::Left => Button::Left,
        MouseButton::Middle => Button::Middle,
        MouseButton::Right => Button::Right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_modifiers_and_back_tab_is_tab_with_shift() {
        let back = key_input(&KeyEvent::new(KeyCode::BackTab, KeyModifiers::NONE));
        assert_eq!(back, Some(KeyInput::new(Key::Tab, Modifiers::SHIFT)));
        let both = KeyEvent::new(KeyCode::Char('x'), KeyModifiers::CONTROL | KeyModifiers::ALT);
        let expected = KeyInput::new(Key::Char('x'), Modifiers::CONTROL.union(Modifiers::ALT));
        assert_eq!(key_input(&both), Some(expected));
        assert_eq!(key_input(&KeyEvent::new(KeyCode::Null, KeyModifiers::NONE)), None);
        let rare = KeyModifiers::SUPER | KeyModifiers::HYPER | KeyModifiers::META;
        assert_eq!(held(rare).bits(), 8 | 16 | 32);
    }
}
