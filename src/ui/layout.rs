//! Saved arrangements: what a tab's file says, made into trees of named views. Knows view names only as text.

use serde::Deserialize;

use super::pane::{Axis, Node, PaneId};

/// A tab as its file describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Its title.
    pub title: String,
    /// Names of its views in the order of their panes: pane `n` shows `views[n]`.
    pub views: Vec<String>,
    /// Which of them has the focus at first.
    pub focus: usize,
    /// How they are arranged.
    pub plan: Plan,
}

/// How a saved tab is arranged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plan {
    /// By two trees: for wide and for medium terminals. Panes are numbered from 0.
    Trees {
        /// 160 columns and more.
        wide: Node,
        /// 100 to 159 columns.
        medium: Node,
    },
    /// By itself, one pane per agent at work.
    Agents,
}

/// What is wrong with a layout file.
#[derive(Debug, thiserror::Error)]
pub enum LayoutProblem {
    /// No TOML, or not of this shape.
    #[error("read the layout: {0}")]
    Shape(#[from] toml_edit::de::Error),
    /// No view in it.
    #[error("read the layout of `{0}`: it names no view; write `wide = \"board\"`, or `auto = \"agents\"`")]
    Empty(String),
    /// The focus is on a view that is not there.
    #[error("read the layout of `{title}`: the focus is on `{focus}`, which is not among its views")]
    Focus {
        /// Which layout.
        title: String,
        /// The view named.
        focus: String,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LayoutFile {
    title: String,
    focus: Option<String>,
    wide: Option<Part>,
    medium: Option<Part>,
    auto: Option<Auto>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Auto {
    Agents,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Part {
    View(String),
    Columns {
        columns: Vec<Part>,
        #[serde(default)]
        shares: Vec<u16>,
    },
    Rows {
        rows: Vec<Part>,
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

impl Layout {
    /// A layout from the text of a layout file.
    ///
    /// # Errors
    /// When the text is no TOML of that shape, names no view, or puts the focus on a view it does not have.
    pub fn parse(text: &str) -> Result<Layout, LayoutProblem> {
        let file: LayoutFile = toml_edit::de::from_str(text)?;
        let mut views = Vec::new();
        let plan = match (file.auto, file.wide) {
            (Some(Auto::Agents), _) => Plan::Agents,
            (None, wide) => {
                let wide = wide.and_then(|part| tree(&part, &mut views));
                let wide = wide.ok_or_else(|| LayoutProblem::Empty(file.title.clone()))?;
                let medium = file.medium.and_then(|part| tree(&part, &mut views));
                Plan::Trees {
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
                .ok_or(LayoutProblem::Focus {
                    title: file.title.clone(),
                    focus,
                })?,
        };
        Ok(Layout {
            title: file.title,
            views,
            focus,
            plan,
        })
    }
}

/// The tree of a part; every view is one pane, the same one wherever it is named.
fn tree(part: &Part, views: &mut Vec<String>) -> Option<Node> {
    let (axis, parts, shares) = match part {
        Part::View(name) => {
            let at = views.iter().position(|view| view == name).unwrap_or_else(|| {
                views.push(name.clone());
                views.len() - 1
            });
            return u32::try_from(at).ok().map(|at| Node::Leaf(PaneId::Fixed(at)));
        }
        Part::Columns { columns, shares } => (Axis::Columns, columns, shares),
        Part::Rows { rows, shares } => (Axis::Rows, rows, shares),
    };
    let parts = parts.iter().enumerate().filter_map(|(at, part)| {
        let share = shares.get(at).copied().unwrap_or(50);
        Some((share, tree(part, views)?))
    });
    let parts = parts.collect();
    Node::row(axis, parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_layouts_can_be_read_and_the_first_is_the_seeds() {
        let layouts: Vec<_> = BUILTIN
            .iter()
            .map(|text| Layout::parse(text).expect("layout"))
            .collect();
        assert_eq!(layouts[0].views, ["conductor", "shell", "board", "watcher"]);
        assert_eq!(layouts[0].focus, 2);
        assert_eq!(layouts[1].plan, Plan::Agents);
    }

    #[test]
    fn both_trees_of_a_layout_hold_the_same_panes() {
        for text in BUILTIN {
            if let Plan::Trees { wide, medium } = Layout::parse(text).expect("layout").plan {
                let sorted = |node: &Node| {
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
        let problem = Layout::parse("title = 'T'\nwide = 'board'\nfocus = 'x'").expect_err("refused");
        assert_eq!(
            problem.to_string(),
            "read the layout of `T`: the focus is on `x`, which is not among its views"
        );
    }
}
