//! The lines a program wrote, without control sequences: from the bytes of its log, piece by piece. A sequence that moves the cursor to
//! another row ends a line, so that programs which draw whole screens have lines, too. Not an emulator: fast, and good enough to find words
//! in.

use memchr::memchr3;

/// Maximum bytes of a line; longer ones are cut there and continue as the next.
const LONGEST: usize = 4096;

/// Extracts lines of plain text from terminal output.
#[derive(Default)]
pub(super) struct PlainTextParser {
    line: Vec<u8>,
    at: SequenceState,
}

/// Parser state within an escape sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum SequenceState {
    /// Outside of any sequence.
    #[default]
    Text,
    Escape,
    /// After an escape and a byte that takes one more.
    Pair,
    Control,
    String,
    /// In such a string, after an escape.
    StringEscape,
}

const ESCAPE: u8 = 0x1b;

impl PlainTextParser {
    /// Takes bytes; `each` gets every line that ends in them, and the number of bytes taken by then.
    pub(super) fn feed(&mut self, bytes: &[u8], each: &mut dyn FnMut(&[u8], usize)) {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            at += match self.at {
                SequenceState::Text => self.text(rest, at, each),
                SequenceState::String => self.string(rest),
                _ => {
                    let byte = rest.first().copied().unwrap_or_default();
                    if self.sequence(byte) {
                        self.end(at + 1, each);
                    }
                    1
                }
            };
        }
    }

    /// Ends the last line, which has no line end.
    pub(super) fn finish(&mut self, each: &mut dyn FnMut(&[u8], usize)) {
        self.end(0, each);
    }

    fn end(&mut self, taken: usize, each: &mut dyn FnMut(&[u8], usize)) {
        if !self.line.is_empty() {
            each(&self.line, taken);
            self.line.clear();
        }
    }

    /// Takes text up to the next line end or escape; returns the number of its bytes, including that one.
    fn text(&mut self, rest: &[u8], at: usize, each: &mut dyn FnMut(&[u8], usize)) -> usize {
        let found = memchr3(b'\n', b'\r', ESCAPE, rest);
        let (text, ended) = rest.split_at(found.unwrap_or(rest.len()));
        for part in text.chunks(LONGEST) {
            if self.line.len() + part.len() > LONGEST {
                self.end(at, each);
            }
            self.line.extend_from_slice(part);
        }
        match ended.first() {
            None => text.len(),
            Some(&ESCAPE) => {
                self.at = SequenceState::Escape;
                text.len() + 1
            }
            Some(_) => {
                self.end(at + text.len() + 1, each);
                text.len() + 1
            }
        }
    }

    /// Takes a string for the terminal up to its end; returns the number of bytes.
    fn string(&mut self, rest: &[u8]) -> usize {
        let Some(found) = memchr::memchr2(0x07, ESCAPE, rest) else {
            return rest.len();
        };
        self.at = match rest.get(found) {
            Some(&ESCAPE) => SequenceState::StringEscape,
            _ => SequenceState::Text,
        };
        found + 1
    }

    /// Takes one byte of a sequence; returns true if it ends the line.
    fn sequence(&mut self, byte: u8) -> bool {
        let (next, ends) = match (self.at, byte) {
            (SequenceState::Escape, 0x20..=0x2f) => (SequenceState::Pair, false),
            // Next line, index, back one line, restore the cursor, reset.
            (SequenceState::Escape, b'E' | b'D' | b'M' | b'8' | b'c') => (SequenceState::Text, true),
            (SequenceState::Control, 0x40..=0x7e) => {
                if byte == b'C' {
                    self.line.push(b' ');
                }
                let moves = matches!(
                    byte,
                    b'A' | b'B' | b'E' | b'F' | b'H' | b'd' | b'f' | b'G' | b'S' | b'T'
                );
                (SequenceState::Text, moves)
            }
            (SequenceState::Escape, b'[') | (SequenceState::Control, _) => (SequenceState::Control, false),
            (SequenceState::StringEscape, b'\\') => (SequenceState::Text, false),
            (SequenceState::Escape, b']' | b'P' | b'X' | b'^' | b'_') | (SequenceState::StringEscape, _) => {
                (SequenceState::String, false)
            }
            _ => (SequenceState::Text, false),
        };
        self.at = next;
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pieces: &[&[u8]]) -> Vec<String> {
        let mut plain = PlainTextParser::default();
        let mut lines = Vec::new();
        let mut each = |line: &[u8], _: usize| lines.push(String::from_utf8_lossy(line).into_owned());
        for piece in pieces {
            plain.feed(piece, &mut each);
        }
        plain.finish(&mut each);
        lines
    }

    #[test]
    fn colours_and_titles_are_no_text_and_moving_to_another_row_ends_a_line() {
        let text = b"\x1b[1;32mok\x1b[0m one\r\n\x1b]0;title\x07two\x1b[3Cwide\x1b[5;1Hthree\x1b(B four\x1bP1$q\x1b\\!\x1b[K";
        assert_eq!(lines(&[text]), ["ok one", "two wide", "three four!"]);
    }

    #[test]
    fn bytes_may_be_cut_anywhere() {
        let text = b"\x1b[1;32mok\x1b[0m one\r\n\x1b]0;ti\x1btle\x1b\\two\x1b[5;1Hthree";
        let each: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(lines(&each), lines(&[text]));
        assert_eq!(lines(&each), ["ok one", "two", "three"]);
    }

    #[test]
    fn no_line_is_longer_than_its_limit() {
        let long = vec![b'x'; 3 * LONGEST + 5];
        let cut = lines(&[&long]);
        assert!(cut.iter().all(|line| line.len() <= LONGEST));
        assert_eq!(cut.concat().len(), long.len());
    }
}
