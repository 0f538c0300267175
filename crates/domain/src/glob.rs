//! Patterns in which `*` stands for any characters, none included, and everything else for itself.

/// Whether the whole text fits the pattern, in which `*` stands for any characters.
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
    // The first place that fits leaves most for what follows.
    for part in parts {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(end)
}
