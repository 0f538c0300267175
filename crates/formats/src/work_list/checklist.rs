//! Checklists: boxes of a Markdown text in their groups. A box below another one is a part of it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::{AlikeItems, WorkItem, one_line, tag, whole_text};
use crate::plan::{CheckBox, boxes};

/// A box that is an item, with the boxes below it.
pub(super) struct Ticked {
    /// Name of the item: its group and its text, with a number from the second of that name on.
    pub(super) id: String,
    /// The name without the number.
    base: String,
    pub(super) all: Vec<CheckBox>,
}

/// Returns the items of a checklist.
pub(super) fn items(text: &str) -> Vec<Ticked> {
    let mut items: Vec<Ticked> = Vec::new();
    let mut used: BTreeSet<String> = BTreeSet::new();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    for one in boxes(text) {
        if let Some(last) = items.last_mut().filter(|_| one.is_part) {
            last.all.push(one);
            continue;
        }
        let group = one_line(&one.group, 60);
        let name = one_line(&one.text, 120);
        let base = if group.is_empty() {
            name
        } else {
            format!("{group} / {name}")
        };
        let nth = numbers.entry(base.clone()).or_default();
        let id = loop {
            *nth += 1;
            let id = if *nth == 1 {
                base.clone()
            } else {
                format!("{base} ({nth})")
            };
            // Another box may have been given that very text.
            if used.insert(id.clone()) {
                break id;
            }
        };
        items.push(Ticked {
            id,
            base,
            all: vec![one],
        });
    }
    items
}

/// Returns the texts of all items of a name, for each name that several have: while they are the same, the number of an item is its own.
fn alike(items: &[Ticked]) -> BTreeMap<&str, Arc<AlikeItems>> {
    let mut texts: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    for item in items {
        let (n_items, all) = texts.entry(&item.base).or_default();
        *n_items += 1;
        all.push('\n');
        all.extend(item.all.iter().flat_map(|one| [one.text.as_str(), "\n"]));
    }
    let several = texts.into_iter().filter(|(_, (n_items, _))| *n_items > 1);
    let named = several.map(|(base, (_, texts))| {
        let name = base.to_owned();
        (base, Arc::new(AlikeItems { name, texts }))
    });
    named.collect()
}

pub(super) fn read(text: &str) -> Vec<WorkItem> {
    let items = items(text);
    let alike = alike(&items);
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
            alike: alike.get(item.base.as_str()).cloned(),
            ..WorkItem::new(&item.id, &first.text, first.line)?
        })
    });
    read.collect()
}
