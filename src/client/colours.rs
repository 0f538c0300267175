//! Colours of the terminal: the queries, and the replies picked out of the input. Nothing waits for them. Must never swallow a key: input
//! that turns out not to be a reply is passed on as it came. Must never press one either: a reply that comes late, in pieces or in an
//! unknown form is not passed on.

use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyModifiers};

use crate::config::process_env::ProcessEnv;
use crate::protocol::wire::TerminalColour;
use crate::term::Rgb;

/// Query for the colour of text (OSC 10) and for that behind it (OSC 11).
pub(super) const QUERY: &[u8] = b"\x1b]10;?\x1b\\\x1b]11;?\x1b\\";

/// Beginnings of replies; input that begins so is not a key of a person's, whatever follows and however late it comes.
const FOREGROUND: &str = "\x1b]10;";
const BACKGROUND: &str = "\x1b]11;";

/// Ends of replies.
const ENDS: [&str; 2] = ["\x1b\\", "\x07"];

/// Placeholder for a key that is in no reply.
const OTHER_KEY: char = '\u{10ffff}';

/// Maximum characters of a reply; with more than this the terminal has forgotten its end.
const LONGEST: usize = 64;

/// Maximum gap between the pieces of a possible reply, and between those of a certain one.
const MAYBE_GAP: Duration = Duration::from_millis(50);
const CERTAIN_GAP: Duration = Duration::from_secs(2);

/// Returns true if a terminal can be queried: a console shows the query, or beeps.
pub(super) fn can_query(env: &ProcessEnv) -> bool {
    env.get("TERM")
        .is_none_or(|term| term != "linux" && term != "dumb")
}

/// Input from the terminal: an event or one of its colours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TerminalInput {
    Event(Event),
    Colour(TerminalColour),
}

/// Parser that picks the terminal's replies to colour queries out of its input events, whenever they come: as keys they would act.
#[derive(Debug, Default)]
pub(super) struct ColourReplyParser {
    held: Vec<Event>,
    text: String,
}

impl ColourReplyParser {
    /// Returns the time to wait for more of the held input; `None` if none is held.
    pub(super) fn gap(&self) -> Option<Duration> {
        (!self.text.is_empty()).then_some(if is_certain(&self.text) {
            CERTAIN_GAP
        } else {
            MAYBE_GAP
        })
    }

    /// Takes in an event; returns the input that can be passed on now. An escape alone is only held back while a reply is expected: a
    /// person's is passed on at once, and the following input is checked all the same.
    pub(super) fn feed(&mut self, event: Event, is_expected: bool) -> Vec<TerminalInput> {
        let before = self.text.len();
        self.text
            .push_str(&sent(&event).unwrap_or_else(|| OTHER_KEY.to_string()));
        if let Some(end) = ENDS.iter().find(|end| self.text.ends_with(*end))
            && is_certain(&self.text)
        {
            let colour = colour(self.text.strip_suffix(end).unwrap_or_default());
            *self = ColourReplyParser::default();
            return colour.map(TerminalInput::Colour).into_iter().collect();
        }
        if self.text == "\x1b" && !is_expected {
            return vec![TerminalInput::Event(event)];
        }
        if may_become(&self.text) {
            self.held.push(event);
            return Vec::new();
        }
        if before == 0 {
            self.text.clear();
            return vec![TerminalInput::Event(event)];
        }
        self.text.truncate(before);
        let mut passed = self.take_held();
        // It may begin the next reply.
        passed.extend(self.feed(event, is_expected));
        passed
    }

    /// Gives up the held input: a broken reply is dropped, anything else are keys.
    pub(super) fn take_held(&mut self) -> Vec<TerminalInput> {
        let given_up = std::mem::take(self);
        let keys = if is_certain(&given_up.text) {
            Vec::new()
        } else {
            given_up.held
        };
        keys.into_iter().map(TerminalInput::Event).collect()
    }
}

/// Returns the characters that the terminal sent for a key, as far as a colour reply can contain them. The reader of keys takes an escape
/// and the next character for a key with Alt, unless they came in two pieces.
fn sent(event: &Event) -> Option<String> {
    let key = event.as_key_press_event()?;
    Some(match (key.code, key.modifiers) {
        (KeyCode::Esc, KeyModifiers::NONE) => "\x1b".to_owned(),
        (KeyCode::Char(character @ (']' | '\\')), KeyModifiers::ALT) => format!("\x1b{character}"),
        (KeyCode::Char('g'), KeyModifiers::CONTROL) => "\x07".to_owned(),
        (KeyCode::Char(character), KeyModifiers::NONE | KeyModifiers::SHIFT) => character.to_string(),
        _ => return None,
    })
}

fn is_certain(text: &str) -> bool {
    text.starts_with(FOREGROUND) || text.starts_with(BACKGROUND)
}

fn may_become(text: &str) -> bool {
    let text = text
        .strip_suffix('\x1b')
        .filter(|rest| is_certain(rest))
        .unwrap_or(text);
    let begins = |begin: &str| {
        let fits = |rest: &str| {
            rest.chars()
                .all(|c| c.is_ascii_hexdigit() || "rgb:/#".contains(c))
        };
        begin.starts_with(text) || text.strip_prefix(begin).is_some_and(fits)
    };
    text.len() <= LONGEST && (begins(FOREGROUND) || begins(BACKGROUND))
}

fn colour(text: &str) -> Option<TerminalColour> {
    let of = |begin: &str| rgb(text.strip_prefix(begin)?.strip_prefix("rgb:")?);
    let foreground = of(FOREGROUND).map(TerminalColour::Foreground);
    foreground.or_else(|| of(BACKGROUND).map(TerminalColour::Background))
}

/// Parses three levels with strokes between them.
fn rgb(text: &str) -> Option<Rgb> {
    let mut parts = text.split('/').map(level);
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(Some(red)), Some(Some(green)), Some(Some(blue)), None) => Some((red, green, blue)),
        _ => None,
    }
}

/// Parses a level of one to four hexadecimal digits, as a share of 255.
fn level(digits: &str) -> Option<u8> {
    let most = 16_u32
        .checked_pow(u32::try_from(digits.len()).ok()?)?
        .checked_sub(1)
        .filter(|most| *most > 0)?;
    let value = u32::from_str_radix(digits, 16).ok()?;
    u8::try_from(value * 255 / most).ok()
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyEvent;

    use super::*;

    fn press(code: KeyCode, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(code, modifiers))
    }

    fn answer(colour: &str) -> Vec<Event> {
        let mut events = vec![press(KeyCode::Char(']'), KeyModifiers::ALT)];
        events.extend(
            colour
                .chars()
                .map(|c| press(KeyCode::Char(c), KeyModifiers::NONE)),
        );
        events.push(press(KeyCode::Char('\\'), KeyModifiers::ALT));
        events
    }

    fn parsed(events: Vec<Event>) -> Vec<TerminalInput> {
        let mut answer = ColourReplyParser::default();
        let mut parsed: Vec<TerminalInput> = events
            .into_iter()
            .flat_map(|event| answer.feed(event, true))
            .collect();
        parsed.extend(answer.take_held());
        parsed
    }

    #[test]
    fn the_answer_is_taken_out_of_what_is_pressed() {
        let j = press(KeyCode::Char('j'), KeyModifiers::NONE);
        for (colour, expected) in [
            (
                "11;rgb:fdfd/f6f6/e3e3",
                TerminalColour::Background((0xfd, 0xf6, 0xe3)),
            ),
            (
                "11;rgb:1818/1818/1818",
                TerminalColour::Background((0x18, 0x18, 0x18)),
            ),
            (
                "10;rgb:1818/1818/1818",
                TerminalColour::Foreground((0x18, 0x18, 0x18)),
            ),
            ("11;rgb:f/f/f", TerminalColour::Background((255, 255, 255))),
        ] {
            let mut events = vec![j.clone()];
            events.extend(answer(colour));
            events.push(j.clone());
            let expected = [
                TerminalInput::Event(j.clone()),
                TerminalInput::Colour(expected),
                TerminalInput::Event(j.clone()),
            ];
            assert_eq!(parsed(events), expected);
        }
    }

    #[test]
    fn an_answer_in_pieces_is_one_too() {
        let mut events = answer("11;rgb:1818/1818/1818");
        events[0] = press(KeyCode::Char(']'), KeyModifiers::NONE);
        events.insert(0, press(KeyCode::Esc, KeyModifiers::NONE));
        let last = events.len() - 1;
        events[last] = press(KeyCode::Char('\\'), KeyModifiers::NONE);
        events.insert(last, press(KeyCode::Esc, KeyModifiers::NONE));
        assert_eq!(
            parsed(events),
            [TerminalInput::Colour(TerminalColour::Background((
                0x18, 0x18, 0x18
            )))]
        );
    }

    #[test]
    fn of_an_answer_nobody_expects_any_more_no_key_is_pressed() {
        let key = |c| press(KeyCode::Char(c), KeyModifiers::NONE);
        let mut torn = answer("11;rgb:1818/1818/1818");
        torn[0] = key(']');
        torn.insert(0, press(KeyCode::Esc, KeyModifiers::NONE));
        let mut parser = ColourReplyParser::default();
        let mut heard = Vec::new();
        for event in torn {
            heard.extend(parser.feed(event, false));
        }
        let colour = TerminalColour::Background((0x18, 0x18, 0x18));
        let escape = TerminalInput::Event(press(KeyCode::Esc, KeyModifiers::NONE));
        assert_eq!(heard, [escape, TerminalInput::Colour(colour)]);
    }

    #[test]
    fn an_answer_in_another_form_or_without_an_end_presses_no_keys() {
        assert_eq!(parsed(answer("11;rgba:1818/1818/1818/ffff")), []);
        assert_eq!(parsed(answer("10;#fafafa")), []);
        let mut broken = answer("11;rgb:aaaa/aaaa");
        broken.pop();
        assert_eq!(parsed(broken.clone()), []);
        let left = press(KeyCode::Char('b'), KeyModifiers::CONTROL);
        let detach = press(KeyCode::Char('d'), KeyModifiers::NONE);
        broken.extend([left.clone(), detach.clone()]);
        assert_eq!(parsed(broken.clone()), [left, detach].map(TerminalInput::Event));
        let mut again = answer("11;rgb:aaaa/aaaa");
        again.pop();
        again.extend(answer("11;rgb:0000/0000/0000"));
        let black = TerminalColour::Background((0, 0, 0));
        assert_eq!(parsed(again), [TerminalInput::Colour(black)]);
    }

    #[test]
    fn two_answers_one_after_the_other_are_two() {
        let mut events = answer("10;rgb:ffff/0000/0000");
        events.extend(answer("11;rgb:0000/0000/ffff"));
        let expected = [
            TerminalInput::Colour(TerminalColour::Foreground((255, 0, 0))),
            TerminalInput::Colour(TerminalColour::Background((0, 0, 255))),
        ];
        assert_eq!(parsed(events), expected);
    }

    #[test]
    fn keys_that_are_no_answer_arrive_all_and_in_order() {
        let key = |c| press(KeyCode::Char(c), KeyModifiers::NONE);
        let alt = press(KeyCode::Char(']'), KeyModifiers::ALT);
        let end = press(KeyCode::Char('\\'), KeyModifiers::ALT);
        let escape = press(KeyCode::Esc, KeyModifiers::NONE);
        for events in [
            vec![alt.clone(), key('j')],
            vec![alt.clone(), alt.clone(), key('1')],
            vec![escape.clone(), key(']'), key('x'), escape.clone()],
            vec![alt.clone(), key('1'), key('1'), key('1')],
            vec![end.clone(), key('\\'), escape.clone()],
            vec![alt, key('1'), key('1'), end, escape],
        ] {
            let expected: Vec<TerminalInput> = events.iter().cloned().map(TerminalInput::Event).collect();
            assert_eq!(parsed(events), expected);
        }
    }
}
