//! A text in which parts are replaced, and every other byte stays as it is.

use std::ops::Range;

/// Returns the text with these parts replaced, which are ranges of bytes. Of parts that overlap the one that begins first is replaced.
pub(super) fn edited(text: &str, edits: impl Iterator<Item = (Range<usize>, String)>) -> String {
    let mut edits: Vec<_> = edits.collect();
    edits.sort_by_key(|(at, _)| at.start);
    let (mut result, mut end) = (String::with_capacity(text.len()), 0);
    for (at, new) in edits {
        // The file of one phase may be that of another one, too.
        let Some(between) = text.get(end..at.start) else {
            continue;
        };
        result.push_str(between);
        result.push_str(&new);
        end = at.end;
    }
    result.push_str(text.get(end..).unwrap_or_default());
    result
}
