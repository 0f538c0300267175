//! Criteria of a task, read from its description.

/// Returns the items of the first list below a heading that names criteria: a heading of Markdown, or a line that ends with a colon.
pub(super) fn criteria(body: &str) -> Vec<String> {
    let mut lines = body
        .lines()
        .map(str::trim)
        .skip_while(|line| !names_criteria(line))
        .skip(1);
    let mut found = Vec::new();
    for line in lines.by_ref().skip_while(|line| line.is_empty()) {
        match item(line) {
            Some(text) => found.push(text.to_owned()),
            None if line.is_empty() => {}
            None => break,
        }
    }
    found
}

fn names_criteria(line: &str) -> bool {
    let is_heading = line.starts_with('#') || line.ends_with(':');
    is_heading && line.to_lowercase().contains("criteria")
}

fn item(line: &str) -> Option<&str> {
    let text = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "))?;
    let boxes = ["[ ] ", "[x] ", "[X] "];
    let text = boxes
        .iter()
        .find_map(|mark| text.strip_prefix(mark))
        .unwrap_or(text);
    Some(text.trim()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn criteria_are_the_list_below_their_heading_and_nothing_else() {
        let body = "Do it.\n- not one\n\n## Acceptance criteria\n\n- [ ] an empty file gives no rows\n* two\n\n## Notes\n- no\n";
        assert_eq!(criteria(body), ["an empty file gives no rows", "two"]);
        assert_eq!(criteria("Criteria:\n- one\nand more\n- two"), ["one"]);
        assert_eq!(criteria("the criteria are clear\n- one"), Vec::<String>::new());
        assert_eq!(criteria(""), Vec::<String>::new());
    }
}
