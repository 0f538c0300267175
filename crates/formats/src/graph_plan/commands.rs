//! Commands that can hardly fail, by their words (LG-9, V10). Only faults that a reader sees at once are looked for.

/// Programs that succeed whatever the state of the work.
const ALWAYS: [&str; 4] = ["echo", "true", ":", "printf"];
/// Programs that look for a text in a file.
const SEARCHES: [&str; 4] = ["grep", "rg", "egrep", "ag"];

/// Returns the reason why a check proves little; `None` if no reason is seen, or if there is no command. `made` are the files that the
/// task makes.
pub(super) fn weakness(command: &str, made: &[String]) -> Option<&'static str> {
    let bare = unquoted(command);
    // Commands before the last `;` have no influence on the end of the whole.
    let (last, last_bare) = (behind_last(command, ';'), behind_last(&bare, ';'));
    if last_bare.is_empty() {
        return None;
    }
    let otherwise = last_bare
        .rsplit_once("||")
        .map(|(_, otherwise)| first_word(otherwise));
    if otherwise.is_some_and(|program| ALWAYS.contains(&program)) {
        return Some("it ends with an alternative that always succeeds");
    }
    if bare.replace("||", "").contains('|') && !bare.contains("pipefail") {
        return Some(
            "only the last command of a pipe decides; begin with `set -o pipefail;`, or do without the pipe",
        );
    }
    if ALWAYS.contains(&first_word(last_bare)) && !last_bare.contains("&&") {
        return Some("its last command always succeeds");
    }
    let names_made = last.split_whitespace().any(|word| {
        let word = word.trim_matches(['\'', '"']).trim_start_matches("./");
        made.iter().any(|path| path == word)
    });
    let is_search = SEARCHES.contains(&first_word(last_bare));
    (is_search && names_made).then_some("it looks for a text in a file that the task itself writes")
}

/// Returns the command without its quoted parts.
fn unquoted(command: &str) -> String {
    let mut quote = None;
    let mut kept = String::new();
    for letter in command.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            Some(_) => {}
            None if matches!(letter, '\'' | '"') => quote = Some(letter),
            None => kept.push(letter),
        }
    }
    kept
}

fn behind_last(command: &str, sign: char) -> &str {
    command.rsplit(sign).next().unwrap_or(command).trim()
}

fn first_word(command: &str) -> &str {
    command.split_whitespace().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_that_can_hardly_fail_is_known_by_its_words() {
        let made = ["src/csv.rs".to_owned()];
        for (command, is_weak) in [
            ("cargo test csv", false),
            ("test -f a && cargo test", false),
            ("cargo test || true", true),
            ("cargo test || exit 1", false),
            ("cargo test || echo failed", true),
            ("cargo test | tail -5", true),
            ("set -o pipefail; cargo test | tail -5", false),
            ("echo done", true),
            ("cargo test; echo done", true),
            ("cargo test && echo done", false),
            ("echo start && cargo test", false),
            ("cargo test csv | grep '2 passed'", true),
            ("grep -qE 'a|b;c' README.md", false),
            ("grep -q writer src/csv.rs", true),
            ("grep -q writer ./src/csv.rs", true),
            ("grep -q writer src/lib.rs", false),
            ("grep 'never ended", false),
            ("", false),
        ] {
            assert_eq!(weakness(command, &made).is_some(), is_weak, "{command}");
        }
    }
}
