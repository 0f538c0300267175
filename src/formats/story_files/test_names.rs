//! Names of the test file of a story (LA-4, LA-18).

/// The names, without their ending, under which the tests of a story may lie: first the one to be written, which begins with `prd` when
/// another PRD has a story of the same id; then those that are found, too. All but the last are names a module can have.
pub fn test_names(prd: &str, story: &str, is_id_unique: bool) -> Vec<String> {
    let word = |text: &str| -> String {
        let letter = |letter: char| {
            if letter.is_ascii_alphanumeric() {
                letter
            } else {
                '_'
            }
        };
        text.chars().map(letter).collect()
    };
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
