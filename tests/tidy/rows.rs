//! The rows that `docs/conformance.md` must answer: every behaviour of the seed documents and every lesson from their origins.

/// Prefixes of row ids with their counts: `K` 106 is `K1` to `K106`.
pub(crate) const ROWS: &[(&str, usize)] = &[
    ("K", 106),
    ("P", 68),
    ("C", 19),
    ("G", 58),
    ("A", 29),
    ("LK-", 57),
    ("LP-", 32),
    ("LC-", 14),
    ("LG-", 20),
    ("LA-", 20),
];

/// All row ids, in order.
pub(crate) fn ids() -> impl Iterator<Item = String> {
    ROWS.iter()
        .flat_map(|(prefix, most)| (1..=*most).map(move |number| format!("{prefix}{number}")))
}

#[test]
fn there_are_as_many_rows_as_the_seeds_have() {
    assert_eq!(ids().count(), 423);
}
