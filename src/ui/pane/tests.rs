//! Trees of panes: they tile, whatever is done to them.

use proptest::prelude::*;

use super::*;

fn leaf(number: u32) -> PaneTree {
    PaneTree::Leaf(PaneId::Fixed(number))
}

#[test]
fn neighbours_share_the_line_between_them() {
    let tree = PaneTree::split(Axis::Columns, 500, leaf(0), leaf(1));
    let placed = tree.pane_rects(Rect::new(0, 0, 81, 10), PaneId::Fixed(0));
    assert_eq!(placed[0].1, Rect::new(0, 0, 41, 10));
    assert_eq!(placed[1].1, Rect::new(40, 0, 41, 10));
}

#[test]
fn without_room_for_two_the_side_with_the_focus_is_drawn() {
    let tree = PaneTree::split(Axis::Columns, 500, leaf(0), leaf(1));
    let placed = tree.pane_rects(Rect::new(0, 0, 20, 10), PaneId::Fixed(1));
    assert_eq!(placed, [(PaneId::Fixed(1), Rect::new(0, 0, 20, 10))]);
}

#[test]
fn weights_become_shares_of_what_is_left() {
    let row = PaneTree::row(Axis::Columns, vec![(31, leaf(0)), (42, leaf(1)), (27, leaf(2))]).expect("row");
    let placed = row.pane_rects(Rect::new(0, 0, 200, 10), PaneId::Fixed(0));
    let widths: Vec<u16> = placed.iter().map(|(_, area)| area.width).collect();
    assert_eq!(widths, [63, 84, 55]);
}

/// An edit that the tests apply to a pane tree.
#[derive(Debug, Clone)]
enum TreeEdit {
    Split(prop::sample::Index, Axis),
    Close(prop::sample::Index),
    Swap(prop::sample::Index, prop::sample::Index),
    Nudge(prop::sample::Index, Direction),
    Arrange(u8),
}

fn any_edit() -> impl Strategy<Value = TreeEdit> {
    let index = any::<prop::sample::Index>;
    let axis = prop::sample::select(vec![Axis::Columns, Axis::Rows]);
    let direction = prop::sample::select(vec![
        Direction::Left,
        Direction::Right,
        Direction::Up,
        Direction::Down,
    ]);
    prop_oneof![
        3 => (index(), axis).prop_map(|(at, axis)| TreeEdit::Split(at, axis)),
        1 => index().prop_map(TreeEdit::Close),
        1 => (index(), index()).prop_map(|(one, other)| TreeEdit::Swap(one, other)),
        2 => (index(), direction).prop_map(|(at, toward)| TreeEdit::Nudge(at, toward)),
        1 => (0u8..4).prop_map(TreeEdit::Arrange),
    ]
}

fn done(mut tree: PaneTree, edit: &TreeEdit) -> PaneTree {
    let panes = tree.panes();
    let used: BTreeSet<PaneId> = panes.iter().copied().collect();
    match edit {
        TreeEdit::Split(at, axis) => assert!(tree.insert(*at.get(&panes), *axis, next_free_id(&used))),
        TreeEdit::Close(at) => return tree.clone().remove(*at.get(&panes)).unwrap_or(tree),
        TreeEdit::Swap(one, other) => tree.swap(*one.get(&panes), *other.get(&panes)),
        TreeEdit::Nudge(at, toward) => {
            tree.resize(*at.get(&panes), *toward, 150);
        }
        TreeEdit::Arrange(which) => return preset_layout(&panes, *which).expect("panes"),
    }
    tree
}

proptest! {
    #[test]
    fn whatever_is_done_panes_tile_their_area(
        edits in prop::collection::vec(any_edit(), 0..25),
        (width, height) in (1u16..220, 1u16..70),
        focus in any::<prop::sample::Index>(),
    ) {
        let tree = edits.iter().fold(leaf(0), done);
        let panes = tree.panes();
        let distinct: BTreeSet<PaneId> = panes.iter().copied().collect();
        prop_assert_eq!(distinct.len(), panes.len(), "each pane is there once");
        let focus = *focus.get(&panes);
        let area = Rect::new(3, 2, width, height);
        let placed = tree.pane_rects(area, focus);
        prop_assert!(placed.iter().any(|(id, _)| *id == focus), "the focus is drawn");
        for position in area.positions() {
            let holders = placed.iter().filter(|(_, outer)| outer.contains(position)).count();
            prop_assert!(holders >= 1, "{position:?} belongs to no pane");
            let inside = placed.iter().filter(|(_, outer)| inner_of(*outer).contains(position)).count();
            prop_assert!(inside <= 1 && (inside == 0 || holders == 1), "{position:?} belongs to several panes");
        }
        for (_, outer) in &placed {
            prop_assert_eq!(outer.intersection(area), *outer);
        }
    }
}

fn inner_of(outer: Rect) -> Rect {
    Rect::new(
        outer.x + 1,
        outer.y + 1,
        outer.width.saturating_sub(2),
        outer.height.saturating_sub(2),
    )
}
