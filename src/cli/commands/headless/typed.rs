//! Input that a person types at an agent without an interface of its own: bytes of a terminal become messages and commands. Pure.

/// Maximum length of a message in bytes.
const LONGEST: usize = 64 * 1024;
const ESCAPE: u8 = 0x1b;
/// Sequences that a terminal sends around pasted text, after the escape.
const PASTE: (&str, &str) = ("[200~", "[201~");

/// Typed input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Typed {
    /// A message, ended with Enter.
    Message(String),
    /// Ctrl-C.
    Interrupt,
    /// Esc alone.
    Escape,
}

/// The message that is being typed.
#[derive(Debug, Default)]
pub(super) struct TypedMessage {
    bytes: Vec<u8>,
    is_pasted: bool,
}

impl TypedMessage {
    /// Takes bytes in; returns the input that they complete. Unknown keys are skipped.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<Typed> {
        let mut all = Vec::new();
        let mut rest = bytes;
        while let Some((byte, behind)) = rest.split_first() {
            rest = behind;
            match *byte {
                ESCAPE if rest.is_empty() => all.push(Typed::Escape),
                ESCAPE => rest = self.sequence(rest),
                b'\r' if self.is_pasted => self.push(b'\n'),
                b'\r' => all.extend(self.finished()),
                0x03 => all.push(Typed::Interrupt),
                0x08 | 0x7f => self.delete(),
                0x15 => self.bytes.clear(),
                b'\n' | b'\t' | 0x20..=0xff => self.push(*byte),
                _ => {}
            }
        }
        all
    }

    /// Returns the text typed so far.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    fn push(&mut self, byte: u8) {
        if self.bytes.len() < LONGEST {
            self.bytes.push(byte);
        }
    }

    fn finished(&mut self) -> Option<Typed> {
        let text = self.text();
        self.bytes.clear();
        (!text.trim().is_empty()).then_some(Typed::Message(text))
    }

    /// Deletes the last character with all its bytes.
    fn delete(&mut self) {
        while let Some(byte) = self.bytes.pop() {
            if byte & 0xc0 != 0x80 {
                return;
            }
        }
    }

    /// Skips the sequence of a key, or begins or ends a paste; returns the bytes after it.
    fn sequence<'a>(&mut self, rest: &'a [u8]) -> &'a [u8] {
        for (mark, is_pasted) in [(PASTE.0, true), (PASTE.1, false)] {
            if let Some(behind) = rest.strip_prefix(mark.as_bytes()) {
                self.is_pasted = is_pasted;
                return behind;
            }
        }
        let (Some(b'[' | b'O'), Some(inner)) = (rest.first(), rest.get(1..)) else {
            return rest.get(1..).unwrap_or_default();
        };
        let end = inner.iter().position(|byte| (0x40..=0x7e).contains(byte));
        end.and_then(|end| inner.get(end + 1..)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Typed {
        Typed::Message(text.to_owned())
    }

    #[test]
    fn enter_ends_a_message_and_keys_of_the_terminal_are_no_text() {
        let mut typed = TypedMessage::default();
        assert_eq!(typed.take("gr\u{fc}x".as_bytes()), []);
        assert_eq!(
            typed.take(b"\x7f\x1b[A\x1b[1;5C\x1bOP\x1bf\x01ezi\r"),
            [message("gr\u{fc}ezi")]
        );
        assert_eq!(typed.take(b"\r  \r"), [], "nothing was typed");
        assert_eq!(typed.take(b"one\ntwo\r"), [message("one\ntwo")]);
    }

    #[test]
    fn a_paste_is_one_message_and_escape_and_interrupt_are_told_apart() {
        let mut typed = TypedMessage::default();
        assert_eq!(typed.take(b"\x1b[200~a\rb\x1b[201~\r"), [message("a\nb")]);
        assert_eq!(typed.take(b"\x1b"), [Typed::Escape]);
        assert_eq!(typed.take(b"x\x03"), [Typed::Interrupt]);
        assert_eq!(typed.text(), "x");
    }

    #[test]
    fn no_message_grows_without_end() {
        let mut typed = TypedMessage::default();
        typed.take(&vec![b'x'; 10 * LONGEST]);
        assert_eq!(typed.text().len(), LONGEST);
    }
}
