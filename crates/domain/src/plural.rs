//! Numbers of things, as people write them.

use std::fmt::Display;

/// Formats a number with its noun: `1 task`, `2 tasks`. For words whose plural ends with s.
pub fn pluralized<N: Display + PartialEq + From<u8> + Copy>(many: N, what: &str) -> String {
    let plural = if many == N::from(1) { "" } else { "s" };
    format!("{many} {what}{plural}")
}

/// Formats a number with the word for one, or the word for several: `1 story`, `2 stories`.
pub fn counted(many: usize, one: &str, several: &str) -> String {
    format!("{many} {}", if many == 1 { one } else { several })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural_and_none_is() {
        let said: Vec<String> = [0_u32, 1, 2].map(|many| pluralized(many, "task")).into();
        assert_eq!(said, ["0 tasks", "1 task", "2 tasks"]);
    }
}
