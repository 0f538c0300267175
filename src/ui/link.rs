//! Links in what a terminal has shown: addresses written out, also over wrapped lines, and those a program gave to its words
//! (OSC 8). `http` and `https` only. Opens nothing.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;

use super::scrollback::{Scrollback, TextPosition, columns};

/// Maximum lines of one wrapped line that are read.
const MOST_WRAPPED: usize = 20;
/// Maximum length of an address, in bytes.
const LONGEST: usize = 2048;

/// A link in the text of a terminal and the cells it covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hyperlink {
    pub(crate) target: String,
    /// Line, first column, and the column behind the last.
    parts: Vec<(usize, usize, usize)>,
}

impl Hyperlink {
    /// Returns true if the link covers that position.
    pub(crate) fn is_at(&self, (line, column): TextPosition) -> bool {
        let at = |part: &(usize, usize, usize)| part.0 == line && (part.1..part.2).contains(&column);
        self.parts.iter().any(at)
    }
}

/// Returns true if the address may be opened at all.
pub(crate) fn is_allowed(target: &str) -> bool {
    let lower = target.get(..8).unwrap_or(target).to_ascii_lowercase();
    let web = lower.starts_with("http://") || lower.starts_with("https://");
    web && target.len() <= LONGEST && !target.chars().any(|c| c.is_control() || c.is_whitespace())
}

/// Returns the links in those lines, from the top.
pub(crate) fn links(still: &Scrollback, lines: Range<usize>) -> Vec<Hyperlink> {
    let wraps = |at: usize| still.line(at).is_some_and(|line| line.wraps);
    let mut at = lines.start;
    while at > 0 && lines.start - at < MOST_WRAPPED && wraps(at - 1) {
        at -= 1;
    }
    let mut found = Vec::new();
    while at < lines.end && still.line(at).is_some() {
        let mut end = at;
        while wraps(end) && end - at < MOST_WRAPPED {
            end += 1;
        }
        found.extend(written(still, at..end + 1));
        found.extend((at..=end).flat_map(|line| named(still, line)));
        at = end + 1;
    }
    found.retain(|link| link.parts.iter().any(|(line, ..)| lines.contains(line)));
    found
}

/// Returns the links that a program gave to its words.
fn named(still: &Scrollback, line: usize) -> Vec<Hyperlink> {
    let links = still.line(line).map(|line| line.links.as_slice());
    let links = links.unwrap_or_default().iter();
    links
        .filter(|(_, target)| is_allowed(target))
        .map(|(columns, target)| Hyperlink {
            target: target.clone(),
            parts: vec![(line, usize::from(columns.start), usize::from(columns.end))],
        })
        .collect()
}

/// Returns the addresses in the text of lines that belong together.
fn written(still: &Scrollback, lines: Range<usize>) -> Vec<Hyperlink> {
    let mut text = String::new();
    // Byte, line and column of every grapheme.
    let mut places = Vec::new();
    for at in lines {
        let Some(line) = still.line(at) else { break };
        let mut column = 0;
        for grapheme in line.text.graphemes(true) {
            let wide = columns(grapheme);
            places.push((text.len(), at, column, column + wide));
            text.push_str(grapheme);
            column += wide;
        }
    }
    let addresses = addresses(&text).into_iter();
    addresses
        .map(|address| {
            let mut parts: Vec<(usize, usize, usize)> = Vec::new();
            for (_, line, from, to) in places.iter().filter(|(byte, ..)| address.contains(byte)) {
                match parts.last_mut().filter(|part| part.0 == *line) {
                    Some(part) => part.2 = *to,
                    None => parts.push((*line, *from, *to)),
                }
            }
            Hyperlink {
                target: text.get(address).unwrap_or_default().to_owned(),
                parts,
            }
        })
        .filter(|link| is_allowed(&link.target))
        .collect()
}

/// Returns the ranges of addresses in a text, in bytes.
fn addresses(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for scheme in ["http://", "https://"] {
        for (from, _) in text.match_indices(scheme) {
            let rest = text.get(from..).unwrap_or_default();
            let long = rest.find(ends).unwrap_or(rest.len());
            let address = trimmed(rest.get(..long).unwrap_or_default());
            let inside = found.iter().any(|other| other.contains(&from));
            if address.len() > scheme.len() && !inside {
                found.push(from..from + address.len());
            }
        }
    }
    found.sort_by_key(|range| range.start);
    found
}

/// Returns true if the character cannot be part of an address: lines around it, for example.
fn ends(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '<' | '>' | '"' | '`' | '{' | '}' | '|' | '\\' | '^')
        || ('\u{2500}'..='\u{259f}').contains(&c)
}

/// Removes the marks that end a sentence, or a parenthesis around the address.
fn trimmed(address: &str) -> &str {
    let mut address = address;
    loop {
        let Some(last) = address.chars().last() else {
            return address;
        };
        let closes = |open: char| address.matches(last).count() > address.matches(open).count();
        let drops = match last {
            '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' | '_' => true,
            ')' => closes('('),
            ']' => closes('['),
            _ => false,
        };
        if !drops {
            return address;
        }
        address = address.get(..address.len() - last.len_utf8()).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::scrollback::ScrollbackLine;

    fn still(lines: &[(&str, bool)]) -> Scrollback {
        let line = |(text, wraps): &(&str, bool)| ScrollbackLine {
            wraps: *wraps,
            ..ScrollbackLine::plain(*text)
        };
        Scrollback {
            lines: lines.iter().map(line).collect(),
            cursor: (0, 0),
        }
    }

    fn targets(text: &str) -> Vec<String> {
        let found = links(&still(&[(text, false)]), 0..1);
        found.into_iter().map(|link| link.target).collect()
    }

    #[test]
    fn addresses_are_found_without_what_stands_around_them() {
        for (text, wanted) in [
            ("see https://example.org/a?b=c#d.", "https://example.org/a?b=c#d"),
            ("(http://example.org/x_(y))", "http://example.org/x_(y)"),
            ("│ https://example.org │", "https://example.org"),
            ("<https://example.org/>", "https://example.org/"),
            ("日本 https://example.org/é!", "https://example.org/é"),
        ] {
            assert_eq!(targets(text), [wanted], "{text}");
        }
        for text in [
            "https://",
            "file:///etc/passwd",
            "javascript://x",
            "ftp://example.org",
            "",
        ] {
            assert!(targets(text).is_empty(), "{text}");
        }
        assert_eq!(targets("http://a.b and https://c.d").len(), 2);
    }

    #[test]
    fn an_address_over_wrapped_lines_is_one_and_is_seen_in_each_of_them() {
        let still = still(&[
            ("日 https://exam", true),
            ("ple.org/long ", false),
            ("end", false),
        ]);
        for lines in [0..1, 1..2, 0..3] {
            let found = links(&still, lines);
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].target, "https://example.org/long");
            assert!(found[0].is_at((0, 3)) && found[0].is_at((1, 11)));
            assert!(!found[0].is_at((0, 2)) && !found[0].is_at((1, 12)));
        }
        assert!(links(&still, 2..3).is_empty());
    }

    #[test]
    fn words_with_a_link_lead_where_the_program_said_if_that_is_the_web() {
        let mut still = still(&[("click here or there", false)]);
        still.lines[0].links = vec![
            (6..10, "https://example.org".to_owned()),
            (14..19, "file:///etc/passwd".to_owned()),
        ];
        let found = links(&still, 0..1);
        assert_eq!(found.len(), 1);
        assert!(found[0].is_at((0, 6)) && !found[0].is_at((0, 10)));
    }
}
