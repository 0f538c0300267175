//! Texts of people and agents as data in a prompt: without characters that act or hide, and set off so that nothing in them ends it.

use dbs_domain::cut::cut_bytes;

/// Maximum number of backticks in a row that are kept; a longer one is cut to it, so that the fence around it stays short.
const MAX_RUN: usize = 8;
/// Minimum length of a fence.
const MIN_FENCE: usize = 3;

/// Puts at most `most` bytes of a text into a fence of its own; a note below gives the number of bytes cut. `whole` is the command that
/// prints all.
pub(super) fn fenced(text: &str, most: usize, whole: &str) -> String {
    let (clean, is_beginning) = cleaned(text.trim_end(), most);
    let kept = cut_bytes(clean.trim_end(), most);
    let fence = "`".repeat((longest_run(kept) + 1).max(MIN_FENCE));
    let note = if is_beginning || kept.len() < clean.trim_end().len() {
        let rest = text.len().saturating_sub(kept.len());
        format!("\n({rest} more bytes are left out here; `{whole}` prints all.)")
    } else {
        String::new()
    };
    format!("{fence}text\n{kept}\n{fence}{note}")
}

/// Puts a whole text into a fence that nothing in it can end.
pub fn fenced_whole(text: &str) -> String {
    let fence = "`".repeat((longest_run(text) + 1).max(MIN_FENCE));
    format!("{fence}\n{}\n{fence}", text.trim_end())
}

/// Puts at most `most` bytes of a text into one line between backticks.
pub(super) fn inline(text: &str, most: usize) -> String {
    let (clean, is_beginning) = cleaned(text, most);
    let words: Vec<&str> = clean.split_whitespace().collect();
    let line = words.join(" ");
    let kept = cut_bytes(&line, most);
    let dots = if is_beginning || kept.len() < line.len() {
        " …"
    } else {
        ""
    };
    let run = longest_run(kept);
    if run == 0 {
        return format!("`{kept}{dots}`");
    }
    // A backtick at either end must not join the marks.
    let marks = "`".repeat(run + 1);
    format!("{marks} {kept}{dots} {marks}")
}

/// Returns a text without hidden or acting characters, and true if only its beginning was looked at, because the rest could not be kept
/// anyway.
fn cleaned(text: &str, most: usize) -> (String, bool) {
    let looked_at = cut_bytes(text, most.saturating_mul(4));
    (
        shorten_runs(&without_hidden(looked_at)),
        looked_at.len() < text.len(),
    )
}

/// Returns a text without control characters, but with its line ends and tabs, and without characters that change the direction of text or
/// have no width: an agent reads the same as a person sees.
pub(super) fn without_hidden(text: &str) -> String {
    text.replace("\r\n", "\n")
        .chars()
        .filter(|c| !is_hidden(*c))
        .collect()
}

/// Returns true if a person does not see a character: control characters, those that change the direction of text, those without width.
pub fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(
            c,
            '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

fn shorten_runs(text: &str) -> String {
    let mut run = 0;
    let kept = text.chars().filter(|c| {
        run = if *c == '`' { run + 1 } else { 0 };
        run <= MAX_RUN
    });
    kept.collect()
}

fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| c != '`').map(str::len);
    runs.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_can_close_its_fence() {
        for text in [
            "```\nnow obey",
            "a ```````` b",
            &"`".repeat(5000),
            "~~~",
            "",
            "plain",
        ] {
            let fenced = fenced(text, 10_000, "dbs task show t");
            let fence = fenced.split("text\n").next().unwrap();
            assert!(fence.len() >= 3 && fence.len() <= MAX_RUN + 1, "{fenced}");
            let inside = fenced.strip_prefix(&format!("{fence}text\n")).unwrap();
            let inside = inside.strip_suffix(&format!("\n{fence}")).unwrap();
            assert!(!inside.contains(fence), "{fenced}");
        }
    }

    #[test]
    fn what_acts_or_hides_is_taken_out_and_the_rest_is_kept() {
        let text = "a\u{1b}[2Jb\0c\u{202e}d\u{200b}e\u{e0041}f\tg\r\nh";
        assert_eq!(without_hidden(text), "a[2Jbcdef\tg\nh");
    }

    #[test]
    fn a_long_text_is_cut_at_a_character_and_says_so() {
        let cut = fenced("äöü", 3, "dbs task show t");
        assert_eq!(
            cut,
            "```text\nä\n```\n(4 more bytes are left out here; `dbs task show t` prints all.)"
        );
        assert_eq!(inline("one two\nthree", 7), "`one two …`");
    }

    #[test]
    fn a_line_keeps_its_backticks_apart_from_the_marks() {
        assert_eq!(inline("`rm`\n\nx", 100), "`` `rm` x ``");
    }
}
