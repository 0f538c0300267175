//! The known word a mistyped one was probably meant to be.

/// The word of `known` nearest to `word`, when it is near enough to be worth naming.
pub(super) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let best = known
        .iter()
        .map(|candidate| (distance(word, candidate), *candidate))
        .min()?;
    (best.0 <= 1 + word.chars().count() / 4).then_some(best.1)
}

/// Insertions, deletions, exchanges and swaps of neighbours that lead from one word to the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut above: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    let mut last = None;
    for (i, a) in from.chars().enumerate() {
        let mut next = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let at = |row: &[usize], k: usize| row.get(k).copied().unwrap_or(usize::MAX - 1);
            let mut cost = (at(&row, j) + usize::from(a != *b))
                .min(at(&row, j + 1) + 1)
                .min(at(&next, j) + 1);
            let swapped = j > 0 && last == Some(*b) && to.get(j - 1) == Some(&a);
            if swapped {
                cost = cost.min(at(&above, j - 1) + 1);
            }
            next.push(cost);
        }
        above = std::mem::replace(&mut row, next);
        last = Some(a);
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_is_recognised() {
        let known = ["write", "commit", "push"];
        assert_eq!(nearest("wriet", &known), Some("write"));
        assert_eq!(nearest("comit", &known), Some("commit"));
        assert_eq!(nearest("pull_request", &known), None);
        assert_eq!(distance("ab", "ba"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
