//! Foreign text on its way to the screen: cleaned, cut and wrapped by display width. Nothing here knows colours.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::domain::Timestamp;
use crate::term::sanitize;

/// Returns the columns of a text, counted as it will be drawn: grapheme by grapheme.
pub fn width(text: &str) -> usize {
    if is_printable_ascii(text) {
        return text.len();
    }
    text.graphemes(true).map(grapheme_width).sum()
}

/// Returns true if each byte is a printable grapheme of one column. This holds for most of the drawn text and is quick to check.
pub(crate) fn is_printable_ascii(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Returns the columns of a grapheme: none, one or two. A wider one is drawn as [`UNKNOWN`].
pub(crate) fn grapheme_width(grapheme: &str) -> usize {
    match grapheme.width() {
        wide @ 0..=2 => wide,
        _ => 1,
    }
}

/// Substitute for a grapheme that no terminal draws in two columns.
pub(crate) const UNKNOWN: &str = "?";

/// Returns the text without anything that could control a terminal or hide from the eye; line ends and tabs become spaces.
///
/// Variation selectors and joiners are removed: terminals disagree about the width they give a character, and a border must not move.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    const JOINERS: [char; 3] = ['\u{fe0e}', '\u{fe0f}', '\u{200d}'];
    if is_printable_ascii(text) {
        return Cow::Borrowed(text);
    }
    if !text.contains(['\n', '\r', '\t']) && !text.contains(JOINERS) {
        return sanitize(text);
    }
    let spaced = text.replace("\r\n", " ").replace(['\n', '\r', '\t'], " ");
    let spaced = spaced.replace(JOINERS, "");
    Cow::Owned(sanitize(&spaced).into_owned())
}

/// Returns as much of a clean text as fits, with the mark at the end when something was left out.
pub fn cut(text: &str, room: usize, mark: &str) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let keep = room.saturating_sub(width(mark));
    let mut cut = prefix(text, keep).to_owned();
    if width(mark) <= room {
        cut.push_str(mark);
    }
    cut
}

/// Returns as much of the end of a clean text as fits, with the mark before it when something was left out.
pub(crate) fn cut_front(text: &str, room: usize, mark: &str) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let keep = room.saturating_sub(width(mark));
    let mut used = 0;
    let mut from = text.len();
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        used += grapheme_width(grapheme);
        if used > keep {
            break;
        }
        from = at;
    }
    let rest = text.get(from..).unwrap_or_default();
    if width(mark) <= room {
        format!("{mark}{rest}")
    } else {
        String::new()
    }
}

/// Returns the longest beginning that fits.
pub(crate) fn prefix(text: &str, room: usize) -> &str {
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        used += grapheme_width(grapheme);
        if used > room {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

/// Wraps foreign text into lines that fit, broken at spaces if that is possible. Empty lines stay.
pub(crate) fn wrap(text: &str, room: usize) -> Vec<String> {
    let options = textwrap::Options::new(room)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let paragraph = clean(paragraph);
        lines.extend(
            textwrap::wrap(&paragraph, &options)
                .into_iter()
                .map(Cow::into_owned),
        );
    }
    lines
}

/// Returns the time of day as `14:03:27`, at that distance from UTC in seconds.
pub(crate) fn clock(at: Timestamp, utc_offset: i32) -> String {
    let seconds = i64::try_from(at.0 / 1000).unwrap_or(0) + i64::from(utc_offset);
    let day = seconds.rem_euclid(86_400);
    format!("{:02}:{:02}:{:02}", day / 3600, day / 60 % 60, day % 60)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_wide_character_is_never_cut_in_half() {
        assert_eq!(cut("日本語", 4, "~"), "日~");
        assert_eq!(cut("日本語", 6, "~"), "日本語");
        assert_eq!(cut("ab", 0, "~"), "");
    }

    #[test]
    fn text_that_could_steer_a_terminal_is_made_harmless() {
        assert_eq!(clean("a\x1b[31mb\u{202e}c\nd"), "a\\x1b[31mb\\u{202e}c d");
        assert_eq!(clean("\u{9b}x"), "\\u{9b}x");
    }

    #[test]
    fn long_words_are_broken_and_short_ones_kept_whole() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("a\n\nb", 3), ["a", "", "b"]);
        assert_eq!(wrap("one  two", 3), ["one", "two"]);
        assert_eq!(wrap("  - an item", 6), ["  - an", "item"]);
    }

    proptest! {
        #[test]
        fn a_text_is_as_wide_as_its_graphemes(text in "[\\x00-\\x7f]{0,20}|[ -~é日\u{301}\r\n]{0,20}") {
            let by_grapheme: usize = text.graphemes(true).map(grapheme_width).sum();
            prop_assert_eq!(width(&text), by_grapheme);
        }

        #[test]
        fn cut_and_wrapped_text_fits(text in "\\PC{0,60}", room in 0usize..40) {
            let text = clean(&text).into_owned();
            prop_assert!(width(&cut(&text, room, "…")) <= room);
            for line in wrap(&text, room.max(2)) {
                prop_assert!(width(&line) <= room.max(2), "{line:?}");
            }
        }
    }
}
