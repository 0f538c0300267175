//! Beginnings of texts, for limits in bytes and in characters. Columns on the screen are measured where they are drawn.

/// Returns the longest beginning of a text that has at most `most` bytes.
pub fn cut_bytes(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

/// Returns the longest beginning of a text that has at most `most` characters.
pub fn cut_chars(text: &str, most: usize) -> &str {
    let end = text.char_indices().nth(most).map(|(at, _)| at);
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// Returns at most `most` characters of a text, with a mark behind them where something was left out.
pub fn cut_marked(text: &str, most: usize) -> String {
    let kept = cut_chars(text, most);
    let mark = if kept.len() < text.len() { "…" } else { "" };
    format!("{kept}{mark}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_cut_off_whole() {
        assert_eq!(["ä", "a"].map(|text| cut_bytes(text, 1)), ["", "a"]);
        assert_eq!(
            [0, 2, 3, 4].map(|most| cut_chars("äöü", most)),
            ["", "äö", "äöü", "äöü"]
        );
        assert_eq!([2, 3].map(|most| cut_marked("äöü", most)), ["äö…", "äöü"]);
    }
}
