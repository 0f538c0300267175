//! Names of the test file of a story (LA-4, LA-18).

use std::collections::BTreeMap;

/// Returns the name to be written for each story of a queue, without ending. Stories are PRD and id, in the order of the queue.
pub fn planned_test_names(stories: &[(&str, &str)]) -> Vec<String> {
    let key = |story: &str| word(story).to_lowercase();
    // The PRD of each id; none if several have it.
    let mut prds: BTreeMap<String, Option<&str>> = BTreeMap::new();
    for (prd, story) in stories {
        let known = prds.entry(key(story)).or_insert(Some(prd));
        if *known != Some(prd) {
            *known = None;
        }
    }
    let planned = stories.iter().filter_map(|(prd, story)| {
        let is_unique = prds.get(&key(story)).is_some_and(Option::is_some);
        test_names(prd, story, is_unique).into_iter().next()
    });
    planned.collect()
}

/// Returns the names, without their ending, that the tests of a story may have: first the one to be written, which begins with `prd` when
/// another PRD has a story of the same id; then those that are found, too. All but the last are names a module can have.
pub fn test_names(prd: &str, story: &str, is_id_unique: bool) -> Vec<String> {
    let long = format!("test_{}_{}", word(prd.trim_end_matches(".json")), word(story));
    let short = format!("test_{}", word(story));
    let hyphen = format!("test_{story}");
    let mut names = if is_id_unique {
        vec![short]
    } else {
        // A short name may belong to the other PRD.
        return vec![long];
    };
    names.push(long);
    if !names.contains(&hyphen) {
        names.push(hyphen);
    }
    names
}

/// Returns a text as part of a name that a module can have.
fn word(text: &str) -> String {
    let letter = |letter: char| {
        if letter.is_ascii_alphanumeric() {
            letter
        } else {
            '_'
        }
    };
    text.chars().map(letter).collect()
}
