//! Fuzzy matching of texts with typed words. Every typed word must occur: as it is, or its letters in order. Knows texts only.

/// The words a person typed, prepared to be matched against many texts.
#[derive(Debug, Clone, Default)]
pub(crate) struct FuzzyQuery {
    words: Vec<Vec<char>>,
}

/// Factor and constant that limit the spread of letters found one by one: a word of `n` letters may span `2 * n + 2`.
const SPREAD: (usize, usize) = (2, 2);

impl FuzzyQuery {
    /// Creates the query of a typed text; words are separated by spaces, capitals do not count.
    pub(crate) fn new(typed: &str) -> FuzzyQuery {
        let words = typed.split_whitespace();
        FuzzyQuery {
            words: words
                .map(|word| word.chars().flat_map(char::to_lowercase).collect())
                .collect(),
        }
    }

    /// Returns true if nothing was typed; then everything fits equally.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns the score of a text: more is better; `None` if some word does not occur in it.
    pub(crate) fn score(&self, text: &str) -> Option<u32> {
        self.each(text, |word, text| {
            contained(word, text).or_else(|| one_by_one(word, text))
        })
    }

    /// Returns the score like `score`, but finds words only as they were typed: for sentences, where loose letters occur in order
    /// everywhere.
    pub(crate) fn score_exact(&self, text: &str) -> Option<u32> {
        self.each(text, contained)
    }

    fn each(&self, text: &str, score: impl Fn(&[char], &[char]) -> Option<u32>) -> Option<u32> {
        if self.is_empty() {
            return Some(0);
        }
        let mut folded = Vec::with_capacity(text.len());
        fold(text, &mut folded);
        self.words
            .iter()
            .try_fold(0, |sum, word| Some(sum + score(word, &folded)?))
    }

    /// Returns true if the text fits.
    pub(crate) fn matches(&self, text: &str) -> bool {
        FuzzyMatcher::new(self).fits(&[text])
    }
}

/// Matcher that checks many texts against a query. All texts use the same buffer one after the other, so a text costs no allocation; a text
/// fits when it has a score, which is not computed.
pub(crate) struct FuzzyMatcher<'a> {
    query: &'a FuzzyQuery,
    text: Vec<char>,
}

impl<'a> FuzzyMatcher<'a> {
    /// Creates the matcher of a query.
    pub(crate) fn new(query: &'a FuzzyQuery) -> FuzzyMatcher<'a> {
        FuzzyMatcher {
            query,
            text: Vec::new(),
        }
    }

    /// Returns true if these parts, one directly after the other, fit as one text.
    pub(crate) fn fits(&mut self, parts: &[&str]) -> bool {
        if self.query.is_empty() {
            return true;
        }
        self.text.clear();
        for part in parts {
            fold(part, &mut self.text);
        }
        let text = self.text.as_slice();
        // Letters that are adjacent are in order, too.
        self.query.words.iter().all(|word| is_in_order(word, text))
    }
}

/// Appends a text in lower case.
fn fold(text: &str, folded: &mut Vec<char>) {
    if text.is_ascii() {
        folded.extend(text.bytes().map(|byte| char::from(byte.to_ascii_lowercase())));
    } else {
        folded.extend(text.chars().flat_map(char::to_lowercase));
    }
}

fn contained(word: &[char], text: &[char]) -> Option<u32> {
    text.windows(word.len())
        .enumerate()
        .filter(|(_, part)| *part == word)
        .map(|(at, _)| score_at(at, word.len(), text))
        .max()
}

/// Returns the score of a match: best at the beginning of the text, then at the beginning of a word, then anywhere; the whole text scores
/// even more.
fn score_at(at: usize, length: usize, text: &[char]) -> u32 {
    let starts = at
        .checked_sub(1)
        .and_then(|before| text.get(before))
        .is_none_or(|before| !before.is_alphanumeric());
    let ends = text.get(at + length).is_none_or(|after| !after.is_alphanumeric());
    let place = match (at, starts) {
        (0, _) => 60,
        (_, true) => 50,
        (_, false) => 30,
    };
    place + if starts && ends { 20 } else { 0 }
}

/// Returns the score of letters in order, not too far apart; those that begin words count more.
fn one_by_one(word: &[char], text: &[char]) -> Option<u32> {
    starts(word, text)
        .filter_map(|start| from(start, word, text))
        .max()
}

fn is_in_order(word: &[char], text: &[char]) -> bool {
    starts(word, text).any(|start| from(start, word, text).is_some())
}

/// Returns the places where the first letter of the word occurs.
fn starts(word: &[char], text: &[char]) -> impl Iterator<Item = usize> {
    let letters = text.iter().enumerate();
    let found = letters.filter(|(_, letter)| Some(*letter) == word.first());
    found.map(|(at, _)| at)
}

fn from(start: usize, word: &[char], text: &[char]) -> Option<u32> {
    let most = word.len() * SPREAD.0 + SPREAD.1;
    let end = text.len().min(start + most);
    let mut at = start;
    let mut beginnings = 0;
    for letter in word {
        let rest = text.get(at..end)?;
        at += rest.iter().position(|other| other == letter)?;
        let begins = at
            .checked_sub(1)
            .and_then(|before| text.get(before))
            .is_none_or(|before| !before.is_alphanumeric());
        beginnings += u32::from(begins);
        at += 1;
    }
    let loose = u32::try_from(at - start - word.len()).unwrap_or(u32::MAX);
    Some((10 + 4 * beginnings).saturating_sub(loose.min(9)).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(typed: &str, text: &str) -> Option<u32> {
        FuzzyQuery::new(typed).score(text)
    }

    #[test]
    fn words_in_any_order_and_letters_in_order_are_found() {
        assert!(score("form login", "Login form posts").is_some());
        assert!(score("sa", "stop agent").is_some());
        assert!(score("LOGIN", "login").is_some());
        assert!(score("größe", "Die Größe").is_some());
        assert_eq!(score("xyz", "stop agent"), None);
        assert_eq!(score("ts", "stop agent"), None);
    }

    #[test]
    fn what_stands_together_beats_what_is_spread_and_beginnings_beat_middles() {
        assert!(score("stop", "stop agent") > score("stop", "unstoppable"));
        assert!(score("stop", "unstoppable") > score("stop", "some text on paper"));
        assert!(score("stop", "stop") > score("stop", "stopping"));
    }

    #[test]
    fn a_text_fits_when_it_has_a_score_whole_or_in_parts() {
        let titles = [
            "Login form posts",
            "Die Größe",
            "stop agent",
            "",
            "a b",
            "t-9 Task number 99",
        ];
        let typed = [
            "form login",
            "sa",
            "ts",
            "größe",
            "GRÖSSE",
            "t-99",
            "task 9",
            "tk99",
            "lfp",
            "xyz",
            "s t",
            "tsknmbr",
            "t9 9",
        ];
        for (typed, title) in typed.iter().flat_map(|typed| titles.map(|title| (*typed, title))) {
            let (query, whole) = (FuzzyQuery::new(typed), format!("t-99 {title}"));
            let mut matcher = FuzzyMatcher::new(&query);
            assert!(!matcher.fits(&["\u{1}"]), "what was there before does not count");
            let has_score = query.score(&whole).is_some();
            assert_eq!(
                matcher.fits(&["t-99", " ", title]),
                has_score,
                "{typed:?} in {whole:?}"
            );
            assert_eq!(query.matches(&whole), has_score, "{typed:?} in {whole:?}");
        }
    }

    #[test]
    fn letters_are_found_as_far_apart_as_they_may_be_and_no_farther() {
        let spread = |between: usize| format!("a{}b", " ".repeat(between));
        assert!(score("ab", &spread(4)).is_some());
        assert_eq!(score("ab", &spread(5)), None);
    }

    #[test]
    fn nothing_typed_fits_everything() {
        assert_eq!(score("  ", "anything"), Some(0));
        assert!(FuzzyQuery::new("").matches(""));
    }
}
