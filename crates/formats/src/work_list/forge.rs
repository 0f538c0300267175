//! Issues of GitHub and GitLab, as `gh issue list --json` and `glab issue list --output json` print them.

use dbs_domain::task::TaskKind;

use super::shape_findings::ShapeFindings;
use super::{WorkItem, json_of, names_in, sections, tag, text_of};
use crate::json_place::{self, JsonPlace};

pub(super) fn read(text: &str, found: &mut ShapeFindings<'_>) -> Vec<WorkItem> {
    let Some((root, lines)) = json_of(text, found) else {
        return Vec::new();
    };
    let mut items = Vec::new();
    for issue in root.entries().unwrap_or_default() {
        let line = lines.line_of(issue.start);
        match item(issue, line) {
            Some(item) => items.push(item),
            None => found.error("NO_NAME", line, "this issue has no number or no title"),
        }
    }
    items
}

fn item(issue: &JsonPlace, line: usize) -> Option<WorkItem> {
    let text = |key: &str| text_of(issue, key);
    let either = |one: &str, other: &str| {
        if text(one).is_empty() {
            text(other)
        } else {
            text(one)
        }
    };
    let number = either("number", "iid");
    // The name is a word of a command line later: it is a number or nothing.
    if number.is_empty() || !number.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let labels = names_in(issue, "labels", "name");
    let is_bug = labels.iter().any(|label| label.eq_ignore_ascii_case("bug"));
    Some(WorkItem {
        body: sections(&[
            ("", &either("body", "description")),
            ("Issue", &either("url", "web_url")),
        ]),
        tags: labels.iter().map(|name| tag(name)).collect(),
        kind: if is_bug { TaskKind::Bug } else { TaskKind::Task },
        is_done: text("state").eq_ignore_ascii_case("closed"),
        ..WorkItem::new(&number, &text("title"), line)?
    })
}

/// Returns the address of the list that issues are of: `https://github.com/OWNER/NAME/issues`; `None` if it holds none.
pub fn address_of(text: &str) -> Option<String> {
    let root = json_place::parse(text).ok()?;
    let first = root.entries()?.first()?;
    let address = [text_of(first, "url"), text_of(first, "web_url")];
    let address = address
        .iter()
        .find(|address| address.starts_with("https://") || address.starts_with("http://"))?;
    let (list, _) = address.rsplit_once('/')?;
    Some(super::one_line(list, super::MOST_NAME))
}
