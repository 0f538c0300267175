//! The known key that a mistyped one was probably meant to be.

use crate::config::schema::keys;
use crate::formats::nearest::nearest as nearest_word;

/// The nearest key, unless none is near. Parts that stand for any name take the mistyped key's own.
pub(super) fn nearest(path: &[&str]) -> Option<String> {
    let typed = path.join(".");
    nearest_word(&typed, keys().map(|key| fill(key.name, path)))
}

fn fill(name: &str, path: &[&str]) -> String {
    let parts = name.split('.').enumerate();
    let filled = parts.map(|(index, part)| match path.get(index) {
        Some(typed) if part.starts_with('<') => typed,
        _ => part,
    });
    filled.collect::<Vec<_>>().join(".")
}
