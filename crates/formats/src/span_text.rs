//! Lengths of time as people write them.

use dbs_domain::Span;

/// Reads a length of time: `500ms`, `90s`, `10m`, `2h`. `None` for any other text.
pub fn parse_span(text: &str) -> Option<Span> {
    let text = text.trim();
    let (number, factor) = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)]
        .into_iter()
        .find_map(|(unit, factor)| text.strip_suffix(unit).map(|number| (number, factor)))?;
    number.trim().parse::<u64>().ok()?.checked_mul(factor).map(Span)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_of_time_has_a_number_and_a_unit() {
        let cases = [
            ("90s", Some(90_000)),
            (" 10 m", Some(600_000)),
            ("2h", Some(7_200_000)),
            ("5ms", Some(5)),
            ("90", None),
            ("-1s", None),
            ("s", None),
            ("99999999999999999999h", None),
            ("9999999999999999h", None),
        ];
        for (text, milliseconds) in cases {
            assert_eq!(parse_span(text), milliseconds.map(Span), "{text}");
        }
    }
}
