//! Patterns in which `*` matches any characters, or none, and everything else matches itself.

/// Returns true if the whole text matches the pattern, in which `*` matches any characters.
pub fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let begin = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(begin) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(end) = parts.pop() else {
        return rest.is_empty();
    };
    // The first match leaves the most text for the parts that follow.
    for part in parts {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(end)
}
