//! Check of the contents of a frame: text, and the sequences by which the server places and colours it. Anything else is not from a server
//! of this program, and must not act on the person's terminal.

use std::str::Chars;

/// Maximum characters of a sequence in a frame: all attributes and three colours.
const LONGEST_SEQUENCE: usize = 128;

/// Returns true if a frame only draws.
pub(super) fn is_drawing(frame: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(frame) else {
        return false;
    };
    let mut rest = text.chars();
    while let Some(sign) = rest.next() {
        let is_fine = match sign {
            '\x1b' => skip_sequence(&mut rest),
            sign => !sign.is_control(),
        };
        if !is_fine {
            return false;
        }
    }
    true
}

/// Skips a sequence after an escape; returns true if it only draws.
fn skip_sequence(rest: &mut Chars<'_>) -> bool {
    if rest.next() != Some('[') {
        return false;
    }
    let mut parameters = String::new();
    for sign in rest.take(LONGEST_SEQUENCE) {
        match sign {
            ' '..='?' => parameters.push(sign),
            last => return draws(&parameters, last),
        }
    }
    false
}

fn draws(parameters: &str, last: char) -> bool {
    match (parameters, last) {
        // Place, colours and attributes.
        (numbers, 'H' | 'm') => numbers.chars().all(|sign| matches!(sign, '0'..=';')),
        // One picture at a time, the cursor, and a screen that begins empty.
        ("?2026" | "?25", 'h' | 'l') | ("2", 'J') => true,
        // The form of the cursor.
        (form, 'q') => form
            .strip_suffix(' ')
            .is_some_and(|form| form.parse::<u8>().is_ok()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_frame_draws_passes_and_what_acts_on_the_terminal_does_not() {
        let drawn = "\x1b[?2026h\x1b[?25l\x1b[0m\x1b[2J\x1b[1;1H\x1b[38;2;1;2;3;48;5;4m\x1b[4:3m\x1b[58;5;1mword 漢 \u{1f44d}\u{1f3fd}\
                     \x1b[39m\x1b[49m\x1b[0m\x1b[2 q\x1b[3;4H\x1b[?25h\x1b[?2026l";
        assert!(is_drawing(drawn.as_bytes()));
        for acting in [
            "\x1b]52;c;cm0=\x07",
            "\x1b]2;title\x1b\\",
            "\x1b]8;;file:///etc/passwd\x1b\\link",
            "\x1bP+q544e\x1b\\",
            "\x1b[6n",
            "\x1b[?1049l",
            "\x1b[>4;2m",
            "\x1b[21t",
            "\x1b[3J",
            "\x1bc",
            "\x1b",
            "\x1b[1;1",
            "\u{9b}6n",
            "a\rb",
            "a\nb",
            "\x07",
            "\x0e",
        ] {
            let frame = format!("{drawn}{acting}");
            assert!(!is_drawing(frame.as_bytes()), "{acting:?}");
        }
        assert!(!is_drawing(b"\xff"));
        assert!(!is_drawing(format!("\x1b[{}m", "1;".repeat(1_000)).as_bytes()));
    }
}
