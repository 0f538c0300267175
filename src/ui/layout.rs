//! Arrangements of the panes of a tab, and the layout files that describe them: the file of a tab, parsed into trees of named views. Knows
//! view names only as text.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::pane::{PaneId, PaneTree};
use crate::display::FirstTab;
use crate::keymap::Axis;

/// Arrangement of the panes of a tab: as in its layout file, by a person, or one pane per agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaneArrangement {
    Saved {
        /// For 160 columns and more.
        wide: PaneTree,
        /// For 100 to 159 columns.
        medium: PaneTree,
        /// For 80 to 99 columns; without it, one pane at a time.
        #[serde(default)]
        narrow: Option<PaneTree>,
    },
    /// As a person made it.
    Own(PaneTree),
    /// Layout with a pane per agent at work; the list is shown when there is no room for all.
    Agents { list: PaneId },
}

impl PaneArrangement {
    /// Returns the panes of the arrangement in reading order, without those of agents.
    pub fn panes(&self) -> Vec<PaneId> {
        match self {
            PaneArrangement::Saved { wide: tree, .. } | PaneArrangement::Own(tree) => tree.panes(),
            PaneArrangement::Agents { list } => vec![*list],
        }
    }

    /// Returns the panes of the arrangement that stay until they are closed, those for another width included.
    pub fn fixed(&self) -> BTreeSet<PaneId> {
        let mut panes = self.panes();
        if let PaneArrangement::Saved { medium, narrow, .. } = self {
            panes.extend(medium.panes());
            panes.extend(narrow.iter().flat_map(PaneTree::panes));
        }
        let fixed = panes.into_iter().filter(|id| matches!(id, PaneId::Fixed(_)));
        fixed.collect()
    }

    /// Gives the panes other ids; those that are not named keep theirs.
    pub fn rename(&mut self, names: &BTreeMap<PaneId, PaneId>) {
        let new = |id: PaneId| names.get(&id).copied().unwrap_or(id);
        match self {
            PaneArrangement::Saved { wide, medium, narrow } => {
                wide.rename(&new);
                medium.rename(&new);
                if let Some(narrow) = narrow {
                    narrow.rename(&new);
                }
            }
            PaneArrangement::Own(tree) => tree.rename(&new),
            PaneArrangement::Agents { list } => *list = new(*list),
        }
    }
}

/// A tab as a layout file describes it: title, views, focus and panes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TabLayout {
    pub title: String,
    /// Names of its views in the order of their panes: pane `n` shows `views[n]`.
    pub views: Vec<String>,
    pub focus: PaneId,
    /// Arrangement of the panes, which are numbered from 0.
    pub arrangement: PaneArrangement,
}

/// The error for a layout file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LayoutError {
    /// Text that is not TOML, or not of this shape.
    #[error("read the layout: {0}")]
    Shape(#[from] toml_edit::de::Error),
    #[error("read the layout of `{0}`: it names no view; write `wide = \"board\"`, or `auto = \"agents\"`")]
    Empty(String),
    #[error("read the layout of `{title}`: the focus is on `{focus}`, which is not among its views")]
    Focus { title: String, focus: String },
    /// More views than any screen has room for.
    #[error(
        "read the layout of `{0}`: it names more than {MOST_VIEWS} views; keep those you look at together"
    )]
    Many(String),
}

/// Maximum number of different views of one layout.
const MOST_VIEWS: usize = 64;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LayoutFile {
    title: String,
    focus: Option<String>,
    wide: Option<LayoutNode>,
    medium: Option<LayoutNode>,
    narrow: Option<LayoutNode>,
    auto: Option<AutoLayout>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum AutoLayout {
    Agents,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum LayoutNode {
    View(String),
    Columns {
        columns: Vec<LayoutNode>,
        #[serde(default)]
        shares: Vec<u16>,
    },
    Rows {
        rows: Vec<LayoutNode>,
        #[serde(default)]
        shares: Vec<u16>,
    },
}

/// Returns the text of the layout that takes the place of the main one.
pub(super) fn replacement(first: FirstTab) -> Option<&'static str> {
    match first {
        FirstTab::Main => None,
        FirstTab::Classic => Some(include_str!("../../assets/layouts/classic.toml")),
        FirstTab::Plan => Some(include_str!("../../assets/layouts/plan.toml")),
    }
}

/// The built-in layouts, in the order of the tabs.
pub(super) const BUILTIN: [&str; 6] = [
    include_str!("../../assets/layouts/main.toml"),
    include_str!("../../assets/layouts/agents.toml"),
    include_str!("../../assets/layouts/board.toml"),
    include_str!("../../assets/layouts/log.toml"),
    include_str!("../../assets/layouts/inbox.toml"),
    include_str!("../../assets/layouts/metrics.toml"),
];

impl TabLayout {
    /// Builds a layout from the text of a layout file.
    ///
    /// # Errors
    /// When the text is not TOML of that shape, names no view, or puts the focus on a view it does not have.
    pub fn parse(text: &str) -> Result<TabLayout, LayoutError> {
        let file: LayoutFile = toml_edit::de::from_str(text)?;
        let mut views = Vec::new();
        let arrangement = if let Some(AutoLayout::Agents) = file.auto {
            views.push("agents".to_owned());
            PaneArrangement::Agents {
                list: PaneId::Fixed(0),
            }
        } else {
            let wide = file.wide.and_then(|part| tree(&part, &mut views));
            let wide = wide.ok_or_else(|| LayoutError::Empty(file.title.clone()))?;
            let medium = file.medium.and_then(|part| tree(&part, &mut views));
            let narrow = file.narrow.and_then(|part| tree(&part, &mut views));
            if views.len() > MOST_VIEWS {
                return Err(LayoutError::Many(file.title));
            }
            PaneArrangement::Saved {
                medium: medium.unwrap_or_else(|| wide.clone()),
                wide,
                narrow,
            }
        };
        let focus = match file.focus {
            None => Some(PaneId::Fixed(0)),
            Some(ref focus) => pane_of(focus, &views),
        };
        Ok(TabLayout {
            focus: focus.ok_or_else(|| LayoutError::Focus {
                title: file.title.clone(),
                focus: file.focus.unwrap_or_default(),
            })?,
            title: file.title,
            views,
            arrangement,
        })
    }
}

fn pane_of(view: &str, views: &[String]) -> Option<PaneId> {
    let at = views.iter().position(|other| other == view)?;
    u32::try_from(at).ok().map(PaneId::Fixed)
}

/// Builds the tree of a part; every view is one pane, the same one wherever it is named.
fn tree(part: &LayoutNode, views: &mut Vec<String>) -> Option<PaneTree> {
    let (axis, parts, shares) = match part {
        LayoutNode::View(name) => {
            // A single view too many is enough to report, and each is compared with all before it.
            if views.len() <= MOST_VIEWS && !views.contains(name) {
                views.push(name.clone());
            }
            return pane_of(name, views).map(PaneTree::Leaf);
        }
        LayoutNode::Columns { columns, shares } => (Axis::Columns, columns, shares),
        LayoutNode::Rows { rows, shares } => (Axis::Rows, rows, shares),
    };
    let parts = parts.iter().enumerate().filter_map(|(at, part)| {
        let share = shares.get(at).copied().unwrap_or(50);
        Some((share, tree(part, views)?))
    });
    let parts = parts.collect();
    PaneTree::row(axis, parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_layouts_can_be_read() {
        let layouts: Vec<_> = BUILTIN
            .iter()
            .map(|text| TabLayout::parse(text).expect("layout"))
            .collect();
        assert_eq!(layouts[0].views, ["board", "selected", "log"]);
        assert_eq!(layouts[0].focus, PaneId::Fixed(0));
        let classic = TabLayout::parse(replacement(FirstTab::Classic).expect("layout")).expect("layout");
        assert_eq!(classic.views, ["conductor", "shell", "board", "watcher"]);
        assert_eq!(classic.focus, PaneId::Fixed(2));
        assert_eq!(layouts[1].views, ["agents"]);
        assert!(matches!(layouts[1].arrangement, PaneArrangement::Agents { .. }));
    }

    #[test]
    fn both_trees_of_a_layout_hold_the_same_panes() {
        for text in BUILTIN.into_iter().chain(
            [FirstTab::Classic, FirstTab::Plan]
                .into_iter()
                .filter_map(replacement),
        ) {
            if let PaneArrangement::Saved { wide, medium, narrow } =
                TabLayout::parse(text).expect("layout").arrangement
            {
                assert!(narrow.is_none_or(|narrow| narrow.panes().iter().all(|pane| wide.contains(*pane))));
                let sorted = |node: &PaneTree| {
                    let mut panes = node.panes();
                    panes.sort();
                    panes
                };
                assert_eq!(sorted(&wide), sorted(&medium));
            }
        }
    }

    #[test]
    fn a_focus_on_nothing_is_refused_by_name() {
        let problem = TabLayout::parse("title = 'T'\nwide = 'board'\nfocus = 'x'").expect_err("refused");
        assert_eq!(
            problem.to_string(),
            "read the layout of `T`: the focus is on `x`, which is not among its views"
        );
    }
}
