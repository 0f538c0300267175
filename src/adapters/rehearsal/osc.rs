//! What a program can report to its terminal about itself: OSC 7501 states and the title. Text in, bytes out.

use serde::Serialize;

use crate::formats::scenario::{ScenarioAskKind, ScenarioState};
use crate::formats::tag::tag_and_content;

/// The OSC 7501 record of a state.
pub(super) fn state(state: ScenarioState, kind: Option<ScenarioAskKind>, text: Option<&str>) -> String {
    let mut record = format!("\x1b]7501;state={}:app=rehearsal", word(state));
    if let Some(kind) = kind {
        record.push_str(":kind=");
        record.push_str(&word(kind));
    }
    if let Some(text) = text {
        record.push_str(":msg=");
        record.push_str(&base64(text.as_bytes()));
    }
    record.push_str("\x1b\\");
    record
}

/// The word OSC 7501 uses, which is that of scenario files.
fn word(value: impl Serialize) -> String {
    tag_and_content(&value).unwrap_or_default().0
}

/// The sequence that sets the title; control characters are dropped, they would end it early.
pub(super) fn title(text: &str) -> String {
    let clean: String = text.chars().filter(|c| !c.is_control()).collect();
    format!("\x1b]0;{clean}\x07")
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let at = |index: usize| group.get(index).copied().map_or(0, u32::from);
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            let letter = LETTERS
                .get((bits >> (18 - 6 * place) & 63) as usize)
                .copied()
                .unwrap_or(b'=');
            out.push(if place <= group.len() {
                char::from(letter)
            } else {
                '='
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_follows_the_test_vectors_of_its_standard() {
        let vectors = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, coded) in vectors {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
        assert_eq!(base64(&[0xfb, 0xff]), "+/8=");
    }

    #[test]
    fn a_state_names_what_is_asked_for() {
        let record = state(
            ScenarioState::Blocked,
            Some(ScenarioAskKind::Permission),
            Some("foo"),
        );
        assert_eq!(
            record,
            "\x1b]7501;state=blocked:app=rehearsal:kind=permission:msg=Zm9v\x1b\\"
        );
    }

    #[test]
    fn a_title_cannot_break_out_of_its_sequence() {
        assert_eq!(title("a\x07\x1b]b"), "\x1b]0;a]b\x07");
    }
}
