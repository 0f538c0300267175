//! Decoder of a terminal's bytes into keys, pastes and mouse reports. Must never hold a person's keys back because of an unknown sequence.

use crossterm::event::{Event, KeyModifiers};
use terminput::{Event as DecodedEvent, KeyModifiers as DecodedModifiers};

const ESCAPE: u8 = 0x1b;
const PASTE: &[u8] = b"\x1b[200~";

/// Decoder of the bytes a terminal sends into input events, however they are cut.
///
/// Only keys end with `R`: F3 with modifiers (`CSI 1;mR`) looks like the reply to a query for the cursor position, and that query is never
/// sent here. Replies to others, which a program before us may have left behind, are dropped.
#[derive(Debug, Default)]
pub(super) struct KeyDecoder {
    buffer: Vec<u8>,
}

impl KeyDecoder {
    /// Takes in bytes; `more_waits` is set when others can be read at once, so that an Escape at the end may begin a sequence.
    pub(super) fn decode(&mut self, bytes: &[u8], more_waits: bool) -> Vec<Event> {
        let mut events = Vec::new();
        for (index, byte) in bytes.iter().enumerate() {
            self.buffer.push(*byte);
            if self.buffer == [ESCAPE, ESCAPE] {
                // The first one was pressed for itself.
                events.extend(event(&[ESCAPE]));
                self.buffer.pop();
            }
            if self.buffer == [ESCAPE] && (more_waits || index + 1 < bytes.len()) {
                continue;
            }
            let complete = match DecodedEvent::parse_from(&self.buffer) {
                Ok(None) => is_unknown(&self.buffer),
                Ok(Some(_)) | Err(_) => true,
            };
            if complete {
                events.extend(event(&self.buffer));
                self.buffer.clear();
            }
        }
        events
    }
}

fn event(sequence: &[u8]) -> Option<Event> {
    if is_cursor_report(sequence) {
        return None;
    }
    let decoded = DecodedEvent::parse_from(sequence).ok()??;
    // The conversion leaves these out.
    let rare: KeyModifiers = (decoded.as_key().into_iter())
        .flat_map(|key| key.modifiers.iter())
        .filter_map(|modifier| match modifier {
            DecodedModifiers::HYPER => Some(KeyModifiers::HYPER),
            DecodedModifiers::META => Some(KeyModifiers::META),
            _ => None,
        })
        .collect();
    let mut event = terminput_crossterm::to_crossterm(decoded).ok()?;
    if let Event::Key(key) = &mut event {
        key.modifiers |= rare;
    }
    Some(event)
}

/// Returns true if it is a whole control sequence although the parser waits for more: it would swallow the keys behind it.
fn is_unknown(sequence: &[u8]) -> bool {
    let Some([first, .., last]) = sequence.strip_prefix(b"\x1b[") else {
        return false;
    };
    // These continue after their apparent end.
    let goes_on = matches!(first, b'M' | b'[') || sequence.starts_with(PASTE);
    !goes_on && (0x40..=0x7e).contains(last)
}

/// Returns true if it reports the cursor position, and cannot be F3: that has 1 before its modifiers, which have six bits.
fn is_cursor_report(sequence: &[u8]) -> bool {
    let parameters = sequence
        .strip_prefix(b"\x1b[")
        .and_then(|rest| rest.strip_suffix(b"R"))
        .and_then(|parameters| std::str::from_utf8(parameters).ok())
        .and_then(|parameters| parameters.split_once(';'));
    parameters.is_some_and(|(first, second)| {
        let modifiers = second.split(':').next().unwrap_or_default().parse::<u8>();
        first != "1" || !modifiers.is_ok_and(|modifiers| (1..=64).contains(&modifiers))
    })
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent, MouseButton, MouseEvent, MouseEventKind};

    use super::*;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(code, modifiers))
    }

    fn char(c: char) -> Event {
        key(KeyCode::Char(c), KeyModifiers::NONE)
    }

    fn whole(bytes: &[u8]) -> Vec<Event> {
        KeyDecoder::default().decode(bytes, false)
    }

    #[test]
    fn f3_arrives_with_its_modifiers_and_reports_of_a_cursor_press_nothing() {
        for (bytes, modifiers) in [
            (&b"\x1b[1;2R"[..], KeyModifiers::SHIFT),
            (b"\x1b[1;3R", KeyModifiers::ALT),
            (b"\x1b[1;5R", KeyModifiers::CONTROL),
            (b"\x1b[1;6R", KeyModifiers::CONTROL.union(KeyModifiers::SHIFT)),
            (b"\x1b[1;9R", KeyModifiers::SUPER),
            (b"\x1b[1;33R", KeyModifiers::META),
            (b"\x1b[13;2~", KeyModifiers::SHIFT),
            (b"\x1bOR", KeyModifiers::NONE),
        ] {
            assert_eq!(whole(bytes), [key(KeyCode::F(3), modifiers)], "{bytes:?}");
        }
        for report in [
            &b"\x1b[24;80R"[..],
            b"\x1b[2;2R",
            b"\x1b[1;80R",
            b"\x1b[1;300R",
            b"\x1b[0;0R",
        ] {
            assert_eq!(whole(&[report, b"j"].concat()), [char('j')], "{report:?}");
        }
    }

    #[test]
    fn sequences_are_the_same_however_they_are_cut() {
        let bytes = "a\x1b[A\x1b[1;5Rb\x1bOP\x1b[3;5~é\u{1f600}\x1b[<0;3;4M\x1b[I\x1b[200~x\x1b[Ay\n\x1b[201~\x1bj\x1b[Z\x1b[9;2uc";
        let expected = whole(bytes.as_bytes());
        let down = MouseEvent {
            kind: MouseEventKind::Down(MouseButton::Left),
            column: 2,
            row: 3,
            modifiers: KeyModifiers::NONE,
        };
        assert_eq!(
            expected,
            [
                char('a'),
                key(KeyCode::Up, KeyModifiers::NONE),
                key(KeyCode::F(3), KeyModifiers::CONTROL),
                char('b'),
                key(KeyCode::F(1), KeyModifiers::NONE),
                key(KeyCode::Delete, KeyModifiers::CONTROL),
                char('é'),
                char('\u{1f600}'),
                Event::Mouse(down),
                Event::FocusGained,
                Event::Paste("x\x1b[Ay\n".to_owned()),
                key(KeyCode::Char('j'), KeyModifiers::ALT),
                key(KeyCode::BackTab, KeyModifiers::SHIFT),
                key(KeyCode::BackTab, KeyModifiers::SHIFT),
                char('c'),
            ]
        );
        for size in 1..7 {
            let mut decoder = KeyDecoder::default();
            let cut: Vec<Event> = (bytes.as_bytes().chunks(size))
                .flat_map(|piece| decoder.decode(piece, true))
                .collect();
            assert_eq!(cut, expected, "{size}");
        }
    }

    #[test]
    fn escape_at_the_end_is_a_key_and_two_of_them_are_two() {
        let escape = key(KeyCode::Esc, KeyModifiers::NONE);
        assert_eq!(whole(b"\x1b"), std::slice::from_ref(&escape));
        assert_eq!(whole(b"\x1b\x1b"), [escape.clone(), escape.clone()]);
        let up = key(KeyCode::Up, KeyModifiers::NONE);
        assert_eq!(whole(b"\x1b\x1b[A"), [escape, up]);
    }

    #[test]
    fn a_report_nobody_knows_swallows_no_key_behind_it() {
        for unknown in [
            "\x1b[?997;1n",
            "\x1b[?2026;2$y",
            "\x1b[>0;276;0c",
            "\x1b[?62;22c",
            "\x1b[?1u",
            "\x1b[4;600;800t",
        ] {
            let heard = whole(format!("{unknown}jk").as_bytes());
            assert!(heard.ends_with(&[char('j'), char('k')]), "{unknown:?}: {heard:?}");
        }
    }
}
