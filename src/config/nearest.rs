//! The known key that a mistyped one was probably meant to be.

use crate::config::schema::keys;

/// The nearest key, unless none is near. Parts that stand for any name take the mistyped key's own.
pub(super) fn nearest(path: &[&str]) -> Option<String> {
    let typed = path.join(".");
    let candidates = keys().map(|key| fill(key.name, path));
    let (distance, key) = candidates
        .map(|key| (distance(&typed, &key), key))
        .min_by_key(|(distance, _)| *distance)?;
    (distance <= (typed.chars().count() / 3).clamp(1, 4)).then_some(key)
}

fn fill(name: &str, path: &[&str]) -> String {
    let parts = name.split('.').enumerate();
    let filled = parts.map(|(index, part)| match path.get(index) {
        Some(typed) if part.starts_with('<') => typed,
        _ => part,
    });
    filled.collect::<Vec<_>>().join(".")
}

/// How many letters must be put in, left out or changed.
pub(super) fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, letter) in left.chars().enumerate() {
        let mut diagonal = index;
        let mut before = index + 1;
        let mut next = vec![before];
        for (other, above) in right.iter().zip(row.iter().skip(1)) {
            let changed = diagonal + usize::from(letter != *other);
            before = changed.min(before + 1).min(above + 1);
            diagonal = *above;
            next.push(before);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}
