//! The known word that a mistyped one was probably meant to be.

/// Number of letters that must be put in, left out, changed or swapped with their neighbour to make one word of the other.
pub fn distance(left: &str, right: &str) -> usize {
    strsim::osa_distance(left, right)
}

/// Returns the word of `known` nearest to `word`, the first of several; `None` if none is near enough to be worth naming.
pub fn nearest<T: AsRef<str>>(word: &str, known: impl IntoIterator<Item = T>) -> Option<T> {
    let (distance, best) = known
        .into_iter()
        .map(|known| (distance(word, known.as_ref()), known))
        .min_by_key(|(distance, _)| *distance)?;
    (distance <= (word.chars().count() / 3).clamp(1, 4)).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_is_recognised() {
        let known = ["write", "commit", "push"];
        assert_eq!(nearest("wriet", known), Some("write"));
        assert_eq!(nearest("comit", known), Some("commit"));
        assert_eq!(nearest("pull_request", known), None);
        assert_eq!(distance("ab", "ba"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
