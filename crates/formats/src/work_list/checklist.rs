//! Checklists: boxes of a Markdown text in their groups. A box below another one is a part of it.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{WorkItem, one_line, tag, whole_text};
use crate::plan::{CheckBox, boxes};

/// A box that is an item, with the boxes below it.
pub(super) struct Ticked {
    /// Name of the item: its group and its text.
    pub(super) id: String,
    pub(super) all: Vec<CheckBox>,
}

/// Returns the items of a checklist.
pub(super) fn items(text: &str) -> Vec<Ticked> {
    let mut items: Vec<Ticked> = Vec::new();
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    for one in boxes(text) {
        let is_below = |last: &Ticked| {
            last.all
                .first()
                .is_some_and(|first| first.indent < one.indent && first.group == one.group)
        };
        if let Some(last) = items.last_mut().filter(|last| is_below(last)) {
            last.all.push(one);
            continue;
        }
        let group = one_line(&one.group, 60);
        let name = one_line(&one.text, 120);
        let id = if group.is_empty() {
            name
        } else {
            format!("{group} / {name}")
        };
        let nth = uses.entry(id.clone()).or_default();
        *nth += 1;
        let id = if *nth == 1 { id } else { format!("{id} ({nth})") };
        items.push(Ticked { id, all: vec![one] });
    }
    items
}

pub(super) fn read(text: &str) -> Vec<WorkItem> {
    let items = items(text);
    let read = items.iter().filter_map(|item| {
        let first = item.all.first()?;
        let last = item.all.last()?;
        let lines: Range<usize> = first.line..last.line + 1;
        let own = text.lines().skip(lines.start.saturating_sub(1)).take(lines.len());
        let body = own.collect::<Vec<_>>().join("\n");
        Some(WorkItem {
            body: whole_text(&body),
            tags: Some(tag(&first.group))
                .into_iter()
                .filter(|tag| !tag.is_empty())
                .collect(),
            is_done: first.is_done,
            ..WorkItem::new(&item.id, &first.text, first.line)?
        })
    });
    read.collect()
}
