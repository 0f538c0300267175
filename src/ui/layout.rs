//! Saved arrangements: what a tab's file says, made into trees of named views. Knows view names only as text.

use serde::Deserialize;

use super::pane::{Axis, PaneId, PaneTree};

/// A tab as a layout file describes it: title, views, focus and panes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TabLayout {
    pub title: String,
    /// Names of its views in the order of their panes: pane `n` shows `views[n]`.
    pub views: Vec<String>,
    pub focus: usize,
    pub plan: LayoutKind,
}

/// Whether a layout has fixed pane trees or arranges one pane per agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LayoutKind {
    /// By two trees: for wide and for medium terminals. Panes are numbered from 0.
    Trees {
        /// 160 columns and more.
        wide: PaneTree,
        /// 100 to 159 columns.
        medium: PaneTree,
    },
    /// By itself, one pane per agent at work.
    Agents,
}

/// The error for a layout file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LayoutError {
    /// No TOML, or not of this shape.
    #[error("read the layout: {0}")]
    Shape(#[from] toml_edit::de::Error),
    #[error("read the layout of `{0}`: it names no view; write `wide = \"board\"`, or `auto = \"agents\"`")]
    Empty(String),
    #[error("read the layout of `{title}`: the focus is on `{focus}`, which is not among its views")]
    Focus { title: String, focus: String },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LayoutFile {
    title: String,
    focus: Option<String>,
    wide: Option<LayoutNode>,
    medium: Option<LayoutNode>,
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
    /// A layout from the text of a layout file.
    ///
    /// # Errors
    /// When the text is no TOML of that shape, names no view, or puts the focus on a view it does not have.
    pub fn parse(text: &str) -> Result<TabLayout, LayoutError> {
        let file: LayoutFile = toml_edit::de::from_str(text)?;
        let mut views = Vec::new();
        let plan = match (file.auto, file.wide) {
            (Some(AutoLayout::Agents), _) => LayoutKind::Agents,
            (None, wide) => {
                let wide = wide.and_then(|part| tree(&part, &mut views));
                let wide = wide.ok_or_else(|| LayoutError::Empty(file.title.clone()))?;
                let medium = file.medium.and_then(|part| tree(&part, &mut views));
                LayoutKind::Trees {
                    medium: medium.unwrap_or_else(|| wide.clone()),
                    wide,
                }
            }
        };
        let focus = match file.focus {
            None => 0,
            Some(focus) => views
                .iter()
                .position(|view| *view == focus)
                .ok_or(LayoutError::Focus {
                    title: file.title.clone(),
                    focus,
                })?,
        };
        Ok(TabLayout {
            title: file.title,
            views,
            focus,
            plan,
        })
    }
}

/// The tree of a part; every view is one pane, the same one wherever it is named.
fn tree(part: &LayoutNode, views: &mut Vec<String>) -> Option<PaneTree> {
    let (axis, parts, shares) = match part {
        LayoutNode::View(name) => {
            let at = views.iter().position(|view| view == name).unwrap_or_else(|| {
                views.push(name.clone());
                views.len() - 1
            });
            return u32::try_from(at).ok().map(|at| PaneTree::Leaf(PaneId::Fixed(at)));
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
    fn the_built_in_layouts_can_be_read_and_the_first_is_the_seeds() {
        let layouts: Vec<_> = BUILTIN
            .iter()
            .map(|text| TabLayout::parse(text).expect("layout"))
            .collect();
        assert_eq!(layouts[0].views, ["conductor", "shell", "board", "watcher"]);
        assert_eq!(layouts[0].focus, 2);
        assert_eq!(layouts[1].plan, LayoutKind::Agents);
    }

    #[test]
    fn both_trees_of_a_layout_hold_the_same_panes() {
        for text in BUILTIN {
            if let LayoutKind::Trees { wide, medium } = TabLayout::parse(text).expect("layout").plan {
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
